"""Writes what PyTorch's layers compute: python3 layers.py [SEED] > layers.npz; python3 layers.py 7 padded > padded.npz; python3 layers.py 7 cells > cells.npz; python3 layers.py 7 normed > normed.npz; with recurrent, networks that are drawn

For each case: its parameters and state (p), inputs (x), the result (y), the gradients of sum(y·r) for the parameters
(g) and inputs (d), and the state afterwards (s). The keys are CASE|KIND|NAME.
"""
import io
import math
import sys

import numpy as np
import torch
from torch import nn

torch.manual_seed(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
torch.set_default_dtype(torch.float64)
out = {}


def put(case, kind, name, value):
    out[f"{case}|{kind}|{name}"] = value.detach().numpy().copy()


def case(name, module, *xs, call=None, train=True):
    """xs are shapes, or tensors of integers and masks."""
    module.train(train)
    with torch.no_grad():
        for _, p in module.named_parameters():
            p.add_(0.1 * torch.randn_like(p))
        for key, b in module.named_buffers():
            if b.is_floating_point():
                b.copy_(torch.rand_like(b) + 0.5)
    for key, v in module.state_dict().items():
        put(name, "p", key, v)
    xs = [torch.randn(x, requires_grad=True) if isinstance(x, tuple) else x for x in xs]
    y = (call or (lambda m, *x: m(*x)))(module, *xs)
    r = torch.randn_like(y)
    (y * r).sum().backward()
    for i, x in enumerate(xs):
        put(name, "x", str(i), x)
        if x.grad is not None:
            put(name, "d", str(i), x.grad)
    put(name, "y", "0", y)
    put(name, "r", "0", r)
    for key, p in module.named_parameters():
        if p.grad is not None:
            put(name, "g", key, p.grad)
    if train:
        for key, b in module.named_buffers():
            put(name, "s", key, b)


case("linear", nn.Linear(5, 3), (2, 4, 5))
case("linear without bias", nn.Linear(5, 1, bias=False), (4, 5))
case("bilinear", nn.Bilinear(3, 4, 2), (5, 3), (5, 4))
case("conv1d", nn.Conv1d(4, 6, 3, stride=2, padding=1, dilation=2, groups=2), (2, 4, 11))
case("conv2d", nn.Conv2d(3, 4, 3, padding=1, bias=False), (2, 3, 5, 6))
case("transposed conv1d", nn.ConvTranspose1d(4, 6, 3, stride=2, padding=1, groups=2), (2, 4, 5))
case("transposed conv2d", nn.ConvTranspose2d(2, 3, 3, stride=2, padding=1, output_padding=1), (2, 2, 3, 4))
case("embedding", nn.Embedding(7, 3, padding_idx=2), torch.tensor([[0, 2, 6], [2, 1, 1]]))
case("embedding bag", nn.EmbeddingBag(7, 3, padding_idx=2), torch.tensor([[0, 2, 6], [2, 1, 1]]))
case("embedding bag with offsets", nn.EmbeddingBag(7, 3, mode="sum", include_last_offset=True), torch.tensor([5, 2, 6, 5]), torch.tensor([0, 3, 3, 4]), (4,),
     call=lambda m, index, offsets, w: m(index, offsets, w))
case("batch norm", nn.BatchNorm1d(4), (6, 4))
case("batch norm of images", nn.BatchNorm2d(3, eps=1e-3, momentum=0.3), (2, 3, 4, 5))
case("batch norm of volumes", nn.BatchNorm3d(2), (2, 2, 3, 2, 2))
case("batch norm without affine", nn.BatchNorm1d(4, affine=False), (3, 4, 5))
case("batch norm twice", nn.BatchNorm1d(4), (6, 4), (3, 4), call=lambda m, a, b: m(a).sum(0) * m(b).sum(0))
case("batch norm in evaluation", nn.BatchNorm2d(3), (2, 3, 4, 5), train=False)
case("layer norm", nn.LayerNorm(6), (2, 3, 6))
case("group norm", nn.GroupNorm(2, 4), (3, 4, 5))
case("instance norm", nn.InstanceNorm2d(3, affine=True), (2, 3, 4, 5))
case("rms norm", nn.RMSNorm(6, eps=1e-5), (2, 3, 6))

mha = dict(batch_first=True)
case("attention", nn.MultiheadAttention(8, 2, **mha), (2, 5, 8), call=lambda m, x: m(x, x, x)[0])
case("attention without bias", nn.MultiheadAttention(8, 4, bias=False, **mha), (2, 5, 8), call=lambda m, x: m(x, x, x)[0])
case("attention across", nn.MultiheadAttention(8, 2, **mha), (2, 3, 8), (2, 5, 8), (2, 5, 8), call=lambda m, q, k, v: m(q, k, v)[0])
causal = torch.triu(torch.ones(5, 5, dtype=torch.bool), 1)
case("causal attention", nn.MultiheadAttention(8, 2, **mha), (2, 5, 8), call=lambda m, x: m(x, x, x, attn_mask=causal)[0])
allowed = torch.tensor([[[[True, False, True, True, False]]], [[[True, True, True, False, True]]]])
case("attention with a mask", nn.MultiheadAttention(8, 2, **mha), (2, 5, 8), allowed,
     call=lambda m, x, a: m(x, x, x, key_padding_mask=~a[:, 0, 0])[0])
added = torch.randn(5, 5)
case("attention with numbers added", nn.MultiheadAttention(8, 2, **mha), (2, 5, 8), added, call=lambda m, x, a: m(x, x, x, attn_mask=a)[0])


class Grouped(nn.Module):
    """Grouped-query attention and rotary positions, with torch's functions."""

    def __init__(self, rotary, causal):
        super().__init__()
        self.in_proj_weight = nn.Parameter(torch.randn(8 + 2 * 4, 8) / 3)
        self.in_proj_bias = nn.Parameter(torch.randn(16) / 3)
        self.out_proj = nn.Linear(8, 8)
        self.rotary, self.causal = rotary, causal

    def rotate(self, x):
        if not self.rotary:
            return x
        angle = torch.outer(torch.arange(x.shape[2]).double(), 10000 ** (-torch.arange(0, x.shape[3], 2) / x.shape[3]))
        turn = torch.polar(torch.ones_like(angle), angle)
        half = x.shape[3] // 2
        z = torch.complex(x[..., :half], x[..., half:]) * turn
        return torch.cat([z.real, z.imag], -1)

    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = torch.nn.functional.linear(x, self.in_proj_weight, self.in_proj_bias).split([8, 4, 4], -1)
        q, k, v = (z.view(b, t, -1, 2).transpose(1, 2) for z in (q, k, v))
        q, k = self.rotate(q), self.rotate(k)
        y = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=self.causal, enable_gqa=True)
        return self.out_proj(y.transpose(1, 2).reshape(b, t, 8))


case("grouped-query attention", Grouped(False, False), (2, 5, 8))
case("causal grouped-query attention", Grouped(True, True), (2, 5, 8))

layer = dict(dim_feedforward=12, dropout=0.0, batch_first=True)
case("encoder layer", nn.TransformerEncoderLayer(8, 2, **layer), (2, 5, 8))
case("encoder layer, norm first", nn.TransformerEncoderLayer(8, 2, activation="gelu", norm_first=True, **layer), (2, 5, 8))
case("encoder", nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, norm_first=True, **layer), 2, norm=nn.LayerNorm(8), enable_nested_tensor=False), (2, 5, 8))
mask = nn.Transformer.generate_square_subsequent_mask(4)
decode = lambda m, x, memory: m(x, memory, tgt_mask=mask)
case("decoder layer", nn.TransformerDecoderLayer(8, 2, **layer), (2, 4, 8), (2, 5, 8), call=decode)
case("decoder", nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, norm_first=True, **layer), 2, norm=nn.LayerNorm(8)), (2, 4, 8), (2, 5, 8), call=decode)


class Sines(nn.Module):
    def forward(self, x):
        t, width = x.shape[-2:]
        place, rate = torch.arange(t).double()[:, None], torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
        table = torch.zeros(t, width)
        table[:, 0::2], table[:, 1::2] = torch.sin(place * rate), torch.cos(place * rate)[:, : width // 2]
        return x + table


case("sinusoidal positions", Sines(), (2, 5, 6))
case("sinusoidal positions of an odd width", Sines(), (2, 4, 5))
case("conv3d", nn.Conv3d(2, 4, 2, stride=(1, 2, 1), padding=(0, 1, 1), groups=2), (2, 2, 3, 4, 3))
case("transposed conv3d", nn.ConvTranspose3d(2, 3, 2, stride=2, padding=1, output_padding=1), (2, 2, 2, 3, 2))
case("max pool of volumes", nn.MaxPool3d(2, stride=1), (2, 2, 3, 4, 3))
case("mean pool of volumes", nn.AvgPool3d(2, padding=1), (2, 2, 3, 4, 3))
case("adaptive max pool", nn.AdaptiveMaxPool2d((3, 2)), (2, 3, 7, 5))
case("adaptive mean pool", nn.AdaptiveAvgPool2d((3, 7)), (2, 3, 7, 5))
case("adaptive mean pool of volumes", nn.AdaptiveAvgPool3d((2, 3, 1)), (2, 2, 3, 4, 5))
case("adaptive mean pool of windows that meet nowhere", nn.AdaptiveAvgPool1d(3), (2, 2, 6))
case("group norm of one group", nn.GroupNorm(1, 4), (3, 4, 2, 3))
case("group norm without affine", nn.GroupNorm(4, 4, affine=False), (3, 4, 5))
case("instance norm of sequences without affine", nn.InstanceNorm1d(3), (2, 3, 5))
case("instance norm of volumes", nn.InstanceNorm3d(2, affine=True, eps=1e-3), (2, 2, 2, 3, 2))


def stated(m, x, *s):
    y, final = m(x, s if len(s) > 1 else s[0])
    return torch.cat([y.sum((1, 2)), *[f.sum((0, 2)) for f in (final if isinstance(final, tuple) else (final,))]])


first = lambda m, x: m(x)[0]
case("rnn", nn.RNN(3, 4, batch_first=True), (2, 5, 3), call=first)
case("rnn of relu, without bias", nn.RNN(3, 4, nonlinearity="relu", bias=False, batch_first=True), (2, 5, 3), call=first)
case("lstm", nn.LSTM(3, 4, batch_first=True), (2, 5, 3), call=first)
case("lstm of one step", nn.LSTM(3, 4, batch_first=True), (2, 1, 3), call=first)
case("lstm of two layers and directions", nn.LSTM(3, 4, 2, bidirectional=True, batch_first=True), (2, 5, 3), call=first)
case("lstm from a state", nn.LSTM(3, 4, 2, batch_first=True), (2, 5, 3), (2, 2, 4), (2, 2, 4), call=stated)
case("gru", nn.GRU(3, 4, batch_first=True), (2, 5, 3), call=first)
case("gru of two layers and directions", nn.GRU(3, 4, 2, bidirectional=True, batch_first=True), (2, 5, 3), call=first)
case("gru from a state, without bias", nn.GRU(3, 4, 2, bias=False, batch_first=True), (2, 5, 3), (2, 2, 4), call=stated)

if sys.argv[2:] == ["padded"]:  # instead of those above: projections, and packed sequences
    out.clear()
    torch.manual_seed(int(sys.argv[1]))

    def ends(m, x, lengths=None, *state):
        state = (tuple(state) if len(state) > 1 else state[0]) if state else None
        packed = x if lengths is None else nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        y, final = m(packed, state)
        if lengths is not None:
            y, _ = nn.utils.rnn.pad_packed_sequence(y, batch_first=True, total_length=x.shape[1])
        return torch.cat([f.flatten(1) for f in (y, *[f.transpose(0, 1) for f in (final if isinstance(final, tuple) else (final,))])], 1)


    both = dict(num_layers=2, bidirectional=True, batch_first=True)
    lengths = torch.tensor([3, 5, 1, 4])
    case("lstm with projections", nn.LSTM(3, 5, proj_size=2, **both), (2, 4, 3), call=ends)
    case("padded rnn", nn.RNN(3, 4, **both), (4, 5, 3), lengths, call=ends)
    case("padded lstm", nn.LSTM(3, 4, **both), (4, 6, 3), lengths, call=ends)
    case("padded gru", nn.GRU(3, 4, **both), (4, 5, 3), lengths, call=ends)
    case("padded lstm with projections from a state", nn.LSTM(3, 4, proj_size=3, **both), (4, 5, 3), lengths, (4, 4, 3), (4, 4, 4), call=ends)
    case("padded gru from a state", nn.GRU(3, 4, **both), (4, 5, 3), lengths, (4, 4, 4), call=ends)

if sys.argv[2:] == ["cells"]:  # single steps, and layers with slopes or statistics of their own
    out.clear()
    torch.manual_seed(int(sys.argv[1]))
    both = lambda m, x, h, c: torch.cat(m(x, (h, c)), 1)
    case("rnn cell", nn.RNNCell(3, 4), (2, 3))
    case("rnn cell of relu from a state, without bias", nn.RNNCell(3, 4, bias=False, nonlinearity="relu"), (2, 3), (2, 4))
    case("lstm cell", nn.LSTMCell(3, 4), (2, 3), call=lambda m, x: m(x)[0])
    case("lstm cell from a state", nn.LSTMCell(3, 4), (2, 3), (2, 4), (2, 4), call=both)
    case("gru cell", nn.GRUCell(3, 4), (2, 3))
    case("gru cell from a state, without bias", nn.GRUCell(3, 4, bias=False), (2, 3), (2, 4))
    case("prelu", nn.PReLU(), (2, 3, 4))
    case("prelu of channels", nn.PReLU(3), (2, 3, 4))
    case("local response norm", nn.LocalResponseNorm(3, 0.2, 0.75, 1.5), (2, 4, 3))
    case("tracked instance norm", nn.InstanceNorm2d(3, affine=True, track_running_stats=True, momentum=0.3), (2, 3, 4, 2))
    case("tracked instance norm in evaluation", nn.InstanceNorm1d(3, track_running_stats=True, eps=1e-3), (2, 3, 4), train=False)
    case("rrelu in evaluation", nn.RReLU(0.1, 0.3), (2, 3), train=False)
    case("rnn cell of one example", nn.RNNCell(3, 4), (3,))
    case("lstm cell of one example from a state", nn.LSTMCell(3, 4), (3,), (4,), (4,), call=lambda m, x, h, c: torch.cat(m(x, (h, c))))
    case("gru cell of one example from a state", nn.GRUCell(3, 4), (3,), (4,))
    target = torch.tensor([0, 9, 3, 4, 2, 6])
    adaptive = lambda **more: nn.AdaptiveLogSoftmaxWithLoss(16, 10, [3, 6], **more)
    case("adaptive softmax", adaptive(), (6, 16), call=lambda m, x: m.log_prob(x))
    case("adaptive softmax with a loss", adaptive(div_value=2.5, head_bias=True), (6, 16), target, call=lambda m, x, t: torch.cat([m(x, t).output, m(x, t).loss[None]]))

    class ConvLSTM(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight_ih, self.weight_hh, self.bias = (nn.Parameter(torch.randn(s)) for s in ((12, 2, 3, 3), (12, 3, 3, 3), (12,)))

        def forward(self, x, h, c):
            gates = nn.functional.conv2d(x, self.weight_ih, self.bias, padding="same") + nn.functional.conv2d(h, self.weight_hh, padding="same")
            i, f, g, o = gates.chunk(4, 1)
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            return torch.cat([o.sigmoid() * c.tanh(), c], 1)

    case("convolutional lstm cell", ConvLSTM(), (2, 2, 4, 5), (2, 3, 4, 5), (2, 3, 4, 5))
    case("convolutional lstm cell from zeros", ConvLSTM(), (2, 2, 4, 5), call=lambda m, x: m(x, *torch.zeros(2, 2, 3, 4, 5))[:, :3])

if sys.argv[2:] == ["normed"]:  # weights that are normalized, paddings, and what attention and transformers have besides
    from torch.nn.utils.parametrizations import spectral_norm, weight_norm

    out.clear()
    torch.manual_seed(int(sys.argv[1]))
    case("weight norm", weight_norm(nn.Linear(5, 3)), (2, 4, 5))
    case("weight norm along the inputs", weight_norm(nn.Conv2d(2, 3, 2, bias=False), dim=1), (2, 2, 3, 4))
    case("weight norm of a transposed convolution", weight_norm(nn.ConvTranspose1d(4, 3, 2, groups=1)), (2, 4, 3))
    case("spectral norm", spectral_norm(nn.Linear(5, 3)), (4, 5))
    case("spectral norm of three steps", spectral_norm(nn.Conv2d(2, 3, 2, stride=2), n_power_iterations=3), (2, 2, 4, 5))
    case("spectral norm of a transposed convolution", spectral_norm(nn.ConvTranspose2d(2, 3, 2)), (2, 2, 3, 2))
    case("spectral norm of a table", spectral_norm(nn.Embedding(6, 3)), torch.tensor([[0, 5], [1, 1]]))
    case("weight norm of a table", weight_norm(nn.Embedding(6, 3)), torch.tensor([[0, 5], [1, 1]]))
    case("weight norm of steps of an lstm", weight_norm(nn.LSTM(3, 4, num_layers=2, bidirectional=True, batch_first=True), "weight_hh_l1_reverse"), (2, 5, 3), call=lambda m, x: m(x)[0])
    case("weight norm of a gru", weight_norm(weight_norm(nn.GRU(3, 4, batch_first=True), "weight_hh_l0"), "weight_ih_l0", dim=1), (2, 5, 3), call=lambda m, x: m(x)[0])
    case("weight norm of a cell", weight_norm(nn.LSTMCell(3, 4), "weight_ih"), (2, 3), call=lambda m, x: m(x)[0])

    def once(m, x):  # PyTorch reads the weights of a network several times, and makes a step of power iteration each time
        with torch.nn.utils.parametrize.cached():
            return m(x)[0]

    case("spectral norm of steps of an lstm", spectral_norm(nn.LSTM(3, 4, batch_first=True), "weight_hh_l0"), (2, 5, 3), call=once)
    case("spectral norm of a gru in evaluation", spectral_norm(nn.GRU(3, 4, batch_first=True), "weight_hh_l0"), (2, 5, 3), call=lambda m, x: m(x)[0], train=False)
    case("spectral norm of a cell", spectral_norm(nn.GRUCell(3, 4), "weight_hh"), (2, 3), call=lambda m, x: m(x, torch.ones(2, 4)))
    causal = torch.ones(5, 5).triu(1).bool()
    flat = lambda y, w: torch.cat([y.flatten(1), w.flatten(1)], 1)
    case("attention with weights", nn.MultiheadAttention(8, 2, batch_first=True), (2, 4, 8), (2, 5, 8), call=lambda m, x, y: flat(*m(x, y, y)))
    case("attention with weights of each head", nn.MultiheadAttention(8, 2, batch_first=True, add_zero_attn=True), (2, 5, 8), call=lambda m, x: flat(*m(x, x, x, attn_mask=causal, average_attn_weights=False)))
    case("spectral norm, bilinear", spectral_norm(nn.Bilinear(3, 4, 2)), (5, 3), (5, 4))
    case("spectral norm twice", spectral_norm(nn.Linear(4, 3)), (2, 4), (2, 4), call=lambda m, a, b: m(a) * m(b))
    case("spectral norm in evaluation", spectral_norm(nn.Linear(5, 3)), (4, 5), train=False)
    case("zero pad", nn.ZeroPad2d((1, 2, -1, 3)), (2, 2, 3, 4))
    case("constant pad", nn.ConstantPad1d((2, 1), -1.5), (2, 3, 4))
    case("constant pad of volumes", nn.ConstantPad3d((1, 0, 2, 1, 0, 1), 2.5), (2, 1, 2, 3, 2))
    case("reflection pad", nn.ReflectionPad1d((2, 3)), (2, 3, 4))
    case("reflection pad of images", nn.ReflectionPad2d((1, 2, 0, 2)), (2, 2, 3, 4))
    case("reflection pad of volumes", nn.ReflectionPad3d((1, 1, 0, 2, 1, 0)), (2, 1, 2, 3, 2))
    case("replication pad of images", nn.ReplicationPad2d((1, 5, 4, 0)), (2, 2, 3, 4))
    case("circular pad of volumes", nn.CircularPad3d((1, 2, 0, 3, 1, 0)), (2, 1, 2, 3, 2))
    case("attention of other widths", nn.MultiheadAttention(8, 2, kdim=3, vdim=5, **mha), (2, 3, 8), (2, 4, 3), (2, 4, 5), call=lambda m, q, k, v: m(q, k, v)[0])
    case("attention of keys of another width, without bias", nn.MultiheadAttention(8, 2, kdim=3, bias=False, **mha), (2, 3, 8), (2, 4, 3), (2, 4, 8),
         call=lambda m, q, k, v: m(q, k, v)[0])
    more = dict(add_bias_kv=True, add_zero_attn=True, **mha)
    case("attention with more keys", nn.MultiheadAttention(8, 2, **more), (2, 5, 8), call=lambda m, x: m(x, x, x)[0])
    case("causal attention with a learned key", nn.MultiheadAttention(8, 2, add_bias_kv=True, **mha), (2, 5, 8), call=lambda m, x: m(x, x, x, attn_mask=causal)[0])
    case("attention with more keys and a mask", nn.MultiheadAttention(8, 2, **more), (2, 5, 8), allowed,
         call=lambda m, x, a: m(x, x, x, key_padding_mask=~a[:, 0, 0])[0])
    case("attention with a key of zeros and numbers added", nn.MultiheadAttention(8, 2, add_zero_attn=True, **mha), (2, 5, 8), added,
         call=lambda m, x, a: m(x, x, x, attn_mask=a)[0])
    transformer = lambda **more: nn.Transformer(8, 2, 2, 1, dim_feedforward=12, dropout=0.0, batch_first=True, **more)
    write = lambda m, source, target: m(source, target, tgt_mask=mask)
    case("transformer", transformer(), (2, 5, 8), (2, 4, 8), call=write)
    case("transformer, norm first", transformer(norm_first=True, activation="gelu", layer_norm_eps=1e-3), (2, 5, 8), (2, 4, 8), call=write)
    case("transformer without bias", transformer(bias=False), (2, 5, 8), (2, 4, 8), call=write)
    padded = lambda m, source, target, s, t, among: m(source, target, src_mask=torch.where(among, 0.0, -math.inf), tgt_mask=torch.where(mask == 0, 0.0, -math.inf),
        src_key_padding_mask=torch.where(s[:, 0, 0], 0.0, -math.inf), tgt_key_padding_mask=torch.where(t[:, 0, 0], 0.0, -math.inf), memory_key_padding_mask=torch.where(s[:, 0, 0], 0.0, -math.inf))
    case("transformer with masks", transformer(), (2, 5, 8), (2, 4, 8), allowed, torch.tensor([[[[True, True, True, True]]], [[[True, True, True, False]]]]),
         torch.ones(5, 5, dtype=torch.bool).tril(2), call=padded)

    class MGU(nn.Module):
        def __init__(self):
            super().__init__()
            for name, *s in ("weight_ih", 8, 3), ("weight_hh", 8, 4), ("bias_ih", 8), ("bias_hh", 8):
                self.register_parameter(name, nn.Parameter(torch.randn(s)))

        def forward(self, x, h):
            fx, nx = nn.functional.linear(x, self.weight_ih, self.bias_ih).chunk(2, -1)
            fh, nh = nn.functional.linear(h, self.weight_hh, self.bias_hh).chunk(2, -1)
            f = torch.sigmoid(fx + fh)
            return (1 - f) * torch.tanh(nx + f * nh) + f * h

    case("mgu cell", MGU(), (2, 3), (2, 4))
    case("mgu cell from zeros", MGU(), (2, 3), call=lambda m, x: m(x, torch.zeros(2, 4)))

    class NormedConvLSTM(nn.Module):
        def __init__(self):
            super().__init__()
            for name, *s in ("weight_ih", 12, 2, 3, 3), ("weight_hh", 12, 3, 3, 3), ("bias", 12):
                self.register_parameter(name, nn.Parameter(torch.randn(s)))

        def forward(self, x, h, c):
            conv = nn.functional.conv2d
            i, f, g, o = (conv(x, self.weight_ih, self.bias, padding=1) + conv(h, self.weight_hh, padding=1)).chunk(4, 1)
            return torch.sigmoid(o) * torch.tanh(torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g))

    bags = torch.tensor([[0, 5], [1, 1]])
    case("weight norm of a bag", weight_norm(nn.EmbeddingBag(6, 3), dim=1), bags)
    case("spectral norm of a bag", spectral_norm(nn.EmbeddingBag(6, 3)), bags)
    normed = weight_norm(nn.MultiheadAttention(8, 2, **mha), "in_proj_weight")
    weight_norm(normed.out_proj)
    case("weight norm of attention", normed, (2, 5, 8), call=lambda m, x: m(x, x, x)[0])
    normed = spectral_norm(nn.MultiheadAttention(8, 2, **mha), "in_proj_weight")
    weight_norm(normed.out_proj, dim=1)
    case("spectral norm of attention", normed, (2, 5, 8), call=lambda m, x: once(lambda x: m(x, x, x), x))
    case("weight norm of attention of other widths", weight_norm(nn.MultiheadAttention(8, 2, kdim=3, vdim=5, **mha), "k_proj_weight"),
         (2, 3, 8), (2, 4, 3), (2, 4, 5), call=lambda m, q, k, v: m(q, k, v)[0])
    case("weight norm of a convolutional lstm cell", weight_norm(spectral_norm(NormedConvLSTM(), "weight_hh"), "weight_ih"), (2, 2, 4, 5), (2, 3, 4, 5), (2, 3, 4, 5))
    case("transformer without a mask", transformer(), (2, 5, 8), (2, 4, 8))
    case("decoder without a mask", nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, **layer), 2), (2, 4, 8), (2, 5, 8))

if sys.argv[2:] == ["recurrent"]:  # drawn networks; the name of a case says how each is made
    out.clear()
    draw = lambda low, high: int(torch.randint(low, high + 1, ()))

    def recurrent(i):
        kind, hidden, layers, both, bias, first = ["rnn", "lstm", "gru"][i % 3], draw(1, 5), draw(1, 3), draw(0, 1), draw(0, 1), draw(0, 1)
        projected, padded, stated = draw(0, hidden - 1) if kind == "lstm" else 0, draw(0, 1), draw(0, 1)
        batch, t, cells, sequences = draw(1, 4), draw(1, 6), layers * (1 + both), nn.utils.rnn
        single, drops = draw(0, 1 - padded), ["no", "all", "evaluation"][draw(0, 2)]
        more = dict(proj_size=projected) if kind == "lstm" else {}
        more["dropout"] = dict(no=0.0, all=1.0, evaluation=0.5)[drops]
        module = getattr(nn, kind.upper())(3, hidden, layers, bias=bool(bias), batch_first=bool(first), bidirectional=bool(both), **more)
        lengths = torch.randint(1, t + 1, (batch,))
        if is_sorted := draw(0, 1):
            lengths = lengths.sort(descending=True).values
        each = () if single else (batch,)
        states = [(cells, *each, projected or hidden)] + [(cells, *each, hidden)] * (kind == "lstm") if stated else []

        def call(m, x, *given):
            if padded:
                x, given = sequences.pack_padded_sequence(x, given[0], batch_first=bool(first), enforce_sorted=bool(is_sorted)), given[1:]
            y, final = m(x, None if not given else given if kind == "lstm" else given[0])
            if padded:
                y, _ = sequences.pad_packed_sequence(y, batch_first=bool(first), total_length=t)
            return torch.cat([f.flatten() for f in (y, *(final if kind == "lstm" else (final,)))])

        name = f"{i} {kind} {hidden} {layers} {both} {bias} {first} {projected} {padded} {drops}"
        shape = (t, 3) if single else (batch, t, 3) if first else (t, batch, 3)
        case(name, module, shape, *[lengths] * padded, *states, call=call, train=drops != "evaluation")

    for i in range(36):
        recurrent(i)

npz = io.BytesIO()
np.savez_compressed(npz, **out)
sys.stdout.buffer.write(npz.getvalue())
