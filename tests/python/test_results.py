"""Promise: what a user prints tells in a line what it is, and a gather draws itself, as the first page of the
documentation says."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import command_line
from test_run import constant, small

import onda

README = Path(__file__).parents[2] / "README.md"
SNAPSHOTS = {"snapshots": {"times_s": [0.05, 0.1]}}


def line(count, **changes):
    receivers = [{"type": "line", "first_m": [100, 100], "last_m": [300, 100], "count": count}]
    return onda.run(small(receivers=receivers, output=SNAPSHOTS, **changes), vp=constant())


def test_what_is_printed_says_what_it_is():
    run = onda.run(
        small(
            receivers=[{"type": "line", "first_m": [100, 100], "last_m": [300, 100], "count": 21}],
            output={"seismograms": {"dt_s": 0.002}, **SNAPSHOTS},
        ),
        vp=constant(),
    )
    assert repr(run) == "<onda.Run: 1 shot, 41 x 31 nodes>"
    gather = run.gather()
    assert repr(gather) == (
        "<onda.Gather: shot 1, 21 receivers x 51 samples of 2 ms (record length 100 ms),"
        " pressure in Pa, offset -100 to 100 m>"
    )
    assert re.fullmatch(
        r"<onda.Wavelets: 1 wavelet \(ricker 15 Hz\) x \d+ samples of [\d.]+ .?s"
        r" \(length [\d.]+ .?s\), 1 source in Pa>",
        repr(gather.wavelets),
    ), repr(gather.wavelets)
    times = run.snapshots().time_s
    assert repr(run.snapshots()) == (
        f"<onda.Snapshots: shot 1, 2 times ({times[0]:g} to {times[1]:g} s), 41 x 31 nodes"
        " (x 0 to 400 m, z 0 to 300 m), pressure in Pa>"
    )


def test_everything_that_holds_arrays_prints_in_a_line(survey, folder):
    """Whatever a run hands out, from memory or from a folder, with many values or one."""
    for run in (onda.run(survey), onda.open(folder), line(1)):
        things = [run, *run.gathers(), *(gather.wavelets for gather in run.gathers())]
        things += [run.snapshots(shot) for shot in run.shots]
        for thing in things:
            assert str(thing) == repr(thing)
            assert re.match(r"<onda\.(Run|Gather|Wavelets|Snapshots): .*\d.*>$", repr(thing)), repr(thing)
            assert len(repr(thing)) < 200 + len(str(folder)), repr(thing)
    dataclasses = {thing for thing in vars(onda).values() if hasattr(thing, "__dataclass_fields__")}
    printed = {onda.Gather, onda.Snapshots, onda.Wavelets, onda.Progress}
    # test_gradient.py, test_image.py and test_inversion.py print these
    elsewhere = {onda.Gradient, onda.Image, onda.OffsetGathers, onda.Inversion, onda.Iteration}
    assert dataclasses == printed | elsewhere, "print a new one here, too"


@pytest.mark.parametrize(
    "seconds, words",
    [(1.0, "1 s"), (2.5, "2.5 s"), (0.002, "2 ms"), (0.001, "1 ms"), (0.00025, "250 µs"), (1e-6, "1 µs"), (2e-8, "20 ns")],
)
def test_durations_are_in_their_own_unit(seconds, words):
    gather = onda.Gather(1, np.zeros((2, 2), np.float32), seconds, np.zeros((2, 3)), np.zeros((1, 3)), np.zeros(2))
    assert f"2 samples of {words} (record length {words})" in repr(gather)


def test_a_gather_draws_itself(drawing):
    gather = line(21).gather()
    image = gather.plot()
    assert image.get_array().size == gather.pressure.size
    axes = image.axes
    assert axes.yaxis_inverted() and axes.get_xlabel() == "Offset (m)" and axes.get_ylabel() == "Time (s)"
    assert image.colorbar.ax.get_ylabel() == "Pressure (Pa)"
    left, right = axes.get_xlim()
    assert left < -100 < 100 < right
    limit = np.percentile(abs(gather.pressure), 96)
    assert image.get_clim() == pytest.approx((-limit, limit))
    # The colour beneath a point is that of the receiver and the sample that lie there.
    values = np.ma.getdata(image.get_array()).reshape(gather.pressure.T.shape)
    np.testing.assert_array_equal(values, gather.pressure.T)
    by_number = gather.plot(x="receiver", vmax=1.0, ax=drawing.figure().gca())
    assert by_number.get_clim() == (-1.0, 1.0) and by_number.axes.get_xlabel() == "Receiver"


def test_gathers_that_are_no_line_draw_themselves(drawing, survey):
    both = onda.run(survey).gather(2)  # a line and two wells
    assert both.plot().axes.get_xlabel() == "Receiver"
    assert both.plot(ax=drawing.figure().gca(), add_labels=False).axes.get_xlabel() == ""
    drawing.figure()
    (trace,) = line(1).gather().plot()
    np.testing.assert_array_equal(trace.get_ydata(), line(1).gather().pressure[0])
    assert (trace.axes.get_xlabel(), trace.axes.get_ylabel()) == ("Time (s)", "Pressure (Pa)")
    silent = onda.Gather(1, np.zeros((3, 5), np.float32), 0.1, np.zeros((3, 3)), np.zeros((1, 3)), np.arange(3.0))
    silent.plot(ax=drawing.figure().gca())


def test_the_labelled_gather_is_an_array(drawing):
    gather = line(21).gather()
    data = gather.to_xarray()
    assert data.dims == ("receiver", "time_s") and data.attrs["units"] == "Pa" and data.attrs["shot"] == 1
    np.testing.assert_array_equal(data.sel(receiver=3), gather.pressure[2])
    np.testing.assert_array_equal(data.offset_m, gather.offset_m)
    assert data.plot().get_array().size == gather.pressure.size


def test_the_example_of_the_first_page_runs(drawing, tmp_path):
    """In a process of its own, beside the nine lines of YAML that come first."""
    page = README.read_text()
    (tmp_path / "first.yaml").write_text(page.split("```yaml\n")[1].split("```")[0])
    script = page.split("```python\n")[1].split("```")[0]
    assert ".plot(" in script and "import onda" in script
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "MPLBACKEND": "Agg"}
    script += "\nimport matplotlib.pyplot as plt\nassert plt.get_fignums()\nprint(run)\n"
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "onda.Run: 1 shot, 601 x 301 nodes" in done.stdout
