"""Promise: onda.read_gradient() returns what the layout of docs/outputs.md holds, and refuses everything else. That the
program writes this layout is a promise of the test image_file."""

import h5py
import numpy as np
import pytest

import onda

VP = np.arange(24, dtype=np.float32).reshape(4, 1, 6) - 12


def write(path, illuminations=True, first=(1, 0, 2)):
    """A file of two shots, of which the second one is in a file of its own."""
    with h5py.File(path.parent / "00002.gradient.h5", "w") as file:
        file["shots/2/misfit"] = [0.5, 0.25]
        file["shots/2/adjoint_source"] = np.ones((2, 3), dtype=np.float32)
    with h5py.File(path, "w") as file:
        file.attrs["format"] = "onda-gradient"
        file.attrs["format_version"] = 1
        file["gradient/vp"] = VP
        file["gradient/vp"].attrs["first_node"] = first
        if illuminations:
            file["gradient/rho"] = 3 * VP
            file["gradient/q"] = 4 * VP
            file["gradient/epsilon"] = 5 * VP
            file["gradient/delta"] = 6 * VP
            file["illumination/source"] = VP**2
            file["illumination/receiver"] = 2 * VP**2
        for name, nodes in (("x_m", 6), ("y_m", 1), ("z_m", 4)):
            file[name] = 10.0 * np.arange(nodes)
        for name, values in (("shot", [1, 2]), ("value", [2.5, 0.75]), ("traces", [3, 2]), ("dead", [0, 1])):
            file[f"misfit/{name}"] = values
        file["misfit/excluded"] = [1, 0]
        file["shots/1/misfit"] = [1.0, 1.0, 0.5]
        file["shots/2"] = h5py.ExternalLink("00002.gradient.h5", "/shots/2")


def test_images_misfits_and_traces(tmp_path):
    write(tmp_path / "gradient.h5")
    for path in (tmp_path / "gradient.h5", str(tmp_path / "gradient.h5"), tmp_path):
        gradient = onda.read_gradient(path)
        assert gradient.vp.dtype == np.float32
        np.testing.assert_array_equal(gradient.vp, VP)
        np.testing.assert_array_equal(gradient.rho, 3 * VP)
        np.testing.assert_array_equal(gradient.q, 4 * VP)
        np.testing.assert_array_equal(gradient.epsilon, 5 * VP)
        np.testing.assert_array_equal(gradient.delta, 6 * VP)
        np.testing.assert_array_equal(gradient.illumination_source, VP**2)
        np.testing.assert_array_equal(gradient.illumination_receiver, 2 * VP**2)
        assert gradient.first_node == (2, 0, 1)
        assert gradient.z_m.tolist() == [0, 10, 20, 30]
        assert gradient.shots.tolist() == [1, 2]
        assert gradient.total_misfit == 3.25
        assert gradient.dead.tolist() == [0, 1]
        assert gradient.excluded.tolist() == [1, 0]
        assert gradient.misfit_of_trace(1).tolist() == [1, 1, 0.5]
        assert gradient.misfit_of_trace(2).tolist() == [0.5, 0.25]
        assert gradient.adjoint_source(1) is None
        assert gradient.adjoint_source(2).shape == (2, 3)
    assert repr(gradient) == "<onda.Gradient: 2 shots, 6 x 4 nodes (x 0 to 50 m, z 0 to 30 m), misfit 3.25>"
    with pytest.raises(onda.UsageError, match="there is no shot 3; there are 1, 2"):
        gradient.misfit_of_trace(3)


def test_without_illuminations(tmp_path):
    write(tmp_path / "gradient.h5", illuminations=False)
    gradient = onda.read_gradient(tmp_path)
    assert gradient.rho is None
    assert gradient.illumination_source is None
    assert gradient.illumination_receiver is None


def test_labels(tmp_path):
    pytest.importorskip("xarray")
    write(tmp_path / "gradient.h5")
    labelled = onda.read_gradient(tmp_path).to_xarray()
    images = {"vp", "rho", "q", "epsilon", "delta", "illumination_source", "illumination_receiver"}
    assert set(labelled) == images
    assert float(labelled.vp.sel(z_m=20, x_m=30).squeeze()) == VP[2, 0, 3]


def test_what_is_no_gradient(tmp_path):
    with pytest.raises(onda.MissingInputError, match="no such file"):
        onda.read_gradient(tmp_path)
    (tmp_path / "gradient.h5").write_bytes(b"no HDF5")
    with pytest.raises(onda.InputDataError, match="as an HDF5 file"):
        onda.read_gradient(tmp_path)
    write(tmp_path / "gradient.h5")
    with h5py.File(tmp_path / "gradient.h5", "a") as file:
        del file["misfit/value"]
    with pytest.raises(onda.InputDataError, match="value"):
        onda.read_gradient(tmp_path)
    with h5py.File(tmp_path / "gradient.h5", "a") as file:
        file.attrs["format"] = "onda-snapshots"
    with pytest.raises(onda.InputDataError, match="expected onda-gradient"):
        onda.read_gradient(tmp_path)
