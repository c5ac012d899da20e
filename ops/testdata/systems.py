"""Writes systems.json: PyTorch 2.6's factored systems, products, distances and arrangements in float64, and their gradients.

python systems.py > systems.json
"""
import torch
from cases import case, cases, written

torch.manual_seed(13)
r = lambda *s: torch.randn(*s, dtype=torch.float64)
L = torch.linalg
regular = lambda *s: r(*s) + 3 * torch.eye(s[-1], dtype=torch.float64)
inf = float("inf")
for a in [regular(3, 3), r(2, 4, 4), r(1, 1), r(2, 0, 0)]:
    for i, name in enumerate(["p", "l", "u"]):
        if name == "p":
            with torch.no_grad():
                case("LU p", lambda a: L.lu(a)[0], a)
        else:
            case("LU " + name, lambda a: L.lu(a)[i], a)
    if a.numel():
        case("LUFactor", lambda a: [v if v.is_floating_point() else v.long() for v in L.lu_factor(a)], a)
for a, b in [(regular(3, 3), r(3, 2)), (r(2, 1, 4, 4), r(3, 4, 1))]:
    lu, pivots = L.lu_factor(a)
    case("LUSolve", lambda lu, b: L.lu_solve(lu, pivots, b), lu, b)
    cases[-1]["in"].insert(1, {"shape": list(pivots.shape), "whole": True, "data": pivots.double().reshape(-1).tolist()})
for a, b in [(regular(3, 3), r(3, 2)), (regular(2, 1, 3, 3), r(4, 3, 1))]:
    case("CholeskySolve lower", lambda a, b: torch.cholesky_solve(b, a.tril()), a, b)
    case("CholeskySolve upper", lambda a, b: torch.cholesky_solve(b, a.triu(), upper=True), a, b)
    case("CholeskyInverse lower", lambda a: torch.cholesky_inverse(a.tril()), a)
    case("CholeskyInverse upper", lambda a: torch.cholesky_inverse(a.triu(), upper=True), a)
for a, tau in [(r(4, 3), r(3)), (r(2, 4, 3), r(2, 2)), (r(3, 3), torch.zeros(3, dtype=torch.float64)), (r(3, 1), r(1))]:
    case("HouseholderProduct", L.householder_product, a, tau)
case("TensorSolve", L.tensorsolve, regular(6, 6).reshape(2, 3, 6), r(2, 3))
case("TensorSolve", L.tensorsolve, regular(4, 4).reshape(4, 2, 2), r(4))
case("TensorInv 2", lambda a: L.tensorinv(a, 2), regular(6, 6).reshape(2, 3, 3, 2))
case("TensorInv 1", lambda a: L.tensorinv(a, 1), regular(4, 4).reshape(4, 2, 2))

case("VecDot -1", lambda x, y: L.vecdot(x, y), r(2, 3), r(3))
case("VecDot 0", lambda x, y: L.vecdot(x, y, dim=0), r(2, 3), r(2, 1))
case("VecDot 0", torch.dot, r(4), r(4))
case("VecDot 0", torch.vdot, r(0), r(0))
for x, y in [(r(2, 3), r(4, 5, 3)), (r(3), r(3)), (r(()), r(2, 2)), (r(2, 0), r(3, 0))]:
    case("Inner", torch.inner, x, y)
case("AddMatMul 1 1", torch.addmm, r(4), r(2, 3), r(3, 4))
case("AddMatMul 0.5 -2", lambda x, a, b: torch.addmm(x, a, b, beta=0.5, alpha=-2), r(2, 1), r(2, 3), r(3, 4))
case("AddMatMul 0 3", lambda x, a, b: torch.addmv(x, a, b, beta=0, alpha=3), torch.full((2,), float("nan"), dtype=torch.float64), r(2, 3), r(3))
case("AddMatMul 2 1", lambda x, a, b: torch.baddbmm(x, a, b, beta=2), r(1, 3), r(2, 4, 5), r(2, 5, 3))
cases[-2]["grads"] = []
for xs in [(r(2, 9), r(9, 3), r(3, 7), r(7, 2)), (r(4), r(4, 3), r(3)), (r(3, 4), r(4)), (r(3), r(3, 2))]:
    case("MultiDot", lambda *xs: L.multi_dot(xs), *xs)
same = r(3, 4)
for x, y in [(r(3, 4), r(5, 4)), (r(2, 1, 3, 2), r(4, 5, 2)), (same, same[[2, 0]]), (r(0, 4), r(2, 4)), (r(2, 0), r(3, 0))]:
    for p in [2, 1, inf, 0, 3, 1.5, 0.5]:
        case(f"{'CDistAtZero' if x is same else 'CDist'} {p}", lambda x, y: torch.cdist(x, y, p, compute_mode="donot_use_mm_for_euclid_dist"), x, y)
        if x is same and p == 0.5:
            cases[-1]["grads"] = []
        if x.numel() == 0:
            cases[-1]["grads"] = []
for p in [2, 1, inf, 3]:
    case(f"PDist {p}", lambda x: torch.pdist(x, p), r(4, 3))
    case(f"Dist {p}", lambda x, y: torch.dist(x, y, p), r(4, 3), r(3))
    for axis in [0, -1]:
        case(f"Renorm {p} {axis} 1.5", lambda x: torch.renorm(x, p, axis, 1.5), r(4, 3))
case("BlockDiag", torch.block_diag, r(2, 3), r(()), r(2), r(3, 1))
case("BlockDiag", torch.block_diag, r(0, 2), r(2, 2))
case("DiagFlat 1", lambda x: torch.diagflat(x, 1), r(2, 2))
case("DiagFlat 0", torch.diagflat, r(()))
for k in [0, 1, 2, 3, 5, -1]:
    case(f"Rot90 {k} 0 1", lambda x: torch.rot90(x, k, (0, 1)), r(2, 3, 2))
    case(f"Rot90 {k} -1 0", lambda x: torch.rot90(x, k, (-1, 0)), r(2, 3))
case("CartesianProd", torch.cartesian_prod, r(2), r(3), r(2))
case("CartesianProd", torch.cartesian_prod, r(3))
for n, k, w in [(4, 2, False), (4, 3, True), (3, 1, False), (2, 3, False), (2, 3, True), (0, 2, False)]:
    case(f"Combinations {k} {w}", lambda x: torch.combinations(x, k, w), r(n))
print(written())
