"""Writes functional.json: models with substituted parameters, by torch.func.functional_call, in float64.
usage: python3 functional.py > functional.json
"""
import json

import torch
from torch import nn
from torch.func import functional_call, vmap


def wave(start, *shape):
    n = 1
    for size in shape:
        n *= size
    return torch.sin(torch.arange(start, start + n, dtype=torch.float64)).reshape(shape)


def flat(values):
    return [v.detach().flatten().tolist() for v in values]


def maml(norm):
    """Two inner steps and a query; the gradients go through both steps, and are differentiated once more: not with a
    norm, since the third derivatives of PyTorch 2.6 for batch_norm differ from its own finite differences."""
    model = nn.Sequential(nn.Linear(3, 4), *norm, nn.Tanh(), nn.Linear(4, 2)).double()
    params = {}
    for i, (name, p) in enumerate(model.named_parameters()):
        params[name] = wave(10 * i, *p.shape).requires_grad_()
    x, t, query = wave(1, 5, 3), wave(2, 5, 2), wave(3, 4, 3)
    fast = params
    for _ in range(2):
        loss = ((functional_call(model, fast, (x,)) - t) ** 2).mean()
        grads = torch.autograd.grad(loss, list(fast.values()), create_graph=True)
        fast = {name: w - 0.1 * dw for (name, w), dw in zip(fast.items(), grads)}
    y = functional_call(model, fast, (query,))
    loss = (y ** 2).mean()
    grads = torch.autograd.grad(loss, list(params.values()), create_graph=True)
    again = [] if norm else torch.autograd.grad(sum((dw ** 2).sum() for dw in grads), list(params.values()))
    buffers = [b for b in model.buffers() if b.is_floating_point()]
    return {"y": flat([y]), "gradients": flat(grads), "again": flat(again), "buffers": flat(buffers)}


def ensemble():
    """A layer with the parameters of each example."""
    model = nn.Linear(3, 2).double()
    weight, bias = wave(1, 4, 2, 3).requires_grad_(), wave(2, 4, 2).requires_grad_()
    x = wave(3, 4, 3)
    y = vmap(lambda w, b, x: functional_call(model, {"weight": w, "bias": b}, (x,)))(weight, bias, x)
    return {"y": flat([y]), "gradients": flat(torch.autograd.grad((y ** 3).sum(), [weight, bias]))}


print(json.dumps({"maml": maml([]), "norm": maml([nn.BatchNorm1d(4)]), "ensemble": ensemble()}))
