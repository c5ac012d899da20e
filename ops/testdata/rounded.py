"""Writes rounded.json: gradients of operations in 16 bits by PyTorch 2.6, as digits of their bits: its own, and those that it computes in float32 from the same
operands of 16 bits, rounded at the end. It needs torch: python3 rounded.py > rounded.json"""
import json
import torch

torch.manual_seed(7)
F, S = torch.nn.functional, torch.special
elements = torch.cat([torch.randn(88) * 2, torch.tensor([0.0, -0.0, 1.0, -1.0, 6.0, -6.0, 0.5, -0.5])])
unit, positive, above = torch.rand(96) * 1.8 - 0.9, torch.rand(96) * 4 + 0.05, torch.rand(96) * 4 + 1.05
rows = torch.randn(8, 24)
batch = torch.randn(4, 6, 5)


def of(*operands):
    return operands


cases = {
    "exp": (torch.exp, of(elements)), "expm1": (torch.expm1, of(elements)), "exp2": (torch.exp2, of(elements)), "log": (torch.log, of(positive)),
    "log1p": (torch.log1p, of(positive)), "log2": (torch.log2, of(positive)), "log10": (torch.log10, of(positive)), "sqrt": (torch.sqrt, of(positive)),
    "rsqrt": (torch.rsqrt, of(positive)), "reciprocal": (torch.reciprocal, of(positive)), "square": (torch.square, of(elements)),
    "tanh": (torch.tanh, of(elements)), "sigmoid": (torch.sigmoid, of(elements)), "erf": (torch.erf, of(elements)), "erfc": (torch.erfc, of(elements)),
    "sin": (torch.sin, of(elements)), "cos": (torch.cos, of(elements)), "tan": (torch.tan, of(unit)), "asin": (torch.asin, of(unit)), "acos": (torch.acos, of(unit)),
    "atan": (torch.atan, of(elements)), "sinh": (torch.sinh, of(elements)), "cosh": (torch.cosh, of(elements)), "asinh": (torch.asinh, of(elements)),
    "acosh": (torch.acosh, of(above)), "atanh": (torch.atanh, of(unit)), "erfinv": (torch.erfinv, of(unit)), "sinc": (torch.sinc, of(elements)),
    "logit": (torch.logit, of(positive / 5)), "relu": (torch.relu, of(elements)), "gelu": (F.gelu, of(elements)),
    "gelu_tanh": (lambda x: F.gelu(x, approximate="tanh"), of(elements)), "silu": (F.silu, of(elements)), "mish": (F.mish, of(elements)),
    "softplus": (F.softplus, of(elements)), "logsigmoid": (F.logsigmoid, of(elements)), "elu": (lambda x: F.elu(x, 1.5), of(elements)), "selu": (F.selu, of(elements)),
    "celu": (lambda x: F.celu(x, 1.5), of(elements)), "leaky_relu": (lambda x: F.leaky_relu(x, 0.3), of(elements)), "hardsigmoid": (F.hardsigmoid, of(elements)),
    "hardswish": (F.hardswish, of(elements)), "hardtanh": (F.hardtanh, of(elements)), "softshrink": (F.softshrink, of(elements)), "abs": (torch.abs, of(elements)),
    "mul": (torch.mul, of(elements, unit)), "div": (torch.div, of(elements, positive)), "pow": (torch.pow, of(positive, unit)), "atan2": (torch.atan2, of(elements, positive)),
    "hypot": (torch.hypot, of(elements, positive)), "logaddexp": (torch.logaddexp, of(elements, positive)), "xlogy": (torch.xlogy, of(elements, positive)),
    "glu": (lambda x: F.glu(x, 1), of(rows)), "prelu": (F.prelu, of(elements, torch.tensor([0.3]))),
    "softmax": (lambda x: torch.softmax(x, 1), of(rows)), "log_softmax": (lambda x: torch.log_softmax(x, 1), of(rows)),
    "logsumexp": (lambda x: torch.logsumexp(x, 1), of(rows)),
    "layer_norm": (lambda x, w, b: F.layer_norm(x, (24,), w, b, 1e-5), of(rows, torch.rand(24) + 0.5, torch.randn(24))),
    "rms_norm": (lambda x, w: F.rms_norm(x, (24,), w, 1e-5), of(rows, torch.rand(24) + 0.5)),
    "group_norm": (lambda x, w, b: F.group_norm(x, 2, w, b, 1e-5), of(batch, torch.rand(6) + 0.5, torch.randn(6))),
    "batch_norm": (lambda x, w, b: F.batch_norm(x, None, None, w, b, True), of(batch, torch.rand(6) + 0.5, torch.randn(6))),
    "mse": (lambda x, y: F.mse_loss(x, y, reduction="none"), of(elements, unit)), "mse_mean": (F.mse_loss, of(elements, unit)),
    "huber": (lambda x, y: F.huber_loss(x, y, reduction="none", delta=0.7), of(elements, unit)),
    "smooth_l1": (lambda x, y: F.smooth_l1_loss(x, y, reduction="none", beta=0.7), of(elements, unit)),
    "l1": (lambda x, y: F.l1_loss(x, y, reduction="none"), of(elements, unit)),
    "bce": (lambda x, y: F.binary_cross_entropy(x, y.detach(), reduction="none"), of(positive / 5, (unit + 1) / 2)),
    "bce_logits": (lambda x, y: F.binary_cross_entropy_with_logits(x, y.detach(), reduction="none"), of(elements, (unit + 1) / 2)),
    "cross_entropy": (lambda x: F.cross_entropy(x, torch.arange(8), reduction="none"), of(rows)),
    "cross_entropy_mean": (lambda x: F.cross_entropy(x, torch.arange(8)), of(rows)),
    "kl_div": (lambda x, y: F.kl_div(x, y.detach(), reduction="none"), of(-positive, positive / 5)),
    "soft_margin": (lambda x, y: F.soft_margin_loss(x, y.detach().sign(), reduction="none"), of(elements, unit)),
    "var": (lambda x: torch.var(x, 1, correction=1), of(rows)), "std": (lambda x: torch.std(x, 1, correction=1), of(rows)), "norm": (lambda x: torch.linalg.vector_norm(x, 2, 1), of(rows)),
    "cosine_similarity": (lambda x, y: F.cosine_similarity(x, y, 1), of(rows, rows.flip(0))), "normalize": (lambda x: F.normalize(x, 2.0, 1), of(rows)),
    "prod": (lambda x: torch.prod(x, 1), of(rows[:, :4])), "cumsum": (lambda x: torch.cumsum(x, 1), of(rows)), "logcumsumexp": (lambda x: torch.logcumsumexp(x, 1), of(rows)),
    "mean": (lambda x: torch.mean(x, 1), of(rows)), "sum": (lambda x: torch.sum(x, 1), of(rows)), "matmul": (torch.matmul, of(rows, batch.reshape(24, 5))),
    "maximum": (torch.maximum, of(elements, unit)), "where": (lambda x, y: torch.where(x > 0, x, y), of(elements, unit)),
}


def bits(x):
    return "".join("%04x" % (v & 0xFFFF) for v in x.detach().contiguous().view(torch.int16).reshape(-1).tolist())


def grads(f, dtype, dy, operands):
    leaves = [x.to(dtype).requires_grad_() for x in operands]
    y = f(*leaves)
    return torch.autograd.grad(y, leaves, dy.to(dtype), allow_unused=True)


answers = []
for dtype in (torch.float16, torch.bfloat16):
    for name, (f, operands) in cases.items():
        narrow = [x.to(dtype) for x in operands]
        try:
            dy = (torch.randn(f(*narrow).shape)).to(dtype)
            own = grads(f, dtype, dy, narrow)
        except RuntimeError:
            continue  # not in this dtype
        wide = grads(f, torch.float32, dy, narrow)
        answers.append({"name": name, "dtype": str(dtype).removeprefix("torch."), "in": [{"shape": list(x.shape), "bits": bits(x)} for x in narrow], "dy": bits(dy), "shape": list(dy.shape),
                        "grads": [None if x is None else bits(x) for x in own], "wide": [None if x is None else bits(x.to(dtype)) for x in wide]})
print("[\n" + ",\n".join(json.dumps(a) for a in answers) + "\n]")
