"""The side of ONNX Runtime: models in files, with what they are fed. sidebyside/answers.py follows it."""
import os
import sys
import time

import numpy
import onnxruntime


def prepare(request):
    """Reads the model of a path; the numbers that it is fed follow the request. The arrays are its results, as float64."""
    feed = {}
    for name, dtype, shape, size in request["inputs"]:
        feed[name] = numpy.frombuffer(sys.stdin.buffer.read(size), dtype).reshape(shape)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = int(os.environ["BENCH_THREADS"]), 1
    options.log_severity_level = 3
    options.add_session_config_entry("session.force_spinning_stop", "1")  # others run between calls
    start = time.perf_counter()
    session = onnxruntime.InferenceSession(request["path"], options, providers=["CPUExecutionProvider"])
    outputs = [x.name for x in session.get_outputs()]
    results = session.run(outputs, feed)
    first = time.perf_counter() - start
    kept = {k: v.astype(numpy.float64) for k, v in zip(outputs, results) if isinstance(v, numpy.ndarray) and v.dtype.kind in "fiub"}
    answer = {"first": first, "results": [[k, list(v.shape)] for k, v in kept.items()]}
    return (lambda: session.run(outputs, feed)), answer, kept.values()
