"""Promise: positions and wavelets may be arrays of NumPy, overrides a dict, and Run.save() leaves what `onda run` does."""

import numpy as np
import pytest
from conftest import command_line

import onda

DT_S = 0.002


def ricker(peak_hz=15.0):
    a = (np.pi * peak_hz * (DT_S * np.arange(151) - 0.1)) ** 2
    return (1 - 2 * a) * np.exp(-a)


def config(**changes):
    return {
        "grid": {"shape": [81, 61], "spacing_m": 10},
        "model": {"type": "constant", "vp_m_s": 2000},
        "time": {"duration_s": 0.3},
        "boundary": {"cpml_width": 12},
        "wavelet": {"type": "ricker", "peak_frequency_hz": 15, "t0_s": 0.1},
        "sources": [{"position_m": [400, 24]}, {"position_m": [503.5, 30]}],
        "receivers": [{"position_m": [203, 20]}, {"position_m": [603.25, 200]}],
        **changes,
    }


def pressures(*arguments, **options):
    return [gather.pressure for gather in onda.run(*arguments, progress=False, **options).gathers()]


def test_positions_as_arrays_are_those_of_entries():
    arrays = config(sources=np.array([[400, 24], [503.5, 30]]), receivers=np.array([[203, 20], [603.25, 200]]))
    for ours, entries in zip(pressures(arrays), pressures(config()), strict=True):
        assert np.array_equal(ours, entries)
    nodes = np.array([[200, 100], [300, 100]])
    assert onda.run(config(receivers=nodes), progress=False).gather().receivers_m[:, [0, 2]].tolist() == nodes.tolist()


def test_a_wavelet_as_an_array_is_that_of_a_file(tmp_path):
    table = "time_s,amplitude\n" + "".join(f"{DT_S * n!r},{value!r}\n" for n, value in enumerate(ricker().tolist()))
    (tmp_path / "w.csv").write_text(table)
    given = pressures(config(wavelet={"type": "samples", "dt_s": DT_S, "samples": ricker()}))
    of_file = pressures(config(wavelet={"type": "file", "file": tmp_path / "w.csv"}))
    closed = pressures(config())
    for ours, wanted, ideal in zip(given, of_file, closed, strict=True):
        assert np.array_equal(ours, wanted)
        assert np.abs(ours - ideal).max() < 1e-3 * np.abs(ideal).max()


def test_arrays_that_are_too_long_for_a_configuration_are_told_of():
    line = np.linspace([0.0, 20.0], [800.0, 20.0], 15_000)
    run = onda.run(config(receivers=line, time={"duration_s": 0.12}), progress=False)
    assert np.array_equal(run.gather().receivers_m[:, [0, 2]], line)
    with pytest.raises(onda.ConfigError, match="more than 100000 values; put long lists into a file"):
        onda.run(config(receivers=np.full((22_000, 2), 20.0)), progress=False)
    with pytest.raises(onda.UsageError, match='long arrays of positions or samples go into files, which "type": "file"'):
        onda.run(config(receivers=np.concatenate([line] * 4)), progress=False)


@pytest.mark.parametrize("shape", [(3,), (2, 4), (0, 2, 2)])
def test_arrays_that_are_no_positions_are_refused(shape):
    with pytest.raises(onda.UsageError, match="receivers: an array must have positions"):
        onda.run(config(receivers=np.zeros(shape)), progress=False)


def test_a_wavelet_of_zeros_is_refused():
    with pytest.raises(onda.ConfigError, match="wavelet.samples: the wavelet is zero everywhere"):
        onda.run(config(wavelet={"type": "samples", "dt_s": DT_S, "samples": np.zeros(9)}), progress=False)


def test_overrides_may_be_a_dict():
    listed = onda.run(config(), overrides=["time.duration_s=0.2", "sources=[{position_m: [300, 40]}]"], progress=False)
    given = {"time.duration_s": np.float64(0.2), "sources": [{"position_m": np.array([300, 40])}]}
    run = onda.run(config(), overrides=given, progress=False)
    assert run.shots == listed.shots == (1,)
    assert np.array_equal(run.gather().pressure, listed.gather().pressure)
    vp = np.full((61, 81), 2000.0)
    with pytest.raises(onda.ConfigError, match="time.duration_s"):
        onda.run(config(), vp=vp, overrides={"time.duration_s": "long"}, progress=False)
    with pytest.raises(onda.UsageError, match="must be a dict, or a list of texts"):
        onda.run(config(), overrides="time.duration_s=0.2", progress=False)


def test_saved_runs_are_those_of_the_command_line(survey, folder, tmp_path):
    run = onda.run(str(survey), progress=False)
    assert run.save(tmp_path / "new" / "saved") == tmp_path / "new" / "saved"
    saved, wanted = onda.open(tmp_path / "new" / "saved"), onda.open(folder)
    assert saved.shots == wanted.shots and saved.config_yaml == run.config_yaml
    for ours, theirs in zip(saved.gathers(), wanted.gathers(), strict=True):
        assert ours.to_dataset().identical(theirs.to_dataset())
    for shot in wanted.shots:
        assert saved.snapshots(shot).to_xarray().identical(wanted.snapshots(shot).to_xarray())
    for command in (["plot", "gather"], ["plot", "slice"], ["export", "--su"]):
        done = command_line(*command, tmp_path / "new" / "saved")
        assert done.returncode == 0, done.stderr


def test_saving_replaces_nothing(survey, folder, tmp_path):
    run = onda.run(str(survey), progress=False)
    before = {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}
    with pytest.raises(onda.CannotCreateError, match="is not empty"):
        run.save(folder)
    assert {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()} == before
    (tmp_path / "file").write_text("mine")
    with pytest.raises(onda.CannotCreateError, match="cannot create the folder"):
        run.save(tmp_path / "file")
    with pytest.raises(onda.UsageError, match="already"):
        onda.open(folder).save(tmp_path / "other")
