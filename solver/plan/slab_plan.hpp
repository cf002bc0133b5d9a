/// \file
/// Which devices compute a run, into which parts they cut its grid, and the medium of all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "io/config/config.hpp"
#include "kernels/medium.hpp"
#include "kernels/setup.hpp"
#include "solver/plan/placement.hpp"
#include "solver/ranks/team.hpp"
#include "solver/survey/survey.hpp"

namespace onda {

struct Plan;

/// Cuts the computed grid as the configuration or the memory of the devices asks for, and shares the devices out among
/// workers: Placement::slabs, Placement::workers. \param plan with its survey and its boundary; one that was cut before
/// is only checked. \throws Error(config) for slabs that cannot compute it, with the largest number that can; for
/// devices that cannot be used.
void set_slabs(Plan& plan);
/// Takes the slabs that the first rank has chosen: their number may follow from the memory of its devices.
void take_slabs(Plan& plan, std::vector<Slab> slabs, int ranks_per_grid);
/// Cuts a grid of other extents into as many slabs, as far as they fit: for what depends on its size alone.
void cut_again(const Setup& setup, Placement& placement);

/// Consecutive slabs of a grid.
struct SlabRange {
    std::size_t first = 0, count = 1;
};
/// The slabs that the n-th of the processes that share a grid computes.
SlabRange slabs_of_member(const Placement& placement, int member);
/// The slabs that this process computes.
SlabRange own_slabs(const Placement& placement);
/// Whether this process leads those that share its grid, or is alone with it.
bool leads_grid(const Placement& placement);
/// The planes of a range as one slab.
Slab joined(const Placement& placement, const SlabRange& range);

/// How many workers, in all processes, draw shots from the queue.
std::int64_t workers_of_run(const Placement& placement);
/// How many workers of this process compute side by side.
std::int64_t own_workers(const Placement& placement);
/// How many of them have the same memory: all on the CPU, those of one GPU.
std::int64_t workers_on_a_device(const Placement& placement);
/// Whether all processes of a host compute on the same GPU: the only one that there is, or the only one that is listed.
bool share_one_gpu(const BackendConfig& backend, const Placement& placement);
/// The shots that advance at the same time, of all workers of this process.
std::int64_t shots_together(const Placement& placement);
/// Whether shots of a batch are set up, and files of another are written, while one is computed.
bool is_pipelined(const Placement& placement, const Survey& survey);
/// Every device of this process that computes, once. \param setup whose device is the only one without workers.
std::vector<int> devices_of(const Setup& setup, const Placement& placement);
/// Whether planes go from the GPUs of this process to those of others directly.
bool links_devices(const BackendConfig& backend, const Placement& placement);
/// What there is to say on how planes get from one slab to the next. Connects the devices that can be.
std::vector<std::string> notes_on_exchange(const BackendConfig& backend, const Placement& placement);

/// The set-up that stands for all parts where one must: the whole grid, or its thickest slab.
Setup typical_setup(const Setup& setup, const Placement& placement);
/// The set-up of one slab, or of the grid where it is whole.
Setup setup_of_part(const Setup& setup, const Placement& placement, std::size_t slab);

/// The part of medium and wavefield that lies on the device with most of it.
double share_of_fullest_device(const Setup& setup, const Placement& placement);
/// The bytes of medium, fields and boundaries that each slab has in the memory of its device.
std::vector<std::int64_t> slab_bytes(const Setup& setup, const Placement& placement);
/// The bytes of the slabs of one worker of this process. \param slabs the bytes of each slab of the grid.
std::int64_t bytes_of_own_slabs(const Placement& placement, const std::vector<std::int64_t>& slabs);
/// The same in the memory of the host, where devices compute there, or on the device that has most of them.
std::int64_t bytes_in_one_memory(const Placement& placement, const std::vector<std::int64_t>& slabs);

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
std::string describe_slabs(const Setup& setup, const Placement& placement);
/// {"count": 3, "planes": [20, 20, 21], "chosen_by": "…", "devices_of_workers": [[0, 1, 2]]}
nlohmann::ordered_json slabs_json(const Placement& placement);

}  // namespace onda
