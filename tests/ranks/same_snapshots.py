"""Compares the snapshots of two runs as h5py finds them: values, attributes, coordinates, and views for VTK.

Usage: same_snapshots.py FOLDER FOLDER
Exit codes: 0 equal, 1 not.
"""

import sys
from pathlib import Path

import h5py
import numpy as np


def expect(what, found, wanted):
    if not np.array_equal(found, wanted):
        print(f"different {what}: {found}, {wanted}")
        sys.exit(1)


def attributes(item):
    """Without references to other objects, which are addresses in a file."""
    return {name: value for name, value in item.attrs.items() if name not in ("DIMENSION_LIST", "REFERENCE_LIST")}


def compare(one, other, path):
    expect(f"kind of {path}", type(one).__name__, type(other).__name__)
    if isinstance(one, h5py.Group):
        expect(f"names in {path}", sorted(one), sorted(other))
        for name in one:
            compare(one[name], other[name], f"{path}/{name}")
        return
    found, wanted = attributes(one), attributes(other)
    expect(f"attributes of {path}", sorted(found), sorted(wanted))
    for name in found:
        expect(f"attribute {name} of {path}", found[name], wanted[name])
    expect(f"type of {path}", one.dtype, other.dtype)
    expect(f"values of {path}", one[...], other[...])


def main():
    folders = [Path(folder) for folder in sys.argv[1:3]]
    for name in ("snapshots.h5", "snapshots.vtkhdf"):
        if (folders[0] / name).exists():
            with h5py.File(folders[0] / name) as one, h5py.File(folders[1] / name) as other:
                compare(one, other, name)


main()
