"""Makes the figures of docs/theory.md, docs/migration.md, docs/thesis.md, docs/gallery.md and README.md from what the program
prints and computes.

    python3 docs/figures.py                           # all of them, into docs/figures; a minute or two
    python3 docs/figures.py --only dispersion_order --onda build/default/onda --output /tmp

No weight, symbol or wave equation is computed here: curves come from `onda dispersion`, errors from `onda verify`,
traces and wavefields from `onda run`, gradients from `onda gradient`. Only exact solutions are. Needs python3-numpy,
python3-h5py, python3-matplotlib.
"""

import argparse
import importlib.util
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "examples"))
from onda_results import read_gather, read_snapshot

# The same bytes from the same numbers, text as text.
plt.rcParams.update({"svg.hashsalt": "onda", "svg.fonttype": "none", "font.size": 9, "axes.grid": True, "grid.alpha": 0.3})
COLOURS = plt.get_cmap("viridis")
WAVES = LinearSegmentedColormap.from_list("waves", ["#495edd", "#fafafa", "#c9311e"])  # the program's, over water


class Onda:
    """The program."""

    def __init__(self, path, folder):
        self.path, self.folder = path, Path(folder)

    def call(self, *arguments):
        done = subprocess.run([self.path, *map(str, arguments)], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"onda {' '.join(map(str, arguments))}: {done.stderr}")
        return done.stdout

    def dispersion(self, points, angles, **options):
        """Errors of the phase velocity [points][angles]."""
        listed = [f"--{name}={value}" for name, value in options.items()]
        text = self.call("dispersion", "--json", "--points", ",".join(map(str, points)), "--angles",
                         ",".join(map(str, angles)), *listed)
        return np.array(json.loads(text)["phase_velocity_ratio"], dtype=float) - 1

    def verify(self, group):
        return json.loads(self.call("verify", "--json", "--filter", group + " "))

    def run(self, name, config, *overrides, task="run"):
        """Runs a configuration, or another task of it; returns the folder of its results, which takes the place of earlier ones."""
        file, results = self.folder / f"{name}.json", self.folder / name
        file.write_text(json.dumps({"schema_version": 1, **config}))  # JSON is YAML
        sets = [part for override in overrides for part in ("--set", override)]
        self.call(task, file, "--output", results, "--force", "--set", "output.pictures=false", *sets)
        return results


def dispersion_order(onda, save):
    """How many points a wavelength each order needs."""
    points = np.geomspace(2.05, 40, 120)
    figure, axes = plt.subplots(figsize=(7, 4.4), constrained_layout=True)
    for i, order in enumerate((2, 4, 8, 12, 16)):
        for weights, style in (("taylor", "-"), ("optimised", "--")):
            error = np.abs(onda.dispersion(points, [0], order=order, coefficients=weights)[:, 0])
            axes.loglog(points, 100 * np.maximum(error, 1e-12), style, color=COLOURS(i / 4.5),
                        label=f"order {order}" if style == "-" else None)
    error = np.abs(onda.dispersion(points, [0], operator="compact27")[:, 0])
    axes.loglog(points, 100 * error, ":", color="tab:red", label="compact27")
    axes.plot([], [], "--", color="0.4", label="optimised coefficients")
    axes.set(xlabel="Points per wavelength", ylabel="Error of the phase velocity (%)", ylim=(1e-5, 50), xlim=(2, 40),
             title="A plane wave along an axis, error of space alone")
    axes.set_xticks([2, 3, 4, 5, 6, 8, 10, 15, 20, 40], [2, 3, 4, 5, 6, 8, 10, 15, 20, 40])
    axes.minorticks_off()
    axes.legend()
    save(figure)


def dispersion_angle(onda, save):
    """Which way waves are slowed."""
    angles = np.linspace(0, 90, 91)
    schemes = [("star, order 2", {"operator": "star", "order": 2}), ("compact27", {"operator": "compact27"}),
               ("star, order 8", {"operator": "star", "order": 8}),
               ("star, order 8, optimised", {"operator": "star", "order": 8, "coefficients": "optimised"})]
    figure, panels = plt.subplots(1, 4, figsize=(10, 3.2), constrained_layout=True)
    for axes, (name, options) in zip(panels, schemes):
        points = [6, 8, 10] if "8" not in name else [3, 4, 5]
        error = 100 * onda.dispersion(points, angles, dimensions=2, **options)
        for i, count in enumerate(points):
            axes.plot(angles, error[i], color=COLOURS(i / 3), label=f"{count} points")
        axes.set(title=name, xlabel="Angle to the x axis (degrees)", xticks=[0, 45, 90])
        axes.legend(fontsize=7)
    panels[0].set_ylabel("Error of the phase velocity (%)")
    save(figure)


def order_of_accuracy(onda, save):
    """R2: the order that is measured on refined grids."""
    figure, axes = plt.subplots(figsize=(5, 3.6), constrained_layout=True)
    for row in onda.verify("R2"):
        found = re.search(r"2-D ([\d.]+), 3-D ([\d.]+)", row["detail"])
        nominal = int(re.search(r"order (\d+)", row["promise"])[1])
        colour, marker = ("tab:red", "s") if row["promise"].startswith("time") else ("tab:blue", "o")
        axes.plot([nominal] * 2, [float(found[1]), float(found[2])], marker, color=colour, fillstyle="none")
    axes.plot([0, 17], [0, 17], color="0.6", linewidth=0.8)
    axes.plot([], [], "bo", fillstyle="none", label="space, 2-D and 3-D")
    axes.plot([], [], "s", color="tab:red", fillstyle="none", label="time")
    axes.set(xlabel="order", ylabel="measured order", xlim=(0, 17), ylim=(0, 17), xticks=range(0, 17, 2))
    axes.legend()
    save(figure)


def ricker(f0, t):
    a = (np.pi * f0 * (t - 1.5 / f0)) ** 2
    return np.where(t < 0, 0, (1 - 2 * a) * np.exp(-a))


def green_2d(f0, r, c, times):
    """1/(2 pi) int s(t - r/c cosh u) du."""
    result = np.zeros(len(times))
    for i, t in enumerate(times):
        if t > r / c:
            u, du = np.linspace(0, np.arccosh(t * c / r), 1001, retstep=True)
            values = ricker(f0, t - r / c * np.cosh(u))
            result[i] = (values.sum() - 0.5 * (values[0] + values[-1])) * du / (2 * np.pi)
    return result


def time_dispersion(onda, save):
    """100 wavelengths at 6 points: with and without the correction, and with a small time step."""
    h, c = 10.0, 2000.0
    f0 = c / (6 * h) / 2.5
    source, receiver = [300.0, 1000.0], [6300.0, 1000.0]
    config = {"grid": {"shape": [661, 201], "spacing_m": h}, "model": {"type": "constant", "vp_m_s": c},
              "time": {"duration_s": 3.25},
              "wavelet": {"type": "ricker", "peak_frequency_hz": f0, "t0_s": 1.5 / f0},
              "sources": [{"position_m": source}], "receivers": [{"position_m": receiver}],
              "scheme": {"space_order": 16}, "output": {"seismograms": {"dt_s": 0.001}}}
    figure, axes = plt.subplots(figsize=(7.5, 3.6), constrained_layout=True)
    for name, style, overrides in (
            ("0.9 of the limit, not corrected", {"color": "tab:red"}, ["time.dispersion_correction=false"]),
            ("0.9 of the limit, corrected", {"color": "tab:blue"}, []),
            ("1/16 of that step", {"color": "k", "linestyle": "", "marker": ".", "markevery": 4, "markersize": 4},
             ["time.cfl_fraction=0.05625", "time.dispersion_correction=false"])):
        gather = read_gather(onda.run("time-" + name.replace(" ", "").replace("/", "-"), config, *overrides))
        axes.plot(gather.time_s, 1e3 * gather.pressure[0], label=name, linewidth=1.2, **style)
    axes.set(xlim=(2.9, 3.25), xlabel="Time (s)", ylabel="Pressure (mPa)",
             title="100 wavelengths from the source, 6 points per wavelength, order 16")
    axes.legend()
    save(figure)


def free_surface(onda, save):
    """Ghosts of shallow sources against the source and its negative image."""
    h, c = 5.0, 2000.0
    f0 = c / (10 * h) / 2.5
    depths = [1.0, 2.5, 10.0]
    x, receiver = 1001.9, [1151.9, 60.0]
    config = {"grid": {"shape": [421, 221], "spacing_m": h}, "model": {"type": "constant", "vp_m_s": c},
              "time": {"duration_s": 0.4}, "boundary": {"top": "free_surface"},
              "wavelet": {"type": "ricker", "peak_frequency_hz": f0, "t0_s": 1.5 / f0},
              "sources": [{"position_m": [x, z], "shot": i + 1} for i, z in enumerate(depths)],
              "receivers": [{"position_m": receiver}], "output": {"seismograms": {"dt_s": 0.002}}}
    results = onda.run("ghosts", config)
    figure, axes = plt.subplots(figsize=(7.5, 3.6), constrained_layout=True)
    for i, z in enumerate(depths):
        gather = read_gather(results, i + 1)
        exact = sum(sign * green_2d(f0, np.hypot(receiver[0] - x, receiver[1] - sign * z), c, gather.time_s)
                    for sign in (1, -1))
        axes.plot(gather.time_s, exact / z, color=COLOURS(i / 3), label=f"source at {z:g} m, exact")
        axes.plot(gather.time_s, gather.pressure[0] / z, ".", color=COLOURS(i / 3), markersize=4, markevery=(i, 3))
    axes.plot([], [], "k.", label="Onda, nodes 5 m apart")
    axes.set(xlim=(0.08, 0.32), xlabel="Time (s)", ylabel="Pressure over depth (Pa/m)",
             title="A free surface: source and negative image, receiver at 60 m, 150 m away")
    axes.legend()
    save(figure)


def boundaries(onda, save):
    """A free surface above, a rigid wall on the left, absorbing faces on the right and below."""
    config = {"grid": {"shape": [301, 201], "spacing_m": 10}, "model": {"type": "constant", "vp_m_s": 2000},
              "time": {"duration_s": 0.9}, "boundary": {"top": "free_surface", "left": "rigid"},
              "wavelet": {"type": "ricker", "peak_frequency_hz": 12},
              "sources": [{"position_m": [900, 600]}], "receivers": [{"position_m": [900, 600]}],
              "output": {"snapshots": {"times_s": [0.35, 0.6, 0.85]}}}
    results = onda.run("boundaries", config)
    figure, panels = plt.subplots(1, 3, figsize=(10, 2.9), constrained_layout=True, sharey=True)
    for i, axes in enumerate(panels):
        snapshot = read_snapshot(results, 1, i)
        pressure, x, z = snapshot.slice_through([900, 0, 600], "y")
        clip = 0.3 * np.abs(pressure).max()
        axes.imshow(pressure, cmap=WAVES, vmin=-clip, vmax=clip, extent=(x[0], x[-1], z[-1], z[0]))
        axes.set(title=f"{(0.35, 0.6, 0.85)[i]} s", xlabel="x (m)")
        axes.grid(False)
    panels[0].set_ylabel("Depth (m)")
    save(figure, "png")


def promises(onda, save, groups, title):
    """Measured over limit, a line a promise: what lies left of 1 is kept."""
    rows = [row for group in groups for row in onda.verify(group)]
    figure, axes = plt.subplots(figsize=(9, 0.9 + 0.2 * len(rows)), constrained_layout=True)
    for i, row in enumerate(rows):
        colour = COLOURS(groups.index(row["group"]) / len(groups))
        axes.plot([max(row["measured"] / row["limit"], 1e-3)], [i], "o", color=colour, markersize=4)
    axes.axvline(1, color="tab:red", linewidth=1)
    axes.set(xscale="log", yticks=range(len(rows)), ylim=(len(rows) - 0.5, -0.5), xlabel="measured / limit", title=title)
    axes.set_yticklabels([row["promise"] for row in rows], fontsize=8)
    save(figure)


def exact_solutions(onda, save):
    """A seismogram over the Green's function, and how far all promises stay below their limits."""
    h, c, r = 10.0, 2000.0, 2000.0
    f0 = c / (8 * h) / 2.5
    config = {"grid": {"shape": [301, 101], "spacing_m": h}, "model": {"type": "constant", "vp_m_s": c},
              "time": {"duration_s": 1.4}, "wavelet": {"type": "ricker", "peak_frequency_hz": f0, "t0_s": 1.5 / f0},
              "sources": [{"position_m": [500.0, 500.0]}], "receivers": [{"position_m": [500.0 + r, 500.0]}],
              "output": {"seismograms": {"dt_s": 0.002}}}
    gather = read_gather(onda.run("green", config))
    exact = green_2d(f0, r, c, gather.time_s)
    figure, (trace, histogram) = plt.subplots(1, 2, figsize=(10, 3.6), constrained_layout=True)
    trace.plot(gather.time_s, 1e3 * exact, color="0.6", linewidth=4, label="Green's function")
    trace.plot(gather.time_s, 1e3 * gather.pressure[0], color="tab:blue", linewidth=1.2, label="Onda")
    trace.plot(gather.time_s, 1e5 * (gather.pressure[0] - exact), color="tab:red", linewidth=1, label="difference x 100")
    trace.set(xlim=(0.95, 1.4), xlabel="Time (s)", ylabel="Pressure (mPa)",
              title=f"2-D, 2 km, {c / (2.5 * f0) / h:.0f} points per shortest wavelength, order 8")
    trace.legend(loc="upper right")
    groups = {"R1": "modes", "R3": "Green's functions", "R7": "energy", "R8": "reciprocity"}
    ratios = [[max(row["measured"] / row["limit"], 1e-3) for row in onda.verify(group)] for group in groups]
    histogram.hist(ratios, bins=np.logspace(-3, 0.5, 15), stacked=True,
                   label=[f"{name} ({len(of)})" for name, of in zip(groups.values(), ratios)],
                   color=[COLOURS(i / len(groups)) for i in range(len(groups))])
    histogram.axvline(1, color="tab:red", linewidth=1.5)
    histogram.set(xscale="log", xlabel="measured / limit", ylabel="tests", title="All tests, left of 1 if passed")
    histogram.legend(loc="upper left")
    save(figure)


def absorbing(onda, save):
    """What an absorbing face sends back, against the angle of incidence: 1 is what a rigid wall does."""
    h, c, height = 10.0, 2000.0, 300.0
    f0 = c / (8 * h) / 2.5
    offsets = np.arange(0, 2801, 50.0)
    shape, x = [341, 101], 300.0
    source = [x, (shape[1] - 1) * h - height]
    config = {"grid": {"shape": shape, "spacing_m": h}, "model": {"type": "constant", "vp_m_s": c},
              "time": {"duration_s": 1.9}, "wavelet": {"type": "ricker", "peak_frequency_hz": f0},
              "sources": [{"position_m": source}],
              "receivers": [{"type": "line", "first_m": source, "last_m": [x + offsets[-1], source[1]],
                             "count": len(offsets)}],
              "output": {"seismograms": {"dt_s": 0.004}}}
    wide = {"boundary.x_min=rigid", "boundary.x_max=rigid", "boundary.z_min=rigid"}

    def pressure(name, *overrides):
        return read_gather(onda.run("face-" + name, config, *overrides)).pressure

    # Faces so far away that nothing comes back from them, but for the one in question.
    margin = 200
    config["grid"] = {"shape": [shape[0] + 2 * margin, shape[1] + margin], "spacing_m": h,
                      "origin_m": [-margin * h, -margin * h]}
    deep = pressure("none", f"grid.shape=[{shape[0] + 2 * margin},{shape[1] + 2 * margin}]", *wide, "boundary.z_max=rigid")
    back = {"wall": pressure("wall", *wide, "boundary.z_max=rigid") - deep}
    for name, overrides in {"cpml, 10 nodes": ("z_max=cpml", "cpml_width=10"), "cpml, 20 nodes (default)": ("z_max=cpml",),
                            "cpml, 40 nodes": ("z_max=cpml", "cpml_width=40"), "sponge, 40 nodes": ("z_max=sponge",)}.items():
        back[name] = pressure(re.sub(r"\W", "", name), *wide, *(f"boundary.{o}" for o in overrides)) - deep
    angle = np.degrees(np.arctan2(offsets, 2 * height))
    figure, axes = plt.subplots(figsize=(7.5, 3.8), constrained_layout=True)
    wall = np.abs(back.pop("wall")).max(axis=1)
    for i, (name, of) in enumerate(back.items()):
        axes.plot(angle, 20 * np.log10(np.abs(of).max(axis=1) / wall), label=name,
                  color="tab:red" if name.startswith("sponge") else COLOURS(i / 3))
    axes.set(xlabel="Angle of incidence (degrees)", ylabel="Reflection (dB)", ylim=(-120, 0), xlim=(0, angle[-1]),
             title=f"What comes back from an absorbing face, Ricker wavelet of {f0:.0f} Hz, nodes {h:.0f} m apart")
    axes.legend(loc="upper left")
    save(figure)


def stability(onda, save):
    """The largest time step of every operator."""
    figure, axes = plt.subplots(figsize=(6, 3.4), constrained_layout=True)
    orders = range(2, 17, 2)
    for operator, colour in (("star", "tab:blue"), ("variable_density", "tab:orange")):
        for weights, style in (("taylor", "-o"), ("optimised", "--s")):
            for dimensions in (2, 3):
                limit = [json.loads(onda.call("dispersion", "--json", "--operator", operator, "--order", order,
                                              "--coefficients", weights, "--dimensions", dimensions))
                         ["largest_courant_number"] for order in orders]
                axes.plot(orders, limit, style, color=colour, markersize=4, fillstyle="none", linewidth=1,
                          label=f"{operator}, {weights}" if dimensions == 2 else None)
    for dimensions in (2, 3):
        compact = json.loads(onda.call("dispersion", "--json", "--operator", "compact27", "--dimensions", dimensions))
        axes.plot([2], [compact["largest_courant_number"]], "r*", label="compact27, 2-D and 3-D" if dimensions == 2 else None)
    axes.annotate("2-D", (14.2, 0.535))
    axes.annotate("3-D", (14.2, 0.435))
    axes.set(xlabel="order", ylabel="largest vp dt / spacing", xticks=list(orders))
    axes.legend(fontsize=7)
    save(figure)


class Gradients:
    """Gradients of one survey in models that are given: a lens 15 % too slow, of which the starting model knows nothing."""

    H, NODES = 12.5, (121, 81)

    def __init__(self, onda, sources, receivers, duration_s=1.1):
        self.onda = onda
        self.config = {"grid": {"shape": list(self.NODES), "spacing_m": self.H}, "time": {"duration_s": duration_s, "dt_s": 0.002},
                       "boundary": {"top": "free_surface"}, "wavelet": {"type": "ricker", "peak_frequency_hz": 10},
                       "sources": sources, "receivers": receivers}
        x, z = (self.H * np.arange(n) for n in self.NODES)
        lens = np.hypot(x[None, :] - 750, z[:, None] - 500) < 150
        self.start = np.full((self.NODES[1], self.NODES[0]), 2000.0, dtype=np.float32)
        self.observed = self.onda.run(f"observed_{id(self)}", {**self.config, "model": self.model(self.start + 300 * lens)})

    def model(self, vp):
        file = self.onda.folder / f"model_{hash(vp.tobytes()):x}.h5"
        with h5py.File(file, "w") as model:
            data = model.create_dataset("vp", data=vp.astype(np.float32))
            data.attrs.update(units="m/s", axis_labels=["z", "x"], spacing=[self.H] * 2, origin=[0.0, 0.0])
        return {"type": "file", "file": str(file)}

    def of(self, vp, **options):
        """The misfit, and its derivative by the velocity of every node."""
        precision = options.pop("precision", "double")
        imaging = {"observed": str(self.observed / "seismograms.h5"), "every": 1, "illumination": False, **options}
        results = self.onda.run("gradient", {**self.config, "model": self.model(vp), "imaging": imaging,
                                             "scheme": {"precision": precision}}, task="gradient")
        misfit = float((results / "misfit.csv").read_text().splitlines()[1].split(",")[1])
        with h5py.File(results / "gradient.h5") as file:
            return misfit, file["gradient/vp"][()].astype(float).reshape(vp.shape)


def sensitivity(onda, save):
    """What of a model one trace feels, and what five shots make of a lens."""
    line = {"type": "line", "first_m": [50, 25], "last_m": [1450, 25], "count": 57}
    below = {"type": "line", "first_m": [150, 925], "last_m": [1350, 925], "count": 5}
    surveys = [("one trace", Gradients(onda, [{"position_m": [300, 800]}], [{"position_m": [1200, 200]}])),
               ("five shots, 57 receivers", Gradients(onda, [below], [line]))]
    figure, panels = plt.subplots(1, 2, figsize=(9, 3.4), constrained_layout=True, sharey=True)
    for axes, (title, survey) in zip(panels, surveys):
        gradient = survey.of(survey.start)[1]
        clip = np.quantile(np.abs(gradient), 0.99)
        axes.imshow(gradient, cmap="RdBu_r", vmin=-clip, vmax=clip, extent=(0, 1500, 1000, 0))
        axes.add_patch(plt.Circle((750, 500), 150, fill=False, linestyle="--"))
        axes.set(title=title, xlabel="x (m)")
        axes.grid(False)
    panels[0].plot([300, 1200], [800, 200], "k*", markersize=7)
    panels[0].set_ylabel("Depth (m)")
    save(figure, "png")


def adjoint(onda, save):
    """What is left of a misfit when its gradient is taken away, what levels that are left out cost, and all promises."""
    survey = Gradients(onda, [{"position_m": [303, 45]}], [{"type": "line", "first_m": [50, 25], "last_m": [1450, 25], "count": 57}])
    start = survey.start + 50 * np.random.default_rng(1).random(survey.start.shape, dtype=np.float32).round(2)
    figure, (slopes, interval, histogram) = plt.subplots(1, 3, figsize=(11, 3.5), constrained_layout=True)
    misfit, gradient = survey.of(start)
    along = np.round(gradient / np.abs(gradient).max() * 64) / 4  # m/s, that single precision adds without rounding
    sizes = 2.0 ** -np.arange(0, 11)
    changes = np.array([survey.of(start + h * along)[0] - misfit for h in sizes])
    slopes.loglog(16 * sizes, np.abs(changes) / misfit, "o-", color="tab:blue", label="J(m + h d) − J(m)")
    slopes.loglog(16 * sizes, np.abs(changes - sizes * (gradient * along).sum()) / misfit, "s-", color="tab:red",
                  label="… − h ⟨gradient, d⟩")
    slopes.set(xlabel="Largest change of vp (m/s)", ylabel="over J", title="orders 1 and 2 in h")
    slopes.legend()
    highest_hz, dt_s = 27.64, 0.002  # where a Ricker wavelet of 10 Hz has fallen to 1 %
    intervals = np.arange(2, 12)
    errors = [np.abs(survey.of(start, every=int(m))[1] - gradient).max() / np.abs(gradient).max() for m in intervals]
    interval.semilogy(intervals * highest_hz * dt_s, errors, "o-", color="tab:blue")
    interval.axvline(0.4, color="0.4", linewidth=1, linestyle="--")
    interval.set(xlabel="m f dt", ylabel="error of the gradient", title="one level kept of every m")
    rows = onda.verify("A1")
    kinds = {"products": "⟨F s, d⟩ = ⟨s, F′ d⟩", "gradient": "against differences", "ring": "ring", "Born": "Born"}
    of_kind = [[max(row["measured"] / row["limit"], 1e-4) for row in rows if row["promise"].startswith(kind)] for kind in kinds]
    histogram.hist(of_kind, bins=np.logspace(-4, 0.5, 15), stacked=True, label=list(kinds.values()),
                   color=[COLOURS(i / len(kinds)) for i in range(len(kinds))])
    histogram.axvline(1, color="tab:red", linewidth=1.5)
    histogram.set(xscale="log", xlabel="measured / limit", ylabel="tests", title="A1, left of 1 if passed")
    histogram.margins(y=0.6)
    histogram.legend(loc="upper left", fontsize=7)
    save(figure)


def files_of(page):
    """The configurations of a document, by name."""
    return dict(re.findall(r"<!-- file: (\S+) -->\n(?:<!-- [^\n]* -->\n)*```yaml\n(.*?)```", page, re.DOTALL))


def first(onda, save, *plot):
    """A picture of the run of README.md's own configuration."""
    file = onda.folder / "first.yaml"
    file.write_text(files_of((ROOT / "README.md").read_text())["first.yaml"])
    results = onda.folder / "first"
    onda.call("run", file, "--output", results, "--force")
    picture = onda.folder / "first.png"
    models = ["--model", file] if plot[0] == "slice" else []
    onda.call("plot", plot[0], results, *plot[1:], *models, "--output", picture, "--force")
    save(picture, "png")


def gallery(onda, save, name):
    """The picture of a section of docs/gallery.md: its files, and what its commands draw."""
    page = (ROOT / "docs/gallery.md").read_text()
    picture = f"gallery_{name}.png"
    section = next(part for part in page.split("\n## ") if f"(figures/{picture})" in part)
    folder = onda.folder / name
    folder.mkdir()
    for file, text in files_of(section).items():
        (folder / file).write_text(text)
    commands = "".join(re.findall(r"```sh\n(.*?)```", section, re.DOTALL))
    done = subprocess.run(["bash", "-euc", 'onda() { "$ONDA" "$@"; }\n' + commands], cwd=folder, capture_output=True, text=True,
                          env={**os.environ, "ONDA": str(Path(onda.path).resolve())})
    if done.returncode != 0:
        sys.exit(f"docs/gallery.md, {name}: {done.stderr}")
    save(folder / picture, "png")


def observe_line(onda):
    """The configuration of docs/migration.md's own line, with its data observed."""
    files = files_of((ROOT / "docs/migration.md").read_text())
    for name in ("layers.yaml", "line.yaml"):
        (onda.folder / name).write_text(files[name].replace("results/observed", str(onda.folder / "observed")))
    onda.call("run", onda.folder / "layers.yaml", "--output", onda.folder / "observed", "--force")
    return onda.folder / "line.yaml"


def image_of(onda, command, config, dataset, *settings, part=np.s_[:, 0, :]):
    """What a command makes of a line, [z][x], or another part of what it writes."""
    results = onda.folder / command
    listed = [argument for setting in settings for argument in ("--set", setting)]
    onda.call(command, config, "--output", results, "--force", *listed)
    with h5py.File(results / "image.h5") as file:
        return file[dataset][part]


def draw_images(panels, save):
    figure, axes = plt.subplots(len(panels), 1, figsize=(5.6, 4.6), constrained_layout=True, sharex=True)
    for panel, (title, image) in zip(axes, panels.items()):
        clip = np.quantile(np.abs(image), 0.98)
        panel.imshow(image, cmap="gray_r", vmin=-clip, vmax=clip, extent=(0, 4000, 2000, 0), aspect="auto")
        panel.set(title=title, ylabel="Depth (m)")
        panel.grid(False)
    axes[-1].set_xlabel("x (m)")
    save(figure, "png")


def migration(onda, save):
    """The image of the line by two conditions."""
    line = observe_line(onda)
    draw_images({condition: image_of(onda, "rtm", line, "image/migrated", f"imaging.image.condition={condition}")
                 for condition in ("cross_correlation", "inverse_scattering")}, save)


def least_squares(onda, save):
    """Its image, and the change of velocity that fits its data."""
    line = observe_line(onda)
    draw_images({"onda rtm: inverse_scattering": image_of(onda, "rtm", line, "image/migrated"),
                 "onda lsrtm: change of vp after 10 iterations": image_of(onda, "lsrtm", line, "image/migrated")}, save)


def offset_gathers(onda, save):
    """Gathers in the middle of the line, where its model is 4 % too fast, with three velocities."""
    line = observe_line(onda)
    figure, axes = plt.subplots(1, 3, figsize=(7.5, 3.2), sharey=True)
    for axis, (title, factor) in zip(axes, {"10 % too low": 0.86, "right": 0.96, "10 % too high": 1.06}.items()):
        gather = image_of(onda, "rtm", line, "offset_gathers/image", f"model.vp_m_s={1800 * factor}", f"model.gradient_per_s={0.35 * factor}",
                          "imaging.image.offset_gathers={every_m: 2000, half_offset_m: 400}", part=np.s_[0])
        shown = gather[:, 25:]  # below the direct wave
        clip = np.abs(shown).max()
        axis.imshow(shown.T, cmap="gray_r", vmin=-clip, vmax=clip, extent=(-400, 400, 2000, 250), aspect="auto")
        axis.set(title=title, xlabel="Half offset (m)")
    axes[0].set_ylabel("Depth (m)")
    figure.tight_layout()
    save(figure, "png")


def thesis_tiles(onda, save):
    """What the thesis measured, drawn by the program."""
    file = onda.folder / "thesis_tiles.png"
    onda.call("bench", "thesis", "--from", "k40", "--plot", file)
    save(file, "png")


def step_model(onda, save):
    """Times of steps that were measured on a GPU, over what the model says of them, drawn by the program."""
    file = onda.folder / "step_model.png"
    onda.call("bench", "calibrate", "--from", ROOT / "tests/solver/h200_drawn_steps.csv", "--plot", file)
    save(file, "png")


def tilted_peers(onda, save):
    """Errors of Devito's and Onda's traces in tilted media: takes a minute and a Python with Devito."""
    if importlib.util.find_spec("devito") is None:
        print("tilted_peers: there is no Devito, the figure stays as it is")
        return
    file = onda.folder / "tilted_peers.png"
    script = [sys.executable, ROOT / "examples/accuracy_anisotropy_q.py", "--onda", onda.path]
    subprocess.run([*script, "--case", "tti", "--program", "onda", "devito", "--orders", "8", "--figure", file], check=True)
    save(file, "png")


def save_small(picture, file):
    """A PNG with the 256 colours that suit it best: a third of its bytes."""
    with Image.open(picture) as image:
        image.convert("RGB").quantize(256, kmeans=3, dither=Image.Dither.NONE).save(file, optimize=True)


GALLERY = ["salt", "thrust", "surface", "streamer", "wells", "rod", "area", "image", "lenses"]

FIGURES = {
    "first_wavefield": lambda onda, save: first(onda, save, "slice", "--time", 1, "--width", 960),
    "first_gather": lambda onda, save: first(onda, save, "gather", "--width", 700),
    "dispersion_order": dispersion_order,
    "dispersion_angle": dispersion_angle,
    "order_of_accuracy": order_of_accuracy,
    "time_dispersion": time_dispersion,
    "free_surface": free_surface,
    "boundaries": boundaries,
    "absorbing": absorbing,
    "stability": stability,
    "sensitivity": sensitivity,
    "migration": migration,
    "least_squares": least_squares,
    "offset_gathers": offset_gathers,
    "adjoint": adjoint,
    "layers": lambda onda, save: promises(onda, save, ["R5", "R5h"], "Reflection, transmission and head waves of layers"),
    "exact_solutions": exact_solutions,
    "thesis_tiles": thesis_tiles,
    "step_model": step_model,
    "tilted_peers": tilted_peers,
    **{f"gallery_{name}": lambda onda, save, name=name: gallery(onda, save, name) for name in GALLERY},
}


def main():
    parser = argparse.ArgumentParser(description="Makes the figures of docs/theory.md.")
    parser.add_argument("--onda", default=ROOT / "build/default/onda", type=Path, help="the program")
    parser.add_argument("--output", default=ROOT / "docs/figures", type=Path, help="folder for the figures")
    parser.add_argument("--only", nargs="+", choices=FIGURES, default=list(FIGURES), help="some of them")
    args = parser.parse_args()
    args.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in args.only:

            def save(figure, kind="svg", name=name):
                file = args.output / f"{name}.{kind}"
                if isinstance(figure, Path):
                    save_small(figure, file)
                elif kind == "png":
                    drawn = io.BytesIO()
                    figure.savefig(drawn, dpi=110)
                    save_small(drawn, file)
                else:
                    figure.savefig(file, dpi=110, metadata={"Date": None})
                plt.close("all")
                print(f"{file}  {file.stat().st_size / 1000:.0f} kB")

            FIGURES[name](Onda(args.onda, folder), save)


if __name__ == "__main__":
    main()
