"""onda.misfit(): how far synthetic seismograms are from observed ones, and how to come nearer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterable, Optional, Tuple, Union

import numpy as np

from . import _core
from ._arrays import array_of
from ._errors import UsageError
from ._progress import ProgressCallback
from ._run import Config, Overrides, computed, number_of, request_of, settings_of

if TYPE_CHECKING:
    from ._run import ArrayLike


def misfit(
    config: Config,
    *,
    vp: "Optional[ArrayLike]" = None,
    rho: "Optional[ArrayLike]" = None,
    q: "Optional[ArrayLike]" = None,
    epsilon: "Optional[ArrayLike]" = None,
    delta: "Optional[ArrayLike]" = None,
    overrides: Overrides = (),
    shots: Optional[Iterable[int]] = None,
    progress: Union[None, bool, ProgressCallback] = False,
) -> Tuple[float, np.ndarray]:
    """The misfit J of a configuration, and its gradient dJ/dvp, alone or beside that of other parameters.

    The seismograms of every shot are compared with those of the configuration's imaging.observed, by its
    imaging.misfit; the gradient is exact at every node of the grid (docs/gradients.md) and, with the same bits, what
    `onda gradient` writes, but for its sum over the shots, which stays in double precision here.

    vp: as in run(); or one-dimensional, in the order of the grid ([z][y][x], x fastest), as optimisers have it:

        scipy.optimize.minimize(lambda v: onda.misfit(config, vp=v), v0, jac=True, method="L-BFGS-B")

    rho: likewise, of variable density.
    q: likewise, of a medium that absorbs. It is held unless imaging.parameters says vp_and_q.
    epsilon, delta: likewise, of VTI. They are held unless imaging.parameters says vp_epsilon_and_delta.
    overrides, shots, progress: as in run(); without a progress bar unless one is asked for.

    Returns J and dJ/dvp [misfit per m/s], float64, in the shape of vp; without vp [z][x] or [z][y][x]. With
    imaging.parameters: vp_and_rho the gradient is an array of one dimension more: [0] is dJ/dvp, [1] is dJ/drho
    [misfit per kg/m3], each with the other as it is; with vp_and_q [1] is dJ/dQ [misfit], with
    vp_epsilon_and_delta [1] is dJ/depsilon and [2] dJ/ddelta. An optimiser of both vp and rho has them one after the
    other:

        def both(m):
            vp, rho = np.split(m, 2)
            value, gradient = onda.misfit(config, vp=vp, rho=rho)
            return value, gradient.ravel()
    """
    vp = array_of("vp", vp)
    model = on_grid(config, vp, overrides)
    request = request_on_grid(config, model, rho, overrides, shots, q, epsilon, delta)
    value, _, *gradients = computed(_core.misfit, request, vp is not None, progress)
    shaped = [_in_shape_of(vp, model, gradient) for gradient in gradients if gradient is not None]
    return value, np.stack(shaped) if len(shaped) > 1 else shaped[0]


def _in_shape_of(vp: "Optional[ArrayLike]", model: "Optional[ArrayLike]", gradient: np.ndarray) -> np.ndarray:
    """A gradient [z][y][x] as the caller has vp. model: vp as run() takes it."""
    if vp is None:
        return gradient[:, 0, :] if gradient.shape[1] == 1 else gradient
    return gradient.ravel() if is_flat(vp) else gradient.reshape(_ordered_shape(model))


def _ordered_shape(vp: "ArrayLike") -> Tuple[int, ...]:
    """The shape of an array of run() with its dimensions in the order z y x."""
    if not hasattr(vp, "dims"):
        return tuple(np.shape(vp))
    axes = {str(dimension).split("_")[0]: dimension for dimension in vp.dims}
    return tuple(vp.sizes[axes[axis]] for axis in "zyx" if axis in axes)


def request_on_grid(
    config: Config,
    vp: "Optional[ArrayLike]",
    rho: "Optional[ArrayLike]",
    overrides: Overrides,
    shots: Optional[Iterable[int]],
    q: "Optional[ArrayLike]" = None,
    epsilon: "Optional[ArrayLike]" = None,
    delta: "Optional[ArrayLike]" = None,
) -> _core.RunRequest:
    """As request_of(), of arrays that may be flat."""
    vp, rho, q, epsilon, delta = (
        values if number_of(values) is not None else on_grid(config, array_of(name, values), overrides, name)
        for name, values in (("vp", vp), ("rho", rho), ("q", q), ("epsilon", epsilon), ("delta", delta))
    )
    return request_of(config, vp, rho, overrides, shots, q, epsilon, delta)


def is_flat(values: "Optional[ArrayLike]") -> bool:
    """Whether an array of array_of() has one dimension, in the order of the grid."""
    return values is not None and not hasattr(values, "dims") and np.ndim(values) == 1


def on_grid(
    config: Config, values: "Optional[ArrayLike]", overrides: Overrides, name: str = "vp"
) -> "Optional[ArrayLike]":
    """A flat array in the shape of the grid of a configuration; anything else as it is."""
    if not is_flat(values):
        return values
    settings = [*settings_of(overrides), "model={type: constant, vp_m_s: 1500}"]
    shape = _core.grid_shape(request_of(config, None, None, settings, None))
    if not shape:
        raise UsageError(f"{name}: a one-dimensional array needs grid.shape in the configuration")
    if values.size != int(np.prod(shape)):
        raise UsageError(
            f"{name}: {values.size} values for a grid of {shape[2]} x {shape[1]} x {shape[0]} nodes (x, y, z)"
        )
    return values.reshape(shape if shape[1] > 1 else (shape[0], shape[2]))
