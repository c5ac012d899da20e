"""Writes moments.json: PyTorch 2.6's reductions without NaN, statistics and differences along axes, and their gradients.

python moments.py > moments.json
"""
import torch
from cases import case, cases, written

torch.manual_seed(12)
nan, inf = float("nan"), float("inf")
r = lambda *s: torch.randn(*s, dtype=torch.float64)
missing = torch.tensor([[1, nan, 3, 2.5, nan], [5, 1, 4, 2, 3], [nan] * 5, [nan, -7, nan, nan, nan]], dtype=torch.float64)
whole = torch.randint(-9, 9, (3, 5))
for x, axes in [(missing, [1]), (missing, [0]), (missing, [0, 1]), (r(2, 3, 4), [0, -1]), (r(3, 0), [1]), (r(3, 1), [1])]:
    words = " ".join(map(str, axes))
    case(f"NanSum {words}", lambda x: torch.nansum(x, axes), x.clone())
    case(f"NanMean {words}", lambda x: torch.nanmean(x, axes), x.clone())
    case(f"CountNonzero {words}", lambda x: torch.count_nonzero(x, axes), x.clone())
    cases[-1]["grads"] = []
    if x is missing and axes == [1]:  # of rows of NaN PyTorch's is NaN, and ours 0
        cases[-2]["grads"] = []
    for correction in [0, 1] if x.numel() and x.shape[1] > 1 else []:
        case(f"VarMean {correction} {words}", lambda x: torch.var_mean(x, axes, correction=correction), x.clone())
        case(f"StdMean {correction} {words}", lambda x: torch.std_mean(x, axes, correction=correction), x.clone())
case("NanSum 1", lambda x: torch.nansum(x, 1), whole)
case("CountNonzero 0", lambda x: torch.count_nonzero(x, 0), whole)
for x, axis in [(missing[[0, 1, 3]], 1), (r(4, 3), 0), (r(2, 5, 2), -2), (r(3, 1), 1), (whole, 1)]:
    case(f"NanMedian {axis}", lambda x: torch.nanmedian(x, axis), x.clone())
    case(f"MinMax {axis}", lambda x: (x.amin(axis), x.amax(axis)), x.clone())
    if x.isnan().any():  # PyTorch's gradient is 0/0
        cases[-1]["grads"] = []
for x in [r(3, 6), r(6), r(1, 6), torch.tensor(2.5, dtype=torch.float64), r(3, 1), r(0, 4), r(3, 2).round()]:
    for correction in [0, 1] if x.dim() == 2 and x.shape[1] > 1 else [0]:
        case(f"Cov {correction}", lambda x: torch.cov(x, correction=correction), x.clone())
    if x.dim() and x.shape[-1] > 1:
        case("CorrCoef", torch.corrcoef, x.clone())
x, f, w = r(3, 6), torch.randint(1, 4, (6,)), torch.rand(6, dtype=torch.float64)
case("Cov 1 f", lambda x, f: torch.cov(x, correction=1, fweights=f), x, f)
with torch.no_grad():  # PyTorch divides by a number without a gradient
    case("Cov 1 w", lambda x, w: torch.cov(x, correction=1, aweights=w), x, w)
    case("Cov 1 f w", lambda x, f, w: torch.cov(x, correction=1, fweights=f, aweights=w), x, f, w)
case("CorrCoef", torch.corrcoef, torch.tensor([[1, 1, 1], [1, 2, 4]], dtype=torch.float64))
cases[-1]["grads"] = []

for x, times, axis in [(r(3, 5), 1, 1), (r(3, 5), 2, 0), (r(3, 5), 3, -1), (r(3, 2), 4, 1), (r(4), 0, 0), (whole, 1, 1), (r(3, 0), 1, 1)]:
    case(f"Diff {times} {axis}", lambda x: torch.diff(x, times, axis), x.clone())
case("Diff 1 0", lambda x: torch.diff(x > 0, 1, 0).long(), whole)
places = torch.tensor([0, 0.5, 2, 2.25, 3], dtype=torch.float64)
for y, axis in [(r(3, 5), 1), (r(5, 2), 0), (r(2, 5, 3), -2), (r(5), 0)]:
    for x in [torch.tensor(0.25, dtype=torch.float64), places, torch.rand(y.shape, dtype=torch.float64).cumsum(axis)]:
        how = (lambda y, x, f: f(y, dx=x.item(), dim=axis)) if x.dim() == 0 else (lambda y, x, f: f(y, x, dim=axis))
        with torch.set_grad_enabled(x.dim() > 0):
            case(f"Trapezoid {axis}", lambda y, x: how(y, x, torch.trapezoid), y.clone(), x.clone())
            case(f"CumulativeTrapezoid {axis}", lambda y, x: how(y, x, torch.cumulative_trapezoid), y.clone(), x.clone())
case("Trapezoid 1", lambda y: torch.trapezoid(y, dim=1), r(3, 1))
case("Trapezoid 1", lambda y: torch.trapezoid(y, dim=1), r(3, 0))
for c in cases[-2:]:
    c["in"].append({"shape": [], "whole": False, "data": [1.0]})
for y, axis in [(r(3, 5), 1), (r(5, 2), 0), (r(2, 5, 3), -2), (r(5), 0)]:
    for edge in [1, 2]:
        case(f"GradientAlong {axis} {edge}", lambda y: torch.gradient(y, spacing=0.25, dim=axis, edge_order=edge)[0], y.clone())
        cases[-1]["in"].append({"shape": [], "whole": False, "data": [0.25]})
        case(f"GradientAlong {axis} {edge}", lambda y: torch.gradient(y, spacing=(places,), dim=axis, edge_order=edge)[0], y.clone())
        cases[-1]["in"].append({"shape": [5], "whole": False, "data": places.tolist()})
case("GradientAlong 0 1", lambda y: torch.gradient(y, spacing=1)[0], r(2))
cases[-1]["in"].append({"shape": [], "whole": False, "data": [1.0]})

for x in [torch.randint(0, 3, (12,)), torch.tensor([1, 1, nan, nan, 2, 1], dtype=torch.float64), torch.zeros(0, dtype=torch.float64), torch.randint(0, 2, (3, 4))]:
    with torch.no_grad():
        case("UniqueConsecutive", lambda x: torch.unique_consecutive(x, return_inverse=True, return_counts=True), x)
for x, among in [(torch.randint(-3, 4, (3, 4)), torch.tensor([1, -2, 7])), (missing, torch.tensor([nan, 3, 5], dtype=torch.float64)), (whole, torch.zeros(0, dtype=torch.long)),
                 (torch.tensor([0.5, 1, inf], dtype=torch.float64), torch.tensor([[1, 0], [2, 3]]))]:
    with torch.no_grad():
        case("IsIn", lambda x, among: torch.isin(x, among).long(), x, among)
for x in [r(40), r(5, 5) * 3, torch.tensor([0, 0.25, 0.5, 1, 1.5, -1], dtype=torch.float64)]:
    for low, high in [(0, 1), (-2, 2.5), (0, 0)]:
        with torch.no_grad():
            case(f"Histc 4 {low} {high}", lambda x: torch.histc(x, 4, low, high), x)
with torch.no_grad():
    case("Histc 3 2 2", lambda x: torch.histc(x, 3, 2, 2), torch.full((5,), 2.0, dtype=torch.float64))
    case("LogAddExp2", torch.logaddexp2, torch.tensor([0, inf, -inf, -inf, 800, 1e-9, nan]).double(), torch.tensor([0, inf, -inf, 3, 799, 0, 1]).double())
case("LogAddExp2", torch.logaddexp2, r(7), r(7))
case("FloatPower", torch.float_power, torch.rand(5, dtype=torch.float64), r(5))
print(written())
