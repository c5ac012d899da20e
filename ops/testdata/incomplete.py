"""Writes incomplete.json: functions of two and three numbers, values and derivatives, from 40 digits. It needs mpmath: python3 incomplete.py"""
import json
from mpmath import mp, mpf, gammainc, betainc, beta, log, zeta, expint, diff

mp.dps = 40
shapes = [1e-3, 0.01, 0.3, 0.5, 0.99, 1.0, 1.7, 3.0, 7.9, 8.1, 20.0, 100.0, 1000.0]


def row(f, point, wrt, h="1e-12"):
    """A point, the value there, and the derivatives by the operands of wrt."""
    grads = []
    for i in wrt:
        at = [mpf(v) for v in point]
        step = mpf(h) * at[i]
        ends = []
        for side in (-2, -1, 1, 2):
            moved = list(at)
            moved[i] = at[i] + side * step
            ends.append(f(*moved))
        grads.append(float((ends[0] - 8 * ends[1] + 8 * ends[2] - ends[3]) / (12 * step)))
    return {"at": point, "value": float(f(*[mpf(v) for v in point])), "grads": grads}


def lower(a, x):
    return gammainc(a, 0, x, regularized=True)


def upper(a, x):
    return gammainc(a, x, mp.inf, regularized=True)


def share(a, b, x):
    return betainc(a, b, 0, x, regularized=True)


rows = {"gammainc": [], "gammaincc": [], "betainc": [], "betaln": [], "zeta": [], "expn": []}
for a in shapes:
    points = [1e-10, 1e-3, 0.2, 0.9, 1.1, 3.0, 12.0] if a < 20 else []
    points += [a * f for f in (0.5, 0.9, 0.99, 1.0, 1.01, 1.1, 1.5)] if a >= 1 else []
    for x in points:
        for name, f in (("gammainc", lower), ("gammaincc", upper)):
            r = row(f, [a, x], [0, 1])
            if abs(r["value"]) > 1e-250:
                rows[name].append(r)
for a in (1e-3, 0.4, 1.0, 2.5, 9.0, 60.0, 300.0):
    for b in (1e-3, 0.6, 1.0, 3.5, 20.0, 150.0):
        mean = a / (a + b)
        for x in sorted({1e-5, 0.05, 0.3, 0.5, 0.8, 0.999, mean * 0.95, mean}):
            r = row(share, [a, b, x], [0, 1, 2])
            if 1e-250 < r["value"]:
                rows["betainc"].append(r)
for a in (1e-10, 0.3, 1.0, 2.5, 7.99, 8.0, 30.0, 1e4, 1e8):
    for b in (1e-3, 0.6, 3.0, 8.0, 100.0, 1e6):
        rows["betaln"].append(row(lambda a, b: log(beta(a, b)), [a, b], []))
for s in (1.001, 1.5, 2.0, 3.3, 10.0, 40.0):
    for q in (0.01, 0.5, 1.0, 2.7, 9.0, 30.0, 1e4):
        rows["zeta"].append(row(lambda s, q: zeta(s, q), [s, q], []))
for n in (0, 1, 2, 3, 7, 20):
    for x in (1e-8, 0.01, 0.3, 0.99, 1.01, 2.5, 10.0, 50.0, 300.0):
        rows["expn"].append(row(lambda n, x: expint(n, x), [n, x], [1]))
with open("incomplete.json", "w") as out:
    out.write("{\n" + ",\n".join('"%s": [\n%s\n]' % (k, ",\n".join(json.dumps(r) for r in v)) for k, v in rows.items()) + "\n}\n")
