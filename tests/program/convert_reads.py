"""Writes models with numpy.save and segyio, converts them with onda, and compares what h5py finds.

Usage: convert_reads.py ONDA FOLDER
Exit codes: 0 equal, 1 not.
"""

import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import segyio

SPACING_M = (12.5, 25.0, 8.0)


def model(nx, ny, nz):
    """vp [x, y, z] in m/s, different at every node."""
    x, y, z = np.meshgrid(np.arange(nx), np.arange(ny), np.arange(nz), indexing="ij")
    return (1500.0 + x + 10.0 * y + 100.0 * z).astype("float32")


def convert(onda, source, *options):
    target = source.with_suffix(".h5")
    done = subprocess.run([onda, "convert", str(source), str(target), "--force", "--no-pictures", *options], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{source.name} {options}: {done.stderr}")
    return target


def check(what, target, vp, rho=None, spacing=SPACING_M, origin=(0.0, 0.0, 0.0), tolerance=0.0):
    """vp [x, y, z], or [x, z] of a 2-D model."""
    with h5py.File(target) as file:
        found = {name: np.transpose(file[name][:]) for name in file}
        wanted = {"vp": vp} if rho is None else {"vp": vp, "rho": rho}
        axes = slice(None) if vp.ndim == 3 else slice(None, None, 2)
        same = set(found) == set(wanted) and all(
            found[name].shape == values.shape and np.all(np.abs(found[name] - values) <= tolerance * values)
            for name, values in wanted.items()
        )
        same = same and np.allclose(file["vp"].attrs["spacing"][::-1], spacing[axes])
        same = same and np.allclose(file["vp"].attrs["origin"][::-1], origin[axes])
    if not same:
        sys.exit(f"{what}: the model file holds something else")


def check_numpy(onda, folder):
    vp = model(5, 4, 3)
    for kind in ("<f4", ">f4", "<f8", ">f8"):
        for order in ("C", "F"):
            for version in ((1, 0), (2, 0)):
                for axes in ("xyz", "zyx", "yxz"):
                    array = np.asarray(np.transpose(vp, ["xyz".index(a) for a in axes]), dtype=kind, order=order)
                    file = folder / "volume.npy"
                    with open(file, "wb") as out:
                        np.lib.format.write_array(out, array, version=version)
                    spacing = [str(h) for h in SPACING_M]
                    target = convert(onda, file, "--axes", axes, "--spacing-m", *spacing)
                    check(f"{kind} {order} {version} {axes}", target, vp)
    section = vp[:, 1, :]
    np.save(folder / "section.npy", section.T / np.float32(1000))
    np.save(folder / "rho.npy", np.asfortranarray(section.T / np.float32(1250)))
    options = ["--axes", "zx", "--spacing-m", "12.5", "8", "--origin-m", "100", "-8", "--units", "km/s"]
    density = ["--rho", str(folder / "rho.npy"), "--rho-units", "g/cm3"]
    target = convert(onda, folder / "section.npy", *options, *density)
    check("section", target, section, section / np.float32(1.25), origin=(100.0, 0.0, -8.0), tolerance=1e-6)


def write_segy(file, traces, places, numbers, samples_format, scaler=-10):
    """places: CDP X and Y of each trace [m]; numbers: inline and crossline."""
    spec = segyio.spec()
    spec.format = samples_format
    spec.samples = np.arange(traces.shape[1]) * SPACING_M[2]
    spec.tracecount = len(traces)
    factor = -scaler if scaler < 0 else 1 / scaler
    with segyio.create(file, spec) as out:
        out.bin.update({segyio.BinField.Interval: int(1000 * SPACING_M[2])})
        for i, trace in enumerate(traces):
            out.trace[i] = trace
            out.header[i] = {
                segyio.su.scalco: scaler,
                segyio.TraceField.CDP_X: round(places[i][0] * factor),
                segyio.TraceField.CDP_Y: round(places[i][1] * factor),
                segyio.TraceField.INLINE_3D: numbers[i][0],
                segyio.TraceField.CROSSLINE_3D: numbers[i][1],
            }


def check_segy(onda, folder):
    vp = model(5, 4, 6)
    file = folder / "model.sgy"
    origin = (300.0, 700.0, 0.0)
    nodes = [(x, y) for y in range(4) for x in range(5)]
    mixed = np.random.default_rng(1).permutation(len(nodes))
    place = [(origin[0] + x * SPACING_M[0], origin[1] + y * SPACING_M[1]) for x, y in nodes]
    numbers = [(100 + y, 200 + 2 * x) for x, y in nodes]
    traces = np.array([vp[x, y] for x, y in nodes])
    pick = lambda values: [values[i] for i in mixed]
    for samples_format in (1, 5):
        for order in (lambda values: values, pick):
            write_segy(file, np.array(order(list(traces))), order(place), order(numbers), samples_format)
            check("volume by numbers", convert(onda, file), vp, origin=origin, tolerance=1e-6)
            write_segy(file, np.array(order(list(traces))), order(place), [(0, 0)] * 20, samples_format)
            check("volume by coordinates", convert(onda, file), vp, origin=origin, tolerance=1e-6)
    write_segy(file, traces, [(0, 0)] * 20, [(0, 0)] * 20, 5)
    spacing = ["--spacing-m", *(str(h) for h in SPACING_M)]
    check("volume by options", convert(onda, file, "--shape", "5", "4", "6", *spacing), vp)
    by_y = np.array([vp[x, y] for x in range(5) for y in range(4)])
    write_segy(file, by_y, [(0, 0)] * 20, [(0, 0)] * 20, 5)
    check("y fastest", convert(onda, file, "--shape", "5", "4", "6", "--axes", "xyz", *spacing), vp)
    line = vp[:, 2, :]
    slanted = [(50 + 7.5 * x, 80 + 10 * x) for x in range(5)]
    write_segy(file, line, slanted, [(0, 0)] * 5, 1)
    check("line by coordinates", convert(onda, file), line, tolerance=1e-6)
    write_segy(file, line, slanted, [(1, x) for x in range(5)], 5)
    check("line by numbers", convert(onda, file), line)


if __name__ == "__main__":
    import segyio.su

    check_numpy(sys.argv[1], Path(sys.argv[2]))
    check_segy(sys.argv[1], Path(sys.argv[2]))
