"""The side of ONNX Runtime: models in files, with what they are fed."""
import json
import os
import sys
import time

import numpy
import onnxruntime


def prepare(path, inputs):
    """A session, and the numbers that it is fed, which follow the request."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = int(os.environ["BENCH_THREADS"]), 1
    options.log_severity_level = 3
    options.add_session_config_entry("session.force_spinning_stop", "1")  # others run between calls
    start = time.perf_counter()
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    feed = {}
    for name, dtype, shape, size in inputs:
        feed[name] = numpy.frombuffer(sys.stdin.buffer.read(size), dtype).reshape(shape)
    outputs = [x.name for x in session.get_outputs()]
    results = session.run(outputs, feed)
    first = time.perf_counter() - start
    return (lambda: session.run(outputs, feed)), first, dict(zip(outputs, results))


while line := sys.stdin.buffer.readline():
    request, payload = json.loads(line), []
    if "path" in request:
        try:
            call, first, results = prepare(**request)
            kept = {k: v.astype(numpy.float64) for k, v in results.items() if isinstance(v, numpy.ndarray) and v.dtype.kind in "fiub"}
            payload = list(kept.values())
            answer = {"first": first, "results": [[k, list(v.shape)] for k, v in kept.items()]}
        except Exception as e:
            answer = {"cannot": f"{type(e).__name__}: {str(e).splitlines()[0] if str(e) else ''}"[:200]}
    else:
        start = time.perf_counter()
        for _ in range(request["calls"]):
            call()
        answer = {"seconds": time.perf_counter() - start}
    sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
    for part in payload:
        sys.stdout.buffer.write(numpy.ascontiguousarray(part).tobytes())
    sys.stdout.buffer.flush()
