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
    "fft2 axes": (of(lambda x: F.fft2(x, s=(4, 3), dim=(0, 2))), [r(3, 2, 4, 2)]),
    "fftn": (of(F.fftn), [r(2, 3, 4, 2)]),
    "fftn axes": (of(lambda x: F.fftn(x, dim=(2, 0), norm="forward")), [r(2, 3, 4, 2)]),
    "ifftn sizes": (of(lambda x: F.ifftn(x, s=(2, 5))), [r(2, 3, 4, 2)]),
    "rfftn": (lambda x: real(F.rfftn(x)), [r(2, 3, 5)]),
    "rfftn axes": (lambda x: real(F.rfftn(x, s=(3, 4), dim=(2, 0), norm="ortho")), [r(5, 2, 2)]),
    "rfft2": (lambda x: real(F.rfft2(x)), [r(2, 3, 4)]),
    "irfftn": (lambda x: F.irfftn(pair(x)), [r(2, 3, 4, 2)]),
    "irfftn axes": (lambda x: F.irfftn(pair(x), s=(3, 5), dim=(1, 0), norm="forward"), [r(3, 2, 2, 2)]),
    "irfft2": (lambda x: F.irfft2(pair(x), s=(3, 7)), [r(2, 3, 4, 2)]),
    "hfft": (lambda x: F.hfft(pair(x)), [r(2, 4, 2)]),
    "hfft odd": (lambda x: F.hfft(pair(x), n=7, dim=0, norm="forward"), [r(4, 2, 2)]),
    "ihfft": (lambda x: real(F.ihfft(x).resolve_conj()), [r(2, 6)]),
    "ihfft ortho": (lambda x: real(F.ihfft(x, n=5, norm="ortho").resolve_conj()), [r(2, 6)]),
    "fftshift": (lambda x: F.fftshift(x, dim=(0, 1)), [r(3, 4)]),
    "ifftshift": (lambda x: F.ifftshift(x, dim=(0, -1)), [r(5, 4)]),
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
