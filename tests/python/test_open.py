"""Promise: onda.open() reads what `onda run` left, and says what it is not given."""

import json

import pytest
from conftest import command_line

import onda


def test_a_run_of_kept_shots_is_read_through_its_links(survey, tmp_path):
    out = tmp_path / "many"
    sources = "sources=[{type: line, first_m: [400, 24], last_m: [600, 24], count: 101}]"
    done = command_line("run", survey, "-o", out, "--set", sources, "--set", "time.duration_s=0.1", "--set",
                        "output.snapshots.times_s=[0.1]")
    assert done.returncode == 0, done.stderr
    assert (out / "shots").is_dir()
    run = onda.open(out)
    assert run.shots == tuple(range(1, 102))
    assert run.gather(77).sources_m[0].tolist() == [552, 0, 24]
    assert run.snapshots(101).pressure.shape[0] == 1
    assert repr(run) == f"<onda.Run: 101 shots, 81 x 61 nodes, {out}>"


def test_what_the_files_tell(folder):
    run = onda.open(folder)
    assert "schema_version" in run.config_yaml
    assert run.summary["state"] == "complete"
    assert run.folder == folder
    with pytest.raises(onda.UsageError, match="there is no shot 9; there are 1, 2"):
        run.gather(9)


def test_what_is_no_run(folder, tmp_path):
    with pytest.raises(onda.MissingInputError, match="no such folder"):
        onda.open(tmp_path / "nowhere")
    with pytest.raises(onda.MissingInputError, match="not the folder of a run"):
        onda.open(tmp_path)
    (tmp_path / "begun" / "unfinished").mkdir(parents=True)
    with pytest.raises(onda.MissingInputError, match="has not finished"):
        onda.open(tmp_path / "begun")
    summary = folder / "summary.json"
    whole = summary.read_text()
    summary.write_text(json.dumps({**json.loads(whole), "state": "incomplete"}))
    with pytest.raises(onda.MissingInputError, match="not put in place"):
        onda.open(folder)
    summary.write_text("{}")
    with pytest.raises(onda.InputDataError, match="not the summary"):
        onda.open(folder)
    summary.write_text(whole)
    (folder / "seismograms.h5").write_bytes(b"no HDF5")
    with pytest.raises(onda.InputDataError, match="as an HDF5 file"):
        onda.open(folder)
