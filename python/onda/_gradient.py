"""onda.read_gradient(): what adjoint runs have made, from gradient.h5."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Tuple, Union

import numpy as np

from ._errors import InputDataError, MissingInputError, UsageError
from ._folder import _h5py, _open
from ._results import _count, _range, _xarray

if TYPE_CHECKING:
    import xarray


@dataclass(frozen=True, eq=False)
class Gradient:
    """The sum over the shots of a survey, or what one shot left. Arrays are [z][y][x]; in 2-D there is one y."""

    vp: np.ndarray
    """Derivative of the misfit with respect to vp at every node, misfit per m/s, float32."""
    rho: Optional[np.ndarray]
    """That with respect to rho, misfit per kg/m³; None where it was not computed."""
    illumination_source: Optional[np.ndarray]
    """By the forward field; None where it was not computed."""
    illumination_receiver: Optional[np.ndarray]
    """By the adjoint field; None where it was not computed."""
    x_m: np.ndarray
    y_m: np.ndarray
    z_m: np.ndarray
    first_node: Tuple[int, int, int]
    """The node (x, y, z) of the run's grid that the arrays begin with: 0 but for shots with an aperture."""
    shots: np.ndarray
    """[shot]: their numbers."""
    misfit: np.ndarray
    """[shot]."""
    traces: np.ndarray
    """[shot]: how many there are; of those, `dead` and `excluded` count for nothing."""
    dead: np.ndarray
    excluded: np.ndarray
    file: Path

    @property
    def total_misfit(self) -> float:
        """The sum over the shots, in their order."""
        return float(sum(self.misfit.tolist()))

    def misfit_of_trace(self, shot: int) -> np.ndarray:
        """[receiver], read from the file. UsageError: there is no such shot."""
        return self._of_shot(shot, "misfit")

    def adjoint_source(self, shot: int) -> Optional[np.ndarray]:
        """[receiver][time], read from the file; None where it was not stored. UsageError: there is no such shot."""
        return self._of_shot(shot, "adjoint_source")

    def _of_shot(self, shot: int, name: str) -> Any:
        if shot not in self.shots:
            there = ", ".join(map(str, self.shots[:8])) + (", …" if len(self.shots) > 8 else "")
            raise UsageError(f"there is no shot {shot}; there are {there}")
        with _open(self.file, "onda-gradient") as file:
            group = file["shots"][str(shot)]
            return group[name][:] if name in group else None

    def to_xarray(self) -> "xarray.Dataset":
        """All images with labelled coordinates: `vp(z_m, y_m, x_m)`, …. Needs xarray.

        `gradient.to_xarray().vp.squeeze().plot(yincrease=False, robust=True)` draws one of 2-D.
        """
        axes = ("z_m", "y_m", "x_m")
        images = {"vp": self.vp, "rho": self.rho, "illumination_source": self.illumination_source}
        images["illumination_receiver"] = self.illumination_receiver
        return _xarray().Dataset(
            {name: (axes, values) for name, values in images.items() if values is not None},
            {name: (name, getattr(self, name), {"units": "m"}) for name in axes},
        )

    def __repr__(self) -> str:
        axes = [(name, getattr(self, f"{name}_m")) for name in "xyz"]
        wide = [(name, values) for name, values in axes if len(values) > 1] or axes
        nodes = " x ".join(str(len(values)) for _, values in wide)
        window = ", ".join(f"{name} {_range(values, 'm')}" for name, values in wide)
        shots = _count(len(self.shots), "shot")
        return f"<onda.Gradient: {shots}, {nodes} nodes ({window}), misfit {self.total_misfit:g}>"


def read_gradient(path: Union[str, "os.PathLike[str]"]) -> Gradient:
    """Reads gradient.h5, the file of a shot, or that in the folder of a run. Needs h5py.

    Raises MissingInputError if it is not there; InputDataError if it is no such file.
    """
    file = Path(path)
    if file.is_dir():
        file = file / "gradient.h5"
    if not file.is_file():
        raise MissingInputError(f"{file}: no such file")
    _h5py()
    with _open(file, "onda-gradient") as root:
        try:
            return _gradient_of(root, file)
        except (KeyError, ValueError) as error:
            raise InputDataError(f"{file}: {error.args[0] if error.args else error}") from error


def _gradient_of(root: Any, file: Path) -> Gradient:
    images = root["illumination"] if "illumination" in root else {}
    gradients = root["gradient"]
    vp = gradients["vp"]
    z, y, x = (int(node) for node in vp.attrs["first_node"])
    return Gradient(
        vp[:],
        gradients["rho"][:] if "rho" in gradients else None,
        *(images[name][:] if name in images else None for name in ("source", "receiver")),
        *(root[name][:] for name in ("x_m", "y_m", "z_m")),
        (x, y, z),
        *(root["misfit"][name][:] for name in ("shot", "value", "traces", "dead", "excluded")),
        file,
    )
