"""Opens seismograms.h5 and snapshots.h5 of a run with xarray, and compares with h5py.

Usage: xarray_reads.py FOLDER
Exit codes: 0 right, 1 wrong.
"""

import sys
from pathlib import Path

import h5py
import numpy as np
import xarray as xr

ENGINES = ("h5netcdf", "netcdf4")
COORDINATES = {
    "pressure": ("receiver", "time_s"),
    "receivers": ("receiver", "axis"),
    "sources": ("source", "axis"),
    "offset_m": ("receiver",),
    "wavelet": ("wavelet_number", "wavelet_time_s"),
    "source_wavelet": ("source",),
    "source_amplitude": ("source",),
}
SNAPSHOT_COORDINATES = {"pressure": ("time_s", "z_m", "y_m", "x_m")}


def expect(what, found, wanted):
    if not np.array_equal(found, wanted):
        print(f"wrong {what}: found {found}, wanted {wanted}")
        sys.exit(1)


def check_labels(name, data, dimensions):
    """Every dimension has coordinates, and every dataset those that the documentation tells."""
    for dimension in data.dims:
        if dimension.startswith("phony"):
            expect(f"dimensions of {name}", list(data.dims), "none that is phony")
        if dimension not in data.coords:
            expect(f"coordinates of {name}", list(data.coords), f"{dimension} among them")
    for dataset, wanted in dimensions.items():
        expect(f"dimensions of {name}: {dataset}", data[dataset].dims, wanted)


def texts_of(dataset):
    """Texts as h5py sees them: [receiver][character], a byte each."""
    values = dataset[:]
    return [b"".join(row).decode().rstrip("\0") for row in values] if values.ndim == 2 else values


def check_values(name, data, group):
    for dataset in group:
        if dataset.startswith("characters_of_"):
            continue
        values = group[dataset]
        if values.dtype.kind == "S" and values.ndim == 2:
            expect(f"{name}: {dataset}", list(data[dataset].values), texts_of(values))
        elif values.dtype.kind == "S":
            expect(f"{name}: {dataset}", "".join(data[dataset].values), "xyz")
        elif not np.array_equal(data[dataset].values, values[:], equal_nan=True):
            expect(f"{name}: {dataset}", data[dataset].values, values[:])


def check(file, dimensions):
    with h5py.File(file) as results:
        for shot, engine in ((shot, engine) for shot in list(results["shots"])[:3] for engine in ENGINES):
            group, opened = f"shots/{shot}", file
            link = results["shots"].get(shot, getlink=True)
            if engine == "h5netcdf" and isinstance(link, h5py.ExternalLink):
                opened = file.parent / link.filename  # it does not follow links to other files
            name = f"{opened.name}: {group} ({engine})"
            with xr.open_dataset(opened, group=group, engine=engine) as data:
                check_labels(name, data, dimensions)
                check_values(name, data, results[group])
                if "receiver" in data:
                    offset = data.pressure.coords["offset_m"]
                    expect(f"{name}: offsets", offset.values, data.receivers.sel(axis="x") - data.sources[0].sel(axis="x"))


def main():
    folder = Path(sys.argv[1])
    check(folder / "seismograms.h5", COORDINATES)
    check(folder / "snapshots.h5", SNAPSHOT_COORDINATES)
    print(f"xarray reads {folder}")


main()
