"""onda.run(): a run in memory."""

from __future__ import annotations

import json
import logging
import os
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Mapping, Optional, Tuple, Union

import numpy as np

from . import _core
from ._arrays import array_of
from ._errors import ConfigError, OndaWarning, UsageError
from ._progress import ProgressCallback, Reporter
from ._results import Gather, Run, Snapshots, Wavelets, selection_of

if TYPE_CHECKING:
    import xarray

    ArrayLike = Union[np.ndarray, "xarray.DataArray"]

Config = Union[str, "os.PathLike[str]", Mapping[str, Any]]
Overrides = Union[Iterable[str], Mapping[str, Any]]

_MOST_BYTES = 2**20  # of a configuration

_log = logging.getLogger("onda")


def run(
    config: Config,
    *,
    vp: "Optional[ArrayLike]" = None,
    rho: "Optional[ArrayLike]" = None,
    q: "Union[None, float, ArrayLike]" = None,
    epsilon: "Optional[ArrayLike]" = None,
    delta: "Optional[ArrayLike]" = None,
    theta: "Union[None, float, ArrayLike]" = None,
    phi: "Union[None, float, ArrayLike]" = None,
    overrides: Overrides = (),
    shots: Optional[Iterable[int]] = None,
    progress: Union[None, bool, ProgressCallback] = None,
) -> Run:
    """Computes the shots of a configuration; gathers and snapshots stay in memory.

    The results are those of `onda run`, bit for bit. Other Python threads run meanwhile. Ctrl-C ends it.

    config: the path of a YAML file, its text (a str with a line break), or a dict of the same keys (docs/config.md).
        Paths in a text or a dict are relative to the current folder. A dict may hold arrays of NumPy: positions in m as
        "sources" (each is a shot) and "receivers", [n][x, z] in 2-D and [n][x, y, z] in 3-D, and the samples of a
        wavelet: {"type": "samples", "dt_s": 0.001, "samples": array}.
    vp: velocity of pressure waves in m/s at every node, [z][x] in 2-D and [z][y][x] in 3-D. It takes the place of the
        configuration's model. Dimensions of a DataArray that are called x, y, z (or x_m, …) are brought into this
        order. Where the configuration leaves them out, grid.shape is that of the array, and grid.spacing_m and
        grid.origin_m are those of the coordinates of a DataArray. A grid elsewhere than the coordinates is refused.
        Arrays of other packages (PyTorch, JAX, CuPy) are read through DLPack where they lie in the memory of the host.
    rho: density in kg/m3, in the same way, at the nodes of vp; only together with it. Without it the density is
        constant.
    q: quality factor, in the same way, or one number for all nodes; infinite where nothing is absorbed. Without it
        model.q and model.q_rule of the configuration hold, and without these nothing is absorbed.
    epsilon, delta: Thomsen's parameters, in the same way, delta at most epsilon; of one alone the other is 0. Without
        them velocities are the same in all directions.
    theta, phi: angle of the axis of epsilon and delta from the vertical, and the azimuth towards which it is tilted, from
        x to y, in degrees, in the same way, or one number for all nodes. Of theta alone phi is 0; in 2-D there is no phi,
        and theta may be negative. Without them the axis is vertical.
    overrides: as --set of the command line: {"time.duration_s": 2}, or ["time.duration_s=2"]. They also say what becomes
        of arrays: {"model.clip_delta": True}.
    shots: the numbers of the shots to compute; default: all.
    progress: a function of a Progress, called several times a second; True for a bar on stderr (by tqdm where that is
        installed); False for nothing. By default a bar on a terminal.

    Warnings are OndaWarning; the log goes to logging.getLogger("onda").
    Raises OndaError: ConfigError, MissingInputError, OutOfMemoryError, UnstableError, ….
    """
    left = computed(_core.run, request_of(config, vp, rho, overrides, shots, q, epsilon, delta, theta, phi), vp is not None, progress)
    return Run(left["shots"], json.loads(left["summary"]), left["config_yaml"], _Memory(left))


def request_of(
    config: Config,
    vp: "Optional[ArrayLike]",
    rho: "Optional[ArrayLike]",
    overrides: Overrides,
    shots: Optional[Iterable[int]],
    q: "Union[None, float, ArrayLike]" = None,
    epsilon: "Optional[ArrayLike]" = None,
    delta: "Optional[ArrayLike]" = None,
    theta: "Union[None, float, ArrayLike]" = None,
    phi: "Union[None, float, ArrayLike]" = None,
) -> _core.RunRequest:
    """What _core computes for arguments like those of run()."""
    numbers = {name: number_of(value) for name, value in (("q", q), ("theta", theta), ("phi", phi))}
    numbers = {name: number for name, number in numbers.items() if number is not None}
    all_arrays = {"vp": vp, "rho": rho, "q": q, "epsilon": epsilon, "delta": delta, "theta": theta, "phi": phi}
    given = {
        name: array_of(name, array) for name, array in all_arrays.items() if array is not None and name not in numbers
    }
    for name in given:
        if "vp" not in given:
            raise UsageError(f"{name}: an array of {_WHAT[name]} takes an array of velocities beside it: vp")
    for name in numbers:
        if "vp" not in given:
            raise UsageError(
                f"{name}: one of the {_WHAT[name]} takes an array of velocities beside it: vp; {_KEYS[name]} has one for "
                "others"
            )
    arrays = {name: _as_model(name, array) for name, array in given.items()}
    for name in arrays.keys() & {"theta", "phi"}:
        arrays[name] = np.deg2rad(arrays[name].astype(np.float64)).astype(np.float32)
    ends = {name: _ends_of(name, array) for name, array in given.items()}
    for name in arrays:
        if arrays[name].shape != arrays["vp"].shape:
            raise UsageError(
                f"vp and {name} must have one shape: {arrays['vp'].shape} and {arrays[name].shape} (z, y, x)"
            )
        _compare(ends["vp"], ends[name], name)
    text, name = _text_of(config)
    settings = settings_of(overrides)
    if arrays:  # of the model what overrides say is left, and its quality factor
        settings = ["model={type: array}", *settings, "model.type=array"]
    for name, number in numbers.items():
        settings.append(f"{_KEYS[name]}=" + (".inf" if number == float("inf") else repr(number)))
    known = {axis: span for name in reversed(list(given)) for axis, span in ends.get(name, {}).items()}
    return _core.RunRequest(text, name, settings, arrays, known, selection_of(shots))


_WHAT = {
    "rho": "densities",
    "q": "quality factors",
    "epsilon": "Thomsen's epsilon",
    "delta": "Thomsen's delta",
    "theta": "tilts",
    "phi": "azimuths",
}
_KEYS = {"q": "model.q", "theta": "model.theta_deg", "phi": "model.phi_deg"}  # of one number for all nodes


def number_of(value: "Union[None, float, ArrayLike]") -> Optional[float]:
    """The one number that a parameter is; None for arrays, and where there is none."""
    if value is None or hasattr(value, "dims"):
        return None
    if isinstance(value, (int, float, np.generic)) or (isinstance(value, np.ndarray) and value.ndim == 0):
        return float(value)
    return None


def computed(
    work: Any, request: _core.RunRequest, has_model: bool, progress: Union[None, bool, ProgressCallback]
) -> Any:
    """What a function of _core makes of a request, with a progress bar."""
    reporter = Reporter(progress)
    try:
        return work(request, reporter, _tell)
    except ConfigError as error:
        if has_model or "missing key 'model'" not in str(error):
            raise
        raise ConfigError(f"{error}\nAn array may take its place: onda.run(config, vp=...)") from None
    finally:
        reporter.close()


def _tell(is_warning: bool, message: str) -> None:
    if is_warning:
        warnings.warn(message, OndaWarning, stacklevel=_callers_level())
    else:
        _log.info(message)


def _callers_level() -> int:
    """The stack level, for warnings of who calls this, of the code that has called the package."""
    level, frame = 0, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("onda."):
        level, frame = level + 1, frame.f_back
    return level + 1


def settings_of(overrides: Overrides) -> List[str]:
    """As --set takes them; a text alone would be taken letter by letter."""
    if isinstance(overrides, Mapping):
        return [f"{key}={json.dumps(value, default=_plain)}" for key, value in overrides.items()]
    if isinstance(overrides, (str, bytes)):
        raise UsageError(f"overrides: must be a dict, or a list of texts: [{overrides!r}]")
    return list(overrides)


def _text_of(config: Config) -> Tuple[str, str]:
    """What _core.run() takes: a path and "", or a text and its name in messages."""
    if isinstance(config, Mapping):
        places = {name: _points(name, config[name]) for name in ("sources", "receivers") if name in config}
        return _json_of({**config, **places}), "config"
    if isinstance(config, str) and "\n" in config:
        return config, "config"
    return os.fspath(config), ""


def _json_of(config: Mapping[str, Any]) -> str:
    """Over several lines, as messages quote them, where the reader of configurations takes so many bytes."""
    text = json.dumps(config, indent=2, default=_plain)
    if len(text) > _MOST_BYTES:
        text = json.dumps(config, separators=(",", ":"), default=_plain)
    if len(text) > _MOST_BYTES:
        raise UsageError(
            f"config: {len(text)} bytes as text, and the most is {_MOST_BYTES}: long arrays of positions or samples go into "
            'files, which "type": "file" reads'
        )
    return text


def _points(name: str, places: Any) -> Any:
    """Entries of a configuration for an array of positions; anything else as it is."""
    if not hasattr(places, "__array__"):
        return places
    positions = np.asarray(places)
    if positions.dtype.kind not in "fiu" or positions.ndim != 2 or positions.shape[1] not in (2, 3):
        raise UsageError(
            f"{name}: an array must have positions in m, [n][x, z] in 2-D or [n][x, y, z] in 3-D, not "
            f"{positions.dtype} with the shape {positions.shape}"
        )
    return [{"position_m": position} for position in positions.tolist()]


def _plain(value: Any) -> Any:
    """Values of NumPy and paths as JSON has them."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"config: {value!r} is neither a number, text, list or dict, nor a path")


_AXES = ("z", "y", "x")


def _axis_of(dimension: Any) -> str:
    return str(dimension)[:-2] if str(dimension).endswith("_m") else str(dimension)


def _ends_of(name: str, array: "ArrayLike") -> Dict[str, Tuple[float, float]]:
    """The first and the last coordinate of a DataArray by axis, along the dimensions that have coordinates."""
    ends = {}
    for dimension in getattr(array, "dims", ()):
        if dimension not in array.coords:
            continue
        values = np.asarray(array.coords[dimension])
        if values.dtype.kind not in "fiu":
            raise UsageError(f"{name}: the coordinates {dimension} must be numbers, in metres, not {values.dtype}")
        steps = np.diff(values.astype(float))
        # Coordinates in single precision are a little unequal.
        if not (np.all(steps > 0) and np.ptp(steps) <= 2e-3 * np.mean(steps) if len(steps) else True):
            raise UsageError(f"{name}: the coordinates {dimension} must ascend in equal steps")
        ends[_axis_of(dimension)] = (float(values[0]), float(values[-1]))
    return ends


def _compare(vp: Dict[str, Tuple[float, float]], other: Dict[str, Tuple[float, float]], name: str) -> None:
    """Refuses a density that lies elsewhere than the velocity."""
    for axis in sorted(vp.keys() & other.keys()):
        width = max(vp[axis][1] - vp[axis][0], other[axis][1] - other[axis][0])
        if not np.allclose(vp[axis], other[axis], rtol=0, atol=1e-6 * width):
            told = [f"from {first:g} to {last:g} m" for first, last in (vp[axis], other[axis])]
            raise UsageError(
                f"vp and {name} must lie at the same nodes: along {axis}, vp goes {told[0]}, {name} {told[1]}"
            )


def _in_order(name: str, array: "ArrayLike") -> Any:
    """A DataArray with its dimensions in the order z y x; anything else as it is."""
    if not hasattr(array, "dims"):
        return np.asarray(array)
    axes = {_axis_of(dimension): dimension for dimension in array.dims}
    if set(axes) not in ({"x", "z"}, {"x", "y", "z"}):
        found = ", ".join(map(str, array.dims))
        raise UsageError(f"{name}: a DataArray must have the dimensions z, x or z, y, x (or z_m, …), not {found}")
    return array.transpose(*(axes[axis] for axis in _AXES if axis in axes))


def _as_model(name: str, array: "ArrayLike") -> np.ndarray:
    """[z][y][x] in single precision."""
    values = np.asarray(_in_order(name, array))
    if values.dtype.kind not in "fiu" or values.ndim not in (2, 3) or values.size == 0:
        raise UsageError(
            f"{name}: must be numbers, [z][x] in 2-D or [z][y][x] in 3-D, not {values.dtype} with the shape {values.shape}"
        )
    values = np.ascontiguousarray(values, dtype=np.float32)
    return values[:, np.newaxis, :] if values.ndim == 2 else values


class _Memory:
    """What _core.run() gave."""

    def __init__(self, left: Dict[str, Any]) -> None:
        self._left = left

    def gather(self, shot: int) -> Optional[Gather]:
        kept = self._left["gathers"].get(shot)
        if kept is None:
            return None
        columns = {name: column_of(numbers, text) for name, (numbers, text) in kept["columns"].items()}
        wavelets = Wavelets(
            **kept["wavelets"], of_source=kept["source_wavelet"], amplitude=kept["source_amplitude"]
        )
        return Gather(
            shot,
            kept["pressure"],
            kept["dt_s"],
            kept["receivers_m"],
            kept["sources_m"],
            kept["offset_m"],
            columns,
            wavelets,
            kept["motion"],
        )

    def snapshots(self, shot: int) -> Optional[Snapshots]:
        kept = self._left["snapshots"].get(shot)
        return None if kept is None else Snapshots(shot, **kept)

    def export(self, summary: Dict[str, Any], request: _core.ExportRequest) -> List[str]:
        grid, version = summary["grid"], summary["onda"]["version"]
        return _core.export_gathers(version, summary["title"], grid, self._left["gathers"], request)

    def save(self, folder: str) -> None:
        _core.save(self._left, folder)


def column_of(numbers: bool, text: List[str]) -> np.ndarray:
    """A column of a receiver table: numbers, with NaN for what is not given, or text."""
    if numbers:
        return np.array([float(value) if value else np.nan for value in text])
    return np.array(text, dtype=object)
