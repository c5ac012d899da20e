"""The dtypes of results within torch.autocast("cpu", torch.bfloat16): python autocast.py < questions > answers.

Each line of standard input is a row of the reference, as libraries.py reads it. Each line of output is the row's name,
the dtypes of its results of float32 operands, and of bfloat16 ones; "-" stands for a call that is refused.
"""
import sys

sys.argv = ["libraries.py", "torch"]
asked, sys.stdin = sys.stdin, iter([])
import contextlib, io, json, os

with contextlib.redirect_stdout(io.StringIO()):
    exec(open(os.path.join(os.path.dirname(__file__), "libraries.py")).read())


def dtypes(call, operands, lowered):
    def operand(x):
        return x.bfloat16() if lowered and isinstance(x, torch.Tensor) and x.dtype == torch.float32 else x

    scope = dict(globals(), **{name: operand(value(x)) for name, x in operands.items()})
    try:
        with torch.autocast("cpu", torch.bfloat16):
            results = several(eval(call, scope))
    except Exception:
        return "-"
    return ",".join(str(x.dtype).removeprefix("torch.") if isinstance(x, torch.Tensor) else "-" for x in results)


for line in asked:
    q = json.loads(line)
    operands = q["tries"][0]["in"]
    print(q["row"], dtypes(q["call"], operands, False), dtypes(q["call"], operands, True))
