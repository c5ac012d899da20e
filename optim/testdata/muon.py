"""Writes muon.json: 30 steps of Muon on matrices of several forms in float64, by the formulas of torch.optim.Muon, which
PyTorch 2.9 has, without its conversion to bfloat16. usage: python3 muon.py > muon.json
"""
import json

import numpy as np


def orthogonal(g, times, eps):
    a, b, c = 3.4445, -4.7750, 2.0315
    x = g.T if g.shape[0] > g.shape[1] else g
    x = x / max(np.linalg.norm(x), eps)
    for _ in range(times):
        gram = x @ x.T
        x = a * x + (b * gram + c * gram @ gram) @ x
    return x.T if g.shape[0] > g.shape[1] else x


def run(shape, rate=0.02, momentum=0.95, decay=0.1, times=5, eps=1e-7, match=False):
    n = shape[0] * shape[1]
    w = np.sin(np.arange(1, n + 1)).reshape(shape)
    scale = np.arange(1, n + 1).reshape(shape)
    v, losses = np.zeros(shape), []
    for _ in range(30):
        losses.append(float((scale * (w - 0.5) ** 2).sum()))
        grad = 2 * scale * (w - 0.5)
        v = v + (grad - v) * (1 - momentum)
        u = orthogonal(v + (grad - v) * (1 - momentum), times, eps)
        adjusted = rate * (0.2 * np.sqrt(max(shape)) if match else np.sqrt(max(1, shape[0] / shape[1])))
        w = w * (1 - rate * decay) - adjusted * u
    return {"losses": losses, "params": w.flatten().tolist()}


print(json.dumps({
    "wide": run((2, 3)), "tall": run((5, 3)), "square": run((3, 3)), "column": run((4, 1)),
    "options": run((5, 3), 0.05, 0.8, 0.0, 3, 1e-2, True),
}))
