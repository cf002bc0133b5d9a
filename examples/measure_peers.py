"""Measures other solvers on the fixed grids of `onda bench`, and writes what `onda bench compare` reads.

    python3 examples/measure_peers.py deepwave --shape 512 512 512 --json deepwave.json
    python3 examples/measure_peers.py sweep --device cuda --shape 512 512 512 --boundary cpml --json sweep.json
    onda bench gpu --shape 512 512 512 --order 8 --boundary cpml --json onda.json
    onda bench compare sweep.json onda.json --best

The work is that of `onda bench cpu` and `onda bench gpu`: forward propagation at constant density, single precision, a
random velocity between 1500 and 3000 m/s, no receivers. --shape is the computed grid, along x, y, z or in 2-D along
x, z. With --boundary cpml its outermost 20 nodes on every face are perfectly matched layers, as they are in
`onda bench --boundary cpml`; both programs put theirs around the model, which is therefore made 40 nodes shorter.

A round is two calls of the program, one of so many steps and one of twice as many. What the second takes longer is the
time of its steps alone, without what a call costs once (padding, allocation, transfers), as `onda bench` does not count
it either. The first round warms up and is not kept.

Needs PyTorch and the package that is measured: pip install deepwave, pip install sweep-solver. SWEEP's compiled kernels
need an NVIDIA GPU; on a CPU it is measured as it runs there, in PyTorch's own operations.
"""

import argparse
import datetime
import json
import os
import platform
import shlex
import socket
import statistics
import sys
import time
import warnings
from importlib import metadata
from pathlib import Path

FASTEST_M_S = 3000.0
SPACING_M = 10.0
LAYER_NODES = 20


def arguments():
    parser = argparse.ArgumentParser(description="Measures other solvers on the grids of `onda bench`.")
    parser.add_argument("peer", choices=sorted(PEERS), help="what is measured")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--shape", type=int, nargs="+", default=[256, 256, 256], help="nodes along x, y, z or x, z")
    parser.add_argument("--order", type=int, nargs="+", default=[8], help="space orders")
    parser.add_argument("--boundary", choices=["none", "cpml"], default="none")
    parser.add_argument("--shots", type=int, default=1, help="that advance together")
    parser.add_argument("--steps", type=int, default=100, help="of the shorter call of a round")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, help="of the CPU (default: all)")
    parser.add_argument("--json", type=Path, help="file to write (default: standard output)")
    parser.add_argument("--force", action="store_true", help="overwrite the file if it exists")
    options = parser.parse_args()
    layers = 2 * LAYER_NODES if options.boundary == "cpml" else 0
    if len(options.shape) not in (2, 3) or min(options.shape) <= layers + 2 * max(options.order):
        parser.error(f"--shape {options.shape}: give two or three numbers, each above {layers + 2 * max(options.order)}")
    if min(options.shots, options.steps, options.rounds) < 1:
        parser.error("--shots, --steps and --rounds must be 1 at least")
    if options.json and options.json.exists() and not options.force:
        parser.error(f"{options.json} exists already; --force overwrites it")
    return options


class Deepwave:
    """deepwave.scalar from random wavefields: https://github.com/ar4/deepwave."""

    package = "deepwave"

    def __init__(self, options, order, model, dt_s):
        import deepwave
        import torch

        if order not in (2, 4, 6, 8):
            raise SystemExit(f"error: deepwave has orders 2, 4, 6 and 8, not {order}")
        self.layer = LAYER_NODES if options.boundary == "cpml" else 0
        self.scalar, self.torch, self.dt_s, self.order = deepwave.scalar, torch, dt_s, order
        self.model = torch.from_numpy(model).to(options.device)
        padded = [options.shots] + [n + 2 * self.layer for n in model.shape]
        self.field = torch.rand(padded, device=options.device) - 0.5
        self.kernel = "deepwave.scalar"

    def advance(self, steps):
        with self.torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of faces without layers, which are meant
            self.scalar(self.model, SPACING_M, self.dt_s, nt=steps, accuracy=self.order, pml_width=self.layer,
                        pml_freq=25.0, max_vel=FASTEST_M_S, wavefield_0=self.field, wavefield_m1=self.field)


class Sweep:
    """SWEEP's propagator of the scalar equation, with one source a shot: https://pypi.org/project/sweep-solver."""

    package = "sweep-solver"

    def __init__(self, options, order, model, dt_s):
        import numpy
        import torch
        from sweep.equations import Acoustic, Acoustic3D
        from sweep.propagator.torch import PropTorch

        layer = LAYER_NODES if options.boundary == "cpml" else 0
        equation = (Acoustic3D if model.ndim == 3 else Acoustic)(spatial_order=order, device=options.device)
        impl = "c" if options.device == "cuda" else "eager"
        self.solver = PropTorch(equation, shape=model.shape, dh=SPACING_M, dt=dt_s, abcn=layer, device=options.device,
                                impl=impl)
        self.model = torch.from_numpy(model).to(options.device)
        middle = [n // 2 for n in reversed(model.shape)]  # x first
        self.sources = numpy.array([middle] * options.shots, dtype=numpy.int64)
        self.receivers = self.sources[:, None, :]
        self.numpy, self.torch = numpy, torch
        self.kernel = f"PropTorch(impl='{impl}')"

    def advance(self, steps):
        wavelet = self.numpy.sin(self.numpy.arange(steps) * (2 * self.numpy.pi / 40)).astype(self.numpy.float32)
        with self.torch.no_grad():
            self.solver(wavelet, self.sources, self.receivers, models=[self.model])


PEERS = {"deepwave": Deepwave, "sweep": Sweep}


def random_model(options):
    import numpy

    layers = 2 * LAYER_NODES if options.boundary == "cpml" else 0
    shape = [n - layers for n in reversed(options.shape)]  # [z][y][x]
    random = numpy.random.default_rng(1)
    return random.uniform(0.5 * FASTEST_M_S, FASTEST_M_S, shape).astype(numpy.float32)


def seconds_of_call(peer, steps, device):
    import torch

    if device == "cuda":
        torch.cuda.synchronize()
    start = time.perf_counter()
    peer.advance(steps)
    if device == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - start


def measured_row(options, order):
    import torch

    # Below the limit of both programs, so that neither divides a step: the strictest is 0.6 h / (vp sqrt(dimensions)).
    dt_s = 0.5 * SPACING_M / FASTEST_M_S / len(options.shape) ** 0.5
    peer_class = PEERS[options.peer]
    peer = peer_class(options, order, random_model(options), dt_s)
    points = options.shots
    for n in options.shape:
        points *= n
    rounds, once = [], []
    for number in range(options.rounds + 1):
        short = seconds_of_call(peer, options.steps, options.device)
        long = seconds_of_call(peer, 2 * options.steps, options.device)
        if number == 0:
            continue
        if long <= short:
            raise SystemExit(f"error: {2 * options.steps} steps took no longer than {options.steps}: take more --steps")
        rounds.append(1e-9 * points * options.steps / (long - short))
        once.append(2 * short - long)
    print(f"{options.peer:<10} order {order:<3} {statistics.median(rounds):8.3f} Gpt/s  ({min(rounds):.3f} … "
          f"{max(rounds):.3f})", file=sys.stderr)
    kernel = {"program": peer_class.package, "kernel": peer.kernel}
    if options.device == "cpu":
        kernel["threads"] = torch.get_num_threads()
    facts = {"bytes_per_point": 16.0, "steps_per_round": options.steps, "seconds_once_a_call": statistics.median(once)}
    if options.device == "cuda":
        facts["peak_memory_bytes"] = torch.cuda.max_memory_allocated()
    problem = {"operator": "star", "space_order": order, "precision": "float", "shape": options.shape,
               "boundary": options.boundary, "shots": options.shots, "receivers": 0}
    return {"problem": problem, "kernel": kernel, "unit": "Gpt/s", "better": "larger", "rounds": rounds, "facts": facts}


def processor():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def machine(device):
    """As `onda bench` names it, so that `onda bench compare` knows the same machine again."""
    import torch

    result = {"host": socket.gethostname(), "system": platform.platform(), "cpu": processor(),
              "processors": len(os.sched_getaffinity(0))}
    if device == "cuda":
        has = torch.cuda.get_device_properties(0)
        result["gpu"] = {"name": has.name, "architecture": f"sm_{has.major}{has.minor}",
                         "multiprocessors": has.multi_processor_count, "memory_bytes": has.total_memory}
    return result


def main():
    options = arguments()
    try:
        import torch
    except ImportError:
        raise SystemExit("error: PyTorch is not installed: pip install torch") from None
    if options.threads:
        torch.set_num_threads(options.threads)
    if options.device == "cuda" and not torch.cuda.is_available():
        raise SystemExit("error: PyTorch sees no GPU here: take --device cpu")
    name = PEERS[options.peer].package
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        raise SystemExit(f"error: {name} is not installed: pip install {name}") from None
    load = os.getloadavg()[0]
    rows = [measured_row(options, order) for order in options.order]
    report = {
        "format": "onda-bench",
        "schema_version": 1,
        "bench": "gpu" if options.device == "cuda" else "cpu",
        "program": {"name": name, "version": version, "torch": torch.__version__},
        "command_line": shlex.join(["python3", *sys.argv]),
        "created_utc": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "machine": machine(options.device),
        "conditions": {"load_before": load},
        "rows": rows,
    }
    text = json.dumps(report, indent=2) + "\n"
    if not options.json:
        print(text, end="")
        return
    partial = options.json.with_name(options.json.name + ".partial")
    partial.write_text(text)
    partial.replace(options.json)


if __name__ == "__main__":
    main()
