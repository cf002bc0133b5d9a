"""Promise: onda.fwi() finds the model of `onda fwi`, bit for bit, tells of every iteration, ends where a callback wants it
to and goes on from there; onda.read_inversion() reads what either left; what is wrong is refused by name."""

import importlib.util
import json

import h5py
import numpy as np
import pytest

import onda
from conftest import command_line

SURVEY = """schema_version: 1
grid: {shape: [41, 41], spacing_m: 20}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 0.7}
boundary: {cpml_width: 10}
wavelet: {type: ricker, peak_frequency_hz: 8}
sources: [{type: line, first_m: [60, 40], last_m: [60, 760], count: 4}]
receivers: [{type: line, first_m: [740, 20], last_m: [740, 780], count: 20}]
output: {pictures: false, report: false}
backend: {threads: 1}
"""
LENS = """{type: inclusions, vp_m_s: 2000, smooth_m: 40,
  inclusions: [{shape: sphere, center_m: [400, 400], radius_m: 120, vp_m_s: 2150}]}"""
INVERSION = """imaging: {observed: true/seismograms.h5}
inversion:
  true_model: true.h5
  vp_m_s: {min: 1800, max: 2400}
  source_taper_m: 80
  receiver_taper_m: 80
  smooth_wavelengths: 0.1
  stages:
  - {iterations: 3, band_pass: {high_hz: 6}}
  - {iterations: 2}
"""
ONE_ITERATION = ["inversion.stages=[{iterations: 1}]"]


def computed(*arguments):
    done = command_line(*arguments)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def lens(tmp_path_factory):
    """The path of a configuration with observed data of a fast lens, and what the program makes of it in `program`."""
    folder = tmp_path_factory.mktemp("lens")
    true = SURVEY.replace("{type: constant, vp_m_s: 2000}", LENS)
    (folder / "true.yaml").write_text(true)
    computed("run", folder / "true.yaml", "--output", folder / "true")
    computed("model", "--no-pictures", folder / "true.yaml", "--output", folder / "true.h5")
    (folder / "lens.yaml").write_text(SURVEY + INVERSION)
    computed("fwi", folder / "lens.yaml", "--output", folder / "program")
    return folder / "lens.yaml"


def model_in(file):
    """vp of a model's file, read without the package."""
    with h5py.File(file) as root:
        return root["vp"][:]


def test_is_what_the_program_writes(lens, tmp_path):
    told, steps = [], []
    inversion = onda.fwi(lens, folder=tmp_path / "out", callback=told.append, progress=steps.append)
    program = lens.parent / "program"
    assert inversion.vp.shape == (41, 41) and inversion.vp.dtype == np.float32 and inversion.rho is None
    np.testing.assert_array_equal(inversion.vp, model_in(program / "model.h5"))
    assert (tmp_path / "out" / "iterations.csv").read_text() == (program / "iterations.csv").read_text()
    np.testing.assert_array_equal(inversion.x_m, 20.0 * np.arange(41))
    np.testing.assert_array_equal(inversion.z_m, inversion.x_m)
    assert inversion.y_m.tolist() == [0] and inversion.folder == tmp_path / "out" and inversion.complete
    assert told == inversion.iterations
    assert [(line.stage, line.iteration) for line in told] == [(1, 0), (1, 1), (1, 2), (1, 3), (2, 0), (2, 1), (2, 2)]
    assert told[3].relative < 0.2 and told[3].relative == told[3].misfit / told[0].misfit
    assert told[6].misfit < told[4].misfit and told[6].model_error_percent < told[0].model_error_percent
    assert all(line.shots == 4 and line.trials > 0 and line.step > 0 for line in told if line.iteration)
    assert steps and 0 < steps[0].fraction <= steps[-1].fraction <= 1
    what = "41 x 41 nodes (x 0 to 800 m, z 0 to 800 m)"
    part = f"stage 2 at {told[6].relative:.3g} of its misfit"
    assert repr(inversion) == f"<onda.Inversion: 5 iterations, complete, {part}, {what}, {tmp_path / 'out'}>"


def test_reads_what_either_left(lens, tmp_path):
    program = lens.parent / "program"
    inversion = onda.read_inversion(str(program))
    np.testing.assert_array_equal(inversion.vp, model_in(program / "model.h5"))
    assert inversion.complete and inversion.folder == program
    table = np.genfromtxt(program / "iterations.csv", delimiter=",", names=True)
    for name in table.dtype.names:
        np.testing.assert_array_equal([getattr(line, name) for line in inversion.iterations], table[name])
    told = []  # nothing is left to do
    again = onda.fwi(lens, folder=program, callback=told.append)
    assert told == [] and again.iterations == inversion.iterations
    np.testing.assert_array_equal(again.vp, inversion.vp)


def test_a_callback_ends_it_and_it_goes_on_to_the_same_bits(lens, tmp_path):
    told = []

    def stop(iteration):
        told.append(iteration)
        if iteration.iteration == 2:
            raise StopIteration

    first = onda.fwi(lens, folder=tmp_path / "out", callback=stop)
    assert not first.complete and first.iterations == told and len(told) == 3
    np.testing.assert_array_equal(first.vp, model_in(tmp_path / "out/iterations/1-002/model.h5"))
    read = onda.read_inversion(tmp_path / "out")
    assert not read.complete and read.iterations == told
    np.testing.assert_array_equal(read.vp, first.vp)
    assert "2 iterations, not complete, stage 1 at" in repr(first)

    def fail(iteration):
        if iteration.stage == 2:
            raise LookupError("of the callback")

    with pytest.raises(LookupError, match="of the callback"):
        onda.fwi(lens, folder=tmp_path / "out", callback=fail)
    whole = onda.read_inversion(lens.parent / "program")
    told.clear()
    last = onda.fwi(lens, folder=tmp_path / "out", callback=told.append)
    assert last.complete and last.iterations == whole.iterations == told  # those of before are told of, too
    np.testing.assert_array_equal(last.vp, whole.vp)


def test_a_quality_factor_is_held(lens, tmp_path):
    q = np.full((41, 41), 50.0, np.float32)
    q[20:] = 80.0
    vp = np.full((41, 41), 2000.0)
    inversion = onda.fwi(lens, folder=tmp_path / "out", vp=vp, q=q, overrides=ONE_ITERATION)
    np.testing.assert_array_equal(inversion.q, q)
    assert not np.array_equal(inversion.vp, vp)
    lossless = onda.fwi(lens, folder=tmp_path / "lossless", vp=vp, overrides=ONE_ITERATION)
    assert lossless.q is None and not np.array_equal(inversion.vp, lossless.vp)
    if importlib.util.find_spec("xarray"):
        assert set(inversion.to_xarray()) == {"vp", "q"}


def test_epsilon_and_delta_are_held_or_inverted(lens, tmp_path):
    epsilon = np.full((41, 41), 0.1, np.float32)
    epsilon[20:] = 0.2
    vp, delta = np.full((41, 41), 2000.0), epsilon / 2
    inversion = onda.fwi(
        lens, folder=tmp_path / "out", vp=vp, epsilon=epsilon, delta=delta, overrides=ONE_ITERATION
    )
    np.testing.assert_array_equal(inversion.epsilon, epsilon)
    np.testing.assert_array_equal(inversion.delta, delta)
    assert not np.array_equal(inversion.vp, vp)
    if importlib.util.find_spec("xarray"):
        assert set(inversion.to_xarray()) == {"vp", "epsilon", "delta"}
    changed = onda.fwi(
        lens,
        folder=tmp_path / "changed",
        vp=vp,
        epsilon=epsilon,
        delta=delta,
        overrides=[*ONE_ITERATION, "inversion.anisotropy=inverted", "model.elliptical_radius=2"],
    )
    assert not np.array_equal(changed.epsilon, epsilon) and not np.array_equal(changed.delta, delta)
    assert (changed.delta <= changed.epsilon).all()


def test_the_end_of_progress_is_no_end_of_the_inversion(lens, tmp_path):
    def stop(progress):
        raise StopIteration

    with pytest.raises(StopIteration):
        onda.fwi(lens, folder=tmp_path / "out", progress=stop)
    with pytest.raises(onda.MissingInputError, match="iterations.csv: no such file"):
        onda.read_inversion(tmp_path / "out")


def test_arrays_are_start_models(lens, tmp_path):
    """On the grids of all stages, and by another call that goes on."""
    stages = ["inversion.stages=[{iterations: 1, band_pass: {high_hz: 4}, spacing_m: 40}, {iterations: 1}]"]
    named = onda.fwi(lens, folder=tmp_path / "named", overrides=stages)

    def stop(iteration):
        if iteration.iteration == 1:
            raise StopIteration

    for vp, callback, count in (
        (np.full((41, 41), 2000.0), stop, 2),
        (np.full(41 * 41, 2000.0), None, 4),
    ):
        inversion = onda.fwi(lens, vp=vp, folder=tmp_path / "out", overrides=stages, callback=callback)
        assert inversion.iterations == named.iterations[:count]
    np.testing.assert_array_equal(inversion.vp, named.vp)
    with pytest.raises(onda.CannotCreateError, match="model"):
        onda.fwi(lens, vp=np.full((41, 41), 2010.0), folder=tmp_path / "out", overrides=stages)
    with pytest.raises(onda.UsageError, match="7 values for a grid of 41 x 1 x 41 nodes"):
        onda.fwi(lens, vp=np.full(7, 2000.0), folder=tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_pictures_are_drawn_again_from_a_relative_folder(lens, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    onda.fwi(lens, vp=np.full((41, 41), 2000.0), folder="out", overrides=ONE_ITERATION)
    for what in ("misfit", "model", "shots", "gathers"):
        done = command_line("plot", "inversion", tmp_path / "out", "--what", what, "--output", tmp_path / f"{what}.png")
        assert done.returncode == 0, done.stderr


def test_density_is_a_part_of_the_model(lens, tmp_path):
    vp, rho = np.full((41, 41), 2000.0), np.full((41, 41), 1900.0)
    rho[30:] = 2000.0  # one density alone would be none
    settings = ONE_ITERATION + ["inversion.true_model=null", "inversion.density=inverted"]
    inversion = onda.fwi(lens, vp=vp, rho=rho, folder=tmp_path / "out", overrides=settings)
    assert inversion.rho.shape == (41, 41) and inversion.rho.dtype == np.float32
    assert abs(inversion.rho - rho).max() > 0 and abs(inversion.vp - 2000).max() > 0
    assert inversion.iterations[-1].model_error_percent is None
    assert inversion.iterations[1].misfit < inversion.iterations[0].misfit


def test_models_have_labels_that_runs_take(lens):
    xarray = pytest.importorskip("xarray")
    inversion = onda.read_inversion(lens.parent / "program")
    labelled = inversion.to_xarray()
    assert isinstance(labelled, xarray.Dataset) and set(labelled) == {"vp"}
    assert labelled.vp.dims == ("z_m", "x_m") and float(labelled.vp.sel(z_m=400, x_m=420)) == inversion.vp[20, 21]
    value, gradient = onda.misfit(lens, vp=labelled.vp)
    assert gradient.shape == (41, 41) and value < 0.2 * onda.misfit(lens)[0]


def test_what_cannot_be_inverted_is_refused(lens, tmp_path):
    with pytest.raises(onda.ConfigError, match="add a section `inversion` with `stages`"):
        onda.fwi(SURVEY, folder=tmp_path / "out")
    with pytest.raises(onda.MissingInputError, match="nowhere.h5"):
        onda.fwi(lens, folder=tmp_path / "out", overrides=["imaging.observed=nowhere.h5"])
    assert not (tmp_path / "out").exists()
    other = ONE_ITERATION + ["inversion.method=steepest_descent"]
    first = onda.fwi(lens, folder=tmp_path / "out", overrides=ONE_ITERATION)
    with pytest.raises(onda.CannotCreateError, match="inversion.method"):
        onda.fwi(lens, folder=tmp_path / "out", overrides=other)
    assert onda.read_inversion(tmp_path / "out").iterations == first.iterations
    assert onda.fwi(lens, folder=tmp_path / "out", overrides=other, force=True).complete


def write(folder, **columns):
    """The folder of an inversion in 3-D, as far as it is read."""
    row = {"stage": 1, "iteration": 0, "misfit": 2.5, "relative": 1, "penalty": 0, "step": 0, "change": 0}
    row.update(gradient=0.25, trials=0, shots=7, model_error_percent="", **columns)
    folder.mkdir()
    (folder / "iterations.csv").write_text(",".join(row) + "\n" + ",".join(map(str, row.values())) + "\n")
    summary = {"format": "onda-summary", "state": "complete", "identity": "d69d7bb596bcddcc so far"}
    (folder / "summary.json").write_text(json.dumps(summary))
    vp = np.arange(2000, 2024, dtype=np.float32).reshape(2, 3, 4)
    with h5py.File(folder / "model.h5", "w") as root:
        root.attrs["format"] = "onda-model"
        root["vp"], root["rho"] = vp, vp - 100
        root["vp"].attrs["origin"], root["vp"].attrs["spacing"] = (5.0, -10.0, 100.0), (10.0, 20.0, 25.0)
    return vp


def test_reads_three_dimensions(tmp_path):
    vp = write(tmp_path / "out")
    inversion = onda.read_inversion(tmp_path / "out")
    np.testing.assert_array_equal(inversion.vp, vp)
    np.testing.assert_array_equal(inversion.rho, vp - 100)
    assert inversion.z_m.tolist() == [5, 15] and inversion.y_m.tolist() == [-10, 10, 30]
    assert inversion.x_m.tolist() == [100, 125, 150, 175]
    assert not inversion.complete and inversion.iterations == [onda.Iteration(1, 0, 2.5, 1, 0, 0, 0, 0.25, 0, 7, None)]
    pytest.importorskip("xarray")
    assert inversion.to_xarray().rho.dims == ("z_m", "y_m", "x_m")


def test_what_is_no_inversion(tmp_path):
    with pytest.raises(onda.MissingInputError, match="there is no such folder"):
        onda.read_inversion(tmp_path / "none")
    with pytest.raises(onda.MissingInputError, match="iterations.csv: no such file"):
        onda.read_inversion(tmp_path)
    write(tmp_path / "a", misfit="much")
    with pytest.raises(onda.InputDataError, match="iterations.csv: is not the table of an inversion"):
        onda.read_inversion(tmp_path / "a")
    write(tmp_path / "b")
    (tmp_path / "b" / "iterations.csv").write_text("stage,iteration,misfit\n")
    with pytest.raises(onda.InputDataError, match="iterations.csv: has no iterations"):
        onda.read_inversion(tmp_path / "b")
    (tmp_path / "b" / "iterations.csv").write_text("stage,iteration,misfit\n1,0,2.5\n")
    with pytest.raises(onda.InputDataError, match="iterations.csv: is not the table of an inversion"):
        onda.read_inversion(tmp_path / "b")
    write(tmp_path / "c")
    with h5py.File(tmp_path / "c" / "model.h5", "a") as root:
        del root["vp"].attrs["origin"]
    with pytest.raises(onda.InputDataError, match="model.h5: .*origin"):
        onda.read_inversion(tmp_path / "c")
