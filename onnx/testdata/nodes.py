"""Writes the node tests of ONNX, of onnx 1.23.2, one case a line in JSON.

python nodes.py > nodes.jsonl          all cases
python nodes.py small | gzip -9n > nodes.jsonl.gz

A line has the case's name, and in base64 its model, and the tensors that it is fed and that are expected, as TensorProto: each input and output
is a list of them, which has one unless it is a sequence. "seq" lists the inputs that are sequences. What cannot be told so has the reason in "left".
"small" leaves out cases of more than 8,192 bytes.
"""
import base64
import json
import sys
import warnings

warnings.simplefilter("ignore")
import numpy as np  # noqa: E402
import onnx  # noqa: E402
import onnx.backend.test.loader as loader  # noqa: E402
from onnx import numpy_helper  # noqa: E402

LIMIT = 8192 if "small" in sys.argv else 1 << 62


class Left(Exception):
    pass


def text(message):
    return base64.b64encode(message.SerializeToString(deterministic=True)).decode()


def tensors(v):
    if v is None:
        raise Left("an optional value")
    if isinstance(v, list):
        return [tensors(x)[0] for x in v]
    if not isinstance(v, onnx.TensorProto):
        v = np.asarray(v)
        if v.dtype.kind in "OUS":
            raise Left("texts")
        v = numpy_helper.from_array(v)
    if v.data_type == onnx.TensorProto.STRING:
        raise Left("texts")
    return [text(v)]


def row(case):
    r = {"name": case.name, "op": case.model.graph.node[0].op_type}
    try:
        if len(case.data_sets) != 1:
            raise Left("not one set of values")
        inputs, outputs = case.data_sets[0]
        r["model"] = text(case.model)
        r["in"], r["out"] = [tensors(v) for v in inputs], [tensors(v) for v in outputs]
        r["seq"] = [x.name for x in case.model.graph.input if not x.type.HasField("tensor_type")]
        if sum(len(v) for side in (r["in"], r["out"]) for x in side for v in x) * 3 // 4 > LIMIT:
            raise Left("long values")
    except Left as because:
        return {"name": case.name, "op": r["op"], "left": str(because)}
    return r


for case in loader.load_model_tests(kind="node"):
    print(json.dumps(row(case), separators=(",", ":")))
