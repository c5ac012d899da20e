"""More sequence models of the PyTorch side, which follow side_torch.py and sequences_torch.py."""


def luong(p):
    source, target = F.embedding(p["x"], p["source"]), F.embedding(p["y"], p["target"])
    weights = lstm_of(p, "encoder", ["_l0"])
    zeros = source.new_zeros(1, len(source), weights[1].shape[1])
    memory, h, c = torch.lstm(source, (zeros, zeros), weights, True, 1, 0.0, True, False, True)
    h, c, said = h[0], c[0], zeros[0]
    cell, outs = lstm_of(p, "decoder", [""]), []
    for x in target.unbind(1):
        h, c = torch.lstm_cell(torch.cat([x, said], -1), (h, c), *cell)
        weights = torch.softmax(F.linear(h, p["general"])[:, None] @ memory.transpose(1, 2), -1)
        said = torch.tanh(F.linear(torch.cat([(weights @ memory).squeeze(1), h], -1), p["combine"]))
        outs.append(said)
    return tokens_loss(F.linear(torch.stack(outs, 1), p["head"], p["bias"]), p["t"])


def language(p):
    x = F.embedding(p["x"], p["tokens"])
    y, h, c = torch.lstm(x, (p["h"], p["c"]), lstm_of(p, "lstm", ["_l0", "_l1"]), True, 2, 0.0, True, False, True)
    loss = tokens_loss(F.linear(y, p["head"], p["bias"]), p["t"])
    p["h"], p["c"] = h.detach(), c.detach()
    return loss


def attended(p, z, attend):
    for i in numbered(p, "wqkv"):
        n = numbered_linear(p, layer_norm(p, z, "g1_", "c1_", i), "wqkv", "bqkv", i)
        q, k, v = (heads_of(x) for x in n.chunk(3, -1))
        z = z + numbered_linear(p, attend(q, k, v).transpose(1, 2).flatten(2), "wo", "bo", i)
        z = z + feed_forward(p, layer_norm(p, z, "g2_", "c2_", i), "1_", "2_", i)
    return z


def performer(p):
    def features(x):
        x = x * 64 ** -0.25
        return torch.exp(F.linear(x, p["directions"]) - 0.5 * (x ** 2).sum(-1, keepdim=True)) * len(p["directions"]) ** -0.5
    def attend(q, k, v):
        q, k = features(q), features(k)
        sums = torch.einsum("bhlf,bhf->bhl", q, k.sum(-2))
        return torch.einsum("bhlf,bhfd->bhld", q, torch.einsum("bhlf,bhld->bhfd", k, v)) / (sums + 1e-6)[..., None]
    z = attended(p, F.embedding(p["x"], p["tokens"]), attend)
    return tokens_loss(F.linear(z, p["head"], p["bias"]), p["t"])


def retnet(p, heads=4):
    z = F.embedding(p["x"], p["tokens"])
    place = torch.arange(z.shape[1], dtype=torch.float32)
    distance = place[:, None] - place
    rate = torch.log(1 - 2.0 ** (-5 - torch.arange(heads, dtype=torch.float32)))
    fade = torch.exp(rate[:, None, None] * distance).masked_fill(distance < 0, 0)
    for i in numbered(p, "gate"):
        n = layer_norm(p, z, "g1_", "c1_", i)
        q, k, v = (heads_of(x) for x in numbered_linear(p, n, "wqkv", "bqkv", i).chunk(3, -1))
        y = (rotated(q, 0) @ rotated(k, 0).transpose(-1, -2) * 0.125 * fade) @ v
        y = F.rms_norm(y, (64,), None, 1e-5).transpose(1, 2).flatten(2)
        z = z + numbered_linear(p, y * F.silu(F.linear(n, p[f"gate{i}"])), "wo", "bo", i)
        n = layer_norm(p, z, "g2_", "c2_", i)
        h = F.silu(numbered_linear(p, n, "w1_", "b1_", i)) * F.linear(n, p[f"w3_{i}"])
        z = z + numbered_linear(p, h, "w2_", "b2_", i)
    return tokens_loss(F.linear(z, p["head"], p["bias"]), p["t"])


def perceiver(p):
    x = p["x"]
    z = p["latents"].expand(len(x), -1, -1)
    q = F.linear(F.layer_norm(z, p["gl"].shape, p["gl"], p["cl"]), p["wq"], p["bq"])
    k, v = F.linear(F.layer_norm(x, p["gx"].shape, p["gx"], p["cx"]), p["wkv"], p["bkv"]).chunk(2, -1)
    y = F.scaled_dot_product_attention(heads_of(q), heads_of(k), heads_of(v)).transpose(1, 2).flatten(2)
    z = z + F.linear(y, p["wc"], p["bc"])
    return head(p, attended(p, z, F.scaled_dot_product_attention).mean(1))


def temporal(p):
    z = p["x"]
    for i in numbered(p, "va"):
        y = z
        for part in "ab":
            w = torch._weight_norm(p[f"v{part}{i}"], p[f"l{part}{i}"], 0)
            y = F.pad(y, ((w.shape[2] - 1) << i, 0))
            y = torch.relu(F.conv1d(y, w, p[f"b{part}{i}"], dilation=1 << i))
        if f"wp{i}" in p:
            z = F.conv1d(z, p[f"wp{i}"], p[f"bp{i}"])
        z = torch.relu(z + y)
    return F.cross_entropy(F.conv1d(z, p["last"], p["blast"]), p["t"])


KINDS |= {
    "luong": luong, "language": language, "performer": performer, "retnet": retnet, "perceiver": perceiver, "temporal": temporal,
}
