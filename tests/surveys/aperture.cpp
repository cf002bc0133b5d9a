// With survey.limit_m a shot is, bit by bit, what a run on its part of the grid alone gives.
// Takes 10 s.
#include "solver/survey/aperture.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include "io/results/seismograms.hpp"
#include "io/results/snapshots.hpp"
#include "kernels/cpu/cpu.hpp"
#include "kernels/shot/layer_sources.hpp"
#include "solver/plan/names.hpp"
#include "solver/planning/forecast.hpp"
#include "solver/planning/make_plan.hpp"
#include "tests/program/program.hpp"

using namespace onda;
using Json = nlohmann::json;

namespace {

const std::string kCommon = R"(schema_version: 1
model: {type: layered, layers: [{top_m: 0, vp_m_s: 1500}, {top_m: 150, vp_m_s: 2200}]}
time: {duration_s: 0.25}
boundary: {top: free_surface, cpml_width: 10}
wavelet: {type: ricker, peak_frequency_hz: 15}
)";

const std::string kShotsInLine = kCommon + R"(grid: {shape: [161, 41], spacing_m: 10, origin_m: [-200, 0]}
sources: [{type: line, first_m: [100, 24], last_m: [1300, 24], count: 5}]
receivers: [{type: line, relative_to: source, first_m: [-100, 12], last_m: [50, 12], count: 16}]
)";

struct Run {
    std::filesystem::path out;
    Json summary;
    std::string err;
};

Run run_named(const std::filesystem::path& folder, const std::string& name, const std::string& text) {
    const auto config = folder / (name + ".yaml"), out = folder / name;
    write_text(config, text);
    const Outcome outcome = run_onda({"run", config.string(), "--output", out.string(), "--force"});
    CAPTURE(outcome.err);
    REQUIRE(outcome.code == 0);
    return {out, Json::parse(text_of(out / "summary.json")), outcome.err};
}

std::string hash_of_shot(const Run& of, int shot) {
    return of.summary["hashes"]["shots"][std::to_string(shot)]["final_wavefield"];
}

double relative_difference(const std::vector<float>& a, const std::vector<float>& b) {
    REQUIRE(a.size() == b.size());
    double difference = 0., size = 0.;
    for (std::size_t i = 0; i < a.size(); ++i) {
        difference += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
        size += std::pow(static_cast<double>(b[i]), 2);
    }
    return std::sqrt(difference / size);
}

}  // namespace

TEST_CASE("a shot with an aperture is that of a grid cut to it, and nearly that of the whole") {
    const TemporaryFolder folder;
    const Run whole = run_named(folder.path(), "whole", kShotsInLine);
    const Run limited = run_named(folder.path(), "limited", kShotsInLine + "survey: {limit_m: 35}\n");
    CHECK(contains(limited.err, "aperture  each shot within 35 m of its sources and receivers"));
    double largest = 0.;
    for (int shot = 1; shot <= 5; ++shot) {
        CAPTURE(shot);
        const double source = 100. + 300. * (shot - 1);
        // Nodes are 10 m apart from -200 m to 1400 m.
        const double first = std::max(-200., std::floor((source - 100. - 35.) / 10.) * 10.);
        const double last = std::min(1400., std::ceil((source + 50. + 35.) / 10.) * 10.);
        const Run cut = run_named(folder.path(), fmt::format("cut{}", shot),
                                  kCommon + fmt::format(R"(
grid: {{shape: [{}, 41], spacing_m: 10, origin_m: [{}, 0]}}
sources: [{{position_m: [{}, 24]}}]
receivers: [{{type: line, relative_to: source, first_m: [-100, 12], last_m: [50, 12], count: 16}}]
)",
                                                        std::lround((last - first) / 10.) + 1, first, source));
        CHECK(hash_of_shot(limited, shot) == hash_of_shot(cut, 1));
        CHECK(hash_of_shot(limited, shot) != hash_of_shot(whole, shot));
        const ShotGather gather = read_gather(limited.out / "seismograms.h5", shot);
        CHECK(gather.pressure == read_gather(cut.out / "seismograms.h5", 1).pressure);
        REQUIRE(gather.part.has_value());
        CHECK(gather.part->shape ==
              std::array{std::int64_t{1} + std::lround((last - first) / 10.), std::int64_t{1}, std::int64_t{41}});
        CHECK(gather.part->origin_m == std::array{first, 0., 0.});
        CHECK(limited.summary["hashes"]["shots"][std::to_string(shot)]["part"]["first_node_xyz"][0] ==
              std::lround((first + 200.) / 10.));
        const double difference =
            relative_difference(gather.pressure, read_gather(whole.out / "seismograms.h5", shot).pressure);
        largest = std::max(largest, difference);
    }
    // What the strips at the cut reflect.
    CHECK(largest > 0.);
    CHECK(largest < 5e-3);
    MESSAGE("largest relative difference of a gather to that of the whole grid: ", largest);
}

TEST_CASE("an aperture that holds the whole grid changes no bit, in 3-D neither") {
    const TemporaryFolder folder;
    const std::string three = kCommon + R"(grid: {shape: [41, 31, 26], spacing_m: 10}
sources: [{type: line, first_m: [50, 100, 24], last_m: [350, 200, 24], count: 3}]
receivers: [{type: grid, relative_to: source, first_m: [-40, -20, 12], last_m: [40, 20, 12], count: [5, 3, 1]}]
output: {pictures: false}
)";
    for (const std::string& text : {kShotsInLine, three}) {
        const Run whole = run_named(folder.path(), "whole", text);
        const Run limited = run_named(folder.path(), "limited", text + "survey: {limit_m: 1e6}\n");
        for (int shot = 1; shot <= 3; ++shot) {
            CHECK(hash_of_shot(limited, shot) == hash_of_shot(whole, shot));
            CHECK(read_gather(limited.out / "seismograms.h5", shot).pressure ==
                  read_gather(whole.out / "seismograms.h5", shot).pressure);
        }
    }
    const Run cut = run_named(folder.path(), "limited", three + "survey: {limit_m: 60}\n");
    const Run alone =
        run_named(folder.path(), "alone", kCommon + R"(grid: {shape: [16, 17, 26], spacing_m: 10, origin_m: [0, 20, 0]}
sources: [{position_m: [50, 100, 24]}]
receivers: [{type: grid, relative_to: source, first_m: [-40, -20, 12], last_m: [40, 20, 12], count: [5, 3, 1]}]
output: {pictures: false}
)");
    CHECK(hash_of_shot(cut, 1) == hash_of_shot(alone, 1));
}

TEST_CASE("snapshots are of the whole window, and zero where a shot is not computed") {
    const TemporaryFolder folder;
    const std::string snapshots = "output: {snapshots: {times_s: [0.1, 0.2], decimation: [3, 2]}}\n";
    const Run limited = run_named(folder.path(), "limited", kShotsInLine + "survey: {limit_m: 100}\n" + snapshots);
    const Run cut =
        run_named(folder.path(), "cut", kCommon + R"(grid: {shape: [36, 41], spacing_m: 10, origin_m: [500, 0]}
sources: [{position_m: [700, 24]}]
receivers: [{type: line, relative_to: source, first_m: [-100, 12], last_m: [50, 12], count: 16}]
output: {snapshots: {times_s: [0.1, 0.2]}}
)");
    const ShotFrames frames = read_frames(limited.out / "snapshots.h5", 3),
                     own = read_frames(cut.out / "snapshots.h5", 1);
    REQUIRE(frames.times_s == own.times_s);
    const std::int64_t nx = 54, nz = 21, cut_nx = 36, cut_nz = 41;  // every third of 161, every second of 41
    REQUIRE(std::ssize(frames.values) == 2 * nx * nz);
    REQUIRE(std::ssize(own.values) == 2 * cut_nx * cut_nz);
    bool any = false, equal = true;
    for (std::int64_t frame = 0; frame < 2; ++frame)
        for (std::int64_t z = 0; z < nz; ++z)
            for (std::int64_t x = 0; x < nx; ++x) {
                const float seen = frames.values[static_cast<std::size_t>((frame * nz + z) * nx + x)];
                const std::int64_t there = 3 * x - 70;  // the part begins at 500 m, 70 nodes from the grid's first
                const bool inside = there >= 0 && there < cut_nx;
                const float expected =
                    inside ? own.values[static_cast<std::size_t>((frame * cut_nz + 2 * z) * cut_nx + there)] : 0.f;
                equal = equal && seen == expected;
                any = any || seen != 0.f;
            }
    CHECK(equal);
    CHECK(any);
}

TEST_CASE("a part of a window is what lies in both") {
    for (const std::int64_t step : {1, 2, 3, 5})
        for (std::int64_t first = 0; first < 6; ++first)
            for (std::int64_t part_first = 0; part_first < 12; ++part_first)
                for (std::int64_t part_count = 1; part_count < 8; ++part_count) {
                    const Window window{{first, 0, 0}, {4, 1, 1}, {step, 1, 1}};
                    const Window part{{part_first, 0, 0}, {part_count, 1, 1}, {1, 1, 1}};
                    std::vector<float> expected(4), inside;
                    for (std::int64_t i = 0; i < 4; ++i)
                        if (const std::int64_t node = first + i * step;
                            node >= part_first && node < part_first + part_count) {
                            expected[static_cast<std::size_t>(i)] = static_cast<float>(node + 1);
                            inside.push_back(static_cast<float>(node + 1));
                        }
                    const WindowInPart in_part = window_in_part(window, part);
                    REQUIRE(in_part.window.points() == std::ssize(inside));
                    if (!inside.empty())
                        CHECK(part_first + in_part.window.first[0] + 1 == static_cast<std::int64_t>(inside.front()));
                    std::vector<float> whole(4);
                    put_into_window(window, in_part, inside, whole);
                    CHECK(whole == expected);
                }
}

TEST_CASE("what cannot be cut is refused, and so is another aperture for the shots that are missing") {
    const TemporaryFolder folder;
    const auto config = folder.path() / "run.yaml", out = folder.path() / "out";
    const auto refused = [&](const std::string& text, const std::string& message) {
        write_text(config, text);
        const Outcome outcome = run_onda({"check", config.string()});
        CAPTURE(outcome.err);
        CHECK(outcome.code == 78);
        CHECK(contains(outcome.err, message));
    };
    const std::string limit = "survey: {limit_m: 100}\n";
    std::string inside = kShotsInLine, rigid = kShotsInLine;
    inside.replace(inside.find("cpml_width"), 0, "placement: inside, ");
    rigid.replace(rigid.find("cpml_width"), 0, "x_max: rigid, ");
    refused(inside + limit, "x_min absorbs inside the grid: use boundary.placement: outside");
    refused(rigid + limit, "x_max does not absorb: give it a sponge or cpml");
    refused(kShotsInLine + "survey: {limit_m: -1}\n", "limit_m");
    refused(kShotsInLine + "survey: {limit: 1}\n", "did you mean 'limit_m'?");

    write_text(config, kShotsInLine + limit);
    REQUIRE(run_onda({"run", config.string(), "--output", out.string(), "--shots", "2"}).code == 0);
    const Outcome other = run_onda({"run", config.string(), "--output", out.string(), "--set", "survey.limit_m=200"});
    CHECK(other.code == 73);
    CHECK(contains(other.err, "survey.limit_m: 100 there, 200 now"));
    CHECK(run_onda({"run", config.string(), "--output", out.string()}).code == 0);
}

TEST_CASE("memory is forecast for sources that become many rows only where cuts may be so near") {
    const auto plan_with = [](double limit_m) {
        return make_plan(
            read_config_text(kCommon + fmt::format(R"(grid: {{shape: [81, 81, 41], spacing_m: [10, 12, 10]}}
sources: [{{position_m: [403, 487, 204]}}]
receivers: [{{position_m: [403, 487, 104]}}]
backend: {{name: cpu}}
survey: {{limit_m: {}}}
)",
                                                   limit_m),
                             "run.yaml", vocabulary()));
    };
    const auto bytes_of_sources = [](const Plan& plan) {
        for (const MemoryForecast::Item& item : forecast_memory(plan).items)
            if (item.what == "sources and receivers") return item.bytes;
        return std::int64_t{0};
    };
    // What the shot's part makes of the source.
    const auto rows = [](const Plan& plan) {
        const Plan part = plan_of_shot(plan, 0);
        const Model model =
            make_model(plan.config.model, part.setup.scheme.equation, part.domain.grid, plan.config.origin);
        const auto medium = cpu::make_medium(part.setup, medium_readers(model, part.domain.computed), plan.time.dt_s);
        const Sources plain =
            make_sources(plan.survey.shots[0], plan.survey, part.setup.grid, part.boundary.halos, plan.time);
        return with_filters_of_strips(*medium, plain, plan.time.steps + 1).nodes.rows();
    };
    const Plan far = plan_with(48.), near = plan_with(24.);
    CHECK(rows(far) == 1);
    CHECK(rows(near) > 1);
    CHECK(bytes_of_sources(near) > 15 * bytes_of_sources(far));
}
