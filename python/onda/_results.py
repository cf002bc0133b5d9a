"""What a run leaves, from memory or from a folder: gathers and snapshots as NumPy arrays, and with labels as xarray's."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Optional, Protocol, Tuple, Union

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

    @property
    def time_s(self) -> np.ndarray:
        """[time]."""
        return np.arange(self.pressure.shape[1]) * self.dt_s

    def to_xarray(self) -> "xarray.Dataset":
        """The gather with labelled coordinates, named as in seismograms.h5: `pressure(receiver, time_s)`, ….

        `gather.to_xarray().pressure.sel(receiver=3)` is a trace. Needs xarray.
        """
        count, sources = len(self.receivers_m), len(self.sources_m)
        coordinates: Dict[str, Any] = {
            "receiver": np.arange(1.0, count + 1),
            "time_s": ("time_s", self.time_s, {"units": "s"}),
            "offset_m": ("receiver", self.offset_m, {"units": "m"}),
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
        force: bool = False,
    ) -> List[Path]:
        """Writes the gathers as a file for other programs, as `onda export` does; returns the paths of what it wrote.

        file: its extension says the format, unless `format` does: .segy, .sgy, .su, .rsf, .npy, .csv.
        format: "segy", "su", "rsf", "npy" or "csv" (docs/outputs.md).
        samples: of SEG-Y: "ieee" (the default) or "ibm".
        shots: the numbers of the shots; all that have receivers where absent.
        force: whether files that are there are replaced.

        Raises UsageError; CannotCreateError if a file is there; InputDataError for what the format does not hold, such
        as a sample interval that is no whole number of microseconds in SEG-Y and SU; FileError.
        """
        request = _core.ExportRequest(os.fspath(file), format or "", samples or "", selection_of(shots), bool(force))
        return [Path(name) for name in self._source.export(self.summary, request)]

    @property
    def dt_s(self) -> float:
        """The time step of the run; that of gathers is their own."""
        return float(self.summary["time"]["dt_s"])

    def _of(self, shot: Optional[int], what: str, read: Any) -> Any:
        number = self.shots[0] if shot is None else int(shot)
        if number not in self.shots:
            there = ", ".join(map(str, self.shots[:8])) + (", …" if len(self.shots) > 8 else "")
            raise UsageError(f"there is no shot {number}; there are {there}")
        result = read(number)
        if result is None:
            raise UsageError(f"shot {number} has no {what}")
        return result

    def __repr__(self) -> str:
        grid = " x ".join(str(n) for n in self.summary["grid"]["shape_xyz"] if n > 1)
        place = f", {self.folder}" if self.folder is not None else ""
        return f"<onda.Run: {len(self.shots)} shot{'s' * (len(self.shots) != 1)}, {grid} nodes{place}>"
