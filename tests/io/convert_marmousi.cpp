// The Marmousi model as it is handed around (raw, x slowest, km/s) converts. Needs ONDA_DATA_DIR.
// Takes less than a second.
#include <doctest/doctest.h>

#include "io/models/foreign_model.hpp"
#include "io/models/model_file.hpp"
#include "tests/io/files_support.hpp"

using namespace onda;

TEST_CASE("Marmousi: shape, water, range, and its deepest row") {
    const auto file = data_file("marmousi_vp_1601x401.f32");
    ForeignOptions options;
    options.shape = {1601, 401};
    options.axes = "xz";
    options.spacing_m = {7.5};
    options.units = "km/s";
    const auto raw = read_raw_model(file, options);
    const TemporaryFolder folder;
    const auto out = folder.path() / "marmousi.h5";
    const auto range = write_model_file(
        out, raw.geometry, [&](std::int64_t z, std::span<float> plane) { raw.plane(z, plane); }, "test", false);
    CHECK(std::abs(range[0] - 1028.) <= 1e-3);
    CHECK(std::abs(range[1] - 4700.) <= 1e-3);

    const ModelFile model(out);
    std::vector<float> vp(1601 * 401);
    model.read({0, 0, 0}, {1601, 1, 401}, vp);
    std::size_t differing = 0;
    double top = 0., bottom = 0.;
    for (std::size_t x = 0; x < 1601; ++x) {
        for (std::size_t z = 0; z < 401; ++z)
            differing += !(std::abs(vp[z * 1601 + x] - 1000.f * raw.values[x * 401 + z]) <= 1e-3f);
        top += static_cast<double>(vp[x]) / 1601.;
        bottom += static_cast<double>(vp[400 * 1601 + x]) / 1601.;
    }
    CHECK(differing == 0);
    // The first row is water; velocity grows with depth: axes are not mixed up.
    CHECK(std::abs(top - 1500.) <= 30.);
    CHECK(bottom >= 3000.);
}
