// Names in the place of "auto": what was measured and kept for the very same case, else what a model promises clearly,
// else the rule's choice; never a kernel or a batch that was not asked for.
// Takes 5 s.
#include "solver/performance/tuning.hpp"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "solver/performance/cache_folder.hpp"
#include "solver/performance/tuner.hpp"
#include "solver/plan/names.hpp"
#include "solver/planning/choice.hpp"
#include "solver/planning/make_plan.hpp"
#include "tests/program/program.hpp"
#include "tests/solver/small_run.hpp"

using namespace onda;

namespace {

Plan plan_for_two(std::vector<std::string> overrides = {}) {
    overrides.insert(overrides.begin(), {"backend.name=cpu", "backend.threads=2"});
    return make_plan(read_config_text(kSmall2d, "small.yaml", vocabulary(), overrides));
}

/// A model that says what a test wants.
class Fake : public StepModel {
public:
    explicit Fake(std::function<double(const Setup&, int)> seconds) : seconds_(std::move(seconds)) {}
    [[nodiscard]] StepTime step(const Setup& setup, int shots) const override { return {seconds_(setup, shots), ""}; }
    [[nodiscard]] std::string source() const override { return "made up"; }

private:
    std::function<double(const Setup&, int)> seconds_;
};

/// A folder of its own in which things are kept.
struct TuningFolder {
    TemporaryFolder folder;
    TuningFolder() { setenv("XDG_CACHE_HOME", folder.path().c_str(), 1); }
    ~TuningFolder() { unsetenv("XDG_CACHE_HOME"); }
    TuningFolder(const TuningFolder&) = delete;
    TuningFolder& operator=(const TuningFolder&) = delete;
};

/// A candidate with another kernel than the rule's.
Candidate other_than(const TuningCase& of, const Candidate& rule) {
    for (const Candidate& each : candidates(of, rule, nullptr))
        if (each.choice.kernel != rule.choice.kernel) return each;
    FAIL("there is one kernel only");
    return rule;
}

}  // namespace

TEST_CASE("candidates leave what was asked for, each once, the rule's first") {
    const TuningFolder none;
    const Plan plan = plan_for_two();
    const TuningCase of = tuning_case(plan);
    CHECK(of.asked.kernel == "auto");
    CHECK(of.most_shots == 2);
    const Candidate rule = rule_of(plan);
    CHECK(rule.choice.kernel == plan.setup.kernel);
    const auto all = candidates(of, rule, nullptr);
    CHECK(all.front().same_way(rule));
    std::set<std::string> seen, kernels;
    for (const Candidate& each : all) {
        CHECK(each.choice.kernel != "auto");
        CHECK(each.choice.isa != "auto");
        CHECK(each.shots >= 1);
        CHECK(each.shots <= 2);
        CHECK(seen.insert(each.choice.kernel + each.choice.isa + std::to_string(each.shots)).second);
        CHECK_NOTHROW(check_setup(*of.device, each.setup(of)));
        kernels.insert(each.choice.kernel);
    }
    for (const std::string& kernel : cpu::kernels_of(of.asked.scheme.equation)) CHECK(kernels.contains(kernel));

    const Plan asked = plan_for_two({"backend.kernel=inplane-full", "backend.batch=1"});
    for (const Candidate& each : candidates(tuning_case(asked), rule_of(asked), nullptr)) {
        CHECK(each.choice.kernel == "inplane-full");
        CHECK(each.shots == 1);
    }
}

TEST_CASE("a model ranks, and is believed on large grids where it promises clearly more than the rule") {
    const TuningFolder none;
    const Plan plan = plan_for_two();
    TuningCase of = tuning_case(plan);
    const Candidate rule = rule_of(plan);
    const Fake wrong([](const Setup& setup, int shots) { return shots * (setup.kernel == "reference" ? 0.1 : 1.); });
    std::vector<std::string> none_expected;
    CHECK(choose(of, rule, &wrong, true, none_expected).candidate.same_way(rule));
    of.asked.grid.n = {4000, 1, 3000};
    std::vector<std::string> warnings;
    for (const double promised : {0.95, 0.5}) {
        CAPTURE(promised);
        const Fake model([&](const Setup& setup, int shots) {
            return shots * (setup.kernel == "reference" && shots == 1 ? promised : 1.);
        });
        const Candidate first = candidates(of, rule, &model).front();
        CHECK(first.choice.kernel == "reference");
        CHECK(first.shots == 1);
        CHECK(first.predicted_s == doctest::Approx(promised));
        const Chosen chosen = choose(of, rule, &model, true, warnings);
        CHECK(chosen.candidate.same_way(promised < 0.9 ? first : rule));
        CHECK(contains(chosen.by, promised < 0.9 ? "made up" : "default for this grid size"));
    }
    CHECK(warnings.empty());
}

TEST_CASE("what was kept comes first, for the very same case alone") {
    const TuningFolder cache;
    const Plan plan = plan_for_two();
    const TuningCase of = tuning_case(plan);
    const Candidate rule = rule_of(plan), found = other_than(of, rule);
    std::vector<std::string> warnings;
    CHECK_FALSE(kept_tuning(of, warnings));
    const auto file = keep_tuning(of, {found, 0.125, "2026-01-31T12:00:00Z"});
    const auto kept = kept_tuning(of, warnings);
    REQUIRE(kept.has_value());
    CHECK(kept->candidate.same_way(found));
    CHECK(kept->seconds == 0.125);
    const Fake model([](const Setup&, int shots) { return 1. * shots; });
    const Chosen chosen = choose(of, rule, &model, true, warnings);
    CHECK(chosen.candidate.same_way(found));
    CHECK(contains(chosen.by, "2026-01-31T12:00:00Z"));
    CHECK(choose(of, rule, nullptr, false, warnings).candidate.same_way(rule));

    const Plan again = plan_for_two();
    CHECK(again.setup.kernel == found.choice.kernel);
    CHECK(again.placement.batch == found.shots);
    CHECK(contains(again.chosen_by, "onda tune"));
    CHECK(plan_for_two({"backend.tuning=off"}).setup.kernel == rule.choice.kernel);
    for (const char* other : {"scheme.space_order=4", "scheme.precision=double", "grid.shape=[82, 61]",
                              "boundary.cpml_width=13", "boundary.top=rigid", "backend.threads=1", "backend.batch=1",
                              "scheme.stencil=compact27", "backend.kernel=vectorised"}) {
        CAPTURE(other);
        std::vector<std::string> overrides{other};
        if (contains(other, "compact27"))
            overrides.insert(overrides.end(), {"grid.spacing_m=10", "scheme.space_order=2"});
        CHECK_FALSE(contains(plan_for_two(overrides).chosen_by, "onda tune"));
    }
    // The length of the record, the model and the names of things are no part of it.
    CHECK(contains(plan_for_two({"time.duration_s=0.4", "title=another"}).chosen_by, "onda tune"));

    write_text(file, "{");
    CHECK(choose(of, rule, nullptr, true, warnings).candidate.same_way(rule));
    REQUIRE(warnings.size() == 1);
    CHECK(contains(warnings[0], file.string()));
    const Plan warned = plan_for_two();
    CHECK(std::ranges::any_of(warned.notes, [&](const auto& note) { return contains(note, file.string()); }));
}

TEST_CASE("what this program cannot compute is not taken") {
    const TuningFolder cache;
    const TuningCase of = tuning_case(plan_for_two());
    for (const auto& [kernel, shots] : {std::pair{"no-such", 1}, {"vectorised", 3}, {"vectorised", 0}}) {
        Candidate wrong = rule_of(plan_for_two());
        wrong.choice.kernel = kernel;
        wrong.shots = shots;
        keep_tuning(of, {wrong, 1., "2026-01-31T12:00:00Z"});
        std::vector<std::string> warnings;
        CHECK_FALSE(kept_tuning(of, warnings));
    }
    // Files that are whole, with values that no tuning left.
    const auto file = keep_tuning(of, {rule_of(plan_for_two()), 1., "2026-01-31T12:00:00Z"});
    for (const nlohmann::json& value : {nlohmann::json::array({1, "two"}), nlohmann::json("text"),
                                        nlohmann::json{{"key", tuning_key(of)}, {"choice", 3}}}) {
        CAPTURE(value.dump());
        write_cache(file.stem().string(), 1, value);
        std::vector<std::string> warnings;
        CHECK_FALSE(kept_tuning(of, warnings));
        CHECK(warnings.empty());
    }
}

TEST_CASE("trials are sorted by what was measured, and two are made whatever the time") {
    const Plan plan = plan_for_two({"backend.tuning=off"});
    const TuningCase of = tuning_case(plan);
    const Candidate rule = rule_of(plan);
    const auto ranked = candidates(of, rule, nullptr);
    std::size_t told = 0;
    TunerOptions options{.budget_s = 1e-6, .rounds = 3};
    options.progress = [&](const Trial&) { ++told; };
    const auto hasty = measure_candidates(of, ranked, rule, options);
    CHECK(told == ranked.size());
    REQUIRE(hasty.size() == ranked.size());
    CHECK(std::ranges::count_if(hasty, [](const Trial& t) { return t.seconds.has_value(); }) == 2);
    CHECK(std::ranges::any_of(hasty, [&](const Trial& t) { return t.seconds && t.candidate.same_way(rule); }));
    CHECK(hasty.back().not_measured == "no time");

    options.budget_s = 60.;
    const auto all = measure_candidates(of, ranked, rule, options);
    for (std::size_t i = 0; i < all.size(); ++i) {
        REQUIRE(all[i].seconds.has_value());
        CHECK(all[i].seconds->min() > 0.);
        if (i > 0) CHECK(all[i - 1].seconds->median() <= all[i].seconds->median());
    }
    // Plain loops are several times slower: whatever else the machine does, they are not the fastest.
    CHECK(winner(all, rule).candidate.choice.kernel != "reference");
}

TEST_CASE("predictions far above the best are left out; the rule's choice is not") {
    const Plan plan = plan_for_two({"backend.tuning=off", "backend.batch=1"});
    const TuningCase of = tuning_case(plan);
    const Candidate rule = rule_of(plan);
    const Fake model([&](const Setup& setup, int) { return setup.kernel.starts_with("inplane") ? 1. : 9.; });
    const auto trials = measure_candidates(of, candidates(of, rule, &model), rule, {.budget_s = 60., .rounds = 3});
    for (const Trial& trial : trials) {
        CAPTURE(describe(of, trial.candidate));
        const bool promising = trial.candidate.choice.kernel.starts_with("inplane");
        if (trial.candidate.same_way(rule) || promising)
            CHECK(trial.seconds.has_value());
        else
            CHECK(trial.not_measured == "predicted to take 9.0 times the best");
    }
}
