/// \file
/// One grid cut into slabs along z that advance together, each a medium and a wavefield of its own: in one process, on
/// one or several devices of a kind.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "kernels/exchange.hpp"
#include "kernels/medium.hpp"
#include "kernels/wavefield.hpp"

namespace onda {

/// A slab of the grid: the planes that one part owns.
struct Slab {
    std::int64_t first_plane = 0, planes = 0;
};

/// `count` slabs of nz planes: their sizes differ by one at most, the smaller come first.
std::vector<Slab> equal_slabs(std::int64_t nz, int count);

/// The part of a problem that a slab computes: its planes, neighbours where it was cut, the strips and tapers of the
/// faces that are left.
Setup setup_of_slab(const Setup& whole, const Slab& slab);

/// Checks that slabs can compute a problem. \throws std::invalid_argument unless the slabs cover the grid, in order,
/// each with at least the planes that its neighbours read, and those at the ends with room for the whole of their
/// absorbing layers.
void check_slabs(const Problem& problem, std::span<const Slab> slabs);

/// The largest number of equal slabs that can compute a problem: 1 where none but the whole grid can.
int most_slabs(const Problem& problem);

/// Makes the medium of one slab: cpu::make_medium, or cuda::make_medium on a GPU of the caller's choice.
using MakeSlabMedium = std::function<std::shared_ptr<Medium>(std::size_t slab, const Setup& setup,
                                                             const MediumReaders& readers, double dt_s)>;
/// The exchange between the wavefields of a grid's slabs, in order along z.
using MakeExchange = std::function<std::unique_ptr<Exchange>(std::vector<Wavefield*> slabs, std::int64_t halo)>;

/// The exchange within one process, which copies planes between wavefields.
std::unique_ptr<Exchange> make_local_exchange(std::vector<Wavefield*> slabs, std::int64_t halo);

/// A medium whose wavefields are cut into slabs and give the bits of uncut ones. \throws what check_slabs and
/// `make_medium` throw.
std::shared_ptr<Medium> make_slab_medium(const Setup& setup, const MediumReaders& readers, double dt_s,
                                         std::vector<Slab> slabs, const MakeSlabMedium& make_medium,
                                         MakeExchange make_exchange = make_local_exchange);

}  // namespace onda
