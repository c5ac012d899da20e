"""Writes spectra.json: what NumPy, SciPy and ONNX give for windows, weights of mels, Hermitian transforms, trends, spectra, bits, choices and harmonics, and the gradients.

python spectra.py > spectra.json
"""
import jax
import jax.numpy as jnp
import jax.scipy.signal
import jax.scipy.special
import numpy as np
import onnx.helper
import onnx.reference
import scipy.fft
import scipy.signal
import scipy.special
from jaxcases import case, written

rng = np.random.default_rng(11)
r = lambda *s: rng.standard_normal(s)
nan, inf = float("nan"), float("inf")

windows = {
    "GaussianWindow": lambda n, sym: scipy.signal.windows.gaussian(n, 1.5, sym),
    "ExponentialWindow": lambda n, sym: scipy.signal.windows.exponential(n, tau=2.5, sym=sym),
    "CosineWindow": scipy.signal.windows.cosine,
    "GeneralCosineWindow": lambda n, sym: scipy.signal.windows.general_cosine(n, [0.5, 0.25, 0.125, 0.0625], sym),
    "GeneralHammingWindow": lambda n, sym: scipy.signal.windows.general_hamming(n, 0.7, sym),
    "NuttallWindow": scipy.signal.windows.nuttall,
}
for name, window in windows.items():
    for n in [0, 1, 2, 5, 8]:
        for periodic in [0, 1]:
            case(f"{name} {periodic}", lambda x: x * window(n, not periodic), np.ones(n))


def mels(count, length, rate, low, high):
    node = onnx.helper.make_node("MelWeightMatrix", list("abcde"), ["y"], output_datatype=onnx.TensorProto.DOUBLE)
    whole = [onnx.helper.make_tensor_value_info(v, onnx.TensorProto.INT64, []) for v in "abc"]
    broken = [onnx.helper.make_tensor_value_info(v, onnx.TensorProto.FLOAT, []) for v in "de"]
    graph = onnx.helper.make_graph([node], "mels", whole + broken, [onnx.helper.make_tensor_value_info("y", onnx.TensorProto.DOUBLE, None)])
    fed = dict(zip("abcde", [np.int64(count), np.int64(length), np.int64(rate), np.float32(low), np.float32(high)]))
    return onnx.reference.ReferenceEvaluator(onnx.helper.make_model(graph)).run(None, fed)[0]


for count, length, rate, low, high in [(3, 16, 8192, 0, 4096), (8, 64, 16000, 20, 7600), (5, 31, 8000, 100, 3000), (20, 32, 8000, 0, 4000), (1, 1, 100, 0, 50)]:
    w = mels(count, length, rate, low, high)
    case(f"MelWeights {count} {length} {rate} {low} {high}", lambda x: x @ w, r(2, length // 2 + 1), flat=True)

pairs = lambda z, np=np: np.stack([z.real, z.imag], -1)
for norm, word in enumerate(["backward", "ortho", "forward"]):
    for shape, axes in [((3, 4, 5), (1, 2)), ((3, 4, 5), (2, 0)), ((2, 1, 3), (0, 1, 2)), ((4, 2), (0,))]:
        words = f"{norm} " + " ".join(map(str, axes))
        z = r(*shape, 2)
        case(f"IHFFTN {words}", lambda x: pairs(scipy.fft.ihfftn(x, axes=axes, norm=word)), z[..., 0],
             slope=lambda x: pairs(jnp.fft.ifftn(jnp.fft.ihfft(x, axis=axes[-1], norm=word), axes=axes[:-1], norm=word) if axes[1:] else jnp.fft.ihfft(x, axis=axes[-1], norm=word), jnp))
        if shape[axes[-1]] > 1:
            def real(x):
                z = x[..., 0] + 1j * x[..., 1]
                return jnp.fft.hfft(jnp.fft.fftn(z, axes=axes[:-1], norm=word) if axes[1:] else z, axis=axes[-1], norm=word)

            case(f"HFFTN {words}", lambda x: scipy.fft.hfftn(x[..., 0] + 1j * x[..., 1], axes=axes, norm=word), z, slope=real)
case("HFFTN sized", lambda x: scipy.fft.hfftn(x[..., 0] + 1j * x[..., 1], (5, 7), axes=(0, 1)), r(3, 4, 2), flat=True)
case("HFFT2", lambda x: scipy.fft.hfft2(x[..., 0] + 1j * x[..., 1]), r(2, 3, 4, 2), flat=True)
case("IHFFT2", lambda x: pairs(scipy.fft.ihfft2(x)), r(2, 3, 6), flat=True)
case("IHFFTN sized", lambda x: pairs(scipy.fft.ihfftn(x, (5, 7), axes=(0, 1))), r(4, 6), flat=True)

for x in [r(7), r(3, 6), r(2, 5, 3), r(1), r(2, 1), np.array([[1, nan, 2], [3, 4, 8.0]])]:
    for axis in sorted({-1, 0, x.ndim - 1}):
        case(f"Detrend {axis} 0", lambda x: x - np.mean(x, axis, keepdims=True), x, slope=lambda x: jax.scipy.signal.detrend(x, axis, "constant"), flat=np.isnan(x).any())
        if not np.isnan(x).any():
            case(f"Detrend {axis} 1", lambda x: scipy.signal.detrend(x, axis), x, slope=lambda x: jax.scipy.signal.detrend(x, axis), flat=x.shape[axis] < 2)
case("Detrend 0 1 2 5", lambda x: scipy.signal.detrend(x, 0, bp=[2, 5]), r(9, 2), slope=lambda x: jax.scipy.signal.detrend(x, 0, bp=[2, 5]))
case("Detrend -1 1 3", lambda x: scipy.signal.detrend(x, -1, bp=[3]), rng.integers(-9, 9, (2, 7)).astype(float), slope=lambda x: jax.scipy.signal.detrend(x, -1, bp=[3]))

for x, y in [(r(20), r(20)), (r(2, 15), r(2, 15)), (r(1, 8), r(1, 8))]:
    for n, hop in [(8, 4), (7, 4), (7, 2), (8, 8), (1, 1)]:
        for whole in [0, 1]:
            more = {"nperseg": n, "noverlap": n - hop, "return_onesided": not whole}
            case(f"Welch {n} {hop} {whole}", lambda x: scipy.signal.welch(x, 2.5, **more)[::-1], x, flat=n == 1 or whole, slope=lambda x: jax.scipy.signal.welch(x, 2.5, **more)[::-1])
            case(f"CSD {n} {hop} {whole}", lambda x, y: [pairs(scipy.signal.csd(x, y, 2.5, **more)[1]), scipy.signal.csd(x, y, 2.5, **more)[0]], x, y, flat=n == 1 or whole,
                 slope=lambda x, y: pairs(jax.scipy.signal.csd(x, y, 2.5, **more)[1], jnp))
x, w = r(2, 19), 0.5 + rng.random(6)
case("Welch 6 w", lambda x, w: scipy.signal.welch(x, 2.5, w)[::-1], x, w, flat=True)
case("Welch 6 wide", lambda x: scipy.signal.welch(x, 2.5, "boxcar", 6)[::-1], x, flat=True)

for t in ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]:
    bits = np.iinfo(t).bits
    shifted = rng.integers(0, 2**16, 20) * 2 ** rng.integers(0, 40, 20)
    unsigned = np.array([int(v) % 2**bits for v in [0, 1, 2, 3, 127, -1, -2, -1 << bits - 1, 1 << bits - 2, *shifted]], f"uint{bits}")
    x = unsigned.astype(t).astype(np.int64)
    case(f"PopulationCount {t}", lambda x: np.bitwise_count(unsigned).astype(int), x)
    case(f"LeadingZeros {t}", lambda x: np.array([bits - int(v).bit_length() for v in unsigned]), x)
for shape in [(9,), (8,), (1,), (0,), (3, 17), (2, 3, 5)]:
    x = rng.integers(-1, 2, shape)
    for axis in range(len(shape)):
        for little in [0, 1]:
            order = ["big", "little"][little]
            case(f"PackBits {axis} {little}", lambda x: np.packbits(x != 0, axis, order).astype(int), x)
            case(f"UnpackBits {axis} {little}", lambda x: np.unpackbits(x.astype(np.uint8), axis, bitorder=order).astype(int), x % 251 + 4)

whole = np.arange(41.0)
case("Comb", lambda n, k: scipy.special.comb(n, k, exact=False).round(), whole[:, None], whole, flat=True)
case("Comb", scipy.special.comb, np.array([1e6, -1, 7, 3, 0]), np.array([2, 1, -2, 4, 0.0]), flat=True)
case("Comb", scipy.special.comb, np.array([5.5, 12.25, 3.5]), np.array([2.25, 0.5, 3.5]), slope=None, flat=True)
case("Factorial", scipy.special.factorial, whole[:16], flat=True)
case("Factorial", scipy.special.factorial, np.arange(13), flat=True)
case("Poch", scipy.special.poch, np.array([[2.5], [7], [0.25]]), np.array([0, 1, 2, 3.5, 10]), flat=True)
case("GammaSign", scipy.special.gammasgn, np.array([3, 0.5, -0.5, -1.5, -2.5, -101.5, 0.0, -1, -2, inf, -inf, nan]), flat=True)
case("OwensT", scipy.special.owens_t, np.array([[0], [0.5], [-1], [3]]), np.array([-2, -1, 0, 0.5, 1, 4, inf]), flat=True)
for n in [0, 1, 2, 5, 20, 64]:
    case(f"BesselJ {n}", lambda x: scipy.special.jv(n, x), np.array([0, 0.01, 1, 2.5, 6, 17, 30, 63, 70, 100, -3, -70]), flat=True)
for n, m in [(0, 0), (1, 0), (1, 1), (1, -1), (3, 2), (4, -3), (7, 7), (20, -5), (64, 0), (64, 33)]:
    harmonic = lambda t, p: pairs(scipy.special.sph_harm_y(n, m, t, p))
    sloped = lambda t, p: pairs(jax.scipy.special.sph_harm_y(jnp.full(t.shape, n), jnp.full(t.shape, m), t, p, n_max=n), jnp)
    case(f"SphericalHarmonic {n} {m}", harmonic, 0.3 + 2.5 * rng.random(4), 6 * rng.random(4), slope=sloped, flat=n < 1 or n > 7)
    case(f"SphericalHarmonic {n} {m}", harmonic, np.array([[0], [np.pi / 2], [np.pi]]), np.array([0, 1, 7.0]), flat=True)
for x in [r(3, 4) * 5, np.array([[1000, 1001.0], [-inf, 3]]), r(2, 1), np.array([[nan, 1.0]])]:
    for axes in [(0,), (1,), (0, 1)]:
        case("LogMeanExp " + " ".join(map(str, axes)), lambda x: scipy.special.logsumexp(x, axes) - np.log(np.prod([x.shape[a] for a in axes])), x,
             slope=lambda x: jax.scipy.special.logsumexp(x, axes), flat=not np.isfinite(x).all())
print(written())
