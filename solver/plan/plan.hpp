/// \file
/// The plan of a run: what a configuration amounts to, before anything large is allocated or any file is created.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "io/config/config.hpp"
#include "io/models/geometry.hpp"
#include "kernels/setup.hpp"
#include "kernels/slabs/slabs.hpp"
#include "solver/discretisation/boundary.hpp"
#include "solver/discretisation/computed_grid.hpp"
#include "solver/discretisation/sampling.hpp"
#include "solver/discretisation/time_axis.hpp"
#include "solver/model/model.hpp"
#include "solver/plan/snapshot_plan.hpp"
#include "solver/propagation/devices.hpp"
#include "solver/ranks/rank_place.hpp"
#include "solver/survey/aperture.hpp"
#include "solver/survey/survey.hpp"

namespace onda {

struct TaskRow;

/// make_plan() of solver/planning/make_plan.hpp makes it.
struct Plan {
    Config config;                          ///< with what its grid has from the model's file
    std::vector<std::string> grid_of_file;  ///< keys of the grid that were left to the model's file
    Grid grid;              ///< of the configuration: models are made, and results are given, on its nodes
    ComputedGrid computed;  ///< that grid with the absorbing strips beyond it; setup.grid is all of it
    /// Where shots are computed on parts of the grid: `computed` and `setup` are those of the largest part then.
    std::optional<Aperture> aperture;
    Window part;                      ///< the nodes of the configuration's grid that are computed, strips aside
    std::int64_t nodes_of_shots = 0;  ///< that are computed for all shots together, strips included
    VelocityRange velocity{};
    std::vector<std::optional<ParameterRange>>
        further;                         ///< of the equation's parameters after vp, where they are known
    std::int64_t model_extra_bytes = 0;  ///< that making the model takes beside the model itself
    Survey survey;
    TimeAxis time;
    std::string asked_stepping;  ///< "single", "leap", or "auto" while it is open (set_stepping())
    Boundary boundary;
    SamplingVerdict sampling;
    SnapshotPlan snapshots;
    const TaskRow* task = nullptr;  ///< what is done with a shot (solver/tasks/task.hpp)
    const Device* device = nullptr;
    std::vector<std::string> device_notes;  ///< why a faster device is not taken
    int batch = 1;                          ///< shots that advance together
    std::vector<Slab> slabs;                ///< parts of the computed grid that exchange planes; one where it is whole
    std::string slabs_by;                   ///< what decided on their number
    std::vector<std::vector<int>> workers;  ///< of each the devices of its slabs: they draw shots from one queue
    RankPlace ranks;                        ///< of this process among those of the run
    int ranks_per_grid = 1;                 ///< consecutive ones that share the slabs of a grid
    Setup setup;                            ///< kernel and what goes with it by name, "auto" resolved
    std::string chosen_by;                  ///< what put names, and the batch, in place of "auto"
    std::vector<std::string> notes;         ///< on the choice of device, and on the model's file
    std::vector<std::string> warnings;

    /// What the configuration says of the faces of its grid. \throws Error(config).
    [[nodiscard]] Faces faces() const;
    /// By how much the density changes at most; 1 where it is constant or its range is not known.
    [[nodiscard]] double density_contrast() const;
};

/// The kernel and its settings as a configuration asks for them, "auto" where it leaves them open.
KernelChoice kernel_choice(const BackendConfig& wanted);

/// The plan of one of the shots: the plan itself, or, where there is an aperture, that of the shot's part, on a grid
/// and with a boundary of its own. The steps in time, the kernel and the snapshots' files are those of all shots.
Plan plan_of_shot(const Plan& plan, std::size_t shot);
/// The plan of a part of the grid: Plan::part of such a shot.
Plan plan_of_part(const Plan& plan, const Window& part);

/// Puts a plan on another part of its grid, on which the set-up's grid follows: strips are still to be set.
void set_grid_of_part(Plan& plan, const Grid& part);
/// Sets halos and strips of the computed grid, for the plan's velocities, time step and wavelets. \throws
/// Error(config).
void set_boundary(Plan& plan);

/// The shape of a grid in words: "301 x 201" or "100 x 100 x 50".
std::string shape_text(const Grid& grid);

/// Grid, time axis, sampling and device in a few lines for people.
std::string describe(const Plan& plan);

/// The ranges of the medium that are known, by quantity and unit: {"velocity": {"min_m_s": 1500, "max_m_s": 3000}}.
nlohmann::ordered_json medium_json(const Plan& plan);

}  // namespace onda
