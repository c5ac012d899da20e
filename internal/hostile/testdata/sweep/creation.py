"""Values made of nothing, and Fourier transforms."""

from base import *


@op
def create():
    k = rng.choice(
        [
            "Arange",
            "Linspace",
            "Logspace",
            "Eye",
            "Full",
            "Tri",
            "TrilIndices",
            "TriuIndices",
            "HannWindow",
            "HammingWindow",
            "BartlettWindow",
            "BlackmanWindow",
            "KaiserWindow",
            "Meshgrid",
            "Cast",
        ]
    )
    t = pick(*ALL)
    if k == "Arange":
        a, b, c = rng.choice([0.0, 1.0, -2.0, 0.5]), rng.choice([5.0, 3.3, -4.0, 0.0]), rng.choice([1.0, 0.3, -1.0, 2.0])
        if not isf(t):
            a, b, c = float(int(a)), float(int(b)), float(pick(1, -1, 2))
        case(k, [GRAPH, dt(t), a, b, c], lambda: torch.arange(a, b, c, dtype=t) if isf(t) else torch.arange(int(a), int(b), int(c), dtype=t))
    elif k in ("Linspace", "Logspace"):
        a, b, n = rng.choice([0.0, -1.0, 0.5]), rng.choice([1.0, 3.0, -2.0]), size()
        if k == "Linspace":
            case(k, [GRAPH, dt(t), a, b, n], lambda: torch.linspace(a, b, n, dtype=t))
        else:
            q = pick(10.0, 2.0)
            case(k, [GRAPH, dt(t), a, b, n, q], lambda: torch.logspace(a, b, n, q, dtype=t))
    elif k == "Eye":
        n, m = size(), size()
        case(k, [GRAPH, dt(t), n, m], lambda: torch.eye(n, m, dtype=t))
    elif k == "Full":
        s = sizes()
        v = float(pick(0, 1, 2, 3))
        case(k, [GRAPH, dt(t), v] + s, lambda: torch.full(s, v, dtype=t))
    elif k in ("TrilIndices", "TriuIndices"):
        n, m, o = size(), size(), rng.randint(-4, 4)
        case(k, [GRAPH, n, m, o], lambda: (torch.tril_indices if k == "TrilIndices" else torch.triu_indices)(n, m, o).unbind(0))
    elif k == "Meshgrid":
        xs = [values(t, [size()]) for _ in range(rng.randint(1, 3))]
        case(k, xs, lambda *x: torch.meshgrid(*x, indexing="ij"))
    elif k == "Cast":
        u = pick(*ALL)
        x = values(t, sizes(), rng.choice([None, "n", "p"]))
        x = torch.nan_to_num(x, 0, 3, -3) if isf(t) else x
        x = x.clamp(-100, 100) if isf(t) else x
        case(k, [x, dt(u)], lambda x: x.to(u))
    elif k == "Tri":
        n, m, o = size(), size(), rng.randint(-4, 4)
        case(k, [GRAPH, dt(t), n, m, o], lambda: torch.tril(torch.ones(n, m, dtype=t), o))
    else:
        n, p = size(), chance(0.5)
        f = getattr(torch, k.replace("Window", "").lower() + "_window")
        case(
            k,
            [GRAPH, dt(t), n, p] + ([6.0] if k == "KaiserWindow" else []),
            lambda: f(n, periodic=p, beta=6.0, dtype=t) if k == "KaiserWindow" else f(n, periodic=p, dtype=t),
        )


@op
def fft():
    t = pick(f64, f64, f32)
    n = rng.randint(1, 9)
    k = rng.choice(["RFFT", "IRFFT", "FFT", "IFFT", "FFT2", "IFFT2", "STFT", "ISTFT"])
    nm = rng.choice([("backward", "ScaleInverse"), ("forward", "ScaleForward"), ("ortho", "ScaleBoth")])
    o = [opt("FFTNorm", const(nm[1]))]
    lead = sizes(0, 2)
    m = rng.randint(1, 10) if chance(0.5) else None
    vr, cx = torch.view_as_real, torch.view_as_complex
    if m and k not in ("FFT2", "IFFT2", "STFT", "ISTFT"):
        o.append(opt("FFTSize", m))
    tol = 1e-3 if t == f32 else 1e-8
    if k == "RFFT":
        case(k, [values(t, lead + [n], "n")] + o, lambda x: vr(torch.fft.rfft(x, m, norm=nm[0])), tol=tol)
    elif k == "IRFFT":
        case(k, [values(t, lead + [n, 2], "n")] + o, lambda x: torch.fft.irfft(cx(x), m, norm=nm[0]), tol=tol)
    elif k in ("FFT", "IFFT"):
        case(k, [values(t, lead + [n, 2], "n")] + o, lambda x: vr(getattr(torch.fft, k.lower())(cx(x), m, norm=nm[0])), tol=tol)
    elif k in ("FFT2", "IFFT2"):
        case(k, [values(t, lead + [n, size() or 1, 2], "n")] + o, lambda x: vr(getattr(torch.fft, k.lower())(cx(x), norm=nm[0])), tol=tol)
    elif k == "STFT":
        n = rng.randint(1, 8)
        L = rng.randint(n, 20)
        hop = rng.randint(1, n)
        wl = rng.randint(1, n)
        w = values(t, [wl], "p") if chance(0.6) else None
        ce = chance(0.6)
        nrm = chance(0.4)
        one = chance(0.6)
        pm = rng.choice([("reflect", "PadReflect"), ("constant", "PadZeros"), ("replicate", "PadReplicate"), ("circular", "PadCircular")])
        o = (
            [opt("STFTHop", hop)]
            + ([opt("STFTWindow", w), opt("STFTWide", wl)] if w is not None else [])
            + ([opt("STFTPad", const(pm[1]))] if ce else [opt("STFTBeside")])
            + ([opt("STFTNormalized")] if nrm else [])
            + ([] if one else [opt("STFTWhole")])
        )
        case(
            k,
            [values(t, ([size() or 1] if chance(0.5) else []) + [L], "n"), n] + o,
            lambda x, *w: vr(torch.stft(x, n, hop, wl if w else None, w[0] if w else None, ce, pm[0], nrm, one, True)),
            tol=tol,
        )
