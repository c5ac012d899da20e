"""The Python side of measurements by turns. It reads requests, one JSON object a line, and answers each with a line.

{"product": {...}}, {"convolution": {...}}  prepares NumPy's or PyTorch's; answers {"check": the mean magnitude of a result}
{"calls": n}                                makes n calls; answers {"seconds": how long they took}

The environment bounds the threads: OPENBLAS_NUM_THREADS, OMP_NUM_THREADS.
"""
import json
import sys
import time

import numpy


def numbers(dtype, *shape):
    """Whole numbers from -3 to 3 without a pattern, the same as on the other side."""
    index = numpy.arange(numpy.prod(shape), dtype=numpy.uint64)
    return ((index * 2654435761 % 2**32 >> 16) % 7).astype(dtype).reshape(shape) - dtype(3)


def product(m, n, k, transpose_a, transpose_b, dtype):
    dtype = numpy.dtype(dtype).type
    a = numbers(dtype, k, m).T if transpose_a else numbers(dtype, m, k)
    b = numbers(dtype, n, k).T if transpose_b else numbers(dtype, k, n)
    c = numpy.empty((m, n), dtype)
    return lambda: numpy.matmul(a, b, out=c)


def convolution(batch, channels, size, filters, kernel, stride, padding):
    import torch
    x = torch.from_numpy(numbers(numpy.float32, batch, channels, size, size))
    w = torch.from_numpy(numbers(numpy.float32, filters, channels, kernel, kernel))

    @torch.inference_mode()
    def call():
        return torch.nn.functional.conv2d(x, w, stride=stride, padding=padding)
    return call


def answer(request):
    global call
    if "calls" in request:
        start = time.perf_counter()
        for _ in range(request["calls"]):
            call()
        return {"seconds": time.perf_counter() - start}
    if "product" in request:
        call = product(**request["product"])
    else:
        call = convolution(**request["convolution"])
    return {"check": float(numpy.abs(numpy.asarray(call(), numpy.float64)).mean())}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
