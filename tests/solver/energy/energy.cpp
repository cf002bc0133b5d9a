// A task of the tests alone, with the file that it writes of each shot, and the lists that offer both: the shot is
// computed forward, and in place of seismograms the sum of p^2 over the grid is kept, every tenth step and at the end.
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <optional>
#include <spdlog/fmt/fmt.h>
#include <string>
#include <utility>
#include <vector>

#include "solver/outputs/output.hpp"
#include "solver/outputs/wavefield_hash.hpp"
#include "solver/plan/plan.hpp"
#include "solver/program/host_memory.hpp"
#include "solver/tasks/task.hpp"

namespace onda {
namespace {

constexpr std::string_view kName = "energy.txt", kValues = "energy";
constexpr std::int64_t kEvery = 10;  ///< steps

extern const OutputFormat kEnergyFormat;

class EnergyOfShot : public ShotOutput {
public:
    explicit EnergyOfShot(const ShotPlace& place) : file_(place.file), line_(std::to_string(place.shot.id)) {}

    void take_values(std::string_view name, std::span<const float> values) override {
        if (name != kValues) return;
        for (const float value : values) line_ += fmt::format(" {:.9g}", value);
    }
    std::optional<AtomicFile> finish() override { return stage_text_file(file_, line_ + "\n", true); }

private:
    std::filesystem::path file_;
    std::string line_;
};

class EnergyOfRun : public RunOutput {
public:
    std::unique_ptr<ShotOutput> begin(const ShotPlace& place) override { return std::make_unique<EnergyOfShot>(place); }
    [[nodiscard]] std::vector<AtomicFile> assemble(const FinishedSurvey& survey) const override {
        std::string text;
        for (const ShotRecord& shot : survey.shots) {
            std::string line;
            std::getline(std::ifstream(survey.folder / file_of(shot, kEnergyFormat).name), line);
            text += line + "\n";
        }
        std::vector<AtomicFile> files;
        files.push_back(stage_text_file(survey.results / kName, text, survey.overwrite));
        return files;
    }
};

constinit const OutputFormat kEnergyFormat{
    .column = "energy",
    .shot_file = "energy.txt",
    .is_result = [](std::string_view name) { return name == kName; },
    .is_wanted = [](const Experiment&) { return true; },
    .make = [](const Experiment&, const Model&) -> std::unique_ptr<RunOutput> {
        return std::make_unique<EnergyOfRun>();
    },
    .predicted_bytes = [](const Experiment& experiment, const Placement&,
                          std::int64_t) { return 200 * static_cast<std::int64_t>(experiment.survey.shots.size()); },
};

class EnergyTask : public Task {
public:
    explicit EnergyTask(const TaskParts& parts) : parts_(parts) {}

    [[nodiscard]] std::int64_t steps() const override { return parts_.plan.time.steps; }
    void prepare(ShotInProgress& shot) const override { set_up(shot, parts_.plan); }
    void compute(Batch& batch, StepControl& control) override {
        wavefield_ = parts_.media.of(*batch.front().plan).make_wavefield(static_cast<int>(batch.size()));
        std::vector<ShotPoints> points;
        for (ShotInProgress& shot : batch) {
            shot.record.shot = shot.shot.id;
            shot.outputs = parts_.files.begin(shot.shot, shot.index);
            points.push_back(std::move(shot.points));
        }
        energies_.assign(batch.size(), {});
        Propagator propagator(*wavefield_, std::move(points), parts_.plan.time);
        double largest = 0.;
        TimeLoop loop(parts_.plan.time, parts_.times, control);
        loop.add({"energies", [&](std::int64_t step) { return next(step); }, [&] { largest = add_energies(batch); }});
        loop.run(propagator, largest);
        nodes_ += batch.front().plan->setup.grid.points() * std::ssize(batch);
    }
    void collect(Batch& batch) override {
        for (std::size_t i = 0; i < batch.size(); ++i) {
            batch[i].record.wavefield =
                fingerprint_wavefield(*wavefield_, batch[i].plan->domain.computed.inner(), static_cast<int>(i));
            batch[i].outputs.take_values(kValues, energies_[i]);
        }
    }
    void finish(Batch& batch) const override {
        for (ShotInProgress& shot : batch) shot.record.files = parts_.files.finish(shot.outputs);
    }
    [[nodiscard]] std::int64_t nodes_computed() const override { return nodes_; }
    [[nodiscard]] std::int64_t wavefield_bytes() const override { return wavefield_->allocated_bytes(); }

private:
    [[nodiscard]] std::int64_t next(std::int64_t step) const {
        if (step >= steps()) return steps() + 1;
        return std::min(steps(), (std::max(step, std::int64_t{0}) / kEvery + 1) * kEvery);
    }
    /// \returns the largest |p| of the batch so far.
    double add_energies(Batch& batch) {
        double largest = 0.;
        for (std::size_t i = 0; i < batch.size(); ++i) {
            const Window window = batch[i].plan->domain.computed.inner();
            std::vector<double> p(static_cast<std::size_t>(window.points()));
            wavefield_->download(window, std::span(p), static_cast<int>(i));
            double& observed = batch[i].record.largest_observed_pressure;
            for (const double value : p) observed = std::max(observed, std::abs(value));
            largest = std::max(largest, observed);
            const double energy = wavefield_->fields().sum_of_squares(window, static_cast<int>(i));
            energies_[i].push_back(static_cast<float>(energy));
        }
        return largest;
    }

    TaskParts parts_;
    std::unique_ptr<Wavefield> wavefield_;
    std::vector<std::vector<float>> energies_;  ///< of each shot of the batch
    std::int64_t nodes_ = 0;
};

constinit const TaskRow kEnergyTask{
    .name = "energy",
    .help = "follows the sum of p^2 over the grid",
    .make = [](const TaskParts& parts) -> std::unique_ptr<Task> { return std::make_unique<EnergyTask>(parts); },
    .largest_shot = largest_shot,
    .add_memory =
        [](Allocations& list, const Experiment& experiment, const Computation& computation) {
            add_shot_memory(list, experiment, computation);
            add_model_memory(list, experiment, computation);
            list.add(host_row("pressure, of which the energy is", held::survey, experiment.domain.grid.points(),
                              sizeof(double)));
        },
};

}  // namespace

std::span<const OutputFormat* const> output_formats() {
    static constexpr std::array list{&kEnergyFormat};
    return list;
}

std::span<const TaskRow* const> tasks() {
    static constexpr std::array list{&kEnergyTask};
    return list;
}

}  // namespace onda
