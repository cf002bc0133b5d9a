"""onda.fwi(): full-waveform inversion, iteration by iteration; onda.read_inversion(): what it left in a folder."""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Union

import numpy as np

from . import _core
from ._errors import InputDataError, MissingInputError
from ._folder import _file_in, _h5py, _open, _summary
from ._misfit import request_on_grid
from ._progress import ProgressCallback
from ._results import _count, _nodes, _xarray
from ._run import Config, Overrides, computed

if TYPE_CHECKING:
    import xarray

    from ._run import ArrayLike


@dataclass(frozen=True)
class Iteration:
    """A line of iterations.csv (docs/inversion.md#what-every-iteration-leaves)."""

    stage: int
    """From 1 on."""
    iteration: int
    """In its stage: 0 is the model that the stage begins with."""
    misfit: float
    """Of the data, in the band of the stage."""
    relative: float
    """The misfit as a part of that which the stage began with."""
    penalty: float
    """What regularisation adds to the misfit."""
    step: float
    """Along the direction of the iteration."""
    change: float
    """The largest change of vp at a node, as a part of vp there."""
    gradient: float
    """Norm of the projected gradient."""
    trials: int
    """Of the line search."""
    shots: int
    """Computed in each pass."""
    model_error_percent: Optional[float] = None
    """Distance from inversion.true_model; None where that is not known."""


IterationCallback = Callable[[Iteration], object]


@dataclass(frozen=True, eq=False, repr=False)
class Inversion:
    """What a full-waveform inversion has found so far: of onda.fwi(), or of a folder."""

    vp: np.ndarray
    """[z][x] or [z][y][x], float32, in m/s: the model of the last iteration, on the grid of its stage."""
    rho: Optional[np.ndarray]
    """Likewise, in kg/m³; None of constant density."""
    x_m: np.ndarray
    y_m: np.ndarray
    """In 2-D there is one y: 0."""
    z_m: np.ndarray
    iterations: List[Iteration]
    """Of all stages, each of which begins with its iteration 0."""
    folder: Path
    complete: bool
    """Whether all stages have ended, by their own limits. The same call goes on with an inversion that is not complete."""
    q: Optional[np.ndarray] = None
    """The quality factor, which is held; None where nothing absorbs."""
    epsilon: Optional[np.ndarray] = None
    delta: Optional[np.ndarray] = None
    """Thomsen's parameters; None where nothing is anisotropic."""

    def to_xarray(self) -> "xarray.Dataset":
        """The model with labelled coordinates: `vp(z_m, x_m)` or `vp(z_m, y_m, x_m)`, and the other parameters.
        Needs xarray.

        `inversion.to_xarray().vp.plot(yincrease=False)` draws one of 2-D, and onda.run(config, vp=…) takes it.
        """
        axes = ("z_m", "x_m") if self.vp.ndim == 2 else ("z_m", "y_m", "x_m")
        parameters = {"vp": (self.vp, "m/s"), "rho": (self.rho, "kg/m3"), "q": (self.q, "1")}
        parameters.update(epsilon=(self.epsilon, "1"), delta=(self.delta, "1"))
        return _xarray().Dataset(
            {name: (axes, values, {"units": unit}) for name, (values, unit) in parameters.items() if values is not None},
            {name: (name, getattr(self, name), {"units": "m"}) for name in axes},
        )

    def __repr__(self) -> str:
        last = self.iterations[-1]
        done = _count(sum(line.iteration > 0 for line in self.iterations), "iteration")
        place = f"stage {last.stage} at {last.relative:.3g} of its misfit, {_nodes(self)}, {self.folder}"
        return f"<onda.Inversion: {done}, {'complete' if self.complete else 'not complete'}, {place}>"


class _Stopped(Exception):
    """A callback has raised StopIteration."""


def fwi(
    config: Config,
    *,
    folder: Union[str, "os.PathLike[str]"],
    vp: "Optional[ArrayLike]" = None,
    rho: "Optional[ArrayLike]" = None,
    q: "Optional[ArrayLike]" = None,
    epsilon: "Optional[ArrayLike]" = None,
    delta: "Optional[ArrayLike]" = None,
    overrides: Overrides = (),
    callback: Optional[IterationCallback] = None,
    progress: Union[None, bool, ProgressCallback] = False,
    force: bool = False,
) -> Inversion:
    """Inverts the seismograms of the configuration's imaging.observed for the model, as its section inversion says.

    The result is that of `onda fwi` (docs/inversion.md), bit for bit, with all of its files in a folder. Where that has
    iterations of the same inversion, the call goes on after them, to the bits of one that was never interrupted.

    folder: where results and iterations go.
    vp, rho, q, epsilon, delta: the start model, as in misfit(). q stays as it is, and so do epsilon and delta unless
        inversion.anisotropy is inverted.
    overrides: as in run().
    callback: a function of an Iteration, called after each, also after those that were in the folder before, from the
        first on; not where the inversion was complete. The model of an iteration is a file by then,
        f"{folder}/iterations/{stage}-{iteration:03}/model.h5". StopIteration, raised in a callback, ends the inversion
        with the model of that iteration; other exceptions do so, too, and are those of this call.
    progress: as in run(), of the shots of all passes, whose number is an estimate; without a bar unless one is asked
        for.
    force: begin anew in a folder with another inversion, or with the same one.

    Ctrl-C ends it, and the same call goes on. Needs h5py, which no other thread may use meanwhile unless HDF5 is built
    for threads, as Debian's is.

    Raises OndaError as rtm() does; CannotCreateError for a folder with something else in it, FileError where there is no
    room for files.
    """
    _h5py()
    request = request_on_grid(config, vp, rho, overrides, None, q, epsilon, delta)

    def tell(*columns: Any) -> None:
        if callback is None:
            return
        try:
            callback(Iteration(*columns))
        except StopIteration as stop:
            raise _Stopped from stop

    try:
        computed(
            lambda request, *listeners: _core.fwi(request, os.fspath(folder), bool(force), tell, *listeners),
            request,
            vp is not None,
            progress,
        )
    except _Stopped:
        pass
    return read_inversion(folder)


def read_inversion(folder: Union[str, "os.PathLike[str]"]) -> Inversion:
    """Reads the folder of `onda fwi` or onda.fwi(). While an inversion is under way, or where it was killed, there are the
    iterations of some seconds before. Needs h5py.

    Raises MissingInputError if it, or a result in it, is not there; InputDataError if they are not those of an inversion.
    """
    place = Path(folder)
    if not place.is_dir():
        raise MissingInputError(f"{place}: there is no such folder")
    iterations = _iterations_of(_file_in(place, "iterations.csv"))
    identity = str(_summary(_file_in(place, "summary.json")).get("identity", ""))
    file = _file_in(place, "model.h5")
    with _open(file, "onda-model") as root:
        try:
            return Inversion(
                **_model_of(root), iterations=iterations, folder=place, complete=not identity.endswith(" so far")
            )
        except (KeyError, ValueError) as error:
            raise InputDataError(f"{file}: {error.args[0] if error.args else error}") from error


def _model_of(root: Any) -> Dict[str, Any]:
    vp = root["vp"]
    axes = ("z", "x") if vp.ndim == 2 else ("z", "y", "x")
    nodes = {"y_m": np.zeros(1)}
    for axis, count, first, step in zip(axes, vp.shape, vp.attrs["origin"], vp.attrs["spacing"]):
        nodes[f"{axis}_m"] = first + step * np.arange(count)
    further = {name: root[name][:] if name in root else None for name in ("rho", "q", "epsilon", "delta")}
    return {"vp": vp[:], **further, **nodes}


def _iterations_of(table: Path) -> List[Iteration]:
    with table.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    try:
        if rows:
            return [_iteration_of(row) for row in rows]
    except (KeyError, TypeError, ValueError) as error:
        raise InputDataError(f"{table}: is not the table of an inversion of Onda") from error
    raise InputDataError(f"{table}: has no iterations")


def _iteration_of(row: Dict[str, str]) -> Iteration:
    integers = {name: int(row[name]) for name in ("stage", "iteration", "trials", "shots")}
    numbers = {name: float(row[name]) for name in ("misfit", "relative", "penalty", "step", "change", "gradient")}
    error = row["model_error_percent"]
    return Iteration(**integers, **numbers, model_error_percent=float(error) if error else None)
