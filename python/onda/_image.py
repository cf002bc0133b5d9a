"""onda.rtm() and onda.lsrtm(): images of the subsurface from observed seismograms; onda.read_image(): from files."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Iterable, Mapping, Optional, Tuple, Union

import numpy as np

from . import _core
from ._errors import InputDataError, UsageError
from ._folder import _file_in, _h5py, _of_shot, _open, _summary, _text
from ._misfit import request_on_grid
from ._progress import ProgressCallback
from ._results import _as_printed, _count, _in_grey, _nodes, _require_shot, _xarray
from ._run import Config, Overrides, computed

if TYPE_CHECKING:
    import xarray

    from ._run import ArrayLike

_AXES = ("z_m", "y_m", "x_m")
_IMAGES = {
    "migrated": {"long_name": "image of the subsurface"},
    "change": {"long_name": "change of vp that fits the data", "units": "m/s"},
    "stack": {"long_name": "sum of the images of the shots"},
    "illumination_source": {"long_name": "illumination by the forward field"},
    "illumination_receiver": {"long_name": "illumination by the adjoint field"},
}


@dataclass(frozen=True, eq=False, repr=False)
class OffsetGathers:
    """Subsurface-offset gathers (imaging.image.offset_gathers): cross-correlation where the forward field is taken
    `half_offset_m` below a line and the adjoint field as much above it."""

    values: np.ndarray
    """[line][half offset][z], float32: the sum over the shots."""
    x_m: np.ndarray
    """[line]: where the lines are."""
    y_m: np.ndarray
    half_offset_m: np.ndarray
    z_m: np.ndarray
    along: str
    """"x" or "y"."""

    def __repr__(self) -> str:
        lines, widest = _count(len(self.x_m), "line"), f"{self.half_offset_m[-1]:g} m along {self.along}"
        return f"<onda.OffsetGathers: {lines}, half offsets to {widest}, {len(self.z_m)} values of z>"


@dataclass(frozen=True, eq=False, repr=False)
class Image:
    """An image of the subsurface: of onda.rtm(), of onda.lsrtm(), or of a file. Arrays are [z][y][x], float32; in 2-D
    there is one y. Images are positive where a thin layer is faster than what is around it, or its impedance larger.
    """

    migrated: Optional[np.ndarray]
    """The image: the stack divided by the illumination, filtered and muted as imaging.image says; of least squares
    `change`, filtered likewise, and None where nothing is asked for. None in the file of a shot."""
    stack: Optional[np.ndarray]
    """The sum of the images of the shots by the imaging condition; None of least squares."""
    change: Optional[np.ndarray]
    """The change of vp that fits the data, in m/s; None but of least squares."""
    illumination_source: np.ndarray
    """By the forward field: sums of squares."""
    illumination_receiver: np.ndarray
    """By the adjoint field."""
    condition: Optional[str]
    """The imaging condition by its name in imaging.image; None of least squares."""
    x_m: np.ndarray
    y_m: np.ndarray
    z_m: np.ndarray
    spacing_m: Tuple[float, float, float]
    """Between nodes along x, y, z; in 2-D that of y is 1."""
    first_node: Tuple[int, int, int]
    """The node (x, y, z) of the run's grid that the arrays begin with: 0 but in files of shots with an aperture."""
    shots: np.ndarray
    """[shot]: the numbers of those that have receivers."""
    energy: np.ndarray
    """[shot]: half the energy of the weighted data that were migrated."""
    traces: np.ndarray
    """[shot]: how many there are; of those, `dead` and `excluded` count for nothing."""
    dead: np.ndarray
    excluded: np.ndarray
    summary: Optional[Dict[str, Any]]
    """What summary.json tells of the run; None of a file without that of its run beside it."""
    offset_gathers: Optional[OffsetGathers] = None
    """None where the configuration does not ask for them, and of least squares."""
    file: Optional[Path] = None
    """None of an image in memory."""
    _of_traces: Mapping[int, np.ndarray] = field(default_factory=dict)

    @property
    def origin_m(self) -> Tuple[float, float, float]:
        """The position (x, y, z) of the first node."""
        return float(self.x_m[0]), float(self.y_m[0]), float(self.z_m[0])

    @property
    def total_energy(self) -> float:
        """The sum over the shots, in their order."""
        return float(sum(self.energy.tolist()))

    @property
    def residuals(self) -> Optional[np.ndarray]:
        """[iteration] of least squares, from none on: the norm of what the change of vp does not explain, as a part of
        that of the data. None of other images, and without a summary."""
        told = (self.summary or {}).get("imaging", {}).get("residuals")
        return None if told is None else np.array(told, dtype=float)

    @property
    def seconds(self) -> Optional[Dict[str, float]]:
        """What the phases of the run took, by name: "time steps", "model", …; None without a summary."""
        return None if self.summary is None else dict(self.summary["performance"]["phase_s"])

    def energy_of_trace(self, shot: int) -> np.ndarray:
        """[receiver], of files read when asked for. UsageError: there is no such shot."""
        _require_shot(shot, self.shots)
        return self._of_traces[shot] if self.file is None else _of_shot(self.file, shot, "misfit")

    def to_xarray(self) -> "xarray.Dataset":
        """All images with labelled coordinates: `migrated(z_m, y_m, x_m)`, …. Needs xarray."""
        return _xarray().Dataset(
            {name: (_AXES, values, _IMAGES[name]) for name, values in self._images().items()},
            {name: (name, getattr(self, name), {"units": "m"}) for name in _AXES},
        )

    def plot(
        self,
        name: Optional[str] = None,
        *,
        x_m: Optional[float] = None,
        y_m: Optional[float] = None,
        z_m: Optional[float] = None,
        **options: Any,
    ) -> Any:
        """Draws an image as image.png does: depth down, in grey, positive black, clipped at the 98th percentile of
        |values|; an illumination in colours.

        name: "migrated", "change", "stack", "illumination_source" or "illumination_receiver"; by default the first of
            them that there is.
        x_m, y_m, z_m: one of them, in 3-D: the plane that is drawn, by the nearest nodes; by default that through the
            middle of y.
        options go to the plot of xarray's DataArray and take precedence: ax, cmap, vmax, …. Returns what that returns.
        Needs xarray and matplotlib. Raises UsageError where there is no such image.
        """
        images = self._images()
        drawn = next(iter(images)) if name is None else name
        if drawn not in images:
            raise UsageError(f"there is no image {drawn!r}; there are {', '.join(images)}")
        normal, at = self._plane({"x_m": x_m, "y_m": y_m, "z_m": z_m})
        section = self.to_xarray()[drawn].sel({normal: at}, method="nearest")
        down, across = (axis for axis in _AXES if axis != normal)
        chosen: Dict[str, Any] = {"x": across, "y": down, "yincrease": down != "z_m", **options}
        if drawn.startswith("illumination"):
            return _as_printed(section.plot(**{"robust": True, **chosen}), options)
        return _as_printed(section.plot(**_in_grey(section.values, 98, chosen)), options)

    def _plane(self, asked: Dict[str, Optional[float]]) -> Tuple[str, float]:
        given = [(axis, float(at)) for axis, at in asked.items() if at is not None]
        if len(given) > 1:
            raise UsageError(f"one plane is drawn: {' and '.join(axis for axis, _ in given)} are given")
        if given and len(self.y_m) == 1 and given[0][0] != "y_m":
            raise UsageError(f"{given[0][0]}: an image of two dimensions has one plane, which is drawn")
        return given[0] if given else ("y_m", float(self.y_m[len(self.y_m) // 2]))

    def _images(self) -> Dict[str, np.ndarray]:
        """Those that there are."""
        return {name: getattr(self, name) for name in _IMAGES if getattr(self, name) is not None}

    def __repr__(self) -> str:
        iterations = "" if self.residuals is None else f" after {_count(len(self.residuals) - 1, 'iteration')}"
        kind = self.condition or ("least squares" if self.change is not None else "sums")
        place = "" if self.file is None else f", {self.file}"
        return f"<onda.Image: {kind}{iterations}, {_count(len(self.shots), 'shot')}, {_nodes(self)}{place}>"


def rtm(
    config: Config,
    *,
    vp: "Optional[ArrayLike]" = None,
    rho: "Optional[ArrayLike]" = None,
    q: "Optional[ArrayLike]" = None,
    epsilon: "Optional[ArrayLike]" = None,
    delta: "Optional[ArrayLike]" = None,
    overrides: Overrides = (),
    shots: Optional[Iterable[int]] = None,
    progress: Union[None, bool, ProgressCallback] = False,
) -> Image:
    """Images the subsurface by reverse-time migration of the seismograms of the configuration's imaging.observed.

    The image is that of `onda rtm` (docs/migration.md), bit for bit: by imaging.image.condition, summed over the shots,
    divided by the illumination, filtered and muted. It stays in memory, with no more of the shots than their sum.

    vp, rho, q, epsilon, delta: the model that is migrated with, smooth; as in misfit().
    overrides, shots, progress: as in run(); without a progress bar unless one is asked for.

    Raises OndaError as run() does; ConfigError where there is no imaging.observed, InputDataError where what is
    observed does not fit the survey.
    """
    request = request_on_grid(config, vp, rho, overrides, shots, q, epsilon, delta)
    made = computed(_core.rtm, request, vp is not None, progress)
    of_traces, summary, gathers = made.pop("of_traces"), json.loads(made.pop("summary")), made.pop("offset_gathers")
    return Image(
        change=None,
        first_node=(0, 0, 0),
        summary=summary,
        offset_gathers=None if gathers is None else OffsetGathers(**gathers),
        _of_traces=of_traces,
        **made,
    )


def lsrtm(
    config: Config,
    *,
    vp: "Optional[ArrayLike]" = None,
    rho: "Optional[ArrayLike]" = None,
    epsilon: "Optional[ArrayLike]" = None,
    delta: "Optional[ArrayLike]" = None,
    overrides: Overrides = (),
    progress: Union[None, bool, ProgressCallback] = False,
) -> Image:
    """Images the subsurface by least-squares migration: the change of vp that explains what was observed.

    The image is that of `onda lsrtm` (docs/migration.md#least-squares), bit for bit; its `residuals` tell how much is
    left after each of imaging.lsrtm.iterations. They go through files in the folder for temporary files (TMPDIR), as
    much as `onda check --lsrtm` tells, which are gone when this returns or raises. What is to be resumed is for the
    command. Needs h5py, which no other thread may use meanwhile unless HDF5 is built for threads, as Debian's is.

    vp, rho, epsilon, delta, overrides, progress: as in rtm(). There is no q: media that absorb scatter nothing so far, and a
        configuration whose model has one is refused. Progress counts the shots of all passes over the survey, of which
        there are one more than iterations, fewer where imaging.lsrtm.residual ends them, and two more for each new
        drawing of codes (imaging.lsrtm.redraw_every).

    Raises OndaError as rtm() does, and FileError where there is no room for files.
    """
    _h5py()
    request = request_on_grid(config, vp, rho, overrides, None, None, epsilon, delta)
    with tempfile.TemporaryDirectory(prefix="onda-lsrtm-") as folder:
        results = os.path.join(folder, "results")
        computed(
            lambda request, *listeners: _core.lsrtm(request, results, *listeners), request, vp is not None, progress
        )
        image = read_image(results)
        of_traces = {int(shot): image.energy_of_trace(int(shot)) for shot in image.shots}
    return replace(image, file=None, _of_traces=of_traces)


def read_image(path: Union[str, "os.PathLike[str]"]) -> Image:
    """Reads image.h5 of `onda rtm` or `onda lsrtm`, the file of a shot, or that in the folder of a run. Needs h5py.

    Raises MissingInputError if it is not there; InputDataError if it is no such file.
    """
    file = _file_in(path, "image.h5")
    with _open(file, "onda-gradient") as root:
        if not root.get("image"):
            raise InputDataError(f"{file}: has no image; onda.read_gradient() reads gradients")
        try:
            return _image_of(root, file)
        except (KeyError, ValueError) as error:
            raise InputDataError(f"{file}: {error.args[0] if error.args else error}") from error


def _image_of(root: Any, file: Path) -> Image:
    images = {name: values[:] for name, values in root["image"].items()}
    described = next(iter(root["image"].values())).attrs
    condition = root.attrs.get("imaging_condition")
    misfit = root["misfit"]
    return Image(
        migrated=images.get("migrated"),
        stack=images.get("stack"),
        change=images.get("vp"),
        illumination_source=root["illumination/source"][:],
        illumination_receiver=root["illumination/receiver"][:],
        condition=None if condition is None else _text(condition),
        **{name: root[name][:] for name in _AXES},
        spacing_m=_triple(described["spacing"], float),
        first_node=_triple(described["first_node"], int),
        shots=misfit["shot"][:],
        energy=misfit["value"][:],
        **{name: misfit[name][:] for name in ("traces", "dead", "excluded")},
        summary=_summary_beside(file, _text(root.attrs.get("run_id", ""))),
        offset_gathers=_offset_gathers_of(root["offset_gathers"]) if "offset_gathers" in root else None,
        file=file,
    )


def _offset_gathers_of(group: Any) -> OffsetGathers:
    x_m, values = group["x_m"][:], group["image"]
    return OffsetGathers(
        values=values[:],
        x_m=x_m,
        y_m=group["y_m"][:] if "y_m" in group else np.zeros_like(x_m),
        half_offset_m=group["half_offset_m"][:],
        z_m=group["z_m"][:],
        along=_text(values.attrs["along"]),
    )


def _triple(values: Any, kind: Any) -> Any:
    """(x, y, z) of an attribute in the order z, y, x."""
    z, y, x = (kind(value) for value in values)
    return x, y, z


def _summary_beside(file: Path, run_id: str) -> Optional[Dict[str, Any]]:
    """What summary.json beside a file tells, if it is that of the same run."""
    beside = file.parent / "summary.json"
    if not beside.is_file():
        return None
    summary = _summary(beside)
    return summary if summary.get("run_id") == run_id else None
