"""Writes windows.json: jax.lax.reduce_window and its gradients. Behind the function's name stand the reduction, sizes, strides, how far elements
of windows and of the operand are apart, and padding, or - where nothing is said.

python windows.py > windows.json
"""
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxcases import case, written

rng = np.random.default_rng(3)
by = {"sum": (lax.add, 0, 0), "prod": (lax.mul, 1, 1), "max": (lax.max, -np.inf, -(2**63)), "min": (lax.min, np.inf, 2**63 - 1)}


def windows(word, x, sizes, strides=None, dilations=None, apart=None, padding=None):
    fold, neutral, whole = by[word]
    ones = (1,) * x.ndim
    text = lambda list: ",".join(map(str, list)) if list else "-"
    name = " ".join(["ReduceWindow", word, text(sizes), text(strides), text(dilations), text(apart), text(sum(map(list, padding or ()), []))])
    start = np.array(whole if x.dtype.kind == "i" else neutral, x.dtype)
    call = lambda x: lax.reduce_window(jnp.asarray(x), start, fold, sizes, strides or ones, padding or ((0, 0),) * x.ndim, apart or ones, dilations or ones)
    has_none = x.ndim == 0 or word == "prod" or word != "sum" and (np.isnan(x).any() or apart or dilations or min(sum(map(list, padding or ()), [0])) < 0)  # JAX has no gradient of these, or gives NaN's to another
    case(name, call, x, flat=has_none)


for word in by:
    for x in [rng.standard_normal((5, 6)), rng.integers(-2, 3, (5, 6)).astype(float), rng.integers(-9, 9, (5, 6))]:
        windows(word, x, (2, 3))
        windows(word, x, (1, 2), (3, 2), padding=((0, 1), (2, 0)))
        windows(word, x, (3, 1), (1, 2), (2, 1), (1, 2), ((2, 1), (-1, 3)))
    odd = rng.standard_normal((3, 4))
    odd[0, 1], odd[1, 2], odd[2, 3] = np.nan, np.inf, -np.inf
    windows(word, odd, (2, 2), padding=((1, 0), (0, 1)))
    windows(word, rng.standard_normal((2, 3, 1, 4)), (2, 2, 1, 3), (1, 1, 1, 1))
    windows(word, rng.standard_normal(4), (2,), padding=((-1, 3),))
    windows(word, np.zeros((0, 2)), (2, 1), padding=((1, 2), (0, 0)))
    windows(word, np.array(1.5), ())
print(written())
