#!/usr/bin/env python3
"""Error of a trace against the exact Green's function, by spatial order and points per wavelength: a table in Markdown.

A Ricker wavelet of 20 Hz in a homogeneous medium of 2000 m/s, in 3-D, recorded six wavelengths (of its peak frequency) away, where
the exact pressure is s(t - r/c) / (4 pi r). The error is the root mean square of the difference over that of the exact trace.
Points are per wavelength at 55.28 Hz, where the spectrum has fallen to 1 %; the time step is 0.4 h / c. usage: accuracy_table.py [ONDA]
"""
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import numpy as np

VP, PEAK_HZ, DISTANCE, CFL = 2000.0, 20.0, 600.0, 0.4
HIGHEST_HZ = 2.764 * PEAK_HZ  # where the spectrum has fallen to 1 %
ORDERS, POINTS = (2, 4, 8, 12), (3.2, 4, 5, 6, 8)
DURATION, CENTRE = 0.5, 0.075


def ricker(t):
    a = (np.pi * PEAK_HZ * (t - CENTRE)) ** 2
    return (1 - 2 * a) * np.exp(-a)


def onda(program, order, points, corrected):
    h = VP / HIGHEST_HZ / points
    margin = 150.0
    across, along = int(round(2 * margin / h)) + 1, int(round((DISTANCE + 2 * margin) / h)) + 1
    middle, start = across // 2 * h, int(round(margin / h)) * h
    distance = round(DISTANCE / h) * h
    text = f"""schema_version: 1
grid: {{shape: [{along}, {across}, {across}], spacing_m: {h}}}
model: {{type: constant, vp_m_s: {VP}}}
scheme: {{space_order: {order}}}
time: {{duration_s: {DURATION}, dt_s: {CFL * h / VP}, dispersion_correction: {str(corrected).lower()}}}
wavelet: {{type: ricker, peak_frequency_hz: {PEAK_HZ}, t0_s: {CENTRE}}}
sources: [{{position_m: [{start}, {middle}, {middle}]}}]
receivers: [{{position_m: [{start + distance}, {middle}, {middle}]}}]
output: {{pictures: false, report: false}}
"""
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "c.yaml"
        config.write_text(text)
        subprocess.run([program, "run", config, "--output", Path(folder) / "r"], check=True, capture_output=True, text=True)
        with h5py.File(Path(folder) / "r" / "seismograms.h5") as f:
            p, t = f["shots/1/pressure"][0], f["shots/1/time_s"][:]
    exact = ricker(t - distance / VP) / (4 * np.pi * distance)
    return np.sqrt(np.sum((p - exact) ** 2) / np.sum(exact**2))


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "onda"
    print("| program | order | " + " | ".join(f"{n} points" for n in POINTS) + " |")
    print("|---|---" + "|---" * len(POINTS) + "|")
    for name, corrected in (("Onda", True), ("Onda, time dispersion left in", False)):
        for order in ORDERS:
            errors = [onda(program, order, n, corrected) for n in POINTS]
            print(f"| {name} | {order} | " + " | ".join(f"{100 * e:.2g} %" for e in errors) + " |", flush=True)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(error.stderr)
