"""Writes inverses.json: the inverses of the shares of the gamma and of the beta distribution, values and derivatives, from 60 digits. It needs mpmath and
SciPy, which begins: python3 inverses.py"""
import json
from mpmath import mp, mpf, gammainc, betainc, beta, gamma, log, exp, hyp1f1, hyp2f1, findroot, inf
from scipy.special import gammaincinv, gammainccinv, betaincinv

mp.dps = 60


def share_of_gamma(a, x, upper):
    if x < 1 or x < a:
        low = x**a * exp(-x) * hyp1f1(1, a + 1, x) / gamma(a + 1)
        return 1 - low if upper else low
    high = gammainc(a, x, inf, regularized=True)
    return high if upper else 1 - high


def share_of_beta(a, b, x):
    return x**a * (1 - x)**b * hyp2f1(1, a + b, a + 1, x) / (a * beta(a, b))


def solve(f, slope, begin):
    """Newton's method for the logarithm of a place, from begin."""
    y = log(mpf(begin))
    for _ in range(200):
        x = exp(y)
        step = f(x) / (slope(x) * x)
        y -= max(min(step, mpf(2)), mpf(-2))
        if abs(step) < mpf(10)**-45 * max(1, abs(y)):
            return exp(y)
    raise ArithmeticError("no root")


def gamma_row(a, p, upper):
    a, p = mpf(a), mpf(p)
    begin = float((gammainccinv if upper else gammaincinv)(float(a), float(p)))
    if not 1e-290 < begin < 1e300:
        return None
    sign = -1 if upper else 1

    def density(x, a=a):
        return exp((a - 1) * log(x) - x) / gamma(a)

    def value(a):
        return solve(lambda x: log(share_of_gamma(a, x, upper) / p), lambda x: sign * density(x, a) / share_of_gamma(a, x, upper), begin)

    x = value(a)
    h = a * mpf(10)**-15
    by_a = (value(a + h) - value(a - h)) / (2 * h)
    return {"at": [float(a), float(p)], "value": float(x), "grads": [float(by_a), float(sign / density(x))]}


def beta_row(a, b, p):
    a, b, p = mpf(a), mpf(b), mpf(p)
    begin = float(betaincinv(float(a), float(b), float(p)))
    if not 1e-290 < begin < 1 - 1e-6:  # derivatives by what rounds 1-x
        return None

    def density(x, a, b):
        return x**(a - 1) * (1 - x)**(b - 1) / beta(a, b)

    def value(a, b):
        return solve(lambda x: log(share_of_beta(a, b, x) / p), lambda x: density(x, a, b) / share_of_beta(a, b, x), begin)

    x = value(a, b)
    grads = []
    for i in (0, 1):
        h = (a, b)[i] * mpf(10)**-15
        moved = [(a + h, b), (a - h, b)] if i == 0 else [(a, b + h), (a, b - h)]
        grads.append(float((value(*moved[0]) - value(*moved[1])) / (2 * h)))
    return {"at": [float(a), float(b), float(p)], "value": float(x), "grads": grads + [float(1 / density(x, a, b))]}


rows = {"gammaincinv": [], "gammainccinv": [], "betaincinv": []}
for a in (1e-3, 0.01, 0.1, 0.6, 1.0, 2.5, 9.0, 70.0, 1000.0, 1e4):
    for p in (1e-300, 1e-30, 1e-5, 0.03, 0.4, 0.5, 0.7, 0.97, 1 - 1e-5, 1 - 2.0**-40):
        for name, upper in (("gammaincinv", False), ("gammainccinv", True)):
            row = gamma_row(a, p, upper)
            if row:
                rows[name].append(row)
for a in (1e-3, 0.05, 0.7, 1.0, 3.5, 40.0, 1000.0, 1e4):
    for b in (1e-3, 0.4, 1.0, 2.5, 90.0, 1e4):
        for p in (1e-30, 1e-4, 0.3, 0.5, 0.8, 1 - 1e-6):
            row = beta_row(a, b, p)
            if row:
                rows["betaincinv"].append(row)
with open("inverses.json", "w") as out:
    out.write("{\n" + ",\n".join('"%s": [\n%s\n]' % (k, ",\n".join(json.dumps(r) for r in v)) for k, v in rows.items()) + "\n}\n")
