"""Writes float8.json: PyTorch 2.6's conversions of the floating-point types of 8 bits. Of each type the float32 of all 256 elements, by their bits (NaN by
one), and the elements that float32 numbers become: each number, the middle between it and the next one, and those beside. All are digits of bits, 8 of float32
and 2 of an element. It needs torch: python3 float8.py > float8.json"""
import json
import math
import struct
import torch


def digits(x):
    return "".join("7fc00000" if v != v else "%08x" % struct.unpack("<I", struct.pack("<f", v))[0] for v in x.tolist())


def near(v):
    x = torch.tensor(v, dtype=torch.float32)
    return [x.item(), torch.nextafter(x, torch.tensor(math.inf)).item(), torch.nextafter(x, torch.tensor(-math.inf)).item()]


answers = {}
for dtype in (torch.float8_e4m3fn, torch.float8_e5m2):
    every = torch.arange(256, dtype=torch.uint8).view(dtype).float()
    finite = sorted({abs(v) for v in every.tolist() if math.isfinite(v)})
    top = 2 * finite[-1] - finite[-2]  # what would come next
    numbers = [math.inf, math.nan, 3e38, 1e-45, 1e-40, 1e5, 1e6]
    for v, w in zip(finite, finite[1:] + [top]):
        numbers += near(v) + near((v + w) / 2) + near(v + (w - v) / 4)
    numbers += near(top)
    x = torch.tensor(numbers + [-v for v in numbers], dtype=torch.float32)
    code = lambda t: "".join("%02x" % b for b in t.to(dtype).view(torch.uint8).tolist())
    answers[str(dtype).removeprefix("torch.")] = {
        "every": digits(every), "numbers": digits(x), "elements": code(x), "of float64": code(x.double() * (1 + 2 ** -40)), "of float16": code(x.half()), "of bfloat16": code(x.bfloat16()),
        "of int64": code(torch.arange(-600, 600)), "to int32": every.nan_to_num(0, 65536, -65536).to(torch.int32).tolist()}
print(json.dumps(answers, indent=0))
