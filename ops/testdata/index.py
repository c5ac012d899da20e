"""Writes index.json: what PyTorch 2.6 computes by indices into several axes and by masks, and its gradients.

python index.py > index.json

The functions of ONNX are written with PyTorch's indexing, as onnx.ai/onnx/operators has them.
"""
import torch
import torch.nn.functional as F
from cases import case, cases, written

torch.manual_seed(5)


def numbers(*shape):
    return torch.randint(-3, 4, shape).double()  # with ties


def places(size, *shape):
    return torch.randint(-size, size, shape)


def different(size, *shape):
    """Different places: where they are repeated, PyTorch says nothing of which element stays."""
    count = torch.Size(shape).numel()
    return (torch.randperm(size)[:count] - torch.randint(0, 2, (count,)) * size).reshape(shape)


def gather_nd(x, index, batch):
    size = index.shape[:batch]
    along = [torch.arange(n).reshape([-1 if i == a else 1 for i in range(index.dim() - 1)]) for a, n in enumerate(size)]
    return x[tuple(along) + index.unbind(-1)]


for shape, index, batch in [((4, 3, 2), (5, 2), 0), ((4, 3), (2, 3, 1), 0), ((4, 3), (6, 2), 0), ((2, 3, 4), (2, 5, 1), 1), ((2, 3, 4, 2), (2, 3, 1), 2),
                            ((4, 3), (0, 2), 0), ((3, 0), (2, 1), 0), ((5,), (1,), 0)]:
    at = torch.stack([places(n, *index[:-1]) for n in shape[batch:batch + index[-1]]], -1)
    case(f"GatherND {batch}", lambda x, i: gather_nd(x, i, batch), numbers(*shape), at)


def scatter_nd(x, index, src, by):
    k, rows = index.shape[-1], index.shape[:-1].numel()
    flat = torch.zeros(index.shape[:-1], dtype=torch.long)
    for n, i in zip(x.shape, index.unbind(-1)):
        flat = flat * n + torch.where(i < 0, i + n, i)
    lines, new = x.reshape(x.shape[:k].numel(), -1), src.reshape(rows, x.shape[k:].numel())
    if by == "Set":
        return lines.index_copy(0, flat.reshape(-1), new).reshape(x.shape)
    if by == "Sum":
        return lines.index_add(0, flat.reshape(-1), new).reshape(x.shape)
    return lines.index_reduce(0, flat.reshape(-1), new, {"Prod": "prod", "Max": "amax", "Min": "amin"}[by]).reshape(x.shape)


for shape, index in [((4, 3, 2), (7, 2)), ((4, 2), (3, 2, 1)), ((3, 2), (6, 2)), ((4, 2), (0, 1))]:
    at = torch.stack([places(n, *index[:-1]) for n in shape[:index[-1]]], -1)
    for by in ["Sum", "Prod", "Max", "Min"]:
        case("ScatterND " + by, lambda x, i, s: scatter_nd(x, i, s, by), numbers(*shape), at, numbers(*index[:-1], *shape[index[-1]:]))
case("ScatterND Set", lambda x, i, s: scatter_nd(x, i, s, "Set"), numbers(5, 2), different(5, 2, 2).unsqueeze(-1), numbers(2, 2, 2))



def spread(word, indices):
    """A list with an index for each letter, and None for each -."""
    left = iter(indices)
    return [None if letter == "-" else next(left) for letter in word]


for word, shape, indices in [("i", (4, 3), [(5,)]), ("ij", (4, 3), [(2, 1), (3,)]), ("ij", (4, 3, 2), [(4,), (4,)]), ("-i", (4, 3), [(2, 2)]), ("i-j", (4, 3, 5), [(2,), (2,)]),
                             ("-ij", (2, 4, 3), [(), (3,)]), ("ij", (4, 3), [(0,), (1,)]), ("i-j", (4, 0, 5), [(2,), ()]), ("ijk", (2, 3, 4), [(2, 1, 1), (3, 1), (1,)])]:
    at = [places(n, *s) for n, s in zip([n for n, letter in zip(shape, word) if letter != "-"], indices)]
    case("Index " + word, lambda x, *i: torch.ops.aten.index(x, spread(word, i)), numbers(*shape), *at)
    for value in [cases[-1]["out"][0]["shape"], shape[-1:] if word == "i" else (1,), ()]:
        case("IndexPut added " + word, lambda x, s, *i: torch.ops.aten.index_put(x, spread(word, i), s, True), numbers(*shape), numbers(*value), *at)
for word, x, src, *at in [("i", numbers(5, 2), numbers(3, 2), different(5, 3)), ("i", numbers(5, 2), numbers(2), different(5, 3)),
                          ("-i", numbers(3, 6), numbers(2, 2), different(6, 2, 2)), ("ij", numbers(4, 4), numbers(3), different(4, 3), different(4, 3))]:
    case("IndexPut set " + word, lambda x, s, *i: torch.ops.aten.index_put(x, spread(word, i), s), x, src, *at)


def bounded(y, beyond):
    """Rows, behind which stand others of -9, and how many there are without those."""
    return torch.cat([y, torch.full((beyond, *y.shape[1:]), -9, dtype=y.dtype)]), torch.tensor(len(y))


for x, mask in [((2, 3), (4, 1, 3)), ((3, 4), (3, 4)), ((3, 1), (1, 4)), ((), (2,)), ((0, 3), (3,)), ((2, 3), ())]:
    mask = torch.randint(0, 2, mask)
    case("MaskedScatter", lambda x, m, s: x.masked_scatter(m.bool(), s), numbers(*x), mask, numbers(3, 9))
    for beyond in [0, 3]:
        case("MaskedSelect", lambda x, m: bounded(x.masked_select(m.bool()), beyond), numbers(*x), mask)
for x in [torch.tensor([[1, 0, float("nan")], [-0.0, float("-inf"), 0]]).double(), numbers(2, 3, 4), numbers(5), torch.tensor(3.0), torch.tensor(0), torch.zeros(0, 3), torch.zeros(2, 2)]:
    for beyond in [0, 2]:
        case("Nonzero", lambda x: bounded(x.nonzero(), beyond), x)

for mode, word in [("sum", "Sum"), ("mean", "Mean"), ("max", "Max")]:
    for padding in [None, 1]:
        more = "" if padding is None else " padding"  # of 5 rows, counted from the end it is -4
        bag = lambda t, i, o=None, last=False, weights=None: F.embedding_bag(i, t, o, mode=mode, include_last_offset=last, per_sample_weights=weights, padding_idx=padding)
        for shape in [(3, 4), (2, 1), (0, 3)]:
            case(f"EmbeddingBag {word}{more}", bag, numbers(5, 3), torch.randint(0, 5, shape))
        for size, offsets in [(8, [0, 3, 3, 7]), (4, [0]), (0, [0, 0]), (3, [0, 0, 3])]:
            case(f"EmbeddingBag {word} offsets{more}", bag, numbers(5, 2), torch.randint(0, 5, (size,)), torch.tensor(offsets))
        case(f"EmbeddingBag {word} offsets last{more}", lambda t, i, o: bag(t, i, o, True), numbers(5, 2), torch.randint(0, 5, (8,)), torch.tensor([0, 3, 3, 8]))
        if mode == "sum":
            case(f"EmbeddingBag Sum weights{more}", lambda t, i, w: bag(t, i, weights=w), numbers(5, 2), torch.randint(0, 5, (3, 4)), numbers(3, 4))
            case(f"EmbeddingBag Sum offsets weights{more}", lambda t, i, o, w: bag(t, i, o, weights=w), numbers(5, 2), torch.randint(0, 5, (6,)), torch.tensor([0, 2, 2, 5]), numbers(6))
print(written())
