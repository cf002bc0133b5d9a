"""Promise: Run.export() writes what `onda export` writes, of a run in memory and of one in a folder."""

import numpy as np
import pytest
from conftest import command_line

import onda


@pytest.fixture
def in_memory(survey):
    return onda.run(str(survey), progress=False)


@pytest.mark.parametrize("name, option", [("a.segy", "--segy"), ("a.su", "--su"), ("a.rsf", "--rsf"), ("a.csv", "--csv")])
def test_the_bytes_are_those_of_the_command_line(in_memory, folder, tmp_path, name, option):
    wanted = tmp_path / "wanted" / name
    wanted.parent.mkdir()
    done = command_line("export", folder, option, "-o", wanted)
    assert done.returncode == 0, done.stderr
    for run, place in ((in_memory, "memory"), (onda.open(folder), "folder")):
        file = tmp_path / place / name
        file.parent.mkdir()
        assert run.export(file)[0] == file
        for made in wanted.parent.iterdir():
            assert (file.parent / made.name).read_bytes() == made.read_bytes(), (place, made.name)
        assert len(list(file.parent.iterdir())) == len(list(wanted.parent.iterdir()))


def test_a_run_with_segy_on_has_the_same_file(in_memory, survey, tmp_path):
    done = command_line("run", survey, "-o", tmp_path / "ibm", "--set", "output.seismograms.segy=ibm")
    assert done.returncode == 0, done.stderr
    in_memory.export(tmp_path / "a.bin.sgy", samples="ibm")
    assert (tmp_path / "a.bin.sgy").read_bytes() == (tmp_path / "ibm" / "seismograms.segy").read_bytes()


def test_numpy_reads_the_array_and_its_table(in_memory, tmp_path):
    files = in_memory.export(tmp_path / "a.npy")
    assert files == [tmp_path / "a.npy", tmp_path / "a_traces.csv"]
    array = np.load(files[0], mmap_mode="r")
    assert array.shape == (2, 9, 151) and array.dtype == np.float32
    for shot, gather in enumerate(in_memory.gathers()):
        assert np.array_equal(array[shot], gather.pressure)
    table = np.genfromtxt(files[1], delimiter=",", names=True, dtype=None, encoding="utf-8")
    assert table["shot"].tolist() == [1] * 9 + [2] * 9
    assert table["receiver_x_m"][:9].tolist() == in_memory.gather(1).receivers_m[:, 0].tolist()
    assert table["name"][7] == "A1"
    in_memory.export(tmp_path / "b.npy", shots=[2])
    assert np.array_equal(np.load(tmp_path / "b.npy")[0], in_memory.gather(2).pressure)


def test_what_is_refused(in_memory, folder, tmp_path):
    for run in (in_memory, onda.open(folder)):
        (tmp_path / "a.segy").write_text("mine")
        with pytest.raises(onda.CannotCreateError, match="a.segy"):
            run.export(tmp_path / "a.segy")
        assert (tmp_path / "a.segy").read_text() == "mine"
        run.export(tmp_path / "a.segy", force=True)
        with pytest.raises(onda.UsageError, match="does not identify the format; give one of segy, su, rsf, npy, csv"):
            run.export(tmp_path / "a.dat")
        with pytest.raises(onda.UsageError, match="format 'sgy': must be one of"):
            run.export(tmp_path / "b", format="sgy")
        with pytest.raises(onda.UsageError, match="samples 'int8'"):
            run.export(tmp_path / "b.segy", samples="int8")
        with pytest.raises(onda.UsageError, match="there is no shot 9"):
            run.export(tmp_path / "b.segy", shots=[9])
        with pytest.raises(onda.UsageError, match="empty list"):
            run.export(tmp_path / "b.segy", shots=[])
    assert not (tmp_path / "b.segy").exists()


def test_what_segy_does_not_hold(survey, tmp_path):
    run = onda.run(str(survey), overrides=["output.seismograms.dt_s=0.0015004"], progress=False)
    with pytest.raises(onda.InputDataError, match="0.0015004 s, but SEG-Y rev 1 stores whole microseconds"):
        run.export(tmp_path / "a.segy")
    run.export(tmp_path / "a.csv")


def test_a_run_without_receivers(survey, tmp_path):
    lines = [line for line in survey.read_text().splitlines() if not line.startswith(("receivers:", "  - {type:"))]
    survey.write_text("\n".join(lines))
    run = onda.run(str(survey), progress=False)
    with pytest.raises(onda.UsageError, match="no receivers"):
        run.export(tmp_path / "a.segy")


def test_particle_motion_is_there_in_memory_and_in_files_and_is_exported(survey, tmp_path):
    asked = ["output.seismograms.particle_motion=[velocity_z, acceleration_x]", "output.seismograms.rho_kg_m3=1000"]
    run = onda.run(str(survey), progress=False, overrides=asked)
    gather = run.gather(2)
    assert list(gather.motion) == ["velocity_z", "acceleration_x"]
    assert gather.motion["velocity_z"].shape == gather.pressure.shape
    assert gather.motion["velocity_z"].any()
    done = command_line("run", survey, "-o", tmp_path / "out", *[word for key in asked for word in ("--set", key)])
    assert done.returncode == 0, done.stderr
    there = onda.open(tmp_path / "out")
    for name, values in gather.motion.items():
        assert np.array_equal(there.gather(2).motion[name], values)
    for place in (run, there):
        place.export(tmp_path / "vz.npy", quantity="velocity_z", force=True)
        traces = np.load(tmp_path / "vz.npy").reshape(-1, gather.pressure.shape[1])
        assert np.array_equal(traces[-len(gather.pressure) :], gather.motion["velocity_z"])
        with pytest.raises((onda.UsageError, onda.InputDataError), match="velocity_y"):
            place.export(tmp_path / "vy.npy", quantity="velocity_y")
    with pytest.raises(onda.UsageError, match="receivers record no vz, but pressure"):
        run.export(tmp_path / "vz.npy", quantity="vz", force=True)
    assert onda.run(str(survey), progress=False).gather(2).motion == {}
