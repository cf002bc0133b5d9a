#include "solver/run/in_memory.hpp"

#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "io/files/random_hex.hpp"
#include "solver/outputs/shot_files.hpp"
#include "solver/plan/plan.hpp"
#include "solver/plan/slab_balance.hpp"
#include "solver/planning/forecast.hpp"
#include "solver/planning/make_plan.hpp"
#include "solver/program/build.hpp"
#include "solver/run/account.hpp"
#include "solver/run/identity.hpp"
#include "solver/shots/workers.hpp"
#include "solver/tasks/task.hpp"

namespace onda {
namespace {

class OutputOfShot : public ShotOutput {
public:
    explicit OutputOfShot(ShotInMemory& kept) : kept_(kept) {}

    void take_snapshot(double time_s, std::span<const float> values) override {
        kept_.frames.times_s.push_back(time_s);
        kept_.frames.values.insert(kept_.frames.values.end(), values.begin(), values.end());
    }
    void take_gather(const ShotGather& gather) override { kept_.gather = gather; }
    void take_images(const ShotImages& images) override { kept_.images = images; }

private:
    ShotInMemory& kept_;
};

/// Keeps what shots give, each in a place of its own.
class MemoryOutput : public RunOutput {
public:
    MemoryOutput(const Plan& plan, std::vector<ShotInMemory>& kept) : plan_(plan), kept_(kept) {}

    std::unique_ptr<ShotOutput> begin(const ShotPlace& place) override {
        ShotInMemory& kept = kept_[place.index];
        kept.frames.values.reserve(
            static_cast<std::size_t>(plan_.snapshots.steps.size() * plan_.snapshots.window.points()));
        return std::make_unique<OutputOfShot>(kept);
    }
    [[nodiscard]] std::vector<AtomicFile> assemble(const FinishedSurvey&) const override { return {}; }

private:
    const Plan& plan_;
    std::vector<ShotInMemory>& kept_;
};

/// A format without a file; it is in no list, and nothing but the name of its output is asked of it.
constexpr OutputFormat kMemoryFormat{};

RunOutputs outputs_to(const Plan& plan, std::vector<ShotInMemory>& kept) {
    std::vector<RunOutputs::Entry> entries;
    entries.push_back({&kMemoryFormat, std::make_unique<MemoryOutput>(plan, kept)});
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

}  // namespace

SurveyInMemory run_in_memory(const Config& config, const ShotSelection& selection, Progress& progress, Log& log,
                             const TaskRow* task) {
    SurveyInMemory result;
    RunFacts& facts = result.facts;
    PhaseTimes times;
    facts.run_id = random_hex(16);
    facts.command_line = command_line();
    facts.started_utc = utc_now();
    Plan draft = times.measure("plan", [&] { return make_plan(config, {}, task); });
    balance_slabs(config.backend, draft.setup, draft.placement);
    selection.check_against(draft.survey.shots);
    refuse_if_too_large_for_memory(draft);

    Model model = times.measure("model", [&] {
        return make_model(config.model, draft.setup.scheme.equation, draft.domain.grid, config.origin);
    });
    result.plan = std::make_shared<const Plan>(refine(std::move(draft), model));
    const Plan& plan = *result.plan;
    note_model(plan, model, facts);
    facts.identity = hash_of(identity_of(plan.config, std::string(build().version), facts.model_fingerprint,
                                         plan.setup.kernel, name_unless_first(plan.task)));
    const auto workers = times.measure("backend", [&] { return std::make_unique<Workers>(plan, std::move(model)); });
    facts.backend = workers->description();
    announce(plan, facts, log);

    std::vector<ShotInMemory> of_survey(plan.survey.shots.size());
    const RunOutputs outputs = outputs_to(plan, of_survey);
    const ShotFiles none(outputs, {}, {});
    MemoryLedger ledger(of_survey.size());
    workers->run({none, ledger, times, progress}, selection, SurveyRun::Clock::time_point::max());
    keep_finished(ledger, of_survey, result);
    account_for(plan, workers->nodes_computed(), workers->device_bytes(), times, facts, log);
    facts.complete = true;
    return result;
}

namespace {

/// Adds what a shot leaves on its part of a grid.
void add_part(std::vector<double>& sum, const Grid& grid, const Window& part, const std::vector<float>& values) {
    const float* value = values.data();
    const auto& [first, count, step] = part;
    for (std::int64_t z = 0; z < count[2]; ++z)
        for (std::int64_t y = 0; y < count[1]; ++y) {
            const std::int64_t row = grid.at(first[0], first[1] + y, first[2] + z);
            for (std::int64_t x = 0; x < count[0]; ++x)
                sum[static_cast<std::size_t>(row + x)] += static_cast<double>(*value++);
        }
}

}  // namespace

MisfitInMemory misfit_of(const SurveyInMemory& survey) {
    const Grid& grid = survey.plan->domain.grid;
    const auto points = static_cast<std::size_t>(grid.points());
    MisfitInMemory sum;
    sum.gradient_vp.resize(points);
    if (survey.plan->imaging->density) sum.gradient_rho.resize(points);
    for (const ShotInMemory& shot : survey.shots) {
        const ShotImages& images = shot.images;
        sum.value += images.misfit;
        add_part(sum.gradient_vp, grid, images.part, images.gradient_vp);
        if (!images.gradient_rho.empty()) add_part(sum.gradient_rho, grid, images.part, images.gradient_rho);
    }
    return sum;
}

}  // namespace onda
