"""Sequence models of the PyTorch side, which follow side_torch.py."""


def tokens_loss(logits, t):
    return F.cross_entropy(logits.flatten(0, 1), t.flatten())


def rms(x, weight):
    return F.rms_norm(x, weight.shape, weight, 1e-5)


def rotated(x, first):
    """Turns pairs of elements of x, [batch, heads, length, width], by angles of their places."""
    half = x.shape[-1] // 2
    rate = 10000.0 ** (-torch.arange(half, dtype=torch.float32) / half)
    angle = torch.arange(first, first + x.shape[2], dtype=torch.float32)[:, None] * rate
    sin, cos = angle.sin(), angle.cos()
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


def heads_of(x, width=64):
    return x.unflatten(-1, (-1, width)).transpose(-2, -3)


def llama(p, cached=False):
    z = F.embedding(p["x"], p["tokens.weight"])
    batch, length, d = z.shape
    place = int(p["place"]) if cached else 0
    for i in range(sum(name.endswith(".norm1.weight") for name in p)):
        w = {name: p[f"layers.{i}.{name}.weight"] for name in ("norm1", "norm2", "gate", "up", "down", "attn.out_proj")}
        qkv = F.linear(rms(z, w["norm1"]), p[f"layers.{i}.attn.in_proj_weight"])
        each = (qkv.shape[-1] - d) // 2
        q, k, v = (heads_of(x) for x in qkv.split([d, each, each], -1))
        q, k = rotated(q, place), rotated(k, place)
        if cached:
            keys, values = p[f"keys{i}"], p[f"values{i}"]
            keys[:, :, place:place + length] = k
            values[:, :, place:place + length] = v
            k, v = keys[:, :, :place + length], values[:, :, :place + length]
        k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], 1) for x in (k, v))
        a = F.scaled_dot_product_attention(q, k, v, is_causal=length > 1)
        z = z + F.linear(a.transpose(1, 2).flatten(2), w["attn.out_proj"])
        n = rms(z, w["norm2"])
        z = z + F.linear(F.silu(F.linear(n, w["gate"])) * F.linear(n, w["up"]), w["down"])
    z = rms(z, p["norm.weight"])
    return F.linear(z[:, -1] if cached else z, p["head.weight"])


def bert(p):
    batch, length = p["x"].shape
    z = F.embedding(p["x"], p["tokens.weight"]) + p["positions.weight"]
    d = z.shape[-1]
    def norm(z, name):
        return F.layer_norm(z, (d,), p[name + ".weight"], p[name + ".bias"])
    def linear(z, name):
        return F.linear(z, p[name + ".weight"], p[name + ".bias"])
    z = norm(z, "norm")
    seen = (torch.arange(length) < p["lengths"][:, None])[:, None, None]
    for i in range(sum(name.endswith(".norm1.weight") for name in p)):
        name = f"encoder.layers.{i}."
        qkv = F.linear(z, p[name + "self_attn.in_proj_weight"], p[name + "self_attn.in_proj_bias"])
        q, k, v = (heads_of(x) for x in qkv.chunk(3, -1))
        a = F.scaled_dot_product_attention(q, k, v, attn_mask=seen)
        z = norm(z + linear(a.transpose(1, 2).flatten(2), name + "self_attn.out_proj"), name + "norm1")
        z = norm(z + linear(F.gelu(linear(z, name + "linear1")), name + "linear2"), name + "norm2")
    z = z[torch.arange(batch)[:, None], p["places"]]
    z = norm(F.gelu(linear(z, "dense")), "last")
    return tokens_loss(F.linear(z, p["tokens.weight"], p["bias"]), p["t"])


def buckets(length, both):
    distance = torch.arange(length)[None] - torch.arange(length)[:, None]
    count, first = 32, 0
    if both:
        count //= 2
        first = (distance > 0).long() * count
        distance = distance.abs()
    else:
        distance = (-distance).clamp(min=0)
    exact = count // 2
    far = torch.log(distance.clamp(min=1).float() / exact) * ((count - exact) / math.log(101 / exact))
    return torch.where(distance < exact, distance, (far.long() + exact).clamp(max=count - 1)) + first


def t5_part(p, part, x, memory=None):
    z = F.embedding(x, p["tokens"])
    length = x.shape[1]
    mask = F.embedding(buckets(length, memory is None), p[part + "_distances"]).permute(2, 0, 1)[None]
    if memory is not None:
        mask = mask.masked_fill(torch.ones(length, length, dtype=torch.bool).triu(1), -math.inf)
    for i in numbered(p, part + "_norm"):
        def attend(kind, z, memory, mask):
            n = rms(z, p[f"{part}_{kind}_norm{i}"])
            memory = n if memory is None else memory
            q, k, v = (heads_of(F.linear(x, p[f"{part}_{kind}_{name}{i}"])) for x, name in ((n, "q"), (memory, "k"), (memory, "v")))
            a = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=1.0)
            return z + F.linear(a.transpose(1, 2).flatten(2), p[f"{part}_{kind}_o{i}"])
        z = attend("self", z, None, mask)
        if memory is not None:
            z = attend("cross", z, memory, None)
        n = rms(z, p[f"{part}_norm{i}"])
        z = z + F.linear(torch.relu(F.linear(n, p[f"{part}_wi{i}"])), p[f"{part}_wo{i}"])
    return rms(z, p[part + "_last"])


def t5(p):
    decoded = t5_part(p, "decoder", p["y"], t5_part(p, "encoder", p["x"]))
    return tokens_loss(F.linear(decoded, p["tokens"]), p["t"])


def mixture(p, layer):
    z = p["x"]
    for i in numbered(p, "router"):
        n = rms(z, p[f"norm{i}"])
        weights, chosen = torch.softmax(F.linear(n, p[f"router{i}"]), -1).topk(2, -1)
        weights = weights / weights.sum(-1, keepdim=True)
        z = z + layer(n, chosen, weights, p[f"w1_{i}"], p[f"w2_{i}"])
    return F.cross_entropy(F.linear(z, p["head"], p["bias"]), p["t"])


def every_expert(n, chosen, weights, w1, w2):
    each = F.silu(n @ w1) @ w2
    combine = (F.one_hot(chosen, len(w1)) * weights[..., None]).sum(1)
    return torch.einsum("te,etd->td", combine, each)


def chosen_experts(n, chosen, weights, w1, w2):
    y = torch.zeros_like(n)
    for e in range(len(w1)):
        token, rank = torch.where(chosen == e)
        y = y.index_add(0, token, F.silu(n[token] @ w1[e]) @ w2[e] * weights[token, rank, None])
    return y


def lstm_of(p, name, suffixes):
    return [p[f"{name}.{part}{suffix}"] for suffix in suffixes for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]


def translator(p):
    source, target = F.embedding(p["x"], p["source.weight"]), F.embedding(p["y"], p["target.weight"])
    batch, length, _ = source.shape
    weights = lstm_of(p, "encoder", ["_l0"])
    zeros = source.new_zeros(1, batch, weights[1].shape[1])
    packed = torch.nn.utils.rnn.pack_padded_sequence(source, p["lengths"], batch_first=True, enforce_sorted=False)
    begin = (zeros, zeros)
    y, h, c = torch.lstm(packed.data, packed.batch_sizes, begin, weights, True, 1, 0.0, True, False)
    packed = torch.nn.utils.rnn.PackedSequence(y, packed.batch_sizes, packed.sorted_indices, packed.unsorted_indices)
    memory, _ = torch.nn.utils.rnn.pad_packed_sequence(packed, batch_first=True, total_length=length)
    h, c = h[0][packed.unsorted_indices], c[0][packed.unsorted_indices]
    keys = F.linear(memory, p["keys.weight"])
    hidden = torch.arange(length) >= p["lengths"][:, None]
    cell, outs = lstm_of(p, "decoder", [""]), []
    for x in target.unbind(1):
        scores = F.linear(torch.tanh(keys + F.linear(h, p["query.weight"])[:, None]), p["energy.weight"]).squeeze(-1)
        attention = torch.softmax(scores.masked_fill(hidden, -math.inf), -1)
        context = (attention[:, None] @ memory).squeeze(1)
        h, c = torch.lstm_cell(torch.cat([x, context], -1), (h, c), *cell)
        outs.append(torch.cat([h, context], -1))
    return tokens_loss(F.linear(torch.stack(outs, 1), p["head.weight"], p["head.bias"]), p["t"])


def mamba(p):
    z = p["tokens"][p["x"]]
    for i in numbered(p, "in"):
        z = z + selective(p, i, rms(z, p[f"norm{i}"]))
    return tokens_loss(F.linear(rms(z, p["norm"]), p["head"]), p["t"])


def selective(p, i, z):
    x, gate = F.linear(z, p[f"in{i}"]).chunk(2, -1)
    weight = p[f"conv{i}"]
    x = F.conv1d(F.pad(x.transpose(1, 2), (weight.shape[2] - 1, 0)), weight, p[f"bconv{i}"], groups=len(weight))
    x = F.silu(x.transpose(1, 2))
    step, b, c = F.linear(x, p[f"parts{i}"]).split([p[f"step{i}"].shape[1], 16, 16], -1)
    step = F.softplus(F.linear(step, p[f"step{i}"], p[f"bstep{i}"]))
    a = -torch.exp(p[f"loga{i}"])
    fade = torch.exp(step[..., None] * a)
    taken = step[..., None] * b[:, :, None] * x[..., None]
    state, outs = torch.zeros_like(taken[:, 0]), []
    for fade, taken, c in zip(fade.unbind(1), taken.unbind(1), c.unbind(1)):
        state = fade * state + taken
        outs.append((state @ c[..., None]).squeeze(-1))
    y = torch.stack(outs, 1) + x * p[f"skip{i}"]
    return F.linear(y * F.silu(gate), p[f"out{i}"])


def wave(p):
    z, total = F.embedding(p["x"], p["tokens.weight"]).transpose(1, 2), 0
    def conv(x, name, **options):
        return F.conv1d(x, p[name + ".weight"], p[name + ".bias"], **options)
    for i in range(sum(name.startswith("dilated.") for name in p) // 2):
        a, b = conv(F.pad(z, (1 << i, 0)), f"dilated.{i}", dilation=1 << i).chunk(2, 1)
        h = torch.tanh(a) * torch.sigmoid(b)
        total = total + conv(h, f"skip.{i}")
        if f"residual.{i}.weight" in p:
            z = z + conv(h, f"residual.{i}")
    return F.cross_entropy(conv(torch.relu(conv(torch.relu(total), "middle")), "last"), p["t"])


def recognizer(p):
    z = torch.relu(F.conv2d(p["x"], p["conv1.weight"], p["conv1.bias"], stride=2, padding=1))
    z = torch.relu(F.conv2d(z, p["conv2.weight"], p["conv2.bias"], stride=2, padding=1))
    z = z.transpose(1, 2).flatten(2)
    weights = lstm_of(p, "lstm", ["_l0", "_l0_reverse", "_l1", "_l1_reverse"])
    zeros = z.new_zeros(4, len(z), weights[1].shape[1])
    z, _, _ = torch.lstm(z, (zeros, zeros), weights, True, 2, 0.0, True, True, True)
    logits = F.linear(z, p["head.weight"], p["head.bias"])
    steps = torch.full((len(z),), z.shape[1])
    return F.ctc_loss(torch.log_softmax(logits, -1).transpose(0, 1), p["letters"], steps, p["lengths"])


def conformer(p):
    z = p["x"]
    d = z.shape[-1]
    for i in range(sum(name.endswith(".conv.norm.weight") for name in p)):
        def of(name):
            return p[f"blocks.{i}.{name}.weight"], p[f"blocks.{i}.{name}.bias"]
        def norm(name, z):
            return F.layer_norm(z, (d,), *of(name))
        def half(name, z):
            h = F.silu(F.linear(norm(name + ".norm", z), *of(name + ".up")))
            return z + 0.5 * F.linear(h, *of(name + ".down"))
        z = half("first", z)
        qkv = F.linear(norm("attention.norm", z), p[f"blocks.{i}.attention.in_proj_weight"], p[f"blocks.{i}.attention.in_proj_bias"])
        q, k, v = (heads_of(x, d // 4) for x in qkv.chunk(3, -1))
        a = F.scaled_dot_product_attention(q, k, v)
        z = z + F.linear(a.transpose(1, 2).flatten(2), *of("attention.out_proj"))
        h = F.glu(F.conv1d(norm("conv.norm", z).transpose(1, 2), *of("conv.expand")), 1)
        h = F.conv1d(h, *of("conv.depth"), padding=15, groups=d)
        h = F.silu(F.batch_norm(h, None, None, *of("conv.batch"), training=True))
        z = half("second", z + F.conv1d(h, *of("conv.shrink")).transpose(1, 2))
        z = norm("norm", z)
    return tokens_loss(F.linear(z, p["head.weight"], p["head.bias"]), p["t"])


def relative(p):
    z = p["tokens"][p["x"]]
    batch, length, d = z.shape
    keys = length + p["memory0"].shape[1]
    rate = torch.exp(torch.arange(d // 2) * (-2 * math.log(10000) / d))
    angle = torch.arange(keys - 1, -1, -1.0)[:, None] * rate
    sines = torch.cat([angle.sin(), angle.cos()], -1)
    hidden = torch.ones(length, keys, dtype=torch.bool).triu(1 + keys - length)
    for i in numbered(p, "memory"):
        both = torch.cat([p[f"memory{i}"], z], 1)
        q = F.linear(z, p[f"q{i}"]).unflatten(-1, (-1, 64))
        k, v = heads_of(F.linear(both, p[f"k{i}"])), heads_of(F.linear(both, p[f"v{i}"]))
        r = heads_of(F.linear(sines, p[f"r{i}"]))
        content = (q + p[f"u{i}"]).transpose(1, 2) @ k.transpose(-1, -2)
        places = (q + p[f"w{i}"]).transpose(1, 2) @ r.transpose(-1, -2)
        places = F.pad(places, (1, 0)).view(batch, -1, keys + 1, length)[:, :, 1:].reshape(places.shape)
        scores = ((content + places) / 8).masked_fill(hidden, -math.inf)
        y = (torch.softmax(scores, -1) @ v).transpose(1, 2).flatten(2)
        z = F.layer_norm(z + F.linear(y, p[f"o{i}"]), (d,), p[f"g1_{i}"], p[f"c1_{i}"])
        h = F.linear(torch.relu(F.linear(z, p[f"w1_{i}"], p[f"b1_{i}"])), p[f"w2_{i}"], p[f"b2_{i}"])
        z = F.layer_norm(z + h, (d,), p[f"g2_{i}"], p[f"c2_{i}"])
    return tokens_loss(F.linear(z, p["tokens"]), p["t"])


KINDS |= {
    "llama": lambda p: tokens_loss(llama(p), p["t"]), "llama_cached": lambda p: llama(p, True), "bert": bert, "t5": t5,
    "moe_dense": lambda p: mixture(p, every_expert), "moe": lambda p: mixture(p, chosen_experts), "translator": translator,
    "mamba": mamba, "wavenet": wave, "recognizer": recognizer, "conformer": conformer, "relative": relative,
}
