"""Scientific models of the PyTorch side, which follow side_torch.py."""


def gat(p):
    nodes, start, end = p["x"].shape[0], p["from"], p["to"]
    def layer(z, i):
        heads, d = p[f"from{i}"].shape
        z = F.linear(z, p[f"w{i}"]).view(nodes, heads, d)
        scores = F.leaky_relu((z * p[f"from{i}"]).sum(-1)[start] + (z * p[f"to{i}"]).sum(-1)[end], 0.2)
        index = end[:, None].expand(-1, heads)
        most = torch.full((nodes, heads), -math.inf).scatter_reduce(0, index, scores.detach(), "amax")
        weights = torch.exp(scores - most[end])
        weights = weights / torch.zeros(nodes, heads).index_add(0, end, weights)[end]
        return torch.zeros(nodes, heads, d).index_add(0, end, z[start] * weights[:, :, None]).flatten(1)
    return F.cross_entropy(layer(F.elu(layer(p["x"], 0)), 1), p["t"])


def nerf(p, bands=10):
    at = p["step"].cumsum(1)
    points = p["origin"][:, None] + p["direction"][:, None] * at[:, :, None]
    parts = [points]
    for i in range(bands):
        parts += [torch.sin(points * 2 ** i), torch.cos(points * 2 ** i)]
    z = torch.cat(parts, -1)
    for i in numbered(p, "w"):
        z = torch.relu(F.linear(z, p[f"w{i}"], p[f"b{i}"]))
    z = F.linear(z, p["head"], p["bias"])
    density, colour = F.softplus(z[:, :, 3]), torch.sigmoid(z[:, :, :3])
    passes = torch.exp(-density * p["step"])
    seen = F.pad(passes.cumprod(1)[:, :-1], (1, 0), value=1.0)
    weights = seen * (1 - passes)
    return F.mse_loss((weights[:, :, None] * colour).sum(1), p["colour"])


def neural_ode(p, steps=20):
    def speed(z):
        for i in range(2):
            z = torch.tanh(F.linear(z, p[f"w{i}"], p[f"b{i}"]))
        return F.linear(z, p["w2"], p["b2"])
    z, h = p["x"], 1 / steps
    for _ in range(steps):
        a = speed(z)
        b = speed(z + a * (h / 2))
        c = speed(z + b * (h / 2))
        z = z + (a + 2 * b + 2 * c + speed(z + c * h)) * (h / 6)
    return F.mse_loss(z, p["y"])


def heat(p, steps=50, time=0.1):
    x = p["x"]
    for _ in range(steps):
        rows, columns = x.roll(1, 0) + x.roll(-1, 0), x.roll(1, 1) + x.roll(-1, 1)
        x = x + (rows + columns - x * 4) * p["conductivity"] * time
    return F.mse_loss(x, p["y"])


def nbody(p, steps=50, time=0.01):
    x, speed = p["x"], p["speed"]
    for _ in range(steps):
        apart = x[None] - x[:, None]
        square = (apart ** 2).sum(-1) + 0.1
        pull = p["mass"] / (square * square.sqrt())
        speed = speed + (apart * pull[..., None]).sum(1) * time
        x = x + speed * time
    return F.mse_loss(x, p["y"])


def gaussian_process(p):
    x = p["x"] / p["lengths"].exp()
    kernel = p["variance"].exp() * torch.exp(-0.5 * ((x[:, None] - x) ** 2).sum(-1)) + torch.eye(x.shape[0]) * p["noise"].exp()
    factor = torch.linalg.cholesky(kernel)
    white = torch.linalg.solve_triangular(factor, p["y"], upper=False)
    return ((white ** 2).sum() * 0.5 + factor.diagonal().log().sum()) / x.shape[0]


KINDS |= {"gat": gat, "nerf": nerf, "heat": heat, "neural_ode": neural_ode, "nbody": nbody, "gaussian": gaussian_process}
