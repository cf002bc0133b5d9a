"""Promise: onda.misfit() returns the misfit and the gradient of `onda gradient`, as optimisers take them: the gradient is
the derivative of the misfit, in the shape of the velocities."""

import numpy as np
import pytest

import onda
from conftest import command_line

SURVEY = """schema_version: 1
grid: {shape: [45, 37], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 0.32}
boundary: {top: free_surface, cpml_width: 10}
wavelet: {type: ricker, peak_frequency_hz: 15}
scheme: {precision: double}
sources:
  - {position_m: [103, 24], shot: 1}
  - {position_m: [300, 30], shot: 2}
receivers:
  - {type: line, first_m: [43, 20], last_m: [403, 20], count: 13}
output: {pictures: false, report: false}
"""


@pytest.fixture
def observed(tmp_path):
    """The path of a configuration with observed data, of a medium with a fast lens."""
    (tmp_path / "true.yaml").write_text(SURVEY.replace("{type: constant, vp_m_s: 2000}", LENS))
    done = command_line("run", tmp_path / "true.yaml", "--output", tmp_path / "true")
    assert done.returncode == 0, done.stderr
    path = tmp_path / "survey.yaml"
    path.write_text(SURVEY + "imaging: {observed: true/seismograms.h5, every: 1}\n")
    return path


LENS = (
    "{type: inclusions, vp_m_s: 2000, inclusions: [{shape: sphere, center_m: [220, 180], radius_m: 60, vp_m_s: 2200}]}"
)


def test_is_what_the_program_writes(observed, tmp_path):
    done = command_line("gradient", observed, "--output", tmp_path / "g")
    assert done.returncode == 0, done.stderr
    written = onda.read_gradient(tmp_path / "g")
    value, gradient = onda.misfit(observed)
    assert value == pytest.approx(written.total_misfit, rel=1e-12)
    assert gradient.shape == (37, 45) and gradient.dtype == np.float64
    np.testing.assert_allclose(gradient.astype(np.float32), written.vp[:, 0, :], rtol=2e-7, atol=1e-7 * abs(gradient).max())


def test_is_a_derivative(observed):
    vp = np.full((37, 45), 2000.0)
    value, gradient = onda.misfit(observed, vp=vp)
    direction = np.zeros_like(vp)
    direction[8:25, 10:30] = 1.0
    step = 0.5
    above = onda.misfit(observed, vp=vp + step * direction)[0]
    below = onda.misfit(observed, vp=vp - step * direction)[0]
    assert (above - below) / (2 * step) == pytest.approx((gradient * direction).sum(), rel=2e-4)
    assert value > 0


def test_is_a_derivative_of_velocity_and_density(observed):
    vp, rho = np.full((37, 45), 2000.0), np.full((37, 45), 1800.0)
    both = ["imaging.parameters=vp_and_rho"]
    value, gradient = onda.misfit(observed, vp=vp, rho=rho, overrides=both)
    assert gradient.shape == (2, 37, 45)
    np.testing.assert_array_equal(gradient[0], onda.misfit(observed, vp=vp, rho=rho)[1])
    flat, of_flat = onda.misfit(observed, vp=vp.ravel(), rho=rho.ravel(), overrides=both)
    assert flat == value
    np.testing.assert_array_equal(of_flat, gradient.reshape(2, -1))
    direction = np.zeros((2, 37, 45))
    direction[1, :25, 10:] = 1.0  # with the source, the free surface and a face
    step = 0.5
    above = onda.misfit(observed, vp=vp, rho=rho + step * direction[1])[0]
    below = onda.misfit(observed, vp=vp, rho=rho - step * direction[1])[0]
    assert (above - below) / (2 * step) == pytest.approx((gradient * direction).sum(), rel=2e-4)
    with pytest.raises(onda.UsageError, match="rho: 7 values"):
        onda.misfit(observed, vp=vp, rho=np.full(7, 1800.0))


def test_is_a_derivative_in_a_medium_that_absorbs(observed):
    vp, q = np.full((37, 45), 2000.0), np.full((37, 45), 30.0)
    q[:12] = 200.0
    value, gradient = onda.misfit(observed, vp=vp, q=q)
    assert value != onda.misfit(observed, vp=vp)[0]
    flat, of_flat = onda.misfit(observed, vp=vp.ravel(), q=q.ravel())
    assert flat == value
    np.testing.assert_array_equal(of_flat, gradient.ravel())
    direction = np.zeros_like(vp)
    direction[8:25, 10:30] = 1.0
    step = 0.5
    above = onda.misfit(observed, vp=vp + step * direction, q=q)[0]
    below = onda.misfit(observed, vp=vp - step * direction, q=q)[0]
    assert (above - below) / (2 * step) == pytest.approx((gradient * direction).sum(), rel=2e-4)
    both = ["imaging.parameters=vp_and_rho"]
    assert onda.misfit(observed, vp=vp, rho=np.full_like(vp, 1800.0), q=q, overrides=both)[1].shape == (2, 37, 45)
    # With respect to Q, in steps within an interval of the table of mechanisms.
    of_both = onda.misfit(observed, vp=vp, q=q, overrides=["imaging.parameters=vp_and_q"])[1]
    np.testing.assert_array_equal(of_both[0], gradient)
    step = 1 / 64
    above, below = (onda.misfit(observed, vp=vp, q=q + change * direction)[0] for change in (step, -step))
    assert (above - below) / (2 * step) == pytest.approx((of_both[1] * direction).sum(), rel=1e-3)
    with pytest.raises(onda.ConfigError, match="the model has no quality factor"):
        onda.misfit(observed, vp=vp, overrides=["imaging.parameters=vp_and_q"])
    with pytest.raises(onda.UsageError, match="q: 7 values"):
        onda.misfit(observed, vp=vp, q=np.full(7, 30.0))


def test_is_a_derivative_in_vti(observed):
    vp = np.full((37, 45), 2000.0)
    epsilon, delta = np.zeros_like(vp), np.zeros_like(vp)  # isotropic at the free surface
    epsilon[12:], delta[12:] = 0.2, 0.1
    plain = ["model.elliptical_radius=0", "time.dt_s=0.001"]  # the limit of which depends on epsilon
    settings = [*plain, "imaging.parameters=vp_epsilon_and_delta"]
    value, gradient = onda.misfit(observed, vp=vp, epsilon=epsilon, delta=delta, overrides=settings)
    assert gradient.shape == (3, 37, 45)
    alone, of_vp = onda.misfit(observed, vp=vp, epsilon=epsilon, delta=delta, overrides=plain)
    assert alone == value != onda.misfit(observed, vp=vp)[0]
    np.testing.assert_array_equal(gradient[0], of_vp)
    direction = np.zeros_like(vp)
    direction[14:30, 10:30] = 1.0
    for i, step in enumerate((0.5, 1 / 1024, 1 / 1024)):
        changed = [step * direction if i == j else 0 for j in range(3)]
        above, below = (
            onda.misfit(
                observed,
                vp=vp + sign * changed[0],
                epsilon=epsilon + sign * changed[1],
                delta=delta + sign * changed[2],
                overrides=plain,
            )[0]
            for sign in (1, -1)
        )
        assert (above - below) / (2 * step) == pytest.approx((gradient[i] * direction).sum(), rel=2e-3)
    with pytest.raises(onda.ConfigError, match="the model has no epsilon and delta"):
        onda.misfit(observed, vp=vp, overrides=settings[1:])
    with pytest.raises(onda.UsageError, match="epsilon: 7 values"):
        onda.misfit(observed, vp=vp, epsilon=np.full(7, 0.1))


def test_some_shots_and_receivers_count(observed):
    value, gradient = onda.misfit(observed, overrides=["imaging.shots=2"])
    of_shot, gradient_of_shot = onda.misfit(observed, shots=[2])
    assert value == of_shot
    np.testing.assert_array_equal(gradient, gradient_of_shot)
    some, of_some = onda.misfit(observed, overrides=["imaging.shots=2", "imaging.receivers=[1-6, 8]"])
    others, of_others = onda.misfit(observed, overrides=["imaging.shots=2", "imaging.receivers=7,9-13"])
    assert 0 < some < value
    assert some + others == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(of_some + of_others, gradient, rtol=0, atol=2e-7 * abs(gradient).max())  # sums of floats
    with pytest.raises(onda.UsageError, match="no shot 1: imaging.shots leaves 1 shot, numbered 2 to 2"):
        onda.misfit(observed, overrides=["imaging.shots=2"], shots=[1])


def test_optimisers_find_a_smaller_misfit(observed):
    vp = np.full(37 * 45, 2000.0)
    value, gradient = onda.misfit(observed, vp=vp)
    assert gradient.shape == vp.shape
    better = onda.misfit(observed, vp=vp - 10.0 * gradient / abs(gradient).max())[0]
    assert better < value


def test_shapes_that_do_not_fit_are_refused(observed):
    with pytest.raises(onda.UsageError, match="7 values for a grid of 45 x 1 x 37 nodes"):
        onda.misfit(observed, vp=np.full(7, 2000.0))
    with pytest.raises(onda.ConfigError, match="imaging"):
        onda.misfit(SURVEY)
