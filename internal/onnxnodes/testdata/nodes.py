"""Writes the node tests of ONNX, of onnx 1.23.2, one case a line in JSON.

python nodes.py > nodes.jsonl          all cases
python nodes.py small | gzip -9n > nodes.jsonl.gz

A line has the case's name, its nodes with operators, operands, results and attributes, the version of the operators, and the values of the
inputs and outputs: dtype, shape, and the bytes of the elements in base64. What cannot be told so has the reason in "left".
"small" leaves out the values of more than 8,192 bytes too.
"""
import base64
import json
import sys
import warnings

warnings.simplefilter("ignore")
import numpy as np  # noqa: E402
import onnx  # noqa: E402
import onnx.backend.test.loader as loader  # noqa: E402
from onnx import helper, numpy_helper  # noqa: E402

DTYPES = {"bool", "uint8", "int8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float8_e4m3fn", "float8_e5m2", "float16",
          "bfloat16", "float32", "float64"}
LIMIT = 8192 if "small" in sys.argv else 1 << 62


class Left(Exception):
    pass


def tensor(v):
    if isinstance(v, onnx.TensorProto):
        v = numpy_helper.to_array(v)
    if not isinstance(v, (np.ndarray, np.generic)):
        raise Left("not a tensor")
    v = np.asarray(v)
    if v.dtype.name not in DTYPES:
        name = "string" if v.dtype.kind in "OUS" else v.dtype.name
        raise Left("a tensor of " + name)
    return {"dtype": v.dtype.name, "shape": list(v.shape), "data": base64.b64encode(v.tobytes()).decode()}


def attribute(a):
    v = helper.get_attribute_value(a)
    if isinstance(v, onnx.GraphProto):
        raise Left("a body")
    if isinstance(v, onnx.TensorProto):
        return tensor(v)
    if isinstance(v, bytes):
        return v.decode()
    if isinstance(v, (int, float)):
        return v
    if isinstance(v, onnx.TypeProto) or isinstance(v, onnx.SparseTensorProto):
        raise Left("not a tensor")
    v = list(v)
    return [x.decode() if isinstance(x, bytes) else x for x in v]


def row(case):
    model = case.model
    nodes = model.graph.node
    domains = {x.domain: x.version for x in model.opset_import}
    r = {"name": case.name, "op": nodes[0].op_type if len(nodes) == 1 else "", "version": domains.get("", 0)}
    try:
        if len(case.data_sets) != 1 or model.functions or model.graph.initializer:
            raise Left("not one set of values")
        r["nodes"] = [{"op": n.op_type, "in": list(n.input), "out": list(n.output), "attrs": {a.name: attribute(a) for a in n.attribute}} for n in nodes]
        inputs, outputs = case.data_sets[0]
        r["in"] = [x.name for x in model.graph.input]
        r["out"] = [x.name for x in model.graph.output]
        r["values"] = {name: tensor(v) for name, v in list(zip(r["in"], inputs)) + list(zip(r["out"], outputs))}
        if sum(len(v["data"]) for v in r["values"].values()) * 3 // 4 > LIMIT:
            raise Left("long values")
    except Left as because:
        return {"name": case.name, "op": r["op"], "version": r["version"], "nodes": [{"op": n.op_type} for n in nodes], "left": str(because)}
    return r




for case in loader.load_model_tests(kind="node"):
    print(json.dumps(row(case), separators=(",", ":")))
