"""Models of structures of the PyTorch side, which follow side_torch.py."""


def folding(p, heads=4, width=16, sides=16):
    def attention(x, name, pairs):
        x = layer_norm(p, x, "g" + name, "c" + name, 0)
        q, k, v = F.linear(x, p["qkv" + name]).unflatten(-1, (3, heads, width)).unbind(-3)
        bias = F.linear(pairs if pairs is not None else x, p["pair" + name]).permute(2, 0, 1)
        y = F.scaled_dot_product_attention(*(t.transpose(-2, -3) for t in (q, k, v)), attn_mask=bias).transpose(-2, -3).flatten(-2)
        return F.linear(y * torch.sigmoid(F.linear(x, p["gate" + name], p["bgate" + name])), p["out" + name], p["bout" + name])
    def layers(x, name):
        x = layer_norm(p, x, "g" + name, "c" + name, 0)
        return F.linear(torch.relu(F.linear(x, p["w" + name], p["b" + name])), p["v" + name], p["d" + name])
    x, z = p["x"], p["z"]
    x = x + attention(x, "row", z)
    x = x + layers(x, "rows")
    a, b = F.linear(layer_norm(p, x, "gouter", "couter", 0), p["sides"], p["bsides"]).chunk(2, -1)
    outer = torch.einsum("sic,sjd->ijcd", a, b).flatten(-2) / x.shape[0]
    z = z + F.linear(outer, p["outer"], p["bouter"])
    t = layer_norm(p, z, "gtriangle", "ctriangle", 0)
    a, b = (torch.sigmoid(F.linear(t, p["open"], p["bopen"])) * F.linear(t, p["ab"], p["bab"])).chunk(2, -1)
    product = layer_norm(p, torch.einsum("ikc,jkc->ijc", a, b), "gproduct", "cproduct", 0)
    z = z + F.linear(product, p["product"], p["bproduct"]) * torch.sigmoid(F.linear(t, p["passes"], p["bpasses"]))
    z = z + attention(z, "start", None)
    z = z + layers(z, "pairs")
    return (x ** 2).mean() + (z ** 2).mean()


def fourier(p, modes=12):
    z = F.conv2d(p["x"], p["lift"], p["blift"])
    for i in numbered(p, "low"):
        of = torch.fft.rfft2(z)
        low, high = torch.view_as_complex(p[f"low{i}"]), torch.view_as_complex(p[f"high{i}"])
        out = torch.zeros_like(of)
        out[:, :, :modes, :modes] = torch.einsum("bixy,ioxy->boxy", of[:, :, :modes, :modes], low)
        out[:, :, -modes:, :modes] = torch.einsum("bixy,ioxy->boxy", of[:, :, -modes:, :modes], high)
        z = F.gelu(torch.fft.irfft2(out, s=z.shape[2:]) + F.conv2d(z, p[f"w{i}"], p[f"b{i}"]))
    return F.mse_loss(F.conv2d(z, p["last"], p["blast"]), p["y"])


def splines(p, order=3):
    z = p["x"]
    for i in numbered(p, "base"):
        at, knots = z[:, :, None], p[f"knots{i}"]
        bases = ((at >= knots[:, :-1]) & (at < knots[:, 1:])).float()
        for k in range(1, order + 1):
            bases = ((at - knots[:, :-k - 1]) / (knots[:, k:-1] - knots[:, :-k - 1]) * bases[:, :, :-1]
                     + (knots[:, k + 1:] - at) / (knots[:, k + 1:] - knots[:, 1:-k]) * bases[:, :, 1:])
        z = F.linear(F.silu(z), p[f"base{i}"]) + F.linear(bases.flatten(1), p[f"spline{i}"].flatten(1))
    return F.cross_entropy(z, p["t"])


def capsules(p, width=8, steps=3):
    def squash(x):
        square = (x ** 2).sum(-1, keepdim=True)
        return x * (square / ((1 + square) * torch.sqrt(square + 1e-8)))
    z = F.conv2d(torch.relu(F.conv2d(p["x"], p["w0"], p["b0"])), p["w1"], p["b1"], stride=2)
    z = squash(z.unflatten(1, (-1, width)).permute(0, 1, 3, 4, 2).flatten(1, 3))
    votes = torch.einsum("bid,ciod->bcio", z, p["votes"])
    logits = torch.zeros(votes.shape[:3])
    for step in range(steps):
        share = torch.softmax(logits, 1)
        out = squash((share[..., None] * votes).sum(2))
        if step < steps - 1:
            logits = logits + (votes * out[:, :, None]).sum(-1)
    length = torch.sqrt((out ** 2).sum(-1) + 1e-8)
    own = F.one_hot(p["t"], length.shape[1]).float()
    return (own * torch.relu(0.9 - length) ** 2 + 0.5 * (1 - own) * torch.relu(length - 0.1) ** 2).sum(1).mean()


def nowcast(p):
    batch, length, _, height, width = p["x"].shape
    h = c = torch.zeros(batch, p["last"].shape[1], height, width)
    for i in range(length):
        parts = F.conv2d(torch.cat([p["x"][:, i], h], 1), p["w"], p["b"], padding=1).chunk(4, 1)
        c = torch.sigmoid(parts[1]) * c + torch.sigmoid(parts[0]) * torch.tanh(parts[2])
        h = torch.sigmoid(parts[3]) * torch.tanh(c)
    return F.mse_loss(F.conv2d(h, p["last"], p["blast"]), p["y"])


def tagger(p):
    x = F.embedding(p["x"], p["words"])
    zeros = torch.zeros(2, x.shape[0], x.shape[2])
    weights = [p[f"lstm.{name}_l0{side}"] for side in ("", "_reverse") for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
    y, _, _ = torch.lstm(x, (zeros, zeros), weights, True, 1, 0.0, torch.is_grad_enabled(), True, True)
    scores, t, follows = F.linear(y, p["head"], p["bias"]), p["t"], p["follows"]
    own = scores.gather(2, t[:, :, None]).sum((1, 2)) + follows[t[:, :-1], t[:, 1:]].sum(1)
    all = scores[:, 0]
    for i in range(1, scores.shape[1]):
        all = torch.logsumexp(all[:, :, None] + follows, 1) + scores[:, i]
    return (torch.logsumexp(all, 1) - own).mean()


def molecules(p):
    x, h = p["x"], p["h"]
    atoms = h.shape[1]
    for i in numbered(p, "edge"):
        apart = x[:, :, None] - x[:, None]
        square = (apart ** 2).sum(-1, keepdim=True)
        both = torch.cat([h[:, :, None].expand(-1, -1, atoms, -1), h[:, None].expand(-1, atoms, -1, -1), square], -1)
        m = F.silu(numbered_linear(p, F.silu(numbered_linear(p, both, "edge", "bedge", i)), "tell", "btell", i))
        pull = F.linear(F.silu(numbered_linear(p, m, "pull", "bpull", i)), p[f"far{i}"])
        x = x + (apart * pull).mean(2)
        z = F.silu(numbered_linear(p, torch.cat([h, m.sum(2)], -1), "node", "bnode", i))
        h = h + numbered_linear(p, z, "next", "bnext", i)
    return F.mse_loss(F.linear(h.sum(1), p["head"], p["bias"]), p["y"]) + F.mse_loss(x, p["to"])


def transport(p, steps=50, smooth=0.1):
    x, y = (F.normalize(F.linear(p[name], p["w"], p["b"]), dim=-1) for name in "xy")
    cost = 1 - x @ y.t()
    scores = -cost / smooth
    a, b = torch.zeros(x.shape[0], 1), torch.zeros(1, y.shape[0])
    for _ in range(steps):
        a = -torch.logsumexp(scores + b, 1, keepdim=True)
        b = -torch.logsumexp(scores + a, 0, keepdim=True)
    return (torch.exp(scores + a + b) * cost).sum()


def policy(p, clip=0.2, entropy=0.01):
    def net(name):
        z = p["x"]
        for i in range(2):
            z = torch.tanh(numbered_linear(p, z, name + "w", name + "b", i))
        return numbered_linear(p, z, name + "w", name + "b", 2)
    normal = torch.distributions.Normal(net("p"), p["deviation"].exp(), validate_args=False)
    ratio = torch.exp(normal.log_prob(p["move"]).sum(-1) - p["before"])
    gain = (p["gain"] - p["gain"].mean()) / (p["gain"].std() + 1e-8)
    surrogate = torch.minimum(ratio * gain, ratio.clamp(1 - clip, 1 + clip) * gain).mean()
    worth = F.mse_loss(net("v").squeeze(-1), p["worth"])
    return 0.5 * worth - surrogate - entropy * normal.entropy().sum(-1).mean()


def hashed(p, finest=256):
    parts, levels = [], sum(name.startswith("table") for name in p)
    corners = torch.tensor([[i >> 2 & 1, i >> 1 & 1, i & 1] for i in range(8)])
    for i in range(levels):
        table = p[f"table{i}"]
        at = p["x"] * math.floor(16 * (finest / 16) ** (i / (levels - 1)))
        cell = at.floor()
        share, corner = at - cell, cell.long()[:, None] + corners
        key = (corner[..., 0] ^ corner[..., 1] * 2654435761 ^ corner[..., 2] * 805459861) % len(table)
        weight = torch.where(corners == 1, share[:, None], 1 - share[:, None]).prod(-1)
        parts.append((F.embedding(key, table) * weight[..., None]).sum(1))
    z = torch.cat(parts, -1)
    for i in range(2):
        z = torch.relu(numbered_linear(p, z, "w", "b", i))
    return F.mse_loss(torch.sigmoid(numbered_linear(p, z, "w", "b", 2)), p["y"])


KINDS |= {"folding": folding, "fourier": fourier, "splines": splines, "capsules": capsules, "nowcast": nowcast, "tagger": tagger,
          "molecules": molecules, "transport": transport, "policy": policy, "hashed": hashed}
