/// \file
/// NVIDIA GPUs as devices: what there is, what they offer, and the media they make. The same interface whether CUDA was
/// compiled in or not.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/cuda/reports.hpp"
#include "kernels/imaging/field_ring.hpp"
#include "kernels/imaging/offset_lines.hpp"
#include "kernels/medium.hpp"
#include "kernels/plan/allocations.hpp"
#include "kernels/shot/shot.hpp"

namespace onda::cuda {

struct Gpu {
    std::string name;          ///< "NVIDIA H200"
    std::string architecture;  ///< "sm_90"
    int multiprocessors = 0;
    std::int64_t memory_bytes = 0;
    std::string bus_id;      ///< on PCI, as tools of the driver name it: "0000:1b:00.0"
    std::string uuid;        ///< 32 hexadecimal digits: of this GPU, or part of one, alone
    int most_clock_mhz = 0;  ///< of its multiprocessors
    int lanes = 0,
        double_lanes = 0;  ///< fused multiply-adds of either precision that a multiprocessor begins in a cycle
};

/// What there is to compute on. Asked once, when it is first needed.
struct Platform {
    bool compiled_in = false;
    std::string driver_version, runtime_version;  ///< "13.0"; empty where there is none
    std::vector<Gpu> gpus;                        ///< in CUDA's order: KernelChoice::ordinal counts them
    std::string problem;                          ///< why there is no GPU, and what to do; empty if there are any
};
const Platform& platform();

/// What one of the GPUs can do for this program.
struct GpuState {
    std::string problem;           ///< why it cannot be used, and what to do; empty if it can
    bool memory_is_short = false;  ///< that is the problem: others have taken the GPU's memory
    std::int64_t free_bytes = 0;   ///< of its memory
};
/// Asked once of each GPU, when it is first needed: asking takes some of its memory. Where there is no GPU, its problem
/// is the platform's; of a GPU that is not visible while others are, check_setup() speaks, and there is no problem.
const GpuState& gpu_state(int ordinal = 0);
/// Memory that is free on a GPU now.
std::int64_t available_bytes(int ordinal = 0);

/// Lets two GPUs copy from each other's memory without the host. \returns whether they can: copies go through the host
/// otherwise.
bool connect_gpus(int one, int other);

/// The library that takes planes from GPUs of this process to those of others.
struct LinkLibrary {
    std::string name;     ///< "NCCL 2.28.3"; empty where there is none
    std::string problem;  ///< why there is none, and what to do
};
/// The library that links GPUs of different processes, looked for when it is first needed.
const LinkLibrary& link_library();

/// The kernels of the CUDA backend, the same list whether CUDA was compiled in or not.
std::span<const KernelInfo> kernel_names();

/// One compiled instance that can compute a setup (its dimensions, order, precision) on this GPU.
struct Variant {
    std::string kernel, tile, copy;  ///< copy is empty for kernels without a choice of engines
};
/// What "auto" stands for in a set-up, which has passed check_setup(): by a rule, for its grid and its layers.
Variant best_variant(const Setup& setup);
/// Fastest known first within a kernel. The twin, if the operator has one, is the last.
std::vector<Variant> variants(const Setup& setup);

/// What the compiler made of the instance that a setup names.
Resources resources(const Setup& setup);

/// Shots that one wavefield of a set-up can hold, memory aside: in 3-D one, unless a launch can take a fused step.
int most_shots(const Setup& setup);
/// What a medium and a wavefield of so many shots of a size will allocate, on the GPU and on the host.
Allocations allocations(const Setup& setup, int shots = 1, const ShotSize& shot = {});
/// What the correlation of a wavefield of so many shots allocates (FieldSet::make_correlation).
Allocations correlation_allocations(const Setup& setup, int shots, std::int64_t slots, Correlated what,
                                    const OffsetLines& lines = {});
/// What the scattering between two such wavefields allocates (FieldSet::make_scattering).
Allocations scattering_allocations(const Setup& setup, int shots);
/// The same for those of fluxes (FieldSet::make_flux_correlation, make_flux_scattering). \throws std::invalid_argument
/// for another equation than that of variable density.
Allocations flux_correlation_allocations(const Setup& setup, int shots, std::int64_t slots);
Allocations flux_scattering_allocations(const Setup& setup, int shots);
/// What the rings of a wavefield of so many shots allocate (FieldSet::make_ring).
Allocations ring_allocations(const Setup& setup, int shots, const RingSize& size);

/// \throws SetupFault; what check_problem throws; std::runtime_error if there is no GPU.
void check_setup(const Setup& setup);
/// \param dt_s the time step [s]. \throws what check_setup and check_readers throw; cuda::Error, std::bad_alloc.
std::shared_ptr<Medium> make_medium(const Setup& setup, const MediumReaders& readers, double dt_s);

}  // namespace onda::cuda
