"""Writes matrices.json: PyTorch 2.6's factors, spectra and functions of matrices in float64, and their gradients. What it lacks is put
together of what it has: square roots and logarithms of eigenvalues, systems of two matrices of Kronecker products.

python matrices.py > matrices.json
"""
import torch
from cases import case, cases, written

torch.manual_seed(17)
r = lambda *s: torch.randn(*s, dtype=torch.float64)
L = torch.linalg
eye = lambda n: torch.eye(n, dtype=torch.float64)
far = lambda *s: r(*s) + 3 * eye(s[-1])


def powers(v):
    """What does not depend on the order of complex numbers."""
    return torch.stack([(v**k).sum(-1) for k in (1, 2, 3)], -1)


def spectral(f):
    def of(a):
        v, m = L.eig(a)
        return (m @ torch.diag_embed(f(v)) @ L.inv(m)).real
    return of


def sylvester(a, b, c):
    n, k = a.shape[-1], b.shape[-1]
    big = torch.kron(a, eye(k)) + torch.kron(eye(n), b.mT.contiguous())
    return L.solve(big, c.reshape(*c.shape[:-2], n * k, 1)).reshape(c.shape)


def polar(a, left):
    w, s, vh = L.svd(a, full_matrices=False)
    return w @ vh, (w * s.unsqueeze(-2)) @ w.mT if left else (vh.mT * s.unsqueeze(-2)) @ vh


for a in [r(4, 4), r(2, 5, 5), r(1, 1), r(2, 0, 0)]:
    case("Eigenvalues", lambda a: torch.view_as_real(powers(L.eigvals(a))), a)
    if a.numel():
        case("Eig", lambda a: (lambda v, m: (m @ torch.diag_embed(v.abs() ** 2 + v) @ m.mH).real)(*L.eig(a)), a)
for a in [far(3, 3), far(2, 4, 4), r(1, 1).abs(), r(2, 0, 0)]:
    case("SqrtM", spectral(torch.sqrt), a)
    case("LogM", spectral(torch.log), a)
for n, k in [(3, 2), (1, 4), (4, 4)]:
    case("SolveSylvester", sylvester, far(n, n), far(k, k), r(n, k))
case("SolveSylvester", lambda a, b, c: torch.stack([sylvester(a[i], b, c) for i in range(2)]), far(2, 3, 3), far(2, 2), r(3, 2))
for a in [r(3, 3), r(2, 4, 2), r(2, 3)]:
    for left in (False, True):
        case(f"Polar {left}", lambda a: polar(a, left), a)
        case(f"PolarFactor {left}", lambda a: polar(a, left)[1], a)
case("MatrixExpFrechet", lambda a, e: [L.matrix_exp(torch.cat([torch.cat([a, e], -1), torch.cat([0 * a, a], -1)], -2))[..., : a.shape[-1], a.shape[-1]:]], r(2, 3, 3), r(2, 3, 3))
case("EighTridiagonal", lambda d, e: L.eigvalsh(torch.diag_embed(d) + torch.diag_embed(e, 1) + torch.diag_embed(e, -1)), r(2, 4), r(2, 3))
for a in [r(3, 5), r(2, 5, 3), r(1, 4), r(0, 3), r(3, 0)]:
    for i, name in enumerate(["p", "l", "u"]):
        if name == "p" or a.numel() == 0:
            with torch.no_grad():
                case("LU " + name, lambda a: L.lu(a)[i], a)
        else:
            case("LU " + name, lambda a: L.lu(a)[i], a)
    if a.numel():
        case("LUFactor", lambda a: [v if v.is_floating_point() else v.long() for v in L.lu_factor(a)], a)
        with torch.no_grad():
            lu, pivots = L.lu_factor(a)
            case("LUUnpack", lambda lu: torch.lu_unpack(lu, pivots), lu)
            cases[-1]["in"].append({"shape": list(pivots.shape), "whole": True, "data": pivots.double().reshape(-1).tolist()})
a, b = far(3, 3), r(3, 2)
lu, pivots = L.lu_factor(a)
case("LUSolveTransposed", lambda lu, b: L.lu_solve(lu, pivots, b, adjoint=True), lu, b)
cases[-1]["in"].insert(1, {"shape": list(pivots.shape), "whole": True, "data": pivots.double().reshape(-1).tolist()})
for a in [r(4, 3), r(2, 5, 2), r(3, 0), r(0, 3)]:
    with torch.no_grad():
        case("QRComplete", lambda a: L.qr(a, mode="complete"), a)
        case("GeQRF", torch.geqrf, a)
case("QRComplete", lambda a: L.qr(a, mode="complete"), r(3, 4))
a = r(4, 3)
with torch.no_grad():
    h, tau = torch.geqrf(a)
for left in (True, False):
    for t in (True, False):
        case(f"OrmQR {left} {t}", lambda h, tau, c: torch.ormqr(h, tau, c, left, t), h, tau, r(4, 2) if left else r(2, 4))
for a in [r(4, 4), r(2, 6, 6), eye(3).flip(0), r(0, 2, 2), r(2, 0, 0)]:
    a = a + a.mT if a.numel() else a
    with torch.no_grad():
        case("LDLFactor", lambda a: [v if v.is_floating_point() else v.long() for v in L.ldl_factor(a)], a)
    if a.numel() and a.any():
        with torch.no_grad():
            ld, pivots = L.ldl_factor(a)
            b = r(*a.shape[:-1], 2)
            case("LDLSolve", lambda ld, b: L.ldl_solve(ld, pivots, b), ld, b)
        cases[-1]["in"].insert(1, {"shape": list(pivots.shape), "whole": True, "data": pivots.double().reshape(-1).tolist()})
a = r(3, 5)
a[2] = a[0] + 0.01 * a[1]
for least, share in [(0.05, 0.0), (0.0, 0.5), (2.0, 0.1), (0.0, 0.0)]:
    if least or share:
        case(f"PInv {least} {share}", lambda a: L.pinv(a, atol=least, rtol=share), a[:2] if share == 0 else a)
    with torch.no_grad():
        case(f"MatrixRank {least} {share}", lambda a: L.matrix_rank(a, atol=least, rtol=share), a)
print(written())
