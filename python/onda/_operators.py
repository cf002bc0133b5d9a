"""The linear operators of a survey: onda.forward(), onda.adjoint(), and onda.born(), the derivative of the first."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Iterable, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _core
from ._arrays import array_of, doubles, rows_of_shots, stacked
from ._errors import UsageError
from ._misfit import request_on_grid
from ._progress import ProgressCallback
from ._run import Config, Overrides, computed

if TYPE_CHECKING:
    from ._run import ArrayLike

    Rows = Union[np.ndarray, List[np.ndarray]]


def forward(
    config: Config,
    *,
    vp: "Optional[ArrayLike]" = None,
    rho: "Optional[ArrayLike]" = None,
    q: "Optional[ArrayLike]" = None,
    epsilon: "Optional[ArrayLike]" = None,
    delta: "Optional[ArrayLike]" = None,
    signals: "Optional[Rows]" = None,
    overrides: Overrides = (),
    shots: Optional[Iterable[int]] = None,
    progress: Union[None, bool, ProgressCallback] = False,
) -> "Rows":
    """The seismograms F s of a configuration: pressure in Pa, [shot][receiver][sample].

    They are those of run() with `time.stepping: single`, or with `leap` where the configuration says so, bit for bit, in
    single precision; float64 with `scheme: {precision: double}`. F is linear in the signals s of the sources, adjoint()
    is its transpose and born() its derivative with respect to vp.

    vp: as in run(), or one-dimensional, in the order of the grid ([z][y][x], x fastest).
    signals: what the sources inject, [shot][source][step], in Pa in 2-D and Pa m in 3-D, in place of the wavelets; as
        signals() gives them. A list of arrays [source][step] where shots have different numbers of sources.
    rho, q, epsilon, delta, overrides, shots, progress: as in run(); without a progress bar unless one is asked for.

    Returns an array; where shots have different numbers of receivers a list of arrays [receiver][sample]. Shots ascend
    by number.
    Raises OndaError as run() does: ConfigError, UnstableError, …; UsageError where signals do not fit the survey.
    """
    vp = array_of("vp", vp)
    request = request_on_grid(config, vp, rho, overrides, shots, q, epsilon, delta)
    rows = [] if signals is None else rows_of_shots("signals", signals)
    return stacked(_apply(request, "forward", [], rows, vp is not None, progress, "signals"))


def adjoint(
    config: Config,
    data: "Rows",
    *,
    vp: "Optional[ArrayLike]" = None,
    rho: "Optional[ArrayLike]" = None,
    q: "Optional[ArrayLike]" = None,
    epsilon: "Optional[ArrayLike]" = None,
    delta: "Optional[ArrayLike]" = None,
    overrides: Overrides = (),
    shots: Optional[Iterable[int]] = None,
    progress: Union[None, bool, ProgressCallback] = False,
) -> "Rows":
    """F' of data, the transpose of forward(): for the sources of every shot what the derivative of a misfit with respect
    to their signals is, if data are its derivative with respect to the seismograms.

    <F s, d> = <s, F' d> to rounding, for sums of products over all shots, rows and samples: with the removal of the
    dispersion in time, resampling and decimation of the seismograms in F.

    data: [shot][receiver][sample] as forward() returns them, or a list of arrays [receiver][sample].
    vp, rho, q, epsilon, delta, overrides, shots, progress: as in forward().

    Returns [shot][source][step] for the time steps 0, dt, …, of which the last, as what is injected then is not seen any
    more, is 0, or with time.order: 4 the first; a list of arrays where shots have different numbers of sources.
    Raises OndaError as forward() does; UsageError where data do not fit the survey.
    """
    vp = array_of("vp", vp)
    request = request_on_grid(config, vp, rho, overrides, shots, q, epsilon, delta)
    rows = rows_of_shots("data", data)
    return stacked(_apply(request, "adjoint", [], rows, vp is not None, progress, "data"))


def signals(
    config: Config,
    *,
    vp: "Optional[ArrayLike]" = None,
    rho: "Optional[ArrayLike]" = None,
    q: "Optional[ArrayLike]" = None,
    epsilon: "Optional[ArrayLike]" = None,
    delta: "Optional[ArrayLike]" = None,
    overrides: Overrides = (),
    shots: Optional[Iterable[int]] = None,
) -> "Tuple[Rows, float]":
    """The signals s that forward() injects: amplitude times wavelet at every time step, with the transform in them that
    removes the dispersion in time.

    Returns s, [shot][source][step], or a list of arrays [source][step] where shots have different numbers of sources,
    and the time step in seconds. It follows from vp unless the configuration has time.dt_s.
    """
    vp = array_of("vp", vp)
    request = request_on_grid(config, vp, rho, overrides, shots, q, epsilon, delta)
    rows, dt_s = computed(lambda request, *_: _core.signals(request), request, vp is not None, False)
    return stacked(rows), dt_s


def born(
    config: Config,
    *,
    vp: "Optional[ArrayLike]" = None,
    rho: "Optional[ArrayLike]" = None,
    epsilon: "Optional[ArrayLike]" = None,
    delta: "Optional[ArrayLike]" = None,
    axes: str = "xyz",
    overrides: Overrides = (),
    shots: Optional[Iterable[int]] = None,
    progress: Union[None, bool, ProgressCallback] = False,
) -> Any:
    """J, the derivative of forward() with respect to vp, or to vp and rho, as a linear operator.

    J takes a change of vp [m/s] at every node to that of the seismograms [Pa], to first order (Born modelling); J' takes
    data to values on the nodes: of the derivative of a misfit with respect to the seismograms that with respect to vp.
    Each is the transpose of the other to rounding, and exact for the discrete scheme: at a given time step, with the
    absorbing layers as they are for vp, and at fixed density. With imaging.parameters: vp_and_rho a change is one of vp,
    then one of rho [kg/m3], at every node, for models with densities. Epsilon and delta are fixed. Media that absorb
    scatter nothing so far: there is no q here, and a configuration whose model has one is refused.

    config, vp, rho, epsilon, delta, overrides, shots: as in forward(). What arrays hold is copied: J stays where it is.
    axes: the order of the nodes in what J takes and J' gives. "xyz": x first, as PyLops has them: dims is (nx, nz) or
        (nx, ny, nz), and z is the fastest in flat arrays. "zyx": that of vp and of misfit(): dims is (nz, nx) or
        (nz, ny, nx), and x is the fastest, so that J.rmatvec() gives the flat gradients of misfit(). With
        vp_and_rho dims has a 2 before these: [0] is vp, [1] is rho.
    progress: as in run(), for every product; without a progress bar unless one is asked for.

    Returns an operator with matvec(), rmatvec(), shape, dtype, dims and dimsd: a pylops.LinearOperator where PyLops 2 can
    be imported, otherwise a scipy.sparse.linalg.LinearOperator where SciPy can, otherwise one that has these, @, T and H.
    matvec() takes flat arrays of the size of dims and gives flat data; rmatvec() the other way. dimsd is
    (shots, receivers, samples) or, where shots have different numbers of receivers, (receivers of all shots, samples).
    dtype is the precision of the run: float32, or float64 with `scheme: {precision: double}`.
    imaging.storage, memory_gib and every say how J' keeps the forward field; every: auto is every time step here.
    Raises OndaError as forward() does.
    """
    if axes not in ("xyz", "zyx"):
        raise UsageError(f"axes: must be xyz or zyx, not {axes!r}")
    return _as_operator(_Born(config, (vp, rho, epsilon, delta), axes, overrides, shots, progress))


class _Born:
    """J and J' between flat arrays."""

    def __init__(
        self,
        config: Config,
        parameters: "Tuple[Optional[ArrayLike], ...]",
        axes: str,
        overrides: Overrides,
        shots: Optional[Iterable[int]],
        progress: Union[None, bool, ProgressCallback],
    ) -> None:
        names = ("vp", "rho", "epsilon", "delta")
        vp, rho, epsilon, delta = (_copy(name, values) for name, values in zip(names, parameters))
        self._request = request_on_grid(config, vp, rho, overrides, shots, None, epsilon, delta)
        self._has_model = vp is not None
        self._progress = progress
        outline = computed(lambda request, *_: _core.outline(request), self._request, self._has_model, False)
        self._nodes: Tuple[int, int, int] = outline["shape"]
        self._receivers: List[int] = outline["receivers"]
        self._samples: int = outline["samples"]
        self._x_first = axes == "xyz"
        in_order = [n for axis, n in zip("zyx", self._nodes) if axis != "y" or n > 1]
        nodes = tuple(reversed(in_order)) if self._x_first else tuple(in_order)
        self._of_both: bool = outline["parameters"] == 2
        self.dims = (2, *nodes) if self._of_both else nodes
        same = len(set(self._receivers)) == 1
        rows = (len(self._receivers), self._receivers[0]) if same else (sum(self._receivers),)
        self.dimsd = (*rows, self._samples)
        self.dtype = np.dtype(np.float64 if outline["double"] else np.float32)
        self.shape = (sum(self._receivers) * self._samples, int(np.prod(self.dims)))

    def matvec(self, change: Any) -> np.ndarray:
        if np.iscomplexobj(change):
            return self.matvec(np.real(change)) + 1j * self.matvec(np.imag(change))
        name = "the change of vp and rho" if self._of_both else "the change of vp"
        values = self._taken(name, change, self.shape[1]).reshape(self.dims)
        changes = [
            np.ascontiguousarray(of_one.T if self._x_first else of_one).reshape(self._nodes)
            for of_one in (values if self._of_both else [values])
        ]
        rows = _apply(self._request, "born", changes, [], self._has_model, self._progress, name)
        return np.concatenate([row.ravel() for row in rows])

    def rmatvec(self, data: Any) -> np.ndarray:
        if np.iscomplexobj(data):
            return self.rmatvec(np.real(data)) + 1j * self.rmatvec(np.imag(data))
        flat = self._taken("data", data, self.shape[0])
        ends = np.cumsum(self._receivers) * self._samples
        rows = [row.reshape(-1, self._samples) for row in np.split(flat, ends[:-1])]
        images = _apply(self._request, "born_transpose", [], rows, self._has_model, self._progress, "data")
        in_order = self._nodes[::2] if self._nodes[1] == 1 else self._nodes
        images = [image.reshape(in_order) for image in images]
        return np.concatenate([(image.T if self._x_first else image).ravel() for image in images])

    @staticmethod
    def _taken(name: str, array: Any, size: int) -> np.ndarray:
        values = doubles(name, array).ravel()
        if values.size != size:
            raise UsageError(f"{name}: {values.size} values, where the operator takes {size}")
        return values


def _copy(name: str, array: "Optional[ArrayLike]") -> "Optional[ArrayLike]":
    array = array_of(name, array)
    return None if array is None else array.copy()


def _apply(
    request: _core.RunRequest,
    name: str,
    change: Sequence[np.ndarray],
    rows: Sequence[np.ndarray],
    has_model: bool,
    progress: Union[None, bool, ProgressCallback],
    operand: str,
) -> Any:
    """What _core.apply() gives; errors of the operand begin with its name."""

    def work(request: _core.RunRequest, reporter: Any, tell: Any) -> Any:
        try:
            return _core.apply(request, name, list(change), list(rows), reporter, tell)
        except UsageError as error:
            raise UsageError(f"{operand}: {error}") from None

    return computed(work, request, has_model, progress)


def _as_operator(born: _Born) -> Any:
    pylops = _module("pylops")
    if pylops is not None and int(pylops.__version__.split(".")[0]) >= 2:
        return _with_pylops(pylops, born)
    linalg = _module("scipy.sparse.linalg")
    return Operator(born) if linalg is None else _with_scipy(linalg, born)


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _with_pylops(pylops: Any, born: _Born) -> Any:
    class Born(pylops.LinearOperator):
        def _matvec(self, x: Any) -> np.ndarray:
            return born.matvec(x)

        def _rmatvec(self, x: Any) -> np.ndarray:
            return born.rmatvec(x)

    return Born(dtype=born.dtype, dims=born.dims, dimsd=born.dimsd, name="onda.born")


def _with_scipy(linalg: Any, born: _Born) -> Any:
    class Born(linalg.LinearOperator):
        dims, dimsd = born.dims, born.dimsd

        def _matvec(self, x: Any) -> np.ndarray:
            return born.matvec(x)

        def _rmatvec(self, x: Any) -> np.ndarray:
            return born.rmatvec(x)

    return Born(dtype=born.dtype, shape=born.shape)


class Operator:
    """A linear operator without PyLops or SciPy: matvec(), rmatvec(), @, and T, which is H, with the same."""

    def __init__(self, born: Any, transposed: bool = False) -> None:
        self._born = born
        self._transposed = transposed
        self.dtype = born.dtype
        self.shape = born.shape[::-1] if transposed else born.shape
        self.dims, self.dimsd = (born.dimsd, born.dims) if transposed else (born.dims, born.dimsd)

    def matvec(self, x: Any) -> np.ndarray:
        return self._born.rmatvec(x) if self._transposed else self._born.matvec(x)

    def rmatvec(self, x: Any) -> np.ndarray:
        return self._born.matvec(x) if self._transposed else self._born.rmatvec(x)

    def __matmul__(self, x: Any) -> np.ndarray:
        return self.matvec(x)

    @property
    def T(self) -> "Operator":
        return Operator(self._born, not self._transposed)

    H = T
