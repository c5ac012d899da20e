"""Writes formats.gguf with random numbers in all formats, and formats.npz with what they decode to.

    pip install gguf==0.19.0 && python3 formats.py
"""
import numpy
import gguf
from gguf import GGMLQuantizationType as Type, quants

random = numpy.random.default_rng(1)
ROWS, COLUMNS = 2, 256
# Where the numbers of 16 bits are in a block: other bytes may be anything.
HALVES = {Type.Q4_0: [0], Type.Q4_1: [0, 2], Type.Q5_0: [0], Type.Q5_1: [0, 2], Type.Q8_0: [0], Type.Q2_K: [80, 82],
          Type.Q3_K: [108], Type.Q4_K: [0, 2], Type.Q5_K: [0, 2], Type.Q6_K: [208], Type.IQ4_NL: [0],
          Type.IQ4_XS: [0], Type.TQ2_0: [64], Type.MXFP4: [], Type.IQ2_XS: [0]}

writer = gguf.GGUFWriter("formats.gguf", "llama")
writer.add_uint32("test.uint32", 7)
writer.add_int16("test.int16", -3)
writer.add_float32("test.float32", 0.5)
writer.add_float64("test.float64", 1e-300)
writer.add_bool("test.bool", True)
writer.add_string("test.string", "grüße")
writer.add_uint64("test.uint64", 1 << 40)
writer.add_array("test.texts", ["<s>", "", "the"])
writer.add_array("test.numbers", [1, -2, 3])
writer.add_array("test.reals", [0.5, 2.5])
writer.add_array("test.nested", [[1, 2], [3]])

decoded = {}
for kind, places in HALVES.items():
    elements, size = gguf.GGML_QUANT_SIZES[kind]
    blocks = random.integers(0, 256, (ROWS * COLUMNS // elements, size), dtype=numpy.uint8)
    for at in places:
        numbers = random.normal(size=len(blocks)).astype(numpy.float16)
        blocks[:, at:at + 2] = numbers.view(numpy.uint8).reshape(-1, 2)
    if kind == Type.MXFP4:
        blocks[0, 0], blocks[1, 0], blocks[2, 0] = 0, 1, 254
    data = blocks.reshape(ROWS, -1)
    writer.add_tensor(kind.name, data, raw_dtype=kind)
    if kind != Type.IQ2_XS:  # which cannot be read
        decoded[kind.name] = quants.dequantize(data, kind)
for dtype in ["float32", "float16", "float64", "int8", "int16", "int32", "int64"]:
    decoded[dtype] = random.normal(scale=50, size=(2, 3, 5)).astype(dtype)
    writer.add_tensor(dtype, decoded[dtype])
bits = random.normal(size=6).astype(numpy.float32).view(numpy.uint32) >> 16
writer.add_tensor("bfloat16", bits.astype(numpy.uint16).view(numpy.uint8).reshape(1, -1), raw_dtype=Type.BF16)
decoded["bfloat16"] = (bits << 16).view(numpy.float32).reshape(1, 6)
writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()
numpy.savez_compressed("formats.npz", **decoded)
