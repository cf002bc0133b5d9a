// An inversion whose stages have grids of their own publishes pictures and pages after every iteration, on whatever
// grid the model is then; and one whose signal is estimated compares the samples that it began with. Takes 3 s.
#include <doctest/doctest.h>
#include <fstream>
#include <string>
#include <vector>

#include "io/config/config.hpp"
#include "io/models/model_file.hpp"
#include "solver/inversion/full_waveform_inversion.hpp"
#include "solver/outputs/iterations/inversion_output.hpp"
#include "solver/plan/names.hpp"
#include "tests/program/process.hpp"

using namespace onda;

namespace {

constexpr const char* kTwoGrids = R"(schema_version: 1
grid: {shape: [61, 41], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 0.5}
boundary: {cpml_width: 10}
wavelet: {type: ricker, peak_frequency_hz: 15}
sources: [{type: line, first_m: [50, 40], last_m: [50, 360], count: 3}]
receivers: [{type: line, first_m: [550, 20], last_m: [550, 380], count: 19}]
backend: {name: cpu}
)";
constexpr const char* kStages = R"(imaging: {observed: observed/seismograms.h5}
inversion:
  vp_m_s: {min: 1800, max: 2300}
  stages:
    - {iterations: 1, band_pass: {high_hz: 9}, spacing_m: 20}
    - {iterations: 1}
)";

struct GridsPlace {
    GridsPlace() {
        write_text(folder.path() / "true.yaml", kTwoGrids);
        write_text(folder.path() / "fwi.yaml", std::string(kTwoGrids) + kStages);
        const Outcome done =
            run_onda({"run", folder.path() / "true.yaml", "-o", folder.path() / "observed", "--set",
                      "model.vp_m_s=2060", "--set", "output.pictures=false", "--set", "output.report=false"});
        REQUIRE_MESSAGE(done.code == 0, done.err);
    }
    /// Publishes after every iteration.
    std::filesystem::path invert(const std::string& name, const std::vector<std::string>& settings = {}) {
        RunOptions options;
        options.folder = folder.path() / name;
        options.publish_pause = std::chrono::seconds(0);
        options.after_iteration = [&](const InversionIteration& row) {
            CHECK(std::filesystem::exists(options.folder / kIterationPageName));
            rows.push_back(row);
        };
        Log log([](Log::Level, const std::string&) {});
        CHECK(invert_waveforms(read_config(folder.path() / "fwi.yaml", vocabulary(), settings), options, log).complete);
        return options.folder;
    }
    TemporaryFolder folder;
    std::vector<InversionIteration> rows;
};

}  // namespace

TEST_CASE("what an inversion publishes follows the grid of its stage") {
    GridsPlace place;
    const std::filesystem::path out = place.invert("inverted");
    REQUIRE(place.rows.size() == 4);
    CHECK(place.rows[1].relative < 0.5);
    CHECK(ModelFile(out / kInvertedModelName).geometry().shape == std::array<std::int64_t, 3>{61, 1, 41});
    CHECK(std::filesystem::exists(out / kGatherComparisonName));
    CHECK(std::filesystem::exists(out / kInvertedModelPictureName));
}

TEST_CASE("a signal that is estimated has the samples of the one that was given") {
    GridsPlace place;
    // A wavelet of twice the frequency asks for other samples than the one that takes its place.
    const std::filesystem::path out =
        place.invert("estimated", {"wavelet.peak_frequency_hz=30", "inversion.wavelet=estimated",
                                   "inversion.stages=[{iterations: 1}]", "scheme.min_points_per_wavelength=2"});
    CHECK(std::filesystem::exists(out / kGatherComparisonName));
    CHECK(place.rows.back().relative < 1.);
    std::ifstream filter(out / "iterations/1-000/wavelet_filter.csv");
    std::string header;
    std::getline(filter, header);
    CHECK(header == "frequency_hz,amplitude,phase_rad,synthetic,observed,explained");
}
