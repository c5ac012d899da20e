"""Writes uniques.json: PyTorch's different slices along axes, and those that follow one another, with their places and counts.

It needs torch: python3 uniques.py > uniques.json
"""
import torch
from cases import case, written

torch.manual_seed(11)
nan, inf = float("nan"), float("inf")
of = dict(return_inverse=True, return_counts=True)
rows = torch.tensor([[1.0, 2, 0], [0, 5, -1], [1, 2, 0], [1, 2, -3], [0, 5, -1], [-inf, 0, 0], [0, inf, 1]], dtype=torch.float64)
drawn = torch.randint(0, 2, (3, 12, 2)).double()
values = [(rows, (0, 1, -1)), (drawn, (0, 1, 2)), (torch.randint(-3, 3, (8, 2)), (0, 1)), (torch.tensor([2, 1, 2, 2]), (0,)),
          (torch.tensor([[1.0, nan], [1, nan], [0, 2]], dtype=torch.float64), (0,)), (torch.tensor([[0.0, 1], [-0.0, 1]], dtype=torch.float64), (0,)), (torch.rand(1, 4).double(), (0, 1))]
for x, axes in values:
    for axis in axes:
        case(f"UniqueAlong {axis}", lambda x: torch.unique(x.detach(), dim=axis, **of), x)
        case(f"UniqueConsecutiveAlong {axis}", lambda x: torch.unique_consecutive(x.detach(), dim=axis, **of), x)
print(written())
