/// \file
/// The state of a shot whose grid is cut into slabs: that of the uncut grid, part by part.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/slabs/slab_map.hpp"
#include "kernels/wavefield.hpp"

namespace onda {

using SlabWavefields = std::span<const std::unique_ptr<Wavefield>>;

/// The parts of the whole grid's state, in the order of an uncut grid.
std::vector<StatePart> state_parts_of(const SlabMap& map, const Problem& whole, SlabWavefields slabs);
/// Wavefield::read_state() of the whole grid.
void read_state_of(const SlabMap& map, SlabWavefields slabs, int shot, const StatePart& part, const StateVisitor& take);
/// Wavefield::write_state() of the whole grid. Ghosts get the values of their owners: what a slab remembers of them is
/// exchanged at no step.
void write_state_of(const SlabMap& map, SlabWavefields slabs, int shot, const StatePart& part,
                    const StateVisitor& fill);

/// States of the whole grid: those of each slab, by itself.
std::unique_ptr<SavedStates> make_slab_states(SlabWavefields slabs);

}  // namespace onda
