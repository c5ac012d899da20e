"""Products and linear algebra."""

from base import *


@op
def square():
    k = pick("Trace", "Det", "LogDet", "SlogDet", "Inv", "MatrixExp", "SingularValues")
    n = size()
    m = n if chance(0.93) else size()
    s = sizes(0, 2) + [n, m] if k != "Trace" else [n, size()]
    t = pick(*ALL) if chance(0.15) or k == "Trace" else pick(*FL2)
    x = values(t, s, "n")
    if k == "LogDet" and isf(t) and n == m and t in FL2:
        x = x @ x.mT + torch.eye(n, dtype=t)
    case(k, [x], UNARY[k], tol=1e-3 if t == f32 else 1e-6)


@op
def products():
    k = rng.choice(["MatMul", "Linear", "Outer", "Kron", "Tensordot", "Cross", "Einsum"])
    t = pick(*ALL) if chance(0.4) else f64
    kind = "n" if chance(0.8) else None
    if k == "MatMul":
        n, m, p = size(), size(), size()
        q = m if chance(0.95) else m + 1
        b = sizes(0, 2)
        x = pick([m], [n, m], b + [n, m], b + [n, m])
        y = pick([q], [q, p], b + [q, p], [1] * len(b) + [q, p])
        case(k, [values(t, x, kind), values(t if chance(0.93) else pick(*ALL), y, kind)], torch.matmul)
    elif k == "Linear":
        n, m = size(), size()
        b = values(t, [n], kind) if chance(0.7) else None
        case(k, [values(t, sizes(0, 2) + [m], kind), values(t, [n, m], kind), b], F.linear)
    elif k == "Outer":
        case(k, [values(t, [size()], kind), values(t, [size()], kind)], torch.outer)
    elif k == "Kron":
        case(k, [values(t, sizes(0, 3), kind), values(t, sizes(0, 3), kind)], torch.kron)
    elif k == "Tensordot":
        x = sizes(1, 3)
        y = sizes(1, 3)
        n = rng.randint(0, min(len(x), len(y)))
        xa = rng.sample(range(len(x)), n)
        ya = rng.sample(range(len(y)), n)
        for i, j in zip(xa, ya):
            y[j] = x[i]
        case(k, [values(t, x, kind), values(t, y, kind), xa, ya], lambda a, b: torch.tensordot(a, b, (xa, ya)))
    elif k == "Cross":
        s = sizes(1, 3)
        a = ax(len(s))
        if -len(s) <= a < len(s):
            s[a] = 3
        z = [1 if chance(0.2) and v != 3 else v for v in s]
        case(k, [values(t, s, kind), values(t, z, kind), a], lambda x, y: torch.linalg.cross(x, y, dim=a))
    else:
        e, ls = rng.choice(
            [
                ("ij,jk->ik", "2"),
                ("ij,kj", ""),
                ("ii->i", ""),
                ("ii", ""),
                ("bij,bjk->bik", ""),
                ("i,j->ij", ""),
                ("...ij,...j->...i", ""),
                ("ij->ji", ""),
                ("ijk->", ""),
                ("i,i,i->i", ""),
                ("bhqd,bhkd->bhqk", ""),
                ("ij,ij->", ""),
                ("abc,cd,be->ade", ""),
                ("iij->j", ""),
                ("i...,i->...", ""),
            ]
        )
        D = {}
        xs = []
        for term in e.split("->")[0].split(","):
            s = []
            for c in term.replace("...", "."):
                s += D.setdefault(".", sizes(0, 1)) if c == "." else [D.setdefault(c, size())]
            xs.append(values(t, s, kind))
        case(k, [e] + xs, lambda *x: torch.einsum(e, *x))


@op
def linalg():
    k = rng.choice(
        [
            "Cholesky",
            "Solve",
            "SolveTriangular",
            "QR",
            "Eigh",
            "EigenvaluesH",
            "Lstsq",
            "PInv",
            "MatrixPower",
            "MatrixNorm",
            "MatrixRank",
            "ConditionNumber",
            "SVD",
        ]
    )
    t = pick(f64, f64, f32)
    n, m, p = size(), size(), size()
    b = sizes(0, 2)
    x = values(t, b + [n, n], "n")
    tol = 2e-3 if t == f32 else 1e-6
    spd = x @ x.mT + torch.eye(n, dtype=t)
    if k == "Cholesky":
        case(k, [spd], torch.linalg.cholesky, tol=tol, grad=False)
    elif k == "Solve":
        y = values(t, b + [n, p], "n") if chance(0.8) else values(t, [n], "n")
        case(k, [x, y], torch.linalg.solve, tol=tol)
    elif k == "SolveTriangular":
        up, un, tr = chance(0.5), chance(0.5), False
        x = torch.eye(n, dtype=t) * 3 + values(t, b + [n, n], "u")
        case(
            k,
            [x, values(t, b + [n, p], "n")] + ([opt("UpperTriangle")] if up else []) + ([opt("UnitDiagonal")] if un else []),
            lambda a, y: torch.linalg.solve_triangular(a, y, upper=up, unitriangular=un),
            tol=tol,
        )
    elif k == "QR":
        case(k, [values(t, b + [n, m], "n")], torch.linalg.qr, tol=tol, second=False)
    elif k in ("Eigh", "EigenvaluesH"):
        y = (x + x.mT) / 2
        case("EigenvaluesH", [y], lambda a: torch.linalg.eigvalsh(a), tol=tol, grad=False)
    elif k == "Lstsq":
        case(k, [values(t, b + [n + m, n], "n"), values(t, b + [n + m, p], "n")], lambda a, y: torch.linalg.lstsq(a, y)[0], tol=tol)
    elif k == "PInv":
        case(k, [values(t, b + [n, m], "n")], torch.linalg.pinv, tol=tol, second=False)
    elif k == "MatrixPower":
        e = rng.randint(-3, 5)
        case(k, [x, e], lambda a: torch.linalg.matrix_power(a, e), tol=tol * 10)
    elif k == "MatrixNorm":
        o = rng.choice([("FrobeniusNorm", "fro"), ("NuclearNorm", "nuc"), ("SpectralNorm", 2), ("ColumnSumNorm", 1), ("RowSumNorm", float("inf"))])
        case(k, [values(t, b + [n, m], "n"), const(o[0])], lambda a: torch.linalg.matrix_norm(a, o[1]), tol=tol, second=False)
    elif k == "MatrixRank":
        y = values(t, b + [n, m], "t")
        case(k, [y], torch.linalg.matrix_rank, grad=False)
    elif k == "ConditionNumber":
        case(k, [x], torch.linalg.cond, tol=tol * 10, second=False)
