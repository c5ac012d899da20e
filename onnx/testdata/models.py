"""Writes models that PyTorch exports, with what PyTorch itself computes: one model a line in JSON.

python models.py > models.jsonl
python models.py | gzip -9n > models.jsonl.gz

A line has the model's name, its file in base64, and cases of several sizes: each has what is fed and expected by name, as TensorProto in base64.
"""
import base64
import io
import json
import sys
import warnings

warnings.simplefilter("ignore")
import torch  # noqa: E402
from onnx import numpy_helper  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402


def settled(m, *sizes):
    """Moves what batch normalization has seen away from its beginning."""
    m.train()
    for _ in range(3):
        m(torch.randn(*sizes) + 0.3)
    return m.eval()


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.n = nn.Conv2d(3, 8, 3, 2, 1, bias=False), nn.BatchNorm2d(8)
        self.b = nn.Conv2d(8, 8, 3, 1, 1, groups=8)
        self.c = nn.Linear(8, 5)

    def forward(self, x):
        x = F.relu(self.n(self.a(x)))
        x = F.hardswish(x + self.b(x))
        return self.c(F.adaptive_avg_pool2d(x, 1).flatten(1))


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.e = nn.Embedding(20, 6)
        self.l = nn.LSTM(6, 5, 2, bidirectional=True, batch_first=True)
        self.o = nn.Linear(10, 4)

    def forward(self, words):
        y, (h, c) = self.l(self.e(words))
        return self.o(y).log_softmax(-1), h, c


class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.g = nn.GRU(4, 6)
        self.r = nn.RNN(6, 3, nonlinearity="relu")

    def forward(self, x, h):
        y, h = self.g(x, h)
        return self.r(y)[0], h


class Decoder(nn.Module):
    """A causal language model of one layer, whose positions are counted from the length of what it is given."""

    def __init__(self):
        super().__init__()
        self.e, self.p = nn.Embedding(11, 8), nn.Embedding(32, 8)
        self.q, self.k, self.v, self.o = (nn.Linear(8, 8) for _ in range(4))
        self.n = nn.LayerNorm(8)

    def forward(self, words):
        batch, length = words.shape
        x = self.n(self.e(words) + self.p(torch.arange(length)))
        q, k, v = (f(x).view(batch, length, 2, 4).transpose(1, 2) for f in (self.q, self.k, self.v))
        scores = q @ k.transpose(-2, -1) / 2
        hidden = torch.ones(length, length, dtype=torch.bool).triu(1)
        y = scores.masked_fill(hidden, float("-inf")).softmax(-1) @ v
        return (x + self.o(y.transpose(1, 2).reshape(batch, length, 8))) @ self.e.weight.T


class Unet(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Conv2d(1, 4, 3, padding=1), nn.Conv2d(4, 4, 3, stride=2, padding=1)
        self.u = nn.ConvTranspose2d(4, 4, 2, 2)
        self.n, self.i = nn.GroupNorm(2, 4), nn.InstanceNorm2d(4, affine=True)
        self.c = nn.Conv2d(8, 1, 1)

    def forward(self, x):
        a = F.silu(self.n(self.a(x)))
        b = F.gelu(self.i(self.b(a)))
        up = self.u(b)
        down = F.interpolate(F.max_pool2d(a, 2), scale_factor=2.0, mode="bilinear", align_corners=False)
        return torch.sigmoid(self.c(torch.cat([up + down, a], 1)))


class Windows(nn.Module):
    """Shapes that are computed: windows of an image whose sizes are padded to a multiple, rolled, and put back."""

    def forward(self, x):
        n, c, h, w = x.shape
        x = F.pad(x, (0, (3 - w % 3) % 3, 0, (2 - h % 2) % 2))
        p, q = x.shape[2:]
        y = torch.roll(x, (-1, 1), (2, 3))
        y = y.view(n, c, p // 2, 2, q // 3, 3).permute(0, 2, 4, 1, 3, 5).reshape(-1, c, 6)
        y = y - y.mean(-1, keepdim=True)
        y = y.view(n, p // 2, q // 3, c, 2, 3).permute(0, 3, 1, 4, 2, 5).reshape(n, c, p, q)
        return torch.flip(y, [2])[:, :, :h, :w]


class Picks(nn.Module):
    def forward(self, x, at):
        top, where = x.topk(2, -1)
        one = x.gather(1, at)
        put = torch.zeros_like(x).scatter(1, at, 1.0).scatter_add(1, at, torch.ones_like(at, dtype=x.dtype))
        hot = F.one_hot(at, 5).float().sum(1)
        return top, where, one, put, hot, x.cumsum(1), torch.where(x > 0, x, x.exp()), x.argmax(1), x.std(1), x[:, [0, -1]], x[:, -1]


class Steps(nn.Module):
    """A loop whose number of steps is a size, and a condition that values decide."""

    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(3, 4)

    def forward(self, x):
        return steps(x, self.cell.weight_ih, self.cell.weight_hh)


@torch.jit.script
def steps(x, w, u):
    h = torch.zeros(x.size(1), 4)
    for i in range(x.size(0)):
        h = torch.tanh(x[i] @ w[:4].t() + h @ u[:4].t())
    if bool(h.sum() > 0):
        h = h * 2
    else:
        h = h - 1
    return h


class Encoder(nn.Module):
    """Attention among the places of sequences that lie across, as PyTorch's own do."""

    def __init__(self):
        super().__init__()
        self.a, self.n = nn.MultiheadAttention(8, 2), nn.LayerNorm(8)

    def forward(self, x):
        y, weights = self.a(x, x, x)
        return self.n(x + y), weights


class Halves(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(6, 8).half(), nn.Linear(8, 3)

    def forward(self, x):
        return self.b(self.a(x.half()).relu().float())


class Experts(nn.Module):
    """A mixture of experts, each of which computes the rows that are routed to it."""

    def __init__(self):
        super().__init__()
        self.gate, self.experts = nn.Linear(4, 3), nn.ModuleList(nn.Linear(4, 4) for _ in range(3))

    def forward(self, x):
        rows = x.reshape(-1, 4)
        p, which = self.gate(rows).softmax(-1).topk(2, -1)
        y = torch.zeros_like(rows)
        for k, expert in enumerate(self.experts):
            row, choice = torch.where(which == k)
            y.index_add_(0, row, F.relu(expert(rows[row])) * p[row, choice, None])
        return y.view(x.shape)


class Selected(nn.Module):
    """Rows that a mask selects, how many of them there are, and what is computed of them."""

    def __init__(self):
        super().__init__()
        self.w = nn.Linear(4, 4)

    def forward(self, x, mask):
        y = x[mask]
        z = self.w(y)
        both = torch.cat([y, y * 2, x[:, 0]])
        at = (mask & (x[..., 0] > 0)).nonzero()
        back = torch.zeros_like(x)
        back[mask] = z
        return (y, z.sum(0), z.mean(0), z.amax(0), y.T @ z, y.softmax(0), y.reshape(-1, 2, 2).transpose(1, 2), both, y[:, 1:], at,
                torch.tensor(y.shape[0]) * 2 + y.numel(), y.cumsum(0), y.max(1)[1], back, F.layer_norm(y, (4,)),
                y @ self.w.bias, z.argmin(0), y[:, 0].clamp(min=0).sqrt())


def words(high, *shape):
    return torch.randint(0, high, shape)


batch = {0: "batch"}
both = {0: "batch", 1: "length"}
image = {0: "batch", 2: "height", 3: "width"}
MODELS = [
    ("residual", 11, lambda: settled(Residual(), 4, 3, 9, 9), ["x"], [image], [(torch.randn(1, 3, 8, 8),), (torch.randn(2, 3, 11, 7),)]),
    ("residual", 17, lambda: settled(Residual(), 4, 3, 9, 9), ["x"], [image], [(torch.randn(1, 3, 8, 8),), (torch.randn(2, 3, 11, 7),)]),
    ("tagger", 11, Tagger, ["words"], [both], [(words(20, 2, 5),), (words(20, 1, 1),), (words(20, 3, 9),)]),
    ("gated", 13, Gated, ["x", "h"], [{0: "time", 1: "batch"}, {1: "batch"}],
     [(torch.randn(4, 2, 4), torch.randn(1, 2, 6)), (torch.randn(1, 1, 4), torch.randn(1, 1, 6))]),
    ("decoder", 14, Decoder, ["words"], [both], [(words(11, 2, 6),), (words(11, 1, 1),), (words(11, 3, 17),)]),
    ("decoder", 17, Decoder, ["words"], [both], [(words(11, 2, 6),), (words(11, 1, 17),)]),
    ("unet", 11, Unet, ["x"], [image], [(torch.randn(1, 1, 8, 8),), (torch.randn(2, 1, 4, 12),)]),
    ("unet", 17, Unet, ["x"], [image], [(torch.randn(1, 1, 8, 8),), (torch.randn(2, 1, 4, 12),)]),
    ("windows", 17, Windows, ["x"], [image], [(torch.randn(1, 2, 4, 6),), (torch.randn(2, 2, 5, 7),)]),
    ("picks", 17, Picks, ["x", "at"], [batch, batch], [(torch.randn(3, 5), words(5, 3, 2)), (torch.randn(1, 5), words(5, 1, 2))]),
    ("steps", 13, Steps, ["x"], [{0: "time", 1: "batch"}], [(torch.randn(5, 2, 3),), (torch.randn(1, 1, 3) - 2,), (torch.randn(7, 3, 3) + 2,)]),
    ("halves", 17, Halves, ["x"], [batch], [(torch.randn(4, 6),)]),
    ("encoder", 14, Encoder, ["x"], [{1: "batch"}],
     [(torch.randn(5, 2, 8),), (torch.randn(5, 3, 8),)]),
    ("experts", 17, Experts, ["x"], [both], [(torch.randn(2, 5, 4),), (torch.randn(1, 1, 4),), (torch.randn(3, 7, 4),)]),
    ("selected", 17, Selected, ["x", "mask"], [both, both],
     [(torch.randn(2, 3, 4), torch.tensor([[True, False, True], [True, True, False]])),
      (torch.randn(1, 5, 4), torch.tensor([[False, False, True, False, False]])), (torch.randn(4, 2, 4), torch.ones(4, 2) > 0)]),
]


def tensors(names, values):
    return {k: base64.b64encode(numpy_helper.from_array(v.detach().numpy()).SerializeToString()).decode() for k, v in zip(names, values)}


out, sys.stdout = sys.stdout, sys.stderr  # the exporter tells what it does
for name, opset, make, inputs, axes, cases in MODELS:
    torch.manual_seed(len(name))
    m = make().eval()
    torch.backends.mha.set_fastpath_enabled(False)
    file = io.BytesIO()
    flat = lambda y: [t for part in (y if isinstance(y, tuple) else (y,)) for t in (part if isinstance(part, tuple) else (part,))]  # noqa: E731
    outputs = ["y%d" % i for i in range(len(flat(m(*cases[0]))))]
    torch.onnx.export(m, cases[0], file, input_names=inputs, output_names=outputs, dynamic_axes=dict(zip(inputs, axes)), opset_version=opset)
    print(json.dumps({"name": "%s, version %d" % (name, opset), "model": base64.b64encode(file.getvalue()).decode(),
                      "cases": [{"in": tensors(inputs, c), "out": tensors(outputs, flat(m(*c)))} for c in cases]}, separators=(",", ":")), file=out)
