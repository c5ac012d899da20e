"""Writes reduce_dtype.jsonl: results and refusals of PyTorch 2.6, in its words, of operations whose
order of checks matters. Run it with python3 refusals.py > reduce_dtype.jsonl.
"""
import json
import torch
import torch.nn.functional as F

count = 0


def emit(row, f):
    global count
    count += 1
    row = {"id": f"refusal-{count:03d}", **row}
    try:
        y = f()
        y = y[0] if isinstance(y, tuple) else y
        row.update(ok=True, result_shape=list(y.shape), result_dtype=str(y.dtype).removeprefix("torch."))
    except Exception as e:
        row.update(ok=False, error=str(e).split("\n")[0])
    print(json.dumps(row, separators=(",", ":")))


def shape(op, shapes, attrs, f):
    emit({"kind": "shape", "op": op, "shapes": shapes, "attrs": attrs}, lambda: f(*map(torch.ones, shapes), **attrs))


for op, f in {"max": torch.max, "min": torch.min, "argmax": torch.argmax, "argmin": torch.argmin}.items():
    for s in [[], [3], [2, 3], [0]]:
        for dim in (0, 1, -1, -3):
            emit({"kind": "reduce", "op": op, "shape": s, "dtype": "bool", "dim": dim, "keepdim": None},
                 lambda: f(torch.ones(s, dtype=torch.bool), dim))
# Left out: sizes less than 0 beside a size of 0, which PyTorch accepts as they are.
for s in [[], [1], [3], [2, 1], [2, 3]]:
    for size in [[-1], [-2], [-1, 3], [3, -1], [-2, 3], [-1, -1, 3], [2, -1, -1], [-1, -2]]:
        shape("expand", [s], {"size": size}, lambda x, size: x.expand(size))
for s in [[], [4], [4, 4], [1, 4, 4], [1, 1, 1, 4, 4]]:
    for attrs in ({"kernel_size": 2}, {"kernel_size": 2, "stride": 0}, {"kernel_size": 2, "padding": -1}):
        shape("max_pool2d", [s], attrs, F.max_pool2d)
        if len(s) < 4:
            shape("avg_pool2d", [s], attrs, F.avg_pool2d)
for x in [[], [3], [2, 3], [2, 2, 3], [1, 2, 2, 3]]:
    for w in [[], [3], [4, 3], [1, 3], [4, 3, 1]]:
        shape("linear", [x, w], {}, F.linear)
        for b in [[4], [1], [3], [4, 1], [2, 1, 4]]:
            shape("linear", [x, w, b], {}, F.linear)
for op in ("softmax", "log_softmax"):
    for dtype in ("int64", "int32", "bool"):
        for s in [[], [3], [2, 3]]:
            for dim in (0, 1, 5):
                emit({"kind": "reduce", "op": op, "shape": s, "dtype": dtype, "dim": dim, "keepdim": None},
                     lambda: getattr(F, op)(torch.ones(s, dtype=getattr(torch, dtype)), dim))
for op, f in {"argmax": torch.argmax, "argmin": torch.argmin}.items():
    # Left out: truth values without elements of which none is wanted, which PyTorch accepts.
    for s in [[0], [0, 2]]:
        for dim in (None, 0):
            emit({"kind": "reduce", "op": op, "shape": s, "dtype": "bool", "dim": dim, "keepdim": None},
                 lambda: f(torch.ones(s, dtype=torch.bool), dim))
for op, f in {"hardtanh": F.hardtanh, "relu6": F.relu6, "isinf": torch.isinf, "isfinite": torch.isfinite, "isnan": torch.isnan}.items():
    for dtype in ("int64", "int32", "bool"):
        emit({"kind": "unary", "op": op, "a": {"form": "tensor", "dtype": dtype}},
             lambda: f(torch.ones(2, dtype=getattr(torch, dtype))))
for op, f in {"cross_entropy": F.cross_entropy, "nll_loss": F.nll_loss}.items():
    for x in [[], [3], [2, 3], [2, 3, 4], [2, 3, 4, 5]]:
        for t in [[], [1], [3], [2], [2, 3], [2, 4], [2, 1], [3, 4], [2, 4, 5], [2, 4, 5, 6]]:
            if op == "nll_loss" and x == t == [3]:
                continue  # accepted by PyTorch, which reads the first class index
            emit({"kind": "shape", "op": op, "shapes": [x, t], "attrs": {}},
                 lambda: f(torch.ones(x), torch.zeros(t, dtype=torch.int64)))
for attrs in ({"dilation": 0}, {"dilation": -1}, {"stride": 0}, {"dilation": 0, "stride": 0}, {"padding": -1, "dilation": 0}, {"groups": 0}):
    shape("conv1d", [[1, 1, 4], [1, 1, 2]], attrs, F.conv1d)
    shape("conv2d", [[1, 1, 4, 4], [1, 1, 2, 2]], attrs, F.conv2d)
for x, i in [([0], [0]), ([2, 0], [2, 0]), ([0, 2], [1, 3]), ([0, 2], [0, 1])]:
    emit({"kind": "shape", "op": "gather", "shapes": [x, i], "attrs": {"dim": 0}},
         lambda: torch.ones(x).gather(0, torch.zeros(i, dtype=torch.int64)))
for attrs in ({"kernel_size": [2]}, {"kernel_size": 2, "stride": [1, 1, 1]}, {"kernel_size": 2, "padding": [1, 1, 1]}):
    for s in [[1, 4, 4], [1, 1, 4, 4]]:
        shape("max_pool2d", [s], attrs, F.max_pool2d)
        shape("avg_pool2d", [s], attrs, F.avg_pool2d)
for s, size in [([0], [-1, 0]), ([0], [-1]), ([1], [0, -1]), ([1, 0], [-1, -1, 0]), ([3], [0, 3]), ([3], [-1, 0, 3]), ([3], [0, -1, 3]), ([3], [0, 2]), ([2, 3], [-1, 0, 3])]:
    shape("expand", [s], {"size": size}, lambda x, size: x.expand(size))
