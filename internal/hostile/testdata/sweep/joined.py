"""Movements at every dtype, and functions that join, cut, arrange and summarise."""

from base import *

U = [torch.uint16, torch.uint32, torch.uint64]
NAME.update({torch.uint16: "uint16", torch.uint32: "uint32", torch.uint64: "uint64"})
F8 = [torch.float8_e4m3fn, torch.float8_e5m2]
NAME.update({torch.float8_e4m3fn: "float8_e4m3fn", torch.float8_e5m2: "float8_e5m2"})


def odd(t, shape):
    """Values of a dtype that torch.randint or randn may not know."""
    if t in U:
        top = {torch.uint16: 65535, torch.uint32: 2**32 - 1, torch.uint64: 2**63 - 1}[t]
        v = [rng.choice([0, 1, 2, 3, top, top - 1, 7]) for _ in range(math.prod(shape))]
        return torch.tensor(v, dtype=torch.int64).reshape(list(shape)).to(t)
    if t in F8:
        return values(f32, shape).to(t)
    return values(t, shape)


ODD = ALL + U + F8
COMPUTING = "Sort ArgSort Max Min ArgMax ArgMin Unique Equal Less TopK CumMax Any All Sum Prod CumSum Add Mul Sub Maximum BitAnd ShiftLeft FloorDiv Remainder Neg Abs Sign Clamp Median Mode Not IsNaN CountNonzero Outer MatMul Relu Square Pow".split()


@op
def moves():
    """Movements at every dtype."""
    t = pick(*ODD) if chance(0.5) else pick(*(U + F8))
    s = sizes(1, 3)
    rank = len(s)
    x = odd(t, s)
    a = ax(rank, 0)
    d = s[a]
    g = t.is_floating_point and t not in F8
    k = pick("Stack", "Concat", "Gather", "IndexSelect", "Take", "Embedding", "Index", "TakeAlongAxis", "Tril", "Triu", "DiagEmbed", "Diagonal", "Flip", "Roll", "Pad", "Where", "Scatter", "IndexCopy", "IndexPut", "MaskedSelect", "MaskedFill", "Sort", "ArgSort", "Max", "Min", "ArgMax", "ArgMin", "Unique", "Equal", "Less", "PixelShuffle", "ChannelShuffle", "Tile", "RepeatInterleave", "SliceScatter", "SelectScatter", "DiagonalScatter", "TakeFlat", "CartesianProd", "Combinations", "TopK", "CumMax", "Cast", "Nonzero", "Any", "All", "Sum", "Prod", "CumSum", "Add", "Mul", "Sub", "Maximum", "BitAnd", "ShiftLeft", "FloorDiv", "Remainder", "Neg", "Abs", "Sign", "Clamp", "Median", "Mode", "Window", "DynamicSlice", "MaskedScatter", "Not", "IsNaN", "Copy", "CountNonzero", "Meshgrid", "Outer", "MatMul", "ZerosLike", "FullLike", "Eye", "Arange", "Relu", "Square", "Pow")
    if t in F8 and k in COMPUTING:
        t = pick(*U)
        x = odd(t, s)
    y = odd(t, s)
    if k == "Stack":
        b = ax(rank + 1, 0)
        case(k, [b, x, y], lambda *v: torch.stack(v, b), grad=g)
    elif k == "Concat":
        case(k, [a, x, y], lambda *v: torch.cat(v, a), grad=g)
    elif k == "Gather":
        i = torch.randint(0, max(d, 1), s) if d else torch.zeros([0 if j == a % rank else v for j, v in enumerate(s)], dtype=torch.int64)
        case(k, [x, a, i], lambda x, i: torch.gather(x, a, i), grad=g)
    elif k == "TakeAlongAxis":
        if d:
            case(k, [x, a, torch.randint(-d, d, s)], lambda x, i: torch.take_along_dim(x, i, a), grad=g)
    elif k in ("IndexSelect", "Take"):
        if d:
            case(k, [x, a, torch.randint(0, d, [size()])], lambda x, i: torch.index_select(x, a, i), grad=g)
    elif k == "Embedding":
        case(k, [torch.randint(0, 4, [size(), size()]), odd(t, [4, size()])], F.embedding, grad=g)
    elif k == "Index":
        if s[0]:
            case(k, [x, torch.randint(-s[0], s[0], [2, 2])], lambda x, i: x[i], grad=g)
    elif k in ("Tril", "Triu"):
        if rank >= 2:
            o = rng.randint(-2, 2)
            case(k, [x, o], lambda x: getattr(torch, k.lower())(x, o), grad=g)
    elif k == "DiagEmbed":
        case(k, [x, 1], lambda x: torch.diag_embed(x, 1), grad=g)
    elif k == "Diagonal":
        if rank >= 2:
            case(k, [x, 0, 0, 1], lambda x: torch.diagonal(x, 0, 0, 1), grad=g)
    elif k == "Flip":
        case(k, [x, a], lambda x: torch.flip(x, [a]), grad=g)
    elif k == "Roll":
        case(k, [x, a, 2], lambda x: torch.roll(x, 2, a), grad=g)
    elif k == "Pad":
        case(k, [x, -1, 1, 2, 0.0], lambda x: F.pad(x, [1, 2]), grad=g)
    elif k == "Where":
        case(k, [values(torch.bool, s), x, y], torch.where, grad=g)
    elif k == "Scatter":
        if d:
            i = torch.argsort(torch.rand(s), a)
            case(k, [x, a, i, y], lambda x, i, y: torch.scatter(x, a, i, y), grad=g)
    elif k == "IndexCopy":
        case(k, [x, a, torch.randperm(d), y], lambda x, i, y: torch.index_copy(x, a, i, y), grad=g)
    elif k == "IndexPut":
        if s[0]:
            i = torch.randperm(s[0])
            case(k, [x, [i], y], lambda x, i, y: torch.index_put(x, [i], y), grad=g)
    elif k == "MaskedSelect":
        m = torch.ones(s, dtype=torch.bool)
        case(k, [x, m, x.numel(), 0], lambda x, m: torch.masked_select(x, m), grad=g)
    elif k == "MaskedFill":
        case(k, [x, values(torch.bool, s), 1], lambda x, m: torch.masked_fill(x, m, 1), grad=g)
    elif k == "MaskedScatter":
        case(k, [x, values(torch.bool, s), y.reshape(-1)], torch.masked_scatter, grad=g)
    elif k in ("Sort", "ArgSort"):
        case(k, [x, a, False], lambda x: torch.sort(x, a, stable=True) if k == "Sort" else torch.argsort(x, a, stable=True), grad=g)
    elif k == "TopK":
        n = rng.randint(0, d)
        case(k, [x, n, a, True], lambda x: torch.topk(x, n, a)[0], grad=g)
    elif k in ("Max", "Min"):
        case(k, [x, a], lambda x: getattr(torch, "a" + k.lower())(x, a), grad=g)
    elif k in ("ArgMax", "ArgMin"):
        case(k, [x, a], lambda x: getattr(torch, k.lower())(x, a), grad=False)
    elif k in ("Median", "Mode", "CumMax"):
        case(k, [x, a], lambda x: getattr(torch, k.lower())(x, a)[0], grad=g)
    elif k in ("Equal", "Less", "Add", "Mul", "Sub", "Maximum", "BitAnd", "ShiftLeft", "FloorDiv", "Remainder", "Pow"):
        f = {"Equal": torch.eq, "Less": torch.lt, "BitAnd": torch.bitwise_and, "ShiftLeft": torch.bitwise_left_shift, "FloorDiv": torch.floor_divide}.get(k) or getattr(torch, k.lower())
        if k == "ShiftLeft" and not t.is_floating_point and t != torch.bool:
            y = torch.randint(0, 8, s).to(t)
        if k == "Pow" and not t.is_floating_point and t != torch.bool:
            y = torch.randint(0, 5, s).to(t)
        case(k, [x, y], f, grad=g)
    elif k in ("Not", "IsNaN", "Neg", "Abs", "Sign", "Copy", "Relu", "Square"):
        f = {"Not": torch.logical_not, "Copy": torch.clone}.get(k) or getattr(torch, k.lower())
        case(k, [x], f, grad=g)
    elif k == "Clamp":
        case(k, [x, 1.0, 3.0], lambda x: torch.clamp(x, 1, 3), grad=g)
    elif k == "PixelShuffle":
        case(k, [odd(t, [size(), 4, 2, 3]), 2], lambda x: F.pixel_shuffle(x, 2), grad=g)
    elif k == "ChannelShuffle":
        case(k, [odd(t, [size(), 4, 2, 3]), 2], lambda x: F.channel_shuffle(x, 2), grad=g)
    elif k == "Tile":
        case(k, [x] + [2] * rank, lambda x: x.repeat([2] * rank), grad=g)
    elif k == "RepeatInterleave":
        case(k, [x, a, 2], lambda x: torch.repeat_interleave(x, 2, a), grad=g)
    elif k == "SliceScatter":
        if d > 1:
            i = rng.randint(0, d - 1)
            z = list(s)
            z[a] = d - i
            case(k, [x, odd(t, z), a, i, d, 1], lambda x, y: torch.slice_scatter(x, y, a, i, d, 1), grad=g)
    elif k == "SelectScatter":
        if d:
            z = list(s)
            del z[a % rank]
            i = rng.randint(-d, d - 1)
            case(k, [x, odd(t, z), a, i], lambda x, y: torch.select_scatter(x, y, a, i), grad=g)
    elif k == "DiagonalScatter":
        if rank == 2:
            o = rng.randint(-2, 2)
            n = torch.diagonal(torch.zeros(s), o, 0, 1).numel()
            case(k, [x, odd(t, [n]), o, 0, 1], lambda x, y: torch.diagonal_scatter(x, y, o, 0, 1), grad=g)
    elif k == "TakeFlat":
        if x.numel():
            case(k, [x, torch.randint(-x.numel(), x.numel(), [2, 3])], torch.take, grad=g)
    elif k == "CartesianProd":
        case(k, [odd(t, [size()]) for _ in range(rng.randint(1, 3))], torch.cartesian_prod, grad=g)
    elif k == "Combinations":
        n, r = rng.randint(1, 3), chance(0.5)
        case(k, [odd(t, [size()]), n, r], lambda x: torch.combinations(x, n, r), grad=g)
    elif k == "Cast":
        u = pick(*ODD)
        x = torch.randint(0, 100, s).to(t)
        case(k, [x, dt(u)], lambda x: x.to(u), grad=False)
    elif k == "Nonzero":
        n = x.numel()
        case(k, [x, n, torch.zeros([], dtype=torch.int64)], lambda x, f: (lambda z: F.pad(z, [0, 0, 0, n - len(z)]))(torch.nonzero(x)))
    elif k in ("Any", "All", "Sum", "Prod", "CumSum"):
        case(k, [x, a], lambda x: getattr(torch, k.lower())(x, a), grad=g)
    elif k == "CountNonzero":
        case(k, [x, a], lambda x: torch.count_nonzero(x, a), grad=False)
    elif k == "Meshgrid":
        case(k, [odd(t, [size()]), odd(t, [size()])], lambda *v: torch.meshgrid(*v, indexing="ij"), grad=g)
    elif k == "Outer":
        case(k, [odd(t, [size()]), odd(t, [size()])], torch.outer, grad=g)
    elif k == "MatMul":
        n = size()
        case(k, [odd(t, [size(), n]), odd(t, [n, size()])], torch.matmul, grad=g)
    elif k == "ZerosLike":
        case(k, [x], torch.zeros_like, grad=False)
    elif k == "FullLike":
        case(k, [x, 2.0], lambda x: torch.full_like(x, 2), grad=False)
    elif k == "Eye":
        n = size()
        case(k, [GRAPH, dt(t), n, n], lambda: torch.eye(n, dtype=t))
    elif k == "Arange":
        n = size()
        case(k, [GRAPH, dt(t), 0.0, float(n), 1.0], lambda: torch.arange(0, n, dtype=t))
    elif k == "Window":
        if d:
            case(k, [x, a, 1, 2, 1], lambda x: x.unfold(a, 1, 2), grad=g)
    elif k == "DynamicSlice":
        if rank == 1 and d:
            n = rng.randint(1, d)
            i = rng.randint(0, d - n)
            case(k, [x, [torch.tensor(i)], n], lambda x, i: x[int(i) : int(i) + n], grad=g)
    elif k == "Unique":
        n = x.numel()
        case(k, [x, n, torch.zeros([], dtype=t)], lambda x, z: (lambda v: torch.cat([v, torch.zeros([n - len(v)], dtype=t)]))(torch.unique(x)), grad=False)


@op
def arranged():
    t = pick(*ALL)
    g = True
    k = pick("HStack", "VStack", "DStack", "ColumnStack", "BlockDiag", "TensorSplit", "SplitSizes", "SplitAt", "DiagFlat", "Rot90", "AsStrided", "CartesianProd", "Combinations", "AtLeast1D", "AtLeast2D", "AtLeast3D", "BroadcastTensors", "Inner", "VecDot", "Bilinear", "AddMatMul", "Cov", "CorrCoef", "Diff", "Trapezoid", "CumulativeTrapezoid", "MinMax", "StdMean", "VarMean", "NanSum", "NanMean", "NanMedian", "CountNonzero", "IsIn", "TakeFlat", "PutFlat", "IndexPutInPlace", "FillDiagonal", "SelectScatter", "SliceScatter", "DiagonalScatter", "UniqueConsecutive", "UniqueAlong", "UnravelIndex", "FloatPower", "LogAddExp2", "Dist", "PDist", "CDist", "MultiDot", "Histc", "LocalResponseNorm", "InstanceNorm", "WeightNorm", "AdaptiveMaxPoolIndex", "BitCast", "PolyVal", "GradientAlong", "Convolve", "GammaInc", "GammaIncC", "Zeta", "Chebyshev", "Bessel", "MatrixMore", "FFTMore")
    s = sizes(0, 3)
    rank = len(s)
    x = values(t, s)
    if k in ("HStack", "VStack", "DStack", "ColumnStack"):
        xs = [values(t if chance(0.9) else pick(*ALL), s if chance(0.95) else sizes(0, 2)) for _ in range(rng.randint(1, 3))]
        f = {"HStack": torch.hstack, "VStack": torch.vstack, "DStack": torch.dstack, "ColumnStack": torch.column_stack}[k]
        case(k, xs, lambda *v: f(v))
    elif k == "BlockDiag":
        xs = [values(t, sizes(0, 2)) for _ in range(rng.randint(1, 3))]
        case(k, xs, torch.block_diag)
    elif k == "TensorSplit":
        a, n = ax(rank), rng.randint(1, 4)
        case(k, [x, a, n], lambda x: torch.tensor_split(x, n, a))
    elif k == "SplitAt":
        a = ax(rank, 0)
        if rank:
            p = sorted(rng.randint(0, s[a]) for _ in range(rng.randint(0, 3)))
            case(k, [x, a] + p, lambda x: torch.tensor_split(x, p, a))
    elif k == "SplitSizes":
        a = ax(rank, 0)
        if rank:
            n = rng.randint(0, s[a])
            p = [n, s[a] - n + (1 if chance(0.05) else 0)]
            case(k, [x, a] + p, lambda x: torch.split(x, p, a))
    elif k == "DiagFlat":
        o = rng.randint(-2, 2)
        case(k, [x, o], lambda x: torch.diagflat(x, o))
    elif k == "Rot90":
        n, a, b = rng.randint(-5, 5), ax(rank), ax(rank)
        case(k, [x, n, a, b], lambda x: torch.rot90(x, n, [a, b]))
    elif k == "AsStrided":
        z, st, o = sizes(0, 3), None, rng.randint(0, 2)
        st = [rng.randint(0, 3) for _ in z]
        need = o + sum((n - 1) * m for n, m in zip(z, st)) + 1
        if math.prod(z) and need <= x.numel():
            case(k, [x, z, st, o], lambda x: torch.as_strided(x, z, st, o), second=False)
    elif k in ("AtLeast1D", "AtLeast2D", "AtLeast3D"):
        case(k, [x], getattr(torch, "atleast_" + k[-2].lower() + "d"))
    elif k == "BroadcastTensors":
        _, one = pair()
        case(k, [values(t, one()), values(pick(*ALL), one())], torch.broadcast_tensors)
    elif k == "Inner":
        n = size()
        y = values(t, sizes(0, 2) + [n]) if chance(0.9) else values(t, [])
        case(k, [values(t, sizes(0, 2) + [n], "n"), y], torch.inner)
    elif k == "VecDot":
        _, one = pair()
        p, q = one(), one()
        case(k, [values(t, p, "n"), values(t, q, "n"), -1], lambda x, y: torch.linalg.vecdot(x, y, dim=-1))
    elif k == "Bilinear":
        n, m, o = size(), size(), size()
        lead = sizes(0, 2)
        case(k, [values(t, lead + [n], "n"), values(t, lead + [m], "n"), values(t, [o, n, m], "n"), values(t, [o], "n") if chance(0.5) else None], lambda x, y, w, *b: F.bilinear(x, y, w, *b))
    elif k == "AddMatMul":
        n, m, p = size(), size(), size()
        be, al = pick(0.0, 1.0, 2.0), pick(0.0, 1.0, -1.0)
        c = values(t, pick([n, p], [p], [1, p], [n, 1], []))
        case(k, [c, values(t, [n, m], "n"), values(t, [m, p], "n"), be, al], lambda c, a, b: torch.addmm(c, a, b, beta=be if isf(t) else int(be), alpha=al if isf(t) else int(al)))
    elif k in ("Cov", "CorrCoef"):
        x = values(t, pick([size()], [size(), size()]), "n")
        if k == "Cov":
            c = pick(0.0, 1.0)
            case(k, [x, c, None, None], lambda x: torch.cov(x, correction=int(c)))
        else:
            case(k, [x], torch.corrcoef, second=False)
    elif k == "Diff":
        a, n = ax(rank), rng.randint(0, 3)
        case(k, [x, n, a], lambda x: torch.diff(x, n, a))
    elif k in ("Trapezoid", "CumulativeTrapezoid"):
        a, h = ax(rank, 0), pick(1.0, 0.5)
        case(k, [x, h, a], lambda x: (torch.trapezoid if k[0] == "T" else torch.cumulative_trapezoid)(x, dx=h, dim=a))
    elif k == "MinMax":
        if rank:
            a = ax(rank)
            kd = chance(0.5)
            case(k, [x, a] + ([opt("KeepDims")] if kd else []), lambda x: torch.aminmax(x, dim=a, keepdim=kd))
    elif k in ("StdMean", "VarMean"):
        c, al = pick(0.0, 1.0, 2.0), axlist(rank)
        case(k, [x, c] + al, lambda x: (torch.std_mean if k[0] == "S" else torch.var_mean)(x, al, correction=c))
    elif k in ("NanSum", "NanMean"):
        al = axlist(rank)
        case(k, [x] + al, lambda x: (torch.nansum if k == "NanSum" else torch.nanmean)(x, al))
    elif k == "NanMedian":
        a = ax(rank)
        case(k, [x, a], lambda x: torch.nanmedian(x, a)[0])
    elif k == "CountNonzero":
        al = axlist(rank)
        case(k, [x] + al, lambda x: torch.count_nonzero(x, al), grad=False)
    elif k == "IsIn":
        case(k, [x, values(pick(t, t, *ALL), sizes(0, 2), "t" if isf(t) else None)], torch.isin, grad=False)
    elif k == "TakeFlat":
        n = x.numel()
        case(k, [x, idx(n, sizes(0, 2), True).long()], torch.take)
    elif k == "PutFlat":
        n = x.numel()
        i = torch.randperm(n)[: rng.randint(0, n)]
        acc = chance(0.5)
        if acc:
            i = idx(n, sizes(0, 2), True).long()
        case(k, [x, i, values(t, list(i.shape))] + ([opt("Accumulate")] if acc else []), lambda x, i, y: torch.Tensor.put(x, i, y, acc))
    elif k == "FillDiagonal":
        if rank >= 2 and (rank == 2 or len(set(s)) == 1):
            case(k, [x, 3], lambda x: x.clone().fill_diagonal_(3))
    elif k == "UniqueConsecutive":
        n = x.numel()
        if isf(t):
            x = values(t, s, "t")

        def f(x, z):
            v, i, c = torch.unique_consecutive(x, return_inverse=True, return_counts=True)
            return F.pad(v, [0, n - len(v)]), i, F.pad(c, [0, n - len(c)])

        case(k, [x, n, torch.zeros([], dtype=t)], f, grad=False)
    elif k == "UniqueAlong":
        if rank and all(s):
            a = ax(rank, 0)
            n = s[a]
            if isf(t):
                x = values(t, s, "t")

            def f(x, z):
                v, i, c = torch.unique(x, return_inverse=True, return_counts=True, dim=a)
                m = n - v.shape[a]
                pads = [0, 0] * (rank - 1 - a % rank) + [0, m]
                return F.pad(v, pads), i, F.pad(c, [0, m])

            case(k, [x, a, n, torch.zeros([], dtype=t)], f, grad=False)
    elif k == "UnravelIndex":
        z = [rng.randint(1, 4) for _ in range(rng.randint(1, 3))]
        i = torch.randint(0, math.prod(z), sizes(0, 2))
        case(k, [i] + z, lambda i: torch.unravel_index(i, z), grad=False)
    elif k == "FloatPower":
        _, one = pair()
        case(k, [values(t, one()), values(pick(*ALL), one())], torch.float_power)
    elif k == "LogAddExp2":
        _, one = pair()
        case(k, [values(t, one()), values(t, one())], torch.logaddexp2)
    elif k in ("Dist",):
        p = pick(0.0, 1.0, 2.0, 3.0, float("inf"))
        _, one = pair()
        case(k, [values(t, one(), "n"), values(t, one(), "n"), p], lambda x, y: torch.dist(x, y, p), second=False)
    elif k == "PDist":
        p = pick(0.0, 1.0, 2.0, 3.0, 0.5, float("inf"))
        t = pick(f32, f64)
        n = size()
        case(k, [values(t, [n, size()], pick("n", "t")), p], lambda x: F.pdist(x, p), second=False)
    elif k == "CDist":
        p = pick(0.0, 1.0, 2.0, 2.0, 3.0, 0.5, float("inf"))
        t = pick(f32, f64)
        m, b = size(), sizes(0, 2)
        case(k, [values(t, b + [size(), m], pick("n", "t")), values(t, b + [size(), m], "n"), p], lambda x, y: torch.cdist(x, y, p, compute_mode="donot_use_mm_for_euclid_dist"), second=False)
    elif k == "MultiDot":
        d = [size() for _ in range(rng.randint(3, 5))]
        xs = [values(t, [a, b], "n") for a, b in zip(d, d[1:])]
        if chance(0.3):
            xs[0] = values(t, [d[1]], "n")
        case(k, xs, lambda *v: torch.linalg.multi_dot(v))
    elif k == "Histc":
        n, (lo, hi) = rng.randint(1, 5), rng.choice([(0.0, 0.0), (-1.0, 1.0), (0.0, 3.0)])
        t = pick(f32, f64)
        case(k, [values(t, s, pick("n", "t")), n, lo, hi], lambda x: torch.histc(x, n, lo, hi), grad=False)
    elif k == "LocalResponseNorm":
        n = rng.randint(1, 4)
        case(k, [values(t, [size(), size()] + sizes(1, 2), "n"), n, 1e-2, 0.75, 1.0], lambda x: F.local_response_norm(x, n, 1e-2, 0.75, 1.0))
    elif k == "WeightNorm":
        n, m = size(), size()
        t = pick(f32, f64)
        case(k, [values(t, [n, m], "n"), values(t, [n, 1], "n"), 0], lambda v, g: torch._weight_norm(v, g, 0), second=False)
    elif k == "AdaptiveMaxPoolIndex":
        n = pick(1, 2, 3)
        z = tup(n, 1, 4)
        t = pick(f32, f64)
        case(k, [values(t, [size() or 1, size() or 1] + [rng.randint(1, 6) for _ in range(n)])] + z, lambda x: getattr(F, f"adaptive_max_pool{n}d")(x, z, return_indices=True))
    elif k == "BitCast":
        u = pick(*ALL)
        if u != torch.bool and t != torch.bool and x.element_size() == torch.tensor([], dtype=u).element_size():
            case(k, [x, dt(u)], lambda x: x.view(u), grad=False)
    elif k == "GradientAlong":
        if rank:
            a, e = ax(rank), pick(1, 2)
            case(k, [x, 1.0, a, e], lambda x: torch.gradient(x, dim=a, edge_order=e)[0])
    elif k in ("GammaInc", "GammaIncC"):
        _, one = pair()
        kind = pick("p", "p", "s", "n")
        t = pick(*FL)
        case(k, [values(t, one(), "p"), values(t, one(), kind)], torch.special.gammainc if k == "GammaInc" else torch.special.gammaincc, grad=False, tol=1e-5 if t == f32 else 1e-10)
    elif k == "Zeta":
        _, one = pair()
        case(k, [values(t, one(), "p"), values(t, one(), "p")], torch.special.zeta, grad=False, tol=1e-4 if t != f64 else 1e-8)
    elif k == "Chebyshev":
        w, n = pick(("ChebyshevT", "chebyshev_polynomial_t"), ("ChebyshevU", "chebyshev_polynomial_u"), ("HermiteH", "hermite_polynomial_h"), ("HermiteHe", "hermite_polynomial_he"), ("LaguerreL", "laguerre_polynomial_l"), ("LegendreP", "legendre_polynomial_p"), ("ShiftedChebyshevT", "shifted_chebyshev_polynomial_t")), rng.randint(0, 5)
        case(w[0], [values(t, s, "u" if isf(t) else None), n], lambda x: getattr(torch.special, w[1])(x, n), grad=False, tol=1e-4 if t != f64 else 1e-8)
    elif k == "Bessel":
        w = pick(("J0", "bessel_j0"), ("J1", "bessel_j1"), ("Y0", "bessel_y0"), ("Y1", "bessel_y1"), ("K0", "modified_bessel_k0"), ("K1", "modified_bessel_k1"), ("K0e", "scaled_modified_bessel_k0"), ("SphericalJ0", "spherical_bessel_j0"), ("AiryAi", "airy_ai"))
        case(w[0], [values(t, s, pick("p", "n", "s"))], getattr(torch.special, w[1]), grad=False, tol=1e-4 if t != f64 else 1e-8)
    elif k == "MatrixMore":
        t = pick(f64, f64, f32)
        tol = 2e-3 if t == f32 else 1e-6
        n, p, b = size(), size(), sizes(0, 2)
        x = values(t, b + [n, n], "n")
        y = values(t, b + [n, p], "n")
        spd = x @ x.mT + torch.eye(n, dtype=t)
        up = chance(0.5)
        l = torch.linalg.cholesky(spd)
        l = l.mT.contiguous() if up else l
        o = [opt("UpperTriangle")] if up else []
        k = pick("CholeskySolve", "CholeskyInverse", "LUFactor", "LUSolve", "LDLFactor", "TensorInv", "TensorSolve", "HouseholderProduct", "Eigenvalues", "LU")
        if k == "CholeskySolve":
            case(k, [l, y] + o, lambda l, y: torch.cholesky_solve(y, l, up), tol=tol * 100, second=False)
        elif k == "CholeskyInverse":
            case(k, [l] + o, lambda l: torch.cholesky_inverse(l, up), tol=tol * 100, second=False)
        elif k == "LUFactor":
            case(k, [x], lambda x: torch.linalg.lu_factor(x)[0], tol=tol, second=False)
        elif k == "LU":
            case(k, [values(t, b + [n, p], "n")], torch.linalg.lu, tol=tol, second=False)
        elif k == "HouseholderProduct":
            a = values(t, b + [n + p, n], "n")
            case(k, [a, values(t, b + [n], "n")], torch.linalg.householder_product, tol=tol, second=False)
        elif k == "TensorInv":
            case(k, [values(t, [2, 3, 6], "n"), 2], lambda a: torch.linalg.tensorinv(a, 2), tol=tol * 10, second=False)
        elif k == "TensorSolve":
            case(k, [values(t, [2, 3, 6], "n"), values(t, [2, 3], "n")], torch.linalg.tensorsolve, tol=tol * 10, second=False)
    elif k == "FFTMore":
        t = pick(f64, f64, f32)
        tol = 1e-3 if t == f32 else 1e-8
        vr, cx = torch.view_as_real, torch.view_as_complex
        n, m = rng.randint(1, 9), rng.randint(1, 9)
        k = pick("HFFT", "IHFFT", "RFFT2", "IRFFT2", "FFTN", "IFFTN", "RFFTN", "IRFFTN", "FFTShift", "IFFTShift", "FFTConvolve")
        lead = sizes(0, 1)
        if k in ("RFFT2", "RFFTN"):
            case(k, [values(t, lead + [n, m], "n")], lambda x: vr((torch.fft.rfft2 if k == "RFFT2" else torch.fft.rfftn)(x)), tol=tol)
        elif k == "IHFFT":
            case(k, [values(t, lead + [n], "n")], lambda x: vr(torch.fft.ihfft(x).resolve_conj()), tol=tol)
        elif k == "HFFT":
            case(k, [values(t, lead + [n, 2], "n")], lambda x: torch.fft.hfft(cx(x)), tol=tol)
        elif k in ("IRFFT2", "IRFFTN"):
            case(k, [values(t, lead + [n, m, 2], "n")], lambda x: getattr(torch.fft, k.lower())(cx(x)), tol=tol)
        elif k in ("FFTN", "IFFTN"):
            case(k, [values(t, lead + [n, m, 2], "n")], lambda x: vr(getattr(torch.fft, k.lower())(cx(x))), tol=tol)
        elif k in ("FFTShift", "IFFTShift"):
            a = ax(rank, 0) if rank else 0
            if rank:
                case(k, [values(t, s), a], lambda x: getattr(torch.fft, k.lower())(x, a))
