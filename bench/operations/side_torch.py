# The PyTorch side. sidebyside/answers.py follows it. It is asked
#
# {"prepare": {"call": …, "setup": …, "tensors": [{"name", "dtype", "shape", "wrt"}, …], "sizes": {…}, "before": n}}
#               the bytes of the tensors follow, in order; after a setup makes n calls; makes a call, and the gradients for the tensors that are
#               "wrt" from that of the first result, "upstream"; answers {"shapes": those of the results}, or {"cannot": why}; the results
#               follow as float64
import math
import os
import sys
import warnings

import numpy
import torch
import torch.nn.functional as F

warnings.simplefilter("ignore")
torch.set_num_threads(int(os.environ["BENCH_THREADS"]))


def complexes(x):
    """Pairs along the last axis, as Broadloom has them, as complex numbers."""
    return torch.view_as_complex(x)


def distinct(x, results):
    """Results of a call of the reference, whose elements are random and so distinct."""
    return results


def step(optimizer, p, gradient):
    """A step of an optimiser, and what it makes of the parameter."""
    p.grad = gradient
    optimizer.step()
    return p.detach()


def sparse_step(optimizer, table, index, upstream):
    """A step of an optimiser that reads some rows of a table."""
    optimizer.zero_grad()
    F.embedding(index, table, sparse=True).backward(upstream)
    optimizer.step()
    return table.detach()


def read_tensor(t):
    dtype = getattr(torch, t["dtype"])
    count = math.prod(t["shape"])
    if count == 0:
        return torch.empty(t["shape"], dtype=dtype)
    data = bytearray(sys.stdin.buffer.read(count * dtype.itemsize))
    return torch.frombuffer(data, dtype=dtype).reshape(t["shape"]).requires_grad_(t["wrt"])


def prepare(request):
    call = prepared(**request["prepare"])
    arrays = [numbers(x) for x in call()]
    return call, {"shapes": [list(v.shape) for v in arrays]}, arrays


def prepared(call, setup, tensors, sizes, before):
    """A function that makes the call, and the gradients for the tensors that ask for them."""
    scope = dict(globals(), **(sizes or {}), **{t["name"]: read_tensor(t) for t in tensors})
    exec(setup, scope)
    code = compile(call, "call", "eval")
    wrt = [scope[t["name"]] for t in tensors if t["wrt"]]

    def forward():
        r = eval(code, scope)
        return list(r) if isinstance(r, (tuple, list)) else [r]

    def with_gradients():
        r = forward()
        return r[:1] + list(torch.autograd.grad(r[0], wrt, scope["upstream"], allow_unused=True))

    def without():
        with torch.no_grad():
            return forward()
    chosen = with_gradients if wrt else forward if setup else without
    for _ in range(before if setup else 0):
        chosen()
    return chosen


def numbers(x):
    if x is None:
        return numpy.zeros(0)
    if not isinstance(x, torch.Tensor):
        return numpy.asarray(x, numpy.float64)
    x = x.detach().resolve_conj().resolve_neg()
    x = torch.view_as_real(x) if x.is_complex() else x
    return numpy.array(x.to(torch.float64).numpy(), order="C")
