"""Reductions, and operations along one axis or that move axes."""

from base import *

REDUCTIONS = {
    "Sum": torch.sum,
    "Mean": torch.mean,
    "Max": torch.amax,
    "Min": torch.amin,
    "LogSumExp": torch.logsumexp,
    "Any": torch.any,
    "All": torch.all,
}


@op
def reduce():
    k = rng.choice(list(REDUCTIONS) + ["Prod", "ArgMax", "ArgMin", "Var", "Std", "Norm", "Standardize"])
    t = pick(*ALL)
    s = sizes()
    rank = len(s)
    if chance(0.1) and s:
        s[rng.randrange(rank)] = 0
    x = values(t, s)
    keep = chance(0.4)
    whole = chance(0.15)
    al = [] if whole else axlist(rank)
    allax = [opt("AllAxes")] if whole else []
    kd = [opt("KeepDims")] if keep else []
    if k in ("Prod", "ArgMax", "ArgMin") and not whole:
        al = [ax(rank)]
    if k == "Prod":
        case(
            k,
            [x] + al + allax + kd,
            (
                (lambda x: torch.prod(x))
                if whole and not keep
                else (lambda x: torch.prod(x, al[0], keep)) if al else (lambda x: torch.prod(x).reshape([1] * rank))
            ),
        )
    elif k in ("ArgMax", "ArgMin"):
        case(
            k,
            [x] + al + allax + kd,
            lambda x: (
                getattr(torch, k.lower())(x, al[0] if al else None, keep)
                if al or not keep
                else getattr(torch, k.lower())(x, None).reshape([1] * rank)
            ),
        )
    elif k in ("Var", "Std"):
        c = pick(0.0, 1.0, 1.0, 2.0, 0.5)
        case(k, [x, c] + al + allax + kd, lambda x: getattr(torch, k.lower())(x, al or None, correction=c, keepdim=keep))
    elif k == "Norm":
        p = pick(1.0, 2.0, 2.0, 3.0, 0.5, 0.0, float("inf"), float("-inf"), -1.0)
        case(k, [x, p] + al + allax + kd, lambda x: torch.linalg.vector_norm(x, p, al or None, keep))
    elif k == "Standardize":
        return
    else:
        case(k, [x] + al + allax + kd, lambda x: REDUCTIONS[k](x, al if al else list(range(rank)), keep))


@op
def axisone():
    k = rng.choice(
        [
            "Softmax",
            "LogSoftmax",
            "Softmin",
            "CumSum",
            "CumProd",
            "CumMax",
            "CumMin",
            "LogCumSumExp",
            "Sort",
            "ArgSort",
            "TopK",
            "KthValue",
            "Median",
            "Mode",
            "MaxIndex",
            "MinIndex",
            "GLU",
            "Unbind",
            "Normalize",
            "Flip",
            "Roll",
            "Quantile",
            "NanQuantile",
            "Unsqueeze",
            "Squeeze",
            "Select",
            "Slice",
            "Narrow",
            "RepeatInterleave",
            "Split",
            "Chunk",
            "Flatten",
            "Transpose",
            "MoveAxis",
            "Permute",
            "Diagonal",
            "DiagEmbed",
            "Tril",
            "Triu",
            "Window",
            "Unflatten",
            "Expand",
            "Tile",
            "Pad",
            "Vander",
            "Renorm",
        ]
    )
    t = pick(*ALL)
    s = sizes()
    rank = len(s)
    x = values(t, s)
    a = ax(rank)
    d = s[a] if -rank <= a < rank and rank else 1
    L = {
        "Softmax": torch.softmax,
        "LogSoftmax": torch.log_softmax,
        "Softmin": F.softmin,
        "CumSum": torch.cumsum,
        "CumProd": torch.cumprod,
        "CumMax": torch.cummax,
        "CumMin": torch.cummin,
        "LogCumSumExp": torch.logcumsumexp,
        "Median": torch.median,
        "Mode": torch.mode,
        "GLU": F.glu,
    }
    if k == "Mode" and isf(t):
        x = values(t, s, "t")
    if k in L:
        case(k, [x, a], lambda x: L[k](x, a))
        return
    if k in ("Sort", "ArgSort"):
        de = chance(0.5)
        case(
            k,
            [x, a, de],
            (
                (lambda x: torch.sort(x, dim=a, descending=de, stable=True))
                if k == "Sort"
                else (lambda x: torch.argsort(x, dim=a, descending=de, stable=True))
            ),
        )
    elif k == "TopK":
        n = rng.randint(0, d + (1 if chance(0.05) else 0))
        lg = chance(0.5)
        if n < 0:
            n = 0
        if rank and math.prod(s):
            x = torch.randperm(math.prod(s)).reshape(s).to(t) if t in (f32, f64, torch.int64, torch.int32) else x
        case(k, [x, n, a, lg], lambda x: torch.topk(x, n, a, lg) if t in (f32, f64, torch.int64, torch.int32) else torch.topk(x, n, a, lg)[0])
    elif k == "KthValue":
        n = rng.randint(1, max(d, 1) + (1 if chance(0.05) else 0))
        case(k, [x, n, a], lambda x: torch.kthvalue(x, n, a)[0])
    elif k in ("MaxIndex", "MinIndex"):
        keep = chance(0.3)
        case(k, [x, a] + ([opt("KeepDims")] if keep else []), lambda x: (torch.max if k == "MaxIndex" else torch.min)(x, a, keep))
    elif k == "Unbind":
        case(k, [x, a], lambda x: torch.unbind(x, a))
    elif k == "Normalize":
        p = pick(2.0, 1.0, float("inf"))
        case(k, [x, p, a, 1e-12], lambda x: F.normalize(x, p, a, 1e-12))
    elif k == "Flip":
        al = axlist(rank)
        case(k, [x] + al, lambda x: torch.flip(x, al))
    elif k == "Roll":
        n = rng.randint(-9, 9)
        case(k, [x, a, n], lambda x: torch.roll(x, n, a))
    elif k in ("Quantile", "NanQuantile"):
        q = values(t if chance(0.9) else f32, [] if chance(0.4) else [size()], "01")
        m = rng.choice(["linear", "lower", "higher", "nearest", "midpoint"])
        if isf(q.dtype) and q.numel() and chance(0.3):
            q[..., :1] = rng.choice([0.0, 1.0, 0.5])
        case(
            k,
            [x, q, a, const("Quantile" + m.capitalize())],
            lambda x, q: (torch.quantile if k == "Quantile" else torch.nanquantile)(x, q, a, interpolation=m),
        )
    elif k == "Unsqueeze":
        a = ax(rank + 1)
        case(k, [x, a], lambda x: torch.unsqueeze(x, a))
    elif k == "Squeeze":
        if d == 1:
            case(k, [x, a], lambda x: torch.squeeze(x, a))
    elif k == "Select":
        i = rng.randint(-d - (1 if chance(0.05) else 0), d - 1 + (1 if chance(0.05) else 0))
        case(k, [x, a, i], lambda x: torch.select(x, a, i))
    elif k == "Slice":
        i, j, st = rng.randint(-d - 2, d + 2), rng.randint(-d - 2, d + 2), rng.randint(1, 3)
        case(k, [x, a, i, j, st], lambda x: torch.ops.aten.slice(x, a, i, j, st))
    elif k == "Narrow":
        i = rng.randint(-d, d)
        n = rng.randint(0, d)
        case(k, [x, a, i, n], lambda x: torch.narrow(x, a, i, n))
    elif k == "RepeatInterleave":
        n = rng.randint(0, 3)
        case(k, [x, a, n], lambda x: torch.repeat_interleave(x, n, a))
    elif k == "Split":
        n = rng.randint(1, 4)
        case(k, [x, a, n], lambda x: torch.split(x, n, a))
    elif k == "Chunk":
        n = rng.randint(1, 5)
        case(k, [x, a, n], lambda x: torch.chunk(x, n, a))
    elif k == "Flatten":
        b = ax(rank)
        case(k, [x, a, b], lambda x: torch.flatten(x, a, b))
    elif k == "Transpose":
        b = ax(rank)
        case(k, [x, a, b], lambda x: torch.transpose(x, a, b))
    elif k == "MoveAxis":
        b = ax(rank)
        case(k, [x, a, b], lambda x: torch.movedim(x, a, b))
    elif k == "Permute":
        p = rng.sample(range(rank), rank)
        p = [v - rank if chance(0.2) else v for v in p]
        if p and chance(0.05):
            p[0] = p[-1]
        case(k, [x] + p, lambda x: torch.permute(x, p))
    elif k == "Diagonal":
        b = ax(rank)
        o = rng.randint(-4, 4)
        case(k, [x, o, a, b], lambda x: torch.diagonal(x, o, a, b))
    elif k == "DiagEmbed":
        o = rng.randint(-3, 3)
        case(k, [x, o], lambda x: torch.diag_embed(x, o))
    elif k in ("Tril", "Triu"):
        o = rng.randint(-4, 4)
        case(k, [x, o], lambda x: getattr(torch, k.lower())(x, o))
    elif k == "Window":
        n, st = rng.randint(0, d + 1), rng.randint(1, 3)
        if n:
            case(k, [x, a, n, st, 1], lambda x: x.unfold(a, n, st))
    elif k == "Unflatten":
        n = rng.choice([m for m in range(1, d + 1) if d % m == 0] or [1])
        z = [n, d // n] if chance(0.5) else [n, -1]
        if chance(0.1):
            z = [n + 1, d // n]
        case(k, [x, a] + z, lambda x: torch.unflatten(x, a, z))
    elif k == "Expand":
        z = [size() if d == 1 else (-1 if chance(0.3) else d) for d in s]
        if chance(0.3):
            z = sizes(0, 2) + z
        if -1 in z:
            return
        case(k, [x] + z, lambda x: x.expand(z))
    elif k == "Tile":
        z = [rng.randint(0, 3) for _ in range(rank + pick(0, 0, 1))]
        case(k, [x] + z, lambda x: x.repeat(z))
    elif k == "Pad":
        b, e = rng.randint(-1, 3), rng.randint(-1, 3)
        v = float(pick(0, 1, 2))
        if not -rank <= a < rank:
            return
        case(k, [x, a, b, e, v], lambda x: F.pad(x, [0, 0] * (rank - 1 - a % rank) + [b, e], value=v))
    elif k == "Vander":
        x = values(t, [size()])
        n = rng.randint(0, 4)
        inc = chance(0.5)
        case(k, [x, n, inc], lambda x: torch.vander(x, n, inc))


@op
def padwith():
    t = pick(*FL2)
    m = rng.choice(["reflect", "replicate", "circular"])
    s = [size() for _ in range(3)]
    b, e = rng.randint(0, 3), rng.randint(0, 3)
    case("PadWith", [values(t, s), -1, b, e, const("Pad" + m.capitalize())], lambda x: F.pad(x, [b, e], mode=m))


@op
def concat():
    n = rng.randint(1, 3)
    base = sizes(1, 3)
    a = ax(len(base))
    xs = []
    for _ in range(n):
        s = list(base)
        t = pick(*ALL) if chance(0.3) else f64
        if -len(s) <= a < len(s):
            s[a] = size()
        xs.append(values(t, s))
    if chance(0.5):
        case("Concat", [a] + xs, lambda *x: torch.cat(x, a))
    else:
        a = ax(len(base) + 1)
        xs = [values(x.dtype, base if chance(0.97) else sizes()) for x in xs]
        case("Stack", [a] + xs, lambda *x: torch.stack(x, a))
