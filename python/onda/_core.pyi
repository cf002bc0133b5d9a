"""The compiled part of the package: python/core.cpp."""

from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

version: str
version_line: str

_Progress = Callable[[int, int, int, int, int, float, float], None]
_Log = Callable[[bool, str], None]
_AfterIteration = Callable[
    [int, int, float, float, float, float, float, float, int, int, Optional[float]], None
]

class RunRequest:
    def __init__(
        self,
        text: str,
        name: str,
        overrides: List[str],
        arrays: Dict[str, np.ndarray],
        ends: Dict[str, Tuple[float, float]],
        shots: str,
    ) -> None: ...

def run(request: RunRequest, progress: _Progress, log: _Log) -> Dict[str, Any]: ...
def misfit(
    request: RunRequest, progress: _Progress, log: _Log
) -> Tuple[
    float,
    Dict[int, float],
    np.ndarray,
    Optional[np.ndarray],
    Optional[np.ndarray],
    Optional[np.ndarray],
    Optional[np.ndarray],
]: ...
def rtm(request: RunRequest, progress: _Progress, log: _Log) -> Dict[str, Any]: ...
def lsrtm(request: RunRequest, folder: str, progress: _Progress, log: _Log) -> None: ...
def fwi(
    request: RunRequest,
    folder: str,
    overwrite: bool,
    after_iteration: _AfterIteration,
    progress: _Progress,
    log: _Log,
) -> None: ...
def apply(
    request: RunRequest,
    name: str,
    change: List[np.ndarray],
    rows: List[np.ndarray],
    progress: _Progress,
    log: _Log,
) -> List[np.ndarray]: ...
def outline(request: RunRequest) -> Dict[str, Any]: ...
def signals(request: RunRequest) -> Tuple[List[np.ndarray], float]: ...
def grid_shape(request: RunRequest) -> List[int]: ...

class ExportRequest:
    def __init__(self, file: str, format: str, samples: str, shots: str, quantity: str, overwrite: bool) -> None: ...

def export_file(input: str, request: ExportRequest) -> List[str]: ...
def export_gathers(
    version: str, title: str, grid: Dict[str, Any], gathers: Dict[int, Dict[str, Any]], request: ExportRequest
) -> List[str]: ...
def save(left: Dict[str, Any], folder: str) -> None: ...
