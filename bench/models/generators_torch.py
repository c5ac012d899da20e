"""Models that make images of the PyTorch side, which follow side_torch.py."""


def numbered_conv(p, z, name, i, **options):
    return F.conv2d(z, p[f"w{name}{i}"], p[f"b{name}{i}"], **options)


def critic(p):
    def judge(z):
        for i in range(3):
            z = F.leaky_relu(numbered_conv(p, z, "", i, stride=2, padding=1), 0.2)
        return F.linear(z.flatten(1), p["head"], p["bias"])
    x, y = p["x"], p["y"]
    middle = (p["between"] * x + (1 - p["between"]) * y).requires_grad_()
    slope, = torch.autograd.grad(judge(middle).sum(), middle, create_graph=True)
    penalty = ((slope.flatten(1).norm(2, 1) - 1) ** 2).mean()
    return judge(y).mean() - judge(x).mean() + 10 * penalty


def flow(p, levels=2, steps=4):
    z, total = p["x"], 0
    count = z[0].numel()
    for level in range(levels):
        z = F.pixel_unshuffle(z, 2)
        places = z.shape[2] * z.shape[3]
        for i in range(level * steps, (level + 1) * steps):
            scale, mix = p[f"scale{i}"], p[f"mix{i}"]
            z = F.conv2d((z + p[f"shift{i}"]) * scale.exp(), mix[:, :, None, None])
            total = total + scale.sum() * places + torch.linalg.slogdet(mix)[1] * places
            a, b = z.chunk(2, 1)
            h = torch.relu(numbered_conv(p, a, "a", i, padding=1))
            h = torch.relu(numbered_conv(p, h, "b", i))
            gate, shift = numbered_conv(p, h, "c", i, padding=1).chunk(2, 1)
            gate = gate + 2
            z = torch.cat([a, (b + shift) * torch.sigmoid(gate)], 1)
            total = total + F.logsigmoid(gate).sum((1, 2, 3))
        if level < levels - 1:
            z, out = z.chunk(2, 1)
            total = total - 0.5 * (out ** 2).sum((1, 2, 3))
    total = total - 0.5 * (z ** 2).sum((1, 2, 3))
    return -total.mean() / count


def pixels(p):
    def before(size, middle):
        mask = torch.zeros(size * size)
        mask[:size * size // 2 + middle] = 1
        return mask.view(size, size)
    z = F.conv2d(p["x"], p["first"] * before(7, 0), p["bfirst"], padding=3)
    for i in numbered(p, "wa"):
        y = numbered_conv(p, torch.relu(z), "a", i)
        y = F.conv2d(torch.relu(y), p[f"wb{i}"] * before(3, 1), p[f"bb{i}"], padding=1)
        z = z + numbered_conv(p, torch.relu(y), "c", i)
    z = F.conv2d(torch.relu(z), p["middle"], p["bmiddle"])
    return F.cross_entropy(F.conv2d(torch.relu(z), p["last"], p["blast"]), p["t"])


def images(p):
    def mirrored(z, width):
        return F.pad(z, (width,) * 4, mode="reflect")
    def norm(z, name, i):
        return F.instance_norm(z, None, None, p[f"g{name}{i}"], p[f"c{name}{i}"])
    def conv(z, name, i, **options):
        return norm(F.conv2d(z, p[f"w{name}{i}"], **options), name, i)
    z = torch.relu(conv(mirrored(p["x"], 3), "in", 0))
    for i in range(2):
        z = torch.relu(conv(z, "down", i, stride=2, padding=1))
    for i in numbered(p, "wa"):
        z = z + conv(mirrored(torch.relu(conv(mirrored(z, 1), "a", i)), 1), "b", i)
    for i in range(2):
        z = torch.relu(norm(F.conv_transpose2d(z, p[f"wup{i}"], stride=2, padding=1, output_padding=1), "up", i))
    return F.l1_loss(torch.tanh(F.conv2d(mirrored(z, 3), p["last"], p["blast"])), p["y"])


def style(p):
    def features(z):
        found = []
        for i in numbered(p, "w"):
            z = torch.relu(numbered_conv(p, F.avg_pool2d(z, 2) if i else z, "", i, padding=1))
            found.append(z)
        return found
    def gram(z):
        z = z[0].flatten(1)
        return z @ z.t() / z.numel()
    x, content, other = features(p["x"]), features(p["content"]), features(p["style"])
    return F.mse_loss(x[2], content[2]) + sum(100 * F.mse_loss(gram(a), gram(b)) for a, b in zip(x, other))


def resolution(p):
    first = F.conv2d(p["x"], p["first"], p["bfirst"], padding=1)
    z = first
    for i in numbered(p, "wa"):
        z = z + 0.1 * numbered_conv(p, torch.relu(numbered_conv(p, z, "a", i, padding=1)), "b", i, padding=1)
    z = F.conv2d(z, p["middle"], p["bmiddle"], padding=1) + first
    for i in range(2):
        z = F.pixel_shuffle(numbered_conv(p, z, "up", i, padding=1), 2)
    return F.l1_loss(F.conv2d(z, p["last"], p["blast"], padding=1), p["y"])


KINDS |= {
    "critic": critic, "flow": flow, "pixels": pixels, "images": images, "style": style, "resolution": resolution,
}
