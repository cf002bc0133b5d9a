#include "solver/run/in_memory.hpp"

#include <algorithm>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <spdlog/fmt/fmt.h>
#include <utility>

#include "io/files/random_hex.hpp"
#include "io/text/error.hpp"
#include "solver/outputs/shot_files.hpp"
#include "solver/plan/plan.hpp"
#include "solver/plan/slab_balance.hpp"
#include "solver/planning/forecast.hpp"
#include "solver/planning/make_plan.hpp"
#include "solver/program/build.hpp"
#include "solver/run/account.hpp"
#include "solver/run/identity.hpp"
#include "solver/shots/workers.hpp"
#include "solver/tasks/linear_tasks.hpp"
#include "solver/tasks/task.hpp"

namespace onda {
namespace {

/// Adds what a shot leaves on its part of a grid.
template <typename Values>
void add_part(std::vector<double>& sum, const Grid& grid, const Window& part, const Values& values) {
    const auto& first = part.first;
    const auto& count = part.count;
    sum.resize(static_cast<std::size_t>(grid.points()));
#pragma omp parallel for
    for (std::int64_t row = 0; row < count[1] * count[2]; ++row) {
        const std::int64_t y = row % count[1], z = row / count[1];
        const auto* const from = values.data() + row * count[0];
        double* const to = sum.data() + grid.at(first[0], first[1] + y, first[2] + z);
        for (std::int64_t x = 0; x < count[0]; ++x) to[x] += static_cast<double>(from[x]);
    }
}

/// Adds what shots give on the nodes of a grid, in the order of the shots, whichever comes first.
class SumOfShots {
public:
    /// \param shots of the survey that are computed, by index.
    SumOfShots(const Grid& grid, std::vector<std::size_t> shots) : grid_(grid), shots_(std::move(shots)) {}

    void add(std::size_t index, ShotProduct&& product) {
        const std::lock_guard lock(mutex_);
        early_.emplace(index, std::move(product));
        for (; next_ < shots_.size() && early_.contains(shots_[next_]); ++next_) {
            add(early_.at(shots_[next_]));
            early_.erase(shots_[next_]);
        }
    }
    /// Once all are there.
    [[nodiscard]] ModelValues take() { return std::move(sum_); }

private:
    void add(const ShotProduct& product) {
        add_part(sum_.vp, grid_, product.part, product.image.vp);
        if (!product.image.rho.empty()) add_part(sum_.rho, grid_, product.part, product.image.rho);
    }

    std::mutex mutex_;
    const Grid& grid_;
    std::vector<std::size_t> shots_;
    std::size_t next_ = 0;
    std::map<std::size_t, ShotProduct> early_;
    ModelValues sum_;
};

class OutputOfShot : public ShotOutput {
public:
    OutputOfShot(ShotInMemory& kept, SumOfShots& sum, std::size_t index) : kept_(kept), sum_(sum), index_(index) {}

    void take_snapshot(double time_s, std::span<const float> values) override {
        kept_.frames.times_s.push_back(time_s);
        kept_.frames.values.insert(kept_.frames.values.end(), values.begin(), values.end());
    }
    void take_gather(ShotGather& gather) override { kept_.gather = std::move(gather); }
    void take_images(ShotImages& images) override { kept_.images = std::move(images); }
    void take_product(ShotProduct& product) override {
        if (product.image.vp.empty())
            kept_.rows = std::move(product.rows);
        else
            sum_.add(index_, std::move(product));
    }

private:
    ShotInMemory& kept_;
    SumOfShots& sum_;
    std::size_t index_;
};

/// Keeps what shots give, each in a place of its own.
class MemoryOutput : public RunOutput {
public:
    MemoryOutput(const SnapshotPlan& snapshots, std::vector<ShotInMemory>& kept, SumOfShots& sum)
        : snapshots_(snapshots), kept_(kept), sum_(sum) {}

    std::unique_ptr<ShotOutput> begin(const ShotPlace& place) override {
        ShotInMemory& kept = kept_[place.index];
        kept.frames.values.reserve(static_cast<std::size_t>(snapshots_.steps.size() * snapshots_.window.points()));
        return std::make_unique<OutputOfShot>(kept, sum_, place.index);
    }
    [[nodiscard]] std::vector<AtomicFile> assemble(const FinishedSurvey&) const override { return {}; }

private:
    const SnapshotPlan& snapshots_;
    std::vector<ShotInMemory>& kept_;
    SumOfShots& sum_;
};

/// A format without a file; it is in no list, and nothing but the name of its output is asked of it.
constexpr OutputFormat kMemoryFormat{};

RunOutputs outputs_to(const SnapshotPlan& snapshots, std::vector<ShotInMemory>& kept, SumOfShots& sum) {
    std::vector<RunOutputs::Entry> entries;
    entries.push_back({&kMemoryFormat, std::make_unique<MemoryOutput>(snapshots, kept, sum)});
    return RunOutputs(std::move(entries));
}

/// The shot queue of the only process that computes a survey.
class MemoryLedger : public ShotLedger {
public:
    explicit MemoryLedger(std::size_t shots) : records_(shots) {}

    [[nodiscard]] bool is_finished(std::size_t i) const override {
        const std::lock_guard lock(mutex_);
        return records_[i].has_value();
    }
    [[nodiscard]] bool claim(std::size_t i) override {
        const std::lock_guard lock(mutex_);
        return claimed_.insert(i).second;
    }
    void finish(const std::vector<std::pair<std::size_t, ShotRecord>>& shots) override {
        const std::lock_guard lock(mutex_);
        for (const auto& [i, record] : shots) records_[i] = record;
    }
    /// The record of shot `i`, once all workers have ended.
    [[nodiscard]] const std::optional<ShotRecord>& record(std::size_t i) const { return records_[i]; }

private:
    mutable std::mutex mutex_;
    std::set<std::size_t> claimed_;
    std::vector<std::optional<ShotRecord>> records_;
};

/// Moves the shots that were computed into the result.
void keep_finished(const MemoryLedger& ledger, std::vector<ShotInMemory>& of_survey, SurveyInMemory& result) {
    for (std::size_t i = 0; i < of_survey.size(); ++i)
        if (const auto& record = ledger.record(i)) {
            result.facts.shots.push_back(*record);
            result.shots.push_back(std::move(of_survey[i]));
        }
}

/// Indices of the shots of a survey that are selected, ascending by number.
std::vector<std::size_t> selected_shots(const Experiment& experiment, const ShotSelection& selection) {
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < experiment.survey.shots.size(); ++i)
        if (selection.contains(experiment.survey.shots.id(i))) indices.push_back(i);
    return indices;
}

/// A plan as it is run, and its model.
struct PlanAndModel {
    Plan plan;
    Model model;
};

PlanAndModel plan_and_model(const Config& config, const ShotSelection& selection, const TaskRow* task,
                            PhaseTimes& times) {
    Plan draft = times.measure("plan", [&] { return make_plan(config, {}, task); });
    balance_slabs(config.backend, draft.setup, draft.placement);
    selection.check_against(draft.survey.shots);
    refuse_if_too_large_for_memory(draft);
    Model model = times.measure("model", [&] {
        return make_model(config.model, draft.setup.scheme.equation, draft.domain.grid, config.origin);
    });
    Plan plan = refine(std::move(draft), model);
    return {std::move(plan), std::move(model)};
}

/// Computes the shots of a plan into a result that has it.
void compute(SurveyInMemory& result, Model model, const ShotSelection& selection, PhaseTimes& times, Progress& progress,
             Log& log) {
    const Plan& plan = *result.plan;
    RunFacts& facts = result.facts;
    auto shared = std::make_shared<const Model>(std::move(model));
    std::future<void> noting = std::async(std::launch::async, [&] { note_model(plan, *shared, facts); });
    const auto workers = times.measure("backend", [&] { return std::make_unique<Workers>(plan, shared); });
    noting.get();
    shared.reset();  // whoever needs it further has it
    facts.identity =
        hash_of(identity_of(plan.config, std::string(build().version), facts.model_fingerprint, plan.setup.kernel,
                            plan.operand ? std::string_view() : name_unless_first(plan.task)));
    facts.backend = workers->description();
    announce(plan, facts, log);

    std::vector<ShotInMemory> of_survey(plan.survey.shots.size());
    SumOfShots sum(plan.domain.grid, selected_shots(plan, selection));
    const RunOutputs outputs = outputs_to(plan.snapshots, of_survey, sum);
    const ShotFiles none(outputs, {}, {});
    MemoryLedger ledger(of_survey.size());
    workers->run({none, ledger, times, progress}, selection, SurveyRun::Clock::time_point::max());
    keep_finished(ledger, of_survey, result);
    result.product = sum.take();
    if (!plan.operand)
        account_for(plan.experiment(), plan.computation(), workers->nodes_computed(), workers->device_bytes(), times,
                    facts, log);
    facts.complete = true;
}

/// A result that begins.
SurveyInMemory begun() {
    SurveyInMemory result;
    result.facts.run_id = random_hex(16);
    result.facts.command_line = command_line();
    result.facts.started_utc = utc_now();
    return result;
}

[[noreturn]] void refuse_operand(const std::string& fault) {
    throw Error(ExitCode::usage, fault);
}

/// The rows that an operator takes of a shot, in words for messages, and their number and length.
struct WantedRows {
    const char* what;
    std::int64_t rows, samples;
};

WantedRows wanted_rows(const Plan& plan, std::size_t shot) {
    if (plan.task == &kForwardOperator)
        return {"sources", std::ssize(plan.survey.shots.sources(shot)), plan.time.signal_samples()};
    return {"receivers", static_cast<std::int64_t>(plan.survey.shots[shot].receivers.size()), plan.time.output_samples};
}

void refuse_unless_on_nodes(const Experiment& experiment, std::span<const double> values) {
    const Grid& grid = experiment.domain.grid;
    if (std::ssize(values) != grid.points())
        refuse_operand(fmt::format("{} values for a grid of {} x {} x {} nodes (x, y, z)", values.size(), grid.n[0],
                                   grid.n[1], grid.n[2]));
}

/// An operand with its shots by number. \throws Error(usage) where it does not fit.
std::shared_ptr<const Operand> matched(const Plan& plan, const ShotSelection& selection, GivenOperand&& given) {
    auto operand = std::make_shared<Operand>();
    if (plan.task == &kBornOperator) {
        refuse_unless_on_nodes(plan, given.change.vp);
        if (plan.imaging->sums.density) refuse_unless_on_nodes(plan, given.change.rho);
    }
    operand->change = std::move(given.change);
    if (plan.task == &kBornOperator || (plan.task == &kForwardOperator && given.shots.empty())) return operand;
    const std::vector<std::size_t> shots = selected_shots(plan, selection);
    if (given.shots.size() != shots.size())
        refuse_operand(fmt::format("{} shot{} are given, {} of the survey are asked for", given.shots.size(),
                                   given.shots.size() == 1 ? "" : "s", shots.size()));
    for (std::size_t i = 0; i < shots.size(); ++i) {
        const WantedRows wanted = wanted_rows(plan, shots[i]);
        ShotRows& rows = given.shots[i];
        const std::int64_t id = plan.survey.shots.id(shots[i]);
        if (rows.rows != wanted.rows || rows.samples != wanted.samples)
            refuse_operand(fmt::format("shot {}: {} x {} values, where it has {} {} and {} samples of each", id,
                                       rows.rows, rows.samples, wanted.rows, wanted.what, wanted.samples));
        operand->shots.emplace(id, std::move(rows));
    }
    return operand;
}

}  // namespace

SurveyInMemory run_in_memory(const Config& config, const ShotSelection& selection, Progress& progress, Log& log,
                             const TaskRow* task) {
    SurveyInMemory result = begun();
    PhaseTimes times;
    PlanAndModel made = plan_and_model(config, selection, task, times);
    result.plan = std::make_shared<const Plan>(std::move(made.plan));
    compute(result, std::move(made.model), selection, times, progress, log);
    return result;
}

SurveyInMemory apply_in_memory(const Config& config, const ShotSelection& selection, Progress& progress, Log& log,
                               const TaskRow& task, GivenOperand operand) {
    SurveyInMemory result = begun();
    PhaseTimes times;
    PlanAndModel made = plan_and_model(config, selection, &task, times);
    made.plan.operand = matched(made.plan, selection, std::move(operand));
    result.plan = std::make_shared<const Plan>(std::move(made.plan));
    compute(result, std::move(made.model), selection, times, progress, log);
    return result;
}

std::shared_ptr<const Plan> plan_in_memory(const Config& config, const ShotSelection& selection, const TaskRow& task) {
    PhaseTimes times;
    return std::make_shared<const Plan>(plan_and_model(config, selection, &task, times).plan);
}

MisfitInMemory misfit_of(const SurveyInMemory& survey) {
    const Grid& grid = survey.plan->domain.grid;
    MisfitInMemory sum;
    for (const ShotInMemory& shot : survey.shots) {
        const ShotImages& images = shot.images;
        sum.value += images.misfit;
        add_part(sum.gradient_vp, grid, images.part, images.gradient_vp);
        if (!images.gradient_rho.empty()) add_part(sum.gradient_rho, grid, images.part, images.gradient_rho);
    }
    return sum;
}

}  // namespace onda
