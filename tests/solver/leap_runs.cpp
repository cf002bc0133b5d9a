// A run that leaps gives the seismograms and snapshots of one that steps singly, at the times asked for, or is refused
// with the reason; "auto" leaps where it is faster and nothing stands against it.
// Takes 2 s.
#include <cmath>
#include <doctest/doctest.h>

#include "solver/plan/names.hpp"
#include "solver/planning/make_plan.hpp"
#include "solver/run/in_memory.hpp"
#include "tests/io/files_support.hpp"
#include "tests/solver/quiet_run.hpp"
#include "tests/solver/small_run.hpp"

using namespace onda;

namespace {

SurveyInMemory run_stepping(const std::string& text, std::vector<std::string> overrides, const std::string& stepping) {
    overrides.push_back("time.stepping=" + stepping);
    return run_quietly(cpu_config(text, overrides));
}

/// Traces [receiver][sample] without their last samples.
std::vector<float> without_end(const ShotGather& gather, double end_s) {
    const std::int64_t kept = gather.samples - std::llround(end_s / gather.dt_s);
    std::vector<float> values;
    for (std::size_t first = 0; first < gather.pressure.size(); first += std::size_t(gather.samples))
        values.insert(values.end(), gather.pressure.begin() + std::ptrdiff_t(first),
                      gather.pressure.begin() + std::ptrdiff_t(first) + kept);
    return values;
}

/// \param end_s of the traces, which is compared to 1e-3 only: without the correction of dispersion the last samples
/// are interpolated from a recording that was cut.
void check_same_results(const std::string& text, const std::vector<std::string>& overrides, double limit,
                        double end_s = 0.) {
    const SurveyInMemory leaps = run_stepping(text, overrides, "leap"),
                         singles = run_stepping(text, overrides, "single");
    REQUIRE(leaps.shots.size() == singles.shots.size());
    for (std::size_t i = 0; i < leaps.shots.size(); ++i) {
        const ShotInMemory &a = leaps.shots[i], &b = singles.shots[i];
        CHECK(a.gather.dt_s == b.gather.dt_s);
        CHECK(a.gather.samples == b.gather.samples);
        CHECK(a.gather.wavelets == b.gather.wavelets);
        CHECK(largest_difference(without_end(a.gather, end_s), without_end(b.gather, end_s)) < limit);
        CHECK(largest_difference(a.gather.pressure, b.gather.pressure) < 1e-3);
        REQUIRE(a.frames.times_s.size() == b.frames.times_s.size());
        for (std::size_t t = 0; t < a.frames.times_s.size(); ++t)
            CHECK(a.frames.times_s[t] == doctest::Approx(b.frames.times_s[t]));
        CHECK(largest_difference(a.frames.values, b.frames.values) < limit);
    }
}

Plan leap_plan(const std::string& text, const std::vector<std::string>& overrides) {
    return make_plan(cpu_config(text, overrides));
}

std::string leap_refusal(const std::vector<std::string>& overrides) {
    return message_of([&] { static_cast<void>(leap_plan(kSmall2d, overrides)); }, ExitCode::config);
}

const std::string kEvenSnapshots = "output.snapshots={every_steps: 20}";

}  // namespace

TEST_CASE("seismograms and snapshots are those of single steps, with and without the correction of dispersion") {
    const std::vector<std::string> wide{"grid.shape=[161, 121]", kEvenSnapshots};
    for (const std::string correction : {"true", "false"})
        for (const std::string precision : {"float", "double"}) {
            std::vector<std::string> overrides = wide;
            overrides.push_back("time.dispersion_correction=" + correction);
            overrides.push_back("scheme.precision=" + precision);
            check_same_results(kSmall2d, overrides, 1e-4, correction == "true" ? 0. : 0.1);
        }
    check_same_results(kSmall3d, {"grid.shape=[70, 66, 68]"}, 1e-4);
}

TEST_CASE("apertures, batches, sponges and samplings of all kinds leap") {
    check_same_results(kSmall2d, {kEvenSnapshots, "survey.limit_m=150", "boundary.placement=outside"}, 1e-4);
    check_same_results(kSmall2d, {kEvenSnapshots, "backend.batch=1", "boundary.bottom=sponge"}, 1e-4);
    check_same_results(kSmall2d, {kEvenSnapshots, "output.seismograms.dt_s=0.00199999"}, 1e-4);
    check_same_results(kSmall2d, {kEvenSnapshots, "output.seismograms.dt_s=0.0005"}, 1e-4);
}

TEST_CASE("a run ends with a whole leap, and snapshots are taken at the even step nearest to their time") {
    const Plan plan = leap_plan(kSmall2d, {"time.stepping=leap"});
    CHECK(plan.time.steps % 2 == 0);
    CHECK(plan.time.extra_steps % 2 == 0);
    CHECK(plan.time.recorded_samples() == plan.time.steps / 2 + 1);
    for (const double t : {0.1, 0.2}) {
        const std::int64_t step = plan.time.nearest_step(t / plan.time.dt_s);
        CHECK(step % 2 == 0);
        CHECK(plan.snapshots.steps.contains(step));
        CHECK(std::abs(static_cast<double>(step) * plan.time.dt_s - t) <= plan.time.dt_s);
    }
    CHECK(plan.setup.kernel == "vectorised");
}

TEST_CASE("what cannot leap is refused by name") {
    const std::string leap = "time.stepping=leap";
    CHECK(contains(leap_refusal({leap, "output.snapshots={every_steps: 7}"}),
                   "output.snapshots.every_steps: 7: with time.stepping: leap the wavefield is known at every second "
                   "step: use an even number, such as 8"));
    CHECK(contains(leap_refusal({leap,
                                 "model.layers=[{top_m: 0, vp_m_s: 1500, rho_kg_m3: 1000}, {top_m: 200, vp_m_s: "
                                 "2200, rho_kg_m3: 2000}]"}),
                   "time.stepping: leap is not available for the equation"));
    CHECK(contains(leap_refusal({leap, "wavelet.peak_frequency_hz=40", "scheme.min_points_per_wavelength=1",
                                 "time.cfl_fraction=1"}),
                   "time.stepping: leap knows the wavefield every 2 dt"));
    CHECK(contains(leap_refusal({leap, "backend.kernel=inplane-full"}), "leap steps: use auto, reference, vectorised"));
    CHECK(contains(leap_refusal({"time.stepping=leaps"}), "did you mean 'leap'"));
}

TEST_CASE("runs of order 4 in time give the seismograms of order 2, and better snapshots") {
    const auto run_of_order = [](const std::string& order, const std::string& dt_s, std::vector<std::string> more) {
        more.push_back("time.order=" + order);
        more.push_back("time.dt_s=" + dt_s);
        return run_stepping(kSmall2d, more, "single").shots.back();
    };
    const std::vector<std::vector<std::string>> settings{{},
                                                         {"boundary.placement=outside", "survey.limit_m=150"},
                                                         {"boundary.bottom=sponge", "backend.batch=1"},
                                                         {"boundary.x_min=rigid", "model.storage=table"}};
    for (const std::vector<std::string>& more : settings) {
        CAPTURE(more.empty() ? "" : more.front());
        const ShotInMemory fine = run_of_order("4", "0.0002", more), second = run_of_order("2", "0.002", more),
                           fourth = run_of_order("4", "0.002", more);
        CHECK(largest_difference(second.gather.pressure, fine.gather.pressure) < 2e-3);
        CHECK(largest_difference(fourth.gather.pressure, fine.gather.pressure) < 2e-3);
        CHECK(largest_difference(second.frames.values, fine.frames.values) > 5e-3);
        CHECK(largest_difference(fourth.frames.values, fine.frames.values) < 1e-3);
    }
}

TEST_CASE("order 4 in time has its own limit, and is refused by name where it is not available") {
    const std::string fourth = "time.order=4";
    const std::vector<std::string> walls{"boundary={top: free_surface, x_min: rigid, x_max: zero, bottom: sponge}"};
    const auto limit = [&](std::vector<std::string> overrides, const char* order) {
        overrides.push_back(std::string("time.order=") + order);
        return leap_plan(kSmall2d, overrides).time.stability_limit_s;
    };
    CHECK(limit(walls, "4") == doctest::Approx(std::sqrt(3.) * limit(walls, "2")));
    CHECK(limit({}, "4") == doctest::Approx(std::sqrt(1.5) * limit({}, "2")));
    CHECK(leap_plan(kSmall2d, {fourth}).setup.kernel == "vectorised");
    CHECK(leap_plan(kSmall2d, {fourth, "time.stepping=auto"}).setup.stepping == Stepping::single);
    CHECK(contains(leap_refusal({fourth, "time.stepping=leap"}),
                   "time.stepping: leap has order 2 in time: use single, or time.order: 2"));
    CHECK(contains(leap_refusal({fourth,
                                 "model.layers=[{top_m: 0, vp_m_s: 1500, rho_kg_m3: 1000}, {top_m: 200, vp_m_s: "
                                 "2200, rho_kg_m3: 2000}]"}),
                   "time.order: 4 is not available for the equation variable"));
    CHECK(contains(leap_refusal({fourth, "scheme.stencil=compact27", "scheme.space_order=2", "grid.spacing_m=8",
                                 "scheme.min_points_per_wavelength=1"}),
                   "time.order: 4 is not available for the equation compact27"));
    CHECK(contains(leap_refusal({fourth, "backend.kernel=inplane-full"}),
                   "order 4 in time: use auto, reference, vectorised"));
    CHECK(contains(leap_refusal({"time.order=3"}), "time.order = 3"));
    CHECK(contains(leap_refusal({"time.order=6"}), "time.order = 6"));
}

TEST_CASE("auto leaps on large grids, and where something stands against it steps singly") {
    const std::string zero = "boundary={x_min: zero, x_max: zero, y_min: zero, y_max: zero, z_min: zero, z_max: zero}";
    const std::vector<std::string> large{"time.stepping=auto", "grid.shape=[300, 300, 300]", "scheme.space_order=2",
                                         "scheme.min_points_per_wavelength=1"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), large.begin(), large.end());
        return leap_plan(kSmall3d, more).setup.stepping;
    };
    CHECK(with({zero}) == Stepping::leap);
    CHECK(with({zero, "scheme.space_order=16"}) == Stepping::single);
    CHECK(with({zero, "output.snapshots.every_steps=7"}) == Stepping::single);
    CHECK(with({zero, "backend.kernel=inplane-full"}) == Stepping::single);
    CHECK(with({"grid.shape=[60, 60, 60]", "boundary.cpml_width=20"}) == Stepping::single);
    CHECK(leap_plan(kSmall3d, {}).setup.stepping == Stepping::single);
}
