"""Writes what PyTorch's scaled_dot_product_attention computes: python3 dotproduct.py CASE ... > dotproduct.npz

A case is words: q=, k=, v= and mask=KIND: with a shape each, causal, gqa, scale=, dtype=, and blind for a mask whose second row hides all. All is
computed in float64 of numbers that each dtype has. Of y, of the gradients of sum(y·r), and of gradients of these gradients' sum with others, there is a
digest: the keys are CASE|KIND|OPERAND.
"""
import io
import sys

import numpy as np
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

out = {}


def numbers(i, shape):
    j = np.arange(int(np.prod(shape)), dtype=np.int64)
    return (((j * j * 31 + j * 17 + i * 1009) % 2039 % 255 - 127) / 128).reshape(shape)


def digest(x):
    x = x.detach().numpy().ravel()
    return np.concatenate([[np.isnan(x).sum(), (x * numbers(90, x.shape)).sum(), np.abs(x).sum()], x[:6], x[len(x) - min(6, len(x)):]])


for name in sys.argv[1:]:
    words = dict(w.split("=") if "=" in w else (w, "") for w in name.split())
    shape = {key: tuple(int(n) for n in words[key].split(":")[-1].split(",")) for key in "q k v mask".split() if key in words}
    x = {key: torch.tensor(numbers(i, shape[key]), requires_grad=True) for i, key in enumerate("qkv")}
    mask = None
    if "mask" in words:
        values = numbers(3, shape["mask"])
        blind = np.zeros(values.shape, bool)
        if "blind" in words:
            blind[..., 1, :] = True
        if words["mask"].startswith("bool"):
            mask = torch.tensor((values > -0.5) & ~blind)
        else:
            values[blind] = -np.inf
            mask = x["mask"] = torch.tensor(values, requires_grad=True)
    with sdpa_kernel(SDPBackend.MATH):
        y = scaled_dot_product_attention(x["q"], x["k"], x["v"], mask, is_causal="causal" in words, enable_gqa="gqa" in words,
                                         scale=float(words["scale"]) if "scale" in words else None)
    grads = torch.autograd.grad((y * torch.tensor(numbers(4, y.shape))).sum(), list(x.values()), create_graph=True)
    seconds = torch.autograd.grad(sum((g * torch.tensor(numbers(5 + i, g.shape))).sum() for i, g in enumerate(grads)), list(x.values()))
    out[f"{name}|y|y"] = digest(y)
    for key, g, s in zip(x, grads, seconds):
        out[f"{name}|d|{key}"], out[f"{name}|dd|{key}"] = digest(g), digest(s)

data = io.BytesIO()
np.savez_compressed(data, **out)
sys.stdout.buffer.write(data.getvalue())
