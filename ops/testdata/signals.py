"""Writes signals.json: what NumPy, SciPy and JAX give for polynomials, convolutions, ranks and histograms, and the gradients.

python signals.py > signals.json
"""
import jax.numpy as jnp
import jax.scipy.signal
import jax.scipy.stats
import numpy as np
import scipy.signal
import scipy.stats
from jaxcases import case, written

rng = np.random.default_rng(5)
r = lambda *s: rng.standard_normal(s)
nan = float("nan")

for p in [r(4), r(1), r(70), np.zeros(0)]:
    for x in [r(3), np.array(0.5), r(2, 3)]:
        case("PolyVal", jnp.polyval, p, 0.9 * np.tanh(x))
case("PolyVal", np.polyval, np.array([2, 0, -1]), np.array([[1, 5], [-3, 0]]))
for p, q in [(r(4), r(2)), (r(2), r(4)), (r(3), r(3)), (r(1), r(3))]:
    case("PolyAdd", jnp.polyadd, p, q)
    case("PolySub", jnp.polysub, p, q)
    case("PolyMul", jnp.polymul, p, q)
case("PolyMul", np.polymul, np.array([1, -2, 3]), np.array([4, 5]))


def divided(p, q):
    quotient, rest = jnp.polydiv(p, q)
    return quotient, rest[max(len(p) - len(q) + 1, 0):] if len(q) > 1 else jnp.zeros(1)


for n, m in [(6, 3), (3, 3), (2, 4), (4, 1), (9, 2)]:
    q = r(m)
    q[0] += np.copysign(2, q[0])
    case("PolyDiv", divided, r(n), q)
for times in [0, 1, 2, 5]:
    for n in [1, 4]:
        case(f"PolyDer {times}", lambda p: jnp.polyder(p, times), r(n))
        case(f"PolyInt {times}", lambda p: jnp.polyint(p, times), r(n))
case("PolyInt 2", lambda p, k: jnp.polyint(p, 2, k), r(3), r(2))
case("PolyDer 1", lambda p: np.polyder(p), np.array([3, 2, 1]))
for n in [0, 1, 5, 66]:
    case("PolyFromRoots", lambda x: jnp.poly(x) * jnp.ones(n + 1), 0.1 * np.tanh(r(n)) if n > 9 else r(n))
x = np.sort(r(9))
for y in [r(9), r(9, 2)]:
    case("PolyFit 2", lambda x, y: jnp.polyfit(x, y, 2), x, y)
    case("PolyFit 0", lambda x, y: jnp.polyfit(x, y, 0), x, y)
    case("PolyFit 1", lambda x, y, w: jnp.polyfit(x, y, 1, w=w), x, y, 0.5 + rng.random(9))

for x, y in [(r(7), r(3)), (r(3), r(4)), (r(5), r(1)), (r(4), r(4)), (r(5, 6), r(2, 3)), (r(3, 4), r(4, 2)), (r(3, 4, 2), r(2, 2, 2)),
             (rng.integers(-5, 5, 6), rng.integers(-5, 5, 3))]:
    for k, mode in enumerate(["full", "same", "valid"]):
        if mode == "valid" and x.shape == (3, 4) and y.shape == (4, 2):
            continue
        flat = x.shape == (3, 4)  # JAX refuses these
        case(f"Convolve {k}", lambda x, y: scipy.signal.convolve(x, y, mode, "direct"), x, y, slope=lambda x, y: jax.scipy.signal.convolve(x, y, mode, method="direct"), flat=flat)
        case(f"Correlate {k}", lambda x, y: scipy.signal.correlate(x, y, mode, "direct"), x, y, slope=lambda x, y: jax.scipy.signal.correlate(x, y, mode, method="direct"), flat=flat)
        if x.dtype.kind == "f":
            case(f"FFTConvolve {k}", lambda x, y: scipy.signal.fftconvolve(x, y, mode), x, y, slope=lambda x, y: jax.scipy.signal.fftconvolve(x, y, mode), flat=flat)

missing = np.array([[1, nan, 3, 2.5, nan], [nan] * 5, [nan, -7, nan, 2, nan]])
for axis in [0, 1]:
    case(f"NanCumSum {axis}", lambda x: jnp.nancumsum(x, axis), missing)
    case(f"NanCumProd {axis}", lambda x: jnp.nancumprod(x, axis), missing)
case("NanCumSum 0", lambda x: np.nancumsum(x, 0), np.array([3, -1, 2]))
for x in [r(9) * 6, np.array([0, np.pi, 0, -np.pi, 0]), r(3, 5) * 9, r(2, 1), r(2, 0), np.array([0, 4, nan, 7, 1.0])]:
    for d, period in [(0, 2 * np.pi), (5, 2 * np.pi), (0, 4)]:
        case(f"Unwrap {d} {period} -1", lambda x: np.unwrap(x, d, period=period), x, slope=lambda x: jnp.unwrap(x, d, period=period), flat=x.shape == (5,))
case("Unwrap 0 4 0", lambda x: np.unwrap(x, axis=0, period=4), r(4, 3) * 5, slope=lambda x: jnp.unwrap(x, axis=0, period=4))
for x in [r(3, 6).round(), np.array([[3, 1, 1, 2, 1]]), np.array([[2.0, nan, 1], [1, 1, 0]]), r(2, 1), r(2, 0)]:
    for k, method in enumerate(["average", "min", "max", "dense", "ordinal"]):
        for axis in [0, 1]:
            case(f"RankData {axis} {k}", lambda x: scipy.stats.rankdata(x, method, axis=axis).astype(float), x, flat=True)
for correction, axes in [(1, (0,)), (0, (1,)), (1, (0, 1))]:
    case(f"StandardError {correction} " + " ".join(map(str, axes)), lambda x: scipy.stats.sem(x, axes if len(axes) < 2 else None, correction), r(4, 5),
         slope=lambda x: jax.scipy.stats.sem(x, axes[0] if len(axes) < 2 else None, correction))
for x in [r(7), np.array([2.0, 2]), np.zeros(0), r(2, 3)]:
    for low, high in [(0, 0), (-1, 2)]:
        where = {} if low == high else {"range": (low, high)}
        case(f"HistogramBinEdges 4 {low} {high}", lambda x: np.histogram_bin_edges(x, 4, **where), x, flat=True)
x = r(40, 2)
x[3] = [1, 0.5]
edges = [np.array([-1, -0.5, 0, 1]), np.array([-0.5, 0.5, 0.5, 2.5])]
case("HistogramDD", lambda x, a, b: np.histogramdd(x, [a, b])[0].astype(int), x, *edges, flat=True)
case("HistogramDD w", lambda x, a, b, w: np.histogramdd(x, [a, b], weights=w)[0], x, *edges, rng.random(40), flat=True)
case("HistogramDD", lambda x, a: np.histogramdd(x, [a])[0].astype(int), x[:, :1], edges[0], flat=True)
for points, data in [(r(4), r(7)), (r(2, 3), r(2, 6))]:
    for factor in [0, 0.7]:
        kde = lambda p, x: jax.scipy.stats.gaussian_kde(x, factor or None).evaluate(p)
        case(f"GaussianKDE {factor}", lambda p, x: scipy.stats.gaussian_kde(x, factor or None).evaluate(p), points, data, slope=kde)
    w = 0.2 + rng.random(data.shape[-1])
    case("GaussianKDE 0", lambda p, x, w: jax.scipy.stats.gaussian_kde(x, weights=w).evaluate(p), points, data, w)
print(written())
