/// \file
/// Into which parts the grid of a run is cut, and the medium of all of them.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "kernels/medium.hpp"
#include "solver/plan/plan.hpp"

namespace onda {

/// Cuts the computed grid as the configuration asks for: Plan::slabs. \param plan with its boundary.
/// \throws Error(config) for slabs that cannot compute it, with the largest number that can.
void set_slabs(Plan& plan);
/// The same cut of a plan whose grid has changed, as far as it fits: for what depends on its size alone.
void cut_again(Plan& plan);

/// The set-up that stands for all parts where one must: the whole grid, or its thickest slab.
Setup typical_setup(const Plan& plan);
/// The set-up of one part.
Setup setup_of_part(const Plan& plan, std::size_t slab);

/// The medium of the plan: one, or one of slabs that exchange planes. \throws what make_medium of the device throws.
std::shared_ptr<Medium> make_medium(const Plan& plan, const MediumReaders& readers,
                                    const MakeExchange& make_exchange = make_local_exchange);

/// "slabs     3 along z, of 20, 20 and 21 planes …"; empty where the grid is whole.
std::string describe_slabs(const Plan& plan);
nlohmann::ordered_json slabs_json(const Plan& plan);

}  // namespace onda
