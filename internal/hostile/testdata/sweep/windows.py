"""Convolutions, pools and images."""

from base import *


@op
def conv():
    n = pick(1, 2, 3)
    tr = chance(0.4)
    g = pick(1, 1, 2, 3)
    ci, co = g * rng.randint(1, 2), g * rng.randint(1, 2)
    t = pick(f64, f64, f32, pick(*ALL))
    k = tup(n, 1, 3)
    st, di = tup(n, 1, 3), tup(n, 1, 2)
    pa = tup(n, 0, 2)
    s = [rng.randint(1, 7) for _ in range(n)]
    b = values(t, [co], "n") if chance(0.6) else None
    lead = [size()] if chance(0.85) else []
    if chance(0.03):
        ci += 1
    if tr:
        op_ = [rng.randint(0, max(0, max(a, d) - 1)) for a, d in zip(st, di)]
        w = values(t, [ci, co // g] + k, "n")
        f = [F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d][n - 1]
        o = [opt("Stride", *st), opt("Padding", *pa), opt("Dilation", *di), opt("Groups", g), opt("OutputPadding", *op_)]
        case(
            f"ConvTranspose{n}D",
            [values(t, lead + [ci] + s, "n"), w, b] + o,
            (lambda x, w, *b: f(x, w, b[0] if b else None, st, pa, op_, g, di)),
            tol=1e-3 if t == f32 else None,
        )
    else:
        w = values(t, [co, ci // g] + k, "n")
        f = [F.conv1d, F.conv2d, F.conv3d][n - 1]
        o = [opt("Stride", *st), opt("Padding", *pa), opt("Dilation", *di), opt("Groups", g)]
        case(
            f"Conv{n}D",
            [values(t, lead + [ci] + s, "n"), w, b] + o,
            (lambda x, w, *b: f(x, w, b[0] if b else None, st, pa, di, g)),
            tol=1e-3 if t == f32 else None,
        )


@op
def pool():
    n = pick(1, 2, 3)
    k = tup(n, 1, 3)
    st = tup(n, 1, 3) if chance(0.7) else k
    pa = [rng.randint(0, v // 2 + (1 if chance(0.02) else 0)) for v in k]
    di = tup(n, 1, 2)
    ceil = chance(0.4)
    s = [rng.randint(3, 9) for _ in range(n)]
    t = pick(f64, f64, f32, pick(*ALL))
    lead = [size(), size()] if chance(0.85) else [size()]
    x = values(t, lead + s)
    kind = rng.choice(["max", "maxi", "avg", "lp", "unpool", "aavg", "amax"])
    o = [opt("Stride", *st), opt("Padding", *pa)] + ([opt("CeilMode")] if ceil else [])
    if kind == "max":
        case(
            f"MaxPool{n}D",
            [x] + k + o + [opt("Dilation", *di)],
            lambda x: [F.max_pool1d, F.max_pool2d, F.max_pool3d][n - 1](x, k, st, pa, di, ceil),
            second=True,
        )
    elif kind == "maxi":
        case(
            "MaxPoolIndex",
            [x, k] + o + [opt("Dilation", *di)],
            lambda x: [F.max_pool1d, F.max_pool2d, F.max_pool3d][n - 1](x, k, st, pa, di, ceil, True),
        )
    elif kind == "avg":
        inc = chance(0.5)
        case(
            f"AvgPool{n}D",
            [x] + k + o + ([] if inc else [opt("ExcludePadding")]),
            lambda x: [F.avg_pool1d, F.avg_pool2d, F.avg_pool3d][n - 1](x, k, st, pa, ceil, inc),
        )
    elif kind == "lp":
        p = pick(1.0, 2.0, 3.0)
        x = values(t, lead + s, "p")
        case(
            "LpPool",
            [x, p, k, opt("Stride", *st)] + ([opt("CeilMode")] if ceil else []),
            lambda x: [F.lp_pool1d, F.lp_pool2d, F.lp_pool3d][n - 1](x, p, k if n > 1 else k[0], st if n > 1 else st[0], ceil),
        )
    elif kind in ("aavg", "amax"):
        z = tup(n, 1, 4)
        case(
            "AdaptiveAvgPool" if kind == "aavg" else "AdaptiveMaxPool",
            [x] + z,
            lambda x: getattr(F, ("adaptive_avg_pool" if kind == "aavg" else "adaptive_max_pool") + f"{n}d")(x, z),
        )
    else:
        try:
            y, i = [F.max_pool1d, F.max_pool2d, F.max_pool3d][n - 1](torch.randn(lead + s, dtype=f64), k, k, 0, 1, False, True)
        except Exception:
            return
        case(
            "MaxUnpool",
            [values(t, y.shape), i] + s,
            lambda x, i: [F.max_unpool1d, F.max_unpool2d, F.max_unpool3d][n - 1](x, i, k, k, 0, s),
            second=False,
        )


@op
def images():
    k = rng.choice(["Resize", "ResizeBy", "GridSample", "AffineGrid", "PixelShuffle", "PixelUnshuffle", "ChannelShuffle", "Im2Col", "Col2Im"])
    t = pick(f64, f64, f32)
    if k in ("Resize", "ResizeBy"):
        n = pick(1, 2, 2, 3)
        m = rng.choice(["nearest", "nearest-exact", "linear", "cubic", "area"])
        al = chance(0.4) and m in ("linear", "cubic")
        an = chance(0.4) and m in ("linear", "cubic")
        t = t if chance(0.8) else pick(*ALL)
        tm = {"linear": {1: "linear", 2: "bilinear", 3: "trilinear"}[n], "cubic": "bicubic"}.get(m, m)
        s = [rng.randint(1, 6) for _ in range(n)]
        cm = const("Resize" + {"nearest": "Nearest", "nearest-exact": "NearestExact", "linear": "Linear", "cubic": "Cubic", "area": "Area"}[m])
        x = values(t, [size(), size()] + s, "n")
        o = ([opt("AlignCorners")] if al else []) + ([opt("Antialias")] if an else [])
        kw = dict(mode=tm, antialias=an)
        if m in ("linear", "cubic"):
            kw["align_corners"] = al
        if k == "Resize":
            z = tup(n, 1, 8)
            case(k, [x, cm, z] + o, lambda x: F.interpolate(x, size=z, **kw), tol=1e-4 if t == f32 else 1e-9)
        else:
            z = [pick(0.5, 2.0, 1.5, 0.7, 2.3, 1.0) for _ in range(n)]
            case(k, [x, cm, z] + o, lambda x: F.interpolate(x, scale_factor=z, **kw), tol=1e-4 if t == f32 else 1e-9)
    elif k == "GridSample":
        n = pick(2, 2, 3)
        m = rng.choice([("bilinear", "Linear"), ("nearest", "Nearest"), ("bicubic", "Cubic")])
        p = rng.choice([("zeros", "PadZeros"), ("border", "PadReplicate"), ("reflection", "PadReflect")])
        al = chance(0.5)
        b = size()
        gr = values(t, [b] + [size() for _ in range(n)] + [n], "u" if chance(0.6) else pick("n", "t"))
        case(
            k,
            [values(t, [b, size()] + [rng.randint(1, 5) for _ in range(n)], "n"), gr, const("Resize" + m[1]), const(p[1])]
            + ([opt("AlignCorners")] if al else []),
            lambda x, g: F.grid_sample(x, g, m[0], p[0], al),
        )
    elif k == "AffineGrid":
        n = pick(2, 3)
        al = chance(0.5)
        b = size()
        z = tup(n, 1, 4)
        case(k, [values(t, [b, n, n + 1], "n"), z] + ([opt("AlignCorners")] if al else []), lambda x: F.affine_grid(x, [b, 1] + z, al))
    elif k == "PixelShuffle":
        r = rng.randint(1, 3)
        t = pick(*ALL)
        c = r * r * rng.randint(1, 2) + (1 if chance(0.05) else 0)
        case(k, [values(t, sizes(0, 2) + [c, size(), size()]), r], lambda x: F.pixel_shuffle(x, r))
    elif k == "PixelUnshuffle":
        r = rng.randint(1, 3)
        t = pick(*ALL)
        case(k, [values(t, sizes(0, 2) + [size(), r * rng.randint(1, 2), r * rng.randint(1, 2)]), r], lambda x: F.pixel_unshuffle(x, r))
    elif k == "ChannelShuffle":
        r = rng.randint(1, 3)
        case(k, [values(t, [size(), r * rng.randint(1, 2)] + sizes(1, 2)), r], lambda x: F.channel_shuffle(x, r))
    else:
        kk, st, pa, di = tup(2, 1, 3), tup(2, 1, 2), tup(2, 0, 2), tup(2, 1, 2)
        s = tup(2, 1, 7)
        x = values(t, [size(), size()] + s, "n")
        o = [opt("Stride", *st), opt("Padding", *pa), opt("Dilation", *di)]
        if k == "Im2Col":
            case(k, [x] + kk + o, lambda x: F.unfold(x, kk, di, pa, st))
        else:
            try:
                y = F.unfold(x, kk, di, pa, st)
            except Exception:
                return
            case(k, [values(t, y.shape, "n"), s[0], s[1], kk] + o, lambda y: F.fold(y, s, kk, di, pa, st))
