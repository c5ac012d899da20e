"""Writes outside.json: JAX's answers at indices outside of their axes, in each mode."""
import json
import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)
rng = np.random.default_rng(1)
cases = []


def array(a):
    a = np.asarray(a)
    whole = a.dtype.kind != "f"
    return {"shape": list(a.shape), "whole": whole,
            "data": [float(v) if np.isfinite(v) else str(v) for v in a.ravel().astype(float)]}


def case(name, f, *operands, grads=True):
    """f is a function of the operands; those that are floats have gradients."""
    operands = [jnp.asarray(a) for a in operands]
    y = f(*operands)
    weights = jnp.arange(1, y.size + 1, dtype=jnp.float64).reshape(y.shape)
    wrt = [i for i, a in enumerate(operands) if np.asarray(a).dtype.kind == "f"]
    c = {"name": name, "in": [array(a) for a in operands], "out": [array(y)], "grads": []}
    if grads:
        g = jax.grad(lambda *a: (f(*a) * weights).sum(), wrt)(*operands)
        c["grads"] = [array(a) for a in g]
    cases.append(c)


def floats(*shape):
    return rng.integers(-9, 10, shape).astype(float)


def indices(size, *shape):
    i = rng.integers(-2 * size - 1, 2 * size + 2, shape)
    i.ravel()[:4] = [size, -1, -size - 1, 0][:i.size]
    return i


reads = [("fill 7", {"mode": "fill", "fill_value": 7.0}), ("fill nan", {"mode": "fill"}), ("clip", {"mode": "clip"}),
         ("wrap", {"mode": "wrap"})]
for word, mode in reads:
    grads = word != "fill nan"
    for axis, shape in ((0, (5,)), (0, (4, 3)), (1, (3, 4)), (-2, (2, 3, 2))):
        for index in (indices(shape[axis], 6), indices(shape[axis], 2, 4)):
            case(f"Take {axis} {word}", lambda x, i: jnp.take(x, i, axis, **mode), floats(*shape), index)
        case(f"IndexSelect {axis} {word}", lambda x, i: jnp.take(x, i, axis, **mode), floats(*shape), index[0])
    case(f"TakeFlat {word}", lambda x, i: jnp.take(x.ravel(), i, 0, **mode), floats(2, 3),
         indices(6, 2, 4))
    if word == "wrap":
        continue
    for axis, shape, at in ((0, (5,), (7,)), (1, (2, 4), (2, 5)), (-2, (4, 3), (6, 3)), (1, (2, 4), (1, 5))):
        case(f"TakeAlongAxis {axis} {word}", lambda x, i: jnp.take_along_axis(x, i, axis, **mode), floats(*shape),
             indices(shape[axis], *at))
        if at[0] > 1:
            case(f"Gather {axis} {word}", lambda x, i: jnp.take_along_axis(x, i, axis, **mode), floats(*shape),
                 indices(shape[axis], *at))
    x = floats(4, 3, 2)
    case(f"IndexGet i {word}", lambda x, i: x.at[i].get(**mode), x, indices(4, 7))
    case(f"IndexGet ij {word}", lambda x, i, j: x.at[i, j].get(**mode), x, indices(4, 6, 1), indices(3, 4))
    case(f"IndexGet i-j {word}", lambda x, i, j: x.at[i, :, j].get(**mode), x, indices(4, 6), indices(2, 6))
    case(f"IndexGet -i {word}", lambda x, i: x.at[:, i].get(**mode), x, indices(3, 2, 4))
    pairs = np.stack([indices(4, 8), indices(3, 8)], -1)
    case(f"GatherND 0 {word}", lambda x, i: x.at[i[:, 0], i[:, 1]].get(**mode), x, pairs)
    each = indices(3, 4, 5, 1)
    case(f"GatherND 1 {word}", lambda x, i: x.at[jnp.arange(4)[:, None], i[:, :, 0]].get(**mode), x, each)

for word in ("drop", "clip"):
    mode = {"mode": word}
    x, src = floats(4, 3), floats(8, 3)
    for i in (indices(4, 8), np.array([9, -9, 4, -5, 4, 4, 5, 77])):
        case(f"IndexCopy 0 {word}", lambda x, i, s: x.at[i].set(s, **mode), x, i, src)
        case(f"IndexAdd 0 {word}", lambda x, i, s: x.at[i].add(s, **mode), x, i, src)
        case(f"IndexReduce 0 Max {word}", lambda x, i, s: x.at[i].max(s, **mode), x, i, src, grads=False)
        case(f"IndexReduce 0 Min {word}", lambda x, i, s: x.at[i].min(s, **mode), x, i, src, grads=False)
        case(f"IndexReduce 0 Prod {word}", lambda x, i, s: x.at[i].mul(s, **mode), x, i, src, grads=False)
        case(f"IndexFill 0 {word}", lambda x, i: x.at[i].set(5.0, **mode), x, i)
        for name in ("Sum", "Prod", "Max", "Min"):
            f = getattr(jax.ops, "segment_" + name.lower())
            case(f"Segment{name} 0 4 {word}", lambda s, i: f(s, i, 4, **mode), src, i, grads=name == "Sum")
    case(f"IndexCopy 1 {word}", lambda x, i, s: x.at[:, i].set(s, **mode), x, indices(3, 7), floats(4, 7))
    case(f"IndexAdd -1 {word}", lambda x, i, s: x.at[:, i].add(s, **mode), x, indices(3, 7), floats(4, 7))
    i, columns = indices(4, 6, 3), jnp.arange(3)
    case(f"Scatter 0 {word}", lambda x, i, s: x.at[i, columns].set(s, **mode), x, i, floats(6, 3))
    case(f"ScatterAdd 0 {word}", lambda x, i, s: x.at[i, columns].add(s, **mode), x, i, floats(6, 3))
    case(f"ScatterReduce 0 Max {word}", lambda x, i, s: x.at[i, columns].max(s, **mode), x, i, floats(6, 3), grads=False)
    i, j = indices(4, 5, 1), indices(3, 4)
    case(f"IndexPut ij {word}", lambda x, i, j, s: x.at[i, j].set(s, **mode), x, i, j, floats(5, 4))
    case(f"IndexPut ij added {word}", lambda x, i, j, s: x.at[i, j].add(s, **mode), x, i, j, floats(5, 4))
    case(f"IndexPut -j {word}", lambda x, j, s: x.at[:, j].set(s, **mode), x, j, floats(4, 4))
    pairs = np.stack([indices(4, 8), indices(3, 8)], -1)
    case(f"ScatterND {word}", lambda x, i, s: x.at[i[:, 0], i[:, 1]].set(s, **mode), x, pairs, floats(8))
    case(f"ScatterNDReduce Min {word}", lambda x, i, s: x.at[i[:, 0], i[:, 1]].min(s, **mode), x, pairs, floats(8),
         grads=False)

with open("outside.json", "w") as f:
    f.write("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")
