"""More classifiers of the PyTorch side, which follow side_torch.py."""

# The blocks of EfficientNet-B0 whose depthwise convolution halves images.
MBCONV_HALVING = (1, 3, 5, 11)


def efficientnet(p, training=False):
    conv = conv_norm(p, training)
    z = F.silu(conv(p["x"], "0", 2, 1))
    for i in numbered(p, "wb"):
        y = F.silu(conv(z, f"a{i}")) if f"wa{i}" in p else z
        y = F.silu(conv(y, f"b{i}", 1 + (i in MBCONV_HALVING), p[f"wb{i}"].shape[2] // 2, y.shape[1]))
        factor = torch.sigmoid(numbered_linear(p, F.silu(numbered_linear(p, y.mean((2, 3)), "s", "bs", i)), "e", "be", i))
        y = conv(y * factor[:, :, None, None], f"c{i}")
        z = z + y if z.shape == y.shape else y
    return F.linear(F.silu(conv(z, "last")).mean((2, 3)), p["head"], p["bias"])


def vgg(p):
    z = p["x"]
    for i in range(8):
        z = torch.relu(F.conv2d(z, p[f"c{i}"], p[f"bc{i}"], padding=1))
        if i not in (2, 4, 6):
            z = F.max_pool2d(z, 2)
    z = F.adaptive_avg_pool2d(z, 2).flatten(1)
    for i in range(2):
        z = torch.relu(numbered_linear(p, z, "w", "b", i))
        if f"stay{i}" in p:
            z = z * p[f"stay{i}"] * 2
    return numbered_linear(p, z, "w", "b", 2)


def shufflenet(p):
    conv = conv_norm(p, True)
    z = F.max_pool2d(torch.relu(conv(p["x"], "0", 2, 1)), 3, 2, 1)
    for i in numbered(p, "wa"):
        halves = f"wp{i}" in p
        if halves:
            past, y = torch.relu(conv(conv(z, f"p{i}", 2, 1, z.shape[1]), f"q{i}")), z
        else:
            past, y = z.chunk(2, 1)
        y = torch.relu(conv(y, f"a{i}"))
        y = torch.relu(conv(conv(y, f"b{i}", 1 + halves, 1, y.shape[1]), f"c{i}"))
        z = F.channel_shuffle(torch.cat([past, y], 1), 2)
    return F.cross_entropy(F.linear(torch.relu(conv(z, "last")).mean((2, 3)), p["head"], p["bias"]), p["t"])


def inception(p):
    def conv(z, name, i, stride=1, padding=0):
        return torch.relu(F.conv2d(z, p[f"w{name}{i}"], p[f"b{name}{i}"], stride, padding))
    z = F.max_pool2d(conv(p["x"], "stem", 0, 2, 3), 3, 2, 1)
    z = F.max_pool2d(conv(z, "stem", 1, 1, 1), 3, 2, 1)
    for i in numbered(p, "wone"):
        if i == 2:
            z = F.max_pool2d(z, 3, 2, 1)
        z = torch.cat([conv(z, "one", i), conv(conv(z, "before3_", i), "three", i, 1, 1),
                       conv(conv(z, "before5_", i), "five", i, 1, 2), conv(F.max_pool2d(z, 3, 1, 1), "pool", i)], 1)
    return head(p, z.mean((2, 3)))


def pointnet(p):
    def features(z, part):
        for i in range(3):
            z = torch.relu(batch_norm(p, F.conv1d(z, p[f"{part}w{i}"]), part + "g", part + "c", i))
        z = z.amax(-1)
        for i in range(2):
            z = torch.relu(batch_norm(p, numbered_linear(p, z, part + "l", part + "b", i), part + "gl", part + "cl", i))
        return z
    turn = F.linear(features(p["x"], "turn"), p["turn"]).view(-1, 3, 3) + torch.eye(3)
    return head(p, features(turn @ p["x"], "see"))


def spatial(p):
    def conv(z, name):
        return torch.relu(F.max_pool2d(F.conv2d(z, p[name], p["b" + name]), 2))
    x = p["x"]
    h = conv(conv(x, "p0"), "p1").flatten(1)
    h = F.linear(torch.relu(F.linear(h, p["m0"], p["bm0"])), p["m1"], p["bm1"])
    z = F.grid_sample(x, F.affine_grid(h.view(-1, 2, 3), x.shape, align_corners=False), align_corners=False)
    z = conv(conv(z, "c0"), "c1").flatten(1)
    return F.cross_entropy(F.linear(torch.relu(F.linear(z, p["w0"], p["b0"])), p["w1"], p["b1"]), p["t"])


KINDS |= {
    "efficient": lambda p: F.cross_entropy(efficientnet(p, True), p["t"]), "efficient_fwd": efficientnet,
    "vgg": lambda p: F.cross_entropy(vgg(p), p["t"]), "vgg_fwd": vgg, "shufflenet": shufflenet, "inception": inception,
    "pointnet": pointnet, "spatial": spatial,
}
