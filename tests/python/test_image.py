"""Promise: onda.rtm() and onda.lsrtm() make the images of `onda rtm` and `onda lsrtm`, bit for bit, of a configuration
and of arrays alike; onda.read_image() returns what their files hold; what is wrong is refused by name."""

import json
import signal
import tempfile

import h5py
import numpy as np
import pytest

import onda
from conftest import command_line

SURVEY = """schema_version: 1
grid: {shape: [45, 37], spacing_m: [10, 8], origin_m: [100, -16]}
model: {type: gradient, vp_m_s: 1500, gradient_per_s: 1.5}
time: {duration_s: 0.32}
boundary: {top: free_surface, cpml_width: 10}
wavelet: {type: ricker, peak_frequency_hz: 14}
sources:
  - {position_m: [203, 24], shot: 1}
  - {position_m: [300, 24], shot: 2}
  - {position_m: [400, 24], shot: 3}
receivers:
  - {type: line, first_m: [143, 20], last_m: [503, 20], count: 13}
output: {pictures: false, report: false}
"""
REFLECTOR = "{type: layered, layers: [{top_m: 0, vp_m_s: 1500}, {top_m: 150, vp_m_s: 2400}]}"
IMAGING = """imaging:
  observed: true/seismograms.h5
  top_mute: {t0_s: 0.05, velocity_m_s: 1500, taper_s: 0.03}
  image: {water_m_s: 1510, mute_depth_m: 30, mute_taper_m: 40, longest_wavelength_m: 150}
"""
IMAGES = ("migrated", "stack", "change", "illumination_source", "illumination_receiver")


def computed(*arguments):
    done = command_line(*arguments)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def line(tmp_path_factory):
    """The path of a configuration with observed data, of a medium with a reflector."""
    folder = tmp_path_factory.mktemp("line")
    (folder / "true.yaml").write_text(SURVEY.replace("{type: gradient, vp_m_s: 1500, gradient_per_s: 1.5}", REFLECTOR))
    computed("run", folder / "true.yaml", "--output", folder / "true")
    (folder / "line.yaml").write_text(SURVEY + IMAGING)
    computed("rtm", folder / "line.yaml", "--output", folder / "image")
    computed("lsrtm", folder / "line.yaml", "--set", "imaging.lsrtm.iterations=2", "--output", folder / "fit")
    return folder / "line.yaml"


def smooth():
    """The model of the configuration [z][x]."""
    depth_m = 8.0 * np.arange(37)
    return np.repeat((1500.0 + 1.5 * depth_m).astype(np.float32)[:, None], 45, axis=1)


def check_equal(image, file):
    """An image has the bits of a file, which is read without the package."""
    with h5py.File(file) as root:
        of_file = {"migrated": "image/migrated", "stack": "image/stack", "change": "image/vp"}
        of_file.update({f"illumination_{name}": f"illumination/{name}" for name in ("source", "receiver")})
        assert {name for name in IMAGES if getattr(image, name) is not None} == {
            name for name, path in of_file.items() if path in root
        }
        for name, path in of_file.items():
            if path in root:
                assert getattr(image, name).dtype == np.float32
                np.testing.assert_array_equal(getattr(image, name), root[path][:])
        for name in ("x_m", "y_m", "z_m"):
            np.testing.assert_array_equal(getattr(image, name), root[name][:])
        for ours, theirs in (("shots", "shot"), ("energy", "value"), ("traces",) * 2, ("dead",) * 2, ("excluded",) * 2):
            np.testing.assert_array_equal(getattr(image, ours), root["misfit"][theirs][:])
            assert getattr(image, ours).dtype == root["misfit"][theirs].dtype
        for shot in image.shots:
            np.testing.assert_array_equal(image.energy_of_trace(shot), root[f"shots/{shot}/misfit"][:])
    assert image.spacing_m == (10, 1, 8) and image.origin_m == (100, 0, -16) and image.first_node == (0, 0, 0)
    assert image.total_energy > 0 and abs(image.illumination_source).max() > 0


def test_is_what_the_program_writes(line):
    image = onda.rtm(line)
    check_equal(image, line.parent / "image" / "image.h5")
    assert abs(image.migrated).max() > 0 and not np.array_equal(image.migrated, image.stack)
    assert not image.migrated[:4].any()  # the water, and the mute
    assert image.condition == "inverse_scattering"
    assert image.summary["task"] == "rtm" and image.seconds["time steps"] > 0
    assert image.residuals is None and image.file is None
    told = "inverse_scattering, 3 shots, 45 x 37 nodes (x 100 to 540 m, z -16 to 272 m)"
    assert repr(image) == f"<onda.Image: {told}>"
    written = line.parent / "image"
    for path in (written, str(written), written / "image.h5"):
        read = onda.read_image(path)
        check_equal(read, written / "image.h5")
        assert read.condition == "inverse_scattering"
        assert read.summary == json.loads((written / "summary.json").read_text())
        assert repr(read) == f"<onda.Image: {told}, {written / 'image.h5'}>"


def test_every_condition_and_illumination(line, tmp_path):
    settings = ["imaging.image.condition=velocity", "imaging.image.normalise=both", "imaging.image.laplacian=true"]
    computed("rtm", line, "--output", tmp_path / "image", *(word for of in settings for word in ("--set", of)))
    image = onda.rtm(line, overrides=settings)
    check_equal(image, tmp_path / "image" / "image.h5")
    assert image.condition == "velocity"


def test_offset_gathers_are_those_of_the_program(line, tmp_path):
    asked = "imaging.image.offset_gathers={every_m: 100, half_offset_m: 40}"
    computed("rtm", line, "--set", asked, "--output", tmp_path / "image")
    image = onda.rtm(line, overrides=[asked])
    with h5py.File(tmp_path / "image/image.h5") as root:
        np.testing.assert_array_equal(image.offset_gathers.values, root["offset_gathers/image"][:])
    of_file = onda.read_image(tmp_path / "image").offset_gathers
    for name in ("values", "x_m", "y_m", "half_offset_m", "z_m"):
        np.testing.assert_array_equal(getattr(image.offset_gathers, name), getattr(of_file, name))
    assert image.offset_gathers.values.shape == (4, 9, 37) and image.offset_gathers.along == of_file.along == "x"
    np.testing.assert_array_equal(image.offset_gathers.x_m, [200, 300, 400, 500])
    assert repr(image.offset_gathers) == "<onda.OffsetGathers: 4 lines, half offsets to 40 m along x, 37 values of z>"
    assert onda.rtm(line).offset_gathers is None


def test_arrays_take_the_place_of_the_model(line):
    whole = onda.rtm(line)
    for vp in (smooth(), smooth().ravel()):
        image = onda.rtm(line, vp=vp)
        for name in IMAGES:
            np.testing.assert_array_equal(getattr(image, name), getattr(whole, name))
    with pytest.raises(onda.UsageError, match="7 values for a grid of 45 x 1 x 37 nodes"):
        onda.rtm(line, vp=np.full(7, 2000.0))
    with pytest.raises(onda.UsageError, match="rho: an array of densities takes an array of velocities"):
        onda.rtm(line, rho=smooth())


def test_some_shots_and_their_parts_of_the_grid(line, tmp_path):
    """The sum over the shots is taken in their order, each on its part of the grid."""
    settings = ["survey.limit_m=150", "backend.batch=1"]
    computed("rtm", line, "--output", tmp_path / "image", *(word for of in settings for word in ("--set", of)))
    check_equal(onda.rtm(line, overrides=settings), tmp_path / "image" / "image.h5")
    several = onda.rtm(line, shots=[1, 3])
    assert several.shots.tolist() == [1, 3]
    alone = [onda.rtm(line, shots=[shot]).stack.astype(float) for shot in (1, 3)]
    np.testing.assert_array_equal(several.stack, (alone[0] + alone[1]).astype(np.float32))


def test_progress_and_the_end_of_a_run(line, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    told = []
    onda.rtm(line, progress=told.append)
    assert told[-1].fraction == 1 and told[-1].shots == 3

    def stop(progress):
        if progress.fraction > 0.5:
            signal.raise_signal(signal.SIGINT)  # as Ctrl-C does; Python looks at it at the next of its instructions

    for function in (onda.rtm, onda.lsrtm):
        with pytest.raises(KeyboardInterrupt):
            function(line, progress=stop)
        assert list(tmp_path.iterdir()) == []
    np.testing.assert_array_equal(onda.rtm(line).migrated, onda.read_image(line.parent / "image").migrated)


def test_least_squares_is_what_the_program_writes(line, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    told = []
    image = onda.lsrtm(line, vp=smooth(), overrides=["imaging.lsrtm.iterations=2"], progress=told.append)
    written = line.parent / "fit"
    check_equal(image, written / "image.h5")
    assert image.file is None and image.condition is None
    with open(written / "residuals.csv") as table:
        rows = np.genfromtxt(table, delimiter=",", names=True)
    np.testing.assert_array_equal(image.residuals, rows["residual"])
    assert len(image.residuals) == 3 and image.residuals[0] == 1 and image.residuals[2] < image.residuals[1] < 1
    assert [step.shots for step in told] == [9] * len(told)
    assert all(before.fraction <= after.fraction for before, after in zip(told, told[1:]))
    assert told[0].fraction < 0.2 and told[-1].fraction == 1
    assert list(tmp_path.iterdir()) == []
    assert repr(image).startswith("<onda.Image: least squares after 2 iterations, 3 shots, 45 x 37 nodes (")
    read = onda.read_image(written)
    check_equal(read, written / "image.h5")
    np.testing.assert_array_equal(read.residuals, image.residuals)


def test_without_filters_there_is_the_change_alone(line, tmp_path):
    settings = ["imaging.lsrtm.iterations=1", "imaging.image={mute_depth_m: 30}"]
    image = onda.lsrtm(line, overrides=settings)
    assert image.migrated is None and image.stack is None and abs(image.change).max() > 0


def test_what_cannot_be_imaged_is_refused(line, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for function in (onda.rtm, onda.lsrtm):
        with pytest.raises(onda.ConfigError, match="add a section `imaging` with `observed: FILE`"):
            function(SURVEY)
        with pytest.raises(onda.ConfigError, match="imaging.observed: missing"):
            function(SURVEY + "imaging: {image: {condition: velocity}}\n")
        with pytest.raises(onda.MissingInputError, match="nowhere.h5"):
            function(line, overrides=["imaging.observed=nowhere.h5"])
        with pytest.raises(onda.InputDataError, match=r"shot \d: 13 receivers there, 7 in the survey"):
            function(line, overrides=["receivers[0].count=7"])
        with pytest.raises(onda.InputDataError, match="has no shot 4"):
            function(line, overrides=["sources[2].shot=4"])
        with pytest.raises(onda.InputDataError, match=r"shot \d: ends at 0.32 s, the record of this run at 0.5 s"):
            function(line, overrides=["time.duration_s=0.5"])
    with pytest.raises(onda.UsageError, match="shot 9"):
        onda.rtm(line, shots=[1, 9])
    assert list(tmp_path.iterdir()) == []


def test_values_that_files_do_not_hold_are_refused(line):
    with pytest.raises(onda.UnstableError, match="/illumination/source.*is inf, and results are finite"):
        onda.rtm(line, overrides=[f"sources[{i}].amplitude=1e22" for i in range(3)])


def test_labels_and_pictures(line, drawing):
    pytest.importorskip("xarray")
    image = onda.read_image(line.parent / "image")
    labelled = image.to_xarray()
    assert set(labelled) == {"migrated", "stack", "illumination_source", "illumination_receiver"}
    assert float(labelled.migrated.sel(z_m=144, x_m=300).squeeze()) == image.migrated[20, 0, 20]
    drawn = image.plot()
    np.testing.assert_array_equal(drawn.get_array().reshape(37, 45), image.migrated[:, 0, :])
    clip = np.percentile(abs(image.migrated), 98)
    assert drawn.get_clim() == pytest.approx((-clip, clip))
    assert drawn.axes.yaxis_inverted() and drawn.cmap.name == "gray_r"
    assert (drawn.axes.get_xlabel(), drawn.axes.get_ylabel()) == ("x (m)", "Depth (m)")
    assert image.plot("illumination_source", ax=drawing.figure().gca()).get_clim()[0] >= 0
    with pytest.raises(onda.UsageError, match="there is no image 'change'; there are migrated, stack"):
        image.plot("change")
    with pytest.raises(onda.UsageError, match="z_m: an image of two dimensions has one plane"):
        image.plot(z_m=100)


def write(path, first=(1, 0, 2)):
    """A file of one shot in 3-D, as runs leave one for each."""
    values = np.arange(24, dtype=np.float32).reshape(4, 3, 2)
    with h5py.File(path, "w") as file:
        file.attrs["format"] = "onda-gradient"
        file["image/stack"] = values
        file["image/stack"].attrs["first_node"] = first
        file["image/stack"].attrs["spacing"] = (8.0, 9.0, 10.0)
        file["illumination/source"] = values**2
        file["illumination/receiver"] = 2 * values**2
        for name, nodes in (("x_m", 2), ("y_m", 3), ("z_m", 4)):
            file[name] = 10.0 * np.arange(nodes)
        for name, value in (("shot", 7), ("value", 2.5), ("traces", 2), ("dead", 0), ("excluded", 1)):
            file[f"misfit/{name}"] = [value]
        file["shots/7/misfit"] = [1.5, 1.0]
    return values


def test_the_file_of_a_shot(tmp_path):
    values = write(tmp_path / "00007.image.h5")
    image = onda.read_image(tmp_path / "00007.image.h5")
    np.testing.assert_array_equal(image.stack, values)
    assert image.migrated is None and image.condition is None and image.summary is None and image.seconds is None
    assert image.first_node == (2, 0, 1) and image.spacing_m == (10, 9, 8)
    assert image.energy_of_trace(7).tolist() == [1.5, 1.0]
    with pytest.raises(onda.UsageError, match="there is no shot 1; there are 7"):
        image.energy_of_trace(1)
    assert repr(image).startswith("<onda.Image: sums, 1 shot, 2 x 3 x 4 nodes (")


def test_sections_of_three_dimensions(tmp_path, drawing):
    pytest.importorskip("xarray")
    values = write(tmp_path / "image.h5")
    image = onda.read_image(tmp_path)
    for asked, section, down in (
        ({}, values[:, 1, :], True),
        ({"y_m": 19}, values[:, 2, :], True),
        ({"x_m": 0}, values[:, :, 0], True),
        ({"z_m": 10}, values[1], False),
    ):
        drawn = image.plot("stack", ax=drawing.figure().gca(), **asked)
        np.testing.assert_array_equal(drawn.get_array().reshape(section.shape), section)
        assert drawn.axes.yaxis_inverted() == down
    with pytest.raises(onda.UsageError, match="one plane is drawn: x_m and z_m are given"):
        image.plot(x_m=0, z_m=0)


def test_what_is_no_image(tmp_path, line):
    with pytest.raises(onda.MissingInputError, match="image.h5: no such file"):
        onda.read_image(tmp_path)
    (tmp_path / "image.h5").write_bytes(b"no HDF5")
    with pytest.raises(onda.InputDataError, match="as an HDF5 file"):
        onda.read_image(tmp_path)
    write(tmp_path / "image.h5")
    with h5py.File(tmp_path / "image.h5", "a") as file:
        del file["misfit/value"]
    with pytest.raises(onda.InputDataError, match="value"):
        onda.read_image(tmp_path)
    with pytest.raises(onda.InputDataError, match=r"has no image; onda.read_gradient\(\) reads gradients"):
        onda.read_image(line.parent / "fit" / "iterations" / "000" / "gradient.h5")
    with pytest.raises(onda.InputDataError, match="expected onda-gradient"):
        onda.read_image(line.parent / "true" / "seismograms.h5")
