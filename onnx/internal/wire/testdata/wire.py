"""Writes a model that has every kind of field, or judges one: wire.py write FILE, wire.py check FILE FILE."""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper


def everything():
    m = onnx.ModelProto(ir_version=10, producer_name="p", producer_version="1.5", domain="d", model_version=7, doc_string="doc")
    m.opset_import.add(domain="", version=20)
    m.opset_import.add(domain="own", version=1)
    m.metadata_props.add(key="k", value="v")
    m.training_info.add()  # to be skipped
    g = m.graph
    g.name, g.doc_string = "g", "of the graph"
    t = TensorProto
    g.initializer.append(t(name="f", dims=[2], data_type=t.FLOAT, float_data=[1.5, -2]))
    g.initializer.append(t(name="i", dims=[3], data_type=t.INT8, int32_data=[-1, 2, 127]))
    g.initializer.append(t(name="l", dims=[2], data_type=t.INT64, int64_data=[-(2**63), 5]))
    g.initializer.append(t(name="d", dims=[1], data_type=t.DOUBLE, double_data=[0.1]))
    g.initializer.append(t(name="u", dims=[1], data_type=t.UINT64, uint64_data=[2**64 - 1]))
    g.initializer.append(t(name="s", dims=[2], data_type=t.STRING, string_data=[b"", b"\xff"]))
    g.initializer.append(t(name="r", dims=[], data_type=t.FLOAT16, raw_data=b"\x00\x3c", doc_string="one"))
    e = g.initializer.add(name="e", dims=[4], data_type=t.FLOAT, data_location=t.EXTERNAL)
    e.external_data.add(key="location", value="w.bin")
    e.external_data.add(key="offset", value="4096")
    sparse = g.sparse_initializer.add(dims=[10])
    sparse.values.CopyFrom(t(name="sparse", dims=[1], data_type=t.FLOAT, float_data=[3]))
    sparse.indices.CopyFrom(t(dims=[1], data_type=t.INT64, int64_data=[9]))
    x = helper.make_tensor_value_info("x", t.FLOAT, ["batch", 3, None])
    x.doc_string = "fed"
    x.type.denotation = "IMAGE"
    g.input.append(x)
    g.input.append(helper.make_tensor_value_info("any", t.BFLOAT16, None))
    g.input.append(helper.make_tensor_value_info("scalar", t.INT4, []))
    g.input.append(helper.make_tensor_sequence_value_info("seq", t.INT32, [2]))
    o = g.input.add(name="opt")
    o.type.optional_type.elem_type.CopyFrom(helper.make_tensor_type_proto(t.BOOL, None))
    o = g.input.add(name="map")
    o.type.map_type.key_type = t.STRING
    g.output.append(helper.make_tensor_value_info("y", t.FLOAT, [0]))
    g.value_info.append(helper.make_tensor_value_info("mid", t.FLOAT, [-1]))
    n = helper.make_node("Op", ["x", "", "f"], ["y"], name="n", doc_string="of the node", domain="own", overload="o")
    a = n.attribute
    a.append(helper.make_attribute("f", 0.0))
    a.append(helper.make_attribute("i", -3))
    a.append(helper.make_attribute("s", b""))
    a.append(helper.make_attribute("t", t(dims=[0], data_type=t.FLOAT)))
    a.append(helper.make_attribute("g", onnx.GraphProto(name="inner", node=[helper.make_node("Abs", ["x"], ["z"])])))
    a.append(helper.make_attribute("floats", [1.0, 2.5]))
    a.append(helper.make_attribute("ints", [1, -2]))
    a.append(helper.make_attribute("strings", [b"a", b""]))
    a.append(helper.make_attribute("tensors", [t(name="in", dims=[0], data_type=t.FLOAT)]))
    a.append(helper.make_attribute("graphs", [onnx.GraphProto(name="g1"), onnx.GraphProto(name="g2")]))
    a.append(helper.make_attribute("tp", helper.make_tensor_type_proto(t.FLOAT, [1])))
    a.append(helper.make_attribute("sparse", sparse))
    a.append(onnx.AttributeProto(name="ref", ref_attr_name="alpha", type=onnx.AttributeProto.FLOAT, doc_string="d"))
    a.append(onnx.AttributeProto(name="old", i=4))
    g.node.append(n)
    f = m.functions.add(name="Op", domain="own", overload="o", doc_string="of the function")
    f.input.extend(["a", "b", "c"])
    f.output.append("r")
    f.attribute.append("alpha")
    f.attribute_proto.append(helper.make_attribute("beta", 2))
    f.node.append(helper.make_node("Add", ["a", "c"], ["r"]))
    f.opset_import.add(domain="", version=20)
    f.value_info.append(helper.make_tensor_value_info("r", t.FLOAT, None))
    return m


if sys.argv[1] == "write":
    with open(sys.argv[2], "wb") as out:
        out.write(everything().SerializeToString())
else:
    same, valid = onnx.load(sys.argv[2], load_external_data=False), onnx.load(sys.argv[3])
    want = everything()
    del want.training_info[:]
    want.graph.input.pop()  # the map
    want.graph.node[0].attribute[-1].type = onnx.AttributeProto.INT
    assert same == want, f"{same}\n\nand not\n\n{want}"
    onnx.checker.check_model(valid, full_check=True)
    assert np.array_equal(onnx.numpy_helper.to_array(valid.graph.initializer[0]), np.array([1, 2], np.float32))
