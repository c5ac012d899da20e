"""Writes choice.json: what PyTorch 2.6 computes by order and by running along an axis, and its gradients.

python choice.py > choice.json
"""
import torch
from cases import array, case, cases, written

torch.manual_seed(11)
nan, inf = float("nan"), float("inf")


def numbers(*shape):
    return torch.randint(-3, 4, shape).double()  # with ties


edges = torch.tensor([[1, 3, 3, 2, nan, 5, nan, 6], [-inf, -inf, 2, -inf, inf, inf, 1, 0], [4, -0.0, 0.0, 4, 4, 3, 9, -9]], dtype=torch.float64)
finite = torch.tensor([[1, 3, 3, 2, 8, 5, 5, 6], [-700, -800, 2, 700, 800, 800, 1, 0]], dtype=torch.float64)
for name, call in [("CumMax", torch.cummax), ("CumMin", torch.cummin)]:
    for x, axis in [(edges, 1), (numbers(5, 3), 0), (numbers(2, 4, 2), -2), (numbers(3, 1), 1), (numbers(0, 3), 0), (torch.randint(-9, 9, (3, 5)), 1)]:
        case(f"{name} {axis}", lambda x: call(x, axis), x.clone())
for x, axis in [(finite, 1), (numbers(5, 3), 0), (numbers(2, 4, 2), -2), (numbers(3, 1), 1), (numbers(0, 3), 0)]:
    case(f"LogCumSumExp {axis}", lambda x: torch.logcumsumexp(x, axis), x.clone())
sequence = torch.tensor([-inf, -2, -2, 0, 1, 1, 1, 5, inf, nan], dtype=torch.float64)
values = torch.tensor([[-inf, -3, -2, 0.5], [1, 5, inf, nan]], dtype=torch.float64)
batch, rows = numbers(3, 6).sort(1).values, numbers(3, 4)
for right in [False, True]:
    word = "right" if right else "left"
    for s, v in [(sequence, values), (batch, rows), (sequence[:0], values), (sequence, values[:, :0]), (torch.arange(5) * 2, torch.tensor([3, 4, -1, 99]))]:
        case("SearchSorted " + word, lambda s, v: torch.searchsorted(s, v, right=right), s.clone(), v.clone())
    case("Bucketize " + word, lambda v, s: torch.bucketize(v, s, right=right), values.clone(), sequence.clone())
missing = torch.tensor([[1, nan, 3, 2, nan], [5, 1, 4, 2, 3], [nan] * 5], dtype=torch.float64)
for x, axis in [(missing, 1), (numbers(4, 3), 0), (numbers(2, 5, 2), -2), (numbers(3, 1), 1), (torch.randint(-9, 9, (3, 6)), 1)]:
    case(f"Median {axis}", lambda x: torch.median(x, axis), x.clone())
for x, axis in [(missing, 1), (edges[2:], -1), (numbers(4, 3), 0), (numbers(3, 1), 1)]:
    x = x + torch.arange(x.numel()).reshape(x.shape) * 2.0**-40  # without ties, of which PyTorch's gradients choose otherwise
    for mode in ["linear", "lower", "higher", "nearest", "midpoint"]:
        for q in [0.3, [0.0, 0.5, 0.77, 1.0]]:
            q = torch.tensor(q, dtype=torch.float64)
            case(f"Quantile {axis} {mode}", lambda x: torch.quantile(x, q, axis, interpolation=mode), x.clone())
            cases[-1]["in"].append(array(q))
            case(f"NanQuantile {axis} {mode}", lambda x: torch.nanquantile(x, q, axis, interpolation=mode), x.clone())
            cases[-1]["in"].append(array(q))
for x, axis in [(torch.randint(0, 4, (3, 9)), 1), (torch.randint(0, 3, (7, 2)), 0), (numbers(3, 1), 1)]:
    case(f"Mode {axis}", lambda x: torch.mode(x, axis)[0], x.clone())
for x in [torch.randint(0, 4, (3, 5)), numbers(7).requires_grad_(False), torch.tensor([1, nan, 1, nan], dtype=torch.float64), numbers(0)]:
    with torch.no_grad():
        case("Unique", lambda x: torch.unique(x, return_inverse=True, return_counts=True), x.clone())
case("Bincount", lambda x: torch.bincount(x, minlength=9), torch.randint(0, 9, (20,)))
with torch.no_grad():
    case("Bincount", lambda x, w: torch.bincount(x, w, minlength=9), torch.randint(0, 9, (20,)), torch.randn(20, dtype=torch.float64))
    for bins in [torch.linspace(-2, 3, 6, dtype=torch.float64), torch.tensor([-1.5, 0, 0.25, 2], dtype=torch.float64)]:
        w = torch.randn(4, 9, dtype=torch.float64)
        case("Histogram", lambda x, e: torch.histogram(x, e)[0], numbers(4, 9), bins)
        case("Histogram", lambda x, e, w: torch.histogram(x, e, weight=w)[0], numbers(4, 9), bins, w)
print(written())
