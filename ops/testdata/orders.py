"""Writes orders.json: factorials, numbers of choices, Bessel functions of whole orders and Owen's T, values and derivatives, from 40 digits.

It needs mpmath: python3 orders.py
"""
import json
from mpmath import mp, mpf, besselj, binomial, diff, erf, exp, factorial, gamma, pi, quad, sqrt

mp.dps = 40


def row(f, *point):
    at = [mpf(v) for v in point]
    grads = [float(diff(f, tuple(at), tuple(int(i == k) for k in range(len(at))))) for i in range(len(at))]
    return {"at": list(point), "value": float(f(*at)), "grads": grads}


def owens(h, a):
    reach = min(abs(a), 16 / abs(h)) if h else abs(a)
    parts = [reach * k / 8 for k in range(9)]
    return (1 if a > 0 else -1) * exp(-h * h / 2) * quad(lambda t: exp(-h * h * t * t / 2) / (1 + t * t), parts) / (2 * pi)


rows = {
    "factorial": [row(factorial, x) for x in (0.5, 1.0, 2.5, 5.0, 10.0, 14.0, 20.5, 100.0)],
    "comb": [row(binomial, n, k) for n, k in ((5.0, 2.0), (40.0, 20.0), (10.5, 3.25), (1000.0, 3.0), (300.0, 150.0), (7.0, 0.5), (1e6, 2.5))],
    "poch": [row(lambda z, m: gamma(z + m) / gamma(z), z, m)
             for z, m in ((2.5, 3.0), (0.3, -0.2), (10.0, 50.0), (200.0, 30.5), (1e5, 2.5), (60.0, -12.5), (-2.5, 1.25), (-10.3, 4.0), (-0.5, 40.0), (1000.0, 1e-5))],
    "owens_t": [],
}
for n in (2, 3, 10, 33, 64):
    rows[f"besselj{n}"] = [row(lambda x: besselj(n, x), x)
                           for x in (1e-3, 0.5, 1.7, 2.9, 3.8, 5.5, 7.9, 8.1, 9.9, 10.2, 20.0, 32.9, 33.1, 50.0, 63.9, 64.1, 120.0, -2.5, -40.0)
                           if abs(besselj(n, x)) > 1e-280]
slopes = lambda h, a: [-exp(-h * h / 2) * erf(a * h / sqrt(2)) / (2 * sqrt(2 * pi)), exp(-h * h * (1 + a * a) / 2) / (2 * pi * (1 + a * a))]
for h in (1e-3, 0.3, 1.0, 2.7, 6.5, 20.0, -1.5):
    for a in (1e-6, 0.2, 0.9, 1.1, 3.0, 50.0, -0.7, -4.0):
        at = mpf(h), mpf(a)
        rows["owens_t"].append({"at": [h, a], "value": float(owens(*at)), "grads": [float(g) for g in slopes(*at)]})
with open("orders.json", "w") as out:
    out.write("{\n" + ",\n".join('"%s": [\n%s\n]' % (k, ",\n".join(json.dumps(r) for r in v)) for k, v in rows.items()) + "\n}\n")
