"""Promise: onda.run() gives the results of `onda run`, bit for bit, without a file; and its errors."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from conftest import SURVEY, command_line

import onda

SHAPE = (61, 81)  # [z][x]
DEPTHS = -16.0 + 8.0 * np.arange(61)


def small(**changes):
    """A dict of a run of one shot that takes a moment."""
    config = {
        "grid": {"spacing_m": 10},
        "time": {"duration_s": 0.1},
        "boundary": {"cpml_width": 8},
        "wavelet": {"type": "ricker", "peak_frequency_hz": 15},
        "sources": [{"position_m": [200, 100]}],
        "receivers": [{"position_m": [300, 100]}, {"position_m": [250, 150]}],
    }
    config.update(changes)
    return config


def constant(shape=(31, 41), velocity=2000.0):
    return np.full(shape, velocity, dtype=np.float32)


def assert_equal_gathers(ours, theirs):
    np.testing.assert_array_equal(ours.pressure.view(np.uint32), theirs.pressure.view(np.uint32))
    for name in ("receivers_m", "sources_m", "offset_m", "time_s"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    assert ours.dt_s == theirs.dt_s and ours.shot == theirs.shot
    assert list(ours.columns) == list(theirs.columns)
    for name in ours.columns:
        np.testing.assert_array_equal(ours.columns[name], theirs.columns[name])
    for name in ("signal", "of_source", "amplitude", "type", "t0_s", "peak_frequency_hz", "dt_s", "amplitude_unit"):
        np.testing.assert_array_equal(getattr(ours.wavelets, name), getattr(theirs.wavelets, name))


def test_the_bits_are_those_of_the_files(survey, folder):
    run, files = onda.run(survey), onda.open(folder)
    assert run.shots == files.shots == (1, 2)
    for shot in run.shots:
        assert_equal_gathers(run.gather(shot), files.gather(shot))
        ours, theirs = run.snapshots(shot), files.snapshots(shot)
        np.testing.assert_array_equal(ours.pressure.view(np.uint32), theirs.pressure.view(np.uint32))
        for name in ("time_s", "x_m", "y_m", "z_m"):
            np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    assert run.summary["hashes"] == files.summary["hashes"]
    assert run.summary["identity"] == files.summary["identity"]
    assert run.dt_s == files.dt_s
    assert run.gather().columns["name"].tolist() == [""] * 7 + ["A1", "Øst"]
    assert [gather.shot for gather in run.gathers()] == [1, 2]


def test_labels_are_those_of_the_files(survey, folder):
    run = onda.run(survey)
    with xr.open_dataset(folder / "seismograms.h5", group="shots/2", engine="h5netcdf") as data:
        ours = run.gather(2).to_dataset()
        xr.testing.assert_equal(run.gather(2).to_xarray(), data.pressure)
        assert ours.pressure.dims == data.pressure.dims
        xr.testing.assert_equal(ours.pressure, data.pressure)
        for name in data.variables:
            np.testing.assert_array_equal(ours[name].values, data[name].values)
            assert ours[name].dims == data[name].dims
    with xr.open_dataset(folder / "snapshots.h5", group="shots/2", engine="h5netcdf") as data:
        xr.testing.assert_equal(run.snapshots(2).to_xarray(), data.pressure)


def test_no_file_is_left(survey, tmp_path, monkeypatch):
    before = sorted(tmp_path.rglob("*"))
    monkeypatch.chdir(tmp_path)
    onda.run(survey)
    assert sorted(tmp_path.rglob("*")) == before


def test_an_array_takes_the_place_of_the_model():
    by_array = onda.run(small(), vp=constant())
    by_name = onda.run(small(grid={"shape": [41, 31], "spacing_m": 10}, model={"type": "constant", "vp_m_s": 2000}))
    assert_equal_gathers(by_array.gather(), by_name.gather())
    for same in (constant().astype(float), constant().astype(int), np.asfortranarray(constant())):
        assert_equal_gathers(onda.run(small(), vp=same).gather(), by_name.gather())


def test_arrays_lie_as_files_do(tmp_path):
    """A gradient in x and z: axes in another order would show."""
    x, z = np.arange(41), np.arange(31)
    vp = (1500.0 + 10.0 * z[:, None] + 3.0 * x[None, :]).astype(np.float32)
    vp.tofile(tmp_path / "vp.f32")
    made = command_line(
        "convert", tmp_path / "vp.f32", tmp_path / "vp.h5", "--shape", 41, 31, "--axes", "zx", "--spacing-m", 10
    )
    assert made.returncode == 0, made.stderr
    by_file = onda.run(small(grid={"shape": [41, 31], "spacing_m": 10}, model={"type": "file", "file": tmp_path / "vp.h5"}))
    assert_equal_gathers(onda.run(small(), vp=vp).gather(), by_file.gather())
    labelled = xr.DataArray(vp.T, dims=("x", "z"))
    assert_equal_gathers(onda.run(small(), vp=labelled).gather(), by_file.gather())
    # Coordinates tell spacing and origin.
    placed = xr.DataArray(vp, {"z_m": 10.0 * z, "x_m": 10.0 * x}, ("z_m", "x_m"))
    run = onda.run(small(grid={}), vp=placed)
    assert_equal_gathers(run.gather(), by_file.gather())
    assert run.summary["grid"]["spacing_m_xyz"][0] == 10


def placed(x, z, velocity=2000.0, dims=("z", "x")):
    """A constant velocity at these coordinates, in metres."""
    return xr.DataArray(np.full((len(z), len(x)), velocity), {dims[0]: z, dims[1]: x}, dims)


def as_dict_text_and_path(config, folder):
    """The three ways to give a configuration."""
    text = json.dumps(config, indent=1)
    (folder / "config.yaml").write_text(text)
    return config, text, folder / "config.yaml"


def test_coordinates_give_what_the_grid_leaves_out(tmp_path):
    x, z = 500 + 10.0 * np.arange(41), -20 + 5.0 * np.arange(31)
    survey = {"sources": [{"position_m": [700, 20]}], "receivers": [{"position_m": [800, 30]}]}
    whole = {"shape": [41, 31], "spacing_m": [10, 5], "origin_m": [500, -20]}
    constant_2000 = {"type": "constant", "vp_m_s": 2000}
    expected = onda.run(small(grid=whole, model=constant_2000, **survey)).gather()
    for left_out in [("shape",), ("spacing_m",), ("origin_m",), ("spacing_m", "origin_m"), tuple(whole)]:
        grid = {key: value for key, value in whole.items() if key not in left_out}
        for config in as_dict_text_and_path(small(grid=grid, **survey), tmp_path):
            assert_equal_gathers(onda.run(config, vp=placed(x, z)).gather(), expected)
    without_grid = small(**survey)
    del without_grid["grid"]
    run = onda.run(without_grid, vp=placed(x.astype(np.float32), z, dims=("z_m", "x_m")))
    assert run.summary["grid"]["origin_m_xyz"] == [500, 0, -20]
    thirds = onda.run(without_grid, vp=placed(500 + np.float32(10 / 3) * np.arange(101, dtype=np.float32), z))
    assert thirds.summary["grid"]["spacing_m_xyz"][0] == pytest.approx(10 / 3, rel=1e-6)


@pytest.mark.parametrize(
    "grid, words",
    [
        ({"spacing_m": 10}, ["5 m apart along z, the nodes of the grid 10 m"]),
        ({"spacing_m": [10, 5], "origin_m": [0, -20]}, ["begin at x = 500 m, the grid at 0 m"]),
        (
            {"spacing_m": [20, 5], "origin_m": [500, 0]},
            ["10 m apart along x, the nodes of the grid 20 m", "begin at z = -20 m, the grid at 0 m"],
        ),
    ],
)
def test_coordinates_elsewhere_than_the_grid_are_refused(grid, words, tmp_path):
    vp = placed(500 + 10.0 * np.arange(41), -20 + 5.0 * np.arange(31))
    sources = [{"position_m": [600, 20]}]
    for config in as_dict_text_and_path(small(grid=grid, sources=sources, receivers=sources), tmp_path):
        with pytest.raises(onda.ConfigError) as error:
            onda.run(config, vp=vp)
        for part in words:
            assert part in str(error.value)


def test_coordinates_along_some_axes():
    z = 5.0 * np.arange(31)
    only_z = xr.DataArray(constant(), {"z": z}, ("z", "x"))
    with pytest.raises(onda.ConfigError, match="no coordinates along x"):
        onda.run(small(grid={}), vp=only_z)
    with pytest.raises(onda.ConfigError, match="5 m apart along z"):
        onda.run(small(grid={"spacing_m": 10}), vp=only_z)
    assert onda.run(small(grid={"spacing_m": [10, 5]}), vp=only_z).shots == (1,)
    with pytest.raises(onda.ConfigError, match="no coordinates along x"):
        onda.run(small(grid={}), vp=constant())
    with pytest.raises(onda.UsageError, match="coordinates z must ascend in equal steps"):
        onda.run(small(), vp=xr.DataArray(constant(), {"z": z**2}, ("z", "x")))
    with pytest.raises(onda.ConfigError, match="the grid is 3-D"):
        position = [{"position_m": [200, 100, 100]}]
        onda.run(small(grid={"shape": [41, 31, 31]}, sources=position, receivers=position), vp=constant())


def test_density_lies_where_the_velocity_does():
    x, z = 10.0 * np.arange(41), 10.0 * np.arange(31)
    vp, rho = placed(x, z), placed(x, z, 1800.0)
    assert onda.run(small(grid={}), vp=vp, rho=rho).summary["density"]["min_kg_m3"] == 1800
    assert onda.run(small(grid={}), vp=constant(), rho=rho).summary["density"]["min_kg_m3"] == 1800
    with pytest.raises(onda.UsageError, match="along z, vp goes from 0 to 300 m, rho from 5 to 305 m"):
        onda.run(small(grid={}), vp=vp, rho=placed(x, z + 5, 1800.0))


def test_three_dimensions_and_density():
    config = small(
        sources=[{"position_m": [100, 80, 60]}], receivers=[{"position_m": [120, 100, 60]}], time={"duration_s": 0.05}
    )
    shape = (13, 17, 21)
    plain = onda.run(config, vp=constant(shape))
    assert plain.summary["grid"]["shape_xyz"] == [21, 17, 13]
    dense = onda.run(config, vp=constant(shape), rho=np.linspace(1000, 2600, 13)[:, None, None] * np.ones(shape))
    assert dense.summary["density"] == {"min_kg_m3": 1000.0, "max_kg_m3": 2600.0}
    assert not np.array_equal(plain.gather().pressure, dense.gather().pressure)
    with pytest.raises(onda.UsageError, match="one shape"):
        onda.run(config, vp=constant(shape), rho=constant((13, 17, 20)))


def test_quality_factor_lies_beside_the_velocity():
    x, z = 10.0 * np.arange(41), 10.0 * np.arange(31)
    vp, q = placed(x, z), placed(x, z, 40.0)
    lossy = onda.run(small(grid={}), vp=vp, q=q)
    assert lossy.summary["Q"] == {"min": 40.0, "max": 40.0}
    config = small(grid={"shape": [41, 31], "spacing_m": 10}, model={"type": "constant", "vp_m_s": 2000, "q": 40})
    assert np.array_equal(lossy.gather().pressure, onda.run(config).gather().pressure)
    assert not np.array_equal(lossy.gather().pressure, onda.run(small(grid={}), vp=vp).gather().pressure)
    dense = onda.run(small(grid={}), vp=vp, rho=placed(x, z, 1800.0), q=q)
    assert dense.summary["Q"]["min"] == 40.0 and dense.summary["density"]["min_kg_m3"] == 1800
    with pytest.raises(onda.UsageError, match="vp and q must have one shape"):
        onda.run(small(grid={}), vp=vp, q=np.full((3, 4), 40.0))
    with pytest.raises(onda.UsageError, match="beside it: vp"):
        onda.run(small(), q=q)
    with pytest.raises(onda.OndaError, match="q = 2"):
        onda.run(small(grid={}), vp=vp, q=placed(x, z, 2.0))


def test_epsilon_and_delta_lie_beside_the_velocity():
    x, z = 10.0 * np.arange(41), 10.0 * np.arange(31)
    vp, epsilon, delta = placed(x, z), placed(x, z, 0.2), placed(x, z, 0.1)
    fast = onda.run(small(grid={}), vp=vp, epsilon=epsilon, delta=delta)
    assert fast.summary["epsilon"]["max"] == pytest.approx(0.2)
    model = {"type": "constant", "vp_m_s": 2000, "epsilon": 0.2, "delta": 0.1}
    config = small(grid={"shape": [41, 31], "spacing_m": 10}, model=model)
    assert np.array_equal(fast.gather().pressure, onda.run(config).gather().pressure)
    assert not np.array_equal(fast.gather().pressure, onda.run(small(grid={}), vp=vp).gather().pressure)
    alone = onda.run(small(grid={}), vp=vp, epsilon=epsilon)
    assert alone.summary["delta"]["min"] == 0
    with pytest.raises(onda.UsageError, match="vp and delta must have one shape"):
        onda.run(small(grid={}), vp=vp, delta=np.full((3, 4), 0.1))
    with pytest.raises(onda.UsageError, match="beside it: vp"):
        onda.run(small(), epsilon=epsilon)
    with pytest.raises(onda.OndaError, match="delta is more than epsilon at 1271 of 1271 nodes"):
        onda.run(small(grid={}), vp=vp, epsilon=delta, delta=epsilon)
    clipped = onda.run(small(grid={}), vp=vp, epsilon=delta, delta=epsilon, overrides=["model.clip_delta=true"])
    assert clipped.summary["delta"]["max"] == pytest.approx(0.1)


def test_the_axis_of_epsilon_and_delta_is_tilted_by_degrees():
    x, z = 10.0 * np.arange(41), 10.0 * np.arange(31)
    fields = {"vp": placed(x, z), "epsilon": placed(x, z, 0.2), "delta": placed(x, z, 0.1)}
    sponges = ["boundary={top: sponge, bottom: sponge, left: sponge, right: sponge, sponge_width: 8}"]

    def run(**angles):
        return onda.run(small(grid={}), **fields, **angles, overrides=sponges)

    tilted = run(theta=placed(x, z, 30.0))
    assert tilted.summary["tilt"]["max_rad"] == pytest.approx(np.pi / 6)
    model = {"type": "constant", "vp_m_s": 2000, "epsilon": 0.2, "delta": 0.1, "theta_deg": 30}
    config = small(grid={"shape": [41, 31], "spacing_m": 10}, model=model)
    configured = onda.run(config, overrides=sponges).gather().pressure
    assert np.array_equal(tilted.gather().pressure, configured)
    assert np.array_equal(run(theta=30).gather().pressure, configured)
    assert not np.array_equal(run(theta=-30).gather().pressure, configured)
    assert np.array_equal(run(theta=0).gather().pressure, run().gather().pressure)
    with pytest.raises(onda.OndaError, match="axes lie in its plane|there is no y axis"):
        run(theta=30, phi=10)
    with pytest.raises(onda.UsageError, match="vp and theta must have one shape"):
        run(theta=np.full((3, 4), 30.0))
    with pytest.raises(onda.UsageError, match="beside it: vp"):
        onda.run(small(), theta=30)
    with pytest.raises(onda.ConfigError, match="theta_deg = 200"):
        run(theta=200)
    with pytest.raises(onda.OndaError, match="neither epsilon nor delta"):
        onda.run(small(grid={}), vp=fields["vp"], theta=placed(x, z, 30.0), overrides=sponges)


def test_one_quality_factor_holds_for_an_array_of_velocities():
    x, z = 10.0 * np.arange(41), 10.0 * np.arange(31)
    vp = placed(x, z)
    lossy = onda.run(small(grid={}), vp=vp, q=placed(x, z, 40.0)).gather().pressure
    plain = onda.run(small(grid={}), vp=vp).gather().pressure
    assert not np.array_equal(lossy, plain)

    def pressure(model=None, **arguments):
        config = small(grid={}) if model is None else small(grid={}, model=model)
        return onda.run(config, vp=vp, **arguments).gather().pressure

    for number in (40, 40.0, np.float32(40), np.array(40.0)):
        assert np.array_equal(pressure(q=number), lossy)
    assert np.array_equal(pressure({"type": "constant", "vp_m_s": 1500, "q": 40}), lossy)
    assert np.array_equal(pressure({"q": 40}), lossy)
    assert np.array_equal(pressure(overrides=["model.q=40"]), lossy)
    assert np.array_equal(pressure({"type": "constant", "q": 20}, overrides=["model.q=40"]), lossy)
    assert np.array_equal(pressure({"type": "constant", "q": 20}, q=40), lossy)
    assert np.array_equal(pressure({"type": "constant", "q": 20}, overrides=["model.q=null"]), plain)
    assert np.array_equal(pressure({"type": "constant", "q": 20, "q_rule": "none"}), plain)
    assert np.array_equal(pressure({"q": float("inf")}), plain)
    assert np.array_equal(pressure(q=placed(x, z, np.inf)), plain)
    by_rule = onda.run(small(grid={}, model={"q_rule": "li"}), vp=vp)
    assert by_rule.summary["Q"]["min"] == pytest.approx(3.516e-6 * 2000**2.2, rel=1e-3)
    with pytest.raises(onda.ConfigError, match="model.q = 2"):
        pressure(q=2)
    with pytest.raises(onda.UsageError, match="beside it: vp"):
        onda.run(small(), q=40)


def test_configurations_may_be_text_or_dict(survey, monkeypatch):
    expected = onda.run(survey).gather(2)
    monkeypatch.chdir(survey.parent)
    assert_equal_gathers(onda.run(SURVEY).gather(2), expected)
    assert_equal_gathers(onda.run(str(survey)).gather(2), expected)


def test_shots_and_overrides(survey):
    run = onda.run(survey, shots=[2], overrides=["time.duration_s=0.2", "output.snapshots.times_s=[0.1]"])
    assert run.shots == (2,)
    assert run.gather().time_s[-1] == pytest.approx(0.2)
    with pytest.raises(onda.UsageError, match="there is no shot 1; there are 2"):
        run.gather(1)
    with pytest.raises(onda.UsageError, match="7"):
        onda.run(survey, shots=[7])
    with pytest.raises(onda.UsageError, match="shot 1 has no snapshots"):
        onda.run(small(), vp=constant()).snapshots()
    config = small(output={"snapshots": {"times_s": [0.05]}})
    del config["receivers"]
    with pytest.raises(onda.UsageError, match="shot 1 has no receivers"):
        onda.run(config, vp=constant()).gather()


def test_faults_have_the_words_of_the_command_line(survey):
    survey.write_text(SURVEY.replace("cpml_width: 12", "cpml_with: 12").replace("duration_s: 0.3", "duration_s: -1"))
    said = command_line("check", survey)
    with pytest.raises(onda.ConfigError) as error:
        onda.run(survey)
    assert said.stderr == f"error: {error.value}\n"
    assert said.returncode == error.value.exit_code == 78
    assert isinstance(error.value, onda.OndaError) and isinstance(error.value, ValueError)

    with pytest.raises(onda.MissingInputError, match="nowhere.yaml") as error:
        onda.run("nowhere.yaml")
    assert error.value.exit_code == 66
    with pytest.raises(onda.UnstableError, match="shot 1|1e\\+40|single precision") as error:
        onda.run(small(sources=[{"position_m": [200, 100], "amplitude": 1e42}]), vp=constant())
    assert error.value.exit_code == 77


@pytest.mark.parametrize(
    "vp, error, message",
    [
        (np.full((31, 41), np.nan), onda.InputDataError, r"vp = nan m/s at node \(x 0, y 0, z 0\)"),
        (constant(velocity=2.0), onda.InputDataError, "from 50 to 30000 m/s"),
        (constant(velocity=2.0), onda.InputDataError, "looks like km/s: multiply the array by 1000"),
        (constant((41,)), onda.UsageError, r"\[z\]\[x\] in 2-D"),
        (constant().astype(complex), onda.UsageError, "complex"),
        (np.array([["fast"]]), onda.UsageError, "must be numbers"),
        (xr.DataArray(constant(), dims=("time", "x")), onda.UsageError, "not time, x"),
    ],
)
def test_arrays_that_are_no_model(vp, error, message):
    with pytest.raises(error, match=message):
        onda.run(small(grid={"shape": [41, 31], "spacing_m": 10}), vp=vp)


def test_an_array_must_fit_the_grid():
    with pytest.raises(onda.ConfigError, match=r"\[41\]\[31\] of \[z\]\[x\], the grid has \[31\]\[41\]"):
        onda.run(small(grid={"shape": [41, 31], "spacing_m": 10}), vp=constant((41, 31)))
    with pytest.raises(onda.ConfigError, match="takes arrays that a program hands over"):
        onda.run(small(grid={"shape": [41, 31], "spacing_m": 10}, model={"type": "array"}))
    with pytest.raises(onda.UsageError, match="beside it: vp"):
        onda.run(small(), rho=constant())


def test_what_is_no_list_and_what_is_missing(survey, tmp_path):
    with pytest.raises(onda.UsageError, match=r"overrides: must be a dict, or a list of texts: \['time.duration_s=0.1'\]"):
        onda.run(survey, overrides="time.duration_s=0.1")
    with pytest.raises(onda.UsageError, match="shots: must be a list of numbers, not '12'"):
        onda.run(survey, shots="12")
    grid = {"shape": [41, 31], "spacing_m": 10}
    for config in as_dict_text_and_path(small(grid=grid), tmp_path):
        with pytest.raises(onda.ConfigError, match="missing key 'model'(.|\n)*vp=") as error:
            onda.run(config)
        assert error.value.exit_code == 78


def test_progress_is_told_and_may_end_the_run(survey):
    told = []
    onda.run(survey, progress=told.append)
    fractions = [progress.fraction for progress in told]
    assert fractions == sorted(fractions) and fractions[-1] == 1.0
    assert told[-1].shots == 2 and told[-1].step == told[-1].steps
    assert told[-1].max_abs_pressure > 0

    class Enough(Exception):
        pass

    def stop(progress):
        raise Enough

    with pytest.raises(Enough):
        onda.run(survey, progress=stop)
    assert onda.run(survey, progress=False).shots == (1, 2)  # nothing is left of the run that ended


def test_a_bar_is_shown_where_it_is_asked_for(survey, capfd):
    onda.run(survey, progress=False)
    assert capfd.readouterr().err == ""
    onda.run(survey, progress=True)
    assert "100%" in capfd.readouterr().err.replace("\xa0", " ")


def long_run():
    """Seconds on any machine."""
    return small(time={"duration_s": 20}, receivers=[{"position_m": [300, 100]}]), constant((201, 201))


def test_other_threads_run_meanwhile():
    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)

    other = threading.Thread(target=count)
    config, vp = long_run()
    config["time"]["duration_s"] = 4
    other.start()
    start = time.monotonic()
    onda.run(config, vp=vp, progress=False)
    seconds = time.monotonic() - start
    done.set()
    other.join()
    assert counted[0] > 20 * seconds


def test_ctrl_c_ends_the_run():
    script = """
import signal, sys, test_run, onda
signal.signal(signal.SIGINT, signal.default_int_handler)  # what shells start in the background ignores it
config, vp = test_run.long_run()
config["time"]["duration_s"] = 2000
def tell(progress):
    if progress.step > 0: print("under way", flush=True)
try:
    onda.run(config, vp=vp, progress=tell)
except KeyboardInterrupt:
    print("interrupted")
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout.readline() == "under way\n"
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert out.endswith("interrupted\n") and process.returncode == 0


def test_warnings_and_log(survey, caplog):
    caplog.set_level("INFO", logger="onda")
    with pytest.warns(onda.OndaWarning, match="limits the seismograms to"):
        onda.run(survey, overrides=["output.seismograms.dt_s=0.02"])
    assert any(record.message.startswith("backend") for record in caplog.records)


def test_every_exit_code_has_its_exception():
    table = (Path(__file__).parents[2] / "docs" / "exit_codes.md").read_text()
    codes = {int(code) for code in re.findall(r"^\| (\d+) \|", table, re.MULTILINE)}
    errors = {error.exit_code for error in vars(onda).values() if isinstance(error, type) and issubclass(error, onda.OndaError)}
    assert codes - errors == {0, 1, 75}  # done; of `onda verify`; of --max-hours


def test_everything_public_is_documented_and_typed():
    import inspect
    import typing

    for name in onda.__all__:
        thing = getattr(onda, name)
        if name == "__version__":
            continue
        assert inspect.getdoc(thing), name
        for function in [thing] if inspect.isfunction(thing) else []:
            hints = inspect.signature(function)
            assert hints.return_annotation is not inspect.Signature.empty
            assert all(p.annotation is not inspect.Parameter.empty for p in hints.parameters.values())
    assert (Path(onda.__file__).parent / "py.typed").exists()
