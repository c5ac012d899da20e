"""Operations with indices."""

from base import *

UNITING = {"sum": "ReduceSum", "prod": "ReduceProd", "mean": "ReduceMean", "amax": "ReduceMax", "amin": "ReduceMin"}


@op
def indexing():
    k = rng.choice(
        [
            "Gather",
            "TakeAlongAxis",
            "IndexSelect",
            "Take",
            "Scatter",
            "ScatterAdd",
            "ScatterReduce",
            "IndexAdd",
            "IndexCopy",
            "IndexFill",
            "IndexReduce",
            "Index",
            "IndexPut",
            "MaskedScatter",
            "Embedding",
            "EmbeddingBag",
            "MaskedSelect",
            "Nonzero",
            "Unique",
            "Bincount",
            "SearchSorted",
            "Bucketize",
            "OneHot",
            "Histogram",
        ]
    )
    t = pick(*ALL) if chance(0.5) else f64
    s = sizes(1, 3)
    rank = len(s)
    x = values(t, s)
    a = ax(rank)
    d = s[a] if -rank <= a < rank else 1
    a_ok = a % rank if -rank <= a < rank else None
    if k in ("Gather", "Scatter", "ScatterAdd", "ScatterReduce"):
        z = [rng.randint(0, v) if chance(0.3) else v for v in s]
        if a_ok is not None:
            z[a_ok] = size()
        if a_ok is not None and chance(0.04):
            z[(a_ok + 1) % rank] += 1
        i = idx(d, z).long()
        if k == "Gather":
            case(k, [x, a, i], lambda x, i: torch.gather(x, a, i))
            return
        z2 = [v + (rng.randint(0, 1) if chance(0.2) else 0) for v in z]
        src = values(t, z2)
        if k == "Scatter":
            if a_ok is None or d < z[a_ok]:
                return
            i = torch.argsort(torch.rand([d if j == a_ok else v for j, v in enumerate(z)]), a).narrow(a, 0, z[a_ok]).contiguous()
            case(k, [x, a, i, src], lambda x, i, y: torch.scatter(x, a, i, y))
        elif k == "ScatterAdd":
            case(k, [x, a, i, src], lambda x, i, y: torch.scatter_add(x, a, i, y))
        else:
            r = rng.choice(list(UNITING))
            inc = chance(0.5)
            case(
                k,
                [x, a, i, src, const(UNITING[r])] + ([] if inc else [opt("ExcludeSelf")]),
                lambda x, i, y: torch.scatter_reduce(x, a, i, y, r, include_self=inc),
                second=False,
            )
    elif k == "TakeAlongAxis":
        z = [1 if chance(0.2) else v for v in s]
        if a_ok is not None:
            z[a_ok] = size()
        i = idx(d, z, True).long()
        case(k, [x, a, i], lambda x, i: torch.take_along_dim(x, i, a))
    elif k == "IndexSelect":
        i = idx(d, [size()])
        case(k, [x, a, i], lambda x, i: torch.index_select(x, a, i))
    elif k == "Take":
        i = idx(d, sizes(0, 2), True)
        if a_ok is None:
            return
        case(k, [x, a, i], lambda x, i: x[(slice(None),) * a_ok + (i,)])
    elif k in ("IndexAdd", "IndexCopy", "IndexReduce", "IndexFill"):
        n = size()
        if k in ("IndexCopy",):
            n = min(n, d)
            i = torch.randperm(max(d, 0))[:n]
        else:
            i = idx(d, [n])
        n = len(i)
        z = list(s)
        if a_ok is not None:
            z[a_ok] = n
        src = values(t if chance(0.95) else pick(*ALL), z)
        if k == "IndexFill":
            v = values(t, [])
            case(k, [x, a, i.long(), v], lambda x, i, v: torch.index_fill(x, a, i, v))
        elif k == "IndexReduce":
            r = rng.choice(["prod", "mean", "amax", "amin"])
            inc = chance(0.5)
            case(
                k,
                [x, a, i, src, const(UNITING[r])] + ([] if inc else [opt("ExcludeSelf")]),
                lambda x, i, y: torch.index_reduce(x, a, i, y, r, include_self=inc),
                second=False,
            )
        else:
            case(k, [x, a, i, src], lambda x, i, y: (torch.index_add if k == "IndexAdd" else torch.index_copy)(x, a, i, y))
    elif k in ("Index", "IndexPut"):
        z = sizes(0, 2)
        ii = [None if k == "Index" and chance(0.3) else idx(v, [1 if chance(0.2) else q for q in z], True) for v in s[: rng.randint(1, rank)]]
        if all(v is None for v in ii):
            return

        def pyi(i):
            it = iter(i)
            return tuple(slice(None) if v is None else next(it) for v in ii)

        if k == "Index":
            case(k, [x] + ii, lambda x, *i: x[pyi(i)])
        else:
            try:
                shape = list(x[pyi([v for v in ii if v is not None])].shape)
            except Exception:
                return
            src = values(t, shape if chance(0.7) else [1] * len(shape))
            case(
                k,
                [x, list(ii), src, opt("Accumulate")],
                lambda x, *i: torch.index_put(
                    x,
                    [None if v is None else w for v, w in zip(ii, (lambda it: [None if v is None else next(it) for v in ii])(iter(i[:-1])))],
                    i[-1],
                    accumulate=True,
                ),
            )
    elif k == "MaskedScatter":
        m = values(torch.bool, s)
        n = int(m.sum())
        src = values(t, [n + rng.randint(0, 2)] if chance(0.9) else [max(n - 1, 0)])
        case(k, [x, m, src], lambda x, m, y: torch.masked_scatter(x, m, y))
    elif k == "Embedding":
        i = idx(5, sizes(0, 3))
        case(k, [i, values(t, [5, size()])], F.embedding)
    elif k == "EmbeddingBag":
        t = pick(f32, f64)
        w = values(t, [6, rng.randint(1, 4)], "n")
        m = rng.choice(["sum", "mean", "max"])
        i = idx(6, [size(), size()])
        o, kw = [], {}
        if chance(0.4):
            i = idx(6, [rng.randint(0, 7)])
            nb = rng.randint(1, 4)
            of = torch.tensor(sorted([0] + [rng.randint(0, len(i)) for _ in range(nb - 1)]), dtype=i.dtype)
            o.append(opt("Offsets", of))
            if chance(0.3):
                of = torch.cat([of, torch.tensor([len(i)], dtype=i.dtype)])
                o = [opt("Offsets", of), opt("IncludeLastOffset")]
                kw["include_last_offset"] = True
        p = rng.randint(-6, 5) if chance(0.3) else None
        if p is not None:
            o.append(opt("PaddingIndex", p))
            kw["padding_idx"] = p
        has = len([q for q in o if q.name == "Offsets"])
        psw = None
        if m == "sum" and chance(0.4):
            psw = values(t, i.shape, "n")
            o.append(opt("PerSampleWeights", psw))
        case(
            k,
            [i, w, const({"sum": "ReduceSum", "mean": "ReduceMean", "max": "ReduceMax"}[m])] + o,
            lambda i, w, *z: F.embedding_bag(i, w, z[0] if has else None, mode=m, per_sample_weights=z[-1] if psw is not None else None, **kw),
            second=False,
        )
    elif k == "MaskedSelect":
        m = values(torch.bool, [1 if chance(0.3) else v for v in s])
        n = x.numel()
        case(k, [x, m, n, 0], lambda x, m: F.pad(torch.masked_select(x, m), [0, n - int(torch.broadcast_to(m, x.shape).sum())]))
    elif k == "Nonzero":
        n = x.numel()
        case(k, [x, n, torch.zeros([], dtype=torch.int64)], lambda x, f: F.pad(torch.nonzero(x), [0, 0, 0, n - int((x != 0).sum())]))
    elif k == "Unique":
        n = x.numel()

        def f(x, z):
            v, i, c = torch.unique(x, return_inverse=True, return_counts=True)
            return F.pad(v, [0, n - len(v)]), i, F.pad(c, [0, n - len(v)])

        case(k, [x, n, torch.zeros([], dtype=t)], f, grad=False)
    elif k == "Bincount":
        x = idx(6, [size()])
        w = values(t, [len(x)]) if chance(0.5) else None
        case(k, [x, 6, w], (lambda x: torch.bincount(x, minlength=6)) if w is None else (lambda x, w: torch.bincount(x, w, minlength=6)), grad=False)
    elif k in ("SearchSorted", "Bucketize"):
        r = chance(0.5)
        b = torch.sort(values(t, [size()], "t" if isf(t) else None))[0]
        v = values(t if chance(0.8) else pick(*ALL), s)
        if k == "Bucketize":
            case(k, [v, b, r], lambda v, b: torch.bucketize(v, b, right=r))
        else:
            bb = torch.sort(values(t, s[:-1] + [size()], "t" if isf(t) else None), -1)[0]
            case(k, [bb, v, r], lambda b, v: torch.searchsorted(b, v, right=r))
    elif k == "OneHot":
        i = idx(5, s, bad=0.05)
        case(k, [i.long(), 5, dt(torch.int64)], lambda i: F.one_hot(i, 5))
    elif k == "Histogram":
        e = torch.sort(values(t, [rng.randint(1, 6)], "n"))[0]
        case(k, [x, e, None], lambda x, e: torch.histogram(x, e)[0].long() if isf(t) else torch.histogram(x, e)[0], grad=False)
