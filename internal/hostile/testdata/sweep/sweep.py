"""Calls PyTorch 2.6 with random arguments, as a user of ours might: all dtypes, empty axes, ties, infinities, repeated and
negative indices, all options, and mistakes. Each line has a call, the results or the refusal, gradients for random ones of the
results, and often gradients of these.

python sweep.py SEED COUNT > calls.jsonl

TestSweep compares a choice of them with ours, of which both give the same answers, and with BROADLOOM_SWEEP=calls.jsonl all of
a file. There PyTorch differs where it reads memory that it has not written or that is not its own (pools with windows of padding
alone, empty MultiMargin, PixelUnshuffle of nothing), where sums of very different numbers depend on their order, and where its
special functions are coarse.
"""

from base import *
import algebra, axes, creation, elements, indexing, joined, losses, windows

often = {"unary", "binary", "reduce", "axisone", "indexing", "losses"}
drawn = ops + [f for f in ops if f.__name__ in often]
made = 0
while made < count:
    f = rng.choice(drawn)
    try:
        f()
    except (RuntimeError, ValueError, IndexError, TypeError) as e:  # the arguments could not be made
        sys.stderr.write(f"{f.__name__}: {e!r}"[:200] + "\n")
        continue
    made += 1
