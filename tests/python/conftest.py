"""Shared by the tests of the Python package: a small survey, and the command line beside it.

ONDA_PROGRAM names the program; PYTHONPATH leads to the package. ctest sets both.
"""

import os
import subprocess
from pathlib import Path

import pytest

SURVEY = """schema_version: 1
title: small survey
grid: {shape: [81, 61], spacing_m: [10, 8], origin_m: [100, -16]}
model: {type: layered, layers: [{top_m: 0, vp_m_s: 1500}, {top_m: 200, vp_m_s: 2200}]}
time: {duration_s: 0.3}
boundary: {top: free_surface, cpml_width: 12, placement: inside}
wavelet: {type: ricker, peak_frequency_hz: 15}
sources:
  - {position_m: [400, 24], shot: 1}
  - {position_m: [603, 30], shot: 2, amplitude: 2}
  - {position_m: [640, 30], shot: 2, wavelet: {type: gaussian, peak_frequency_hz: 12}}
receivers:
  - {type: line, first_m: [203, 20], last_m: [803, 20], count: 7}
  - {type: file, file: wells.csv}
output:
  seismograms: {dt_s: 0.002}
  snapshots: {times_s: [0.1, 0.2], window_min_m: [200, 0], window_max_m: [800, 400], decimation: [2, 3]}
"""
WELLS = "name,x,z,elevation_m\nA1,420,0,31.50\nØst,440,8,\n"


@pytest.fixture
def survey(tmp_path):
    """The path of a configuration of two shots in 2-D."""
    (tmp_path / "survey.yaml").write_text(SURVEY)
    (tmp_path / "wells.csv").write_text(WELLS)
    return tmp_path / "survey.yaml"


def command_line(*arguments):
    """What the program says and returns."""
    return subprocess.run(
        [os.environ["ONDA_PROGRAM"], *map(str, arguments)], capture_output=True, text=True, stdin=subprocess.DEVNULL
    )


@pytest.fixture
def folder(survey, tmp_path) -> Path:
    """The folder of the same survey, by the program."""
    done = command_line("run", survey, "--output", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    return tmp_path / "out"


@pytest.fixture
def drawing():
    """matplotlib.pyplot without a screen."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")
