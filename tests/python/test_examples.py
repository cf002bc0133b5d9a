"""Promise: the examples that put Onda into packages for automatic differentiation run, and what they check
holds; arrays go in and come out through DLPack without a copy."""

import os
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


def test_accuracy_table_of_the_documents_is_that_of_its_script():
    """Its first column, of Onda with and without time dispersion."""
    table = runpy.run_path(str(EXAMPLES / "accuracy_table.py"))
    case = table["Case"](table["POINTS"][0])
    page = (EXAMPLES.parent / "docs" / "users_of.md").read_text()
    for title, orders, trace in table["rows"](os.environ["ONDA_PROGRAM"])["onda"]:
        for order in orders:
            error = case.error(trace(case, order))
            assert f"| {title} | {order} | {100 * error:.2g} % |" in page


@pytest.fixture(scope="module")
def transcranial():
    return runpy.run_path(str(EXAMPLES / "transcranial_benchmark.py"))


@pytest.mark.filterwarnings("ignore:Q of")
@pytest.mark.parametrize("case, depth_m, percent", [(1, 20e-3, 0.15), (2, 20e-3, 0.15), (4, 38e-3, 3.0)])
def test_piston_of_the_transcranial_benchmark(transcranial, case, depth_m, percent):
    """Against plane waves through layers, in the whole field with its phases, at six nodes per wavelength in water."""
    field = transcranial["compute"](case, "piston", 0.5e-3, depth_m, 11e-3, progress=False)
    below = field.z_m > 4.9e-3
    assert field.z_m[[0, -1]] == pytest.approx([0, depth_m])
    assert field.unsteady < 0.01
    expected = transcranial["exact"](case, "piston", field.z_m[below], field.r_m)
    l2, _ = transcranial["difference"](field.pressure[below], expected.pressure)
    assert l2 < percent


@pytest.mark.parametrize("source", ["bowl", "piston"])
def test_exact_fields_of_the_transcranial_benchmark(transcranial, source):
    """The integral over plane waves against the closed forms on the axis."""
    z_m = np.array([10e-3, 33e-3, 50e-3, 64e-3, 100e-3])
    found = np.abs(transcranial["exact"](1, source, z_m, np.zeros(1)).pressure[:, 0])
    assert found == pytest.approx(transcranial["on_axis"](source, z_m), rel=1e-3)


def test_widths_of_the_transcranial_benchmark(transcranial):
    """Half of a triangle is as wide as half its base; a profile that does not fall to half has no width."""
    assert transcranial["width"](np.array([0, 1, 2, 3, 4, 3, 2, 1, 0.0]), 4) == pytest.approx(4)
    assert np.isnan(transcranial["width"](np.array([3, 4, 3, 2, 1.0]), 1))


def test_files_of_the_transcranial_benchmark(transcranial, tmp_path):
    """What was written is read as the fields of the paper are: [across][z], mirrored about the axis."""
    h5py = pytest.importorskip("h5py")
    z_m, r_m = 0.5e-3 * np.arange(241), 0.5e-3 * np.arange(71)
    pressure = (1 + np.arange(241))[:, np.newaxis] * np.exp(1j * np.arange(71))
    transcranial["write"](tmp_path / "ONDA", 4, "bowl", transcranial["Field"](pressure, z_m, r_m))
    fields = transcranial["published"](tmp_path, 4, "bowl")
    assert list(fields) == ["ONDA"]
    assert fields["ONDA"] == pytest.approx(np.abs(pressure))
    with h5py.File(tmp_path / "ONDA" / "PH1-BM4-SC1_ONDA.h5") as file:
        assert file["p_amp"].shape == (141, 241)
        assert file["p_phase"][68, 3] == file["p_phase"][72, 3] == pytest.approx(-2)


@pytest.fixture(scope="module")
def beside():
    pytest.importorskip("scipy", reason="there is no SciPy: examples/accuracy_anisotropy_q.py is not run")
    pytest.importorskip("h5py")
    return runpy.run_path(str(EXAMPLES / "accuracy_anisotropy_q.py"))


def test_tilted_and_absorbing_media_are_exact(beside):
    """Onda's rows of its tables, on fewer nodes and with larger steps."""
    survey = beside["Survey"](10, beside["EPSILON"], courant=0.3)
    tilted = beside["onda"](survey, os.environ["ONDA_PROGRAM"], 16, ", epsilon: 0.2, delta: 0.2, theta_deg: -45")
    expected = survey.traces(beside["elliptical"](0.2, -45, False))
    assert beside["errors"](tilted, expected).max() < 0.005
    survey = beside["Survey"](10, courant=0.3)
    section = f"attenuation: {{reference_frequency_hz: {survey.peak_hz}}}"
    absorbed = beside["onda"](survey, os.environ["ONDA_PROGRAM"], 16, f", q: {beside['QUALITY']}", section)
    expected = survey.traces(beside["absorbing"](beside["kjartansson"](survey.peak_hz)))
    assert beside["errors"](absorbed, expected).max() < 0.01


def test_exact_solutions_of_both_kinds_of_sources(beside):
    """Without anisotropy they are the same; along the axis of a tilted medium their amplitudes are nearly those of plane waves."""
    survey = beside["Survey"](12, courant=0.3)
    injected, added = (survey.traces(beside["elliptical"](0, 30, both)) for both in (False, True))
    assert added == pytest.approx(injected, abs=1e-10 * np.abs(injected).max())
    injected, added = (survey.traces(beside["elliptical"](0.2, 45, both))[2] for both in (False, True))
    rest, amplitude, steps = beside["fit"](added, injected)
    mean = (np.sqrt(1.4) + 1) / 2
    assert rest < 0.02
    assert amplitude == pytest.approx(1 / mean, rel=0.02)
    assert abs(steps) < 1


def test_fit_finds_amplitude_and_shift(beside):
    survey = beside["Survey"](12, courant=0.3)
    trace = survey.traces(beside["elliptical"](0, 0, False))[0]
    rest, amplitude, steps = beside["fit"](0.8 * beside["shifted"](trace, 7.3), trace)
    assert (rest, amplitude, steps) == pytest.approx((0, 0.8, 7.3), abs=1e-3)
