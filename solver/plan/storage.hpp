/// \file
/// How a run's device stores the model: as numbers, as codes of 16 bits, or as indices into a table.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace onda {

struct Computation;
struct Experiment;
struct Model;
struct Plan;

/// Sets the storage that model.storage asks for, with the values that k = (vp dt)^2 may have. Without the model these
/// follow from the range of its velocities; a table, which they do not tell, has no more than both ends of it, and
/// "auto" stores numbers. With the model "auto" takes a table where it has few enough velocities and the plan's kernel
/// reads tables. \param plan with device, scheme and time axis. \param model null before it is made. \throws
/// Error(config) where what is asked for cannot be had, with the reason.
void set_storage(Plan& plan, const Model* model);

/// What codes of 16 bits change of the model, at most.
struct StorageChange {
    double of_velocity = 0.;          ///< relative, and so that of a travel time
    double velocity_m_s = 0.;         ///< at the highest velocity
    double travel_time_s = 0.;        ///< along the diagonal of the grid, at the lowest velocity
    double travel_time_periods = 0.;  ///< of the highest frequency of the wavelets
};
StorageChange change_of_storage(const Experiment& experiment, const Computation& computation);

/// A line for `onda check`; empty where the model is stored as numbers because nothing else was asked for.
std::string describe_storage(const Experiment& experiment, const Computation& computation);
/// {"model": "16bit", "bytes_per_node": 2, "largest_change": {…}}
nlohmann::ordered_json storage_json(const Experiment& experiment, const Computation& computation);

}  // namespace onda
