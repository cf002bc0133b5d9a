#!/usr/bin/env python3
"""Error of a trace against the exact Green's function, by program, spatial order and points per wavelength: a table in Markdown.

A Ricker wavelet of 20 Hz in a homogeneous medium of 2000 m/s, in 3-D, recorded six wavelengths (of its peak frequency) away, where
the exact pressure is s(t - r/c) / (4 pi r). The error is the root mean square of the difference over that of the exact trace.
Points are per wavelength at 55.28 Hz, where the spectrum has fallen to 1 %; the time step is 0.4 h / c.

All programs have the same nodes, the same time step and single precision; source and receiver are at nodes, and every sample of
the steps is compared. The edges are so far away that nothing of them is back at the receiver before the record ends. In Devito and
Deepwave a source is a sample s at one node, for which a density s(t) stands that is 1/h^3 as large. Devito solves the wave equation as its examples
write it. Deepwave is run as it is, and between the two functions of its module time_dispersion, which take the step's error out.

usage: accuracy_table.py [ONDA] [PROGRAM ...]    PROGRAM: onda, devito, deepwave (default: all that are installed)
Devito and Deepwave are found as Python modules: pip install devito deepwave torch.
"""
import importlib.util
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

VP, PEAK_HZ, DISTANCE, CFL = 2000.0, 20.0, 600.0, 0.4
HIGHEST_HZ = 2.764 * PEAK_HZ  # where the spectrum has fallen to 1 %
ORDERS, POINTS = (2, 4, 8, 12), (3.2, 4, 5, 6, 8)
DURATION, CENTRE = 0.46, 0.075


def ricker(t):
    a = (np.pi * PEAK_HZ * (t - CENTRE)) ** 2
    return (1 - 2 * a) * np.exp(-a)


class Case:
    """Nodes of a grid, [x, y, z], and of source and receiver, a time step and the number of samples."""

    def __init__(self, points):
        self.h = VP / HIGHEST_HZ / points
        self.dt = CFL * self.h / VP
        self.samples = round(DURATION / self.dt) + 1
        reach = 1.1 * VP * DURATION  # no path to an edge and back to the receiver is shorter; a tenth more for what runs ahead
        ends, sides = (reach - DISTANCE) / 2, np.sqrt(reach**2 - DISTANCE**2) / 2
        before, beside, self.apart = (int(np.ceil(length / self.h)) for length in (ends, sides, DISTANCE))
        self.shape = (self.apart + 2 * before + 1, 2 * beside + 1, 2 * beside + 1)
        self.source = (before, beside, beside)
        self.receiver = (before + self.apart, beside, beside)
        self.signal = ricker(self.dt * np.arange(self.samples))

    def error(self, trace):
        r = self.apart * self.h
        exact = ricker(self.dt * np.arange(self.samples) - r / VP) / (4 * np.pi * r)
        return np.sqrt(np.sum((trace[: self.samples] - exact) ** 2) / np.sum(exact**2))


def onda(case, order, program, corrected):
    import h5py

    metres = lambda node: [n * case.h for n in node]  # noqa: E731
    text = f"""schema_version: 1
grid: {{shape: {list(case.shape)}, spacing_m: {case.h}}}
model: {{type: constant, vp_m_s: {VP}}}
boundary: {{left: rigid, right: rigid, front: rigid, back: rigid, top: rigid, bottom: rigid}}
scheme: {{space_order: {order}}}
time: {{duration_s: {(case.samples - 1) * case.dt}, dt_s: {case.dt}, dispersion_correction: {str(corrected).lower()}}}
wavelet: {{type: ricker, peak_frequency_hz: {PEAK_HZ}, t0_s: {CENTRE}}}
sources: [{{position_m: {metres(case.source)}}}]
receivers: [{{position_m: {metres(case.receiver)}}}]
output: {{seismograms: {{dt_s: {case.dt}}}, pictures: false, report: false}}
"""
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "c.yaml"
        config.write_text(text)
        subprocess.run([program, "run", config, "--output", Path(folder) / "r"], check=True, capture_output=True, text=True)
        with h5py.File(Path(folder) / "r" / "seismograms.h5") as f:
            return f["shots/1/pressure"][0]


def devito(case, order):
    from devito import Eq, Grid, Operator, SparseTimeFunction, TimeFunction, configuration, solve

    configuration["log-level"] = "ERROR"
    grid = Grid(shape=case.shape, extent=[(n - 1) * case.h for n in case.shape])
    points = {}
    for name, node in (("src", case.source), ("rec", case.receiver)):
        points[name] = SparseTimeFunction(name=name, grid=grid, npoint=1, nt=case.samples)
        points[name].coordinates.data[:] = [[n * case.h for n in node]]
    points["src"].data[:, 0] = case.signal / case.h**3
    u = TimeFunction(name="u", grid=grid, time_order=2, space_order=order)
    step = Eq(u.forward, solve(u.dt2 / VP**2 - u.laplace, u.forward))
    inject = points["src"].inject(field=u.forward, expr=points["src"] * VP**2 * grid.stepping_dim.spacing**2)
    Operator([step] + inject + points["rec"].interpolate(expr=u))(time_M=case.samples - 1, dt=case.dt)
    return np.array(points["rec"].data[:, 0])


def deepwave(case, order, corrected):
    import torch
    from deepwave import scalar, time_dispersion

    signal = torch.from_numpy(-case.signal / case.h**3).float().reshape(1, 1, -1)  # its source term has the other sign
    if corrected:
        signal = time_dispersion.correct_source(signal, case.dt)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of edges without layers, which are meant
        # With this Courant number the program takes the step that it is given, and none of its fractions.
        data = scalar(torch.full(case.shape, VP), case.h, case.dt, source_amplitudes=signal, accuracy=order, pml_width=0,
                      courant_number=0.78, source_locations=torch.tensor([[case.source]]),
                      receiver_locations=torch.tensor([[case.receiver]]))[-1]
    if corrected:
        data = time_dispersion.correct_receivers(data, case.dt)
    return data[0, 0].numpy()


def rows(program):
    """Name of a row, orders that the program has, and the function of a case and an order that returns its trace."""
    return {
        "onda": [("Onda", ORDERS, lambda case, order: onda(case, order, program, True)),
                 ("Onda, time dispersion left in", ORDERS, lambda case, order: onda(case, order, program, False))],
        "devito": [("Devito", ORDERS, devito)],
        "deepwave": [("Deepwave", ORDERS[:3], lambda case, order: deepwave(case, order, False)),
                     ("Deepwave, with `time_dispersion`", ORDERS[:3], lambda case, order: deepwave(case, order, True))],
    }


def main():
    arguments = sys.argv[1:]
    if {"-h", "--help"} & set(arguments):
        print(__doc__)
        return
    program = "onda"
    if arguments and arguments[0] not in rows(program):
        program = arguments.pop(0)
    unknown = [name for name in arguments if name not in rows(program)]
    if unknown:
        sys.exit(f"accuracy_table.py: no program {unknown[0]}; there are {', '.join(rows(program))}")
    print("| program | order | " + " | ".join(f"{n} points" for n in POINTS) + " |")
    print("|---|---" + "|---" * len(POINTS) + "|", flush=True)
    for name in arguments or rows(program):
        if name != "onda" and importlib.util.find_spec(name) is None:
            print(f"{name} is not installed: its rows are left out", file=sys.stderr)
            continue
        for title, orders, trace in rows(program)[name]:
            for order in orders:
                errors = [case.error(trace(case, order)) for case in map(Case, POINTS)]
                print(f"| {title} | {order} | " + " | ".join(f"{100 * e:.2g} %" for e in errors) + " |", flush=True)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(error.stderr)
