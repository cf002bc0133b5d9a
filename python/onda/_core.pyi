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
