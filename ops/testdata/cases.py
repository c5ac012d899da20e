"""What the programs beside this one share: cases of PyTorch, which choice_test.go reads."""
import json
import torch

cases = []


def array(t):
    words = [str(v) if v != v or abs(v) == float("inf") else v for v in t.double().reshape(-1).tolist()]
    return {"shape": list(t.shape), "whole": not t.is_floating_point(), "data": words}


def case(name, call, *operands):
    """One call: operands, results, and the gradients of sum(first result * (1, 2, …))."""
    wrt = [x.clone().requires_grad_() if x.is_floating_point() else x for x in operands]
    results = call(*wrt)
    results = [results] if torch.is_tensor(results) else list(results)
    wrt, grads = [x for x in wrt if x.is_floating_point()], []
    if wrt and results[0].requires_grad:
        dy = torch.arange(1, results[0].numel() + 1, dtype=torch.float64).reshape(results[0].shape)
        grads = torch.autograd.grad(results[0], wrt, dy, allow_unused=True)
        grads = [torch.zeros_like(x) if g is None else g for x, g in zip(wrt, grads)]
    cases.append({"name": name, "in": [array(x) for x in operands], "out": [array(y.detach()) for y in results],
                  "grads": [array(g) for g in grads]})


def written():
    return "[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]"
