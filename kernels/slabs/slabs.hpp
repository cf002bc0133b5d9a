/// \file
/// One grid cut into slabs along z that advance together, each a medium and a wavefield of its own: on one device or
/// several, in this process or another.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
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

/// The planes beyond a cut that a slab computes although they are its neighbour's: 2 r where k L is applied twice, so
/// that what lies in between (u = A p, p[n+1] in the shell, memory variables) is right as far as its own nodes
/// reach, without an exchange; else none.
std::int64_t ghost_planes(const Problem& problem);
/// The planes that a slab computes: its own and its ghosts.
Slab with_ghosts(const Problem& whole, const Slab& slab);

/// The part of a problem that a slab computes: its planes, neighbours (beyond ghosts: nothing) where it was cut, the
/// strips and tapers of the faces that are left.
Setup setup_of_slab(const Setup& whole, const Slab& slab);

/// The planes that cross a cut: those beside it on one side become those beyond it on the other. Of a slab of nz
/// planes, as it computes them, `count` from own_low() on go down and those from own_high() on go up; from below come
/// those from beyond_low() on, from above those from beyond_high() on.
struct CutPlanes {
    explicit CutPlanes(const Problem& slab);
    std::int64_t count, ghosts, nz;

    [[nodiscard]] std::int64_t own_low() const { return ghosts; }
    [[nodiscard]] std::int64_t own_high() const { return nz - ghosts - count; }
    [[nodiscard]] std::int64_t beyond_low() const { return ghosts - count; }
    [[nodiscard]] std::int64_t beyond_high() const { return nz - ghosts; }
};

/// A window of the grid as one slab sees it: the planes of it that the slab owns.
struct WindowPart {
    std::size_t slab;
    Window window;        ///< in the planes that the slab computes
    std::int64_t before;  ///< points of the whole window that come before
};
/// The parts of a window, of all slabs that have planes of it, in order. \param computed with_ghosts() of each slab.
std::vector<WindowPart> parts_of(const Window& window, std::span<const Slab> slabs, std::span<const Slab> computed);

/// The fewest planes that a slab may have: those that its neighbours read, and at an end face of the grid all of the
/// absorbing layer, or one more at a wall.
std::int64_t fewest_planes(const Problem& problem, bool at_z_min, bool at_z_max);

/// Checks that slabs can compute a problem. \throws std::invalid_argument unless the slabs cover the grid, in order,
/// each with its fewest_planes() at least.
void check_slabs(const Problem& problem, std::span<const Slab> slabs);

/// Whether check_slabs() accepts these slabs.
bool slabs_fit(const Problem& problem, std::span<const Slab> slabs);

/// The largest number of equal slabs that can compute a problem: 1 where none but the whole grid can.
int most_slabs(const Problem& problem);

/// Makes the medium of one slab: cpu::make_medium, cuda::make_medium on a GPU of the caller's choice, or one that
/// stands for a slab of another process.
using MakeSlabMedium = std::function<std::shared_ptr<Medium>(std::size_t slab, const Setup& setup,
                                                             const MediumReaders& readers, double dt_s)>;
/// The exchange of the slabs that this process steps, given their wavefields in order along z.
using MakeExchange = std::function<std::unique_ptr<Exchange>(std::vector<Wavefield*> slabs)>;

/// The exchange within one process, which copies planes between wavefields.
std::unique_ptr<Exchange> make_local_exchange(std::vector<Wavefield*> slabs);

/// The steps of slabs that one process advances together, and the exchange between them: what advance_in_order()
/// drives.
class SlabSteps {
public:
    SlabSteps(std::vector<Wavefield*> slabs, std::unique_ptr<Exchange> exchange);

    [[nodiscard]] const Problem& problem() const { return slabs_.front()->problem(); }
    /// See Wavefield::perform(): every slab does it; the exchange sends the planes between them.
    void perform(Operation operation, std::int64_t index);
    /// Brings the planes of p[n] beyond all cuts: the exchange of a step, by itself.
    void exchange_planes() {
        for (const Operation operation : {Operation::send_planes, Operation::await_planes}) perform(operation, 0);
    }

private:
    std::vector<Wavefield*> slabs_;
    std::unique_ptr<Exchange> exchange_;
};

/// An exchange that brings nothing, to time steps without one.
std::unique_ptr<Exchange> make_no_exchange(const std::vector<Wavefield*>& slabs);

/// A medium whose wavefields are cut into slabs and give the bits of uncut ones. A slab may itself be such a medium.
/// \param stepped_here how many of the slabs, from the first on, this process steps. The others advance by themselves
/// when their enqueue() is called.
/// \throws what check_slabs and `make_medium` throw.
std::shared_ptr<Medium> make_slab_medium(const Setup& setup, const MediumReaders& readers, double dt_s,
                                         std::vector<Slab> slabs, const MakeSlabMedium& make_medium,
                                         MakeExchange make_exchange = make_local_exchange,
                                         std::size_t stepped_here = std::numeric_limits<std::size_t>::max());

}  // namespace onda
