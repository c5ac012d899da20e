"""Writes forms.json: rearrangements, writes into parts, distances, normalizations and losses of PyTorch 2.6, and their gradients. What PyTorch
lacks is written with its functions as the library that has it defines it.

python forms.py > forms.json
"""
import torch
import torch.nn.functional as F
from cases import case, written

torch.manual_seed(11)
torch.set_default_dtype(torch.float64)
inf, nan = float("inf"), float("nan")
r = lambda *s: torch.randn(s)
whole = lambda *s: torch.randint(-3, 4, s).double()  # with ties
at = lambda n, *s: torch.randint(0, n, s)

# Joining, splitting, turning.
for s in [[(), ()], [(3,), (2,)], [(2, 3), (2, 1)], [(2, 3, 2), (2, 1, 2)]]:
    case("HStack", lambda *x: torch.hstack(x), *[r(*k) for k in s])
for s in [[(), ()], [(3,), (3,)], [(2, 3), (3,)], [(2, 3, 2), (1, 3, 2)]]:
    case("VStack", lambda *x: torch.vstack(x), *[r(*k) for k in s])
for s in [[(), ()], [(3,), (3,)], [(2, 3), (2, 3)], [(2, 3, 1), (2, 3)]]:
    case("DStack", lambda *x: torch.dstack(x), *[r(*k) for k in s])
for s in [[(), ()], [(3,), (3,)], [(3, 2), (3,)], [(0, 2), (0, 1)]]:
    case("ColumnStack", lambda *x: torch.column_stack(x), *[r(*k) for k in s])
for k in [(), (2,), (2, 3), (2, 3, 2), (0,)]:
    for name, f in [("AtLeast1D", torch.atleast_1d), ("AtLeast2D", torch.atleast_2d), ("AtLeast3D", torch.atleast_3d)]:
        case(name, f, r(*k))
for shape, axis, n in [((7,), 0, 3), ((2, 8), -1, 5), ((2, 3), 1, 5), ((0, 2), 0, 2), ((6, 1), 0, 1)]:
    case(f"TensorSplit {axis} {n}", lambda x: torch.tensor_split(x, n, axis), r(*shape))
for shape, axis, places in [((7,), 0, [2, 5]), ((2, 6), 1, [-2]), ((5,), 0, [4, 2, 9]), ((3, 2), 0, [0, 3])]:
    case("SplitAt " + " ".join(map(str, [axis, *places])), lambda x: torch.tensor_split(x, places, axis), r(*shape))
for shape, k, a, b in [((2, 3), 1, 0, 1), ((2, 3), 2, 1, 0), ((2, 3, 4), -1, -1, 0), ((2, 3), 4, 0, 1), ((0, 3), 1, 0, 1)]:
    case(f"Rot90 {k} {a} {b}", lambda x: torch.rot90(x, k, (a, b)), r(*shape))
for s in [[(2, 3), (1, 2), (3,)], [(), (2,)], [(0, 2), (2, 1)], [(2, 2)]]:
    case("BlockDiag", lambda *x: torch.block_diag(*x), *[r(*k) for k in s])
for s in [[(3,)], [(2,), (3,)], [(2,), (1,), (2,)], [(2,), (0,)]]:
    case("CartesianProd", lambda *x: torch.cartesian_prod(*x), *[r(*k) for k in s])
for s in [[(3,), (2, 1)], [(), (2, 3), (1, 3)], [(2, 0), (1,)]]:
    case("BroadcastTensors", lambda *x: torch.broadcast_tensors(*x), *[r(*k) for k in s])

# Parts replaced.
for shape, axis, i in [((3, 4), 0, 1), ((3, 4), -1, -1), ((2, 3, 1), 2, 0), ((2, 0), 0, 1)]:
    s = list(shape)
    del s[axis]
    case(f"SelectScatter {axis} {i}", lambda x, y: torch.select_scatter(x, y, axis, i), r(*shape), r(*s))
for shape, axis, a, b, step in [((7, 2), 0, 1, 6, 2), ((2, 5), -1, -3, 5, 1), ((4,), 0, 2, 2, 1), ((4,), 0, 0, 9, 3)]:
    s = list(torch.zeros(shape).transpose(0, axis)[a:b:step].transpose(0, axis).shape)
    case(f"SliceScatter {axis} {a} {b} {step}", lambda x, y: torch.slice_scatter(x, y, axis, a, b, step), r(*shape), r(*s))
for shape, o, a, b in [((3, 3), 0, 0, 1), ((3, 5), 2, 0, 1), ((4, 3), -1, 0, 1), ((2, 3, 4), 1, -1, 0)]:
    s = torch.diagonal(torch.zeros(shape), o, a, b).shape
    case(f"DiagonalScatter {o} {a} {b}", lambda x, y: torch.diagonal_scatter(x, y, o, a, b), r(*shape), r(*s))
for shape in [(3, 3), (2, 4), (4, 2), (0, 2)]:
    case("FillDiagonal", lambda x: x.clone().fill_diagonal_(7), r(*shape))


def part(x, starts, sizes):
    """jax.lax.dynamic_slice: what would reach over an end begins where it does not."""
    for a, (i, n) in enumerate(zip(starts, sizes)):
        i = int(i) + (x.shape[a] if i < 0 else 0)
        x = x.narrow(a, min(max(i, 0), x.shape[a] - n), n)
    return x


def update(x, y, starts):
    z = x.clone()
    part(z, starts, y.shape).copy_(y)
    return z


for shape, sizes, starts in [((5, 4), (2, 3), (1, 0)), ((5, 4), (2, 3), (4, -2)), ((5, 4), (5, 1), (3, 2)), ((5, 4), (1, 2), (-9, -3)), ((6,), (0,), (2,)), ((3, 4, 2), (1, 4, 2), (2, 1, 1)), ((2, 3), (2, 3), (1, 1))]:
    places = [torch.tensor(i) for i in starts]
    case("DynamicSlice " + " ".join(map(str, sizes)), lambda x, *i: part(x, i, sizes).clone(), r(*shape), *places)
    case("DynamicUpdateSlice", lambda x, y, *i: update(x, y, i), r(*shape), r(*sizes), *places)


for shape, index in [((3, 4), (5,)), ((7,), (2, 2)), ((2, 3), ()), ((4,), (0,))]:
    n = torch.Size(shape).numel()
    case("TakeFlat", lambda x, i: torch.take(x, i), r(*shape), torch.randint(-n, n, index))
    case("PutFlat added", lambda x, i, s: torch.Tensor.put(x, i, s, accumulate=True), r(*shape), torch.randint(-n, n, index), r(*index))
case("PutFlat", lambda x, i, s: torch.Tensor.put(x, i, s), r(3, 4), torch.tensor([[5, -1], [0, 7]]), r(2, 2))
case("UnravelIndex 3 4 2", lambda i: torch.unravel_index(i, (3, 4, 2)), at(24, 2, 5))

# Distances and products of pairs.
for p in [2.0, 1.0, 3.0, 0.0, inf]:
    for x, y in [((4, 3), (5, 3)), ((2, 1, 3, 2), (3, 2, 2)), ((3, 1), (2, 1)), ((2, 0), (3, 0)), ((0, 2), (3, 2))]:
        case(f"CDist {p}", lambda x, y: torch.cdist(x, y, p, compute_mode="donot_use_mm_for_euclid_dist"), r(*x), r(*y))
    for x in [(5, 3), (2, 1), (1, 4)]:  # PyTorch's gradient of no rows reads memory that is not its own
        case(f"PDist {p}", lambda x: F.pdist(x, p), r(*x))
case("CDist 2.0", lambda x, y: torch.cdist(x, y), whole(4, 1), whole(4, 1))  # of distance 0
for s, o, i, j in [((3,), 2, 4, 3), ((2, 3), 1, 1, 2), ((0,), 2, 2, 2), ((), 3, 2, 2)]:
    case("Bilinear", F.bilinear, r(*s, i), r(*s, j), r(o, i, j), r(o))

# Normalization.
for shape in [(2, 3, 4), (2, 3, 2, 3), (1, 1, 2, 2, 2)]:
    case("InstanceNorm", lambda x, w, b: F.instance_norm(x, weight=w, bias=b, eps=1e-2), r(*shape), r(shape[1]), r(shape[1]))
    case("InstanceNorm", lambda x: F.instance_norm(x, eps=1e-2), r(*shape))
for shape in [(2, 7, 3), (1, 4, 2, 2), (2, 1, 3, 1, 1), (0, 3, 2)]:
    for size in [1, 2, 3, 5, 8]:
        case(f"LocalResponseNorm {size}", lambda x: F.local_response_norm(x, size, 0.3, 0.75, 2.0), r(*shape))

# What hides in ties, of losses.
for shape in [(3, 4), (4,), (2, 1), (0, 3)]:
    labels = torch.full(shape, -1)
    if labels.numel():
        for row in labels.reshape(-1, shape[-1]):
            row[:2] = at(shape[-1], 2)[: row.numel()]
    x = whole(*shape)
    x.reshape(-1)[:1] = nan
    for y in [r(*shape), whole(*shape), x]:
        for red in ["mean", "sum", "none"] if y.numel() else ["none"]:  # else PyTorch writes nothing
            case("MultiLabelMargin " + red, lambda x, t: F.multilabel_margin_loss(x, t, reduction=red), y, labels)
for p in [1, 2]:
    case(f"MultiMargin {p}", lambda x, t: F.multi_margin_loss(x, t, p), torch.tensor([[2.0, 1.0, 3.0], [0.0, nan, -1.0]]), torch.tensor([0, 2]))
away = lambda x, y: (x - y).abs().sum(-1)
for swap in ["", " swap"]:
    case("TripletMarginWithDistance" + swap, lambda a, p, n: F.triplet_margin_with_distance_loss(a, p, n, distance_function=away, margin=1.3, swap=bool(swap)),
         r(4, 3), r(4, 3), r(4, 3))
for red in ["mean", "sum", "none", "batchmean"]:
    case("KLDiv " + red, lambda x, t: F.kl_div(x, t, reduction=red, log_target=True), r(4, 3), r(4, 3))
case("KLDiv batchmean plain", lambda x, t: F.kl_div(x, t, reduction="batchmean"), r(4, 3, 2), torch.rand(4, 3, 2))
case("KLDiv batchmean", lambda x, t: F.kl_div(x, t, reduction="batchmean", log_target=True), r(), r())

# Losses of optax and Keras, by their formulas.
log2 = torch.tensor(2.0).log()
case("LogCosh", lambda x, t: (torch.logaddexp(x - t, t - x) - log2).mean(), r(4, 3) * 30, r(4, 3))
signs = torch.tensor([1.0, -1.0, -1.0, 1.0])
case("Hinge", lambda x, t: torch.relu(1 - x * t).mean(), torch.tensor([1.0, 0.3, -2.0, 2.0]), signs)
case("SquaredHinge", lambda x, t: torch.relu(1 - x * t).square().mean(), torch.tensor([1.0, 0.3, -2.0, 2.0]), signs)


def multiclass_hinge(x, t):
    one_hot = F.one_hot(t, x.shape[-1]).to(x)
    return ((x + 1 - one_hot).amax(-1) - (x * one_hot).sum(-1)).mean()


case("CategoricalHinge", multiclass_hinge, r(5, 4), at(4, 5))
case("MeanAbsolutePercentage", lambda x, t: 100 * ((x - t).abs() / t.abs().clamp(min=1e-7)).mean(), r(4, 3), r(4, 3))
case("MeanSquaredLogarithmic", lambda x, t: (x.clamp(min=1e-7).log1p() - t.clamp(min=1e-7).log1p()).square().mean(), r(4, 3), r(4, 3))
for shape, batch in [((3, 4, 2), 1), ((3, 4), 0), ((2, 3, 2), 2)]:
    axes = list(range(batch, len(shape)))
    case(f"Dice {batch}", lambda x, t: (1 - 2 * (x * t).sum(axes) / (x.sum(axes) + t.sum(axes) + 1e-7)).mean(), torch.rand(shape), torch.rand(shape))
    case(f"Tversky {batch}", lambda x, t: (1 - (x * t).sum(axes) / ((x * t).sum(axes) + 0.3 * (x * (1 - t)).sum(axes) + 0.7 * ((1 - x) * t).sum(axes) + 1e-7)).mean(),
         torch.rand(shape), torch.rand(shape))


def poly(x, t, soft):
    p = x.softmax(1)
    hit = (p * t).sum(1) if soft else p.gather(1, t[:, None])[:, 0]
    return (F.cross_entropy(x, t, reduction="none") + 1.7 * (1 - hit)).mean()


case("PolyCrossEntropy", lambda x, t: poly(x, t, False), r(4, 3), at(3, 4))
case("PolyCrossEntropy", lambda x, t: poly(x, t, True), r(4, 3), torch.rand(4, 3).softmax(1))


def ntxent(x, labels):
    near = F.cosine_similarity(x[None], x[:, None], dim=-1, eps=1e-7) / 0.3
    same = labels[:, None] == labels[None]
    pairs = same & ~torch.eye(len(x), dtype=torch.bool)
    e = near.exp()
    each = near - (e + (e * ~same).sum(1, keepdim=True)).log()
    return -(each * pairs).sum() / pairs.sum()


case("NTXent", ntxent, r(6, 3), torch.tensor([0, 1, 0, 2, 1, 0]))

# Softmax over several axes and of what a mask leaves, of JAX; sparsemax of Keras; weights and slices of a given norm.
for shape, axes in [((2, 3, 4), (1, 2)), ((3, 4), (0, -1)), ((2, 3), (1,)), ((0, 3), (1,))]:
    name = " ".join(map(str, axes))
    case("SoftmaxOver " + name, lambda x: (x - x.logsumexp(axes, keepdim=True)).exp(), r(*shape))
    case("LogSoftmaxOver " + name, lambda x: x - x.logsumexp(axes, keepdim=True), r(*shape))


def masked_softmax(x, mask, axes):
    e = torch.where(mask.bool(), x, -inf).exp()
    s = e.sum(axes, keepdim=True)
    return e / torch.where(s == 0, 1.0, s)


for shape, mask, axes in [((3, 4), (3, 4), (1,)), ((2, 3, 4), (3, 1), (0, 2))]:
    m = at(2, *mask)
    m[-1] = 0  # of nothing
    case("MaskedSoftmax " + " ".join(map(str, axes)), lambda x, m: masked_softmax(x, m, axes), r(*shape), m)


def sparsemax(x, axis):
    s = x.sort(axis, descending=True)[0].transpose(axis, -1)
    k = torch.arange(1, s.shape[-1] + 1)
    support = (1 + k * s > s.cumsum(-1)).sum(-1, keepdim=True)
    tau = (s.cumsum(-1).gather(-1, support - 1) - 1) / support
    return (x - tau.transpose(axis, -1)).clamp(min=0)


for shape, axis in [((3, 5), 1), ((4, 2), 0), ((3, 1), -1)]:
    case(f"Sparsemax {axis}", lambda x: sparsemax(x, axis), r(*shape))
for shape, axis in [((3, 4), 0), ((2, 3, 2), 1), ((2, 1), -1)]:
    g = [1] * len(shape)
    g[axis] = shape[axis]
    case(f"WeightNorm {axis}", lambda v, g: v * (g / v.square().sum([i for i in range(v.dim()) if i != axis % v.dim()], keepdim=True).sqrt()), r(*shape), r(*g))
    for p in [1.0, 2.0, inf]:
        case(f"Renorm {p} {axis}", lambda x: torch.renorm(x, p, axis, 1.2), r(*shape))
case("Squareplus", lambda x: (x + (x.square() + 4).sqrt()) / 2, r(7))
case("SparsePlus", lambda x: torch.where(x <= -1, 0.0, torch.where(x >= 1, x, (x + 1) ** 2 / 4)), torch.tensor([-2.0, -0.5, 0.3, 2.0]))
case("SparseSigmoid", lambda x: 0.5 * (x + 1).clamp(0, 2), torch.tensor([-2.0, -0.5, 0.3, 2.0]))

# ONNX, by the formulas of its operators.
for n, c, h, w, b in [(2, 3, 2, 1, 2), (1, 1, 1, 2, 3), (0, 2, 1, 1, 2)]:
    case(f"DepthToSpace {b}", lambda x: x.reshape(n, b, b, c, h, w).permute(0, 3, 4, 1, 5, 2).reshape(n, c, h * b, w * b), r(n, c * b * b, h, w))
    case(f"SpaceToDepth {b}", lambda x: x.reshape(n, c, h, b, w, b).permute(0, 3, 5, 1, 2, 4).reshape(n, c * b * b, h, w), r(n, c, h * b, w * b))


def reverse_sequence(x, lengths, batch, time):
    x = x.movedim((batch, time), (0, 1))
    rows = [torch.cat([row[: int(k)].flip(0), row[int(k) :]]) for row, k in zip(x, lengths)]
    return torch.stack(rows).movedim((0, 1), (batch, time))


for shape, batch, time, lengths in [((3, 4, 2), 0, 1, [4, 1, 3]), ((4, 2), 1, 0, [2, 0]), ((2, 3, 2), -1, 1, [9, 2])]:
    case(f"ReverseSequence {batch} {time}", lambda x, k: reverse_sequence(x, k, batch, time), r(*shape), torch.tensor(lengths))


def rotary(x, cos, sin, interleaved):
    n = 2 * cos.shape[-1]
    first, rest = x[..., :n], x[..., n:]
    a, b = (first[..., ::2], first[..., 1::2]) if interleaved else first.chunk(2, -1)
    y = [cos * a - sin * b, sin * a + cos * b]
    return torch.cat([torch.stack(y, -1).flatten(-2) if interleaved else torch.cat(y, -1), rest], -1)


for mode in [0, 1]:
    for shape, half in [((2, 3, 4), 2), ((2, 2, 3, 7), 2)]:
        case(f"RotaryEmbedding {mode}", lambda x, c, s: rotary(x, c, s, mode), r(*shape), r(shape[-2], half), r(shape[-2], half))
print(written())
