"""Models of images of the PyTorch side, which follow side_torch.py."""


def layer_norm(p, z, gain, bias, i):
    return F.layer_norm(z, p[f"{gain}{i}"].shape, p[f"{gain}{i}"], p[f"{bias}{i}"])


def batch_norm(p, z, gain, bias, i):
    return F.batch_norm(z, None, None, p[f"{gain}{i}"], p[f"{bias}{i}"], training=True)


def numbered_linear(p, z, weight, bias, i):
    return F.linear(z, p[f"{weight}{i}"], p[f"{bias}{i}"])


def feed_forward(p, z, up, down, i):
    return numbered_linear(p, F.gelu(numbered_linear(p, z, "w" + up, "b" + up, i)), "w" + down, "b" + down, i)


def head(p, z):
    return F.cross_entropy(F.linear(z, p["head"], p["bias"]), p["t"])


def convnext(p):
    def last(z):
        return z.permute(0, 2, 3, 1)
    def first(z):
        return z.permute(0, 3, 1, 2)
    z, block = p["x"], 0
    for i, blocks in enumerate((2, 2, 4, 2)):
        w, b = p[f"wd{i}"], p[f"bd{i}"]
        if i == 0:
            z = first(layer_norm(p, last(F.conv2d(z, w, b, stride=4)), "gd", "cd", 0))
        else:
            z = F.conv2d(first(layer_norm(p, last(z), "gd", "cd", i)), w, b, stride=2)
        for _ in range(blocks):
            y = F.conv2d(z, p[f"w{block}"], p[f"b{block}"], padding=3, groups=z.shape[1])
            y = feed_forward(p, layer_norm(p, last(y), "g", "c", block), "up", "down", block)
            z = z + first(y * p[f"scale{block}"])
            block += 1
    return head(p, layer_norm(p, z.mean((2, 3)), "glast", "clast", 0))


def dcgan(p):
    z = torch.relu(F.linear(p["x"], p["start"], p["bstart"]).view(-1, 256, 4, 4))
    for i in range(3):
        z = F.conv_transpose2d(z, p[f"up{i}"], stride=2, padding=1)
        if i < 2:
            z = torch.relu(batch_norm(p, z, "gup", "cup", i))
    z = torch.tanh(batch_norm(p, z, "gup", "cup", 2))
    for i in range(3):
        z = F.leaky_relu(batch_norm(p, F.conv2d(z, p[f"down{i}"], stride=2, padding=1), "gdown", "cdown", i), 0.2)
    logits = F.linear(z.flatten(1), p["end"], p["bend"])
    return F.binary_cross_entropy_with_logits(logits, torch.ones_like(logits))


def densenet(p, blocks=3, layers=6):
    def relu(z, gain, bias, i):
        return torch.relu(batch_norm(p, z, gain, bias, i))
    z = F.conv2d(p["x"], p["first"], padding=1)
    for b in range(blocks):
        for i in range(b * layers, (b + 1) * layers):
            y = F.conv2d(relu(z, "ga", "ca", i), p[f"wa{i}"])
            z = torch.cat([z, F.conv2d(relu(y, "gb", "cb", i), p[f"wb{i}"], padding=1)], 1)
        if b < blocks - 1:
            z = F.avg_pool2d(F.conv2d(relu(z, "gt", "ct", b), p[f"wt{b}"]), 2)
    return head(p, relu(z, "g", "c", 0).mean((2, 3)))


def diffusion(p):
    half = p["t0"].shape[1] // 2
    angles = p["time"] * torch.exp(torch.arange(half) * (-9.2 / half))
    time = F.linear(F.silu(F.linear(torch.cat([angles.sin(), angles.cos()], 1), p["t0"], p["bt0"])), p["t1"], p["bt1"])
    def norm(z, gain, bias, i):
        return F.group_norm(z, 8, p[f"{gain}{i}"], p[f"{bias}{i}"])
    def residual(z, i):
        y = F.conv2d(F.silu(norm(z, "ga", "ca", i)), p[f"wa{i}"], p[f"ba{i}"], padding=1)
        y = y + numbered_linear(p, F.silu(time), "wtime", "btime", i)[:, :, None, None]
        y = F.conv2d(F.silu(norm(y, "gb", "cb", i)), p[f"wb{i}"], p[f"bb{i}"], padding=1)
        if f"wp{i}" in p:
            z = F.conv2d(z, p[f"wp{i}"], p[f"bp{i}"])
        return z + y
    def attend(z):
        n = F.linear(z.flatten(2).transpose(1, 2), p["wqkv"], p["bqkv"])
        batch, length, d = n.shape
        q, k, v = n.reshape(batch, length, 3, d // 3 // 64, 64).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)
        return F.linear(y, p["wo"], p["bo"]).transpose(1, 2).reshape(z.shape)
    first = F.conv2d(p["x"], p["first"], p["bfirst"], padding=1)
    fine = residual(first, 0)
    z = residual(F.conv2d(fine, p["down"], p["bdown"], stride=2, padding=1), 1)
    z = residual(residual(z + attend(norm(z, "gq", "cq", 0)), 2), 3)
    z = F.conv2d(F.interpolate(z, scale_factor=2), p["up"], p["bup"], padding=1)
    z = residual(torch.cat([residual(torch.cat([z, fine], 1), 4), first], 1), 5)
    z = F.conv2d(F.silu(norm(z, "glast", "clast", 0)), p["last"], p["blast"], padding=1)
    return F.mse_loss(z, p["noise"])


def swin(p, window=7):
    places = torch.arange(window * window)
    rows = places[:, None] // window - places // window + window - 1
    distances = rows * (2 * window - 1) + places[:, None] % window - places % window + window - 1
    def windows(z):
        batch, height, width, d = z.shape
        z = z.view(batch, height // window, window, width // window, window, d).permute(0, 1, 3, 2, 4, 5)
        return z.reshape(batch, -1, window * window, d)
    def attend(z, i, shift):
        batch, height, width, d = z.shape
        qkv = numbered_linear(p, windows(z), "wqkv", "bqkv", i)
        q, k, v = qkv.view(batch, -1, window * window, 3, d // 32, 32).permute(3, 0, 1, 4, 2, 5)
        bias = p[f"distances{i}"][distances].permute(2, 0, 1)
        if shift:
            region = torch.zeros(1, height, width, 1)
            cuts = (slice(0, -window), slice(-window, -shift), slice(-shift, None))
            for a, h in enumerate(cuts):
                for b, w in enumerate(cuts):
                    region[:, h, w] = 3 * a + b
            region = windows(region)[0, :, :, 0]
            bias = bias + torch.where(region[:, None] != region[:, :, None], -100.0, 0.0)[:, None]
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=bias.expand(batch, q.shape[1], -1, -1, -1)).transpose(2, 3)
        y = y.reshape(batch, height // window, width // window, window, window, d).permute(0, 1, 3, 2, 4, 5)
        return numbered_linear(p, y.reshape(batch, height, width, d), "wo", "bo", i)
    z = F.conv2d(p["x"], p["patch"], p["bpatch"], stride=4).permute(0, 2, 3, 1)
    for i in numbered(p, "wqkv"):
        if i == 2:
            batch, height, width, d = z.shape
            z = z.reshape(batch, height // 2, 2, width // 2, 2, d).permute(0, 1, 3, 4, 2, 5).reshape(batch, height // 2, width // 2, 4 * d)
            z = F.linear(layer_norm(p, z, "gm", "cm", 0), p["merge"])
        shift = i % 2 * (window // 2)
        y = torch.roll(layer_norm(p, z, "g1_", "c1_", i), (-shift, -shift), (1, 2))
        z = z + torch.roll(attend(y, i, shift), (shift, shift), (1, 2))
        z = z + feed_forward(p, layer_norm(p, z, "g2_", "c2_", i), "1_", "2_", i)
    return head(p, layer_norm(p, z, "g", "c", 0).mean((1, 2)))


def mixer(p):
    z = F.conv2d(p["x"], p["patch"], p["bpatch"], stride=p["patch"].shape[2:]).flatten(2).transpose(1, 2)
    for i in numbered(p, "wp"):
        z = z + feed_forward(p, layer_norm(p, z, "g1_", "c1_", i).transpose(1, 2), "p", "q", i).transpose(1, 2)
        z = z + feed_forward(p, layer_norm(p, z, "g2_", "c2_", i), "1_", "2_", i)
    return head(p, layer_norm(p, z, "g", "c", 0).mean(1))


def video(p):
    z = p["x"]
    for i in numbered(p, "w"):
        z = torch.relu(F.conv3d(z, p[f"w{i}"], p[f"b{i}"], padding=1))
        if i < 3:
            z = F.max_pool3d(z, (min(i + 1, 2), 2, 2))
    return head(p, z.mean((2, 3, 4)))


KINDS |= {
    "convnext": convnext, "dcgan": dcgan, "densenet": densenet, "diffusion": diffusion, "swin": swin, "mixer": mixer, "video": video,
}
