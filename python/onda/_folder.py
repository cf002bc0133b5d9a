"""onda.open(): the results that `onda run` left in a folder."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Dict, List, Optional, Union

import numpy as np

from . import _core
from ._errors import InputDataError, MissingInputError, UsageError
from ._results import Gather, Run, Snapshots, Wavelets

_MOTION = tuple(f"{kind}_{axis}" for kind in ("velocity", "acceleration") for axis in "xyz")


def open(run_dir: Union[str, "os.PathLike[str]"]) -> Run:
    """Opens the folder of a finished run. Gathers and snapshots are read when they are asked for. Needs h5py.

    Raises MissingInputError if the folder or its results are not there, or the run has not finished; InputDataError if
    they are not Onda's.
    """
    folder = Path(run_dir)
    summary_file = folder / "summary.json"
    if not folder.is_dir():
        raise MissingInputError(f"{folder}: there is no such folder")
    if not summary_file.is_file():
        unfinished = (folder / "unfinished").is_dir()
        raise MissingInputError(
            f"{folder}: "
            + (
                "the run has not finished; `onda run` with the same configuration resumes it"
                if unfinished
                else "has no summary.json: it is not the folder of a run"
            )
        )
    summary = _summary(summary_file)
    source = _Folder(folder)
    config = folder / "config.yaml"
    return Run(source.shots(), summary, config.read_text() if config.is_file() else "", source, folder)


def _summary(file: Path) -> Dict[str, Any]:
    try:
        summary = json.loads(file.read_text())
        known = summary["format"] == "onda-summary"
    except (ValueError, KeyError, TypeError) as error:
        raise InputDataError(f"{file}: is not the summary of a run of Onda") from error
    if not known:
        raise InputDataError(f"{file}: is not the summary of a run of Onda")
    if summary.get("state") != "complete":
        raise MissingInputError(f"{file}: the results were not put in place: run `onda run` with --force again")
    return summary


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _h5py() -> Any:
    try:
        import h5py
    except ImportError as error:
        raise ImportError("reading results needs h5py: pip install h5py, or apt install python3-h5py") from error
    return h5py


class _Folder:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        _h5py()

    def shots(self) -> List[int]:
        """Of the first file that there is: a run without receivers has no seismograms."""
        for name, format_name in (("seismograms.h5", "onda-seismograms"), ("snapshots.h5", "onda-snapshots")):
            if (self._folder / name).is_file():
                with self._open(name, format_name) as file:
                    return sorted(int(shot) for shot in file["shots"])
        return []

    def gather(self, shot: int) -> Optional[Gather]:
        if not (self._folder / "seismograms.h5").is_file():
            return None
        with self._open("seismograms.h5", "onda-seismograms") as file:
            if str(shot) not in file["shots"]:
                return None
            group = file["shots"][str(shot)]
            pressure = group["pressure"]
            return Gather(
                shot,
                pressure[:],
                float(pressure.attrs["dt_s"]),
                group["receivers"][:],
                group["sources"][:],
                group["offset_m"][:],
                {_text(name): _column(group[f"receiver_{_text(name)}"]) for name in group.attrs.get("receiver_columns", ())},
                _wavelets(group),
                {name: group[name][:] for name in _MOTION if name in group},
            )

    def snapshots(self, shot: int) -> Optional[Snapshots]:
        if not (self._folder / "snapshots.h5").is_file():
            return None
        with self._open("snapshots.h5", "onda-snapshots") as file:
            if str(shot) not in file["shots"]:
                return None
            group = file["shots"][str(shot)]
            _require_parts(group["pressure"])
            return Snapshots(
                shot, group["pressure"][:], group["time_s"][:], *(file[name][:] for name in ("x_m", "y_m", "z_m"))
            )

    def export(self, summary: Dict[str, Any], request: _core.ExportRequest) -> List[str]:
        file = self._folder / "seismograms.h5"
        if not file.is_file():
            raise UsageError("the run has no receivers: there is nothing to export")
        return _core.export_file(os.fspath(file), request)

    def save(self, folder: str) -> None:
        raise UsageError(f"the results are in {self._folder} already: save() is for runs in memory")

    def _open(self, name: str, format_name: str) -> Any:
        return _open(self._folder / name, format_name)


def _open(path: Path, format_name: str) -> Any:
    try:
        file = _h5py().File(path, "r")
    except OSError as error:
        raise InputDataError(f"{path}: cannot open it as an HDF5 file ({error})") from error
    found = _text(file.attrs.get("format", ""))
    if found != format_name:
        file.close()
        raise InputDataError(f"{path}: is of format '{found}'; expected {format_name}")
    return file


def _file_in(path: Union[str, "os.PathLike[str]"], name: str) -> Path:
    """A file, or that of this name in a folder. Raises MissingInputError if it is not there."""
    file = Path(path)
    if file.is_dir():
        file = file / name
    if not file.is_file():
        raise MissingInputError(f"{file}: no such file")
    return file


def _of_shot(file: Path, shot: int, name: str) -> Any:
    """What a file with images holds of the traces of a shot; None where it does not."""
    with _open(file, "onda-gradient") as root:
        group = root["shots"][str(shot)]
        return group[name][:] if name in group else None


def _require_parts(pressure: Any) -> None:
    """Of snapshots that several processes have written: HDF5 takes other values for those of a file that is missing."""
    if not pressure.is_virtual:
        return
    file = Path(pressure.file.filename)
    sources, sizes = pressure.virtual_sources(), pressure.file.attrs.get("part_bytes", ())
    if len(sizes) != len(sources):
        raise InputDataError(f"{file}: part_bytes must have the size of each of the {len(sources)} files of its snapshots")
    for source, size in zip(sources, sizes):
        if source.file_name in (".", "..") or any(mark in source.file_name for mark in "/%"):
            raise InputDataError(f"{file}: its snapshots are in {source.file_name}; expected a file of the same folder")
        part = file.parent / source.file_name
        if not part.is_file():
            raise MissingInputError(f"{part}: no such file; it has a part of the snapshots of {file}")
        if part.stat().st_size != size:
            raise InputDataError(f"{part}: has another size than was written; it has a part of the snapshots of {file}")


def _column(dataset: Any) -> np.ndarray:
    """Numbers, or texts: [receiver][character], a byte each."""
    values = dataset[:]
    if values.dtype.kind != "S":
        return values
    texts = [b"".join(row) for row in values] if values.ndim == 2 else list(values)
    return np.array([text.rstrip(b"\0").decode() for text in texts], dtype=object)


def _wavelets(group: Any) -> Optional[Wavelets]:
    if "wavelet" not in group:
        return None
    signal = group["wavelet"]
    attributes = signal.attrs
    return Wavelets(
        signal[:],
        float(attributes["dt_s"]),
        [_text(name) for name in attributes["type"]],
        list(attributes["t0_s"]),
        list(attributes["peak_frequency_hz"]),
        group["source_wavelet"][:],
        group["source_amplitude"][:],
        _text(group["source_amplitude"].attrs["units"]),
    )
