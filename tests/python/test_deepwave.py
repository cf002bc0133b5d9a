"""Promise: the gradient of onda.misfit() is that of another program: Deepwave's, by its own kernels and its own adjoint, in double
precision on the same finite differences and time steps, with its absorbing layers too far away to be seen."""

import numpy as np
import pytest

import onda
from conftest import command_line

deepwave = pytest.importorskip("deepwave", reason="Deepwave is not installed: pip install deepwave")
torch = pytest.importorskip("torch")

NX, NZ, SPACING_M, DT_S, STEPS = 121, 101, 10.0, 0.001, 300
SURVEY = f"""schema_version: 1
grid: {{shape: [{NX}, {NZ}], spacing_m: {SPACING_M}}}
model: MODEL
time: {{duration_s: {DT_S * STEPS}, dt_s: {DT_S}, dispersion_correction: false}}
boundary: {{cpml_width: 60}}
wavelet: {{type: ricker, peak_frequency_hz: 15, t0_s: 0.1}}
scheme: {{space_order: 8, precision: double}}
sources:
  - {{position_m: [400, 300], shot: 1}}
  - {{position_m: [800, 300], shot: 2}}
receivers:
  - {{type: line, first_m: [300, 700], last_m: [900, 700], count: 13}}
output: {{seismograms: {{dt_s: {DT_S}}}, pictures: false, report: false}}
"""
SOURCES = [[30, 40], [30, 80]]  # [z, x]
RECEIVERS = [[70, x] for x in range(30, 91, 5)]
BLOCK = np.s_[45:56, 50:71]


def deepwave_gathers(vp):
    t = torch.arange(STEPS + 1, dtype=torch.float64) * DT_S - 0.1
    a = (np.pi * 15 * t) ** 2
    # A source of Onda is one of the volume of a cell, and of the sign of the pressure.
    signal = -(1 - 2 * a) * torch.exp(-a) / SPACING_M**2
    return deepwave.scalar(
        vp, SPACING_M, DT_S, source_amplitudes=signal.expand(2, 1, -1).contiguous(),
        source_locations=torch.tensor(SOURCES)[:, None, :], receiver_locations=torch.tensor([RECEIVERS, RECEIVERS]),
        accuracy=8, pml_width=60, pml_freq=15.0, max_vel=2500.0,
    )[-1]


def test_is_that_of_deepwave(tmp_path):
    true = np.full((NZ, NX), 2000.0)
    true[BLOCK] = 2100.0
    (tmp_path / "survey.yaml").write_text(
        SURVEY.replace("MODEL", "{type: constant, vp_m_s: 2000}")
        + "imaging: {observed: true/seismograms.h5, every: 1, illumination: false}\n"
    )
    block = "{shape: box, center_m: [600, 500], size_m: [210, 110], vp_m_s: 2100}"
    (tmp_path / "true.yaml").write_text(
        SURVEY.replace("MODEL", f"{{type: inclusions, vp_m_s: 2000, inclusions: [{block}]}}"))
    done = command_line("run", tmp_path / "true.yaml", "--output", tmp_path / "true")
    assert done.returncode == 0, done.stderr
    value, gradient = onda.misfit(tmp_path / "survey.yaml", progress=False)

    vp = torch.full((NZ, NX), 2000.0, dtype=torch.float64, requires_grad=True)
    residual = deepwave_gathers(vp) - deepwave_gathers(torch.tensor(true))
    misfit = 0.5 * DT_S * (residual**2).sum()
    misfit.backward()
    theirs = vp.grad.numpy()

    inside = np.s_[1:-1, 1:-1]  # nodes of the faces have the share of the layers that continue them
    assert value == pytest.approx(misfit.item(), rel=1e-5)
    difference = np.linalg.norm(gradient[inside] - theirs[inside]) / np.linalg.norm(theirs[inside])
    assert difference < 1e-3
