"""Random arguments, and what PyTorch answers: a line of JSON for each call."""

import json, math, random, sys, warnings
import torch
import torch.nn.functional as F

warnings.filterwarnings("ignore")
torch.set_num_threads(1)
seed, count = int(sys.argv[1]), int(sys.argv[2])
rng = random.Random(seed)
torch.manual_seed(seed)
f32, f64, f16, bf16 = torch.float32, torch.float64, torch.float16, torch.bfloat16
FL, FL2 = [f32, f64, f64, f16, bf16], [f32, f64, f64]
INT = [torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64]
ALL = FL + INT + [torch.bool]
NAME = {
    f32: "float32",
    f64: "float64",
    f16: "float16",
    bf16: "bfloat16",
    torch.int8: "int8",
    torch.uint8: "uint8",
    torch.int16: "int16",
    torch.int32: "int32",
    torch.int64: "int64",
    torch.bool: "bool",
}
SPECIAL = [
    float("nan"),
    float("inf"),
    float("-inf"),
    0.0,
    -0.0,
    1.0,
    -1.0,
    1e-30,
    -1e-30,
    1e30,
    -1e30,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    2.0,
    3.0,
    100.0,
    -100.0,
]


def pick(*xs):
    return rng.choice(xs)


def chance(p):
    return rng.random() < p


def size():
    return rng.choice([1, 1, 2, 2, 3, 3, 4, 5, 7]) if not chance(0.04) else 0


def sizes(lo=0, hi=4):
    return [size() for _ in range(rng.randint(lo, hi))]


def values(t, shape, kind=None):
    shape = list(shape)
    if t == torch.bool:
        return torch.rand(shape) < 0.5
    if not t.is_floating_point:
        if kind == "s":
            return (
                torch.tensor(
                    [rng.choice([0, 1, 2, 3, 7, torch.iinfo(t).min, torch.iinfo(t).max, torch.iinfo(t).max - 1]) for _ in range(math.prod(shape))],
                    dtype=torch.int64,
                )
                .reshape(shape)
                .to(t)
            )
        lo = 1 if kind == "p" else 0 if t == torch.uint8 else -4
        return torch.randint(lo, 8, shape, dtype=t)
    kind = kind or rng.choice(["n", "n", "t", "s"] if chance(0.5) else ["n"])
    if kind == "s":
        return torch.tensor([rng.choice(SPECIAL) for _ in range(math.prod(shape))], dtype=f64).reshape(shape).to(t)
    if kind == "t":
        return torch.randint(-2, 3, shape).to(t)
    if kind == "p":
        return (torch.rand(shape, dtype=f64) * 2 + 0.1).to(t)
    if kind == "u":
        return (torch.rand(shape, dtype=f64) * 2 - 1).to(t)
    if kind == "01":
        return torch.rand(shape, dtype=f64).to(t)
    return (torch.randn(shape, dtype=f64) * 2).to(t)


def isf(t):
    return t.is_floating_point


def ax(rank, bad=0.03):
    if chance(bad):
        return rng.choice([rank, -rank - 1, rank + 3])
    return rng.randint(-max(rank, 1), max(rank, 1) - 1)


class opt:
    def __init__(s, name, *a):
        s.name, s.a = name, a


class const:
    def __init__(s, name):
        s.name = name


class dt:
    def __init__(s, t):
        s.t = t


GRAPH = object()


def enc(x):
    if torch.is_tensor(x):
        y = x.detach()
        y = y.double() if y.is_floating_point() else y.to(torch.int64)
        return {
            "t": NAME[x.dtype],
            "s": list(x.shape),
            "d": [str(v) if v != v or abs(v) == float("inf") or (v == 0 and math.copysign(1, v) < 0) else v for v in y.reshape(-1).tolist()],
        }


def case(name, args, fn, tol=None, grad=True, second=True, note=""):
    ins = []

    def a(x):
        if torch.is_tensor(x):
            ins.append(x)
            return {"n": len(ins) - 1}
        if x is None:
            return {"nil": 1}
        if x is GRAPH:
            return {"g": 1}
        if isinstance(x, opt):
            return {"o": x.name, "a": [a(v) for v in x.a]}
        if isinstance(x, const):
            return {"c": x.name}
        if isinstance(x, dt):
            return {"t": NAME[x.t]}
        if isinstance(x, (list, tuple)):
            return {"l": [a(v) for v in x]}
        if isinstance(x, float) and (x != x or abs(x) == float("inf")):
            return {"f": str(x)}
        return x

    row = {"op": name, "args": [a(x) for x in args], "in": [enc(x) for x in ins], "note": note}
    if tol:
        row["tol"] = tol
    xs = [x.clone().requires_grad_() if grad and x.is_floating_point() else x for x in ins]
    try:
        try:
            out = fn(*xs)
        except RuntimeError as e:
            if "not differentiable" not in str(e) and "requires_grad" not in str(e) and "isDifferentiable" not in str(e):
                raise
            xs = [x.clone().requires_grad_() if grad and x.is_floating_point() and i == 0 else x.detach() for i, x in enumerate(ins)]
            out = fn(*xs)
        out = [out] if torch.is_tensor(out) else list(out)
        if any(o.dtype not in NAME for o in out):
            return
        row["out"] = [enc(o) for o in out]
    except Exception as e:
        row["refused"] = (type(e).__name__ + ": " + str(e))[:200]
        print(json.dumps(row))
        return
    wrt = [x for x in xs if x.requires_grad]
    diff = [(k, o) for k, o in enumerate(out) if o.requires_grad and o.dtype.is_floating_point]
    if wrt and diff:
        try:
            dys = [torch.randint(-2, 3, o.shape).to(o.dtype) for _, o in diff]
            want2 = second and chance(0.5) and all(x.dtype == f64 for x in wrt)
            gs = torch.autograd.grad([o for _, o in diff], wrt, dys, create_graph=want2, allow_unused=True)
            row["of"], row["dy"] = [k for k, _ in diff], [enc(d) for d in dys]
            row["wrt"] = [k for k, x in enumerate(xs) if x.requires_grad]
            row["grads"] = [enc(torch.zeros_like(x) if v is None else v) for x, v in zip(wrt, gs)]
            if want2:
                part = [(k, v) for k, v in enumerate(gs) if v is not None and v.requires_grad]
                if part:
                    ws = [torch.randint(-2, 3, v.shape).to(v.dtype) for _, v in part]
                    g2 = torch.autograd.grad([v for _, v in part], wrt, ws, allow_unused=True)
                    row["of2"], row["w"] = [k for k, _ in part], [enc(w) for w in ws]
                    row["grads2"] = [enc(torch.zeros_like(x) if v is None else v) for x, v in zip(wrt, g2)]
        except Exception as e:
            row["graderr"] = str(e)[:120]
    print(json.dumps(row))


ops = []


def op(f):
    ops.append(f)
    return f


UNARY = {
    "Abs": torch.abs,
    "Acos": torch.acos,
    "Acosh": torch.acosh,
    "Asin": torch.asin,
    "Asinh": torch.asinh,
    "Atan": torch.atan,
    "Atanh": torch.atanh,
    "Ceil": torch.ceil,
    "Cos": torch.cos,
    "Cosh": torch.cosh,
    "Deg2Rad": torch.deg2rad,
    "Digamma": torch.digamma,
    "Entr": torch.special.entr,
    "Erf": torch.erf,
    "Erfc": torch.erfc,
    "Erfcx": torch.special.erfcx,
    "Erfinv": torch.erfinv,
    "Exp": torch.exp,
    "Exp2": torch.exp2,
    "Expm1": torch.expm1,
    "Floor": torch.floor,
    "Frac": torch.frac,
    "Gelu": F.gelu,
    "GeluTanh": lambda x: F.gelu(x, approximate="tanh"),
    "HardSigmoid": F.hardsigmoid,
    "HardSwish": F.hardswish,
    "I0": torch.special.i0,
    "I0e": torch.special.i0e,
    "I1": torch.special.i1,
    "I1e": torch.special.i1e,
    "IsFinite": torch.isfinite,
    "IsInf": torch.isinf,
    "IsNaN": torch.isnan,
    "IsNegInf": torch.isneginf,
    "IsPosInf": torch.isposinf,
    "LGamma": torch.lgamma,
    "Log": torch.log,
    "Log10": torch.log10,
    "Log1p": torch.log1p,
    "Log2": torch.log2,
    "LogNdtr": torch.special.log_ndtr,
    "LogSigmoid": F.logsigmoid,
    "Logit": torch.logit,
    "Mish": F.mish,
    "Ndtr": torch.special.ndtr,
    "Ndtri": torch.special.ndtri,
    "Neg": torch.neg,
    "Not": torch.logical_not,
    "BitNot": torch.bitwise_not,
    "Rad2Deg": torch.rad2deg,
    "Reciprocal": torch.reciprocal,
    "Relu": torch.relu,
    "Relu6": F.relu6,
    "Round": torch.round,
    "Rsqrt": torch.rsqrt,
    "Selu": F.selu,
    "Sigmoid": torch.sigmoid,
    "Sign": torch.sign,
    "SignBit": torch.signbit,
    "Silu": F.silu,
    "Sin": torch.sin,
    "Sinc": torch.sinc,
    "Sinh": torch.sinh,
    "Softplus": F.softplus,
    "Softsign": F.softsign,
    "Sqrt": torch.sqrt,
    "Square": torch.square,
    "Tan": torch.tan,
    "Tanh": torch.tanh,
    "TanhShrink": F.tanhshrink,
    "Trunc": torch.trunc,
    "Copy": torch.clone,
    "ZerosLike": torch.zeros_like,
    "OnesLike": torch.ones_like,
    "Frexp": torch.frexp,
    "StopGradient": torch.detach,
    "Trace": torch.trace,
    "Det": torch.linalg.det,
    "LogDet": torch.logdet,
    "SlogDet": lambda x: tuple(torch.linalg.slogdet(x)),
    "Inv": torch.linalg.inv,
    "MatrixExp": torch.linalg.matrix_exp,
    "SingularValues": torch.linalg.svdvals,
}


def pair(bad=0.03):
    base = sizes()

    def one():
        s = [1 if chance(0.25) else d for d in base]
        s = s[rng.randint(0, len(s)) :] if chance(0.25) else s
        if s and chance(bad):
            s[rng.randrange(len(s))] += 1
        return s

    return base, one


def axlist(rank, bad=0.04):
    l = rng.sample(range(rank), rng.randint(1, rank)) if rank else [0]
    l = [a - rank if chance(0.4) and rank else a for a in l]
    if chance(bad):
        l.append(rng.choice([l[0], rank]))
    return l


def idx(n, shape, neg=False, bad=0.03):
    lo = -n if neg else 0
    x = torch.randint(lo, max(n, 1), shape) if n > 0 or math.prod(shape) == 0 else torch.zeros(shape, dtype=torch.int64)
    if x.numel() and chance(bad):
        x.view(-1)[0] = rng.choice([n, -n - 1])
    return x if chance(0.8) else x.int()


def tup(n, lo, hi):
    return [rng.randint(lo, hi) for _ in range(n)]
