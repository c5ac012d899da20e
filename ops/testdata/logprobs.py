"""Writes logprobs.json: logarithms of probabilities of distributions of PyTorch 2.6 in float64, and their gradients with respect to all
floating-point operands; of VonMises by I0, which PyTorch approximates there to 1e-8. It needs torch: python3 logprobs.py > logprobs.json"""
import json
import torch
import torch.distributions as D

torch.manual_seed(5)
torch.set_default_dtype(torch.float64)
inf = float("inf")
N = 5
r = lambda *s: torch.randn(*s)
u = lambda *s: torch.rand(*s) * 2 + 0.2  # parameters above 0
p = lambda *s: torch.rand(*s) * 0.9 + 0.05  # shares
counts = torch.tensor([0.0, 1.0, 2.0, 7.0, 30.0])
shares = torch.softmax(r(N, 3), -1)
lower = torch.tril(r(3, 3), -1) + torch.diag(u(3))
of = lambda d: lambda x, *q: d(*q, validate_args=False).log_prob(x)

# name: function of operands, operands
cases = {
    "Normal": (of(D.Normal), [r(N), r(N), u(N)]),
    "LogNormal": (of(D.LogNormal), [u(N), r(N), u(N)]),
    "Laplace": (of(D.Laplace), [r(N), r(N), u(N)]),
    "Cauchy": (of(D.Cauchy), [r(N), r(N), u(N)]),
    "Logistic": (lambda x, m, s: torch.nn.functional.logsigmoid((x - m) / s) + torch.nn.functional.logsigmoid((m - x) / s) - s.log(), [r(N), r(N), u(N)]),
    "Gumbel": (of(D.Gumbel), [r(N), r(N), u(N)]),
    "StudentT": (of(D.StudentT), [r(N), u(N), r(N), u(N)]),
    "Exponential": (of(D.Exponential), [u(N), u(N)]),
    "Gamma": (of(D.Gamma), [u(N), u(N), u(N)]),
    "Beta": (of(D.Beta), [p(N), u(N), u(N)]),
    "VonMises": (lambda x, m, c: c * torch.cos(x - m) - torch.log(2 * torch.pi * torch.special.i0(c)), [r(N), r(N), u(N)]),
    "Bernoulli": (lambda x, l: D.Bernoulli(logits=l, validate_args=False).log_prob(x), [torch.tensor([0.0, 1.0, 1.0, 0.0, 1.0]), r(N) * 5]),
    "Binomial": (lambda x, n, l: D.Binomial(n, logits=l, validate_args=False).log_prob(x), [counts, counts + 2, r(N)]),
    "Poisson": (of(D.Poisson), [counts, u(N)]),
    "NegativeBinomial": (lambda x, f, l: D.NegativeBinomial(f, logits=l, validate_args=False).log_prob(x), [counts, u(N), r(N)]),
    "Categorical": (lambda x, l: D.Categorical(logits=l, validate_args=False).log_prob(x), [torch.tensor([0, 3, 1, 1, 2]), r(N, 4)]),
    "Dirichlet": (of(D.Dirichlet), [shares, u(3)]),
    "MultivariateNormal": (lambda x, m, l: D.MultivariateNormal(m, scale_tril=l, validate_args=False).log_prob(x), [r(N, 3), r(3), lower]),
    "Mixture": (lambda l, m, s, x: D.MixtureSameFamily(D.Categorical(logits=l), D.Normal(m, s), validate_args=False).log_prob(x), [r(4), r(4), u(4), r(N)]),
}


def flat(t):
    return ["nan" if v != v else "inf" if v == inf else "-inf" if v == -inf else v for v in t.reshape(-1).tolist()]


lines = []
for name, (f, operands) in cases.items():
    leaves = [o.clone().requires_grad_() if o.is_floating_point() else o for o in operands]
    y = f(*leaves)
    weights = torch.linspace(0.5, 1.5, y.numel()).reshape(y.shape)
    wanted = [o for o in leaves if o.requires_grad]
    grads = iter(torch.autograd.grad((y * weights).sum(), wanted, allow_unused=True))
    lines.append({
        "name": name, "value": flat(y.detach()), "weights": flat(weights),
        "operands": [{"shape": list(o.shape), "float": o.is_floating_point(), "data": flat(o.detach())} for o in leaves],
        "grads": [None if g is None else flat(g) for g in (next(grads) if o.requires_grad else None for o in leaves)]})
print("[\n" + ",\n".join(json.dumps(l) for l in lines) + "\n]")
