"""Writes scatter.json: what PyTorch 2.6 computes by index, and its gradients.

python scatter.py > scatter.json
"""
import json
import torch

torch.manual_seed(7)
cases = []


def flat(t):
    return [str(v) if v != v or abs(v) == float("inf") else v for v in t.reshape(-1).tolist()]


def case(name, x, axis, index, src, call):
    x, src = x.double().requires_grad_(), src.double().requires_grad_()
    y = call(x, axis, index, src)
    dy = torch.arange(1, y.numel() + 1, dtype=torch.float64).reshape(y.shape)
    dx, dsrc = torch.autograd.grad(y, [x, src], dy)
    cases.append({"name": name, "x": flat(x), "xShape": list(x.shape), "axis": axis, "index": index.reshape(-1).tolist(),
                  "indexShape": list(index.shape), "src": flat(src), "srcShape": list(src.shape), "y": flat(y), "dx": flat(dx), "dsrc": flat(dsrc)})


reduce = lambda how, own: lambda x, a, i, s: x.scatter_reduce(a, i, s, how, include_self=own)
slices = lambda how, own: lambda x, a, i, s: x.index_reduce(a, i, s, how, include_self=own)
# An excluded element equal to the result takes a share of PyTorch's gradient, which is then lost. There x has no such elements.
small = lambda *shape: torch.randint(-2, 3, shape)  # with ties and zeros

for shape, axis, count in [((4, 3), 0, (5, 2)), ((2, 5), -1, (2, 7)), ((2, 4, 2), 1, (1, 9, 2)), ((3,), 0, (0,)), ((3, 0), 0, (2, 0))]:
    x, src = small(*shape), small(*count)
    index = torch.randint(0, shape[axis], count)
    case("ScatterAdd", x, axis, index, src, lambda x, a, i, s: x.scatter_add(a, i, s))
    for how, name in [("sum", "Sum"), ("prod", "Prod"), ("mean", "Mean"), ("amax", "Max"), ("amin", "Min")]:
        case("ScatterReduce " + name, x, axis, index, src, reduce(how, True))
        case("ScatterReduce " + name + " ExcludeSelf", x + 0.25, axis, index, src, reduce(how, False))

for shape, axis, count in [((4, 3), 0, 6), ((2, 3, 2), 1, 5), ((3, 4), -1, 0)]:
    wide = list(shape)
    wide[axis] = count
    x, src, index = small(*shape), small(*wide), torch.randint(0, shape[axis], (count,))
    case("IndexAdd", x, axis, index, src, lambda x, a, i, s: x.index_add(a, i, s))
    for how, name in [("prod", "Prod"), ("mean", "Mean"), ("amax", "Max"), ("amin", "Min")]:
        case("IndexReduce " + name, x, axis, index, src, slices(how, True))
        case("IndexReduce " + name + " ExcludeSelf", x + 0.25, axis, index, src, slices(how, False))

# Where no index is repeated, and PyTorch says which gradient there is.
x, src = small(5, 2), small(3, 2)
case("IndexCopy", x, 0, torch.tensor([4, 0, 2]), src, lambda x, a, i, s: x.index_copy(a, i, s))
case("Scatter", x, 0, torch.tensor([[4, 0], [0, 1], [2, 3]]), src, lambda x, a, i, s: x.scatter(a, i, s))
print("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]")
