"""Measures other solvers on the fixed grids of `onda bench`, and writes what `onda bench compare` reads.

    python3 examples/measure_peers.py deepwave --shape 512 512 512 --json deepwave.json
    python3 examples/measure_peers.py sweep --device cuda --shape 512 512 512 --boundary cpml --json sweep.json
    python3 examples/measure_peers.py devito --shape 512 512 512 --order 4 8 16 --threads 16 --json devito.json
    onda bench gpu --shape 512 512 512 --order 8 --boundary cpml --json onda.json
    onda bench compare sweep.json onda.json --best

The work is that of `onda bench cpu` and `onda bench gpu`: forward propagation at constant density, single precision, a
random velocity between 1500 and 3000 m/s, no receivers. --shape is the computed grid, along x, y, z or in 2-D along
x, z. With --boundary cpml its outermost 20 nodes on every face are perfectly matched layers, as they are in
`onda bench --boundary cpml`; both programs put theirs around the model, which is therefore made 40 nodes shorter.

A round is two calls of the program, one of so many steps and one of twice as many. What the second takes longer is the
time of its steps alone, without what a call costs once (padding, allocation, transfers), as `onda bench` does not count
it either. The first round warms up and is not kept.

With --work gradient the work is that of `onda bench imaging`: the gradient of the l2 misfit between the seismograms of --shots
shots at --receivers receivers and others, with respect to the velocity of every node, from the model to the gradient in
memory. --shape is then the model, around which the layers come. Rounds are whole calls, in seconds; --every is how many
steps lie between those whose wavefields Deepwave keeps.

    python3 examples/measure_peers.py deepwave --work gradient --device cuda --shape 1601 401 --spacing 7.5 --shots 8 \\
        --receivers 500 --steps 3750 --every 10 --json deepwave.json
    onda bench imaging --shape 1601 401 --spacing 7.5 --shots 8 --receivers 500 --steps 3750 --json onda.json

Needs the package that is measured, and PyTorch for the first two: pip install deepwave, pip install sweep-solver, pip
install devito. SWEEP's compiled kernels need an NVIDIA GPU; on a CPU it is measured as it runs there, in PyTorch's own
operations. Devito is measured on a CPU: its compiler makes OpenMP code for gcc, whose blocks it tries aggressively before
the first round. Its layers are a damping mask, as in its examples, which costs less than perfectly matched layers.
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
    parser.add_argument("--work", choices=["forward", "gradient"], default="forward")
    parser.add_argument("--operator", default="star", choices=["star", "attenuation", "vti"],
                        help="as onda bench has them; Deepwave's with attenuation and VTI have a density, too")
    parser.add_argument("--spacing", type=float, default=SPACING_M, help="of the nodes in m, for gradients")
    parser.add_argument("--receivers", type=int, default=500, help="of each shot, for gradients; in 3-D the next square")
    parser.add_argument("--every", type=int, default=1, help="steps between wavefields that are kept for gradients")
    parser.add_argument("--threads", type=int, help="of the CPU (default: all)")
    parser.add_argument("--json", type=Path, help="file to write (default: standard output)")
    parser.add_argument("--force", action="store_true", help="overwrite the file if it exists")
    options = parser.parse_args()
    layers = 2 * LAYER_NODES if options.boundary == "cpml" and options.work == "forward" else 0
    if len(options.shape) not in (2, 3) or min(options.shape) <= layers + 2 * max(options.order):
        parser.error(f"--shape {options.shape}: give two or three numbers, each above {layers + 2 * max(options.order)}")
    if options.operator != "star" and (options.peer != "deepwave" or options.work == "gradient"):
        parser.error(f"--operator {options.operator} is for deepwave --work forward")
    if options.peer == "devito" and (options.device, options.work, options.shots) != ("cpu", "forward", 1):
        parser.error("devito is for --device cpu --work forward --shots 1")
    if min(options.shots, options.steps, options.rounds, options.receivers, options.every) < 1:
        parser.error("--shots, --steps, --rounds, --receivers and --every must be 1 at least")
    if options.json and options.json.exists() and not options.force:
        parser.error(f"{options.json} exists already; --force overwrites it")
    return options


class Deepwave:
    """Deepwave's propagators from random wavefields: https://github.com/ar4/deepwave."""

    package = "deepwave"

    def __init__(self, options, order, model, dt_s):
        import deepwave
        import torch

        if order not in (2, 4, 6, 8):
            raise SystemExit(f"error: deepwave has orders 2, 4, 6 and 8, not {order}")
        self.layer = LAYER_NODES if options.boundary == "cpml" else 0
        self.torch, self.dt_s, self.order = torch, dt_s, order
        vp = torch.from_numpy(model).to(options.device)
        padded = [options.shots] + [n + 2 * self.layer for n in model.shape]
        field = torch.rand(padded, device=options.device) - 0.5
        if options.operator == "star":
            self.kernel, self.models = "scalar", [vp]
            self.options = {"wavefield_0": field, "wavefield_m1": field, "max_vel": FASTEST_M_S}
        elif options.operator == "attenuation":
            rho, q = torch.ones_like(vp), torch.full_like(vp, 100)
            self.kernel, self.models = "viscoacoustic", [vp, rho, q]
            self.options = {"pressure_0": field, "q_freq": 25.0}
        else:
            stiffness, epsilon, delta = vp * vp, 0.15, 0.05
            self.kernel = "acoustic_vti"
            buoyancy = torch.ones_like(vp)
            self.models = [(1 + 2 * epsilon) * stiffness, (1 + 2 * delta) ** 0.5 * stiffness, stiffness, buoyancy]
            self.options = {"sigma_v_0": field, "sigma_h_0": field}
        if options.operator != "star":
            self.dt_s *= 0.6  # within what Deepwave bounds velocities by in these, so that it divides no step
        self.propagate = getattr(deepwave, self.kernel)
        self.kernel = "deepwave." + self.kernel

    def advance(self, steps):
        with self.torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of faces without layers, which are meant
            self.propagate(*self.models, SPACING_M, self.dt_s, nt=steps, accuracy=self.order, pml_width=self.layer,
                           pml_freq=25.0, **self.options)


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


class Devito:
    """Devito's code for the scalar equation, as its users write it: https://www.devitoproject.org."""

    package = "devito"
    kernel = "OpenMP, gcc, aggressive autotuning"

    def __init__(self, options, order, model, dt_s):
        import numpy
        from devito import Eq, Function, Grid, Operator, TimeFunction, configuration, solve

        configuration["log-level"] = "ERROR"
        configuration["language"] = "openmp"
        grid = Grid(shape=tuple(reversed(options.shape)), dtype=numpy.float32,
                    extent=tuple(SPACING_M * (n - 1) for n in reversed(options.shape)))
        u = TimeFunction(name="u", grid=grid, time_order=2, space_order=order)
        m = Function(name="m", grid=grid, space_order=order)
        layer = LAYER_NODES if options.boundary == "cpml" else 0
        m.data[:] = numpy.pad(model, layer, mode="edge") ** -2.0
        u.data[:] = numpy.random.default_rng(2).random(grid.shape, dtype=numpy.float32) - 0.5
        equation = m * u.dt2 - u.laplace
        if layer > 0:
            damp = Function(name="damp", grid=grid, space_order=order)
            damp.data[:] = self.mask(grid.shape, layer)
            equation = equation + damp * u.dt
        self.operator = Operator([Eq(u.forward, solve(equation, u.forward))], subs=grid.spacing_map)
        self.call = {"dt": dt_s, "nthreads": options.threads or len(os.sched_getaffinity(0))}
        # Blocks are tried once, and are those of every later call.
        self.operator.apply(time_m=1, time_M=2 * options.steps, autotune="aggressive", **self.call)
        self.call.update(self.operator._state["autotuning"][-1]["tuned"])

    @staticmethod
    def mask(shape, layer):
        """Grows towards every face as in the examples of Devito, from the profile of Sochacki et al. (1987)."""
        import numpy

        mask = numpy.zeros(shape, dtype=numpy.float32)
        for axis, n in enumerate(shape):
            distance = numpy.minimum(numpy.arange(n), numpy.arange(n)[::-1])
            depth = numpy.clip((layer - distance) / layer, 0, 1)
            profile = 1.5 * numpy.log(1000.0) / layer * (depth - numpy.sin(2 * numpy.pi * depth) / (2 * numpy.pi))
            mask += (profile / SPACING_M).astype(numpy.float32).reshape([-1 if a == axis else 1 for a in range(len(shape))])
        return mask

    @property
    def threads(self):
        return self.call["nthreads"]

    def advance(self, steps):
        self.operator.apply(time_m=1, time_M=steps, autotune="off", **self.call)


class Survey:
    """The model and the places of `onda bench imaging`, in nodes with the slowest axis first; the wavelet too."""

    def __init__(self, options):
        import numpy

        self.h, shape = options.spacing, list(reversed(options.shape))
        # Below the limit of both programs, so that neither divides a step.
        self.dt_s = 0.5 * self.h / FASTEST_M_S / len(shape) ** 0.5
        depth = numpy.arange(shape[0]) / (shape[0] - 1)
        profile = 0.5 * FASTEST_M_S * (1 + depth)
        self.model = numpy.broadcast_to(profile.reshape([-1] + [1] * (len(shape) - 1)), shape).astype(numpy.float32)
        right = shape[-1] - 2
        across = [shape[1] // 2] if len(shape) == 3 else []
        places = numpy.linspace(0.1 * right, 0.9 * right, options.shots).round().astype(int)
        self.sources = numpy.array([[[2, *across, x]] for x in places])
        side = round(options.receivers**0.5)
        line = numpy.linspace(1, right, side if across else options.receivers).round().astype(int)
        rows = numpy.linspace(1, shape[1] - 2, side).round().astype(int)
        one = [[2, y, x] for y in rows for x in line] if across else [[2, x] for x in line]
        self.receivers = numpy.array([one] * options.shots)
        self.peak_hz = 0.5 * FASTEST_M_S / (4.5 * 2.76 * self.h)
        t = numpy.arange(options.steps) * self.dt_s - 1.5 / self.peak_hz
        a = (numpy.pi * self.peak_hz * t) ** 2
        self.wavelet = ((1 - 2 * a) * numpy.exp(-a)).astype(numpy.float32)


class DeepwaveGradient:
    kernel = "deepwave.scalar"

    def __init__(self, options, order):
        import torch

        self.options, self.order, self.torch, self.survey = options, order, torch, Survey(options)
        as_tensor = lambda array: torch.from_numpy(array).to(options.device)  # noqa: E731
        self.model = as_tensor(self.survey.model.copy()).requires_grad_()
        self.sources, self.receivers = as_tensor(self.survey.sources), as_tensor(self.survey.receivers)
        self.amplitudes = as_tensor(self.survey.wavelet).expand(options.shots, 1, -1).contiguous()
        with torch.no_grad():
            self.observed = 0.9 * self.seismograms()

    def seismograms(self):
        import deepwave

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # The time step is within the limit of this number, and is not divided.
            return deepwave.scalar(self.model, self.survey.h, self.survey.dt_s, source_amplitudes=self.amplitudes,
                                   source_locations=self.sources, receiver_locations=self.receivers,
                                   accuracy=self.order, pml_width=LAYER_NODES, pml_freq=self.survey.peak_hz,
                                   max_vel=FASTEST_M_S, courant_number=0.78,
                                   model_gradient_sampling_interval=self.options.every)[-1]

    def gradient(self):
        self.model.grad = None
        residual = self.seismograms() - self.observed
        (0.5 * self.survey.dt_s * (residual * residual).sum()).backward()


class SweepGradient:
    def __init__(self, options, order):
        import torch
        from sweep.equations import Acoustic, Acoustic3D
        from sweep.propagator.torch import PropTorch

        if options.every != 1:
            raise SystemExit("error: SWEEP keeps the wavefield of every step: leave --every out")
        self.torch, self.survey = torch, Survey(options)
        equation = (Acoustic3D if self.survey.model.ndim == 3 else Acoustic)(spatial_order=order, device=options.device)
        impl = "c" if options.device == "cuda" else "eager"
        self.solver = PropTorch(equation, shape=self.survey.model.shape, dh=self.survey.h, dt=self.survey.dt_s,
                                abcn=LAYER_NODES, device=options.device, impl=impl)
        self.kernel = f"PropTorch(impl='{impl}')"
        self.model = torch.from_numpy(self.survey.model.copy()).to(options.device).requires_grad_()
        self.sources = self.survey.sources[:, 0, ::-1].copy()  # x first
        self.receivers = self.survey.receivers[:, :, ::-1].copy()
        with torch.no_grad():
            self.observed = 0.9 * self.seismograms()

    def seismograms(self):
        return self.solver(self.survey.wavelet, self.sources, self.receivers, models=[self.model])

    def gradient(self):
        self.model.grad = None
        residual = self.seismograms() - self.observed
        (0.5 * self.survey.dt_s * (residual * residual).sum()).backward()


PEERS = {"deepwave": Deepwave, "devito": Devito, "sweep": Sweep}
PEERS_OF_GRADIENTS = {"deepwave": DeepwaveGradient, "sweep": SweepGradient}


def random_model(options):
    import numpy

    layers = 2 * LAYER_NODES if options.boundary == "cpml" else 0
    shape = [n - layers for n in reversed(options.shape)]  # [z][y][x]
    random = numpy.random.default_rng(1)
    return random.uniform(0.5 * FASTEST_M_S, FASTEST_M_S, shape).astype(numpy.float32)


def seconds_of_call(call, device):
    def finish():
        if device == "cuda":
            import torch

            torch.cuda.synchronize()

    finish()
    start = time.perf_counter()
    call()
    finish()
    return time.perf_counter() - start


def threads_of(peer):
    """That compute on a CPU."""
    if isinstance(peer, Devito):
        return peer.threads
    import torch

    return torch.get_num_threads()


def peak_memory_bytes():
    """Of the GPU."""
    import torch

    return torch.cuda.max_memory_allocated()


def measured_row(options, order):
    # Below the limit of both programs, so that neither divides a step: the strictest is 0.6 h / (vp sqrt(dimensions)).
    dt_s = 0.5 * SPACING_M / FASTEST_M_S / len(options.shape) ** 0.5
    peer_class = PEERS[options.peer]
    peer = peer_class(options, order, random_model(options), dt_s)
    points = options.shots
    for n in options.shape:
        points *= n
    rounds, once = [], []
    for number in range(options.rounds + 1):
        short = seconds_of_call(lambda: peer.advance(options.steps), options.device)
        long = seconds_of_call(lambda: peer.advance(2 * options.steps), options.device)
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
        kernel["threads"] = threads_of(peer)
    facts = {"steps_per_round": options.steps, "seconds_once_a_call": statistics.median(once)}
    if options.operator == "star":
        facts["bytes_per_point"] = 16.0
    if options.device == "cuda":
        facts["peak_memory_bytes"] = peak_memory_bytes()
    problem = {"operator": options.operator, "space_order": order, "precision": "float", "shape": options.shape,
               "boundary": options.boundary, "shots": options.shots, "receivers": 0}
    return {"problem": problem, "kernel": kernel, "unit": "Gpt/s", "better": "larger", "rounds": rounds, "facts": facts}


def gradient_row(options, order):
    peer = PEERS_OF_GRADIENTS[options.peer](options, order)
    peer.gradient()  # warms up
    rounds = [seconds_of_call(peer.gradient, options.device) for _ in range(options.rounds)]
    print(f"{options.peer:<10} order {order:<3} {statistics.median(rounds):8.4f} s  ({min(rounds):.4f} … "
          f"{max(rounds):.4f})", file=sys.stderr)
    kernel = {"program": PEERS[options.peer].package, "kernel": peer.kernel}
    facts = {"steps_between_levels": options.every}
    if options.device == "cuda":
        facts["peak_memory_bytes"] = peak_memory_bytes()
    else:
        kernel["threads"] = threads_of(peer)
    problem = {"operator": "star", "space_order": order, "precision": "float", "shape": options.shape,
               "boundary": "cpml", "shots": options.shots, "receivers": options.receivers,
               "layer_nodes": LAYER_NODES, "steps": options.steps, "work": "gradient"}
    return {"problem": problem, "kernel": kernel, "unit": "s", "better": "smaller", "rounds": rounds, "facts": facts}


def processor():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def machine(device):
    """As `onda bench` names it, so that `onda bench compare` knows the same machine again."""
    result = {"host": socket.gethostname(), "system": platform.platform(), "cpu": processor(),
              "processors": len(os.sched_getaffinity(0))}
    if device == "cuda":
        import torch

        has = torch.cuda.get_device_properties(0)
        result["gpu"] = {"name": has.name, "architecture": f"sm_{has.major}{has.minor}",
                         "multiprocessors": has.multi_processor_count, "memory_bytes": has.total_memory}
    return result


def set_torch_up(options):
    """\returns its version."""
    try:
        import torch
    except ImportError:
        raise SystemExit("error: PyTorch is not installed: pip install torch") from None
    if options.threads:
        torch.set_num_threads(options.threads)
    if options.device == "cuda" and not torch.cuda.is_available():
        raise SystemExit("error: PyTorch sees no GPU here: take --device cpu")
    return torch.__version__


def main():
    options = arguments()
    name = PEERS[options.peer].package
    program = {"name": name}
    if PEERS[options.peer] is not Devito:
        program["torch"] = set_torch_up(options)
    try:
        program["version"] = metadata.version(name)
    except metadata.PackageNotFoundError:
        raise SystemExit(f"error: {name} is not installed: pip install {name}") from None
    load = os.getloadavg()[0]
    row = gradient_row if options.work == "gradient" else measured_row
    rows = [row(options, order) for order in options.order]
    report = {
        "format": "onda-bench",
        "schema_version": 1,
        "bench": "imaging" if options.work == "gradient" else "gpu" if options.device == "cuda" else "cpu",
        "program": program,
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
