"""Writes linalg.json: linear algebra of PyTorch 2.6 in float64, and the gradients of weighted sums with respect to all operands.
Vectors with a free sign are squared. It needs torch: python3 linalg.py > linalg.json"""
import json
import torch

torch.manual_seed(7)
torch.set_default_dtype(torch.float64)
L, inf = torch.linalg, float("inf")
r = lambda *s: torch.randn(*s)
eye = torch.eye
positive = lambda a: a @ a.mT + eye(a.shape[-1])
tri = torch.linalg.solve_triangular
above = lambda a: a.triu() + torch.full_like(a, 7).tril(-1)  # what is below the diagonal is not read


def cond(a, p):  # linalg.cond's own gradient fails for batches
    y = L.matrix_norm(a, p) * L.matrix_norm(L.inv(a), p)
    assert torch.allclose(y, L.cond(a.detach(), p))
    return y


def residuals(a, b):  # those of linalg.lstsq have no gradient
    y = ((a @ L.lstsq(a, b).solution - b) ** 2).sum(-2)
    assert torch.allclose(y, L.lstsq(a.detach(), b.detach(), driver="gels").residuals)
    return y


# name: function of operands, operands
cases = {
    "cholesky": (lambda a: L.cholesky(positive(a)), [r(2, 4, 4)]),
    "solve_triangular": (lambda a, b: tri(a, b, upper=False), [r(2, 3, 3), r(3, 2)]),
    "solve_triangular upper": (lambda a, b: tri(a, b, upper=True), [r(3, 3), r(2, 3, 2)]),
    "solve_triangular unit": (lambda a, b: tri(a, b, upper=False, unitriangular=True), [r(3, 3), r(3, 1)]),
    "solve": (L.solve, [r(2, 3, 3), r(2, 3, 2)]),
    "solve broadcast": (L.solve, [r(2, 1, 3, 3), r(4, 3, 2)]),
    "solve vector": (L.solve, [r(2, 3, 3), r(3)]),
    "solve vectors": (L.solve, [r(2, 3, 3), r(2, 3)]),
    "inv": (L.inv, [r(2, 3, 3)]),
    "det": (L.det, [r(2, 4, 4)]),
    "slogdet": (lambda a: L.slogdet(a)[1], [r(3, 3, 3)]),
    "sign": (lambda a: L.slogdet(a)[0], [r(5, 3, 3)]),
    "logdet": (lambda a: torch.logdet(positive(a)), [r(3, 3)]),
    "eigh": (lambda a: L.eigh(a + a.mT)[0], [r(2, 4, 4)]),
    "eigh vectors": (lambda a: L.eigh(a + a.mT)[1] ** 2, [r(2, 4, 4)]),
    "eigvalsh": (lambda a: L.eigvalsh(a + a.mT), [r(2, 4, 4)]),
    "qr": (lambda a: L.qr(a)[0], [r(2, 4, 3)]),
    "qr wide": (lambda a: L.qr(a)[1], [r(2, 3, 5)]),
    "svd": (lambda a: L.svd(a, full_matrices=False)[0] ** 2, [r(2, 4, 3)]),
    "svd wide": (lambda a: L.svd(a, full_matrices=False)[2] ** 2, [r(2, 3, 4)]),
    "svdvals": (L.svdvals, [r(2, 3, 4)]),
    "pinv": (L.pinv, [r(2, 4, 3)]),
    "pinv wide": (L.pinv, [r(3, 4)]),
    "lstsq": (lambda a, b: L.lstsq(a, b).solution, [r(2, 5, 3), r(2, 5, 2)]),
    "lstsq short": (lambda a, b: L.lstsq(a, b).solution, [r(3, 5), r(3, 2)]),
    "matrix_exp": (L.matrix_exp, [r(2, 3, 3)]),
    "matrix_exp large": (L.matrix_exp, [r(3, 3) * 4]),
    "matrix_power": (lambda a: L.matrix_power(a, 5), [r(2, 3, 3)]),
    "matrix_power negative": (lambda a: L.matrix_power(a, -3), [r(2, 3, 3)]),
    "matrix_power 0": (lambda a: L.matrix_power(a, 0) + 0 * a, [r(2, 3, 3)]),
    "norm fro": (lambda a: L.matrix_norm(a, "fro"), [r(2, 3, 4)]),
    "norm nuc": (lambda a: L.matrix_norm(a, "nuc"), [r(2, 3, 4)]),
    "norm 2": (lambda a: L.matrix_norm(a, 2), [r(2, 3, 4)]),
    "norm 1": (lambda a: L.matrix_norm(a, 1), [r(2, 3, 4)]),
    "norm inf": (lambda a: L.matrix_norm(a, inf), [r(2, 3, 4)]),
    "cond": (L.cond, [r(2, 3, 3)]),
    "rank": (lambda a: L.matrix_rank(a[:, :2] @ a[:2]) + 0 * a.sum(), [r(3, 4)]),
    "trace": (torch.trace, [r(3, 4)]),
    "kron": (torch.kron, [r(2, 3), r(2, 2, 2)]),
    "tensordot": (lambda a, b: torch.tensordot(a, b, [[2, 0], [1, 2]]), [r(2, 3, 4), r(5, 4, 2)]),
    "cross": (lambda a, b: L.cross(a, b, dim=1), [r(2, 3, 2), r(1, 3, 2)]),
    "svdvals empty": (L.svdvals, [r(2, 0, 3)]),
    "pinv empty": (L.pinv, [r(2, 0, 3)]),
    "matrix_exp empty": (L.matrix_exp, [r(2, 0, 0)]),
    "inv empty": (L.inv, [r(2, 0, 0)]),
    "det empty": (L.det, [r(2, 0, 0)]),
    "solve empty": (L.solve, [r(3, 3), r(3, 0)]),
    "cholesky no batch": (L.cholesky, [r(0, 3, 3)]),
    "cholesky upper": (lambda a: L.cholesky(above(positive(a)), upper=True), [r(2, 4, 4)]),
    "eigh upper": (lambda a: L.eigh(above(a + a.mT), UPLO="U")[0], [r(2, 4, 4)]),
    "eigh vectors upper": (lambda a: L.eigh(above(a + a.mT), UPLO="U")[1] ** 2, [r(2, 3, 3)]),
    "eigvalsh upper": (lambda a: L.eigvalsh(above(a + a.mT), UPLO="U"), [r(2, 4, 4)]),
    **{f"norm {p}": (lambda a, p=p: L.matrix_norm(a, p), [r(2, 3, 4)]) for p in (-2, -1, -inf)},
    "cond -2": (lambda a: L.cond(a, -2), [r(2, 3, 3)]),
    **{f"cond {p}": (lambda a, p=p: cond(a, p), [r(2, 3, 3)]) for p in ("fro", "nuc", 1, -1, inf, -inf)},
    "residuals": (residuals, [r(2, 5, 3), r(2, 5, 2)]),
    "residuals of a vector": (lambda a, b: residuals(a, b[:, None])[0], [r(5, 3), r(5)]),
}


def flat(t):
    return ["nan" if v != v else "inf" if v == inf else "-inf" if v == -inf else v for v in t.reshape(-1).tolist()]


lines = []
for name, (f, operands) in cases.items():
    leaves = [o.clone().requires_grad_() for o in operands]
    y = f(*leaves)
    weights = torch.linspace(0.5, 1.5, y.numel()).reshape(y.shape)
    grads = torch.autograd.grad((y * weights).sum(), leaves, allow_unused=True)
    lines.append({"name": name, "shape": list(y.shape), "value": flat(y.detach()), "weights": flat(weights),
                  "operands": [{"shape": list(o.shape), "data": flat(o)} for o in operands],
                  "grads": [None if g is None else flat(g) for g in grads]})
print("[\n" + ",\n".join(json.dumps(l) for l in lines) + "\n]")
