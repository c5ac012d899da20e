"""Compiles and runs the modules of jobs.json in a folder, and writes what they give beside it."""

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# What XLA computes is asked, not how fast: its emitters of fusions and split code take most of the time of its compiler.
os.environ["XLA_FLAGS"] = " ".join([
    os.environ.get("XLA_FLAGS", ""), "--xla_backend_optimization_level=0", "--xla_cpu_enable_fast_math=false",
    "--xla_allow_excess_precision=false", "--xla_cpu_use_fusion_emitters=false", "--xla_cpu_parallel_codegen_split_count=1"])

import jax
import numpy as np
from jax._src import xla_bridge
from jaxlib import _jax

jax.config.update("jax_enable_x64", True)
folder = Path(sys.argv[1])
raw = np.fromfile(folder / "arguments.bin", np.uint8)
client = xla_bridge.get_backend("cpu")
devices = client.devices()[:1]


def array(a):
    dtype = jax.numpy.dtype(a["dtype"])
    count = int(np.prod(a["shape"], dtype=np.int64))
    return raw[a["offset"]:a["offset"] + count * dtype.itemsize].view(dtype).reshape(a["shape"])


def run(job):
    try:
        program = client.compile_and_load(job["text"], _jax.DeviceList(tuple(devices)), _jax.CompileOptions())
        runs, last = [], None
        for args in job["runs"]:
            given = [jax.device_put(array(a), devices[0]) if a["from"] < 0 else last[a["from"]] for a in args]
            done = program.execute_sharded(given)
            last = [r[0] for r in done.disassemble_into_single_device_arrays()]
            runs.append([np.array(r) for r in last])
        return runs, ""
    except Exception as e:
        return [], str(e)


jobs = json.loads((folder / "jobs.json").read_text())
with ThreadPoolExecutor(2) as pool:
    outcomes = list(pool.map(run, jobs))
done = []
with open(folder / "results.bin", "wb") as out:
    for job, (runs, error) in zip(jobs, outcomes):
        results = []
        for values in runs:
            row = []
            for v in values:
                row.append({"dtype": str(v.dtype), "shape": list(v.shape), "offset": out.tell()})
                out.write(np.ascontiguousarray(v).tobytes())
            results.append(row)
        done.append({"name": job["name"], "results": results, "error": error})
(folder / "results.json").write_text(json.dumps(done))
