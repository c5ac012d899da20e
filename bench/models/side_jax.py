"""The JAX side, which XLA compiles for the CPU: the workloads as a user writes them. serve.py answers for it."""
import math
import os
import time

threads = int(os.environ["BENCH_THREADS"])
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["NPROC"] = str(threads)  # the size of XLA's pool
if threads == 1:
    os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_cpu_multi_thread_eigen=false"

import jax
import jax.numpy as jnp
import numpy
from jax import lax

jax.config.update("jax_default_matmul_precision", "highest")


def numbered(p, prefix):
    i = 0
    while f"{prefix}{i}" in p:
        yield i
        i += 1


def cross_entropy(logits, classes):
    picked = jnp.take_along_axis(jax.nn.log_softmax(logits), classes[:, None], 1)
    return -picked.mean()


def binary_cross_entropy(z, t):
    return (jax.nn.relu(z) - z * t + jnp.log1p(jnp.exp(-jnp.abs(z)))).mean()


def layer_norm(x, gain, bias):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-5) * gain + bias


def gelu(x):
    return jax.nn.gelu(x, approximate=False)


def chain(p):
    return jnp.tanh(p["x"] * p["y"] + p["b"]) * p["x"] - p["y"]


def black_scholes(p):
    s, k, t, r, v = (p[name] for name in "sktrv")
    def cdf(z):
        return 0.5 * (1 + lax.erf(z / math.sqrt(2)))
    d1 = (jnp.log(s / k) + (r + v * v / 2) * t) / (v * jnp.sqrt(t))
    d2 = d1 - v * jnp.sqrt(t)
    return s * cdf(d1) - k * jnp.exp(-r * t) * cdf(d2)


def sums(p):
    z = p["x"] * p["y"]
    return z.sum(0), z.sum(1)


def mlp(p):
    z = p["x"]
    for i in numbered(p, "w"):
        z = (jax.nn.relu(z) if i else z) @ p[f"w{i}"] + p[f"b{i}"]
    return cross_entropy(z, p["t"])


def transformer(p, heads=8):
    x = p["x"]
    batch, length, d = x.shape
    n = layer_norm(x, p["g1"], p["b1"])
    q, k, v = (n @ p["wqkv"]).reshape(batch, length, 3, heads, d // heads).transpose(2, 0, 3, 1, 4)
    a = jax.nn.softmax(q @ k.swapaxes(-1, -2) / math.sqrt(d // heads)) @ v
    x = x + a.swapaxes(1, 2).reshape(batch, length, d) @ p["wo"]
    x = x + gelu(layer_norm(x, p["g2"], p["b2"]) @ p["w1"]) @ p["w2"]
    return (x * x).mean()


def conv(x, w, stride=1, padding=0, groups=1):
    return lax.conv_general_dilated(x, w, (stride, stride), [(padding, padding)] * 2, feature_group_count=groups)


def linear(x, w, b):
    return x @ w.T + b


def max_pool(x, window, stride, padding=0):
    pads = ((0, 0), (0, 0), (padding, padding), (padding, padding))
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, window, window), (1, 1, stride, stride), pads)


def lenet(p):
    z = p["x"]
    for name in ("c1", "c2"):
        z = max_pool(jax.nn.relu(conv(z, p[name])), 2, 2)
    z = z.reshape(z.shape[0], -1)
    return cross_entropy(jax.nn.relu(jax.nn.relu(z @ p["w1"]) @ p["w2"]) @ p["w3"], p["t"])


def attend(q, k, v, causal=True):
    """Attention of [batch, heads, length, width]; JAX's function wants [batch, length, heads, width]."""
    q, k, v = (t.swapaxes(1, 2) for t in (q, k, v))
    return jax.nn.dot_product_attention(q, k, v, is_causal=causal).swapaxes(1, 2)


def attention(p):
    return attend(p["q"], p["k"], p["v"])


def lstm(p):
    """The products of all steps with the inputs are one, before the loop."""
    pre = p["x"].swapaxes(0, 1) @ p["lstm.weight_ih_l0"].T + p["lstm.bias_ih_l0"] + p["lstm.bias_hh_l0"]
    def step(carry, z):
        h, c = carry
        i, f, g, o = jnp.split(z + h @ p["lstm.weight_hh_l0"].T, 4, -1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), None
    zeros = jnp.zeros((p["x"].shape[0], p["w"].shape[0]), jnp.float32)
    (h, _), _ = lax.scan(step, (zeros, zeros), pre)
    return cross_entropy(h @ p["w"], p["t"])


def decoder(p):
    z = blocks(p, p["tokens"][p["x"]] + p["positions"], True)
    return layer_norm(z, p["g"], p["c"]) @ p["tokens"].T


def blocks(p, z, causal):
    batch, length, d = z.shape
    for i in numbered(p, "wo"):
        n = layer_norm(z, p[f"g1_{i}"], p[f"c1_{i}"])
        q, k, v = (n @ p[f"wqkv{i}"] + p[f"bqkv{i}"]).reshape(batch, length, 3, d // 64, 64).transpose(2, 0, 3, 1, 4)
        z = z + attend(q, k, v, causal).swapaxes(1, 2).reshape(batch, length, d) @ p[f"wo{i}"] + p[f"bo{i}"]
        n = gelu(layer_norm(z, p[f"g2_{i}"], p[f"c2_{i}"]) @ p[f"w1_{i}"] + p[f"b1_{i}"])
        z = z + n @ p[f"w2_{i}"] + p[f"b2_{i}"]
    return z


def gpt(p):
    logits = decoder(p)
    return cross_entropy(logits.reshape(-1, logits.shape[-1]), p["t"].reshape(-1))


BLOCKS = ((64, 64, 1), (64, 64, 1), (64, 128, 2), (128, 128, 1), (128, 256, 2), (256, 256, 1), (256, 512, 2), (512, 512, 1))


# The blocks of MobileNetV2 whose depthwise convolution halves images.
HALVING = (1, 3, 6, 13)


def conv_norm(p, held):
    """A convolution and its norm. Statistics are those of the batch, and go into held, if that is given; else the running ones."""
    def norm(x, s):
        mean, variance = p["mean" + s], p["variance" + s]
        if held is not None:
            n = x.size // x.shape[1]
            batch_mean = x.mean((0, 2, 3))
            batch_variance = ((x - batch_mean[:, None, None]) ** 2).mean((0, 2, 3))
            held["mean" + s] = 0.9 * mean + 0.1 * batch_mean
            held["variance" + s] = 0.9 * variance + 0.1 * batch_variance * n / (n - 1)
            mean, variance = batch_mean, batch_variance
        scale = p["g" + s] * lax.rsqrt(variance + 1e-5)
        return (x - mean[:, None, None]) * scale[:, None, None] + p["b" + s][:, None, None]
    def layer(x, s, stride=1, padding=0, groups=1):
        return norm(conv(x, p["w" + s], stride, padding, groups), s)
    return layer


def resnet(p, held):
    layer = conv_norm(p, held)
    z = max_pool(jax.nn.relu(layer(p["x"], "0", 2, 3)), 3, 2, 1)
    for i, (channels, filters, stride) in enumerate(BLOCKS):
        y = layer(jax.nn.relu(layer(z, f"a{i}", stride, 1)), f"b{i}", 1, 1)
        if channels != filters or stride != 1:
            z = layer(z, f"p{i}", stride, 0)
        z = jax.nn.relu(y + z)
    return z.mean((2, 3)) @ p["head"] + p["bias"]


def norm_loss(logits):
    def loss(p):
        held = {}
        return cross_entropy(logits(p, held), p["t"]), held
    return loss


def skipgram(p):
    return binary_cross_entropy((p["contexts"][p["j"]] * p["centres"][p["i"]][:, None]).sum(-1), p["y"])


def pinn(p):
    def u(x):
        for i in numbered(p, "w"):
            x = (jnp.tanh(x) if i else x) @ p[f"w{i}"] + p[f"b{i}"]
        return x
    def first(x):
        return jax.grad(lambda x: u(x).sum())(x)
    x = p["x"]
    uxx = jax.grad(lambda x: first(x)[:, 0].sum())(x)[:, 0]
    return ((first(x)[:, 1] - uxx) ** 2).mean() + ((u(x)[:, 0] - jnp.sin(x[:, 0])) ** 2).mean()


def mobilenet(p, held):
    layer = conv_norm(p, held)
    z = jax.nn.relu6(layer(p["x"], "0", 2, 1))
    for i in numbered(p, "wb"):
        y = jax.nn.relu6(layer(z, f"a{i}")) if f"wa{i}" in p else z
        y = jax.nn.relu6(layer(y, f"b{i}", 1 + (i in HALVING), 1, y.shape[1]))
        y = layer(y, f"c{i}")
        z = z + y if z.shape == y.shape else y
    return linear(jax.nn.relu6(layer(z, "last")).mean((2, 3)), p["head"], p["bias"])


def group_norm(x, groups, gain, bias):
    z = x.reshape(x.shape[0], groups, -1)
    mean = z.mean(-1, keepdims=True)
    variance = ((z - mean) ** 2).mean(-1, keepdims=True)
    z = ((z - mean) * lax.rsqrt(variance + 1e-5)).reshape(x.shape)
    return z * gain[:, None, None] + bias[:, None, None]


def unet(p):
    def level(z, first):
        for i in (first, first + 1):
            z = conv(z, p[f"w{i}"], 1, 1) + p[f"b{i}"][:, None, None]
            z = jax.nn.silu(group_norm(z, 8, p[f"g{i}"], p[f"c{i}"]))
        return z
    def beside(z, before):
        return jnp.concatenate([z.repeat(2, 2).repeat(2, 3), before], 1)
    fine = level(p["x"], 0)
    middle = level(max_pool(fine, 2, 2), 2)
    coarse = level(max_pool(middle, 2, 2), 4)
    up = level(beside(level(beside(coarse, middle), 6), fine), 8)
    return ((conv(up, p["wlast"]) + p["blast"][:, None, None]) ** 2).mean()


def vae(p):
    def down(x, s):
        return conv(x, p[s], 2, 1) + p["b" + s][:, None, None]
    def up(x, s):
        pads = [(2, 2), (2, 2)]  # of 4×4 filters, where a convolution has 1
        y = lax.conv_transpose(x, p[s], (2, 2), pads, dimension_numbers=("NCHW", "OIHW", "NCHW"), transpose_kernel=True)
        return y + p["b" + s][:, None, None]
    h = jax.nn.relu(down(jax.nn.relu(down(p["x"], "e0")), "e1"))
    flat = h.reshape(h.shape[0], -1)
    mean, logvar = linear(flat, p["mean"], p["bmean"]), linear(flat, p["logvar"], p["blogvar"])
    code = mean + p["eps"] * jnp.exp(0.5 * logvar)
    h = jax.nn.relu(linear(code, p["back"], p["bback"])).reshape(h.shape)
    decoded = up(jax.nn.relu(up(h, "d0")), "d1")
    divergence = -0.5 * (1 + logvar - mean ** 2 - jnp.exp(logvar)).mean()
    return binary_cross_entropy(decoded, p["x"]) + divergence


def gru(p):
    def direction(x, suffix, reverse):
        w, b = p["gru.weight_hh" + suffix], p["gru.bias_hh" + suffix]
        def step(h, z):
            r, u, n = jnp.split(z, 3, -1)
            hr, hu, hn = jnp.split(linear(h, w, b), 3, -1)
            u = jax.nn.sigmoid(u + hu)
            h = (1 - u) * jnp.tanh(n + jax.nn.sigmoid(r + hr) * hn) + u * h
            return h, h
        zeros = jnp.zeros((x.shape[1], w.shape[1]), jnp.float32)
        pre = linear(x, p["gru.weight_ih" + suffix], p["gru.bias_ih" + suffix])
        return lax.scan(step, zeros, pre, reverse=reverse)[1]
    x = p["x"].swapaxes(0, 1)
    for layer in ("_l0", "_l1"):
        x = jnp.concatenate([direction(x, layer, False), direction(x, layer + "_reverse", True)], -1)
    return cross_entropy(linear(x.mean(0), p["head"], p["bias"]), p["t"])


def vit(p):
    z = conv(p["x"], p["patch"], p["patch"].shape[2]) + p["bpatch"][:, None, None]
    batch, d = z.shape[:2]
    z = z.reshape(batch, d, -1).swapaxes(1, 2)
    z = jnp.concatenate([jnp.broadcast_to(p["token"], (batch, 1, d)), z], 1) + p["positions"]
    z = layer_norm(blocks(p, z, False)[:, 0], p["g"], p["c"])
    return cross_entropy(linear(z, p["head"], p["bias"]), p["t"])


def dlrm(p):
    def layer(z, i):
        return linear(z, p[f"w{i}"], p[f"b{i}"])
    h = jax.nn.relu(layer(jax.nn.relu(layer(p["x"], 0)), 1))
    every = jnp.stack([h] + [p[f"e{i}"][p[f"i{i}"]] for i in numbered(p, "e")], 1)
    pairs = (every @ every.swapaxes(1, 2)).reshape(h.shape[0], -1)
    z = jax.nn.relu(layer(jnp.concatenate([h, pairs], 1), 2))
    return binary_cross_entropy(layer(jax.nn.relu(layer(z, 3)), 4), p["t"])


KINDS = {
    "chain_fwd": chain, "chain_grad": lambda p: chain(p).sum(), "bias_gelu": lambda p: gelu(p["x"] + p["b"]),
    "add": lambda p: p["x"] + p["y"], "black_scholes": black_scholes, "softmax": lambda p: jax.nn.softmax(p["x"]),
    "xent_grad": lambda p: cross_entropy(p["x"], p["t"]), "colsum_rowsum": sums, "matmul": lambda p: p["x"] @ p["y"],
    "layernorm_grad": lambda p: (layer_norm(p["x"], p["g"], p["b"]) * p["u"]).sum(), "mlp": mlp, "transformer": transformer,
    "logreg": lambda p: binary_cross_entropy(p["x"] @ p["w"] + p["b"], p["t"]), "lenet": lenet, "lstm": lstm,
    "attention": attention, "attention_grad": lambda p: (attention(p) * p["u"]).sum(), "gpt": gpt, "gpt_fwd": decoder,
    "resnet": norm_loss(resnet), "resnet_fwd": lambda p: resnet(p, None), "skipgram": skipgram, "pinn": pinn,
    "mobilenet": norm_loss(mobilenet), "mobilenet_fwd": lambda p: mobilenet(p, None), "unet": unet, "vae": vae, "gru": gru, "vit": vit,
    "dlrm": dlrm,
}

# What is asked of kinds that train nothing: the gradients for these.
GRADIENTS = {"chain_grad": "xyb", "xent_grad": "x", "layernorm_grad": "xgb", "attention_grad": "qkv"}


def adam(p, g, m, v, t):
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    step = m / (1 - 0.9 ** t) / (jnp.sqrt(v / (1 - 0.999 ** t)) + 1e-8)
    return p - 1e-3 * step, m, v


class Model:
    """A step is one function, compiled before the first call; it is given the parameters to overwrite (donated)."""

    def __init__(self, kind, optimizer, mode, tensors, values):
        if kind not in KINDS:
            raise NotImplementedError("this side has no program of it")
        self.names = [t["name"] for t in tensors if t["trained"]]
        asked = self.names or list(GRADIENTS.get(kind, ""))
        changes = set(asked) | {t["name"] for t in tensors if t["held"]}
        values = {name: v.astype(numpy.int32) if v.dtype == numpy.int64 else v for name, v in values.items()}
        self.p = {name: jnp.array(v) for name, v in values.items() if name in changes}
        self.x = {name: jnp.array(v) for name, v in values.items() if name not in changes}
        zeros = {name: jnp.zeros_like(self.p[name]) for name in self.names if optimizer == "adam"}
        self.state = (zeros, {name: v + 0 for name, v in zeros.items()}, jnp.zeros((), jnp.float32))
        f = KINDS[kind]

        def step(p, x, state):
            if not asked:
                return f({**p, **x}), p, state
            def loss(q):
                y = f({**p, **x, **q})
                return y if isinstance(y, tuple) else (y, {})
            (y, held), g = jax.value_and_grad(loss, has_aux=True)({name: p[name] for name in asked})
            if not self.names:
                return (y, *(g[name] for name in asked)), p, state
            m, v, t = state
            if optimizer == "adam":
                new = {name: adam(p[name], g[name], m[name], v[name], t + 1) for name in asked}
                after, m, v = ({name: n[i] for name, n in new.items()} for i in range(3))
                return y, {**p, **after}, (m, v, t + 1)
            return y, {**p, **held, **{name: p[name] - 0.01 * g[name] for name in asked}}, state
        start = time.perf_counter()
        donated = (0, 2) if self.names else ()
        self.step = jax.jit(step, donate_argnums=donated).lower(self.p, self.x, self.state).compile()
        self.seconds = time.perf_counter() - start

    def call(self):
        y, self.p, self.state = self.step(self.p, self.x, self.state)
        jax.block_until_ready((y, self.p))
        self.out = list(y) if isinstance(y, tuple) else [y]

    def compile_seconds(self, first):
        return self.seconds

    def results(self):
        return self.out + [self.p[name] for name in self.names]

    def peak(self):
        """What the program takes beside its arguments, by XLA's own account."""
        m = self.step.memory_analysis()
        return m.temp_size_in_bytes + m.output_size_in_bytes - m.alias_size_in_bytes
