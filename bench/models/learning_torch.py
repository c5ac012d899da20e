"""Models that learn from pairs, tasks, games and graphs of the PyTorch side, which follow side_torch.py."""


def contrast(p):
    def side(x, name):
        x = F.gelu(F.linear(x, p[name + "0"], p[f"b{name}0"]))
        return F.normalize(F.linear(x, p[name + "1"], p[f"b{name}1"]), dim=-1)
    logits = side(p["image"], "i") @ side(p["text"], "t").t() * p["scale"].exp()
    own = torch.arange(len(logits))
    return (F.cross_entropy(logits, own) + F.cross_entropy(logits.t(), own)) / 2


def meta(p, layers=4, tasks=2, rate=0.4):
    def loss(p, x, t):
        z = x
        for i in range(layers):
            z = batch_norm(p, F.conv2d(z, p[f"w{i}"], p[f"b{i}"], padding=1), "g", "c", i)
            z = F.max_pool2d(torch.relu(z), 2)
        return F.cross_entropy(F.linear(z.flatten(1), p["head"], p["bias"]), t)
    trained = {name: v for name, v in p.items() if v.requires_grad}
    total = 0
    for i in range(tasks):
        slopes = torch.autograd.grad(loss(trained, p[f"x{i}"], p[f"t{i}"]), list(trained.values()), create_graph=True)
        learned = {name: v - rate * slope for (name, v), slope in zip(trained.items(), slopes)}
        total = total + loss(learned, p[f"tryx{i}"], p[f"tryt{i}"])
    return total / tasks


def player(p):
    def worth(z, net):
        for i, stride in enumerate((4, 2, 1)):
            z = torch.relu(F.conv2d(z, p[f"{net}w{i}"], p[f"{net}b{i}"], stride=stride))
        z = torch.relu(F.linear(z.flatten(1), p[net + "l0"], p[net + "bl0"]))
        return F.linear(z, p[net + "l1"], p[net + "bl1"])
    with torch.no_grad():
        next_worth = worth(p["y"], "old").gather(1, worth(p["y"], "").argmax(1, keepdim=True)).squeeze(1)
        target = p["reward"] + 0.99 * next_worth * p["goes"]
    return F.huber_loss(worth(p["x"], "").gather(1, p["move"][:, None]).squeeze(1), target)


def gcn(p):
    z = p["x"]
    for i in range(3):
        z = numbered_linear(p, z, "w", "b", i)
        z = torch.zeros_like(z).index_add(0, p["to"], z[p["from"]] * p["counts"])
        z = torch.relu(z) if i < 2 else z
    return F.cross_entropy(z, p["t"])


KINDS |= {"contrast": contrast, "meta": meta, "player": player, "gcn": gcn}
