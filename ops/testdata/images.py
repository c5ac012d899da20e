"""Writes images.json: what PyTorch 2.6 computes of images and signals, and its gradients.

python images.py > images.json

Operand number i has the elements ((37k + 11(i + 1)) mod 101)/101 - 1/2, k = 0, 1, …, times its scale; gradients are those of
sum(result * w) with w = 1, 2, …, 7, 1, 2, ….
"""
import json
import torch
import torch.nn.functional as F

torch.manual_seed(1)
f64 = torch.float64
cases = []


def operand(i, shape, scale=1.0):
    k = torch.arange(torch.Size(shape).numel(), dtype=f64)
    return ((((k * 37 + 11 * (i + 1)) % 101) / 101 - 0.5) * scale).reshape(shape)


def case(name, call, *operands, **options):
    """One call: name, options, shapes and scales of operands, result and gradients. A shape alone has the scale 1."""
    operands = [(o, 1.0) if isinstance(o[0], int) else o for o in operands]
    xs = [operand(i, shape, scale).requires_grad_() for i, (shape, scale) in enumerate(operands)]
    y = call(*xs)
    w = (torch.arange(y.numel(), dtype=f64) % 7 + 1).reshape(y.shape)
    grads = torch.autograd.grad(y, xs, w, allow_unused=True)
    grads = [torch.zeros_like(x) if g is None else g for x, g in zip(xs, grads)]
    words = lambda t: [v if abs(v) < float("inf") else str(v) for v in t.double().reshape(-1).tolist()]
    cases.append({"call": name, **options, "shapes": [s for s, _ in operands], "scales": [s for _, s in operands],
                  "out": list(y.shape), "y": words(y.detach()), "grads": [words(g) for g in grads]})


def resize(shape, mode, sizes=None, factors=None, align=False, antialias=False):
    corners = align if mode in ("linear", "bilinear", "trilinear", "bicubic") else None
    case("Resize", lambda x: F.interpolate(x, sizes, factors, mode, corners, antialias=antialias), shape,
         mode=mode, sizes=sizes, factors=factors, align=align, antialias=antialias)


linear = [None, "linear", "bilinear", "trilinear"]
for mode in ["nearest", "nearest-exact", "linear", "area"]:
    for align in [False, True] if mode == "linear" else [False]:
        for shape, sizes in [((1, 2, 5), [8]), ((2, 1, 5), [1]), ((1, 1, 1), [3]), ((1, 2, 3, 4), [5, 3]), ((2, 1, 3, 4), [1, 8]),
                             ((1, 1, 6, 4), [3, 4]), ((1, 1, 2, 3, 4), [3, 2, 5])]:
            resize(shape, linear[len(sizes)] if mode == "linear" else mode, sizes, align=align)
        for shape, factors in [((1, 1, 5), [1.5]), ((1, 1, 3, 4), [2.0, 0.75]), ((1, 2, 2, 3), [1.7, 4.0]), ((1, 1, 4, 3), [2.1, 1.2])]:
            if mode == "linear" or mode != "area" and 1.2 not in factors:  # near 1 and 2, PyTorch's gradients take other elements than its values
                resize(shape, linear[len(factors)] if mode == "linear" else mode, factors=factors, align=align)
for align in [False, True]:
    for shape, sizes in [((1, 2, 3, 4), [5, 3]), ((2, 1, 3, 4), [1, 8]), ((1, 1, 5, 1), [2, 2]), ((1, 1, 3, 3), [3, 7])]:
        resize(shape, "bicubic", sizes, align=align)
    resize((1, 1, 4, 3), "bicubic", factors=[1.5, 1.2], align=align)
    for mode in ["bilinear", "bicubic"]:
        for shape, sizes in [((1, 2, 7, 9), [3, 4]), ((1, 1, 5, 3), [1, 6]), ((1, 1, 8, 4), [4, 4])]:
            resize(shape, mode, sizes, align=align, antialias=True)
        resize((1, 1, 9, 5), mode, factors=[0.35, 1.5], align=align, antialias=True)
for shape, r in [((2, 8, 3, 1), 2), ((9, 1, 2), 3), ((1, 2, 4, 1, 3), 2), ((1, 2, 3, 2), 1)]:
    case("PixelShuffle", lambda x: F.pixel_shuffle(x, r), shape, sizes=[r])
for shape, r in [((2, 2, 4, 2), 2), ((1, 3, 6), 3), ((1, 2, 1, 2, 4), 2)]:
    case("PixelUnshuffle", lambda x: F.pixel_unshuffle(x, r), shape, sizes=[r])
for shape, groups in [((2, 6, 2), 3), ((1, 4, 2, 3), 4), ((1, 4, 1, 2, 2), 2), ((1, 3, 2, 2), 1)]:
    case("ChannelShuffle", lambda x: F.channel_shuffle(x, groups), shape, sizes=[groups])
for kernel, steps in [((2, 3), (1, 0, 1)), ((1, 2), (2, 1, 1)), ((3, 2), (1, 2, 2)), ((2, 2), (3, 0, 1))]:
    stride, padding, dilation = steps
    case("Im2Col", lambda x: F.unfold(x, kernel, dilation, padding, stride), (2, 2, 5, 4), sizes=[*kernel, *steps])
    columns = F.unfold(torch.zeros(1, 2, 5, 4), kernel, dilation, padding, stride).shape
    case("Col2Im", lambda x: F.fold(x, (5, 4), kernel, dilation, padding, stride), tuple(columns), sizes=[*kernel, *steps])
    case("Col2Im", lambda x: F.fold(x, (5, 4), kernel, dilation, padding, stride), tuple(columns[1:]), sizes=[*kernel, *steps])
for align in [False, True]:
    for padding in ["zeros", "border", "reflection"]:
        for mode, x, grid in [("bilinear", (2, 2, 3, 4), (2, 2, 3, 2)), ("nearest", (1, 2, 3, 2), (1, 2, 4, 2)), ("bicubic", (1, 2, 3, 4), (1, 2, 3, 2)),
                              ("bilinear", (1, 1, 1, 3), (1, 1, 4, 2)), ("bilinear", (1, 1, 2, 3, 2), (1, 1, 2, 3, 3)), ("nearest", (1, 1, 2, 3, 2), (1, 1, 2, 2, 3))]:
            case("GridSample", lambda x, g: F.grid_sample(x, g, mode, padding, align), x, (grid, 3.1), mode=mode, padding=padding, align=align)
    for sizes in [[2, 3], [1, 4], [2, 1, 3]]:
        case("AffineGrid", lambda t: F.affine_grid(t, [2, 1, *sizes], align), (2, len(sizes), len(sizes) + 1), sizes=sizes, align=align)
max_pools, max_unpools, lp_pools = ([None] + [getattr(F, f"{name}{i}d") for i in (1, 2, 3)] for name in ("max_pool", "max_unpool", "lp_pool"))
for shape, kernel, steps in [((2, 1, 7), [3], (2, 1, 1)), ((1, 2, 4, 5), [2, 2], (2, 0, 1)), ((2, 5, 5), [3, 2], (1, 1, 2)), ((1, 1, 3, 4, 3), [2, 3, 2], (1, 1, 1))]:
    stride, padding, dilation = steps
    for ceil in [False, True]:
        def both(x):
            pooled = lambda x: max_pools[len(kernel)](x, kernel, stride, padding, dilation, ceil, return_indices=True)
            return pooled(x)[0] + pooled((4 * x).round())[1]
        case("MaxPoolIndex", both, shape, kernel=kernel, sizes=[0, 0, *steps], align=ceil)
for shape, kernel, sizes in [((2, 1, 7), [3], [7]), ((1, 2, 4, 5), [2, 2], [4, 5]), ((2, 5, 4), [2, 2], [5, 4]), ((1, 1, 2, 4, 3), [2, 2, 1], [2, 4, 3])]:
    case("MaxUnpool", lambda x: max_unpools[len(kernel)](*max_pools[len(kernel)](x, kernel, return_indices=True), kernel, output_size=sizes), shape,
         kernel=kernel, sizes=sizes)
for p in [1.0, 2.0, 3.0]:
    for shape, kernel in [((2, 1, 7), [3]), ((1, 2, 4, 5), [2, 3]), ((1, 1, 2, 4, 3), [2, 2, 1])]:
        for ceil in [False, True]:
            case("LpPool", lambda x: lp_pools[len(kernel)](x, p, kernel[0] if len(kernel) == 1 else kernel, 2, ceil), shape, kernel=kernel, sizes=[0, 0, 2, 0, 1], factors=[p], align=ceil)
real, pairs = torch.view_as_real, torch.view_as_complex
for shape, (n, hop, width), mode, center, normalized, onesided in [
        ((2, 11), (8, 2, 8), "reflect", True, False, True), ((9,), (6, 3, 4), "constant", True, True, True), ((1, 12), (5, 2, 2), "replicate", True, False, False),
        ((2, 9), (4, 1, 3), "circular", True, True, False), ((13,), (8, 5, 5), "reflect", False, False, True), ((1, 7), (7, 1, 7), "reflect", False, True, False),
        ((5,), (3, 1, 3), "reflect", True, False, True), ((1, 8), (2, 1, 0), "reflect", True, False, True)]:
    options = dict(sizes=[n, hop, width], mode=mode, center=center, normalized=normalized, onesided=onesided)
    weigh = [(width,)] if width else []
    forward = lambda x, w=None: real(torch.stft(x, n, hop, width or n, w, center, mode, normalized, onesided, return_complex=True))
    case("STFT", forward, shape, *weigh, **options)
    spectra = tuple(forward(torch.zeros(shape, dtype=f64), torch.ones(width, dtype=f64) if width else None).shape)
    for length in ([None, 9] if hop < 3 else [None]) if center else [None] if width == n else []:  # else windows leave gaps
        case("ISTFT", lambda x, w=None: torch.istft(pairs(x), n, hop, width or n, w, center, normalized, onesided, length), spectra, *weigh, length=length, **options)
for name in ["Hann", "Hamming", "Blackman", "Bartlett", "Kaiser"]:
    for size in [1, 2, 7, 8]:
        for periodic in [False, True]:
            window = getattr(torch, name.lower() + "_window")
            case("Window", lambda x: window(size, periodic, dtype=f64) + 0 * x, (1,), mode=name, sizes=[size], align=periodic)
print("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]")
