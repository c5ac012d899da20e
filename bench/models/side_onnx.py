"""The ONNX Runtime side: forward models, as graphs whose weights are constants. serve.py answers for it."""
import os
import time

import numpy
import onnxruntime
from onnx import TensorProto, helper, numpy_helper


class Graph:
    """A graph that grows node by node: a call such as g.MatMul(a, b) adds one, and returns the name of its result."""

    def __init__(self, values, held):
        self.nodes, self.initializers, self.inputs, self.feed = [], [], [], {}
        for name, v in values.items():
            if name in held:
                self.initializers.append(numpy_helper.from_array(v, name))
                continue
            dtype = TensorProto.INT64 if v.dtype == numpy.int64 else TensorProto.FLOAT
            self.inputs.append(helper.make_tensor_value_info(name, dtype, v.shape))
            self.feed[name] = v

    def __getattr__(self, op):
        def add(*inputs, outputs=1, **attributes):
            names = [f"{op}_{len(self.nodes)}_{i}" for i in range(outputs)]
            inputs = [i if isinstance(i, str) else self.constant(i) for i in inputs]
            self.nodes.append(helper.make_node(op, inputs, names, **attributes))
            return names[0] if outputs == 1 else names
        return add

    def constant(self, value):
        """Numbers with a point are float32, others int64."""
        value = numpy.asarray(value)
        value = value.astype(numpy.float32 if value.dtype.kind == "f" else numpy.int64)
        self.initializers.append(numpy_helper.from_array(value, f"constant_{len(self.initializers)}"))
        return self.initializers[-1].name

    def session(self, results):
        outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in results]
        graph = helper.make_graph(self.nodes, "model", self.inputs, outputs, self.initializers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = int(os.environ["BENCH_THREADS"]), 1
        options.add_session_config_entry("session.force_spinning_stop", "1")  # others run between calls
        return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def chain(g, v):
    return g.Sub(g.Mul(g.Tanh(g.Add(g.Mul("x", "y"), "b")), "x"), "y")


def black_scholes(g, v):
    def cdf(z):
        return g.Mul(0.5, g.Add(1.0, g.Erf(g.Div(z, 2 ** 0.5))))
    deviation = g.Mul("v", g.Sqrt("t"))
    drift = g.Mul(g.Add("r", g.Div(g.Mul("v", "v"), 2.0)), "t")
    d1 = g.Div(g.Add(g.Log(g.Div("s", "k")), drift), deviation)
    discounted = g.Mul("k", g.Exp(g.Mul(g.Neg("r"), "t")))
    return g.Sub(g.Mul("s", cdf(d1)), g.Mul(discounted, cdf(g.Sub(d1, deviation))))


def sums(g, v):
    z = g.Mul("x", "y")
    return g.ReduceSum(z, [0], keepdims=0), g.ReduceSum(z, [1], keepdims=0)


def decoder(g, v):
    layers = sum(name.startswith("wo") for name in v)
    batch, length = v["x"].shape
    d = v["tokens"].shape[1]
    z = g.Add(g.Gather("tokens", "x"), "positions")
    for i in range(layers):
        n = g.LayerNormalization(z, f"g1_{i}", f"c1_{i}", epsilon=1e-5)
        qkv = g.Reshape(g.Add(g.MatMul(n, f"wqkv{i}"), f"bqkv{i}"), [batch, length, 3, d // 64, 64])
        parts = g.Split(g.Transpose(qkv, perm=[2, 0, 3, 1, 4]), outputs=3, num_outputs=3)
        a = g.Attention(*(g.Squeeze(part, [0]) for part in parts), is_causal=1)
        a = g.Reshape(g.Transpose(a, perm=[0, 2, 1, 3]), [batch, length, d])
        z = g.Add(g.Add(z, g.MatMul(a, f"wo{i}")), f"bo{i}")
        n = g.LayerNormalization(z, f"g2_{i}", f"c2_{i}", epsilon=1e-5)
        n = g.Gelu(g.Add(g.MatMul(n, f"w1_{i}"), f"b1_{i}"))
        z = g.Add(g.Add(z, g.MatMul(n, f"w2_{i}")), f"b2_{i}")
    return g.MatMul(g.LayerNormalization(z, "g", "c", epsilon=1e-5), g.Transpose("tokens", perm=[1, 0]))


BLOCKS = ((64, 64, 1), (64, 64, 1), (64, 128, 2), (128, 128, 1), (128, 256, 2), (256, 256, 1), (256, 512, 2), (512, 512, 1))


# The blocks of MobileNetV2 whose depthwise convolution halves images.
HALVING = (1, 3, 6, 13)


def conv_norm(g):
    def layer(x, s, stride=1, padding=0, groups=1):
        x = g.Conv(x, "w" + s, strides=[stride] * 2, pads=[padding] * 4, group=groups)
        return g.BatchNormalization(x, "g" + s, "b" + s, "mean" + s, "variance" + s, epsilon=1e-5)
    return layer


def resnet(g, v):
    layer = conv_norm(g)
    z = g.MaxPool(g.Relu(layer("x", "0", 2, 3)), kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    for i, (channels, filters, stride) in enumerate(BLOCKS):
        y = layer(g.Relu(layer(z, f"a{i}", stride, 1)), f"b{i}", 1, 1)
        if channels != filters or stride != 1:
            z = layer(z, f"p{i}", stride, 0)
        z = g.Relu(g.Add(y, z))
    return g.Add(g.MatMul(g.ReduceMean(z, [2, 3], keepdims=0), "head"), "bias")


def mobilenet(g, v):
    layer = conv_norm(g)
    def relu6(x):
        return g.Clip(x, 0.0, 6.0)
    z = relu6(layer("x", "0", 2, 1))
    for i in range(sum(name.startswith("wb") for name in v)):
        y = relu6(layer(z, f"a{i}")) if f"wa{i}" in v else z
        y = relu6(layer(y, f"b{i}", 1 + (i in HALVING), 1, len(v[f"wb{i}"])))
        y = layer(y, f"c{i}")
        adds = i not in HALVING and f"wa{i}" in v and v[f"wa{i}"].shape[1] == v[f"wc{i}"].shape[0]
        z = g.Add(z, y) if adds else y
    return g.Gemm(g.ReduceMean(relu6(layer(z, "last")), [2, 3], keepdims=0), "head", "bias", transB=1)


KINDS = {
    "chain_fwd": chain, "bias_gelu": lambda g, v: g.Gelu(g.Add("x", "b")), "add": lambda g, v: g.Add("x", "y"),
    "black_scholes": black_scholes, "softmax": lambda g, v: g.Softmax("x", axis=-1), "colsum_rowsum": sums,
    "matmul": lambda g, v: g.MatMul("x", "y"), "attention": lambda g, v: g.Attention("q", "k", "v", is_causal=1),
    "gpt_fwd": decoder, "resnet_fwd": resnet, "mobilenet_fwd": mobilenet,
}


class Model:
    def __init__(self, kind, optimizer, mode, tensors, values):
        if kind not in KINDS:
            raise NotImplementedError("it computes no gradients, and has no graph of this one")
        start = time.perf_counter()
        g = Graph(values, {t["name"] for t in tensors if t["held"]})
        results = KINDS[kind](g, values)
        self.feed = g.feed
        self.session = g.session(results if isinstance(results, tuple) else (results,))
        self.seconds = time.perf_counter() - start

    def call(self):
        self.out = self.session.run(None, self.feed)

    def compile_seconds(self, first):
        return self.seconds

    def results(self):
        return self.out

    def peak(self):
        return 0
