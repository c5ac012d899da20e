"""Writes grads.jsonl: what PyTorch 2.6 gives at kinks and special points, with first and second
gradients. Run it with python3 kinks.py > grads.jsonl; rows are as in grads.jsonl of the vectors.
"""
import json
import math
import torch
import torch.nn.functional as F

inf, nan = math.inf, math.nan
POINTS = [-inf, -3.0, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, 2.0, 3.0, 6.0, inf, nan]
PAIRS = [(a, b) for a in (-1.0, 0.0, 0.5, 1.0) for b in (-1.0, 0.0, 0.5, 1.0)]


def numbers(t):
    word = lambda v: "NaN" if math.isnan(v) else "Inf" if v == inf else "-Inf" if v == -inf else v
    return [word(v) for v in t.detach().flatten().tolist()]


def array(t):
    return {"shape": list(t.shape), "dtype": "float64", "data": numbers(t)}


def row(op, f, attrs=None, fixed=(), second=True, **inputs):
    xs = {k: torch.tensor(v, dtype=torch.float64, requires_grad=k not in fixed) for k, v in inputs.items()}
    wrt = {k: x for k, x in xs.items() if x.requires_grad}
    y = f(*xs.values())
    dy = torch.ones_like(y)
    grads = torch.autograd.grad(y, list(wrt.values()), dy, create_graph=True, materialize_grads=True)
    v = {k: torch.linspace(1, 2, x.numel(), dtype=torch.float64).reshape(x.shape) for k, x in wrt.items()}
    out = {"id": f"kink-{row.count:03d}", "op": op, "attrs": attrs or {},
           "inputs": [{"name": k, "requires_grad": x.requires_grad, **array(x)} for k, x in xs.items()],
           "output": array(y), "upstream": numbers(dy), "grads": {k: numbers(g) for k, g in zip(wrt, grads)}}
    total = sum((g * d).sum() for g, d in zip(grads, v.values()))
    if second and total.requires_grad:
        try:
            hvp = torch.autograd.grad(total, list(wrt.values()), materialize_grads=True)
            out["second"] = {"v": {k: numbers(d) for k, d in v.items()}, "hvp": {k: numbers(h + 0) for k, h in zip(wrt, hvp)}}
        except RuntimeError:
            pass  # PyTorch has no second gradient
    row.count += 1
    print(json.dumps(out, separators=(",", ":")))


row.count = 1
# Left out: hardsigmoid and binary_cross_entropy, of which PyTorch rounds constants to float32.
unary = {
    "abs": torch.abs, "sqrt": torch.sqrt, "rsqrt": torch.rsqrt, "reciprocal": torch.reciprocal, "square": torch.square,
    "exp": torch.exp, "expm1": torch.expm1, "exp2": torch.exp2, "log": torch.log, "log1p": torch.log1p, "log2": torch.log2,
    "log10": torch.log10, "sign": torch.sign, "floor": torch.floor, "round": torch.round, "frac": torch.frac,
    "tanh": torch.tanh, "sigmoid": torch.sigmoid, "erf": torch.erf, "sin": torch.sin, "cos": torch.cos, "tan": torch.tan,
    "asin": torch.asin, "acos": torch.acos, "atan": torch.atan, "sinh": torch.sinh, "cosh": torch.cosh, "asinh": torch.asinh,
    "acosh": torch.acosh, "atanh": torch.atanh, "relu": F.relu, "relu6": F.relu6, "gelu": F.gelu, "silu": F.silu,
    "softplus": F.softplus, "logsigmoid": F.logsigmoid, "mish": F.mish, "selu": F.selu, "softsign": F.softsign,
    "tanhshrink": F.tanhshrink, "hardswish": F.hardswish, "elu": F.elu,
    "hardshrink": F.hardshrink, "softshrink": F.softshrink, "hardtanh": F.hardtanh, "leaky_relu": F.leaky_relu,
}
for op, f in unary.items():
    row(op, f, x=POINTS)
# At 0, PyTorch has a slope with respect to x but none with respect to x and weight.
row("prelu", F.prelu, x=[[a] for a in POINTS if a != 0], weight=[0.25])
row("elu", lambda x: F.elu(x, 1.5), {"alpha": 1.5}, x=POINTS + [800.0, -800.0])
row("celu", lambda x: F.celu(x, 1.5), {"alpha": 1.5}, x=POINTS + [1200.0, -1200.0])
row("clamp", lambda x: torch.clamp(x, -1, 1), {"min": -1, "max": 1}, x=POINTS)
for p in (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, -1.0):
    # PyTorch takes a power of -1/2 by rsqrt, which is not IEEE's power of -0 and -Inf.
    row("pow_scalar", lambda x: x ** p, {"exponent": p}, x=[a for a in POINTS if p == int(p) or a > 0 or -3 <= a < 0])
row("rpow_scalar", lambda x: 2.0 ** x, {"value": 2.0}, x=POINTS)
row("rpow_scalar", lambda x: 0.0 ** x, {"value": 0.0}, x=POINTS)
binary = {
    "atan2": torch.atan2, "hypot": torch.hypot, "xlogy": torch.xlogy, "pow": torch.pow, "logaddexp": torch.logaddexp,
    "maximum": torch.maximum, "minimum": torch.minimum, "div": torch.div, "fmod": torch.fmod, "remainder": torch.remainder,
}
for op, f in binary.items():
    row(op, f, x=[a for a, _ in PAIRS], y=[b for _, b in PAIRS])
for op, f in {"clamp_min": torch.clamp_min, "clamp_max": torch.clamp_max}.items():
    row(op, f, x=[-1.0, 0.0, 1.0, nan, 0.0, nan], y=[0.0, 0.0, 0.0, 0.0, nan, nan])
losses = {
    "huber_loss": (F.huber_loss, {"delta": 1.0}), "smooth_l1_loss": (F.smooth_l1_loss, {"beta": 1.0}), "l1_loss": (F.l1_loss, {}),
    "mse_loss": (F.mse_loss, {}), "binary_cross_entropy_with_logits": (F.binary_cross_entropy_with_logits, {}),
}
for op, (f, attrs) in losses.items():
    row(op, lambda x, t: f(x, t, reduction="none", **attrs), {"reduction": "none", **attrs}, x=[a for a, _ in PAIRS], target=[b for _, b in PAIRS])
row("kl_div", lambda x, t: F.kl_div(x, t, reduction="sum"), {"reduction": "sum"}, ("target",), x=[0.0, -1.0, 0.5], target=[0.0, 0.5, 1.0])
LINES = [[0.0, 0.0, 0.0], [1.0, 0.0, -1.0], [2.0, 2.0, 1.0], [0.0, -3.0, 0.0]]
for p in (0.5, 1.0, 1.5, 2.0, 3.0, inf):
    # PyTorch's second gradients are NaN where there is none; package ops has 0.
    attrs = {"dim": 1, "p": "Inf" if p == inf else p}
    row("norm", lambda x: torch.linalg.vector_norm(x, p, dim=1), attrs, x=LINES, second=p == 1 or p > 2)
    row("norm", lambda x: torch.linalg.vector_norm(x, p, dim=1), attrs, x=LINES[2:3])
for op, f in {"std": torch.std, "var": torch.var, "prod": torch.prod, "amax": torch.amax, "amin": torch.amin,
              "logsumexp": torch.logsumexp, "softmax": torch.softmax, "log_softmax": torch.log_softmax,
              "cumsum": torch.cumsum, "cumprod": torch.cumprod}.items():
    row(op, lambda x: f(x, 1), {"dim": 1}, x=LINES)
    if "soft" in op or op == "logsumexp":
        row(op, lambda x: f(x, 1), {"dim": 1}, x=[[-inf, 0.0, 1.0], [-inf, -inf, -inf], [inf, 0.0, 1.0]])
row("std", lambda x: torch.std(x, 1), {"dim": 1}, x=[[1.0], [0.0]])
row("var", lambda x: torch.var(x, 1), {"dim": 1}, x=[[1.0], [0.0]])
TIES = [[1.0, 1.0, 0.0, 1.0], [nan, 1.0, nan, 2.0], [-0.0, 0.0, -0.0, 0.0], [inf, inf, -inf, 0.0], [-inf, -inf, -inf, -inf]]
for op, f in {"max_dim": torch.max, "min_dim": torch.min}.items():
    row(op, lambda x: f(x, 1)[0], {"dim": 1}, x=TIES)
for op, f in {"amax": torch.amax, "amin": torch.amin}.items():
    row(op, lambda x: f(x, (0, 1)), {"dim": [0, 1]}, x=[TIES[0], TIES[2]])
for op, f in {"max_all": torch.max, "min_all": torch.min}.items():
    row(op, f, x=[TIES[0], TIES[2]])
    row(op, f, x=[TIES[1]])
for data in (TIES[0] * 2, TIES[1] * 2, TIES[3] * 2, TIES[4] * 2):
    row("max_pool1d", lambda x: F.max_pool1d(x, 3, 1, 1), {"kernel_size": 3, "stride": 1, "padding": 1}, x=[[data]])
    row("max_pool2d", lambda x: F.max_pool2d(x, 2, 1), {"kernel_size": 2, "stride": 1}, x=[[data[:4], data[4:]]])
for op, f in {"prod": torch.prod, "sum": torch.sum, "cumprod": torch.cumprod, "cumsum": torch.cumsum, "logsumexp": torch.logsumexp}.items():
    row(op, lambda x: f(x, 1), {"dim": 1}, x=[[], []])
    # Left out: gradients of prod where an element is 0 and another is not finite, which are NaN and in package ops 0.
    row(op, lambda x: f(x, 1), {"dim": 1}, x=[[0.0, 0.0, 2.0], [nan, 0.0, 1.0], [inf, 0.0, 1.0]][:1 if op == "prod" else 3], second=op not in ("prod", "cumprod"))
for op, f in {"var": torch.var, "std": torch.std}.items():
    for correction in (0, 1, 3, 4):
        # Left out: infinite gradients that PyTorch multiplies by 0 where package ops has none.
        row(op, lambda x: f(x, 1, correction=correction), {"dim": 1, "correction": correction}, x=[[1.0, 2.0, 4.0]])
row("mean", lambda x: torch.mean(x, 1), {"dim": 1}, x=[[], []])
row("norm", lambda x: torch.linalg.vector_norm(x, 2, dim=1), {"dim": 1, "p": 2}, x=[[], []])
scores = [[1.0, 2.0, 0.5], [0.0, -1.0, 3.0]]
for reduction in ("mean", "sum", "none"):
    for target in ([0, 2], [-100, 2], [-100, -100]):
        for op, f in {"cross_entropy": F.cross_entropy, "nll_loss": F.nll_loss}.items():
            for weight in (None, [1.0, 0.0, 2.0], [0.0, 0.0, 0.0]):
                x = torch.tensor(scores, dtype=torch.float64, requires_grad=True)
                t = torch.tensor(target)
                w = None if weight is None else torch.tensor(weight, dtype=torch.float64)
                y = f(x, t, weight=w, reduction=reduction)
                dx, = torch.autograd.grad(y, x, torch.ones_like(y))
                ins = [{"name": "x", "requires_grad": True, **array(x)}, {"name": "target", "requires_grad": False, **array(t), "dtype": "int64"}]
                if w is not None:
                    ins.append({"name": "weight", "requires_grad": False, **array(w)})
                out = {"id": f"kink-{row.count:03d}", "op": op, "attrs": {"reduction": reduction}, "inputs": ins, "output": array(y),
                       "upstream": numbers(torch.ones_like(y)), "grads": {"x": numbers(dx)}}
                row.count += 1
                print(json.dumps(out, separators=(",", ":")))
BIG = [-1000.0, -40.0, -20.5, 20.5, 40.0, 1000.0, -inf, inf]
for op, f in {"softplus": F.softplus, "logsigmoid": F.logsigmoid, "sigmoid": torch.sigmoid, "tanh": torch.tanh, "silu": F.silu, "mish": F.mish,
              "expm1": torch.expm1, "log1p": torch.log1p}.items():
    # PyTorch's second gradient of mish is NaN where exp overflows; that of package ops is 0.
    row(op, f, x=BIG, second=op != "mish")
ROUNDED = [-2.5, -1.5, -0.5, -0.0, 0.0, 0.5, 1.5, 2.5, 0.49999999999999994, 4503599627370497.5]
for op, f in {"round": torch.round, "floor": torch.floor, "ceil": torch.ceil, "trunc": torch.trunc, "sign": torch.sign, "relu": F.relu, "abs": torch.abs}.items():
    row(op, f, x=ROUNDED)
SIGNS = [(a, b) for a in (-7.0, -0.0, 0.0, 7.0, inf, nan) for b in (-3.0, -0.0, 0.0, 3.0, -inf, inf, nan)]
for op, f in {"fmod": torch.fmod, "remainder": torch.remainder, "floor_divide": torch.floor_divide, "maximum": torch.maximum, "minimum": torch.minimum,
              "atan2": torch.atan2, "pow": torch.pow, "xlogy": torch.xlogy, "hypot": torch.hypot, "logaddexp": torch.logaddexp}.items():
    x, y = (torch.tensor([p[i] for p in SIGNS], dtype=torch.float64) for i in (0, 1))
    out = {"id": f"kink-{row.count:03d}", "op": op, "attrs": {}, "inputs": [{"name": k, "requires_grad": False, **array(v)} for k, v in (("x", x), ("y", y))],
           "output": array(f(x, y)), "upstream": numbers(torch.ones_like(x)), "grads": {}}
    row.count += 1
    print(json.dumps(out, separators=(",", ":")))
for dtype in (torch.int32, torch.int64):
    least, most = torch.iinfo(dtype).min, torch.iinfo(dtype).max
    # Left out: the least integer by -1, which stops PyTorch's process.
    for op, f in {"floor_divide": torch.floor_divide, "remainder": torch.remainder, "fmod": torch.fmod}.items():
        x, y = torch.tensor([7, -7, 7, -7, 6, -6], dtype=dtype), torch.tensor([3, 3, -3, -3, -3, 3], dtype=dtype)
        out = {"id": f"kink-{row.count:03d}", "op": op, "attrs": {}, "inputs": [{"name": k, "requires_grad": False, **array(v), "dtype": str(dtype)[6:]} for k, v in (("x", x), ("y", y))],
               "output": {**array(f(x, y)), "dtype": str(dtype)[6:]}, "upstream": [1.0] * 6, "grads": {}}
        row.count += 1
        print(json.dumps(out, separators=(",", ":")))
    if dtype == torch.int32:
        for op, f in {"add": torch.add, "sub": torch.sub, "mul": torch.mul}.items():
            x, y = torch.tensor([most, least, most, least], dtype=dtype), torch.tensor([1, -1, most, least], dtype=dtype)
            out = {"id": f"kink-{row.count:03d}", "op": op, "attrs": {}, "inputs": [{"name": k, "requires_grad": False, **array(v), "dtype": "int32"} for k, v in (("x", x), ("y", y))],
                   "output": {**array(f(x, y)), "dtype": "int32"}, "upstream": [1.0] * 4, "grads": {}}
            row.count += 1
            print(json.dumps(out, separators=(",", ":")))
        for op, f in {"abs": torch.abs, "neg": torch.neg, "square": torch.square, "sign": torch.sign}.items():
            x = torch.tensor([most, least, 0, -1], dtype=dtype)
            out = {"id": f"kink-{row.count:03d}", "op": op, "attrs": {}, "inputs": [{"name": "x", "requires_grad": False, **array(x), "dtype": "int32"}],
                   "output": {**array(f(x)), "dtype": "int32"}, "upstream": [1.0] * 4, "grads": {}}
            row.count += 1
            print(json.dumps(out, separators=(",", ":")))
