"""Writes what PyTorch computes of a linear layer with weights of 8 bits: python3 int8.py > int8.npz"""
import io
import sys

import numpy as np
import torch

torch.manual_seed(5)
block = 16
weight = torch.randn(24, 48)
weight[3, 16:32] = 0  # a block of zeros
weight[5] *= 1e-3
bias = torch.randn(24)
x = torch.randn(7, 48, dtype=torch.float64, requires_grad=True)
upstream = torch.randn(7, 24, dtype=torch.float64)

blocks = weight.reshape(24, -1, block)
scale = blocks.abs().amax(-1) / 127
divisor = torch.where(scale == 0, 1, scale)
levels = torch.round(blocks / divisor[..., None]).to(torch.int8)
dequantised = (levels.double() * scale.double()[..., None]).reshape(24, 48)
y = torch.nn.functional.linear(x, dequantised, bias.double())
(y * upstream).sum().backward()

out = io.BytesIO()
np.savez(
    out, weight=weight, bias=bias, x=x.detach().float(), upstream=upstream.float(), levels=levels.reshape(24, 48), scale=scale,
    y=y.detach().float(), grad=x.grad.float())
sys.stdout.buffer.write(out.getvalue())
