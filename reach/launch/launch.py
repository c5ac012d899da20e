"""Runs a program that Broadloom exported, on one device or many, in one process or many.

    python3 launch.py FOLDER --steps 1000 --data train.npz --save trained.safetensors

The folder holds module.mlir, signature.json and weights.safetensors. Each host runs the same command with its
own --process-id. It needs the versions of PINNED: pip install jax==0.10.2 safetensors numpy
"""

import argparse
import json
import os
import socket
import sys
import threading
import time
from pathlib import Path

PINNED = "0.10.2"  # of jax and jaxlib: compile_and_load and its options are no public interface
NOT_NUMPYS = ("bfloat16", "float8_e4m3fn", "float8_e5m2")  # dtypes of ml_dtypes, which come with jax


class Refusal(Exception):
    """What the user can mend; its text is all that is shown."""


def parse(argv):
    p = argparse.ArgumentParser(prog="launch.py", description=__doc__.split("\n")[0])
    p.add_argument("folder", type=Path)
    p.add_argument("--steps", type=int, default=1)
    p.add_argument("--data", type=Path, help=".npz, or a folder of .npy or .npz: an array for each input")
    p.add_argument("--counter", action="append", default=[], metavar="INPUT", help="feed the number of the step to this input, from --first-step on")
    p.add_argument("--first-step", type=int, default=0, metavar="N", help="where the data and the counters go on")
    p.add_argument("--params", type=Path, help="safetensors; those of the folder unless given")
    p.add_argument("--save", type=Path, help="where the parameters are written, as safetensors")
    p.add_argument("--save-every", type=int, default=0, metavar="STEPS")
    p.add_argument("--record", type=Path, help="where the outputs of all steps are written, as .npz")
    p.add_argument("--hlo", type=Path, help="where the compiled program is written, as text of XLA")
    p.add_argument("--platform", help="cpu, cuda or tpu; the best that there is unless given")
    p.add_argument("--devices", type=int, help="devices of each process, on a CPU")
    p.add_argument("--coordinator", help="host:port of process 0, for several processes")
    p.add_argument("--processes", type=int, default=1)
    p.add_argument("--process-id", type=int, default=0)
    p.add_argument("--timeout", type=int, default=60, metavar="SECONDS", help="after which a process that is gone ends the others")
    p.add_argument("--progress-every", type=int, default=10, metavar="STEPS")
    p.add_argument("--json", action="store_true", help="progress as lines of JSON")
    p.add_argument("--until-stdin-ends", action="store_true", help="end when standard input does: with the process that started this one")
    return p.parse_args(argv)


def start(a):
    """Starts jax with so many devices and processes, and returns its module."""
    if a.platform:
        os.environ["JAX_PLATFORMS"] = a.platform
    try:
        import jax
    except ImportError as e:
        raise Refusal(f"{sys.executable} has no jax ({e}): pip install jax=={PINNED} safetensors numpy")
    if jax.__version__ != PINNED:
        raise Refusal(f"this launcher wants jax {PINNED}, and {sys.executable} has {jax.__version__}: pip install jax=={PINNED} jaxlib=={PINNED}")
    jax.config.update("jax_enable_x64", True)
    if a.devices:
        jax.config.update("jax_num_cpu_devices", a.devices)
    if a.processes > 1:
        if not a.coordinator:
            raise Refusal("several processes want --coordinator HOST:PORT, the same in all of them")
        jax.distributed.initialize(a.coordinator, a.processes, a.process_id, cluster_detection_method="deactivate",
                                   initialization_timeout=a.timeout, heartbeat_timeout_seconds=a.timeout, shutdown_timeout_seconds=a.timeout)
    return jax


class Watch:
    """Ends this process when another one is gone: a connection to process 0 that all keep open tells at once,
    where a collective would wait for the heartbeat of jax.distributed. Each sends a byte a second, and BYE at its end."""

    BYE = b"b"

    def __init__(self, a):
        from jax._src import distributed
        self.a, self.over, self.links = a, threading.Event(), {}
        store, host = distributed.global_state.client, a.coordinator.rsplit(":", 1)[0].strip("[]")
        if a.process_id == 0:
            door = socket.create_server(("", 0))
            door.settimeout(a.timeout)
            store.key_value_set("broadloom/watch", str(door.getsockname()[1]))
            for _ in range(1, a.processes):
                link, _ = door.accept()
                link.settimeout(a.timeout)
                self.links[int.from_bytes(link.recv(4), "big")] = link
            door.close()
        else:
            port = int(store.blocking_key_value_get("broadloom/watch", a.timeout * 1000))
            self.links[0] = socket.create_connection((host, port), a.timeout)
            self.links[0].sendall(a.process_id.to_bytes(4, "big"))
        for other, link in self.links.items():
            link.settimeout(a.timeout)
            threading.Thread(target=self.listen, args=(other, link), daemon=True).start()
        threading.Thread(target=self.speak, daemon=True).start()

    def listen(self, other, link):
        why = "has ended"
        try:
            while byte := link.recv(1):
                if byte == self.BYE:
                    return
        except TimeoutError:
            why = f"has been silent for {self.a.timeout} s"
        except OSError:
            pass
        if not self.over.is_set():
            print(f"launch.py: process {self.a.process_id}: process {other} {why}: this one ends too", file=sys.stderr, flush=True)
            os._exit(3)

    def speak(self):
        while not self.over.wait(1):
            self.send(b".")

    def send(self, byte):
        for link in self.links.values():
            try:
                link.sendall(byte)
            except OSError:
                pass  # its listener tells

    def end(self):
        self.over.set()
        self.send(self.BYE)


class Program:
    """The compiled module with its arguments' and results' shardings."""

    def __init__(self, jax, folder):
        from jax.sharding import NamedSharding, PartitionSpec
        from jax._src.lib import xla_client
        from jax._src.sharding_impls import GSPMDSharding
        import numpy as np
        self.jax = jax
        self.signature = json.loads(read(folder / "signature.json"))
        self.arguments, self.results = self.signature["arguments"], self.signature["results"]
        axes = self.signature.get("mesh") or [{"name": "device", "size": 1}]
        names, sizes = [x["name"] for x in axes], [x["size"] for x in axes]
        count, devices = int(np.prod(sizes)), jax.devices()
        if len(devices) < count:
            raise Refusal(f"the mesh {' '.join(f'{n}={s}' for n, s in zip(names, sizes))} wants {count} devices, and there are {len(devices)} ({devices[0].platform}): "
                          "on a CPU, --devices makes more of them")
        if devices[0].platform == "cpu":
            self.mesh = jax.sharding.Mesh(np.array(sorted(devices, key=lambda d: d.id)[:count]).reshape(sizes), names)
        else:
            self.mesh = jax.make_mesh(sizes, names, devices=devices[:count])

        def sharding(spec):
            return NamedSharding(self.mesh, PartitionSpec(*(tuple(axes) or None for axes in spec.get("sharding") or [[]] * len(spec["shape"]))))

        self.in_shardings = [sharding(s) for s in self.arguments]
        options = xla_client.CompileOptions()
        build, flat = options.executable_build_options, list(self.mesh.devices.flat)
        options.num_replicas = build.num_replicas = 1
        options.num_partitions = build.num_partitions = count
        build.use_spmd_partitioning = build.use_shardy_partitioner = count > 1
        build.device_assignment = xla_client.DeviceAssignment.create(np.array([[d.id for d in flat]]))
        self.loaded = flat[0].client.compile_and_load(read(folder / "module.mlir"), xla_client.DeviceList(tuple(flat)), options)
        found = self.loaded.get_output_shardings() or [None] * len(self.results)
        self.out_shardings = [sharding(r) if "sharding" in r or s is None else GSPMDSharding(tuple(flat), s) for r, s in zip(self.results, found)]

    def __call__(self, arguments):
        """Runs one step. Arguments that are donated are gone after it."""
        parts = self.loaded.execute_sharded(arguments).disassemble_into_single_device_arrays()
        return [self.jax.make_array_from_single_device_arrays(tuple(r["shape"]), s, p)
                for r, s, p in zip(self.results, self.out_shardings, parts)]

    def array(self, i, read_part):
        """Makes argument i: read_part gives the elements of an index into the whole array."""
        import ml_dtypes  # noqa: F401, whose dtypes numpy then knows
        import numpy as np
        a, s = self.arguments[i], self.in_shardings[i]
        dtype = np.dtype(a["dtype"])

        def part(index):
            x = np.asarray(read_part(index))
            if not (np.can_cast(x.dtype, dtype, "same_kind") or x.dtype.kind in "fV" and dtype.name in NOT_NUMPYS):  # of which numpy knows nothing
                raise Refusal(f"{a['role']} {a['name']} is {x.dtype} in the file, and {dtype} in the program")
            return x.astype(dtype, copy=False)

        return self.jax.make_array_from_callback(tuple(a["shape"]), s, part)

    def rows(self, i):
        """Returns from which row to which this process's devices have argument i."""
        shape = self.arguments[i]["shape"]
        if not shape:
            return 0, 1
        parts = [index[0].indices(shape[0]) for index in self.in_shardings[i].addressable_devices_indices_map(tuple(shape)).values()]
        return min(p[0] for p in parts), max(p[1] for p in parts)


def read(path):
    try:
        return path.read_text()
    except OSError as e:
        raise Refusal(f"{path}: {e.strerror}")


class Data:
    """Batches of the inputs. Of an input of shape S it takes an array of shape S, the same in each step; one of
    shape [steps, *S]; or one with more rows along the first axis, of which each step has the next ones. A folder
    process-1 beside others holds the rows of process 1 alone."""

    def __init__(self, path, program, counters, process):
        inputs = [(i, a) for i, a in enumerate(program.arguments) if a["role"] == "input"]
        for name in counters:
            if name not in [a["name"] for _, a in inputs]:
                raise Refusal(f"--counter {name}: the program has no such input; it has {', '.join(a['name'] for _, a in inputs)}")
        self.inputs = [(i, a) for i, a in inputs if a["name"] not in counters]
        self.steps, self.first = sys.maxsize, 0
        if not self.inputs:
            return
        if path is None:
            raise Refusal(f"--data is missing: the program has the inputs {', '.join(a['name'] for _, a in self.inputs)}")
        own = path / f"process-{process}"
        self.rows = {a["name"]: program.rows(i) if own.is_dir() else (0, (a["shape"] or [1])[0]) for i, a in self.inputs}
        path = own if own.is_dir() else path
        self.files = sorted(path.glob("*.npz")) if path.is_dir() else []
        self.files = self.files or [path]
        self.load(0)

    def load(self, i):
        """Opens a file of the data; .npy files of a folder stay on the disk until their rows are read."""
        import numpy as np
        path, self.at = self.files[i], i
        names = [a["name"] for _, a in self.inputs]
        try:
            if path.is_dir():
                self.arrays = {n: np.load(path / f"{n}.npy", mmap_mode="r", allow_pickle=False) for n in names}
            else:
                with np.load(path, allow_pickle=False) as z:
                    self.arrays = {n: z[n] for n in names}
        except KeyError as e:
            raise Refusal(f"{path}: {e.args[0]}")
        except (OSError, ValueError, EOFError) as e:
            raise Refusal(f"{path}: {e}")
        self.steps = min(self.steps_of(path, a) for _, a in self.inputs)

    def shape(self, a):
        """Returns the shape of an input, or of the rows of it that the files have in each step."""
        start, stop = self.rows[a["name"]]
        return [stop - start, *a["shape"][1:]] if a["shape"] else []

    def steps_of(self, path, a):
        want, have = self.shape(a), list(self.arrays[a["name"]].shape)
        if have == want:
            return sys.maxsize
        if have[1:] == want and have[0] > 0:
            return have[0]
        if want and len(have) == len(want) and have[1:] == want[1:] and have[0] >= want[0] > 0:
            return have[0] // want[0]
        raise Refusal(f"{path}: {a['name']} is {have}, and the program takes {want}: give that, [steps, {', '.join(map(str, want))}], or more rows of it")

    def step(self, step):
        """Returns a function of an input and an index into its whole array, for one step."""
        import numpy as np
        while step - self.first >= self.steps:
            self.first += self.steps
            self.load((self.at + 1) % len(self.files))

        def part(a, index):
            if all(a is not own for _, own in self.inputs):
                return np.asarray(step, a["dtype"])
            x, want, i = self.arrays[a["name"]], self.shape(a), step - self.first
            begin = self.rows[a["name"]][0]
            if index:
                start, stop, _ = index[0].indices(a["shape"][0])
                index = (slice(start - begin, stop - begin), *index[1:])
            if list(x.shape) == want:
                return x[index]
            if list(x.shape[1:]) == want:
                return x[i][index]
            return x[(slice(i * want[0] + index[0].start, i * want[0] + index[0].stop), *index[1:])]
        return part


class Parameters:
    """The parameters of a file of safetensors, of which each device reads its part."""

    def __init__(self, path):
        import ml_dtypes
        import numpy as np
        from safetensors import SafetensorError, safe_open
        for name in NOT_NUMPYS:  # safetensors looks for these in numpy
            if not hasattr(np, name):
                setattr(np, name, getattr(ml_dtypes, name))
        try:
            self.path, self.file = path, safe_open(path, framework="numpy")
        except (OSError, SafetensorError) as e:
            raise Refusal(f"{path}: {e}")
        self.names = set(self.file.keys())

    def part(self, a, index):
        if a["name"] not in self.names:
            raise Refusal(f"{self.path} has no parameter {a['name']}")
        if not a["shape"]:
            return self.file.get_tensor(a["name"])
        s = self.file.get_slice(a["name"])
        if list(s.get_shape()) != list(a["shape"]):
            raise Refusal(f"{self.path}: {a['name']} is {s.get_shape()}, and the program has {a['shape']}")
        return s[index]


def whole(jax, x):
    """Returns all elements of an array, in every process."""
    import numpy as np
    if x.is_fully_addressable or x.is_fully_replicated:
        return np.asarray(x.addressable_data(0)) if x.is_fully_replicated else np.asarray(x)
    from jax.experimental import multihost_utils
    return np.asarray(multihost_utils.process_allgather(x, tiled=True))


def save(jax, path, names, arrays, step):
    """Writes parameters. A process that dies meanwhile leaves the file that was there before."""
    from safetensors.numpy import save as encode
    import numpy as np
    tensors = {n: np.asarray(whole(jax, x), order="C") for n, x in zip(names, arrays)}  # all processes take part
    if jax.process_index() == 0:
        write(path, encode(tensors, {"step": str(step)}))


def write(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(beside, "wb") as f:
            f.write(data)
            f.flush()
            os.fsync(f.fileno())
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


class Progress:
    """Lines about steps, of process 0."""

    def __init__(self, a, speaks):
        self.every, self.json, self.speaks, self.steps = a.progress_every, a.json, speaks, a.steps
        self.since, self.from_step = time.monotonic(), 0

    def tell(self, done, outputs):
        if not self.speaks or done % max(self.every, 1) and done != self.steps:
            return
        now = time.monotonic()
        ms = (now - self.since) * 1000 / max(done - self.from_step, 1)
        self.since, self.from_step = now, done
        numbers = {n: float(v) for n, v in outputs.items() if v.ndim == 0}
        if self.json:
            print(json.dumps({"step": done, "of": self.steps, "ms": round(ms, 3), "outputs": numbers}), flush=True)
        else:
            print(f"step {done}/{self.steps}  " + "  ".join(f"{n} {v:.6g}" for n, v in numbers.items()) + f"  {ms:.1f} ms a step", flush=True)


class Loop:
    """Steps, one after another. What a step gave is looked at while the next one runs."""

    def __init__(self, jax, a, program):
        self.jax, self.a, self.program = jax, a, program
        self.held = [i for i, x in enumerate(program.arguments) if x["role"] != "input"]
        self.names = [program.arguments[i]["name"] for i in self.held]
        self.written = {program.arguments.index(x): x["donated_to"] for x in program.arguments if x.get("donated_to", -1) >= 0}
        self.outputs = {r["name"]: i for i, r in enumerate(program.results) if r["role"] == "output"}
        self.checks = [(i, f"{r['name']}: {r['message']}") for i, r in enumerate(program.results) if r["role"] == "check"]
        self.progress = Progress(a, jax.process_index() == 0)
        self.recorded = []

    def run(self):
        a, p = self.a, self.program
        data = Data(a.data, p, a.counter, a.process_id)
        params = Parameters(a.params or a.folder / "weights.safetensors") if self.held else None
        values = [None] * len(p.arguments)
        for i in self.held:
            values[i] = p.array(i, lambda index, i=i: params.part(p.arguments[i], index))
        before = None
        for step in range(a.steps):
            part = data.step(a.first_step + step)
            for i, x in enumerate(p.arguments):
                if x["role"] == "input":
                    values[i] = p.array(i, lambda index, x=x: part(x, index))
            results = p(values)
            for i, k in self.written.items():
                values[i] = results[k]
            self.look(step, before)
            before = results
            if a.save and a.save_every and (step + 1) % a.save_every == 0 and step + 1 < a.steps:
                self.look(step + 1, before)
                before = None
                save(self.jax, a.save, self.names, [values[i] for i in self.held], a.first_step + step + 1)
        self.look(a.steps, before)
        if a.save:
            save(self.jax, a.save, self.names, [values[i] for i in self.held], a.first_step + a.steps)
        self.write_record()

    def look(self, done, results):
        """Raises what a step's checks found, and tells of its outputs. done is the number of steps with it."""
        if results is None:
            return
        for i, message in self.checks:
            if not bool(whole(self.jax, results[i])):
                raise Refusal(f"step {self.a.first_step + done}: {message}")
        outputs = {n: whole(self.jax, results[i]) for n, i in self.outputs.items()} if self.a.record or self.progress.speaks and self.is_all_here(results) else {}
        if self.a.record:
            self.recorded.append(outputs)
        self.progress.tell(done, outputs)

    def is_all_here(self, results):
        return all(results[i].is_fully_addressable or results[i].is_fully_replicated for i in self.outputs.values())

    def write_record(self):
        if not self.a.record or self.jax.process_index() != 0:
            return
        import io
        import numpy as np
        data, arrays = io.BytesIO(), {n: np.stack([r[n] for r in self.recorded]) for n in self.outputs}
        np.savez(data, **{n: x.astype(np.float32) if x.dtype.name in NOT_NUMPYS else x for n, x in arrays.items()})  # files of NumPy have none
        write(self.a.record, data.getvalue())


def main(argv):
    a = parse(argv)
    if a.until_stdin_ends:
        threading.Thread(target=lambda: (sys.stdin.buffer.read(), os._exit(4)), daemon=True).start()
    jax = start(a)
    watch = Watch(a) if a.processes > 1 else None
    program = Program(jax, a.folder)
    if a.hlo and jax.process_index() == 0:
        write(a.hlo, program.loaded.hlo_modules()[0].to_string().encode())
    Loop(jax, a, program).run()
    if watch:
        jax.distributed.shutdown()  # which waits for all
        watch.end()


def finish(argv):
    """Ends the process at once, whatever threads of a broken connection wait for."""
    code = 0
    try:
        main(argv)
    except Refusal as e:
        code = 2
        print(f"launch.py: {e}", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        code = 130
    except Exception as e:  # XLA's errors: a process that is gone, memory that is short
        code = 1
        text = str(e) or type(e).__name__
        print(f"launch.py: {type(e).__name__}: {text}", file=sys.stderr, flush=True)
        if os.environ.get("BROADLOOM_LAUNCH_TRACE"):
            import traceback
            traceback.print_exc()
    sys.stdout.flush()
    os._exit(code)


if __name__ == "__main__":
    finish(sys.argv[1:])
