"""Promise: onda.forward() and onda.adjoint() are transposes, onda.born() is the exact derivative of onda.forward(), and its
transpose the gradient of any misfit: with whatever lies between the wavefield and the seismograms, and with parts of the
grid. Their results have the same bits for every batch."""

import sys

import numpy as np
import pytest
from conftest import command_line

import onda

SURVEY = """schema_version: 1
grid: {shape: [45, 37], spacing_m: 10}
time: {duration_s: 0.32, dt_s: 0.002}
boundary: {top: free_surface, cpml_width: 10}
wavelet: {type: ricker, peak_frequency_hz: 15}
scheme: {precision: double}
sources:
  - {position_m: [103, 24], shot: 1}
  - {position_m: [300, 30], shot: 2, amplitude: 2}
receivers:
  - {type: line, first_m: [43, 20], last_m: [403, 20], count: 13}
"""
AS_RECORDED = ["time.dispersion_correction=false", "output.seismograms.dt_s=0.002"]
VARIANTS = {
    "corrected and resampled": [],
    "as recorded": AS_RECORDED,
    "decimated": ["time.dispersion_correction=false", "output.seismograms.dt_s=0.0085"],
    "in a layer, two sources a shot, another receiver": [
        "sources=[{position_m: [3, 355], shot: 1}, {position_m: [120.5, 30], shot: 1, amplitude: 3},"
        " {position_m: [300, 30], shot: 2}]",
        "receivers=[{position_m: [3, 355]}, {position_m: [303, 42]}, {position_m: [60, 60], shot: 2}]",
    ],
    "parts of the grid": [
        "survey.limit_m=60",
        "sources=[{position_m: [103, 24], shot: 1}, {position_m: [240, 30], shot: 2}]",
        "receivers=[{position_m: [140, 55]}, {position_m: [180, 20], shot: 1}]",
    ],
    "sponge": ["boundary={z_min: rigid, x_min: sponge, x_max: sponge, z_max: sponge, sponge_width: 12}"],
    "more samples than are corrected together": [
        "grid.shape=[21, 19]",
        "boundary.cpml_width=5",
        "time.duration_s=16.6",
        "sources=[{position_m: [103, 24]}]",
        "receivers=[{position_m: [140, 55]}]",
    ],
}


def velocity(shape=(37, 45)):
    """Of its own at every node, in the digits of single precision; the largest one, which steps and layers follow from,
    is at a node."""
    noise = np.random.default_rng(5)
    vp = np.round(2000 + 200 * noise.random(shape)).astype(np.float64)
    vp.flat[len(vp.flat) // 2] = 2250.0
    return vp


def noise_like(rows, seed):
    noise = np.random.default_rng(seed)
    return [noise.standard_normal(row.shape) for row in rows]


def dot(a, b):
    return sum(float(np.sum(x * y, dtype=np.float64)) for x, y in zip(a, b))


def norm(a):
    return dot(a, a) ** 0.5


def mismatch(J, seed):
    """|<J u, v> - <u, J' v>| over |J u| |v|."""
    noise = np.random.default_rng(seed)
    u, v = noise.standard_normal(J.shape[1]), noise.standard_normal(J.shape[0])
    Ju = J.matvec(u).astype(np.float64)
    return abs(Ju @ v - u @ J.rmatvec(v)) / (np.linalg.norm(Ju) * np.linalg.norm(v))


def grid_of(overrides):
    return (19, 21) if "grid.shape=[21, 19]" in overrides else (37, 45)


@pytest.mark.parametrize("overrides", VARIANTS.values(), ids=VARIANTS.keys())
def test_are_transposes_of_each_other(overrides):
    vp = velocity(grid_of(overrides))
    s, dt_s = onda.signals(SURVEY, vp=vp, overrides=overrides)
    d = onda.forward(SURVEY, vp=vp, overrides=overrides)
    assert dt_s == 0.002
    again = onda.forward(SURVEY, vp=vp, overrides=overrides, signals=s)
    assert all(np.array_equal(a, b) for a, b in zip(d, again))
    t, y = noise_like(s, 1), noise_like(d, 2)
    Ft = onda.forward(SURVEY, vp=vp, overrides=overrides, signals=t)
    back = onda.adjoint(SURVEY, y, vp=vp, overrides=overrides)
    assert [row.shape for row in back] == [row.shape for row in s]
    assert abs(dot(Ft, y) - dot(t, back)) <= 1e-13 * norm(Ft) * norm(y)
    assert mismatch(onda.born(SURVEY, vp=vp, overrides=overrides), 3) <= 1e-12


@pytest.mark.parametrize("overrides", VARIANTS.values(), ids=VARIANTS.keys())
def test_born_is_the_derivative(overrides):
    vp = velocity(grid_of(overrides))
    change = np.random.default_rng(7).integers(-8, 9, vp.shape) / 8.0
    change[vp == vp.max()] = 0.0

    def data(h):
        return np.concatenate([rows.ravel() for rows in onda.forward(SURVEY, vp=vp + h * change, overrides=overrides)])

    J = onda.born(SURVEY, vp=vp, overrides=overrides, axes="zyx")
    assert J.dims == vp.shape
    expected = (data(0.125) - data(-0.125)) / 0.25
    found = J.matvec(change.ravel())
    assert np.linalg.norm(expected) > 0
    assert np.linalg.norm(found - expected) <= 1e-6 * np.linalg.norm(expected)


def test_with_variable_density_and_in_three_dimensions():
    config = SURVEY.replace("[45, 37]", "[21, 16, 18]")
    config = config.replace("[103, 24]", "[103, 63, 44]").replace("[300, 30]", "[100, 80, 30]")
    config = config.replace("[43, 20]", "[43, 70, 20]").replace("[403, 20]", "[163, 70, 20]")
    overrides = ["time.duration_s=0.1", "boundary.cpml_width=6", "scheme.space_order=4", "time.dt_s=0.001"]
    vp = velocity((18, 16, 21))
    rho = 1000 + np.round(vp / 4)
    J = onda.born(config, vp=vp, rho=rho, overrides=overrides)
    assert J.dims == (21, 16, 18)
    assert mismatch(J, 1) <= 1e-12
    d = onda.forward(config, vp=vp, rho=rho, overrides=overrides)
    s, _ = onda.signals(config, vp=vp, rho=rho, overrides=overrides)
    y = noise_like(d, 2)
    back = onda.adjoint(config, y, vp=vp, rho=rho, overrides=overrides)
    assert abs(dot(d, y) - dot(s, back)) <= 1e-13 * norm(d) * norm(y)
    change = np.zeros(J.dims)
    change[10, 8, 9] = 1.0  # x, y, z
    by_node = np.zeros_like(vp)
    by_node[9, 8, 10] = 0.25
    above = onda.forward(config, vp=vp + by_node, rho=rho, overrides=overrides)
    below = onda.forward(config, vp=vp - by_node, rho=rho, overrides=overrides)
    expected = (above - below) / 0.5
    found = J.matvec(change.ravel()).reshape(J.dimsd)
    assert np.linalg.norm(found - expected) <= 1e-6 * np.linalg.norm(expected)


def test_born_of_velocity_and_density():
    vp = velocity()
    rho = np.float32(1000 + np.round(vp / 4))
    overrides = ["imaging.parameters=vp_and_rho"]
    J = onda.born(SURVEY, vp=vp, rho=rho, overrides=overrides)
    assert J.dims == (2, 45, 37)
    assert mismatch(J, 1) <= 1e-12
    noise = np.random.default_rng(7)
    dvp = noise.integers(-8, 9, vp.shape) / 8.0
    dvp[vp == vp.max()] = 0.0
    drho = noise.integers(-8, 9, vp.shape) / 8.0

    def data(h):
        return onda.forward(SURVEY, vp=vp + h * dvp, rho=rho + h * drho)

    expected = (data(0.125) - data(-0.125)) / 0.25
    found = J.matvec(np.stack([dvp.T, drho.T]).ravel()).reshape(J.dimsd)
    assert np.linalg.norm(found - expected) <= 1e-6 * np.linalg.norm(expected)
    of_vp = onda.born(SURVEY, vp=vp, rho=rho)
    of_both = onda.born(SURVEY, vp=vp, rho=rho, axes="zyx", overrides=overrides)
    np.testing.assert_allclose(of_both.matvec(np.stack([dvp, 0 * drho]).ravel()), of_vp.matvec(dvp.T.ravel()), rtol=0,
                               atol=1e-13 * abs(found).max())
    y = noise.standard_normal(J.shape[0])
    assert np.array_equal(of_both.rmatvec(y).reshape(2, -1)[0].reshape(37, 45), of_vp.rmatvec(y).reshape(45, 37).T)
    with pytest.raises(onda.ConfigError, match="the model has no densities"):
        onda.born(SURVEY, vp=vp, overrides=overrides)


def test_in_vti_they_are_transposes_and_the_derivative_at_fixed_epsilon_and_delta():
    noise = np.random.default_rng(8)
    epsilon = np.round(256 * 0.2 * noise.random((37, 45))) / 256
    epsilon[:8] = 0.0  # at the free surface
    model = {"epsilon": epsilon, "delta": epsilon * np.round(4 * noise.random((37, 45))) / 4}
    overrides = ["time.dt_s=0.0015", "model.elliptical_radius=2"]
    vp = velocity()
    s, _ = onda.signals(SURVEY, vp=vp, overrides=overrides, **model)
    d = onda.forward(SURVEY, vp=vp, overrides=overrides, **model)
    assert not np.array_equal(d, onda.forward(SURVEY, vp=vp, overrides=overrides))
    y = noise_like(d, 2)
    back = onda.adjoint(SURVEY, y, vp=vp, overrides=overrides, **model)
    assert abs(dot(d, y) - dot(s, back)) <= 1e-13 * norm(d) * norm(y)
    J = onda.born(SURVEY, vp=vp, overrides=overrides, axes="zyx", **model)
    assert mismatch(J, 1) <= 1e-12
    change = noise.integers(-8, 9, vp.shape) / 8.0
    change[vp == vp.max()] = 0.0
    above, below = (onda.forward(SURVEY, vp=vp + h * change, overrides=overrides, **model) for h in (0.125, -0.125))
    expected = (above - below).ravel() / 0.25
    assert np.linalg.norm(J.matvec(change.ravel()) - expected) <= 1e-6 * np.linalg.norm(expected)
    with pytest.raises(onda.ConfigError, match="the Born operator and its transpose change vp and hold epsilon"):
        onda.born(SURVEY, vp=vp, overrides=[*overrides, "imaging.parameters=vp_epsilon_and_delta"], **model)


def test_media_that_absorb_have_transposes_and_scatter_nothing():
    vp, q = velocity(), 20.0 + 60.0 * np.random.default_rng(6).random((37, 45))
    s, _ = onda.signals(SURVEY, vp=vp, q=q)
    d = onda.forward(SURVEY, vp=vp, q=q)
    assert not np.array_equal(d, onda.forward(SURVEY, vp=vp))
    assert np.array_equal(d, onda.forward(SURVEY, vp=vp.ravel(), q=q.ravel(), signals=s))
    y = noise_like(d, 2)
    back = onda.adjoint(SURVEY, y, vp=vp, q=q)
    assert abs(dot(d, y) - dot(s, back)) <= 1e-13 * norm(d) * norm(y)
    with pytest.raises(TypeError, match="'q'"):
        onda.born(SURVEY, vp=vp, q=q)
    with pytest.raises(onda.ConfigError, match="model: scattered fields are those of media without loss so far"):
        onda.born(SURVEY, overrides=["model={type: constant, vp_m_s: 2000, q: 40}"])


def test_single_precision_has_the_seismograms_of_a_run_and_is_transposed_to_rounding():
    overrides = ["scheme.precision=float"]
    vp = velocity()
    data = onda.forward(SURVEY, vp=vp, overrides=overrides)
    assert data.shape[:2] == (2, 13) and data.dtype == np.float32
    run = onda.run(SURVEY, vp=vp, overrides=[*overrides, "time.stepping=single"], progress=False)
    for shot, rows in zip(run.shots, data):
        assert np.array_equal(run.gather(shot).pressure, rows)
    J = onda.born(SURVEY, vp=vp, overrides=overrides)
    assert J.dtype == np.float32
    assert max(mismatch(J, seed) for seed in range(4)) <= 1e-6
    # Whatever the size of what they are applied to.
    ones = np.ones(J.shape[1])
    assert np.array_equal(J.matvec(2.0**-40 * ones), np.float32(2.0**-40) * J.matvec(ones))
    y = np.ones(J.shape[0])
    np.testing.assert_allclose(J.rmatvec(2.0**40 * y), np.float32(2.0**40) * J.rmatvec(y), rtol=1e-6)


def test_transpose_gives_the_gradient_of_a_misfit(tmp_path):
    with_model = SURVEY.replace("time:", "model: {type: constant, vp_m_s: 2050}\ntime:", 1)
    (tmp_path / "true.yaml").write_text(with_model + "output: {pictures: false, report: false}\n")
    done = command_line("run", tmp_path / "true.yaml", "--output", tmp_path / "true")
    assert done.returncode == 0, done.stderr
    path = tmp_path / "survey.yaml"
    path.write_text(SURVEY + "imaging: {observed: true/seismograms.h5, every: 1}\n")
    vp = np.full(37 * 45, 2000.0)
    value, gradient = onda.misfit(path, vp=vp)
    observed = onda.run(tmp_path / "true.yaml", progress=False)
    residual = onda.forward(path, vp=vp) - np.stack([observed.gather(shot).pressure for shot in observed.shots])
    J = onda.born(path, vp=vp, axes="zyx")
    step = residual[0, 0].size and observed.gather(1).dt_s
    assert value == pytest.approx(0.5 * step * (residual**2).sum(), rel=1e-6)
    np.testing.assert_allclose(step * J.rmatvec(residual.ravel()), gradient, rtol=0, atol=1e-6 * abs(gradient).max())
    by_axes = onda.born(path, vp=vp).rmatvec(residual.ravel()).reshape(45, 37)
    assert np.array_equal(by_axes.T, J.rmatvec(residual.ravel()).reshape(37, 45))


def test_bits_depend_neither_on_batches_nor_on_what_is_kept():
    config = SURVEY.replace(
        "  - {position_m: [103, 24], shot: 1}\n  - {position_m: [300, 30], shot: 2, amplitude: 2}\n",
        "  - {type: line, first_m: [43, 24], last_m: [403, 24], count: 5}\n",
    )
    vp = velocity()
    ways = (["backend.batch=1"], ["backend.batch=3"], ["backend.devices=[0, 1]"])
    results = []
    for overrides in ways:
        J = onda.born(config, vp=vp, overrides=overrides)
        Jm = J.matvec(np.ones(J.shape[1]))
        back = onda.adjoint(config, Jm.reshape(J.dimsd), vp=vp, overrides=overrides)
        results.append((Jm, J.rmatvec(Jm), back))
    with_states = [*ways[0], "imaging={storage: checkpoints}"]
    results.append((Jm, onda.born(config, vp=vp, overrides=with_states).rmatvec(Jm), back))
    for found in results[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(found, results[0]))
    two = onda.born(config, vp=vp, shots=[2, 4])
    assert two.dimsd[0] == 2
    assert np.array_equal(two.matvec(np.ones(two.shape[1])).reshape(two.dimsd), Jm.reshape(J.dimsd)[[1, 3]])


def test_a_change_of_the_array_leaves_the_operator_where_it_is():
    vp = velocity().astype(np.float32)
    J = onda.born(SURVEY, vp=vp)
    before = J.matvec(np.ones(J.shape[1]))
    vp += 100
    assert np.array_equal(J.matvec(np.ones(J.shape[1])), before)


def test_kinds_of_operators(monkeypatch):
    """PyLops', SciPy's or a small one, whichever there is: with the same values."""
    vp = velocity()
    J = onda.born(SURVEY, vp=vp)
    u, v = np.ones(J.shape[1]), np.ones(J.shape[0])
    monkeypatch.setitem(sys.modules, "pylops", None)
    monkeypatch.setitem(sys.modules, "scipy.sparse.linalg", None)
    small = onda.born(SURVEY, vp=vp)
    assert type(small).__name__ == "Operator"
    assert (small.shape, small.dims, small.dimsd, small.dtype) == (J.shape, J.dims, J.dimsd, J.dtype)
    assert small.T.shape == J.shape[::-1] and small.T.dims == J.dimsd and small.H.T.shape == J.shape
    assert np.array_equal(small @ u, J.matvec(u)) and np.array_equal(small.T @ v, J.rmatvec(v))
    assert np.array_equal(small.T.rmatvec(u), small.matvec(u))
    both = small @ (u + 2j * u)
    assert np.array_equal(both.real, J.matvec(u)) and np.array_equal(both.imag, J.matvec(2 * u))


def test_is_an_operator_of_scipy(monkeypatch):
    linalg = pytest.importorskip("scipy.sparse.linalg")
    monkeypatch.setitem(sys.modules, "pylops", None)
    J = onda.born(SURVEY, vp=velocity(), overrides=["time.duration_s=0.1"])
    assert isinstance(J, linalg.LinearOperator)
    v = np.random.default_rng(1).standard_normal(J.shape[0])
    assert np.array_equal(J.T @ v, J.rmatvec(v))
    assert linalg.lsmr(J, v, maxiter=2)[0].shape == (J.shape[1],)


def test_is_an_operator_of_pylops():
    pylops = pytest.importorskip("pylops", minversion="2")
    from pylops.utils import dottest

    vp = velocity()
    J = onda.born(SURVEY, vp=vp)
    assert isinstance(J, pylops.LinearOperator)
    np.random.seed(1)
    assert dottest(J, rtol=1e-12)
    single = onda.born(SURVEY, vp=vp, overrides=["scheme.precision=float"])
    assert dottest(single, rtol=1e-6, atol=1e-6 * scale_of_dottest(single))
    m = np.ones(J.dims)
    assert (J @ m).shape == J.dimsd and (J.H @ (J @ m)).shape == J.dims


def scale_of_dottest(J):
    """|J u| |v| of random u and v, about."""
    noise = np.random.default_rng(1)
    return np.linalg.norm(J.matvec(noise.standard_normal(J.shape[1]))) * J.shape[0] ** 0.5


def test_progress_and_errors():
    told = []
    vp = velocity()
    J = onda.born(SURVEY, vp=vp, progress=told.append)
    J.rmatvec(np.ones(J.shape[0]))
    assert told and all(isinstance(each, onda.Progress) for each in told)
    with pytest.raises(onda.UsageError, match="7 values, where the operator takes 1665"):
        onda._operators._Born(SURVEY, (vp, None, None, None), "xyz", (), None, False).matvec(np.ones(7))
    with pytest.raises(onda.InputDataError, match="the change of vp: the value at .* is nan"):
        J.matvec(np.full(J.shape[1], np.nan))
    with pytest.raises(onda.UsageError, match="axes: must be xyz or zyx"):
        onda.born(SURVEY, vp=vp, axes="zx")
    with pytest.raises(onda.UsageError, match="7 values for a grid of 45 x 1 x 37 nodes"):
        onda.born(SURVEY, vp=np.full(7, 2000.0))
    with pytest.raises(onda.UsageError, match="data: shot 2: 12 x 81 values, where it has 13 receivers and 81 samples"):
        onda.adjoint(SURVEY, [np.zeros((13, 81)), np.zeros((12, 81))], vp=vp)
    with pytest.raises(onda.UsageError, match="data: 1 shot given, 2 of the survey requested"):
        onda.adjoint(SURVEY, np.zeros((1, 13, 81)), vp=vp)
    with pytest.raises(onda.UsageError, match="data: must have three dimensions"):
        onda.adjoint(SURVEY, np.zeros((13, 81)), vp=vp)
    with pytest.raises(onda.ConfigError, match="computed with single steps"):
        onda.born(SURVEY, vp=vp, overrides=["time.stepping=leap"])
    with pytest.raises(onda.ConfigError, match="missing key 'model'.*\n.*\n.*\nAn array may take its place"):
        onda.born(SURVEY)
    with pytest.raises(onda.ConfigError, match="receivers"):
        onda.born(SURVEY[: SURVEY.index("receivers:")], vp=vp)


class Shared:
    """An array as other packages have it: nothing but DLPack."""

    def __init__(self, values, device=(1, 0), fault=None):
        self.values, self.device, self.fault = values, device, fault

    def __dlpack__(self, stream=None):
        if self.fault:
            raise self.fault
        return self.values.__dlpack__()

    def __dlpack_device__(self):
        return self.device


def test_arrays_are_taken_through_dlpack():
    vp = velocity()
    expected = onda.forward(SURVEY, vp=vp)
    assert np.array_equal(onda.forward(SURVEY, vp=Shared(vp)), expected)
    assert np.shares_memory(onda._arrays.array_of("vp", Shared(vp)), vp)
    assert np.array_equal(onda.forward(SURVEY, vp=Shared(vp.ravel())), expected)
    run = onda.run(SURVEY, vp=Shared(vp.astype(np.float32)), rho=Shared(np.full(vp.shape, 1000.0)), progress=False)
    assert run.gather(1).pressure.shape == (13, 81)
    back = onda.adjoint(SURVEY, Shared(expected), vp=vp)
    assert np.array_equal(back, onda.adjoint(SURVEY, [Shared(rows) for rows in expected], vp=vp))
    J = onda.born(SURVEY, vp=Shared(vp))
    assert np.array_equal(J.rmatvec(expected.ravel()), onda.born(SURVEY, vp=vp).rmatvec(expected.ravel()))
    for result in (expected, back, J.rmatvec(expected.ravel()), J.matvec(np.ones(J.shape[1]))):
        assert np.shares_memory(np.from_dlpack(result), result)


def test_arrays_of_devices_are_refused_with_what_to_do():
    vp = velocity()
    text = r"vp: the array lies in the memory of CUDA device 1; .*give a copy of it there, as array.get\(\) of CuPy"
    for call in (onda.run, onda.forward, onda.misfit, onda.born):
        with pytest.raises(onda.UsageError, match=text):
            call(SURVEY, vp=Shared(vp, (2, 1)))
    with pytest.raises(onda.UsageError, match="data: the array lies in the memory of ROCm device 0"):
        onda.adjoint(SURVEY, Shared(np.zeros((2, 13, 81)), (10, 0)), vp=vp)
    with pytest.raises(onda.UsageError, match="vp: the array cannot be shared: use tensor.detach"):
        onda.forward(SURVEY, vp=Shared(vp, fault=RuntimeError("use tensor.detach()")))
