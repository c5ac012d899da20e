"""Writes elementwise.json: what PyTorch 2.6 answers in float64, and its gradients, at ordinary numbers and at the edges. Lines of
operations of two operands take all pairs. It needs torch: python3 elementwise.py > elementwise.json"""
import json
import torch

torch.set_default_dtype(torch.float64)
nan, inf = float("nan"), float("inf")
edges = [0.0, -0.0, inf, -inf, nan, 1.0, -1.0, -2.0, 0.5, -0.5, 1.5, -1.7, 2.5, 3.0, 0.25, 5e-324, -1e-310, 1e-30, 30.0, -30.0, 1e300]
pair = [0.0, -0.0, inf, -inf, nan, 1.0, -1.0, 2.5, -0.75, 5e-324, 1e300, -1e300, 2.2250738585072014e-308]
whole = [0, 1, -1, 2, 7, -7, 12, 18, 63, 64, -36, 1 << 40, -(1 << 62), (1 << 63) - 1]
F, S = torch.nn.functional, torch.special

one = {
    "erfc": S.erfc, "erfcx": S.erfcx, "erfinv": S.erfinv, "ndtr": S.ndtr, "log_ndtr": S.log_ndtr, "ndtri": S.ndtri,
    "lgamma": torch.lgamma, "digamma": torch.digamma, "polygamma1": lambda x: torch.polygamma(1, x),
    "i0": S.i0, "i0e": S.i0e, "i1": S.i1, "i1e": S.i1e, "sinc": torch.sinc, "logit": torch.logit, "entr": S.entr,
    "nan_to_num": lambda x: torch.nan_to_num(x, 1.5, None, -3.0), "signbit": torch.signbit, "frexp_mantissa": lambda x: torch.frexp(x)[0],
    "frexp_exponent": lambda x: torch.frexp(x)[1], "threshold": lambda x: F.threshold(x, 0.5, 7.0), "rad2deg": torch.rad2deg, "deg2rad": torch.deg2rad,
    "isposinf": torch.isposinf, "isneginf": torch.isneginf,
}
two = {
    "copysign": torch.copysign, "nextafter": torch.nextafter, "fmax": torch.fmax, "fmin": torch.fmin, "heaviside": torch.heaviside,
    "xlog1py": S.xlog1py, "isclose": lambda x, y: torch.isclose(x, y, 1e-5, 1e-8), "hypot": torch.hypot,
}
integers = {
    "gcd": torch.gcd, "lcm": torch.lcm, "bitwise_left_shift": torch.bitwise_left_shift, "bitwise_right_shift": torch.bitwise_right_shift,
}


def numbers(t):
    return ["nan" if v != v else "inf" if v == inf else "-inf" if v == -inf else v for v in t.double().reshape(-1).tolist()]


def row(f, *points):
    leaves = [p.clone().requires_grad_() for p in points]
    out = {"value": None, "grads": []}
    y = f(*leaves)
    out["value"] = numbers(y)
    if y.requires_grad:
        try:
            grads = torch.autograd.grad(y.sum(), leaves, allow_unused=True)
            out["grads"] = [None if g is None else numbers(g) for g in grads]
        except RuntimeError:
            pass  # no gradient in PyTorch
    return out


result = {"one": {"x": numbers(torch.tensor(edges))}, "two": {}, "integers": {}}
for name, f in one.items():
    result["one"][name] = row(f, torch.tensor(edges))
x, y = [t.reshape(-1) for t in torch.meshgrid(torch.tensor(pair), torch.tensor(pair), indexing="ij")]
result["two"] = {"x": numbers(x), "y": numbers(y)}
for name, f in two.items():
    result["two"][name] = row(f, x, y)
i, j = [t.reshape(-1) for t in torch.meshgrid(torch.tensor(whole), torch.tensor(whole), indexing="ij")]
result["integers"] = {"x": [str(v) for v in i.tolist()], "y": [str(v) for v in j.tolist()]}
for name, f in integers.items():
    result["integers"][name] = [str(v) for v in f(i, j).tolist()]
lines = ['"%s": {\n%s\n}' % (k, ",\n".join('"%s": %s' % (n, json.dumps(v)) for n, v in part.items())) for k, part in result.items()]
print("{\n" + ",\n".join(lines) + "\n}")
