"""Promise: the examples that put Onda into packages for automatic differentiation run, and what they check
holds; arrays go in and come out through DLPack without a copy."""

import runpy
from pathlib import Path

import numpy as np
import pytest

import onda

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def run(name, capsys):
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    assert "along a direction" in capsys.readouterr().out


def test_pytorch_differentiates(capsys):
    pytest.importorskip("torch", reason="there is no PyTorch: examples/torch_autograd.py is not run")
    run("torch_autograd.py", capsys)


def test_jax_differentiates(capsys):
    pytest.importorskip("jax", reason="there is no JAX: examples/jax_custom_vjp.py is not run")
    run("jax_custom_vjp.py", capsys)


def test_tensors_share_their_memory():
    torch = pytest.importorskip("torch")
    tensor = torch.ones((3, 4), dtype=torch.float32)
    taken = onda._arrays.array_of("vp", tensor)
    tensor[1, 2] = 7
    assert taken[1, 2] == 7
    result = np.zeros(3)
    torch.from_dlpack(result)[1] = 5
    assert result[1] == 5
    with pytest.raises(onda.UsageError, match="vp: the array cannot be shared: .*detach"):
        onda._arrays.array_of("vp", tensor.requires_grad_())


def test_arrays_of_jax_share_their_memory():
    jax = pytest.importorskip("jax")
    array = jax.numpy.arange(12.0).reshape(3, 4)
    taken = onda._arrays.array_of("vp", array)
    assert taken.ctypes.data == array.unsafe_buffer_pointer()
    assert np.array_equal(taken, np.arange(12.0).reshape(3, 4))
