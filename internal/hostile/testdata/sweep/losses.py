"""Losses, normalizations and attention."""

from base import *


@op
def losses():
    k = rng.choice(
        [
            "MSE",
            "L1",
            "SmoothL1",
            "Huber",
            "BCE",
            "BCEWithLogits",
            "KLDiv",
            "NLL",
            "CrossEntropy",
            "CosineEmbedding",
            "MarginRanking",
            "HingeEmbedding",
            "MultiLabelSoftMargin",
            "MultiMargin",
            "SoftMargin",
            "TripletMargin",
            "PoissonNLL",
            "GaussianNLL",
            "CosineSimilarity",
            "PairwiseDistance",
            "CTC",
            "MultiLabelMargin",
        ]
    )
    t = pick(f64, f64, f32) if chance(0.85) else pick(*FL)
    red = rng.choice(["mean", "sum", "none"])
    o = {"mean": [], "sum": [opt("SumLoss")], "none": [opt("EachLoss")]}[red]
    s = sizes(0, 3)
    x, y = values(t, s, pick("n", "n", "t")), values(t, s, pick("n", "t"))
    if k in ("MSE", "L1"):
        case(k, [x, y] + o, lambda x, y: (F.mse_loss if k == "MSE" else F.l1_loss)(x, y, reduction=red))
    elif k == "SmoothL1":
        b = pick(1.0, 0.5, 2.0, 0.0)
        case(k, [x, y, b] + o, lambda x, y: F.smooth_l1_loss(x, y, reduction=red, beta=b))
    elif k == "Huber":
        b = pick(1.0, 0.5, 2.0, 0.0)
        case(k, [x, y, b] + o, lambda x, y: F.huber_loss(x, y, reduction=red, delta=b))
    elif k in ("BCE", "BCEWithLogits"):
        x = values(t, s, "01") if k == "BCE" else x
        y = values(t, s, "01") if chance(0.5) else (torch.rand(s) < 0.5).to(t)
        kw = {}
        o2 = []
        if k == "BCE" and x.numel() and chance(0.3):
            x.view(-1)[0] = rng.choice([0.0, 1.0])
        w = values(t, s[-1:] if chance(0.5) else s, "p") if chance(0.3) else None
        pw = values(t, s[-1:], "p") if k != "BCE" and chance(0.3) else None
        if w is not None:
            o2.append(opt("ElementWeights", w))
        if pw is not None:
            o2.append(opt("PositiveWeights", pw))

        def f(x, y, *z):
            z = list(z)
            kw = dict(reduction=red)
            if w is not None:
                kw["weight"] = z.pop(0)
            if pw is not None:
                kw["pos_weight"] = z.pop(0)
            return (F.binary_cross_entropy if k == "BCE" else F.binary_cross_entropy_with_logits)(x, y, **kw)

        # y's gradient
        case(k, [x, y] + o + o2, f)
    elif k == "KLDiv":
        red = rng.choice(["mean", "sum", "none"])
        o = {"mean": [], "sum": [opt("SumLoss")], "none": [opt("EachLoss")]}[red]
        y = values(t, s, "01")
        case(k, [x, y] + o, lambda x, y: F.kl_div(x, y, reduction=red))
    elif k in ("NLL", "CrossEntropy"):
        c = rng.randint(1, 5)
        lead = [] if chance(0.1) else [size()]
        tail = sizes(0, 2) if lead else []
        x = values(t, lead + [c] + tail, "n" if chance(0.9) else "s")
        prob = k == "CrossEntropy" and chance(0.25)
        y = values(t, lead + [c] + tail, "01") if prob else idx(c, lead + tail, bad=0.03).long()
        o2 = []
        ig = None
        ls = 0.0
        w = None
        if not prob and chance(0.35):
            ig = rng.choice([-100, 0, c - 1, -1])
            o2.append(opt("IgnoreIndex", ig))
        if not prob and ig is not None and y.numel() and ig < 0 and chance(0.7):
            y[torch.rand(y.shape) < 0.4] = ig
        if chance(0.35):
            w = values(t, [c], "p")
            o2.append(opt("ClassWeights", w))
        if k == "CrossEntropy" and chance(0.35):
            ls = pick(0.1, 0.3, 1.0)
            o2.append(opt("LabelSmoothing", ls))
        kw = dict(reduction=red, ignore_index=-100 if ig is None else ig)
        if k == "CrossEntropy":
            kw["label_smoothing"] = ls
        case(k, [x, y] + o + o2, lambda x, y, *z: (F.nll_loss if k == "NLL" else F.cross_entropy)(x, y, weight=z[0] if w is not None else None, **kw))
    elif k == "CosineEmbedding":
        n, d = size(), size()
        m = pick(0.0, 0.3, -0.2)
        x, y = values(t, [n, d], "n"), values(t, [n, d], "n")
        z = (torch.randint(0, 2, [n]) * 2 - 1).to(t)
        case(k, [x, y, z, m] + o, lambda x, y, z: F.cosine_embedding_loss(x, y, z.detach(), margin=m, reduction=red))
    elif k == "MarginRanking":
        m = pick(0.0, 0.5)
        z = torch.randint(0, 2, s) * 2 - 1
        case(k, [x, y, z, m] + o, lambda x, y, z: F.margin_ranking_loss(x, y, z, margin=m, reduction=red))
    elif k == "HingeEmbedding":
        m = pick(0.0, 1.0)
        z = torch.randint(0, 2, s) * 2 - 1
        case(k, [x, z, m] + o, lambda x, z: F.hinge_embedding_loss(x, z, margin=m, reduction=red))
    elif k == "SoftMargin":
        z = (torch.randint(0, 2, s) * 2 - 1).to(t)
        case(k, [x, z] + o, lambda x, z: F.soft_margin_loss(x, z, reduction=red))
    elif k == "MultiLabelSoftMargin":
        s = sizes(1, 2)
        x = values(t, s, "n")
        z = torch.randint(0, 2, s).to(t)
        w = values(t, [s[-1]], "p") if chance(0.3) else None
        case(
            k,
            [x, z] + o + ([opt("ElementWeights", w)] if w is not None else []),
            lambda x, z, *w: F.multilabel_soft_margin_loss(x, z, w[0] if w else None, reduction=red),
        )
    elif k == "MultiMargin":
        n, c = size(), rng.randint(1, 5)
        p = pick(1, 2)
        m = pick(1.0, 0.5)
        w = values(t, [c], "p") if chance(0.3) else None
        case(
            k,
            [values(t, [n, c], "n"), idx(c, [n]).long(), p, m] + o + ([opt("ClassWeights", w)] if w is not None else []),
            lambda x, z, *w: F.multi_margin_loss(x, z, p, m, w[0] if w else None, reduction=red),
        )
    elif k == "TripletMargin":
        s = sizes(1, 3)
        m = pick(1.0, 0.2)
        p = pick(2.0, 1.0)
        sw = chance(0.4)
        case(
            k,
            [values(t, s, "n"), values(t, s, "n"), values(t, s, "n"), m, p] + o + ([opt("SwapDistance")] if sw else []),
            lambda a, b, c: F.triplet_margin_loss(a, b, c, m, p, swap=sw, reduction=red),
        )
    elif k == "PoissonNLL":
        lg, full = chance(0.6), chance(0.4)
        x = values(t, s, "p")
        y = torch.randint(0, 6, s).to(t)
        case(
            k,
            [x, y] + o + ([] if lg else [opt("Rates")]) + ([opt("ConstantTerms")] if full else []),
            lambda x, y: F.poisson_nll_loss(x, y, lg, full, reduction=red),
        )
    elif k == "GaussianNLL":
        full = chance(0.4)
        s = sizes(1, 3)
        v = values(t, pick(s, s[:-1] + [1], s[:-1]), "p")
        case(
            k,
            [values(t, s, "n"), values(t, s, "n"), v] + o + ([opt("ConstantTerms")] if full else []),
            lambda x, y, v: F.gaussian_nll_loss(x, y, v, full, reduction=red),
        )
    elif k == "CosineSimilarity":
        a = ax(len(s))
        case(k, [x, y, a, 1e-8], lambda x, y: F.cosine_similarity(x, y, a, 1e-8))
    elif k == "PairwiseDistance":
        s = sizes(1, 3)
        p = pick(2.0, 1.0, 3.0, float("inf"))
        case(k, [values(t, s, "n"), values(t, s, "n"), p, 1e-6], lambda x, y: F.pairwise_distance(x, y, p, 1e-6))
    elif k == "CTC":
        T, n, c, S = rng.randint(1, 7), rng.randint(1, 3), rng.randint(2, 4), rng.randint(1, 4)
        bl = rng.randrange(c)
        red = "none"
        zi = chance(0.3)
        tg = torch.tensor([[rng.choice([q for q in range(c) if q != bl]) for _ in range(S)] for _ in range(n)])
        il = torch.tensor([rng.randint(1, T) for _ in range(n)])
        tl = torch.tensor([rng.randint(0, S) for _ in range(n)])
        case(
            k,
            [values(t, [T, n, c], "n"), tg, il, tl] + [opt("EachLoss"), opt("BlankClass", bl)] + ([opt("ZeroInfinity")] if zi else []),
            lambda x, a, b, d: F.ctc_loss(x, a, b, d, bl, "none", zi),
            grad=False,
        )


@op
def norms():
    k = rng.choice(["LayerNorm", "LayerNormOver", "RMSNorm", "GroupNorm", "BatchNorm", "BatchNormInference", "ScaledDotProductAttention", "PRelu"])
    t = pick(f64, f64, f32) if chance(0.85) else pick(*FL)
    e = pick(1e-5, 1e-3, 0.1)
    if k in ("LayerNorm", "RMSNorm", "LayerNormOver"):
        s = sizes(1, 3)
        n = rng.randint(1, len(s)) if k == "LayerNormOver" else 1
        z = s[-n:]
        w = values(t, z, "n") if chance(0.7) else None
        b = values(t, z, "n") if w is not None and chance(0.7) else None
        x = values(t, s, "n")
        if k == "RMSNorm":
            case(k, [x, w, e], lambda x, *w: F.rms_norm(x, z, w[0] if w else None, e))
        else:
            case(
                k,
                [x] + ([z] if n and k == "LayerNormOver" else []) + [w, b, e],
                lambda x, *w: F.layer_norm(x, z, w[0] if w else None, w[1] if len(w) > 1 else None, e),
            )
    elif k == "GroupNorm":
        g = rng.randint(1, 3)
        c = g * rng.randint(1, 2) + (1 if chance(0.04) else 0)
        w = values(t, [c], "n") if chance(0.7) else None
        b = values(t, [c], "n") if w is not None and chance(0.7) else None
        case(
            k,
            [values(t, [size(), c] + sizes(0, 2), "n"), g, w, b, e],
            lambda x, *w: F.group_norm(x, g, w[0] if w else None, w[1] if len(w) > 1 else None, e),
        )
    elif k in ("BatchNorm", "BatchNormInference"):
        c = size()
        w = values(t, [c], "n") if chance(0.7) else None
        b = values(t, [c], "n") if w is not None else None
        x = values(t, [size(), c] + sizes(0, 2), "n")
        if k == "BatchNorm":
            case(k, [x, w, b, e], lambda x, *w: F.batch_norm(x, None, None, w[0] if w else None, w[1] if w else None, True, 0.1, e))
        else:
            case(
                k,
                [x, values(t, [c], "n"), values(t, [c], "p"), w, b, e],
                lambda x, m, v, *w: F.batch_norm(x, m, v, w[0] if w else None, w[1] if w else None, False, 0.1, e),
            )
    elif k == "PRelu":
        s = sizes(1, 3)
        c = s[1] if len(s) > 1 else 1
        case(k, [values(t, s), values(t, [pick(1, c)], "n")], F.prelu)
    else:
        b = sizes(0, 2)
        l, m, d, v = size(), size(), size(), size()
        q, kk, vv = values(t, b + [l, d], "n"), values(t, b + [m, d], "n"), values(t, b + [m, v], "n")
        c = chance(0.3)
        o = []
        mk = None
        if c:
            o.append(opt("Causal"))
        elif chance(0.5):
            mk = values(pick(t, torch.bool), pick([l, m], b + [l, m], [1, m]), "n")
            o.append(opt("AttentionMask", mk))
        sc = pick(None, 0.3)
        if sc:
            o.append(opt("AttentionScale", sc))
        case(k, [q, kk, vv] + o, lambda q, k, v, *m: F.scaled_dot_product_attention(q, k, v, m[0] if m else None, 0.0, c, scale=sc))
