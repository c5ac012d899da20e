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
