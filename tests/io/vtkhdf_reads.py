"""Opens snapshots.vtkhdf of a run with VTK and compares with snapshots.h5, read by h5py.

Usage: vtkhdf_reads.py FOLDER
Exit codes: 0 equal, 1 not.
"""

import sys
from pathlib import Path

import h5py
import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline as Pipeline
from vtkmodules.vtkIOHDF import vtkHDFReader


def expect(what, found, wanted):
    if not np.array_equal(found, wanted):
        print(f"wrong {what}: found {found}, wanted {wanted}")
        sys.exit(1)


def check_image(image, time, frames, geometry):
    shape, spacing, origin = geometry
    expect("dimensions", image.GetDimensions(), shape)
    expect("origin", image.GetOrigin(), origin)
    expect("spacing", image.GetSpacing(), spacing)
    expect("number of arrays", image.GetPointData().GetNumberOfArrays(), len(frames))
    for name, frame in frames.items():
        array = image.GetPointData().GetArray(name)
        if array is None:
            expect("array", None, name)
        # A point of VTK's is numbered x first, then y, then z.
        expect(f"{name} at {time} s", vtk_to_numpy(array), frame.ravel())


def main():
    folder = Path(sys.argv[1])
    reader = vtkHDFReader()
    reader.SetFileName(str(folder / "snapshots.vtkhdf"))
    reader.UpdateInformation()
    with h5py.File(folder / "snapshots.h5") as results:
        shots = sorted(results["shots"], key=int)
        first = results["shots"][shots[0]]
        times = first["time_s"][:]
        if len(times) > 1:
            expect("times", reader.GetOutputInformation(0).Get(Pipeline.TIME_STEPS()), times)
        pressure = first["pressure"]
        geometry = tuple(
            tuple(reversed(values))
            for values in (pressure.shape[1:], pressure.attrs["spacing"], pressure.attrs["origin"])
        )
        for i, time in enumerate(times):
            reader.UpdateTimeStep(time)
            frames = {
                "pressure" if len(shots) == 1 else f"pressure_shot_{shot}": results["shots"][shot]["pressure"][i]
                for shot in shots
            }
            check_image(reader.GetOutputDataObject(0), time, frames, geometry)
    print(f"VTK reads {folder}: {geometry[0]}, {len(times)} times, {len(shots)} shots")


main()
