"""Arrays of other packages as NumPy's: through DLPack, without a copy."""

from __future__ import annotations

from typing import Any, List, Sequence, Union

import numpy as np

from ._errors import InputDataError, UsageError

# DLDeviceType of dlpack.h: what the CPU reads, and the names of some others.
_READABLE = {1, 3, 11, 13}  # the host's memory, that pinned for CUDA or ROCm, and CUDA's managed memory
_DEVICES = {2: "CUDA device", 8: "Metal device", 10: "ROCm device", 14: "oneAPI device"}


def array_of(name: str, array: Any) -> Any:
    """What an array of CuPy, PyTorch, JAX, … is in NumPy, sharing its memory; DataArrays and None as they are.

    Raises UsageError where it lies in the memory of a device, or cannot be shared.
    """
    if array is None or isinstance(array, np.ndarray) or hasattr(array, "dims"):
        return array
    if not hasattr(array, "__dlpack__"):
        return np.asarray(array)
    kind, number = (int(value) for value in array.__dlpack_device__())
    if kind not in _READABLE:
        device = _DEVICES.get(kind, f"device of type {kind}")
        raise UsageError(
            f"{name}: the array lies in the memory of {device} {number}; models and data are taken from the memory of "
            "the host: give a copy of it there, as array.get() of CuPy, tensor.cpu() of PyTorch or "
            "jax.device_get(array) make"
        )
    try:
        return np.from_dlpack(array)
    except (BufferError, RuntimeError, TypeError) as error:  # such as a tensor that requires a gradient
        raise UsageError(f"{name}: the array cannot be shared: {error}") from error


def doubles(name: str, array: Any) -> np.ndarray:
    """Finite numbers, C-contiguous and in double precision. Raises UsageError, InputDataError."""
    values = np.asarray(array_of(name, array))
    if values.dtype.kind not in "fiu":
        raise UsageError(f"{name}: must be numbers, not {values.dtype}")
    values = np.ascontiguousarray(values, dtype=np.float64)
    if not np.isfinite(values).all():
        at = tuple(int(i) for i in np.argwhere(~np.isfinite(values))[0])
        raise InputDataError(f"{name}: the value at {list(at)} is {values[at]}; there must be finite numbers alone")
    return values


def rows_of_shots(name: str, arrays: Any) -> List[np.ndarray]:
    """[row][sample] of each shot, of an array [shot][row][sample] or a list of arrays [row][sample]."""
    if isinstance(arrays, (list, tuple)):
        rows = [doubles(f"{name}[{i}]", array) for i, array in enumerate(arrays)]
    else:
        values = doubles(name, arrays)
        if values.ndim != 3:
            raise UsageError(f"{name}: must have three dimensions, one of them for the shots, not {values.ndim}")
        rows = list(values)
    for i, row in enumerate(rows):
        if row.ndim != 2:
            raise UsageError(f"{name}[{i}]: must have two dimensions, not {row.ndim}")
    return rows


def stacked(rows: Sequence[np.ndarray]) -> Union[np.ndarray, List[np.ndarray]]:
    """[shot][row][sample]; a list where shots have different numbers of rows."""
    if len({row.shape for row in rows}) > 1:
        return list(rows)
    return rows[0][np.newaxis] if len(rows) == 1 else np.stack(rows)
