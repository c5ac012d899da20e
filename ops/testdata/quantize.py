"""Writes quantize.json: what ONNX Runtime makes of quantised operations. Run: python3 quantize.py > quantize.json"""
import json
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

random = np.random.default_rng(1)
cases = []


def case(op, outputs, *inputs, **attributes):
    names = ["i%d" % i for i in range(len(inputs))]
    node = helper.make_node(op, names, ["o%d" % i for i in range(outputs)], **attributes, **({"axis": 1} if op in ("QuantizeLinear", "DequantizeLinear") and inputs[1].ndim else {}))
    graph = helper.make_graph([node], op, [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(v.dtype), v.shape) for n, v in zip(names, inputs)],
                              [helper.make_empty_tensor_value_info("o%d" % i) for i in range(outputs)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    answers = onnxruntime.InferenceSession(model.SerializeToString()).run(None, dict(zip(names, inputs)))
    tensor = lambda v: {"dtype": v.dtype.name, "shape": list(v.shape), "data": v.ravel().tolist()}
    cases.append({"op": op, "in": [tensor(v) for v in inputs], "out": [tensor(np.asarray(v)) for v in answers]})


f32, scalar = np.float32, lambda v, t: np.array(v, t)
x = np.concatenate([random.normal(0, 40, 40), [0.5, 1.5, 2.5, -0.5, -1.5, 1e9, -1e9, 300]]).astype(f32).reshape(6, 8)
for t, zero in ((np.uint8, 128), (np.int8, -3), (np.uint16, 1000), (np.int16, 7)):
    case("QuantizeLinear", 1, x, scalar(0.5, f32), scalar(zero, t))
    q = random.integers(np.iinfo(t).min, np.iinfo(t).max, (3, 4), t, True)
    case("DequantizeLinear", 1, q, scalar(0.037, f32), scalar(zero, t))
case("QuantizeLinear", 1, x, random.uniform(0.1, 2, 8).astype(f32), random.integers(-9, 9, 8, np.int8))
for v in (x[:5], np.abs(x[:3]), np.zeros((2, 2), f32)):
    case("DynamicQuantizeLinear", 3, v)
a, b = random.integers(0, 255, (5, 300), np.uint8, True), random.integers(-128, 127, (300, 4), np.int8, True)
case("MatMulInteger", 1, a, b, scalar(130, np.uint8), scalar(-5, np.int8))
case("QLinearMatMul", 1, a, scalar(0.02, f32), scalar(130, np.uint8), b, scalar(0.03, f32), scalar(-5, np.int8), scalar(0.9, f32), scalar(110, np.uint8))
x, w = random.integers(0, 255, (2, 4, 7, 6), np.uint8, True), random.integers(-128, 127, (6, 2, 3, 2), np.int8, True)
window = {"strides": [2, 1], "pads": [1, 2, 1, 2], "dilations": [1, 2], "group": 2}
case("ConvInteger", 1, x, w, scalar(130, np.uint8), scalar(-5, np.int8), **window)
scales, zeros, bias = random.uniform(0.01, 0.05, 6).astype(f32), np.zeros(6, np.int8), random.integers(-9000, 9000, 6, np.int32)
for scale, zero in ((scalar(0.03, f32), scalar(-5, np.int8)), (scales, zeros)):
    case("QLinearConv", 1, x, scalar(0.02, f32), scalar(130, np.uint8), w, scale, zero, scalar(0.9, f32), scalar(110, np.uint8), bias, **window)
json.dump(cases, sys.stdout, separators=(",", ":"))
