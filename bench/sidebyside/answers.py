

# What follows reads requests, one JSON object a line, and answers each with a line, and the bytes of arrays behind it.
#
# {"calls": n}  makes n calls of what was prepared last; answers {"seconds": how long they took}
# another one   is for the program's prepare(request), which gives the call, the answer and the arrays; where it fails, the answer is {"cannot": why}
import json
import sys
import time

import numpy


def answers():
    while line := sys.stdin.buffer.readline():
        request, payload = json.loads(line), []
        if "calls" in request:
            start = time.perf_counter()
            for _ in range(request["calls"]):
                call()
            answer = {"seconds": time.perf_counter() - start}
        else:
            try:
                call, answer, payload = prepare(request)
            except Exception as e:
                answer = {"cannot": f"{type(e).__name__}: {str(e).splitlines()[0] if str(e) else ''}"[:200]}
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
        for part in payload:
            sys.stdout.buffer.write(numpy.ascontiguousarray(part).tobytes())
        sys.stdout.buffer.flush()


answers()
