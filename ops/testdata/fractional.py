"""Writes fractional.json: fractional and adaptive max pools of PyTorch 2.6, the indices of their elements, and gradients of the first result.

python fractional.py > fractional.json
"""
import torch
import torch.nn.functional as F
from cases import case, written

torch.manual_seed(4)
torch.set_default_dtype(torch.float64)
inf, nan = float("inf"), float("nan")


def ties(*shape):
    return torch.randint(-2, 3, shape).double()


def odd(*shape):
    x = torch.randn(shape)
    at = torch.rand(shape)
    x[at < 0.3], x[at > 0.8] = nan, -inf
    return x


for make in [torch.randn, ties, odd]:
    for shape, kernel, sizes in [((2, 2, 6, 7), (2, 3), (4, 2)), ((2, 5, 4), (1, 2), (1, 3)), ((1, 2, 4, 4, 6), (2, 1, 2), (2, 3, 4)), ((2, 4, 4, 4), (2, 2, 3), (2, 1, 1))]:
        pool = F.fractional_max_pool2d if len(kernel) == 2 else F.fractional_max_pool3d
        lead = shape[: -len(kernel)]
        samples = torch.rand(*lead, len(kernel))
        batch = samples if len(lead) == 2 else samples[None]
        name = " ".join(["FractionalMaxPool", *map(str, kernel + sizes)])
        case(name, lambda x, s: pool(x, kernel, sizes, None, True, batch), make(*shape), samples)
    for shape, sizes in [((2, 2, 7), (3,)), ((2, 5, 4), (2, 3)), ((1, 2, 6, 3), (3, 3)), ((1, 3, 4, 2), (2, 3, 1)), ((1, 2, 2), (5,))]:
        pool = [F.adaptive_max_pool1d, F.adaptive_max_pool2d, F.adaptive_max_pool3d][len(sizes) - 1]
        case(" ".join(["AdaptiveMaxPoolIndex", *map(str, sizes)]), lambda x: pool(x, sizes, True), make(*shape))
print(written())
