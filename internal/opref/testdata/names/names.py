"""Lists the public functions and classes of a library: python names.py torch|numpy|jax|onnx|flax|keras > torch.txt.

The first line names the version of the library. Names with an underscore in front are left out, and so are twins that
write in place of names that are listed.
"""
import importlib, inspect, sys

library = sys.argv[1]


def public(module, exported=False):
    """The names of a module that can be called; with exported, only those of its __all__."""
    x = importlib.import_module(module)
    names = x.__all__ if exported and hasattr(x, "__all__") else dir(x)
    for n in sorted(set(names)):
        v = getattr(x, n, None)
        if not n.startswith("_") and callable(v) and not inspect.ismodule(v):
            yield module + "." + n, v


if library == "torch":
    import torch
    version = torch.__version__
    modules = [("torch", True), "torch.nn", "torch.nn.functional", "torch.nn.init", "torch.nn.utils", "torch.nn.utils.parametrizations",
               "torch.nn.utils.rnn", "torch.linalg", "torch.special", "torch.fft", "torch.signal.windows", "torch.optim",
               "torch.optim.lr_scheduler", "torch.optim.swa_utils", "torch.distributions", "torch.autograd", "torch.func"]
    more = ["torch.Tensor." + n for n in dir(torch.Tensor) if callable(getattr(torch.Tensor, n, None))]
elif library == "numpy":
    import numpy
    version = numpy.__version__
    modules = [("numpy", True), ("numpy.linalg", True), ("numpy.fft", True), ("numpy.random", True)]
    more = []
elif library == "jax":
    import jax
    version = jax.__version__
    modules = ["jax", "jax.numpy", "jax.numpy.linalg", "jax.numpy.fft", "jax.nn", "jax.nn.initializers", "jax.lax", "jax.scipy.special",
               "jax.scipy.linalg", "jax.scipy.signal", "jax.scipy.stats", "jax.random", "jax.ops"]
    more = []
elif library == "onnx":
    import onnx, onnx.defs
    version = onnx.__version__
    modules, more = [], sorted({s.name for s in onnx.defs.get_all_schemas()})
elif library == "flax":
    import flax, flax.linen, flax.linen, optax
    version = flax.__version__ + ", optax " + optax.__version__
    modules, more = ["flax.linen", "optax"], []
elif library == "keras":
    import keras
    version = keras.__version__
    modules, more = ["keras.layers", "keras.ops", "keras.losses", "keras.optimizers", "keras.optimizers.schedules", "keras.initializers",
                     "keras.activations", "keras.metrics", "keras.callbacks"], []



def torch_tensor():
    return torch.Tensor if library == "torch" else None


names = set(more)
for m in modules:
    m, exported = m if isinstance(m, tuple) else (m, False)
    for n, v in public(m, exported):
        home = getattr(v, "__module__", None) or ""
        if inspect.isclass(v) and (m == "torch" or m.startswith("numpy") or home.startswith("numpy") or issubclass(v, BaseException)):
            continue  # types of the library itself
        if m.count(".") > 1 and library == "torch" and home.startswith("torch") and not home.startswith(m) or v in (torch_tensor(),):
            continue  # imported
        if home.split(".")[0] in ("typing", "typing_extensions", "functools", "collections", "warnings", "enum", "contextlib"):
            continue
        names.add(n)
print(f"# {library} {version}")
for n in sorted(names):
    last = n.rsplit(".", 1)[-1]
    if not last.startswith("_") and not (last.endswith("_") and n[:-1] in names):
        print(n)
