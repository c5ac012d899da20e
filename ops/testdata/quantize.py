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

scalar = lambda v, t: np.array(v, t)
a, b = random.integers(0, 255, (5, 300), np.uint8, True), random.integers(-128, 127, (300, 4), np.int8, True)
case("MatMulInteger", 1, a, b, scalar(130, np.uint8), scalar(-5, np.int8))
case("QLinearMatMul", 1, a, scalar(0.02, f32), scalar(130, np.uint8), b, scalar(0.03, f32), scalar(-5, np.int8), scalar(0.9, f32), scalar(110, np.uint8))
x, w = random.integers(0, 255, (2, 4, 7, 6), np.uint8, True), random.integers(-128, 127, (6, 2, 3, 2), np.int8, True)
window = {"strides": [2, 1], "pads": [1, 2, 1, 2], "dilations": [1, 2], "group": 2}
case("ConvInteger", 1, x, w, scalar(130, np.uint8), scalar(-5, np.int8), **window)
scales, zeros, bias = random.uniform(0.01, 0.05, 6).astype(f32), np.zeros(6, np.int8), random.integers(-9000, 9000, 6, np.int32)
for scale, zero in ((scalar(0.03, f32), scalar(-5, np.int8)), (scales, zeros)):
    case("QLinearConv", 1, x, scalar(0.02, f32), scalar(130, np.uint8), w, scale, zero, scalar(0.9, f32), scalar(110, np.uint8), bias, judge=runtime, **window)
sys.stdout.write("[\n" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases) + "\n]\n")
