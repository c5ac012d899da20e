"""Checks and runs the models of jobs.json in a folder, and writes what they give beside it: by ONNX Runtime, or with "reference" as a second
word by the evaluator of ONNX's own package, each for the first of its runs. It ends with 77 where packages lack."""

import json
import sys
import warnings
from pathlib import Path

try:
    import numpy as np
    import onnx
    import onnxruntime as ort
    from onnx.reference import ReferenceEvaluator
except ImportError as e:
    print(e)
    sys.exit(77)

ort.set_default_logger_severity(4)
folder = Path(sys.argv[1])
raw = np.fromfile(folder / "arguments.bin", np.uint8)
bits = {"bfloat16": (np.uint16, 16), "float8_e4m3fn": (np.uint8, 17), "float8_e5m2": (np.uint8, 19)}  # those that NumPy has not


def value(a):
    dtype, kind = bits.get(a["dtype"], (np.dtype(a["dtype"]), 0))
    count = int(np.prod(a["shape"], dtype=np.int64))
    array = raw[a["offset"]:a["offset"] + count * np.dtype(dtype).itemsize].view(dtype).reshape(a["shape"])
    if kind:
        return ort.OrtValue.ortvalue_from_numpy_with_onnx_type(array, kind)
    return ort.OrtValue.ortvalue_from_numpy(array)


def run(job):
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    try:
        onnx.checker.check_model(job["path"], full_check=True)
        session = ort.InferenceSession(job["path"], options, providers=["CPUExecutionProvider"])
        names = [o.name for o in session.get_outputs()]
        runs, last = [], {}
        for args in job.get("runs", []):
            given = {i.name: last[args[i.name]["from"]] if args[i.name]["from"] else value(args[i.name]) for i in session.get_inputs()}
            last = dict(zip(names, session.run_with_ort_values(names, given)))
            runs.append({name: v.numpy() for name, v in last.items()})
        return runs, ""
    except Exception as e:
        return [], str(e)[:2000] or repr(e)


def run_reference(job):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            evaluator = ReferenceEvaluator(onnx.load(job["path"]))
            results = evaluator.run(None, {name: value(a).numpy() for name, a in job["runs"][0].items()})
        return [dict(zip(evaluator.output_names, map(np.asarray, results)))], ""
    except Exception as e:
        return [], f"{type(e).__name__}: {e}"[:2000]


jobs = json.loads((folder / "jobs.json").read_text())
done = []
with open(folder / "results.bin", "wb") as out:
    for job in jobs:
        runs, error = run_reference(job) if sys.argv[2:] else run(job)
        results = []
        for values in runs:
            row = {}
            for name, v in values.items():
                row[name] = {"dtype": str(v.dtype), "shape": list(v.shape), "offset": out.tell()}
                out.write(np.ascontiguousarray(v).tobytes())
            results.append(row)
        done.append({"path": job["path"], "results": results, "order": list(results[0]) if results else [], "error": error})
(folder / "results.json").write_text(json.dumps(done))
