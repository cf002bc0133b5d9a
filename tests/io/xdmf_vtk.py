"""Opens snapshots.xdmf with VTK's XDMF reader and checks places and values.

Usage: xdmf_vtk.py FILE NX NY NZ  (written by xdmf_vtk.cpp: see there for origin, spacing and the field)
Exit codes: 0 right, 1 wrong, 77 this Python has no VTK with an XDMF reader.
"""

import sys

try:
    from vtkmodules.vtkCommonDataModel import vtkImageData
    from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline as Pipeline
    from vtkmodules.vtkIOXdmf2 import vtkXdmfReader
except ImportError as error:
    print(f"skipped: {sys.executable}: {error}")
    sys.exit(77)

ORIGIN = (1000.0, -200.0, 50.0)
SPACING = (2.5, 7.0, 12.0)
TIMES = (0.125, 0.5, 1.0)
SHOTS = (1, 2)


def field(shot, time, x, y, z):
    """What xdmf_vtk.cpp writes: another slope along every axis."""
    return 1e5 * shot + 1e4 * time + 1.0 * x + 10.0 * y + 100.0 * z


def expect(what, found, wanted):
    if found != wanted:
        print(f"wrong {what}: found {found}, wanted {wanted}")
        sys.exit(1)


def leaves(data):
    if isinstance(data, vtkImageData):
        return [data]
    return [leaf for i in range(data.GetNumberOfBlocks()) for leaf in leaves(data.GetBlock(i))]


def check_image(image, shot, time, shape):
    expect("dimensions", image.GetDimensions(), shape)
    expect("origin", image.GetOrigin(), ORIGIN)
    expect("spacing", image.GetSpacing(), SPACING)
    pressure = image.GetPointData().GetArray("pressure")
    expect("number of values", pressure.GetNumberOfTuples(), shape[0] * shape[1] * shape[2])
    for i in range(pressure.GetNumberOfTuples()):
        wanted = field(shot, time, *image.GetPoint(i))
        if not abs(pressure.GetValue(i) - wanted) <= 0.02:
            expect(f"pressure at {image.GetPoint(i)}, shot {shot}, {time} s", pressure.GetValue(i), wanted)


def main():
    file, shape = sys.argv[1], tuple(int(n) for n in sys.argv[2:5])
    reader = vtkXdmfReader()
    reader.SetFileName(file)
    reader.UpdateInformation()
    expect("times", reader.GetOutputInformation(0).Get(Pipeline.TIME_STEPS()), TIMES)
    for time in TIMES:
        reader.UpdateTimeStep(time)
        images = leaves(reader.GetOutputDataObject(0))
        expect("number of shots", len(images), len(SHOTS))
        for shot, image in zip(SHOTS, images):
            check_image(image, shot, time, shape)
    print(f"VTK reads {file}: {shape}, {len(TIMES)} times, {len(SHOTS)} shots")


main()
