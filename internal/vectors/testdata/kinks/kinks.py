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
