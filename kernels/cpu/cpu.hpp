/// \file
/// The CPU as a device: what it offers, and the medium and wavefields it makes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/imaging/field_ring.hpp"
#include "kernels/imaging/offset_lines.hpp"
#include "kernels/medium.hpp"
#include "kernels/plan/allocations.hpp"
#include "kernels/shot/shot.hpp"

namespace onda::cpu {

/// The kernels of the CPU, of all operators, reference first.
std::span<const KernelInfo> kernel_names();
/// The kernels that compute this operator, apply it this many times a step, and read k in this storage.
std::vector<std::string> kernels_of(Equation equation, Applications applications = Applications::once,
                                    Storage storage = Storage::full);
/// Instruction sets compiled in and usable on this machine, slowest first ("generic", "x86-64-v3", "x86-64-v4").
std::vector<std::string> isa_names();
/// What "auto" means for this machine.
std::string best_isa();
std::string best_kernel(const Setup& setup);
/// What a medium and a wavefield of so many shots of a size will allocate.
Allocations allocations(const Setup& setup, int shots = 1, const ShotSize& shot = {});
/// What the correlation of a wavefield allocates (FieldSet::make_correlation).
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
/// \throws SetupFault; what check_problem throws.
void check_setup(const Setup& setup);
/// Whether the absorbing layers of a resolved set-up are computed row by row behind its kernel, out of the caches.
bool layers_follow_kernel(const Setup& setup);
/// \param dt_s the time step [s]. \throws what check_setup and check_readers throw; std::bad_alloc.
std::shared_ptr<Medium> make_medium(const Setup& setup, const MediumReaders& readers, double dt_s);

/// Floating-point operations a second that the threads, instruction set and precision of a set-up reach with fused
/// multiply-adds (two each) in registers, measured in a few tenths of a second: the best of some rounds.
double peak_flops(const Setup& setup);

}  // namespace onda::cpu
