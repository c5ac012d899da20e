"""Writes usedrows.json: steps of PyTorch's optimisers that take sparse gradients, in float64.

A step reads four rows of a table, some of them twice. usage: python3 usedrows.py > usedrows.json
"""
import json
import torch

torch.set_default_dtype(torch.float64)
INDICES = [[1, 4, 1, 6], [0, 0, 0, 2], [4, 5, 6, 1], [2, 3, 2, 3], [6, 6, 1, 0]]


def train(make):
    w = torch.sin(torch.arange(1, 22)).reshape(7, 3).requires_grad_()
    optimizer = make([w])
    for step in INDICES:
        optimizer.zero_grad()
        rows = torch.nn.functional.embedding(torch.tensor(step), w, sparse=True)
        (torch.arange(1, 13).reshape(4, 3) * (rows - 0.5) ** 2).sum().backward()
        optimizer.step()
    return w.detach().flatten().tolist()


print(json.dumps({
    "indices": INDICES,
    "adam": train(lambda p: torch.optim.SparseAdam(p, 0.05, eps=1e-20)),
    "adagrad": train(lambda p: torch.optim.Adagrad(p, 0.05)),
    "sgd": train(lambda p: torch.optim.SGD(p, 0.005)),
}, indent=1))
