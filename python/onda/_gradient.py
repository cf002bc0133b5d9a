"""onda.read_gradient(): what adjoint runs have made, from gradient.h5."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Tuple, Union

import numpy as np

from ._errors import InputDataError
from ._folder import _file_in, _of_shot, _open
from ._results import _count, _nodes, _require_shot, _xarray

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
    q: Optional[np.ndarray] = None
    """That with respect to the quality factor, misfit; None where it was not computed."""
    epsilon: Optional[np.ndarray] = None
    delta: Optional[np.ndarray] = None
    """Those with respect to epsilon and delta, misfit; None where they were not computed."""

    @property
    def total_misfit(self) -> float:
        """The sum over the shots, in their order."""
        return float(sum(self.misfit.tolist()))

    def misfit_of_trace(self, shot: int) -> np.ndarray:
        """[receiver], read from the file. UsageError: there is no such shot."""
        _require_shot(shot, self.shots)
        return _of_shot(self.file, shot, "misfit")

    def adjoint_source(self, shot: int) -> Optional[np.ndarray]:
        """[receiver][time], read from the file; None where it was not stored. UsageError: there is no such shot."""
        _require_shot(shot, self.shots)
        return _of_shot(self.file, shot, "adjoint_source")

    def to_xarray(self) -> "xarray.Dataset":
        """All images with labelled coordinates: `vp(z_m, y_m, x_m)`, …. Needs xarray.

        `gradient.to_xarray().vp.squeeze().plot(yincrease=False, robust=True)` draws one of 2-D.
        """
        axes = ("z_m", "y_m", "x_m")
        images = {"vp": self.vp, "rho": self.rho, "q": self.q, "illumination_source": self.illumination_source}
        images.update(epsilon=self.epsilon, delta=self.delta)
        images["illumination_receiver"] = self.illumination_receiver
        return _xarray().Dataset(
            {name: (axes, values) for name, values in images.items() if values is not None},
            {name: (name, getattr(self, name), {"units": "m"}) for name in axes},
        )

    def __repr__(self) -> str:
        shots = _count(len(self.shots), "shot")
        return f"<onda.Gradient: {shots}, {_nodes(self)}, misfit {self.total_misfit:g}>"


def read_gradient(path: Union[str, "os.PathLike[str]"]) -> Gradient:
    """Reads gradient.h5, the file of a shot, or that in the folder of a run. Needs h5py.

    Raises MissingInputError if it is not there; InputDataError if it is no such file.
    """
    file = _file_in(path, "gradient.h5")
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
        *(gradients[name][:] if name in gradients else None for name in ("q", "epsilon", "delta")),
    )
