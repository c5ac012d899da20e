"""Writes steps.json: 50 steps of every optimiser on three problems in float64.

The answers are those of PyTorch 2.6; Lion, which it does not have, is computed here from the
formulas of its paper (Chen and others, 2023, algorithm 2). usage: python3 steps.py > steps.json
"""
import json
import math
import torch

torch.set_default_dtype(torch.float64)


class Lion(torch.optim.Optimizer):
    def __init__(self, params, lr, betas=(0.9, 0.99), weight_decay=0.0):
        super().__init__(params, dict(lr=lr, betas=betas, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self, closure):
        loss = torch.enable_grad()(closure)()
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in group["params"]:
                m = self.state[p].setdefault("exp_avg", torch.zeros_like(p))
                direction = torch.sign(b1 * m + (1 - b1) * p.grad)
                p -= group["lr"] * (direction + group["weight_decay"] * p)
                m.copy_(b2 * m + (1 - b2) * p.grad)
        return loss


def ramp(*shape):
    n = math.prod(shape)
    return torch.sin(torch.arange(1, n + 1, dtype=torch.float64)).reshape(shape)


def quadratic():
    w = ramp(2, 3).requires_grad_()
    scale = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    return [w], lambda: (scale * (w - 0.5) ** 2).sum()


def rosenbrock():
    w = torch.tensor([-1.2, 1.0]).requires_grad_()
    return [w], lambda: (100 * (w[1] - w[0] ** 2) ** 2 + (1 - w[0]) ** 2) / 100


def mlp():
    x, y = ramp(8, 3), torch.cos(torch.arange(8.0)).reshape(8, 1)
    params = [0.5 * ramp(4, 3), 0.1 * ramp(4), 0.5 * ramp(1, 4), 0.1 * ramp(1)]
    for p in params:
        p.requires_grad_()
    w1, b1, w2, b2 = params
    return params, lambda: ((torch.tanh(x @ w1.T + b1) @ w2.T + b2 - y) ** 2).mean()


o = torch.optim
CASES = {
    "sgd": lambda p: o.SGD(p, 0.02),
    "sgd decay": lambda p: o.SGD(p, 0.02, weight_decay=0.1),
    "sgd momentum dampening": lambda p: o.SGD(p, 0.02, momentum=0.9, dampening=0.3, weight_decay=0.1),
    "sgd nesterov": lambda p: o.SGD(p, 0.02, momentum=0.9, nesterov=True),
    "adam": lambda p: o.Adam(p, 0.02),
    "adam options": lambda p: o.Adam(p, 0.02, betas=(0.8, 0.95), eps=1e-3, weight_decay=0.1),
    "amsgrad": lambda p: o.Adam(p, 0.02, amsgrad=True),
    "adamw": lambda p: o.AdamW(p, 0.02),
    "adamw amsgrad": lambda p: o.AdamW(p, 0.02, weight_decay=0.1, amsgrad=True),
    "adamax": lambda p: o.Adamax(p, 0.02, weight_decay=0.1),
    "nadam": lambda p: o.NAdam(p, 0.02),
    "nadam decoupled": lambda p: o.NAdam(p, 0.02, weight_decay=0.1, momentum_decay=0.01, decoupled_weight_decay=True),
    "radam": lambda p: o.RAdam(p, 0.02, weight_decay=0.1),
    "radam certain": lambda p: o.RAdam(p, 0.02, betas=(0.9, 0.9), weight_decay=0.1, decoupled_weight_decay=True),
    "rmsprop": lambda p: o.RMSprop(p, 0.02),
    "rmsprop options": lambda p: o.RMSprop(p, 0.02, alpha=0.9, centered=True, momentum=0.5, weight_decay=0.1),
    "adagrad": lambda p: o.Adagrad(p, 0.02),
    "adagrad options": lambda p: o.Adagrad(p, 0.2, lr_decay=0.1, initial_accumulator_value=0.5, weight_decay=0.1, eps=1e-6),
    "adadelta": lambda p: o.Adadelta(p, 1.0),
    "adadelta options": lambda p: o.Adadelta(p, 0.5, rho=0.8, eps=1e-4, weight_decay=0.1),
    "adafactor": lambda p: o.Adafactor(p, 0.02),
    "adafactor options": lambda p: o.Adafactor(p, 0.5, beta2_decay=-0.5, eps=(None, 1e-2), d=1.2, weight_decay=0.1),
    "lion": lambda p: Lion(p, 0.02),
    "lion decay": lambda p: Lion(p, 0.02, betas=(0.8, 0.95), weight_decay=0.1),
    "rprop": lambda p: o.Rprop(p, 0.02),
    "rprop options": lambda p: o.Rprop(p, 0.05, etas=(0.3, 1.5), step_sizes=(0.01, 0.2), maximize=False),
    "asgd": lambda p: o.ASGD(p, 0.02),
    "asgd options": lambda p: o.ASGD(p, 0.05, lambd=0.1, alpha=0.5, t0=10, weight_decay=0.1),
    "sgd maximize": lambda p: o.SGD(p, 1e-5, maximize=True, weight_decay=0.1),
    "adamw maximize": lambda p: o.AdamW(p, 1e-3, maximize=True, weight_decay=0.1),
    "lbfgs": lambda p: o.LBFGS(p, line_search_fn="strong_wolfe"),
    "lbfgs short": lambda p: o.LBFGS(p, lr=0.5, max_iter=1, history_size=3, line_search_fn="strong_wolfe"),
}

answers = {}
for name, make in CASES.items():
    answers[name] = {}
    for problem in (quadratic, rosenbrock, mlp):
        params, loss = problem()
        optimizer = make(params)

        def closure():
            optimizer.zero_grad()
            value = loss()
            value.backward()
            return value

        losses = [optimizer.step(closure).item() for _ in range(50)]
        answers[name][problem.__name__] = {
            "losses": losses, "params": [v for p in params for v in p.detach().flatten().tolist()]}

s = torch.optim.lr_scheduler


def rates(make):
    p = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([p], 0.1)
    scheduler = make(optimizer)
    found = []
    for _ in range(60):
        found.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    return found


answers["schedules"] = {name: rates(make) for name, make in {
    "step": lambda z: s.StepLR(z, 7, 0.5),
    "multistep": lambda z: s.MultiStepLR(z, [5, 20, 21], 0.3),
    "exponential": lambda z: s.ExponentialLR(z, 0.9),
    "linear": lambda z: s.LinearLR(z, 0.25, 0.75, 30),
    "polynomial": lambda z: s.PolynomialLR(z, 50, 1.5),
    "cosine": lambda z: s.CosineAnnealingLR(z, 59, 0.01),
    "restarts": lambda z: s.CosineAnnealingWarmRestarts(z, 10, 1, 0.01),
    "growing restarts": lambda z: s.CosineAnnealingWarmRestarts(z, 3, 2, 0.01),
    "tripled restarts": lambda z: s.CosineAnnealingWarmRestarts(z, 1, 3),
    "one cycle": lambda z: s.OneCycleLR(z, 0.1, total_steps=61, cycle_momentum=False),
    "one cycle lines": lambda z: s.OneCycleLR(z, 0.1, total_steps=61, cycle_momentum=False, pct_start=0.4, anneal_strategy="linear", div_factor=10, final_div_factor=100),
    "one cycle of three": lambda z: s.OneCycleLR(z, 0.1, total_steps=61, cycle_momentum=False, three_phase=True),
    "constant": lambda z: s.ConstantLR(z, 0.25, 9),
    "cyclic": lambda z: s.CyclicLR(z, 0.01, 0.1, 7, cycle_momentum=False),
    "cyclic halved": lambda z: s.CyclicLR(z, 0.01, 0.1, 3, 8, mode="triangular2", cycle_momentum=False),
    "cyclic falling": lambda z: s.CyclicLR(z, 0.01, 0.1, 6, 2, mode="exp_range", gamma=0.95, cycle_momentum=False),
    "formula": lambda z: s.LambdaLR(z, lambda i: 1 / (1 + i) ** 0.5),
    "sequence": lambda z: s.SequentialLR(z, [s.ConstantLR(z, 0.1, 20), s.StepLR(z, 4, 0.5), s.ExponentialLR(z, 0.9)], [20, 41]),
    "chained": lambda z: s.ChainedScheduler([s.ConstantLR(z, 0.1, 20), s.ExponentialLR(z, 0.9), s.StepLR(z, 7, 0.5)]),
    "warm-up": lambda z: s.SequentialLR(z, [s.LinearLR(z, 0.1, 1, 10), s.ExponentialLR(z, 0.9)], [10]),
}.items()}


def plateau(measures, **settings):
    z = torch.optim.SGD([torch.zeros(1, requires_grad=True)], 0.1)
    scheduler = s.ReduceLROnPlateau(z, **settings)
    found = []
    for m in measures:
        scheduler.step(m)
        found.append(z.param_groups[0]["lr"])
    return found


measures = [1 / (1 + i) if i < 8 else 0.1 + 0.001 * (i % 3) for i in range(60)]
answers["plateau"] = {
    "measures": measures,
    "usual": plateau(measures),
    "largest": plateau([-m for m in measures], mode="max", patience=3, factor=0.5, cooldown=2, min_lr=0.01),
    "absolute": plateau(measures, threshold_mode="abs", threshold=0.02, patience=2),
}
print("{" + ",\n".join(f'"{k}":' + json.dumps(v, separators=(",", ":")).replace('},"', '},\n"') for k, v in answers.items()) + "}")
