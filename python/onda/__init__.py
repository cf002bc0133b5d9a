"""Onda: acoustic finite differences for seismic forward modelling.

    import onda
    run = onda.run("survey.yaml", vp=velocity)   # velocity [z][x] or [z][y][x] in m/s
    gather = run.gather(1)
    gather.pressure                              # [receiver][time] in Pa, float32
    gather.plot()                                # an image: offsets along x, time down
    gather.to_xarray()                           # the pressures with labelled coordinates

    value, gradient = onda.misfit("survey.yaml", vp=velocity)  # J and dJ/dvp, of observed seismograms
    data = onda.forward("survey.yaml", vp=velocity)            # seismograms [shot][receiver][sample]
    J = onda.born("survey.yaml", vp=velocity)                  # their derivative, a linear operator

    image = onda.rtm("line.yaml", vp=smooth)     # reverse-time migration of observed seismograms
    image = onda.lsrtm("line.yaml", vp=smooth)   # least-squares migration
    model = onda.fwi("line.yaml", vp=smooth, folder="results/line-fwi").vp  # full-waveform inversion

    run = onda.open("results/demo")              # what `onda run` left in a folder
    gradient = onda.read_gradient("gradient.h5") # what `onda gradient` left
    image = onda.read_image("results/line-rtm")  # what `onda rtm` or `onda lsrtm` left
    inversion = onda.read_inversion("results/line-fwi")  # what `onda fwi` left

Positions are (x, y, z) in metres, z down; arrays are [z][y][x]. What goes wrong is an OndaError with the message and
the exit code of the command line.
"""

from ._core import version as __version__
from ._errors import (
    CannotCreateError,
    ConfigError,
    DeviceError,
    FileError,
    InputDataError,
    InternalError,
    MissingInputError,
    OndaError,
    OndaWarning,
    OutOfMemoryError,
    UnstableError,
    UsageError,
)
from ._gradient import Gradient, read_gradient
from ._image import Image, OffsetGathers, lsrtm, read_image, rtm
from ._inversion import Inversion, Iteration, fwi, read_inversion
from ._misfit import misfit
from ._operators import adjoint, born, forward, signals
from ._progress import Progress
from ._results import Gather, Run, Snapshots, Wavelets
from ._run import run
from ._folder import open  # last: the name hides that of Python

__all__ = [
    "CannotCreateError",
    "ConfigError",
    "DeviceError",
    "FileError",
    "Gather",
    "Gradient",
    "Image",
    "InputDataError",
    "InternalError",
    "Inversion",
    "Iteration",
    "MissingInputError",
    "OffsetGathers",
    "OndaError",
    "OndaWarning",
    "OutOfMemoryError",
    "Progress",
    "Run",
    "Snapshots",
    "UnstableError",
    "UsageError",
    "Wavelets",
    "__version__",
    "adjoint",
    "born",
    "forward",
    "fwi",
    "lsrtm",
    "misfit",
    "open",
    "read_gradient",
    "read_image",
    "read_inversion",
    "rtm",
    "run",
    "signals",
]
