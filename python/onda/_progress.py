"""How far a run is: what callbacks are told, and the bar that is shown where nobody asks for anything else."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import Callable, Optional, Union


@dataclass(frozen=True)
class Progress:
    """How far a run is, as callbacks are told several times a second."""

    shots_done: int
    """Shots that are computed."""
    shots: int
    """Shots that are to be computed."""
    step: int
    """Time steps of the shots that are under way."""
    steps: int
    """Time steps of a shot."""
    time_s: float
    """Simulated time of the shots that are under way."""
    max_abs_pressure: float
    """Their largest |p| [Pa] at the last check of stability, not at `step`."""
    fraction: float
    """Part of all time steps that is done, from 0 to 1."""


ProgressCallback = Callable[[Progress], object]


class _Tqdm:
    """A bar by tqdm, which notebooks show as a widget."""

    def __init__(self) -> None:
        from tqdm.auto import tqdm

        self._bar = tqdm(total=1.0, bar_format="{l_bar}{bar}| {elapsed}<{remaining}{postfix}")

    def __call__(self, progress: Progress) -> None:
        self._bar.set_postfix_str(_words(progress), refresh=False)
        self._bar.update(progress.fraction - self._bar.n)

    def close(self) -> None:
        self._bar.close()


class _Line:
    """One line of a terminal, written over and over."""

    def __init__(self) -> None:
        self._start = time.monotonic()

    def __call__(self, progress: Progress) -> None:
        width = 30
        done = int(progress.fraction * width)
        seconds = time.monotonic() - self._start
        sys.stderr.write(
            f"\r{progress.fraction:4.0%} |{'#' * done}{'-' * (width - done)}| {seconds:.0f} s, {_words(progress)}\033[K"
        )
        sys.stderr.flush()

    def close(self) -> None:
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()


def _words(progress: Progress) -> str:
    shot = f"shot {min(progress.shots_done + 1, progress.shots)}/{progress.shots}, " if progress.shots > 1 else ""
    return f"{shot}t = {progress.time_s:.3f} s"


def _bar() -> Union[_Tqdm, _Line]:
    try:
        return _Tqdm()
    except ImportError:
        return _Line()


class Reporter:
    """What the compiled part calls. `progress` as of onda.run()."""

    def __init__(self, progress: Union[None, bool, ProgressCallback]) -> None:
        wanted = sys.stderr is not None and sys.stderr.isatty() if progress is None else bool(progress)
        self._bar: Union[None, _Tqdm, _Line] = None
        self._show_bar = wanted and not callable(progress)
        self._callback: Optional[ProgressCallback] = progress if callable(progress) else None

    def __call__(
        self, done: int, together: int, shots: int, step: int, steps: int, time_s: float, max_abs: float
    ) -> None:
        all_steps = max(shots, done + together) * steps
        fraction = (done * steps + together * step) / all_steps if all_steps else 1.0
        progress = Progress(done, shots, step, steps, time_s, max_abs, fraction)
        if self._callback is not None:
            self._callback(progress)
        if self._show_bar:
            if self._bar is None:
                self._bar = _bar()
            self._bar(progress)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
