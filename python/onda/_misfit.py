"""onda.misfit(): how far synthetic seismograms are from observed ones, and how to come nearer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterable, Optional, Tuple, Union

import numpy as np

from . import _core
from ._arrays import array_of
from ._errors import UsageError
from ._progress import ProgressCallback
from ._run import Config, computed, request_of

if TYPE_CHECKING:
    from ._run import ArrayLike


def misfit(
    config: Config,
    *,
    vp: "Optional[ArrayLike]" = None,
    rho: "Optional[ArrayLike]" = None,
    overrides: Iterable[str] = (),
    shots: Optional[Iterable[int]] = None,
    progress: Union[None, bool, ProgressCallback] = False,
) -> Tuple[float, np.ndarray]:
    """The misfit J of a configuration, and its gradient dJ/dvp.

    The seismograms of every shot are compared with those of the configuration's imaging.observed, by its
    imaging.misfit; the gradient is exact at every node of the grid (docs/gradients.md) and, with the same bits, what
    `onda gradient` writes, but for its sum over the shots, which stays in double precision here.

    vp: as in run(); or one-dimensional, in the order of the grid ([z][y][x], x fastest), as optimisers have it:

        scipy.optimize.minimize(lambda v: onda.misfit(config, vp=v), v0, jac=True, method="L-BFGS-B")

    rho, overrides, shots, progress: as in run(); without a progress bar unless one is asked for.

    Returns J and dJ/dvp [misfit per m/s], float64, in the shape of vp; without vp [z][x] or [z][y][x].
    """
    vp = array_of("vp", vp)
    flat = is_flat(vp)
    model = on_grid(config, vp, overrides)
    request = request_of(config, model, rho, overrides, shots)
    value, _, gradient = computed(_core.misfit, request, vp is not None, progress)
    if flat:
        return value, gradient.ravel()
    if vp is None:
        return value, gradient[:, 0, :] if gradient.shape[1] == 1 else gradient
    return value, gradient.reshape(_ordered_shape(model))


def _ordered_shape(vp: "ArrayLike") -> Tuple[int, ...]:
    """The shape of an array of run() with its dimensions in the order z y x."""
    if not hasattr(vp, "dims"):
        return tuple(np.shape(vp))
    axes = {str(dimension).split("_")[0]: dimension for dimension in vp.dims}
    return tuple(vp.sizes[axes[axis]] for axis in "zyx" if axis in axes)


def is_flat(vp: "Optional[ArrayLike]") -> bool:
    """Whether an array of array_of() has one dimension, in the order of the grid."""
    return vp is not None and not hasattr(vp, "dims") and np.ndim(vp) == 1


def on_grid(config: Config, vp: "Optional[ArrayLike]", overrides: Iterable[str]) -> "Optional[ArrayLike]":
    """A flat array in the shape of the grid of a configuration; anything else as it is."""
    if not is_flat(vp):
        return vp
    shape = _core.grid_shape(request_of(config, None, None, list(overrides) + ["model={type: constant, vp_m_s: 1500}"], None))
    if not shape:
        raise UsageError("vp: a one-dimensional array needs grid.shape in the configuration")
    if vp.size != int(np.prod(shape)):
        raise UsageError(f"vp: {vp.size} values for a grid of {shape[2]} x {shape[1]} x {shape[0]} nodes (x, y, z)")
    return vp.reshape(shape if shape[1] > 1 else (shape[0], shape[2]))
