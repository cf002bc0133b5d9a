"""Reads the files that `onda run` leaves: seismograms.h5, snapshots.h5, and model files. Needs h5py and numpy.

    from onda_results import read_gather
    gather = read_gather("results/demo")
    gather.pressure        # [receiver][time], float32
    gather.time_s          # [time]

Positions are (x, y, z) in metres, z down. Formats: docs/outputs.md and docs/file_formats.md.
"""

from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np


@dataclass
class Gather:
    """What one shot recorded."""

    shot: int
    pressure: np.ndarray  # [receiver][time]
    time_s: np.ndarray  # [time]
    receivers_m: np.ndarray  # [receiver][3]
    sources_m: np.ndarray  # [source][3]


@dataclass
class Volume:
    """Values on a regular grid, with the coordinates of its nodes."""

    values: np.ndarray  # [z][y][x]
    x_m: np.ndarray
    y_m: np.ndarray
    z_m: np.ndarray

    def slice_through(self, position_m, across="y"):
        """The plane across x, y or z nearest to position_m, as (values, horizontal_m, vertical_m)."""
        axis = "zyx".index(across)
        coordinates = (self.z_m, self.y_m, self.x_m)
        nearest = int(np.abs(coordinates[axis] - position_m["xyz".index(across)]).argmin())
        vertical, horizontal = (c for i, c in enumerate(coordinates) if i != axis)
        return self.values.take(nearest, axis=axis), horizontal, vertical


def _open(file, format_name):
    results = h5py.File(file, "r")
    found = results.attrs.get("format", b"")
    found = found.decode() if isinstance(found, bytes) else found
    if found != format_name:
        raise ValueError(f"{file}: format is '{found}', expected '{format_name}'")
    return results


def list_shots(folder, name="seismograms.h5"):
    """Shot numbers, ascending."""
    with h5py.File(Path(folder) / name, "r") as results:
        return sorted(int(shot) for shot in results["shots"])


def read_gather(folder, shot=None):
    """The gather of a shot, by default the first one."""
    shot = list_shots(folder)[0] if shot is None else shot
    with _open(Path(folder) / "seismograms.h5", "onda-seismograms") as results:
        group = results[f"shots/{shot}"]
        return Gather(
            shot,
            group["pressure"][:],
            group["time_s"][:],
            group["receivers"][:],
            group["sources"][:],
        )


def read_snapshot_times(folder, shot):
    """Times of the snapshots of a shot, in seconds."""
    with _open(Path(folder) / "snapshots.h5", "onda-snapshots") as results:
        return results[f"shots/{shot}/time_s"][:]


def read_snapshot(folder, shot, index):
    """One snapshot of a shot; index as in a list, -1 is the last."""
    with _open(Path(folder) / "snapshots.h5", "onda-snapshots") as results:
        pressure = results[f"shots/{shot}/pressure"]
        frame = range(pressure.shape[0])[index]
        return Volume(pressure[frame], results["x_m"][:], results["y_m"][:], results["z_m"][:])


def read_model(file):
    """vp of a model file, whatever the order of its axes."""
    with h5py.File(file, "r") as model:
        vp = model["vp"]
        labels = [label.decode() if isinstance(label, bytes) else label for label in vp.attrs["axis_labels"]]
        values = vp[:]
        coordinates = {"y": np.zeros(1)}
        for label, count, step, first in zip(labels, vp.shape, vp.attrs["spacing"], vp.attrs["origin"]):
            coordinates[label] = first + step * np.arange(count)
    if "y" not in labels:
        values, labels = values[..., np.newaxis], labels + ["y"]
    values = values.transpose([labels.index(label) for label in "zyx"])
    return Volume(values, coordinates["x"], coordinates["y"], coordinates["z"])
