# Computes programs of package difftest with PyTorch. DATA, at the end of the file, holds them as
# JSON: a list of {"Program", "Runs"}; the answers are printed as JSON, numbers as text.
import functools
import json
import math
import sys

import torch
import torch.nn.functional as F

TYPES = {"bool": torch.bool, "int32": torch.int32, "int64": torch.int64, "float32": torch.float32, "float64": torch.float64}


class Unknown(Exception):
    pass


def size(s, at):
    return sum(t["Times"] * math.prod(at[n] for n in t.get("Names") or []) for t in s)


class Step:
    def __init__(self, s, at):
        self.op, self.i, self.f = s["Op"], s.get("I") or [], s.get("F") or []
        self.s = [size(d, at) for d in s.get("S") or []]
        self.t, self.keep, self.text = s.get("T"), s.get("Keep", False), s.get("Text", "")
        self.body, self.operands = [Step(b, at) for b in s.get("Body") or []], s.get("In") or []


def tensor(v, like):
    return v if torch.is_tensor(v) else torch.tensor(v, dtype=like.dtype)


def flo(v):
    return v if not torch.is_tensor(v) or v.is_floating_point() else v.to(torch.float32)


def reduce(f):
    return lambda s, x: f(x, s.i or list(range(x.dim())), s.keep)


def fold_prod(x, axes, keep):
    for a in sorted((a % x.dim() for a in axes), reverse=True):
        x = torch.prod(x, a, keepdim=True)
    return x if keep else x.squeeze([a % x.dim() for a in axes])


def fold_logic(f):
    def g(x, axes, keep):
        for a in axes:
            x = f(x, dim=a, keepdim=True)
        return x.bool() if keep else x.bool().squeeze([a % x.dim() for a in axes])
    return g


def place(f):
    def g(s, x):
        if s.i:
            return f(x, s.i[0], s.keep)
        y = f(x)
        return y.reshape([1] * x.dim()) if s.keep else y
    return g


def shifted(x, s):
    n = x.shape[s.i[0]]
    start, stop = s.s
    index = [slice(None)] * x.dim()
    index[s.i[0] % x.dim()] = slice(start, None if stop > n else stop, s.i[1])
    return x[tuple(index)]


def conv(s, x, w, b):
    axes = int(s.op[-2])
    g, k = s.i[0], s.i[1:1 + 3 * axes]
    stride, padding, dilation = k[0::3], k[1::3], k[2::3]
    if "Transpose" in s.op:
        f = [F.conv_transpose1d, F.conv_transpose2d][axes - 1]
        return f(x, w, b, stride, padding, s.i[1 + 3 * axes:], g, dilation)
    return [F.conv1d, F.conv2d][axes - 1](x, w, b, stride, padding, dilation, g)


def pool(s, x):
    axes = int(s.op[-2])
    k, window = s.i[:3 * axes], s.i[3 * axes:]
    stride, padding, dilation = k[0::3], k[1::3], k[2::3]
    if s.op[0] == "M":
        return [F.max_pool1d, F.max_pool2d][axes - 1](x, window, stride, padding, dilation, s.text == "ceil")
    return [F.avg_pool1d, F.avg_pool2d][axes - 1](x, window, stride, padding, s.text == "ceil", s.text != "exclude")


def reduction(s):
    return {"": "mean", "sum": "sum", "each": "none"}[s.text]


def loss(f):
    def g(s, x, y, *more):
        x, y = torch.broadcast_tensors(x, y)
        return f(x, y, reduction=reduction(s), **({} if not s.f else {"delta" if s.op == "Huber" else "beta": s.f[0]}))
    return g


def likelihood(f):
    return lambda s, x, t, w=None: f(x, t, w, ignore_index=s.i[0] if s.i else -100, reduction=reduction(s))


def standardize(x, axes, eps):
    mean = x.mean(axes, keepdim=True)
    return (x - mean) / torch.sqrt(x.var(axes, correction=0, keepdim=True) + eps)


def affine(y, gain, bias, rank=None):
    if rank:
        gain, bias = [None if v is None else v.reshape([-1] + [1] * (rank - 2)) for v in (gain, bias)]
    y = y if gain is None else y * gain
    return y if bias is None else y + bias


def trailing(x, *like):
    n = max([v.dim() for v in like if v is not None], default=1)
    return list(range(-n, 0))


def batch_norm(s, x, gain, bias):
    axes = [a for a in range(x.dim()) if a != 1]
    return [affine(standardize(x, axes, s.f[0]), gain, bias, x.dim()), x.mean(axes), x.var(axes, correction=0)]


def batch_norm_inference(s, x, *channels):
    mean, var, gain, bias = [None if v is None else v.reshape([-1] + [1] * (x.dim() - 2)) for v in channels]
    return affine((x - mean) / torch.sqrt(var + s.f[0]), gain, bias)


def group_norm(s, x, gain, bias):
    y = x.reshape(x.shape[0], s.i[0], -1) if x.numel() else x
    return affine(standardize(y, [2], s.f[0]).reshape(x.shape), gain, bias, x.dim()) if x.numel() else affine(x, gain, bias, x.dim())


def rms_norm(s, x, gain):
    axes = trailing(x, gain)
    return affine(x / torch.sqrt((x * x).mean(axes, keepdim=True) + s.f[0]), gain, None)


def take(x, axis, index):
    axis %= x.dim()
    y = torch.index_select(x, axis, index.reshape(-1))
    return y.reshape(x.shape[:axis] + index.shape + x.shape[axis + 1:])


def segment_sum(s, x, index):
    axis, rank = s.i[0], index.dim()
    shape = list(x.shape)
    flat = x.reshape(shape[:axis] + [index.numel()] + shape[axis + rank:])
    out = torch.zeros(shape[:axis] + [s.s[0]] + shape[axis + rank:], dtype=x.dtype)
    return out.index_add(axis, index.reshape(-1), flat)


def pad(s, x):
    shape = list(x.shape)
    make = lambda n: torch.full(shape[:s.i[0] % x.dim()] + [n] + shape[s.i[0] % x.dim() + 1:], s.f[0]).to(x.dtype)
    return torch.cat([make(s.s[0]), x, make(s.s[1])], s.i[0])


def fold(s, x):
    axis = s.i[0] % (x.dim() - 1)
    shape = list(x.shape[:-1])
    shape[axis] = s.s[0]
    at = torch.arange(x.shape[axis])[:, None] * s.i[1] + torch.arange(x.shape[-1])[None, :] * s.i[2]
    y = x.movedim(-1, axis + 1)
    y = y.reshape(list(y.shape[:axis]) + [-1] + list(y.shape[axis + 2:]))
    return torch.zeros(shape, dtype=x.dtype).index_add(axis, at.reshape(-1), y)


def window(s, x):
    axis = s.i[0] % x.dim()
    n = (x.shape[axis] - s.i[3] * (s.i[1] - 1) - 1) // s.i[2] + 1
    stride = list(x.stride())
    return x.as_strided(list(x.shape[:axis]) + [n] + list(x.shape[axis + 1:]) + [s.i[1]],
                        stride[:axis] + [stride[axis] * s.i[2]] + stride[axis + 1:] + [stride[axis] * s.i[3]], x.storage_offset())


def as_strided(s, x):
    n = len(s.s) // 2
    return x.contiguous().clone().as_strided(s.s[:n], s.s[n:2 * n], s.s[2 * n])


def iota(s):
    axis = s.i[0] % len(s.s)
    return torch.arange(s.s[axis]).reshape([-1 if a == axis else 1 for a in range(len(s.s))]).expand(s.s).clone()


def prelu(s, x, w):
    """At 0, the second derivatives of F.prelu are not those of its first ones."""
    return torch.where(x > 0, x, w.reshape([-1] + [1] * (x.dim() - 2)) * x if w.numel() != 1 else w * x)


def floor_divide(x, y):
    return torch.div(x, y, rounding_mode="floor")


def fold_norm(x, p, axes, keep):
    return torch.linalg.vector_norm(x, p, axes, keep)


def common(values):
    """The dtype that holds all: that of tensors with axes, unless scalars have a higher kind of number, or numbers."""
    kind = lambda t: 2 if t.is_floating_point else int(t != torch.bool)
    groups = [[v.dtype for v in values if torch.is_tensor(v) and v.dim()], [v.dtype for v in values if torch.is_tensor(v) and not v.dim()],
              [torch.float32 if isinstance(v, float) else torch.int64 for v in values if not torch.is_tensor(v)]]
    best = None
    for t in [functools.reduce(torch.promote_types, g) for g in groups if g]:
        best = t if best is None or kind(t) > kind(best) else best
    return best


def three(f):
    return lambda s, *x: f(*[v.to(common(x)) if torch.is_tensor(v) else torch.tensor(v, dtype=common(x)) for v in x])


OPS = {
    "Add": lambda s, x, y: torch.add(x, y), "Sub": lambda s, x, y: torch.sub(x, y) if torch.is_tensor(x) else x - y, "Mul": lambda s, x, y: torch.mul(x, y),
    "Div": lambda s, x, y: torch.div(x, y), "Maximum": lambda s, x, y: torch.maximum(*both(x, y)), "Minimum": lambda s, x, y: torch.minimum(*both(x, y)),
    "AtLeast": lambda s, x, y: bound(x, y, "min"), "AtMost": lambda s, x, y: bound(x, y, "max"),
    "Pow": lambda s, x, y: torch.pow(x, y), "FloorDiv": lambda s, x, y: floor_divide(*both(x, y)), "Remainder": lambda s, x, y: torch.remainder(x, y),
    "Fmod": lambda s, x, y: torch.fmod(*both(x, y)), "Hypot": lambda s, x, y: torch.hypot(*both(x, y)), "LogAddExp": lambda s, x, y: torch.logaddexp(*both(x, y)),
    "Atan2": lambda s, x, y: torch.atan2(*both(x, y)), "XLogY": lambda s, x, y: torch.xlogy(x, y),
    "Equal": lambda s, x, y: torch.eq(*both(x, y)), "NotEqual": lambda s, x, y: torch.ne(*both(x, y)), "Less": lambda s, x, y: torch.lt(*both(x, y)),
    "LessEqual": lambda s, x, y: torch.le(*both(x, y)), "Greater": lambda s, x, y: torch.gt(*both(x, y)), "GreaterEqual": lambda s, x, y: torch.ge(*both(x, y)),
    "And": lambda s, x, y: torch.logical_and(x, y), "Or": lambda s, x, y: torch.logical_or(x, y), "Xor": lambda s, x, y: torch.logical_xor(x, y),
    "BitAnd": lambda s, x, y: x & y, "BitOr": lambda s, x, y: x | y, "BitXor": lambda s, x, y: x ^ y, "Not": lambda s, x: torch.logical_not(x), "BitNot": lambda s, x: ~x,
    "Where": lambda s, c, x, y: torch.where(c, x, y), "Lerp": three(lambda x, y, w: x + w * (y - x)), "AddCMul": three(lambda x, y, z: x + y * z), "AddCDiv": three(lambda x, y, z: x + y / z),
    "MaskedFill": lambda s, x, c, v: torch.where(c, torch.tensor(v).to(x.dtype), x), "Exp2": lambda s, x: torch.exp2(flo(x)), "Cast": lambda s, x: x.to(TYPES[s.t]),
    "Softplus": lambda s, x: F.softplus(x), "Silu": lambda s, x: F.silu(x), "Mish": lambda s, x: F.mish(x), "Gelu": lambda s, x: F.gelu(x), "GeluTanh": lambda s, x: F.gelu(x, approximate="tanh"),
    "LogSigmoid": lambda s, x: F.logsigmoid(x), "Softsign": lambda s, x: F.softsign(x), "TanhShrink": lambda s, x: x - torch.tanh(x), "HardSigmoid": lambda s, x: F.hardsigmoid(x),
    "HardSwish": lambda s, x: F.hardswish(x), "Relu6": lambda s, x: F.relu6(x), "Selu": lambda s, x: F.selu(x), "Copy": lambda s, x: x.contiguous().clone(), "StopGradient": lambda s, x: x.detach().clone(),
    "ZerosLike": lambda s, x: torch.zeros_like(x), "FullLike": lambda s, x: torch.full_like(x, s.f[0]), "Clamp": lambda s, x: torch.clamp(x, s.f[0], s.f[1]), "ClampMin": lambda s, x: torch.clamp(x, min=s.f[0]),
    "ClampMax": lambda s, x: torch.clamp(x, max=s.f[0]), "HardTanh": lambda s, x: F.hardtanh(x, s.f[0], s.f[1]), "LeakyRelu": lambda s, x: F.leaky_relu(x, s.f[0]), "Elu": lambda s, x: F.elu(x, s.f[0]),
    "Celu": lambda s, x: F.celu(x, s.f[0]), "HardShrink": lambda s, x: F.hardshrink(x, s.f[0]), "SoftShrink": lambda s, x: F.softshrink(x, s.f[0]),
    "Sum": reduce(torch.sum), "Mean": reduce(torch.mean), "Prod": reduce(fold_prod), "Max": reduce(torch.amax), "Min": reduce(torch.amin), "Any": reduce(fold_logic(torch.any)), "All": reduce(fold_logic(torch.all)),
    "ArgMax": place(torch.argmax), "ArgMin": place(torch.argmin), "LogSumExp": reduce(torch.logsumexp), "Norm": lambda s, x: fold_norm(x, s.f[0], s.i or None, s.keep),
    "Var": lambda s, x: torch.var(x, s.i or None, correction=int(s.f[0]), keepdim=s.keep), "Std": lambda s, x: torch.std(x, s.i or None, correction=int(s.f[0]), keepdim=s.keep),
    "MaxIndex": lambda s, x: list(torch.max(x, s.i[0], s.keep)), "MinIndex": lambda s, x: list(torch.min(x, s.i[0], s.keep)), "Softmax": lambda s, x: torch.softmax(x, s.i[0]), "LogSoftmax": lambda s, x: torch.log_softmax(x, s.i[0]),
    "CumSum": lambda s, x: torch.cumsum(x, s.i[0]), "CumProd": lambda s, x: torch.cumprod(x, s.i[0]), "Standardize": lambda s, x: standardize(x, s.i or list(range(x.dim())), s.f[0]),
    "Reshape": lambda s, x: x.reshape(s.s), "Flatten": lambda s, x: torch.flatten(x, s.i[0], s.i[1]), "Transpose": lambda s, x: x.transpose(s.i[0], s.i[1]), "Permute": lambda s, x: x.permute(s.i),
    "Diagonal": lambda s, x: torch.diagonal(x, s.i[0], s.i[1], s.i[2]), "Expand": lambda s, x: x.expand(s.s), "Tile": lambda s, x: torch.tile(x, s.s), "Flip": lambda s, x: torch.flip(x, s.i), "Squeeze": lambda s, x: x.squeeze(s.i),
    "Unsqueeze": lambda s, x: x.unsqueeze(s.i[0]), "Triu": lambda s, x: torch.triu(x, s.i[0]), "Tril": lambda s, x: torch.tril(x, s.i[0]), "AsStrided": as_strided, "Slice": lambda s, x: shifted(x, s),
    "Narrow": lambda s, x: torch.narrow(x, s.i[0], s.s[0], s.s[1]), "Select": lambda s, x: torch.select(x, s.i[0], s.s[0]), "Pad": pad, "Roll": lambda s, x: torch.roll(x, s.i[1], s.i[0]),
    "RepeatInterleave": lambda s, x: torch.repeat_interleave(x, s.s[0], s.i[0]), "Window": window, "MoveAxis": lambda s, x: torch.movedim(x, s.i[0], s.i[1]), "Fold": fold,
    "Concat": lambda s, *x: torch.cat(x, s.i[0]), "Stack": lambda s, *x: torch.stack(x, s.i[0]), "Split": lambda s, x: list(torch.split(x, s.i[1], s.i[0])), "Chunk": lambda s, x: list(torch.chunk(x, s.i[1], s.i[0])),
    "Unbind": lambda s, x: list(torch.unbind(x, s.i[0])), "Iota": iota, "Full": lambda s: torch.full(s.s, s.f[0]).to(TYPES[s.t]), "Size": lambda s: torch.tensor(s.s[0]).to(TYPES[s.t]),
    "MatMul": lambda s, x, y: torch.matmul(x, y), "Outer": lambda s, x, y: torch.outer(x, y), "Linear": lambda s, x, w, b: F.linear(x, w, b), "Einsum": lambda s, *x: torch.einsum(s.text, *x),
    "Conv1D": conv, "Conv2D": conv, "ConvTranspose1D": conv, "ConvTranspose2D": conv, "MaxPool1D": pool, "MaxPool2D": pool, "AvgPool1D": pool, "AvgPool2D": pool,
    "LayerNorm": lambda s, x, g, b: affine(standardize(x, trailing(x, g, b), s.f[0]), g, b), "LayerNormOver": lambda s, x, g, b: F.layer_norm(x, s.s, g, b, s.f[0]), "RMSNorm": rms_norm, "BatchNorm": batch_norm, "GroupNorm": group_norm,
    "BatchNormInference": batch_norm_inference, "GLU": lambda s, x: F.glu(x, s.i[0]), "PRelu": prelu,
    "MSE": loss(F.mse_loss), "L1": loss(F.l1_loss), "Huber": loss(F.huber_loss), "SmoothL1": loss(F.smooth_l1_loss), "BCE": loss(F.binary_cross_entropy), "BCEWithLogits": loss(F.binary_cross_entropy_with_logits),
    "KLDiv": loss(F.kl_div), "CrossEntropy": likelihood(F.cross_entropy), "NLL": likelihood(F.nll_loss),
    "Take": lambda s, x, i: take(x, s.i[0], i), "IndexSelect": lambda s, x, i: torch.index_select(x, s.i[0], i), "Gather": lambda s, x, i: torch.gather(x, s.i[0], i), "SegmentSum": segment_sum,
    "Scatter": lambda s, x, i, y: torch.scatter(x, s.i[0], i, y), "ScatterAdd": lambda s, x, i, y: torch.scatter_add(x, s.i[0], i, y),
    "IndexCopy": lambda s, x, i, y: torch.index_copy(x, s.i[0], i, y), "IndexAdd": lambda s, x, i, y: torch.index_add(x, s.i[0], i, y),
    "Sort": lambda s, x: list(torch.sort(x, dim=s.i[0], descending=bool(s.i[1]), stable=True)), "TopK": lambda s, x: list(torch.topk(x, s.i[0], s.i[1], bool(s.i[2]))),
    "CumMax": lambda s, x: list(torch.cummax(x, s.i[0])), "CumMin": lambda s, x: list(torch.cummin(x, s.i[0])), "KthValue": lambda s, x: list(torch.kthvalue(x, s.i[0], s.i[1])),
    "Embedding": lambda s, i, w: F.embedding(i, w, padding_idx=s.i[0] if s.i else None), "OneHot": lambda s, i: F.one_hot(i, s.s[0]).to(TYPES[s.t]),
}
for name in "Exp Log Sin Cos Tan Tanh Sqrt Erf Sigmoid Asin Acos Atan Asinh Acosh Atanh Sinh Cosh Log1p Expm1 Reciprocal Log2 Log10 Rsqrt Frac Neg Abs Square Relu Sign Floor Ceil Round Trunc IsNaN IsInf IsFinite".split():
    OPS[name] = (lambda f: lambda s, x: f(x))(getattr(torch, name.lower()))
WRITES = {"AddInPlace": "Add", "SubInPlace": "Sub", "MulInPlace": "Mul", "DivInPlace": "Div", "PowInPlace": "Pow"}


def both(x, y):
    """Numbers of the program become scalars of the type that they have beside a tensor."""
    t = torch.result_type(x, y)
    return [v if torch.is_tensor(v) else torch.tensor(v, dtype=t) for v in (x, y)]


def bound(x, y, which):
    x, y = both(x, y)
    t = torch.result_type(x, y)
    return torch.clamp(*[v.to(t) for v in torch.broadcast_tensors(x, y)[:1]], **{which: torch.broadcast_tensors(x, y)[1].to(t)})


def root(x):
    return x if x._base is None else x._base


def rebased(x, base):
    return torch.as_strided(base, x.shape, x.stride(), x.storage_offset())


def write(s, x):
    target = x[0]
    if s.op == "CopyInPlace":
        value = x[1]
    elif s.op == "InPlace":
        value = OPS[s.text](s, target)
    else:
        value = OPS[WRITES[s.op]](s, *x)
    base = root(target)
    if not base.is_contiguous() or base.storage_offset() != 0:
        raise Unknown("a base that is not dense")
    view = rebased(target, base.clone())
    view.copy_(value if torch.is_tensor(value) else torch.tensor(value))
    return view


def scan(s, x, *rest):
    axis, carried, reverse = s.i
    state, outer, kept = rest[:carried], rest[carried:], [None] * x.shape[axis]
    for t in sorted(range(len(kept)), reverse=reverse == 1):
        local = [*state, x.select(axis, t), *outer]
        for b in s.body:
            local.append(OPS[b.op](b, *[local[k] for k in b.operands]))
        state, kept[t] = local[-carried:], local[-1]
    return [*state, torch.stack(kept, axis) if kept else torch.zeros_like(x)]


OPS["Scan"] = scan


def compute(program, run):
    at, values = run["At"], []
    for x, data in zip(program["Inputs"], run["Inputs"]):
        shape = [size(d, at) for d in x["Shape"] or []]
        values.append(torch.tensor(data, dtype=torch.float64).to(TYPES[x["T"]]).reshape(shape))
    inputs = list(values)
    d = program.get("Gradient")
    for k in d["Wrt"] if d else []:
        values[k].requires_grad_()
    ops = [s["Op"] for s in program["Steps"]]
    if "Flip" in ops and any("InPlace" in op for op in ops):
        raise Unknown("flip is no view")
    for step in program["Steps"]:
        s = Step(step, at)
        x = [None if k < 0 else values[k] for k in step.get("In") or []]
        if s.op == "Num":
            y = int(s.f[0]) if s.t else float(s.f[0])
        elif s.op == "After":
            y = rebased(x[0], root(x[1]))
        elif "InPlace" in s.op:
            y = write(s, x)
        elif s.op not in OPS or step.get("Outside"):
            raise Unknown(s.op)
        else:
            y = OPS[s.op](s, *x)
        values += y if isinstance(y, list) else [y]
    out = [values[k] for k in program["Outputs"] or []]
    if d:
        wrt = [values[k] for k in d["Wrt"]]
        up = None if d["Up"] < 0 else values[d["Up"]]
        zero = lambda list, like: [torch.zeros_like(v) if g is None else g for g, v in zip(list, like)]
        y = values[d["Of"]]
        first = [None] * len(wrt)
        if y.requires_grad:
            first = torch.autograd.grad(y, wrt, grad_outputs=up, create_graph=d["Second"], allow_unused=True)
        first = zero(first, wrt)
        out += first
        if d["Second"]:
            total = sum((g * torch.tensor(run["Along"][str(k)], dtype=torch.float64).to(g.dtype).reshape(g.shape)).sum() for g, k in zip(first, d["Wrt"]))
            second = torch.autograd.grad(total, wrt, allow_unused=True) if total.requires_grad else [None] * len(wrt)
            out += zero(second, wrt)
    for k, x in enumerate(program["Inputs"]):
        if not (d and d.get("Rate") and x.get("Param") and k in d["Wrt"]):
            v = inputs[k]
            for w in program["Updates"] or []:
                if w in run["Writes"].get(str(k), []):
                    v = rebased(inputs[k], root(values[w]))
            out.append(v)
    return [{"T": str(v.dtype)[6:], "Shape": list(v.shape), "Data": [repr(float(e)) for e in v.detach().reshape(-1).tolist()]} for v in out]


def whole(text):
    """Go writes the float -0 as a whole number, which would lose its sign."""
    return -0.0 if text == "-0" else int(text)


def main():
    for item in json.loads(DATA, parse_int=whole):
        answers = []
        for run in item["Runs"]:
            try:
                answers.append({"Values": compute(item["Program"], run)})
            except Exception as e:
                answers.append({"Error": type(e).__name__ + ": " + str(e).split("\n")[0]})
        print(json.dumps(answers))
        sys.stdout.flush()


