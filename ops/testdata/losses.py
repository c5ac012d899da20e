"""Writes losses.json: losses of PyTorch 2.6 in float64 and their gradients with respect to all floating-point operands, for each
reduction. It needs torch: python3 losses.py > losses.json"""
import json
import torch

torch.manual_seed(3)
torch.set_default_dtype(torch.float64)
F, inf = torch.nn.functional, float("inf")
N, C = 4, 3
r = lambda *s: torch.randn(*s)
u = lambda *s: torch.rand(*s) * 0.8 + 0.1
signs = torch.tensor([1.0, -1.0, -1.0, 1.0])
classes = torch.tensor([2, 0, -100, 1])
whole = torch.tensor([2, 0, 1, 1])
grid = torch.tensor([[0, 2], [1, -100], [2, 2], [0, 1]])
bits = torch.tensor([[1.0, 0.0, 1.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]])


def focal(x, t, alpha, gamma, reduction):
    """torchvision.ops.sigmoid_focal_loss."""
    p = torch.sigmoid(x)
    ce = F.binary_cross_entropy_with_logits(x, t, reduction="none")
    loss = ce * (1 - (p * t + (1 - p) * (1 - t))) ** gamma
    if alpha >= 0:
        loss = loss * (alpha * t + (1 - alpha) * (1 - t))
    return loss.mean() if reduction == "mean" else loss.sum() if reduction == "sum" else loss


# name: function of operands and reduction, operands
cases = {
    "cross_entropy smoothed": (lambda x, t, red: F.cross_entropy(x, t, label_smoothing=0.2, reduction=red), [r(N, C), classes]),
    "cross_entropy smoothed weighted": (lambda x, t, w, red: F.cross_entropy(x, t, w, label_smoothing=0.2, reduction=red), [r(N, C, 2), grid, u(C)]),
    "cross_entropy smoothed probabilities": (lambda x, t, w, red: F.cross_entropy(x, t, w, label_smoothing=0.3, reduction=red), [r(N, C), u(N, C), u(C)]),
    "bce_with_logits weighted": (lambda x, t, p, w, red: F.binary_cross_entropy_with_logits(x, t, pos_weight=p, weight=w, reduction=red), [r(N, C), u(N, C), u(C), u(N, 1)]),
    "bce weighted": (lambda x, t, w, red: F.binary_cross_entropy(x, t, w, reduction=red), [u(N, C), u(N, C), u(N, C)]),
    "cosine_embedding": (lambda x, y, t, red: F.cosine_embedding_loss(x, y, t, 0.1, reduction=red), [r(N, C), r(N, C), signs]),
    "hinge_embedding": (lambda x, t, red: F.hinge_embedding_loss(x, t, 1.2, reduction=red), [r(N), signs]),
    "margin_ranking": (lambda x, y, t, red: F.margin_ranking_loss(x, y, t, 0.3, reduction=red), [r(N), r(N), signs]),
    "triplet_margin": (lambda a, p, n, red: F.triplet_margin_loss(a, p, n, 1.5, 2.0, reduction=red), [r(N, C), r(N, C), r(N, C)]),
    "triplet_margin swap": (lambda a, p, n, red: F.triplet_margin_loss(a, p, n, 2.5, 3.0, swap=True, reduction=red), [r(N, C), r(N, C), r(N, C)]),
    "multi_margin": (lambda x, t, red: F.multi_margin_loss(x, t, margin=0.7, reduction=red), [r(N, C), whole]),
    "multi_margin 2 weighted": (lambda x, t, w, red: F.multi_margin_loss(x, t, 2, 1.1, w, reduction=red), [r(N, C), whole, u(C)]),
    "soft_margin": (lambda x, t, red: F.soft_margin_loss(x, t, reduction=red), [r(N), signs]),
    "multilabel_soft_margin": (lambda x, t, w, red: F.multilabel_soft_margin_loss(x, t, w, reduction=red), [r(N, C), bits, u(C)]),
    "poisson_nll": (lambda x, t, red: F.poisson_nll_loss(x, t.detach(), full=True, reduction=red), [r(N), torch.tensor([0.0, 1.0, 2.0, 5.0])]),
    "poisson_nll rates": (lambda x, t, red: F.poisson_nll_loss(x, t, log_input=False, reduction=red), [u(N), torch.tensor([0.0, 1.0, 2.0, 5.0])]),
    "gaussian_nll": (lambda x, t, v, red: F.gaussian_nll_loss(x, t, v, full=True, reduction=red), [r(N), r(N), torch.tensor([0.5, 2.0, 1e-7, 1.0])]),
    "sigmoid_focal": (lambda x, t, red: focal(x, t, 0.25, 2.0, red), [r(N, C), bits]),
    "sigmoid_focal unweighted": (lambda x, t, red: focal(x, t, -1, 1.5, red), [r(N, C), bits]),
    "ctc": (lambda x, t, i, l, red: F.ctc_loss(x.log_softmax(2), t, i, l, reduction=red),
            [r(6, N, 5), torch.tensor([[1, 2, 2], [4, 1, 3], [3, 3, 3], [1, 1, 1]]), torch.tensor([6, 4, 5, 6]), torch.tensor([3, 2, 0, 1])]),
    "ctc blank": (lambda x, t, i, l, red: F.ctc_loss(x.log_softmax(2), t, i, l, blank=4, reduction=red, zero_infinity=True),
                  [r(5, N, 5), torch.tensor([[0, 2, 2], [0, 1, 3], [3, 3, 3], [1, 0, 1]]), torch.tensor([5, 3, 4, 5]), torch.tensor([3, 2, 3, 1])]),
    "cosine_similarity": (lambda x, y, red: F.cosine_similarity(x, y, 1), [r(N, C), r(N, C)]),
    "normalize": (lambda x, red: F.normalize(x, 3.0, 1), [r(N, C)]),
    "pairwise_distance": (lambda x, y, red: F.pairwise_distance(x, y, 2.0), [r(N, C), r(N, C)]),
}


def flat(t):
    return ["nan" if v != v else "inf" if v == inf else v for v in t.reshape(-1).tolist()]


def run(f, operands, reduction):
    """The leaves and the value. PyTorch has no gradient with respect to some targets and weights, which come last."""
    free = [i for i, o in enumerate(operands) if o.is_floating_point()]
    while True:
        leaves = [o.clone().requires_grad_() if i in free else o for i, o in enumerate(operands)]
        try:
            return leaves, f(*leaves, reduction)
        except RuntimeError:
            free.pop()


lines = []
for name, (f, operands) in cases.items():
    for reduction in ["mean", "sum", "none"]:
        leaves, y = run(f, operands, reduction)
        weights = torch.linspace(0.5, 1.5, y.numel()).reshape(y.shape)
        wanted = [o for o in leaves if o.requires_grad]
        finite = not torch.isinf(y).any()
        grads = iter(torch.autograd.grad((y * weights).sum(), wanted, allow_unused=True) if finite else [None] * len(wanted))
        lines.append({
            "name": name, "reduction": reduction, "value": flat(y.detach()), "weights": flat(weights),
            "operands": [{"shape": list(o.shape), "float": o.is_floating_point(), "data": flat(o.detach())} for o in leaves],
            "grads": [None if g is None else flat(g) for g in (next(grads) if o.requires_grad else None for o in leaves)]})
print("[\n" + ",\n".join(json.dumps(l) for l in lines) + "\n]")
