"""The Python side of measurements by turns. It reads requests, one JSON object a line, and answers each with a line.

{"product": {...}}, {"convolution": {...}}  prepares NumPy's or PyTorch's; answers {"check": the mean magnitude of a result}
{"transform": {...}}                        does so with a Fourier transform of PyTorch
{"matrices": {...}}                         does so with a function of torch.linalg
{"integers": {...}}                         does so with an operator of ONNX Runtime
{"derivative": {...}}                       does so with a function that JAX maps or differentiates
{"calls": n}                                makes n calls; answers {"seconds": how long they took}

The environment bounds the threads: OPENBLAS_NUM_THREADS, OMP_NUM_THREADS, BENCH_THREADS.
"""
import json
import os
import sys
import time

import numpy


def numbers(dtype, *shape):
    """Whole numbers from -3 to 3 without a pattern, the same as on the other side."""
    index = numpy.arange(int(numpy.prod(shape)), dtype=numpy.int64)
    return ((index * 2654435761 % 2**32 >> 16) % 7 - 3).astype(dtype).reshape(shape)


def product(m, n, k, transpose_a, transpose_b, dtype):
    dtype = numpy.dtype(dtype).type
    a = numbers(dtype, k, m).T if transpose_a else numbers(dtype, m, k)
    b = numbers(dtype, n, k).T if transpose_b else numbers(dtype, k, n)
    c = numpy.empty((m, n), dtype)
    return lambda: numpy.matmul(a, b, out=c)


PLAIN, DEPTHWISE, TRANSPOSED = range(3)  # kinds of convolutions


def convolution(batch, channels, size, filters, kernel, stride, padding, kind=PLAIN):
    import torch
    from torch.nn.functional import conv2d, conv_transpose2d
    shape = {PLAIN: (filters, channels), DEPTHWISE: (filters, 1), TRANSPOSED: (channels, filters)}[kind]
    x = torch.from_numpy(numbers(numpy.float32, batch, channels, size, size))
    w = torch.from_numpy(numbers(numpy.float32, *shape, kernel, kernel))

    @torch.inference_mode()
    def call():
        if kind == TRANSPOSED:
            return conv_transpose2d(x, w, stride=stride, padding=padding)
        return conv2d(x, w, stride=stride, padding=padding, groups=channels if kind == DEPTHWISE else 1)
    return call


def integers(op, dtypes, shapes, attributes, weights):
    import onnx
    import onnxruntime
    values = [numbers(numpy.dtype(t).type, *shape) for t, shape in zip(dtypes, shapes)]
    names = [f"x{i}" for i in range(len(values))]
    feed = {name: v for i, (name, v) in enumerate(zip(names, values)) if i not in weights}
    declared = [onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(v.dtype), v.shape) for name, v in feed.items()]
    constants = [onnx.numpy_helper.from_array(values[i], names[i]) for i in weights]
    node = onnx.helper.make_node(op, names, ["y"], **attributes)
    graph = onnx.helper.make_graph([node], "g", declared, [onnx.helper.make_tensor_value_info("y", onnx.TensorProto.INT32, None)], constants)
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = int(os.environ["BENCH_THREADS"])
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, feed)[0]


def transform(name, shape, pairs, dtype):
    import torch
    x = torch.from_numpy(numbers(numpy.dtype(dtype).type, *shape))
    if pairs:
        x = torch.view_as_complex(x)
    f = getattr(torch.fft, name)

    @torch.inference_mode()
    def call():
        return f(x) if "2" in name else f(x, dim=-1)
    return call


def matrices(name, shape, operands, dtype):
    import torch
    a = torch.from_numpy(numbers(numpy.dtype(dtype).type, *shape))
    b, eye = a, 4 * shape[-1] * torch.eye(shape[-1], dtype=a.dtype)

    @torch.inference_mode()
    def call():
        if name == "slogdet":
            return torch.linalg.slogdet(a + eye)[1]
        if name == "qr":
            return torch.linalg.qr(a + eye)[1]
        if name == "solve_triangular":
            return torch.linalg.solve_triangular(a + eye, b, upper=False)
        return getattr(torch.linalg, name)(*[a + eye, b][:operands])
    return call


def derivative(name, shapes):
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["NPROC"] = os.environ["BENCH_THREADS"]  # the size of XLA's pool
    if os.environ["BENCH_THREADS"] == "1":
        os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_cpu_multi_thread_eigen=false"
    import jax
    from jax import numpy as jnp
    jax.config.update("jax_default_matmul_precision", "highest")

    def layers(x, w, v):
        return jnp.tanh(x @ (w * 0.02)) @ (v * 0.02)

    def loss(p, x):
        return (layers(x, *p) ** 2).mean()

    def conv(x, w):
        return jax.lax.conv_general_dilated(x[None], w, (1, 1), "SAME")[0]

    def image_loss(w, x):
        y = jax.nn.relu(conv(jax.nn.relu(conv(x, w[0] * 0.1)), w[1] * 0.05))
        return (y ** 2).mean()

    def lstm(x, w, u):
        def step(carry, e):
            h, c = carry
            a, b, d, o = jnp.split(e @ (w * 0.02) + h @ (u * 0.02), 4)
            c = jax.nn.sigmoid(a) * c + jax.nn.sigmoid(b) * jnp.tanh(d)
            return (jax.nn.sigmoid(o) * jnp.tanh(c), c), None
        return jax.lax.scan(step, (jnp.zeros(64), jnp.zeros(64)), x)[0][0]

    f = {
        "norms of the gradients of 128 examples": lambda x, w, v: jax.vmap(
            lambda e: sum((d ** 2).sum() for d in jax.grad(loss)((w, v), e)))(x),
        "gradients of 32 images": lambda x, w, v: jax.vmap(lambda e: jax.grad(image_loss)((w, v), e)[1])(x),
        "16 networks of their own weights": lambda x, w, v: jax.vmap(lambda a, b: layers(x, a, b))(w, v),
        "distances of 512 and 512 points": lambda x, y: jax.vmap(lambda a: jax.vmap(lambda b: ((a - b) ** 2).sum())(y))(x),
        "an LSTM cell over 20 steps, 32 examples": lambda x, w, u: jax.vmap(lambda e: lstm(e, w, u))(x),
        "solutions of 256 systems of 16": jax.vmap(lambda a, b: jnp.linalg.solve(a + 64 * jnp.eye(16), b)),
        "Jacobian of 64 by 64": lambda x, w, v: jax.jacrev(layers)(x[0], w, v),
        "Jacobian of 1024 by 16": lambda x, w, v: jax.jacfwd(layers)(x[0], w, v),
        "Jacobians of 64 examples, 16 by 32": lambda x, w, v: jax.vmap(lambda e: jax.jacrev(layers)(e, w, v))(x),
        "Hessian of 128": lambda x, w, v: jax.hessian(lambda e: (layers(e, w, v) ** 2).sum())(x[0]),
        "Hessian with a vector, 235000 weights": lambda x, w, v, dw, dv: jax.jvp(
            lambda p: jax.grad(loss)(p, x), ((w, v),), ((dw, dv),))[1][0],
        "in a direction, 235000 weights": lambda x, w, v, dw, dv: jax.jvp(
            lambda p: layers(x, *p), ((w, v),), ((dw, dv),))[1],
    }[name]
    inputs = [jnp.asarray(numbers(numpy.float32, *shape)) for shape in shapes]
    compiled = jax.jit(f).lower(*inputs).compile()
    return lambda: compiled(*inputs).block_until_ready()


def real(y):
    """The numbers of a result: of complex ones both parts."""
    y = numpy.asarray(y)
    if numpy.iscomplexobj(y):
        y = numpy.stack([y.real, y.imag])
    return y.astype(numpy.float64)


def answer(request):
    global call
    if "calls" in request:
        start = time.perf_counter()
        for _ in range(request["calls"]):
            call()
        return {"seconds": time.perf_counter() - start}
    if "product" in request:
        call = product(**request["product"])
    elif "transform" in request:
        call = transform(**request["transform"])
    elif "matrices" in request:
        call = matrices(**request["matrices"])
    elif "integers" in request:
        call = integers(**request["integers"])
    elif "derivative" in request:
        call = derivative(**request["derivative"])
    else:
        call = convolution(**request["convolution"])
    return {"check": float(numpy.abs(real(call())).mean())}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
