/// \file
/// Which devices compute a run, into which parts they cut its grid, and the medium of all of them.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "kernels/medium.hpp"
#include "solver/plan/plan.hpp"
#include "solver/ranks/team.hpp"

namespace onda {

/// Cuts the computed grid as the configuration or the memory of the devices asks for, and shares the devices out among
/// workers: Placement::slabs, Placement::workers. \param plan with its survey and its boundary; one that was cut before
/// is only checked. \throws Error(config) for slabs that cannot compute it, with the largest number that can; for
/// devices that cannot be used.
void set_slabs(Plan& plan);
/// Consecutive slabs of a plan.
struct SlabRange {
    std::size_t first = 0, count = 1;
};
/// Those that the n-th of the processes that share a grid computes, and those of this process.
SlabRange slabs_of_member(const Plan& plan, int member);
SlabRange own_slabs(const Plan& plan);
/// The planes of a range as one slab.
Slab joined(const Plan& plan, const SlabRange& range);
/// Takes the slabs that the first rank has chosen: their number may follow from the memory of its devices.
void take_slabs(Plan& plan, std::vector<Slab> slabs, int ranks_per_grid);

/// How many workers, in all processes, draw shots from the queue.
std::int64_t workers_of_run(const Plan& plan);
/// How many workers of this process compute side by side.
std::int64_t own_workers(const Plan& plan);
/// The shots that advance at the same time, of all workers of this process.
std::int64_t shots_together(const Plan& plan);
/// Whether shots of a batch are set up, and files of another are written, while one is computed.
bool is_pipelined(const Plan& plan);
/// Every device of this process that a plan uses, once.
std::vector<int> devices_of(const Plan& plan);
/// Whether planes go from the GPUs of this process to those of others directly.
bool links_devices(const Plan& plan);
/// What there is to say on how planes get from one slab to the next. Connects the devices that can be.
std::vector<std::string> notes_on_exchange(const Plan& plan);
/// The same cut of a plan whose grid has changed, as far as it fits: for what depends on its size alone.
void cut_again(Plan& plan);

/// The set-up that stands for all parts where one must: the whole grid, or its thickest slab.
Setup typical_setup(const Plan& plan);
/// The set-up of one part.
Setup setup_of_part(const Plan& plan, std::size_t slab);

/// The part of medium and wavefield that lies on the device of the plan with most of it.
double share_of_fullest_device(const Plan& plan);
/// The bytes of that part.
std::int64_t bytes_of_fullest_device(const Plan& plan);
/// The bytes of medium, fields and boundaries that each slab has in the memory of its device.
std::vector<std::int64_t> slab_bytes(const Plan& plan);

/// The medium of the plan's first worker: one, or one of slabs that exchange planes.
/// \param team the processes that share the grid, led by this one; null where it is alone. \throws what make_medium of
/// the device throws; Error: what another process met.
std::shared_ptr<Medium> make_medium(const Plan& plan, const MediumReaders& readers, Team* team = nullptr,
                                    const MakeExchange& make_exchange = make_local_exchange);
/// The medium of the slabs that a process computes, of those that share a grid, joined. \param slab of own_slabs().
/// \param readers of the whole grid of the plan.
std::shared_ptr<Medium> make_own_medium(const Plan& plan, const Slab& slab, const MediumReaders& readers,
                                        const MakeExchange& make_exchange = make_local_exchange);

/// "slabs     3 along z, of 20, 20, 21 planes …", "workers   2 …"; empty where the grid is whole and one device
/// computes.
std::string describe_slabs(const Plan& plan);
nlohmann::ordered_json slabs_json(const Plan& plan);

}  // namespace onda
