"""The PyTorch side, eager or compiled: the workloads as a user writes them. serve.py answers for it."""
import math
import os
import time

import numpy
import torch
import torch.nn.functional as F

torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))


def numbered(p, prefix):
    i = 0
    while f"{prefix}{i}" in p:
        yield i
        i += 1


def chain(p):
    return torch.tanh(p["x"] * p["y"] + p["b"]) * p["x"] - p["y"]


def black_scholes(p):
    s, k, t, r, v = (p[name] for name in "sktrv")
    def cdf(z):
        return 0.5 * (1 + torch.erf(z / math.sqrt(2)))
    d1 = (torch.log(s / k) + (r + v * v / 2) * t) / (v * torch.sqrt(t))
    d2 = d1 - v * torch.sqrt(t)
    return s * cdf(d1) - k * torch.exp(-r * t) * cdf(d2)


def layer_norm_sum(p):
    return (F.layer_norm(p["x"], p["g"].shape, p["g"], p["b"]) * p["u"]).sum()


def sums(p):
    z = p["x"] * p["y"]
    return z.sum(0), z.sum(1)


def mlp(p):
    z = p["x"]
    for i in numbered(p, "w"):
        z = (torch.relu(z) if i else z) @ p[f"w{i}"] + p[f"b{i}"]
    return F.cross_entropy(z, p["t"])


def logreg(p):
    return F.binary_cross_entropy_with_logits(p["x"] @ p["w"] + p["b"], p["t"])


def transformer(p, heads=8):
    x = p["x"]
    batch, length, d = x.shape
    n = F.layer_norm(x, (d,), p["g1"], p["b1"])
    q, k, v = (n @ p["wqkv"]).reshape(batch, length, 3, heads, d // heads).permute(2, 0, 3, 1, 4)
    a = torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(d // heads), -1) @ v
    x = x + a.transpose(1, 2).reshape(batch, length, d) @ p["wo"]
    x = x + F.gelu(F.layer_norm(x, (d,), p["g2"], p["b2"]) @ p["w1"]) @ p["w2"]
    return (x * x).mean()


def lenet(p):
    z = p["x"]
    for name in ("c1", "c2"):
        z = F.max_pool2d(torch.relu(F.conv2d(z, p[name])), 2)
    z = z.flatten(1)
    return F.cross_entropy(torch.relu(torch.relu(z @ p["w1"]) @ p["w2"]) @ p["w3"], p["t"])


def attention(p):
    return F.scaled_dot_product_attention(p["q"], p["k"], p["v"], is_causal=True)


def lstm(p):
    zeros = p["x"].new_zeros(1, p["x"].shape[0], p["w"].shape[0])
    weights = [p["lstm." + name] for name in ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")]
    y, _, _ = torch.lstm(p["x"], (zeros, zeros), weights, True, 1, 0.0, torch.is_grad_enabled(), False, True)
    return F.cross_entropy(y[:, -1] @ p["w"], p["t"])


def decoder(p):
    z = blocks(p, p["tokens"][p["x"]] + p["positions"], causal=True)
    return F.layer_norm(z, p["g"].shape, p["g"], p["c"]) @ p["tokens"].t()


def blocks(p, z, causal=False):
    batch, length, d = z.shape
    for i in numbered(p, "wo"):
        n = F.layer_norm(z, (d,), p[f"g1_{i}"], p[f"c1_{i}"])
        q, k, v = (n @ p[f"wqkv{i}"] + p[f"bqkv{i}"]).reshape(batch, length, 3, d // 64, 64).permute(2, 0, 3, 1, 4)
        a = F.scaled_dot_product_attention(q, k, v, is_causal=causal).transpose(1, 2).reshape(batch, length, d)
        z = z + a @ p[f"wo{i}"] + p[f"bo{i}"]
        n = F.gelu(F.layer_norm(z, (d,), p[f"g2_{i}"], p[f"c2_{i}"]) @ p[f"w1_{i}"] + p[f"b1_{i}"])
        z = z + n @ p[f"w2_{i}"] + p[f"b2_{i}"]
    return z


def gpt(p):
    return F.cross_entropy(decoder(p).flatten(0, 1), p["t"].flatten())


BLOCKS = ((64, 64, 1), (64, 64, 1), (64, 128, 2), (128, 128, 1), (128, 256, 2), (256, 256, 1), (256, 512, 2), (512, 512, 1))

# The blocks of MobileNetV2 whose depthwise convolution halves images.
HALVING = (1, 3, 6, 13)


def conv_norm(p, training):
    def layer(x, s, stride=1, padding=0, groups=1):
        x = F.conv2d(x, p["w" + s], stride=stride, padding=padding, groups=groups)
        return F.batch_norm(x, p["mean" + s], p["variance" + s], p["g" + s], p["b" + s], training=training, momentum=0.1)
    return layer


def resnet(p, training=False):
    conv = conv_norm(p, training)
    z = F.max_pool2d(torch.relu(conv(p["x"], "0", 2, 3)), 3, 2, 1)
    for i, (channels, filters, stride) in enumerate(BLOCKS):
        y = conv(torch.relu(conv(z, f"a{i}", stride, 1)), f"b{i}", 1, 1)
        if channels != filters or stride != 1:
            z = conv(z, f"p{i}", stride, 0)
        z = torch.relu(y + z)
    return z.mean((2, 3)) @ p["head"] + p["bias"]


def skipgram(p):
    scores = (p["contexts"][p["j"]] * p["centres"][p["i"]].unsqueeze(1)).sum(-1)
    return F.binary_cross_entropy_with_logits(scores, p["y"])


def pinn(p):
    x = p["x"].requires_grad_()
    u = x
    for i in numbered(p, "w"):
        u = (torch.tanh(u) if i else u) @ p[f"w{i}"] + p[f"b{i}"]
    du, = torch.autograd.grad(u.sum(), x, create_graph=True)
    uxx, = torch.autograd.grad(du[:, 0].sum(), x, create_graph=True)
    return ((du[:, 1] - uxx[:, 0]) ** 2).mean() + ((u[:, 0] - torch.sin(x[:, 0])) ** 2).mean()


def mobilenet(p, training=False):
    conv = conv_norm(p, training)
    z = F.relu6(conv(p["x"], "0", 2, 1))
    for i in numbered(p, "wb"):
        y = F.relu6(conv(z, f"a{i}")) if f"wa{i}" in p else z
        y = F.relu6(conv(y, f"b{i}", 1 + (i in HALVING), 1, y.shape[1]))
        y = conv(y, f"c{i}")
        z = z + y if z.shape == y.shape else y
    return F.linear(F.relu6(conv(z, "last")).mean((2, 3)), p["head"], p["bias"])


def unet(p):
    def level(z, first):
        for i in (first, first + 1):
            z = F.conv2d(z, p[f"w{i}"], p[f"b{i}"], padding=1)
            z = F.silu(F.group_norm(z, 8, p[f"g{i}"], p[f"c{i}"]))
        return z
    def beside(z, before):
        return torch.cat([F.interpolate(z, scale_factor=2), before], 1)
    fine = level(p["x"], 0)
    middle = level(F.max_pool2d(fine, 2), 2)
    coarse = level(F.max_pool2d(middle, 2), 4)
    up = level(beside(level(beside(coarse, middle), 6), fine), 8)
    return (F.conv2d(up, p["wlast"], p["blast"]) ** 2).mean()


def vae(p):
    h = torch.relu(F.conv2d(p["x"], p["e0"], p["be0"], stride=2, padding=1))
    h = torch.relu(F.conv2d(h, p["e1"], p["be1"], stride=2, padding=1))
    flat = h.flatten(1)
    mean, logvar = F.linear(flat, p["mean"], p["bmean"]), F.linear(flat, p["logvar"], p["blogvar"])
    code = mean + p["eps"] * torch.exp(0.5 * logvar)
    h = torch.relu(F.linear(code, p["back"], p["bback"])).view(h.shape)
    h = torch.relu(F.conv_transpose2d(h, p["d0"], p["bd0"], stride=2, padding=1))
    decoded = F.conv_transpose2d(h, p["d1"], p["bd1"], stride=2, padding=1)
    divergence = -0.5 * (1 + logvar - mean ** 2 - logvar.exp()).mean()
    return F.binary_cross_entropy_with_logits(decoded, p["x"]) + divergence


def gru(p):
    x = p["x"]
    zeros = x.new_zeros(4, x.shape[0], p["head"].shape[1] // 2)
    weights = [p["gru." + name + suffix] for suffix in ("_l0", "_l0_reverse", "_l1", "_l1_reverse")
               for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
    y, _ = torch.gru(x, zeros, weights, True, 2, 0.0, torch.is_grad_enabled(), True, True)
    return F.cross_entropy(F.linear(y.mean(1), p["head"], p["bias"]), p["t"])


def vit(p):
    z = F.conv2d(p["x"], p["patch"], p["bpatch"], stride=p["patch"].shape[2:]).flatten(2).transpose(1, 2)
    z = torch.cat([p["token"].expand(z.shape[0], -1, -1), z], 1) + p["positions"]
    z = F.layer_norm(blocks(p, z)[:, 0], p["g"].shape, p["g"], p["c"])
    return F.cross_entropy(F.linear(z, p["head"], p["bias"]), p["t"])


def dlrm(p):
    def layer(z, i):
        return F.linear(z, p[f"w{i}"], p[f"b{i}"])
    h = torch.relu(layer(torch.relu(layer(p["x"], 0)), 1))
    every = torch.stack([h] + [F.embedding(p[f"i{i}"], p[f"e{i}"]) for i in numbered(p, "e")], 1)
    pairs = (every @ every.transpose(1, 2)).flatten(1)
    z = torch.relu(layer(torch.cat([h, pairs], 1), 2))
    return F.binary_cross_entropy_with_logits(layer(torch.relu(layer(z, 3)), 4), p["t"])


KINDS = {
    "chain_fwd": chain, "chain_grad": lambda p: chain(p).sum(), "bias_gelu": lambda p: F.gelu(p["x"] + p["b"]),
    "add": lambda p: p["x"] + p["y"], "black_scholes": black_scholes, "softmax": lambda p: torch.softmax(p["x"], -1),
    "xent_grad": lambda p: F.cross_entropy(p["x"], p["t"]), "layernorm_grad": layer_norm_sum, "colsum_rowsum": sums,
    "matmul": lambda p: p["x"] @ p["y"], "mlp": mlp, "logreg": logreg, "transformer": transformer, "lenet": lenet,
    "attention": attention, "attention_grad": lambda p: (attention(p) * p["u"]).sum(), "lstm": lstm, "gpt": gpt, "gpt_fwd": decoder,
    "resnet": lambda p: F.cross_entropy(resnet(p, True), p["t"]), "resnet_fwd": resnet, "skipgram": skipgram, "pinn": pinn,
    "mobilenet": lambda p: F.cross_entropy(mobilenet(p, True), p["t"]), "mobilenet_fwd": mobilenet, "unet": unet, "vae": vae,
    "gru": gru, "vit": vit, "dlrm": dlrm,
}

# What is asked of kinds that train nothing: the gradients for these.
GRADIENTS = {"chain_grad": "xyb", "xent_grad": "x", "layernorm_grad": "xgb", "attention_grad": "qkv"}


class Model:
    def __init__(self, kind, optimizer, mode, tensors, values, autocast=False):
        self.p = {name: torch.from_numpy(v) for name, v in values.items()}
        self.trained = [self.p[t["name"]].requires_grad_() for t in tensors if t["trained"]]
        self.asked = self.trained or [self.p[name].requires_grad_() for name in GRADIENTS.get(kind, "")]
        self.adam = torch.optim.Adam(self.trained, lr=1e-3, foreach=True) if optimizer == "adam" else None
        self.eager = self.f = KINDS[kind]
        if autocast:
            self.eager = self.f = torch.autocast("cpu", torch.bfloat16)(KINDS[kind])
        if mode == "compile":
            self.f = torch.compile(self.eager)

    def call(self):
        with torch.set_grad_enabled(bool(self.asked)):
            y = self.f(self.p)
            grads = torch.autograd.grad(y, self.asked) if self.asked else ()
        self.out = list(y) if isinstance(y, tuple) else [y.detach()]
        if not self.trained:
            self.out += grads
        elif self.adam:
            for p, g in zip(self.trained, grads):
                p.grad = g
            self.adam.step()
        else:
            with torch.no_grad():
                for p, g in zip(self.trained, grads):
                    p.sub_(g, alpha=0.01)

    def compile_seconds(self, first):
        """What the first call took beyond an eager one: compilation waits for it."""
        if self.f is self.eager:
            return 0
        start = time.perf_counter()
        with torch.set_grad_enabled(bool(self.asked)):
            y = self.eager(self.p)
            if self.asked:
                torch.autograd.grad(y, self.asked)
        return first - (time.perf_counter() - start)

    def results(self):
        return [t.detach().float() for t in self.out + self.trained]

    def peak(self):
        from torch.profiler import ProfilerActivity, profile
        self.out = []
        with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as prof:
            self.call()
        events = [e for e in prof.profiler.kineto_results.events() if e.name() == "[memory]"]
        held = most = 0
        for e in sorted(events, key=lambda e: e.start_ns()):
            held += e.nbytes()
            most = max(most, held)
        return most
