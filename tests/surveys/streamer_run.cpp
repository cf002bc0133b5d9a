// The gathers of a streamer are, bit by bit, those of runs of one shot with the receivers where the streamer was.
// Takes 4 s.
#include <algorithm>
#include <spdlog/fmt/fmt.h>

#include "io/results/seismograms.hpp"
#include "io/text/number_text.hpp"
#include "tests/program/program.hpp"

using namespace onda;

namespace {

const std::string kMedium = R"(schema_version: 1
grid: {shape: [81, 61], spacing_m: [10, 8], origin_m: [100, -16]}
model: {type: layered, layers: [{top_m: 0, vp_m_s: 1500}, {top_m: 200, vp_m_s: 2200}]}
time: {duration_s: 0.3}
boundary: {top: free_surface, cpml_width: 12}
wavelet: {type: ricker, peak_frequency_hz: 15}
)";

/// The gathers of all shots of a run.
std::vector<ShotGather> gathers_of(const std::filesystem::path& folder, const std::string& text) {
    const auto config = folder / "run.yaml", out = folder / "out";
    write_text(config, text);
    const Outcome run = run_onda({"run", config.string(), "--output", out.string(), "--force"});
    CAPTURE(run.err);
    REQUIRE(run.code == 0);
    std::vector<ShotGather> gathers;
    for (const std::int64_t shot : list_shots(out / "seismograms.h5"))
        gathers.push_back(read_gather(out / "seismograms.h5", shot));
    return gathers;
}

}  // namespace

TEST_CASE("a streamer behind a line of shots records what fixed receivers there record") {
    const TemporaryFolder folder;
    const auto gathers = gathers_of(folder.path(), kMedium + R"(sources:
  - {type: line, first_m: [403.5, 24], last_m: [643.5, 24], spacing_m: 80}
receivers:
  - {type: line, relative_to: source, first_m: [-150, -4], last_m: [-25, -4], spacing_m: 12.5}
  - {relative_to: source, position_m: [0.125, 200]}
  - {position_m: [500, 40]}
)");
    REQUIRE(gathers.size() == 4u);
    for (const ShotGather& gather : gathers) {
        const double x = 403.5 + 80. * static_cast<double>(gather.shot - 1);
        CHECK(gather.sources_m == std::vector<std::array<double, 3>>{{x, 0., 24.}});
        REQUIRE(gather.receivers_m.size() == 13u);
        std::string text = kMedium + fmt::format("sources: [{{position_m: [{}, 24]}}]\nreceivers:\n", x);
        for (std::size_t i = 0; i < 13; ++i) {
            std::array<double, 3> there{x - 150. + 12.5 * static_cast<double>(i), 0., 20.};
            if (i == 11) there = {x + 0.125, 0., 224.};
            if (i == 12) there = {500., 0., 40.};
            CHECK(gather.receivers_m[i] == there);
            text += fmt::format("  - {{position_m: [{}, {}]}}\n", number_text(there[0]), number_text(there[2]));
        }
        const auto fixed = gathers_of(folder.path(), text);
        REQUIRE(fixed.size() == 1u);
        CHECK(fixed[0].receivers_m == gather.receivers_m);
        CHECK(fixed[0].pressure == gather.pressure);
        CHECK(std::any_of(gather.pressure.begin(), gather.pressure.end(), [](float p) { return p != 0.f; }));
    }
    CHECK(gathers[0].pressure != gathers[1].pressure);
}
