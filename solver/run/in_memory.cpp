#include "solver/run/in_memory.hpp"

#include <algorithm>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <set>
#include <spdlog/fmt/fmt.h>
#include <utility>

#include "io/files/random_hex.hpp"
#include "io/text/error.hpp"
#include "solver/outputs/in_order_of_shots.hpp"
#include "solver/outputs/shot_files.hpp"
#include "solver/outputs/shot_sums.hpp"
#include "solver/plan/plan.hpp"
#include "solver/plan/slab_balance.hpp"
#include "solver/planning/anisotropic_model.hpp"
#include "solver/planning/forecast.hpp"
#include "solver/planning/make_plan.hpp"
#include "solver/program/build.hpp"
#include "solver/run/account.hpp"
#include "solver/run/identity.hpp"
#include "solver/shots/workers.hpp"
#include "solver/tasks/gradient_task.hpp"
#include "solver/tasks/linear_tasks.hpp"
#include "solver/tasks/task.hpp"

namespace onda {
namespace {

using ProductsInOrder = InOrderOfShots<ShotProduct>;
using ImagesInOrder = InOrderOfShots<ShotImages>;

class OutputOfShot : public ShotOutput {
public:
    OutputOfShot(ShotInMemory& kept, ProductsInOrder& products, std::size_t index)
        : kept_(kept), products_(products), index_(index) {}

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
            products_.add(index_, std::move(product));
    }

private:
    ShotInMemory& kept_;
    ProductsInOrder& products_;
    std::size_t index_;
};

/// Keeps what shots give, each in a place of its own.
class MemoryOutput : public RunOutput {
public:
    MemoryOutput(const SnapshotPlan& snapshots, std::vector<ShotInMemory>& kept, ProductsInOrder& products)
        : snapshots_(snapshots), kept_(kept), products_(products) {}

    std::unique_ptr<ShotOutput> begin(const ShotPlace& place) override {
        ShotInMemory& kept = kept_[place.index];
        kept.frames.values.reserve(static_cast<std::size_t>(snapshots_.steps.size() * snapshots_.window.points()));
        return std::make_unique<OutputOfShot>(kept, products_, place.index);
    }
    [[nodiscard]] std::vector<AtomicFile> assemble(const FinishedSurvey&) const override { return {}; }

private:
    const SnapshotPlan& snapshots_;
    std::vector<ShotInMemory>& kept_;
    ProductsInOrder& products_;
};

/// Passes on images alone.
class ImageOutput : public RunOutput {
public:
    explicit ImageOutput(ImagesInOrder& images) : images_(images) {}

    std::unique_ptr<ShotOutput> begin(const ShotPlace& place) override {
        if (place.shot.receivers.empty()) return nullptr;
        return std::make_unique<OfShot>(images_, place.index);
    }
    [[nodiscard]] std::vector<AtomicFile> assemble(const FinishedSurvey&) const override { return {}; }

private:
    class OfShot : public ShotOutput {
    public:
        OfShot(ImagesInOrder& images, std::size_t index) : images_(images), index_(index) {}
        void take_images(ShotImages& images) override { images_.add(index_, std::move(images)); }

    private:
        ImagesInOrder& images_;
        std::size_t index_;
    };

    ImagesInOrder& images_;
};

/// A format without a file; it is in no list, and nothing but the name of its output is asked of it.
constexpr OutputFormat kMemoryFormat{};

RunOutputs outputs_to(std::unique_ptr<RunOutput> output) {
    std::vector<RunOutputs::Entry> entries;
    entries.push_back({&kMemoryFormat, std::move(output)});
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
    /// The records of all shots that are finished, by number, once all workers have ended.
    [[nodiscard]] std::vector<ShotRecord> all_finished() const {
        std::vector<ShotRecord> finished;
        for (const auto& record : records_)
            if (record) finished.push_back(*record);
        return finished;
    }

private:
    mutable std::mutex mutex_;
    std::set<std::size_t> claimed_;
    std::vector<std::optional<ShotRecord>> records_;
};

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
    Model model = times.measure("model", [&] { return make_model_of_run(draft); });
    Plan plan = refine(std::move(draft), model);
    return {std::move(plan), std::move(model)};
}

/// Computes the shots of a plan. What they give goes to an output. \param result that has the plan gets the facts.
void compute(SurveyInMemory& result, Model model, std::unique_ptr<RunOutput> output, const ShotSelection& selection,
             PhaseTimes& times, Progress& progress, Log& log) {
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

    const RunOutputs outputs = outputs_to(std::move(output));
    const ShotFiles none(outputs, {}, {});
    MemoryLedger ledger(plan.survey.shots.size());
    workers->run({none, ledger, times, progress}, selection, SurveyRun::Clock::time_point::max());
    facts.shots = ledger.all_finished();
    if (!plan.operand)
        account_for(plan.experiment(), plan.computation(), workers->nodes_computed(), workers->device_bytes(), times,
                    facts, log);
    facts.complete = true;
}

/// The same, with all that the shots give.
void compute_all(SurveyInMemory& result, Model model, const ShotSelection& selection, PhaseTimes& times,
                 Progress& progress, Log& log) {
    const Plan& plan = *result.plan;
    const std::vector<std::size_t> selected = selected_shots(plan, selection);
    std::vector<ShotInMemory> kept(plan.survey.shots.size());
    ProductsInOrder products(selected, [&](const ShotProduct& product) {
        add_part(result.product.vp, plan.domain.grid, product.part, product.image.vp);
        if (!product.image.rho.empty()) add_part(result.product.rho, plan.domain.grid, product.part, product.image.rho);
    });
    compute(result, std::move(model), std::make_unique<MemoryOutput>(plan.snapshots, kept, products), selection, times,
            progress, log);
    for (const std::size_t i : selected) result.shots.push_back(std::move(kept[i]));
}

/// A sum over the shots as images hold it.
std::vector<float> rounded(const std::vector<double>& sum) {
    return {sum.begin(), sum.end()};
}

/// Refuses what image.h5 would not hold.
void require_finite(const FinishedImage& of_all, const FileGeometry& geometry) {
    require_finite({}, kImageStack, geometry, 0, of_all.stack);
    require_finite({}, kSourceIllumination, geometry, 0, of_all.source);
    require_finite({}, kReceiverIllumination, geometry, 0, of_all.receiver);
    require_finite({}, kMigratedImage, geometry, 0, of_all.image);
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
        refuse_operand(fmt::format("{} shot{} given, {} of the survey requested", given.shots.size(),
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
    compute_all(result, std::move(made.model), selection, times, progress, log);
    return result;
}

ImageInMemory migrate_in_memory(const Config& config, const ShotSelection& selection, Progress& progress, Log& log) {
    ImageInMemory result;
    result.survey = begun();
    PhaseTimes times;
    PlanAndModel made = plan_and_model(config, selection, &kMigrationTask, times);
    result.survey.plan = std::make_shared<const Plan>(std::move(made.plan));
    const Plan& plan = *result.survey.plan;
    const Grid& grid = plan.domain.grid;
    const ImageConfig& settings = plan.imaging->misfit.config.image;
    const std::vector<bool> water = nodes_in_water(made.model.vp().values, settings.water_m_s);
    std::vector<double> stack(static_cast<std::size_t>(grid.points())), source(stack.size()), receiver(stack.size());
    OffsetGatherSum offset_gathers;
    std::vector<std::size_t> imaged = selected_shots(plan, selection);
    std::erase_if(imaged, [&](std::size_t i) { return plan.survey.shots[i].receivers.empty(); });
    ImagesInOrder images(std::move(imaged), [&](ShotImages& of_shot) {
        add_part(stack, grid, of_shot.part, of_shot.image);
        add_part(source, grid, of_shot.part, of_shot.illumination_source);
        add_part(receiver, grid, of_shot.part, of_shot.illumination_receiver);
        offset_gathers.add(std::move(of_shot.offset_gathers));
        result.misfit.push_back(take_misfit(of_shot));
    });
    compute(result.survey, std::move(made.model), std::make_unique<ImageOutput>(images), selection, times, progress,
            log);
    result.of_all = {rounded(stack), rounded(source), rounded(receiver)};
    finish_image(result.of_all, grid, settings, water);
    require_finite(result.of_all, nodes_of_run(plan).geometry);
    result.offset_gathers = offset_gathers.take();
    return result;
}

SurveyInMemory apply_in_memory(const Config& config, const ShotSelection& selection, Progress& progress, Log& log,
                               const TaskRow& task, GivenOperand operand) {
    SurveyInMemory result = begun();
    PhaseTimes times;
    PlanAndModel made = plan_and_model(config, selection, &task, times);
    made.plan.operand = matched(made.plan, selection, std::move(operand));
    result.plan = std::make_shared<const Plan>(std::move(made.plan));
    compute_all(result, std::move(made.model), selection, times, progress, log);
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
        if (!images.gradient_q.empty()) add_part(sum.gradient_q, grid, images.part, images.gradient_q);
        if (images.gradient_epsilon.empty()) continue;
        add_part(sum.gradient_epsilon, grid, images.part, images.gradient_epsilon);
        add_part(sum.gradient_delta, grid, images.part, images.gradient_delta);
    }
    return sum;
}

}  // namespace onda
