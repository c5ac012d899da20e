"""Writes fft.json: Fourier transforms of PyTorch 2.6 in float64, and the gradients of weighted sums. Complex numbers are pairs of real
numbers. It needs torch: python3 fft.py > fft.json"""
import json
import torch

torch.manual_seed(9)
torch.set_default_dtype(torch.float64)
r = lambda *s: torch.randn(*s)
F, pair, real = torch.fft, torch.view_as_complex, torch.view_as_real
of = lambda f: lambda x: real(f(pair(x)))

cases = {}
for n in [1, 2, 5, 8, 12]:
    cases[f"fft {n}"] = (of(F.fft), [r(2, n, 2)])
    cases[f"ifft {n}"] = (of(F.ifft), [r(2, n, 2)])
    cases[f"rfft {n}"] = (lambda x: real(F.rfft(x)), [r(2, n)])
    cases[f"irfft {n}"] = (lambda x, n=n: F.irfft(pair(x), n=n), [r(2, n // 2 + 1, 2)])
cases |= {
    "fft ortho axis": (of(lambda x: F.fft(x, dim=0, norm="ortho")), [r(6, 3, 2)]),
    "ifft forward longer": (of(lambda x: F.ifft(x, n=7, norm="forward")), [r(2, 4, 2)]),
    "fft shorter": (of(lambda x: F.fft(x, n=3, norm="forward")), [r(5, 2)]),
    "rfft ortho axis": (lambda x: real(F.rfft(x, n=9, dim=0, norm="ortho")), [r(7, 3)]),
    "irfft axis": (lambda x: F.irfft(pair(x), dim=0), [r(4, 3, 2)]),
    "irfft longer": (lambda x: F.irfft(pair(x), n=11, norm="forward"), [r(4, 2)]),
    "fft2": (of(F.fft2), [r(2, 3, 4, 2)]),
    "ifft2": (of(lambda x: F.ifft2(x, norm="ortho")), [r(3, 4, 2)]),
}

lines = []
for name, (f, operands) in cases.items():
    leaves = [o.clone().requires_grad_() for o in operands]
    y = f(*leaves)
    weights = torch.linspace(0.5, 1.5, y.numel()).reshape(y.shape)
    grads = torch.autograd.grad((y * weights).sum(), leaves)
    flat = lambda t: t.reshape(-1).tolist()
    lines.append({"name": name, "shape": list(y.shape), "value": flat(y.detach()), "weights": flat(weights),
                  "operands": [{"shape": list(o.shape), "data": flat(o)} for o in operands], "grads": [flat(g) for g in grads]})
print("[\n" + ",\n".join(json.dumps(l) for l in lines) + "\n]")
