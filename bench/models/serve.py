

# Every side's program ends with what follows. It reads requests, one JSON object a line, and answers each with a line.
#
# {"prepare": {"kind": …, "optimizer": …, "mode": …, "autocast": true or absent,
#              "tensors": [{"name", "shape", "ints", "trained", "held"}, …]}}
#                   the bytes of the tensors follow, in order; makes the first call; answers {"first": seconds from the numbers
#                   to the result of that call, "compile": those of them that went into a program}, or {"cannot": why}
# {"results": true} answers {"counts": elements of each result, then of each trained tensor}; their bytes follow, as float32
# {"calls": n}      makes n calls; answers {"seconds": how long they took}
# {"peak": true}    makes a call; answers {"bytes": the most that the side's allocator held during it beyond what it held before}
#
# The environment bounds the threads: OMP_NUM_THREADS, OPENBLAS_NUM_THREADS, BENCH_THREADS.
#
# A side is a class Model(kind, optimizer, mode, tensors, values) with call, results, peak and compile_seconds. It raises
# NotImplementedError for a kind that it does not have.
import json
import sys


def read_tensor(t):
    dtype = numpy.dtype(numpy.int64 if t["ints"] else numpy.float32)
    count = int(numpy.prod(t["shape"], dtype=int))
    return numpy.frombuffer(bytearray(sys.stdin.buffer.read(count * dtype.itemsize)), dtype).reshape(t["shape"])


def serve():
    model = None
    while line := sys.stdin.buffer.readline():
        request, payload = json.loads(line), []
        start = time.perf_counter()
        if "prepare" in request:
            values = {t["name"]: read_tensor(t) for t in request["prepare"]["tensors"]}
            start = time.perf_counter()
            try:
                model = Model(**request["prepare"], values=values)
                model.call()
                answer = {"first": time.perf_counter() - start}
                answer["compile"] = model.compile_seconds(answer["first"])
            except NotImplementedError as e:
                answer = {"cannot": str(e)}
        elif "results" in request:
            payload = [numpy.asarray(v).astype(numpy.float32).ravel() for v in model.results()]
            answer = {"counts": [v.size for v in payload]}
        elif "peak" in request:
            answer = {"bytes": model.peak()}
        else:
            for _ in range(request["calls"]):
                model.call()
            answer = {"seconds": time.perf_counter() - start}
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
        for part in payload:
            sys.stdout.buffer.write(part.tobytes())
        sys.stdout.buffer.flush()


serve()
