"""What a run leaves, from memory or from a folder: gathers and snapshots as NumPy arrays, and with labels as xarray's."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Optional, Protocol, Sequence, Tuple, Union

import numpy as np

from . import _core
from ._errors import UsageError

if TYPE_CHECKING:
    import xarray


def _xarray() -> Any:
    try:
        import xarray
    except ImportError as error:
        raise ImportError("to_xarray() needs xarray: pip install xarray, or apt install python3-xarray") from error
    return xarray


def _duration(seconds: float) -> str:
    """In the unit that leaves the fewest zeros: 2 ms."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if abs(seconds) >= 0.9999999 * scale:
            return f"{seconds / scale:.6g} {unit}"
    return f"{seconds / 1e-9:.6g} ns" if seconds else "0 s"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _range(values: np.ndarray, unit: str) -> str:
    """From the least to the largest: -800 to 800 m; one number where all are equal."""
    least, largest = f"{np.min(values):g}", f"{np.max(values):g}"
    return f"{least} {unit}" if least == largest else f"{least} to {largest} {unit}"


def _nodes(of: Any) -> str:
    """Of what has x_m, y_m and z_m: 201 x 101 nodes (x 0 to 2000 m, z 0 to 1000 m)."""
    axes = [(name, getattr(of, f"{name}_m")) for name in "xyz"]
    wide = [(name, values) for name, values in axes if len(values) > 1] or axes
    count = " x ".join(str(len(values)) for _, values in wide)
    window = ", ".join(f"{name} {_range(values, 'm')}" for name, values in wide)
    return f"{count} nodes ({window})"


def _in_grey(values: np.ndarray, percentile: float, options: Dict[str, Any]) -> Dict[str, Any]:
    """Options of xarray's plots, down along y in grey, positive black, and clipped at ± a percentile of |values|,
    where `options` do not say otherwise.
    """
    chosen = {"yincrease": False, "cmap": "gray_r", **options}
    if not {"vmin", "vmax", "robust", "norm", "levels"} & options.keys():
        magnitude = np.abs(values)
        # A few strong values among many that are next to nothing have a percentile of zero.
        clip = float(np.percentile(magnitude, percentile)) or float(magnitude.max())
        chosen.update({"vmin": -clip, "vmax": clip} if clip > 0 else {})
    return chosen


def _as_printed(drawn: Any, options: Dict[str, Any]) -> Any:
    """What xarray has drawn, with labels as those of `onda plot`: "Time (s)" in place of "time [s]"."""
    if not options.get("add_labels", True):
        return drawn
    first = drawn[0] if isinstance(drawn, list) else drawn

    def printed(label: str) -> str:
        name, bracket, unit = label.partition(" [")
        name = {"x_m": "x", "y_m": "y", "z_m": "Depth"}.get(name, name[:1].upper() + name[1:])
        return (name + bracket + unit).replace("[", "(").replace("]", ")")

    first.axes.set(xlabel=printed(first.axes.get_xlabel()), ylabel=printed(first.axes.get_ylabel()))
    bar = getattr(first, "colorbar", None)
    if bar is not None:
        bar.set_label(printed(bar.ax.get_ylabel()))
    return drawn


def _require_shot(shot: int, shots: Sequence[int]) -> None:
    """Raises UsageError where there is no such shot."""
    if shot not in shots:
        there = ", ".join(map(str, shots[:8])) + (", …" if len(shots) > 8 else "")
        raise UsageError(f"there is no shot {shot}; there are {there}")


def _samples(count: int, dt_s: float, length: str) -> str:
    """1001 samples of 1 ms (record length 1 s)."""
    return f"{_count(count, 'sample')} of {_duration(dt_s)} ({length} {_duration((count - 1) * dt_s)})"


@dataclass(frozen=True, eq=False)
class Wavelets:
    """The signals of a shot's sources, before their amplitudes."""

    signal: np.ndarray
    """[wavelet][sample], zero where one is over before the others."""
    dt_s: float
    type: List[str]
    """"ricker", …: of each wavelet, as all lists here."""
    t0_s: List[float]
    """Centre of the closed forms, largest sample of a file."""
    peak_frequency_hz: List[float]
    """0 for the Gaussian."""
    of_source: np.ndarray
    """[source]: the row of `signal` that a source radiates."""
    amplitude: np.ndarray
    """[source]: the factor on that row."""
    amplitude_unit: str
    """"Pa m", or "Pa" of the line sources of 2-D runs."""

    @property
    def time_s(self) -> np.ndarray:
        """[sample]."""
        return np.arange(self.signal.shape[1]) * self.dt_s

    def __repr__(self) -> str:
        kinds = [
            f"{kind} {peak:g} Hz" if peak else kind for kind, peak in zip(self.type[:3], self.peak_frequency_hz[:3])
        ]
        named = ", ".join(kinds + ["…"] * (len(self.type) > 3))
        count, samples = self.signal.shape
        return (
            f"<onda.Wavelets: {_count(count, 'wavelet')} ({named}) x {_samples(samples, self.dt_s, 'length')},"
            f" {_count(len(self.of_source), 'source')} in {self.amplitude_unit}>"
        )


_MOTION_UNITS = {"velocity": "m/s", "acceleration": "m/s2"}


@dataclass(frozen=True, eq=False)
class Gather:
    """A common-shot gather. Positions are (x, y, z) in metres, z down."""

    shot: int
    pressure: np.ndarray
    """[receiver][time], Pa, float32."""
    dt_s: float
    """Time between samples; the first one is at 0."""
    receivers_m: np.ndarray
    """[receiver][3]."""
    sources_m: np.ndarray
    """[source][3]."""
    offset_m: np.ndarray
    """[receiver]: from the first source; along x, with its sign, where all receivers have the source's y."""
    columns: Dict[str, np.ndarray] = field(default_factory=dict)
    """[receiver]: the further columns of receiver tables, numbers (NaN: not given) or text ("": not given)."""
    wavelets: Optional[Wavelets] = None
    motion: Dict[str, np.ndarray] = field(default_factory=dict)
    """[receiver][time], float32: what output.seismograms.particle_motion asked for, by name: "velocity_z" in m/s,
    "acceleration_x" in m/s2, …; z is positive down."""

    @property
    def time_s(self) -> np.ndarray:
        """[time]."""
        return np.arange(self.pressure.shape[1]) * self.dt_s

    def to_xarray(self) -> "xarray.DataArray":
        """The pressures with labelled coordinates: `pressure(receiver, time_s)`, with `offset_m` and, of receiver
        tables, `receiver_NAME` of each receiver; `attrs` has the units, shot and dt_s. Needs xarray.

        `gather.to_xarray().sel(receiver=3)` is a trace, `gather.to_xarray().plot()` an image. to_dataset() has the
        positions and wavelets, too.
        """
        data = self.to_dataset()
        return data.pressure.assign_attrs(data.attrs)

    def plot(self, **options: Any) -> Any:
        """Draws the gather as seismologists do: receivers along x, time down, in grey; a single trace as a line.

        Along x lie the offsets in metres where they ascend or descend, else the numbers of the receivers. The scale
        ends at ± the 96th percentile of |pressure|, as in `onda plot gather`. `options` go to the plot of xarray's
        DataArray and take precedence: ax, cmap, vmax, x="receiver", …. Returns what that returns. Needs xarray and
        matplotlib.
        """
        pressure = self.to_xarray()
        if len(self.receivers_m) == 1:
            return _as_printed(pressure[0].plot(**{"x": "time_s", **options}), options)
        steps = np.diff(self.offset_m)
        along = "offset_m" if np.all(steps > 0) or np.all(steps < 0) else "receiver"
        drawn = pressure.plot(**{"x": along, "y": "time_s", **_in_grey(self.pressure, 96, options)})
        return _as_printed(drawn, options)

    def __repr__(self) -> str:
        receivers, samples = self.pressure.shape
        return (
            f"<onda.Gather: shot {self.shot}, {_count(receivers, 'receiver')} x {_samples(samples, self.dt_s, 'record length')},"
            f" pressure in Pa, offset {_range(self.offset_m, 'm')}>"
        )

    def to_dataset(self) -> "xarray.Dataset":
        """All of the gather with labelled coordinates, named as in seismograms.h5: `pressure(receiver, time_s)`,
        particle motion, `receivers(receiver, axis)`, `sources(source, axis)`, the wavelets, …. Needs xarray.
        """
        count, sources = len(self.receivers_m), len(self.sources_m)
        coordinates: Dict[str, Any] = {
            "receiver": np.arange(1.0, count + 1),
            "time_s": ("time_s", self.time_s, {"units": "s", "long_name": "time"}),
            "offset_m": ("receiver", self.offset_m, {"units": "m", "long_name": "offset"}),
            "source": np.arange(1.0, sources + 1),
            "axis": ["x", "y", "z"],
        }
        for name, values in self.columns.items():
            coordinates[f"receiver_{name}"] = ("receiver", values)
        variables: Dict[str, Any] = {
            "pressure": (("receiver", "time_s"), self.pressure, {"units": "Pa", "long_name": "pressure"}),
            "receivers": (("receiver", "axis"), self.receivers_m, {"units": "m"}),
            "sources": (("source", "axis"), self.sources_m, {"units": "m"}),
        }
        for name, values in self.motion.items():
            kind, axis = name.split("_")
            attributes = {"units": _MOTION_UNITS[kind], "long_name": f"particle {kind} along {axis}"}
            variables[name] = (("receiver", "time_s"), values, attributes)
        if self.wavelets is not None:
            coordinates["wavelet_number"] = np.arange(float(len(self.wavelets.signal)))
            coordinates["wavelet_time_s"] = ("wavelet_time_s", self.wavelets.time_s, {"units": "s"})
            variables["wavelet"] = (("wavelet_number", "wavelet_time_s"), self.wavelets.signal)
            variables["source_wavelet"] = ("source", self.wavelets.of_source)
            variables["source_amplitude"] = ("source", self.wavelets.amplitude, {"units": self.wavelets.amplitude_unit})
        return _xarray().Dataset(variables, coordinates, {"shot": self.shot, "dt_s": self.dt_s})


@dataclass(frozen=True, eq=False)
class Snapshots:
    """The wavefield of a shot at some times, on the nodes of the window."""

    shot: int
    pressure: np.ndarray
    """[time][z][y][x], Pa, float32; in 2-D there is one y."""
    time_s: np.ndarray
    """[time]."""
    x_m: np.ndarray
    y_m: np.ndarray
    z_m: np.ndarray

    def __repr__(self) -> str:
        return (
            f"<onda.Snapshots: shot {self.shot}, {_count(len(self.time_s), 'time')} ({_range(self.time_s, 's')}),"
            f" {_nodes(self)}, pressure in Pa>"
        )

    def to_xarray(self) -> "xarray.DataArray":
        """The snapshots with labelled coordinates: `pressure(time_s, z_m, y_m, x_m)`. Needs xarray.

        `snapshots.to_xarray().sel(time_s=0.5, method="nearest").squeeze().plot(yincrease=False)` draws one in 2-D.
        """
        coordinates = {
            name: (name, getattr(self, name), {"units": name.rpartition("_")[2]})
            for name in ("time_s", "z_m", "y_m", "x_m")
        }
        return _xarray().DataArray(
            self.pressure,
            coordinates,
            ("time_s", "z_m", "y_m", "x_m"),
            "pressure",
            {"units": "Pa", "long_name": "pressure", "shot": self.shot},
        )


class Source(Protocol):
    """Where a Run has its results from."""

    def gather(self, shot: int) -> Optional[Gather]: ...

    def snapshots(self, shot: int) -> Optional[Snapshots]: ...

    def export(self, summary: Dict[str, Any], request: _core.ExportRequest) -> List[str]: ...

    def save(self, folder: str) -> None: ...


def selection_of(shots: Optional[Iterable[int]]) -> str:
    """Numbers of shots as the command line lists them; empty for all."""
    if isinstance(shots, (str, bytes)):
        raise UsageError(f"shots: must be a list of numbers, not {shots!r}")
    selection = "" if shots is None else ",".join(str(int(shot)) for shot in shots)
    if shots is not None and not selection:
        raise UsageError("shots: an empty list leaves nothing to do")
    return selection


class Run:
    """The results of a run: of onda.run(), in memory; of onda.open(), read from its folder when they are asked for."""

    def __init__(
        self, shots: List[int], summary: Dict[str, Any], config_yaml: str, source: Source, folder: Optional[Path] = None
    ) -> None:
        self.shots: Tuple[int, ...] = tuple(shots)
        """The numbers of the shots, ascending."""
        self.summary = summary
        """What summary.json tells: grid, dt, hashes, speed, memory, warnings, …."""
        self.config_yaml = config_yaml
        """The configuration with every parameter."""
        self.folder = folder
        """Where the results are; none of a run in memory."""
        self._source = source

    def gather(self, shot: Optional[int] = None) -> Gather:
        """The gather of a shot, by default the first one. UsageError: there is no such shot, or it has no receivers."""
        return self._of(shot, "receivers", self._source.gather)

    def snapshots(self, shot: Optional[int] = None) -> Snapshots:
        """The snapshots of a shot, by default the first one. UsageError: there is no such shot, or it has none."""
        return self._of(shot, "snapshots", self._source.snapshots)

    def gathers(self) -> Iterator[Gather]:
        """The gathers of all shots that have receivers, by number."""
        return (gather for gather in map(self._source.gather, self.shots) if gather is not None)

    def export(
        self,
        file: Union[str, "os.PathLike[str]"],
        *,
        format: Optional[str] = None,
        samples: Optional[str] = None,
        shots: Optional[Iterable[int]] = None,
        quantity: str = "pressure",
        force: bool = False,
    ) -> List[Path]:
        """Writes the gathers as a file for other programs, as `onda export` does; returns the paths of what it wrote.

        file: its extension says the format, unless `format` does: .segy, .sgy, .su, .rsf, .npy, .csv.
        format: "segy", "su", "rsf", "npy" or "csv" (docs/outputs.md).
        samples: of SEG-Y: "ieee" (the default) or "ibm".
        shots: the numbers of the shots; default: all that have receivers.
        quantity: what is written: "pressure", or particle motion that was recorded, such as "velocity_z".
        force: whether files that are there are replaced.

        Raises UsageError; CannotCreateError if a file is there; InputDataError for what the format does not hold, such
        as a sample interval that is not a whole number of microseconds in SEG-Y and SU; FileError.
        """
        request = _core.ExportRequest(
            os.fspath(file), format or "", samples or "", selection_of(shots), quantity, bool(force)
        )
        return [Path(name) for name in self._source.export(self.summary, request)]

    def save(self, folder: Union[str, "os.PathLike[str]"]) -> Path:
        """Saves a run in memory as the files that `onda run` leaves; returns the folder, which onda.open() reads.

        These are seismograms.h5, snapshots.h5 with snapshots.xdmf, config.yaml and summary.json, without pictures and
        report. Where the model is an array, config.yaml does not hold it.

        folder: is made; one that is there must be empty.

        Raises CannotCreateError if it is not; UsageError for a run that is in a folder already; FileError.
        """
        self._source.save(os.fspath(folder))
        return Path(folder)

    @property
    def dt_s(self) -> float:
        """The time step of the run; that of gathers is their own."""
        return float(self.summary["time"]["dt_s"])

    def _of(self, shot: Optional[int], what: str, read: Any) -> Any:
        number = self.shots[0] if shot is None else int(shot)
        _require_shot(number, self.shots)
        result = read(number)
        if result is None:
            raise UsageError(f"shot {number} has no {what}")
        return result

    def __repr__(self) -> str:
        grid = " x ".join(str(n) for n in self.summary["grid"]["shape_xyz"] if n > 1)
        place = f", {self.folder}" if self.folder is not None else ""
        return f"<onda.Run: {len(self.shots)} shot{'s' * (len(self.shots) != 1)}, {grid} nodes{place}>"
