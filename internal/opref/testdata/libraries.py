"""Judges rows of the reference of operations: python libraries.py torch|numpy|jax|onnx [autocast] < questions > mistakes.

Each line of standard input is a row: names that it says the library has, a call on the operands of its example, and
for some runs the example's operands and result. Each line of output is a mistake, and the last one says how many rows
were compared. The exit status is 77 where the library is missing.

With autocast, each line of output is instead a row's name and the dtypes of its results within torch.autocast("cpu",
torch.bfloat16): of float32 operands, and of bfloat16 ones. "-" stands for a call that is refused.
"""
import importlib.util, json, math, sys, warnings

warnings.simplefilter("ignore")
library = sys.argv[1]
try:
    import numpy, numpy as np
    if library == "torch":
        import torch
        import torch.nn.functional as F
        try:
            import torchvision
        except ImportError:  # its functions are believed
            torchvision = None
    if library == "numpy":
        import scipy, scipy.special, scipy.linalg, scipy.signal, scipy.ndimage, scipy.integrate, scipy.stats
    if library == "jax":
        import jax, jax.numpy as jnp, jax.scipy.special, jax.scipy.signal, jax.scipy.linalg, jax.scipy.ndimage, jax.scipy.stats
        jax.config.update("jax_enable_x64", True)
        jax.config.update("jax_default_matmul_precision", "highest")
        from jax import lax
    if library == "onnx":
        import onnx
except ModuleNotFoundError:
    sys.exit(77)


def exists(name):
    """Reports whether a dotted path names something; of packages that are not here it is believed."""
    if library == "onnx":
        return onnx.defs.has(name)
    parts = name.split(".")
    if importlib.util.find_spec(parts[0]) is None:
        return True
    for i in range(len(parts), 0, -1):
        try:
            x = importlib.import_module(".".join(parts[:i]))
        except ImportError:
            continue
        for p in parts[i:]:
            if not hasattr(x, p):
                return False
            x = getattr(x, p)
        return True
    return False


def value(a):
    if a["dtype"] == "size":
        return int(a["data"][0])
    kind = {"bool": int, "int": int, "uin": int}.get(a["dtype"][:3], float)
    kind = int if a["dtype"] == "bool" else kind
    x = np.array([kind(s) for s in a["data"]], dtype=a["dtype"]).reshape(a["shape"])
    if library == "torch":
        return torch.from_numpy(x)
    return jnp.asarray(x) if library == "jax" else x


def complexes(x):
    """Pairs along the last axis, as Broadloom has them, as complex numbers."""
    if library == "torch":
        return torch.view_as_complex(x.contiguous())
    return x[..., 0] + 1j * x[..., 1]


def several(x):
    """The results of a call, each of which is None where it cannot be compared."""
    return list(x) if isinstance(x, (tuple, list)) else [x]


def numbers(x):
    if library == "torch" and isinstance(x, torch.Tensor):
        x = x.detach().resolve_conj().numpy()
    x = np.asarray(x)
    return np.stack([x.real, x.imag], -1) if np.iscomplexobj(x) else x


def distinct(x, results):
    """The results of a call, without places where x has equal elements, of which libraries choose one or another."""
    rows = np.asarray(x).reshape(-1, x.shape[-1])
    return results if all(len(set(r)) == len(r) for r in rows.tolist()) else results[0]


# Rows that give eigenvectors as columns, whose signs are free.
FREE_SIGNS = {"Eigh", "EighTridiagonal"}


def same_signs(vectors, like):
    """The vectors with the signs of others that they are like."""
    if vectors.ndim < 2 or vectors.shape != like.shape:
        return vectors
    return vectors * np.where((vectors * like).sum(-2, keepdims=True) < 0, -1, 1).astype(vectors.dtype)


def differs(got, want):
    """Says how two results differ, beyond rounding; where only one is NaN they do."""
    if got.shape != want.shape:
        return f"shape {list(got.shape)}, not {list(want.shape)}"
    if library == "torch" and got.dtype != want.dtype:
        return f"dtype {got.dtype}, not {want.dtype}"
    a, b = got.astype(float), want.astype(float)
    scale = np.max(np.abs(b[np.isfinite(b)]), initial=1)
    near = np.isclose(a, b, rtol=2e-4, atol=2e-5 * scale, equal_nan=True)
    if not near.all():
        at = tuple(int(i) for i in np.argwhere(~near)[0])
        return f"{a[at]} at {list(at)}, not {b[at]}"


def autocast_dtypes(q, lowered):
    def operand(x):
        return x.bfloat16() if lowered and isinstance(x, torch.Tensor) and x.dtype == torch.float32 else x

    scope = dict(globals(), **{name: operand(value(x)) for name, x in q["tries"][0]["in"].items()})
    try:
        with torch.autocast("cpu", torch.bfloat16):
            results = several(eval(q["call"], scope))
    except Exception:
        return "-"
    return ",".join(str(x.dtype).removeprefix("torch.") if isinstance(x, torch.Tensor) else "-" for x in results)


if sys.argv[2:] == ["autocast"]:
    for line in sys.stdin:
        q = json.loads(line)
        print(q["row"], autocast_dtypes(q, False), autocast_dtypes(q, True))
    sys.exit()

compared = 0
for line in sys.stdin:
    q = json.loads(line)
    for name in q["names"]:
        if not exists(name):
            print(f"{q['row']}: {library} has no {name}")
    right = 0
    if library == "torch" and torchvision is None and "torchvision." in q["call"]:
        continue
    for kind, t in enumerate(q["tries"] or []):
        scope = dict(globals(), **{k: value(a) for k, a in t["in"].items()})
        want = [numbers(value(a)) for a in t["out"]]
        try:
            got = [x if x is None else numbers(x) for x in several(eval(q["call"], scope))]
        except Exception as e:
            if kind < 1:
                print(f"{q['row']}: {q['call']} fails: {type(e).__name__}: {str(e)[:200]}".replace("\n", " "))
            continue
        for g, w in zip(got, want):
            if g is not None and q["row"] in FREE_SIGNS:
                g = same_signs(g, w)
            how = g is not None and differs(g, w)
            if how:
                print(f"{q['row']}: {q['call']} gives {how} (run {kind})")
            else:
                right += g is not None
    compared += right > 0
print("compared", compared)
