"""The PyTorch side of whole models. It reads requests, one JSON object a line, and answers each with a line.

{"prepare": {"kind": …, "optimizer": …, "mode": …, "tensors": [{"name", "shape", "ints", "trained"}, …]}}
                  the bytes of the tensors follow, in order; makes the first call; answers {"seconds": how long preparing and it took}
{"results": true} answers {"counts": elements of each result, then of each trained tensor}; their bytes follow, as float32
{"calls": n}      makes n calls; answers {"seconds": how long they took}
{"peak": true}    makes a call; answers {"bytes": the most that PyTorch's allocator held during it beyond what it held before}

The environment bounds the threads: OMP_NUM_THREADS, OPENBLAS_NUM_THREADS.
"""
import json
import os
import sys
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


def attention(p):
    return F.scaled_dot_product_attention(p["q"], p["k"], p["v"], is_causal=True)


def lstm(p):
    zeros = p["x"].new_zeros(1, p["x"].shape[0], p["w"].shape[0])
    weights = [p["lstm." + name] for name in ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")]
    y, _, _ = torch.lstm(p["x"], (zeros, zeros), weights, True, 1, 0.0, torch.is_grad_enabled(), False, True)
    return F.cross_entropy(y[:, -1] @ p["w"], p["t"])


def decoder(p):
    z = p["tokens"][p["x"]] + p["positions"]
    batch, length, d = z.shape
    for i in numbered(p, "wo"):
        n = F.layer_norm(z, (d,), p[f"g1_{i}"], p[f"c1_{i}"])
        q, k, v = (n @ p[f"wqkv{i}"] + p[f"bqkv{i}"]).reshape(batch, length, 3, d // 64, 64).permute(2, 0, 3, 1, 4)
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(batch, length, d)
        z = z + a @ p[f"wo{i}"] + p[f"bo{i}"]
        n = F.gelu(F.layer_norm(z, (d,), p[f"g2_{i}"], p[f"c2_{i}"]) @ p[f"w1_{i}"] + p[f"b1_{i}"])
        z = z + n @ p[f"w2_{i}"] + p[f"b2_{i}"]
    return F.layer_norm(z, (d,), p["g"], p["c"]) @ p["tokens"].t()


def gpt(p):
    return F.cross_entropy(decoder(p).flatten(0, 1), p["t"].flatten())


BLOCKS = ((64, 64, 1), (64, 64, 1), (64, 128, 2), (128, 128, 1), (128, 256, 2), (256, 256, 1), (256, 512, 2), (512, 512, 1))


def resnet(p, training=False):
    def conv(x, s, stride, padding):
        x = F.conv2d(x, p["w" + s], stride=stride, padding=padding)
        return F.batch_norm(x, p["mean" + s], p["variance" + s], p["g" + s], p["b" + s], training=training, momentum=0.1)
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


KINDS = {
    "attention": attention, "attention_grad": lambda p: (attention(p) * p["u"]).sum(), "lstm": lstm, "gpt": gpt, "gpt_fwd": decoder,
    "resnet": lambda p: F.cross_entropy(resnet(p, True), p["t"]), "resnet_fwd": resnet, "skipgram": skipgram, "pinn": pinn,
}


class Model:
    def __init__(self, kind, optimizer, mode, tensors):
        self.p = {}
        for t in tensors:
            count = int(numpy.prod(t["shape"], dtype=int))
            dtype = numpy.int64 if t["ints"] else numpy.float32
            flat = numpy.frombuffer(bytearray(sys.stdin.buffer.read(count * numpy.dtype(dtype).itemsize)), dtype)
            self.p[t["name"]] = torch.from_numpy(flat).reshape(t["shape"])
        start = time.perf_counter()
        trained = [self.p[t["name"]].requires_grad_() for t in tensors if t["trained"]]
        self.trained, self.asked = trained, list(trained)
        if kind == "attention_grad":
            self.asked = [self.p[name].requires_grad_() for name in "qkv"]
        self.adam = torch.optim.Adam(trained, lr=1e-3, foreach=True) if optimizer == "adam" else None
        self.f = torch.compile(KINDS[kind]) if mode == "compile" else KINDS[kind]
        self.call()
        self.seconds = time.perf_counter() - start

    def call(self):
        with torch.set_grad_enabled(bool(self.asked)):
            y = self.f(self.p)
            grads = torch.autograd.grad(y, self.asked) if self.asked else ()
        self.results = [y.detach()]
        if not self.trained:
            self.results += grads
        elif self.adam:
            for p, g in zip(self.trained, grads):
                p.grad = g
            self.adam.step()
        else:
            with torch.no_grad():
                for p, g in zip(self.trained, grads):
                    p.sub_(g, alpha=0.01)

    def peak(self):
        from torch.profiler import ProfilerActivity, profile
        self.results = []
        with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as prof:
            self.call()
        events = [e for e in prof.profiler.kineto_results.events() if e.name() == "[memory]"]
        held = most = 0
        for e in sorted(events, key=lambda e: e.start_ns()):
            held += e.nbytes()
            most = max(most, held)
        return most


model = None
while line := sys.stdin.buffer.readline():
    request, payload = json.loads(line), []
    if "prepare" in request:
        model = Model(**request["prepare"])
        answer = {"seconds": model.seconds}
    elif "results" in request:
        payload = [t.detach().numpy().astype(numpy.float32).ravel() for t in model.results + model.trained]
        answer = {"counts": [t.size for t in payload]}
    elif "peak" in request:
        answer = {"bytes": model.peak()}
    else:
        start = time.perf_counter()
        for _ in range(request["calls"]):
            model.call()
        answer = {"seconds": time.perf_counter() - start}
    sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
    for part in payload:
        sys.stdout.buffer.write(part.tobytes())
    sys.stdout.buffer.flush()
