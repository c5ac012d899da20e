"""Writes optax.json: 50 steps of the optimisers that PyTorch does not have, as optax has them, in float64.

usage: python3 optax.py > optax.json, with the packages jax and optax; the problems are those of steps.py
"""
import json
import math
import sys

sys.path = [p for p in sys.path if not p.endswith("testdata")]  # else this file is the module of its name
import jax
import jax.numpy as jnp
import optax

jax.config.update("jax_enable_x64", True)


def ramp(*shape):
    return jnp.sin(jnp.arange(1, math.prod(shape) + 1, dtype=jnp.float64)).reshape(shape)


scale = jnp.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
x, y = ramp(8, 3), jnp.cos(jnp.arange(8.0)).reshape(8, 1)
PROBLEMS = {
    "quadratic": ([ramp(2, 3)], lambda w: (scale * (w[0] - 0.5) ** 2).sum()),
    "rosenbrock": ([jnp.array([-1.2, 1.0])], lambda w: (100 * (w[0][1] - w[0][0] ** 2) ** 2 + (1 - w[0][0]) ** 2) / 100),
    "mlp": ([0.5 * ramp(4, 3), 0.1 * ramp(4), 0.5 * ramp(1, 4), 0.1 * ramp(1)],
            lambda p: ((jnp.tanh(x @ p[0].T + p[1]) @ p[2].T + p[3] - y) ** 2).mean()),
}
CASES = {
    "lamb": optax.lamb(0.02),
    "lamb options": optax.lamb(0.05, b1=0.8, b2=0.95, eps=1e-3, weight_decay=0.1),
    "lars": optax.lars(1.0),
    "lars options": optax.lars(0.5, weight_decay=0.1, trust_coefficient=0.02, eps=0.01, momentum=0.7, nesterov=True),
    "lars plain": optax.lars(0.5, trust_coefficient=0.02, momentum=0.0),
}
answers = {}
for name, rule in CASES.items():
    answers[name] = {}
    for problem, (params, loss) in PROBLEMS.items():
        state, losses = rule.init(params), []
        step = jax.jit(jax.value_and_grad(loss))
        for _ in range(50):
            value, grads = step(params)
            losses.append(float(value))
            updates, state = rule.update(grads, state, params)
            params = optax.apply_updates(params, updates)
        answers[name][problem] = {"losses": losses, "params": [float(v) for p in params for v in p.reshape(-1)]}
print("{" + ",\n".join(f'"{k}":' + json.dumps(v, separators=(",", ":")).replace('},"', '},\n"') for k, v in answers.items()) + "}")
