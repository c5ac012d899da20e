"""What programs beside this one share that ask JAX and SciPy: cases as cases.py has them of PyTorch, which choice_test.go reads."""
import json

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)
cases = []


def array(x):
    x = np.asarray(x)
    whole = x.dtype.kind in "iub"
    words = [str(v) if v != v or abs(v) == float("inf") else v for v in x.astype(int if whole else float).reshape(-1).tolist()]
    return {"shape": list(x.shape), "whole": bool(whole), "data": words}


def case(name, call, *operands, slope=None, flat=False):
    """One call: operands, results, and the gradients of sum(first result * (1, 2, …)), of another function than call where slope is one."""
    results = call(*operands)
    results = list(results) if isinstance(results, (tuple, list)) else [results]
    first, grads = np.asarray(results[0]), []
    floats = [i for i, x in enumerate(operands) if x.dtype.kind == "f"]
    if floats and first.dtype.kind == "f" and not flat:
        weights = jnp.arange(1, first.size + 1, dtype=float).reshape(first.shape)

        def loss(*x):
            y = (slope or call)(*x)
            return jnp.sum((y[0] if isinstance(y, (tuple, list)) else y) * weights)

        grads = jax.grad(loss, floats)(*[jnp.asarray(x) for x in operands])
    cases.append({"name": name, "in": [array(x) for x in operands], "out": [array(y) for y in results], "grads": [array(g) for g in grads]})


def written():
    return "[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]"
