// The linear operators of a survey are transposes of each other as tasks, too; sums over shots do not depend on who
// computes them; operands that do not fit are refused; and what a scattered field and a gradient take is forecast.
//
// Takes 4 s.
#include <cmath>
#include <doctest/doctest.h>
#include <random>

#include "solver/imaging/born_run.hpp"
#include "solver/imaging/gradient_run.hpp"
#include "solver/plan/imaging_plan.hpp"
#include "solver/plan/names.hpp"
#include "solver/plan/plan.hpp"
#include "solver/planning/forecast.hpp"
#include "solver/tasks/inversion_tasks.hpp"
#include "solver/tasks/linear_tasks.hpp"
#include "tests/io/files_support.hpp"
#include "tests/solver/quiet_run.hpp"
#include "tests/solver/small_run.hpp"

using namespace onda;

namespace {

/// Of several shots, on parts of the grid where asked for.
Config operator_config(const std::vector<std::string>& overrides) {
    std::vector<std::string> all{"backend.name=cpu",
                                 "scheme.precision=double",
                                 "time.duration_s=0.2",
                                 "boundary.placement=outside",
                                 "sources=[{type: line, first_m: [200, 24], last_m: [700, 24], count: 5}]",
                                 "output.snapshots=null"};
    all.insert(all.end(), overrides.begin(), overrides.end());
    return read_config_text(kSmall2d, "run.yaml", vocabulary(), all);
}

std::vector<double> random_values(std::int64_t count, unsigned seed) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> draw(-1., 1.);
    std::vector<double> values(static_cast<std::size_t>(count));
    for (double& value : values) value = draw(engine);
    return values;
}

double inner(std::span<const double> a, std::span<const double> b) {
    REQUIRE(a.size() == b.size());
    double sum = 0.;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

double inner(const std::vector<ShotRows>& a, const std::vector<ShotRows>& b) {
    REQUIRE(a.size() == b.size());
    double sum = 0.;
    for (std::size_t i = 0; i < a.size(); ++i) sum += inner(a[i].values, b[i].values);
    return sum;
}

std::vector<ShotRows> rows_of(const SurveyInMemory& survey) {
    std::vector<ShotRows> rows;
    for (const ShotInMemory& shot : survey.shots) rows.push_back(shot.rows);
    return rows;
}

std::vector<ShotRows> like(const std::vector<ShotRows>& rows, unsigned seed) {
    std::vector<ShotRows> others;
    for (const ShotRows& shot : rows)
        others.push_back({shot.rows, shot.samples, random_values(shot.rows * shot.samples, seed++)});
    return others;
}

/// |<F s, y> - <s, F' y>| of random signals and traces. \returns the traces.
std::vector<ShotRows> check_transpose(const Config& config) {
    const std::vector<ShotRows> d = rows_of(apply_quietly(config, kForwardOperator, {}));
    REQUIRE(d.size() == 5);
    const std::vector<ShotRows> y = like(d, 1), back = rows_of(apply_quietly(config, kAdjointOperator, {{}, y}));
    const std::vector<ShotRows> s = like(back, 100), fs = rows_of(apply_quietly(config, kForwardOperator, {{}, s}));
    CHECK(std::abs(inner(fs, y) - inner(s, back)) <= 1e-13 * std::sqrt(inner(fs, fs) * inner(y, y)));
    return y;
}

}  // namespace

TEST_CASE("F' and J' are the transposes of F and J, on the whole grid and on parts of it, of order 4 in time too") {
    for (const std::vector<std::string>& overrides :
         {std::vector<std::string>{},
          {"survey.limit_m=150", "imaging={parameters: vp_and_rho}", "model.rho=gardner"},
          {"time.order=4", "boundary.x_min=sponge"}}) {
        const Config config = operator_config(overrides);
        const std::vector<ShotRows> y = check_transpose(config);
        const ModelValues image = apply_quietly(config, kBornTranspose, {{}, y}).product;
        CHECK(image.rho.empty() == (config.model.rho != "gardner"));
        const ModelValues change{random_values(std::ssize(image.vp), 9), random_values(std::ssize(image.rho), 10)};
        const std::vector<ShotRows> born = rows_of(apply_quietly(config, kBornOperator, {change, {}}));
        CHECK(inner(born, born) > 0.);
        CHECK(std::abs(inner(born, y) - inner(change.vp, image.vp) - inner(change.rho, image.rho)) <=
              1e-12 * std::sqrt(inner(born, born) * inner(y, y)));
    }
}

TEST_CASE("F may leap, where it is asked to, and F' is its transpose; J and J' are refused") {
    const Config leaps = operator_config({"time.stepping=leap"}), single = operator_config({"time.stepping=auto"});
    check_transpose(leaps);
    const std::vector<ShotRows> of_leaps = rows_of(apply_quietly(leaps, kForwardOperator, {})),
                                of_single = rows_of(apply_quietly(single, kForwardOperator, {}));
    CHECK(plan_in_memory(leaps, {}, kForwardOperator)->time.stride == 2);
    CHECK(plan_in_memory(single, {}, kForwardOperator)->time.stride == 1);
    CHECK(plan_in_memory(leaps, {}, kAdjointOperator)->setup.stepping == Stepping::single);
    const double all = inner(of_single, of_single), both = inner(of_leaps, of_single);
    // Samples of twice the interval are corrected and resampled in between.
    CHECK(std::abs(inner(of_leaps, of_leaps) - 2. * both + all) <= 1e-7 * all);
    for (const TaskRow* const task : {&kBornOperator, &kBornTranspose}) {
        const Error error = fault_of([&] { static_cast<void>(plan_in_memory(leaps, {}, *task)); });
        CHECK(std::string(error.what()).find("gradients are computed with single steps") != std::string::npos);
    }
}

TEST_CASE("sums over shots have the same bits whoever computes them") {
    const Config alone = operator_config({"backend.batch=1"});
    const std::vector<ShotRows> y = like(rows_of(apply_quietly(alone, kForwardOperator, {})), 1);
    const std::vector<double> expected = apply_quietly(alone, kBornTranspose, {{}, y}).product.vp;
    CHECK(apply_quietly(operator_config({"backend.batch=3"}), kBornTranspose, {{}, y}).product.vp == expected);
    CHECK(apply_quietly(operator_config({"backend.devices=[0, 1]"}), kBornTranspose, {{}, y}).product.vp == expected);
}

TEST_CASE("operands that do not fit are refused") {
    const Config config = operator_config({});
    const auto refusal = [&](const TaskRow& task, GivenOperand operand) {
        const Error error = fault_of([&] { static_cast<void>(apply_quietly(config, task, std::move(operand))); });
        CHECK(error.code() == ExitCode::usage);
        return std::string(error.what());
    };
    CHECK(refusal(kBornOperator, {{{1., 2.}, {}}, {}}) == "2 values for a grid of 81 x 1 x 61 nodes (x, y, z)");
    CHECK(refusal(kAdjointOperator, {}) == "0 shots given, 5 of the survey requested");
    std::vector<ShotRows> rows(5, ShotRows{7, 101, std::vector<double>(707)});
    rows[2] = {6, 101, std::vector<double>(606)};
    CHECK(refusal(kBornTranspose, {{}, rows}) ==
          "shot 3: 6 x 101 values, where it has 7 receivers and 101 samples of each");
}

TEST_CASE("what a scattered field takes is forecast, and no less") {
    for (const bool of_density : {false, true}) {
        CAPTURE(of_density);
        std::vector<std::string> overrides{"backend.batch=2"};
        if (of_density) overrides.insert(overrides.end(), {"imaging={parameters: vp_and_rho}", "model.rho=gardner"});
        const auto plan = plan_in_memory(operator_config(overrides), {}, kBornOperator);
        CHECK(plan->imaging->scatters);
        CHECK(plan->imaging->sums.density == of_density);
        const std::int64_t predicted = scattered_bytes(plan->experiment(), plan->computation());
        const Model model =
            make_model(plan->config.model, plan->setup.scheme.equation, plan->domain.grid, plan->config.origin);
        const auto medium = plan->placement.device->make_medium(
            plan->setup, medium_readers(model, plan->domain.computed), plan->time.dt_s);
        const BornField field(*medium, 2, plan->time, of_density);
        CHECK(field.allocated_bytes() <= predicted);
        CHECK(static_cast<double>(field.allocated_bytes()) >= 0.7 * static_cast<double>(predicted));
        const auto items = forecast_memory(*plan).items;
        CHECK(std::ranges::count(items, "scattered field", &MemoryForecast::Item::what) == 1);
    }
}

TEST_CASE("what a gradient takes is forecast where nodes remember, and no less") {
    const TemporaryFolder folder;
    write_text(folder.path() / "traces.h5", "");
    const std::string imaging = "imaging={observed: " + (folder.path() / "traces.h5").string() + ", storage: full}";
    for (const std::string more : {"model.q=null", "model.q=20", "model.rho=gardner"}) {
        CAPTURE(more);
        const auto plan = plan_in_memory(operator_config({"backend.batch=2", imaging, "model.q=20", more}), {},
                                         kInversionGradientTask);
        CHECK(plan->setup.absorbs() == (more != "model.q=null"));
        const std::int64_t slots = plan->imaging->history.slots;
        const std::int64_t predicted = second_wavefield_bytes(plan->computation()) +
                                       correlation_bytes(plan->experiment(), plan->computation(), slots);
        const Model model =
            make_model(plan->config.model, plan->setup.scheme.equation, plan->domain.grid, plan->config.origin);
        const auto medium = plan->placement.device->make_medium(
            plan->setup, medium_readers(model, plan->domain.computed), plan->time.dt_s);
        const GradientRun run(*medium, 2, plan->time, plan->imaging->history, plan->imaging->sums);
        CHECK(run.allocated_bytes() <= predicted);
        CHECK(static_cast<double>(run.allocated_bytes()) >= 0.9 * static_cast<double>(predicted));
    }
}
