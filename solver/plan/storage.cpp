#include "solver/plan/storage.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <omp.h>
#include <optional>
#include <spdlog/fmt/fmt.h>
#include <vector>

#include "solver/plan/plan.hpp"
#include "solver/program/loop_failure.hpp"

namespace onda {
namespace {

constexpr std::size_t kMostVelocities = MediumCode::kMostTableValues - 1;  // and zero, which walls have

float k_of(const Scheme& scheme, double dt_s, double vp_m_s) {
    return static_cast<float>(scheme.equation->arrays.front().value(&vp_m_s, dt_s));
}

/// Adds a value to an ascending list of different ones.
void add_to(std::vector<float>& values, float value) {
    const auto at = std::ranges::lower_bound(values, value);
    if (at == values.end() || *at != value) values.insert(at, value);
}

/// The different velocities of a model, or nothing if there are more than a table has room for.
std::optional<std::vector<float>> few_velocities(const Model& model) {
    const UnsetVector<float>& vp = model.vp().values;
    std::vector<float> all;
    LoopFailure failure;
#pragma omp parallel
    {
        std::vector<float> mine;
        float last = 0.f;
#pragma omp for schedule(static)
        for (std::size_t i = 0; i < vp.size(); ++i) {
            if (vp[i] == last || mine.size() > kMostVelocities) continue;
            last = vp[i];
            failure.guard([&] { add_to(mine, last); });
        }
#pragma omp critical(onda_velocities_of_model)
        failure.guard([&] {
            for (const float value : mine) add_to(all, value);
        });
    }
    failure.rethrow();
    if (all.size() > kMostVelocities) return std::nullopt;
    return all;
}

MediumCode table_of(const Scheme& scheme, double dt_s, std::span<const float> velocities) {
    std::vector<float> k;
    for (const float vp : velocities) k.push_back(k_of(scheme, dt_s, static_cast<double>(vp)));
    return medium_of_table(k);
}

/// What stands against codes of k; empty if nothing does.
std::string obstacle_to_codes(const Problem& problem) {
    const Equation& equation = problem.scheme.equation;
    if (equation != Equation::star)
        return fmt::format("is not available for the equation {}: use float", onda::name(equation));
    if (problem.precision != Precision::float32)
        return "is not available in double precision: use float, or scheme.precision: float";
    return {};
}

bool device_computes(const Device& device, Setup setup, MediumCode medium) {
    setup.medium = std::move(medium);
    return has_kernel_for(device, setup);
}

/// A table where it is exact, and where the kernel and tile that floats would have read it: another kernel may be
/// slower by more than the traffic that tables save.
MediumCode best_storage(const Plan& plan, const Model* model) {
    if (model == nullptr || plan.placement.device == nullptr) return {};
    const auto velocities = few_velocities(*model);
    if (!velocities) return {};
    MediumCode table = table_of(plan.setup.scheme, plan.time.dt_s, *velocities);
    return device_computes(*plan.placement.device, plan.setup, table) ? table : MediumCode{};
}

MediumCode table_asked_for(const Plan& plan, const Model* model) {
    if (model == nullptr) {
        const float ends[] = {static_cast<float>(plan.model.velocity.min_m_s),
                              static_cast<float>(plan.model.velocity.max_m_s)};
        return table_of(plan.setup.scheme, plan.time.dt_s, ends);
    }
    const auto velocities = few_velocities(*model);
    if (!velocities)
        plan.config.origin.value_fault(
            "model.storage", fmt::format("the model has more than {} different velocities, which is what a table has "
                                         "room for: use auto, 16bit or float",
                                         kMostVelocities));
    return table_of(plan.setup.scheme, plan.time.dt_s, *velocities);
}

}  // namespace

void set_storage(Plan& plan, const Model* model) {
    const std::string& asked = plan.config.model.storage;
    plan.setup.medium = {};
    if (asked == "float") return;
    if (const std::string obstacle = obstacle_to_codes(plan.setup); !obstacle.empty()) {
        if (asked == "auto") return;
        plan.config.origin.value_fault("model.storage", obstacle);
    }
    if (asked == "16bit")
        plan.setup.medium = medium_of_codes(k_of(plan.setup.scheme, plan.time.dt_s, plan.model.velocity.min_m_s),
                                            k_of(plan.setup.scheme, plan.time.dt_s, plan.model.velocity.max_m_s));
    else
        plan.setup.medium = asked == "table" ? table_asked_for(plan, model) : best_storage(plan, model);
}

StorageChange change_of_storage(const Experiment& experiment, const Computation& computation) {
    StorageChange change;
    change.of_velocity = 0.5 * computation.setup.medium.largest_change();  // k grows with the square of the velocity
    change.velocity_m_s = change.of_velocity * experiment.model.velocity.max_m_s;
    double diagonal_m = 0.;
    for (std::size_t axis = 0; axis < 3; ++axis)
        diagonal_m = std::hypot(diagonal_m, static_cast<double>(experiment.domain.grid.n[axis] - 1) *
                                                experiment.domain.grid.spacing_m[axis]);
    change.travel_time_s = change.of_velocity * diagonal_m / experiment.model.velocity.min_m_s;
    change.travel_time_periods = change.travel_time_s * experiment.survey.highest_frequency_hz();
    return change;
}

std::string describe_storage(const Experiment& experiment, const Computation& computation) {
    switch (computation.setup.medium.storage) {
        case Storage::full:
            return experiment.config.model.storage == "auto"
                       ? fmt::format(
                             "storage   as a table if the model has no more than {} velocities and the kernel "
                             "reads tables, otherwise as float\n",
                             kMostVelocities)
                       : std::string();
        case Storage::table:
            return fmt::format("storage   as a table: exact; a model of more than {} velocities is refused\n",
                               kMostVelocities);
        case Storage::codes: break;
    }
    const StorageChange change = change_of_storage(experiment, computation);
    if (change.of_velocity == 0.)
        return "storage   in 16 bits: exact, since so few numbers lie between the velocities\n";
    return fmt::format(
        "storage   in 16 bits: changes velocities by at most {:.2g} m/s ({:.2g} %), and travel times "
        "along the diagonal by {:.2g} s, {:.2g} of a period at {:.4g} Hz\n",
        change.velocity_m_s, 100. * change.of_velocity, change.travel_time_s, change.travel_time_periods,
        experiment.survey.highest_frequency_hz());
}

nlohmann::ordered_json storage_json(const Experiment& experiment, const Computation& computation) {
    const MediumCode& medium = computation.setup.medium;
    const StorageChange change = change_of_storage(experiment, computation);
    return {{"model", name(medium.storage)},
            {"bytes_per_node", medium.element_bytes(computation.setup.element_bytes())},
            {"largest_change",
             {{"velocity_percent", 100. * change.of_velocity},
              {"velocity_m_s", change.velocity_m_s},
              {"travel_time_s", change.travel_time_s},
              {"travel_time_periods", change.travel_time_periods}}}};
}

}  // namespace onda
