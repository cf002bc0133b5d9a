"""The compiled part of the package: python/core.cpp."""

from typing import Any, Callable, Dict, List, Tuple

import numpy as np

version: str
version_line: str

def run(
    text: str,
    name: str,
    overrides: List[str],
    arrays: Dict[str, np.ndarray],
    ends: Dict[str, Tuple[float, float]],
    shots: str,
    progress: Callable[[int, int, int, int, int, float, float], None],
    log: Callable[[bool, str], None],
) -> Dict[str, Any]: ...

class ExportRequest:
    def __init__(self, file: str, format: str, samples: str, shots: str, overwrite: bool) -> None: ...

def export_file(input: str, request: ExportRequest) -> List[str]: ...
def export_gathers(
    version: str, title: str, grid: Dict[str, Any], gathers: Dict[int, Dict[str, Any]], request: ExportRequest
) -> List[str]: ...
