"""Writes quantize.json: what ONNX Runtime and onnx's ReferenceEvaluator make of quantised operations, to the bit. Both must agree, but where a case says
which of them is right, and why. Run: python3 quantize.py > quantize.json"""
import json
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

np.seterr(all="ignore")
random = np.random.default_rng(1)
cases = []
narrow = {"int4": np.int8, "uint4": np.uint8, "int2": np.int8, "uint2": np.uint8}
runtime, reference, both = "onnxruntime", "ReferenceEvaluator", "both"


def tensor(v):
    v = np.asarray(v)
    v = v.astype(narrow.get(v.dtype.name, v.dtype))
    return {"dtype": v.dtype.name, "shape": list(v.shape), "hex": v.tobytes().hex()}


def same(a, b):
    a, b = np.asarray(a).astype(np.float64), np.asarray(b).astype(np.float64)
    return a.shape == b.shape and bool(np.all((a == b) & (np.signbit(a) == np.signbit(b)) | np.isnan(a) & np.isnan(b)))


def case(op, outputs, *inputs, judge=both, opset=25, **attributes):
    """One node. Its operands may be None. Elements of less than a byte are written as bytes, with how many bits they have."""
    names = ["i%d" % i if v is not None else "" for i, v in enumerate(inputs)]
    node = helper.make_node(op, names, ["o%d" % i for i in range(outputs)], **attributes)
    constants = [numpy_helper.from_array(np.asarray(v), n) for n, v in zip(names, inputs) if n]

    def model(nodes, results):
        graph = helper.make_graph(nodes, op, [], [helper.make_empty_tensor_value_info(r) for r in results], constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=11)

    answers = None
    if judge != runtime:
        answers = ReferenceEvaluator(model([node], list(node.output))).run(None, {})
    if judge != reference:
        nodes, results = [node], list(node.output)
        kind = np.asarray(answers[0]).dtype.name if answers else ""
        if kind in narrow or kind.startswith("float8"):
            nodes, results = [node, helper.make_node("Cast", ["o0"], ["c"], to=TensorProto.FLOAT if kind.startswith("float8") else TensorProto.INT32)], ["c"]
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        ran = onnxruntime.InferenceSession(model(nodes, results).SerializeToString(), options, providers=["CPUExecutionProvider"]).run(None, {})
        if answers is None:
            answers = ran
        elif not all(same(a, b) for a, b in zip(answers, ran)):
            raise SystemExit("%s %s %s: %s and %s" % (op, attributes, [v is not None and v.dtype.name for v in inputs], answers, ran))
    kind = np.asarray(answers[0]).dtype.name
    c = {"op": op, "attributes": dict(attributes), "judge": judge, "in": [tensor(v) if v is not None else None for v in inputs], "out": [tensor(v) for v in answers]}
    if kind in narrow:
        c["attributes"]["bits"] = int(kind[-1])
    cases.append(c)


def of(kind):
    return helper.tensor_dtype_to_np_dtype(kind)


f32, f16, bf16 = np.float32, np.float16, of(TensorProto.BFLOAT16)
e4, e5 = of(TensorProto.FLOAT8E4M3FN), of(TensorProto.FLOAT8E5M2)
bytes_and_words = [np.uint8, np.int8, np.uint16, np.int16]
parts = [of(t) for t in (TensorProto.UINT4, TensorProto.INT4, TensorProto.UINT2, TensorProto.INT2)]
zeros = {"uint8": 128, "int8": -3, "uint16": 40000, "int16": -30000, "uint4": 5, "int4": -2, "uint2": 1, "int2": -1}
scalar = lambda v, t: np.array(v, np.float32).astype(t)
usual = np.concatenate([random.normal(0, 40, 40), [0.5, 1.5, 2.5, -0.5, -1.5, 2000, -2000, 300]]).astype(f32).reshape(6, 8)
edges = np.array([0, -0.0, 1e-9, -1e-9, 2**-11, 2**-11 * 1.01, 2**-18, -(2**-18) * 1.01, 224, 228, 231.5, 232, 232.5, 236, -232.5, 28672, 30719, 32000, -1e6, np.inf, -np.inf, np.nan, 200, 17.03], f32)


def scales(shape, t):
    return random.uniform(0.1, 2, shape).astype(f32).astype(t)


def zero_points(shape, t):
    if t in (e4, e5):
        return np.zeros(shape, t)
    low, high = {"uint4": (0, 15), "int4": (-8, 7), "uint2": (0, 3), "int2": (-2, 1)}.get(np.dtype(t).name) or (np.iinfo(t).min, np.iinfo(t).max)
    return random.integers(low, high, shape, endpoint=True).astype(t)


# Rounding to quantised numbers. ONNX Runtime has no bfloat16 here.
for real in (f32, f16, bf16):
    judge = reference if real is bf16 else both
    for t in bytes_and_words + parts:
        zero = scalar(zeros[np.dtype(t).name], t)
        case("QuantizeLinear", 1, usual.astype(real), scalar(0.5, real), zero, judge=judge)
        case("QuantizeLinear", 1, usual.astype(real), scalar(0.3, real), zero, judge=judge)
        case("QuantizeLinear", 1, usual[:2].astype(real), scalar(3.7, real), judge=judge, output_dtype=helper.np_dtype_to_tensor_dtype(np.dtype(t)))
        x = random.normal(0, 20, (2, 3, 5)).astype(f32).astype(real)
        for axis in (1, -1):
            n = x.shape[axis]
            case("QuantizeLinear", 1, x, scales(n, real), zero_points(n, t), judge=judge, axis=axis)
        case("QuantizeLinear", 1, x, scales((2, 3, 2), real), zero_points((2, 3, 2), t), judge=judge, axis=2, block_size=4)
        case("QuantizeLinear", 1, x, scales((1, 3, 5), real), zero_points((1, 3, 5), t), judge=judge, axis=0, block_size=2)
        if real is f16:
            case("QuantizeLinear", 1, usual.astype(f16), scalar(0.3, f16), zero, judge=reference, precision=TensorProto.FLOAT)
    for t in (e4, e5):
        for saturate in (0, 1):
            # ONNX Runtime makes 448 of numbers from 464 to 480, and NaN of 61,440, which is in the middle between the greatest number and the next; PyTorch and
            # the evaluator make NaN and infinity of them.
            how = judge if saturate else reference
            for x, scale in ((usual, 0.3), (edges, 0.5), (edges, 0.3)):
                case("QuantizeLinear", 1, x.astype(real), scalar(scale, real), scalar(0, t), judge=how, saturate=saturate)
            x = random.normal(0, 200, (3, 5)).astype(f32).astype(real)
            case("QuantizeLinear", 1, x, scales(5, real), np.zeros(5, t), judge=how, saturate=saturate, axis=1)
            case("QuantizeLinear", 1, x, scales((3, 2), real), np.zeros((3, 2), t), judge=how, saturate=saturate, axis=1, block_size=3)
            case("QuantizeLinear", 1, x, scalar(0.7, real), judge=how, saturate=saturate, output_dtype=helper.np_dtype_to_tensor_dtype(t))
# The evaluator wraps around where a quotient is beyond int32.
for t in bytes_and_words:
    case("QuantizeLinear", 1, np.array([1e9, -1e9, 1e30, np.inf, -np.inf], f32), scalar(0.25, f32), scalar(zeros[np.dtype(t).name], t), judge=runtime)
    case("QuantizeLinear", 1, np.array([6e4, -6e4, np.inf, -np.inf], f16), scalar(0.25, f16), scalar(zeros[np.dtype(t).name], t), judge=runtime)
# Operands of two dtypes, and integers.
case("QuantizeLinear", 1, usual.astype(f16), scalar(0.3, f32), scalar(128, np.uint8), judge=reference)
case("QuantizeLinear", 1, (usual * 1000).astype(np.int32), scalar(31.7, f32), scalar(-7, np.int16), judge=reference, precision=TensorProto.FLOAT)

# The way back.
for real in (f32, f16, bf16):
    judge = reference if real is bf16 else both
    for t in bytes_and_words + parts:
        q = zero_points((2, 3, 5), t)
        case("DequantizeLinear", 1, q, scalar(0.037, real), scalar(zeros[np.dtype(t).name], t), judge=judge)
        case("DequantizeLinear", 1, q, scalar(0.37, real), judge=judge)
        for axis in (1, -1):
            case("DequantizeLinear", 1, q, scales(q.shape[axis], real), zero_points(q.shape[axis], t), judge=judge, axis=axis)
        case("DequantizeLinear", 1, q, scales((2, 3, 2), real), zero_points((2, 3, 2), t), judge=judge, axis=2, block_size=4)
        case("DequantizeLinear", 1, q, scales((1, 3, 5), real), judge=judge, axis=0, block_size=2)
    for t in (e4, e5):
        q = np.arange(256, dtype=np.uint8).view(t)
        case("DequantizeLinear", 1, q, scalar(0.37, real), scalar(0, t), judge=judge)
        case("DequantizeLinear", 1, q[:30].reshape(5, 6), scales(6, real), np.zeros(6, t), judge=judge, axis=1)
        case("DequantizeLinear", 1, q[100:130].reshape(5, 6), scales((2, 6), real), judge=judge, axis=0, block_size=3)
    case("DequantizeLinear", 1, random.integers(-2**31, 2**31, (3, 4), dtype=np.int32), scalar(0.001, real), judge=judge)

for v in (usual[:5], np.abs(usual[:3]), np.zeros((2, 2), f32)):
    case("DynamicQuantizeLinear", 3, v, judge=runtime)

# Products. Zero points and scales are those of a matrix, of its rows or of its columns. ONNX Runtime has none of the rows of the first matrix.
scalar = lambda v, t: np.array(v, t)
some = lambda t, *shape: random.integers(np.iinfo(t).min, np.iinfo(t).max, shape, t, True)
few = lambda *shape: random.uniform(0.01, 0.05, shape).astype(f32)
u8, i8 = np.uint8, np.int8
for s, t in ((u8, i8), (u8, u8), (i8, i8), (i8, u8)):
    judge = reference if (s, t) == (i8, u8) else both
    a, b = some(s, 5, 40), some(t, 40, 4)
    za, zb = some(s), some(t)
    case("MatMulInteger", 1, a, b, za, zb, judge=judge)
    case("MatMulInteger", 1, a, b, judge=judge)
    case("MatMulInteger", 1, a, b, None, some(t, 4), judge=judge)
    case("MatMulInteger", 1, a, b, some(s, 5, 1), some(t, 4), judge=reference)
    a3, b3 = some(s, 2, 3, 5, 9), some(t, 2, 1, 9, 4)
    case("MatMulInteger", 1, a3, b3, za, zb, judge=judge)
    case("MatMulInteger", 1, a3, b3, za, some(t, 2, 1, 1, 4), judge=judge)
    case("MatMulInteger", 1, a3, b3, some(s, 2, 3, 5, 1), some(t, 2, 1, 1, 4), judge=reference)
    case("MatMulInteger", 1, some(s, 9), some(t, 3, 9, 4), za, zb, judge=reference)
    case("MatMulInteger", 1, some(s, 3, 4, 9), some(t, 9), za, zb, judge=reference)
    # ONNX Runtime multiplies in float32, and the evaluator in float64.
    judge = runtime if judge == both else reference
    out = scalar(0.4, f32), some(s)
    case("QLinearMatMul", 1, a, few(), za, b, few(), zb, *out, judge=judge)
    case("QLinearMatMul", 1, a, few(), za, b, few(4), some(t, 4), *out, judge=judge)
    case("QLinearMatMul", 1, a, few(5, 1), some(s, 5, 1), b, few(4), some(t, 4), *out, judge=reference)
    case("QLinearMatMul", 1, a3, few(), za, b3, few(), zb, *out, judge=judge)
    case("QLinearMatMul", 1, a3, few(), za, b3, few(2, 1, 1, 4), some(t, 2, 1, 1, 4), *out, judge=judge)
    case("QLinearMatMul", 1, a3, few(2, 3, 5, 1), some(s, 2, 3, 5, 1), b3, few(2, 1, 1, 4), some(t, 2, 1, 1, 4), *out, judge=reference)

# Convolutions of one to three axes.
sizes = {1: (9,), 2: (7, 6), 3: (4, 3, 5)}
windows = {1: (3,), 2: (3, 2), 3: (2, 3, 2)}
pairs = [(u8, i8), (u8, u8), (i8, i8)]
for axes in (1, 2, 3):
    first = lambda *numbers: list(numbers[:axes])
    for how in (
        {},
        {"strides": first(2, 1, 2), "pads": first(1, 2, 0) + first(1, 2, 0), "dilations": first(1, 2, 1), "group": 2},
        {"strides": first(2, 2, 1), "pads": first(0, 2, 1) + first(2, 1, 0)},
        {"auto_pad": "SAME_UPPER", "strides": first(2, 1, 2)},
        {"auto_pad": "SAME_LOWER", "strides": first(1, 2, 2), "group": 2},
        {"pads": first(2, 0, 1) + first(2, 1, 1), "dilations": first(2, 1, 2)},  # as SAME_UPPER, which ONNX Runtime has without dilations
        {"auto_pad": "VALID", "strides": first(2, 2, 1)},
    ):
        pairs.append(pairs.pop(0))
        for s, t in pairs[:2]:
            x, w = some(s, 2, 2, *sizes[axes]), some(t, 6, 2 // how.get("group", 1), *windows[axes])
            zx, zw = some(s), some(t)
            if s is u8:
                case("ConvInteger", 1, x, w, zx, zw, judge=runtime, **how)
                if not how:
                    case("ConvInteger", 1, x, w, zx, judge=runtime, **how)
            bias = random.integers(-9000, 9000, 6, np.int32)
            case("QLinearConv", 1, x, few(), zx, w, few(6), np.repeat(zw, 6), scalar(0.9, f32), some(s), bias, judge=runtime, **how)
            case("QLinearConv", 1, x, few(), zx, w, few(), zw, scalar(0.7, f32), some(s), judge=runtime, **how)
    if axes == 2:
        case("ConvInteger", 1, some(u8, 1, 2, 5, 5), some(i8, 3, 2, 2, 3), some(u8), some(i8, 3), judge=reference)
sys.stdout.write("[\n" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases) + "\n]\n")
