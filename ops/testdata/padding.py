"""Writes padding.json: what PyTorch 2.6 pads around the last axes, in every mode, and its gradients.

python padding.py > padding.json
"""
import json
import torch
import torch.nn.functional as F

cases = []
for mode in ["reflect", "replicate", "circular"]:
    for shape, widths in [((1, 2, 5), (4, 2)), ((2, 1, 4), (0, 3)), ((1, 1, 3, 4), (3, 1, 2, 2)), ((1, 2, 2, 3), (2, 0, 1, 1)),
                          ((1, 1, 3, 2, 4), (1, 3, 1, 0, 2, 1)), ((1, 1, 2, 2, 2), (1, 1, 1, 1, 1, 1))]:
        count = torch.Size(shape).numel()
        x = (torch.arange(count, dtype=torch.float64) + 0.5).reshape(shape).requires_grad_()
        y = F.pad(x, widths, mode)
        (dx,) = torch.autograd.grad(y, x, torch.arange(1, y.numel() + 1, dtype=torch.float64).reshape(y.shape))
        cases.append({"mode": mode, "shape": shape, "widths": widths, "y": y.reshape(-1).tolist(), "dx": dx.reshape(-1).tolist()})
print(json.dumps(cases))
