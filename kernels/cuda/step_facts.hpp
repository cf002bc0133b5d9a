/// \file
/// What a time step asks of a GPU, counted from how its launches are planned: what models of its speed start from.
/// Every launcher counts its own kernel; nothing here is measured.
#pragma once

#include <cstdint>

#include "kernels/cuda/reports.hpp"
#include "kernels/grid/grid.hpp"

namespace onda {
struct Setup;
}

namespace onda::cuda {

/// Cost counts of a time step, or of a leap. Bytes, instructions and operations are those of all its launches together.
struct StepFacts {
    Resources compiled;             ///< the kernel of the stencil, as the compiler made it
    int steps = 1;                  ///< that these launches take together: two where the grid leaps
    int launches = 1;               ///< of that kernel, of equal shape
    std::int64_t blocks = 0;        ///< of each of them
    double planes = 1.;             ///< that a block walks through, each after the one before
    std::int64_t short_blocks = 0;  ///< of the blocks, those that come last and walk through fewer planes
    double short_planes = 0.;       ///< that each of them walks through
    int ahead = 0;                  ///< planes of p that are on their way while one is computed
    bool overlaps = false;          ///< whether a launch comes to the multiprocessors before the one before it ends
    int element_bytes = 4;          ///< of a value
    double points = 0.;             ///< nodes that are updated
    double stream_bytes = 0.;       ///< every array read and written once: what DRAM moves unless caches hold it
    double footprint_bytes = 0.;    ///< of the arrays
    double l2_bytes = 0.;           ///< between the L2 cache and the multiprocessors, in whole sectors
    double window_bytes = 0.;       ///< what the L2 cache must keep so that it gives every neighbour along z again
    double refetch_bytes = 0.;      ///< what DRAM moves on top of the streams where it does not
    double engine_lines = 0.;       ///< of 128 bytes, that bulk-tensor copies write to shared memory
    double shared_bytes = 0.;       ///< through shared memory and the L1 cache, in whole wavefronts of 128 bytes
    double instructions = 0.;       ///< of threads, of every kind
    double operations = 0.;         ///< of these, on values of the field
    int side_launches = 0;          ///< around the stencil: mirrors, and strips that it does not compute itself
    double side_planes = 0.;        ///< that these walk through, each after the one before: of all of them together
    double side_bytes = 0.;         ///< what these move

    /// What all blocks of a launch walk through.
    [[nodiscard]] double planes_of_blocks() const {
        return static_cast<double>(blocks) * planes - static_cast<double>(short_blocks) * (planes - short_planes);
    }
};

/// Cost counts of a step of so many shots on the GPU that a set-up names, whether CUDA was compiled in or not. \throws
/// what check_setup() throws; cuda::Error.
StepFacts step_facts(const Setup& setup, int shots = 1);

/// The bytes of an L2 sector, and of what shared memory or the L1 cache gives a warp at once: nothing less moves.
inline constexpr int kSectorBytes = 32, kWavefrontBytes = 128;

/// So many nodes beside a line of 128 bytes as the L2 cache delivers them.
constexpr int in_sectors(int nodes, int element_bytes) {
    return (nodes * element_bytes + kSectorBytes - 1) / kSectorBytes * kSectorBytes / element_bytes;
}

/// The arrays that a step of a kernel reads and writes.
struct StepArrays {
    int medium = 1;  ///< arrays of the medium
    int fields = 1;  ///< of two levels, of which a step reads both and writes one
    int memory = 0;  ///< fields that a step reads and writes
};

/// Cost counts of the array streams alone. In 2-D the shots of a batch, which lie side by side along y, share the
/// medium.
inline StepFacts facts_of_streams(const Grid& grid, int element_bytes, StepArrays arrays) {
    StepFacts facts;
    facts.element_bytes = element_bytes;
    facts.points = static_cast<double>(grid.points());
    const double medium = grid.dimensions == 2 ? static_cast<double>(grid.nx() * grid.nz()) : facts.points;
    facts.stream_bytes =
        element_bytes * ((3. * arrays.fields + 2. * arrays.memory) * facts.points + arrays.medium * medium);
    facts.footprint_bytes =
        element_bytes * ((2. * arrays.fields + arrays.memory) * facts.points + arrays.medium * medium);
    return facts;
}

/// What a tile of a plane is loaded with: its halo on either side, and planes beyond those that are updated.
struct TileReach {
    int x = 0, y = 0, z = 0;  ///< nodes; x in whole sectors
    bool corners = false;     ///< whether those of the x-y plane are loaded too
};

/// What a marching kernel does for a plane, counted: see StepFacts.
struct MarchWork {
    TileReach p, rho;          ///< what its tile is loaded with; rho only where the medium has one
    int shared_bytes = 0;      ///< of a thread, through shared memory, beside the tile that arrives there
    int instructions = 0;      ///< of a thread
    int operations = 0;        ///< of these, on values of the field
    int frame_bytes = 0;       ///< of a block: tile and halo as they lie in shared memory
    int copied_pieces = 0;     ///< of these, copies of 16 bytes that threads ask for
    double engine_lines = 0.;  ///< of a block: see StepFacts
    int ahead = 0;             ///< planes on their way
    StepArrays arrays = {};
};

/// The values a node that a kernel reads or writes beside those of p, and of rho where the medium has one, which it
/// loads with a halo: p[n-1] twice, k, and so on.
inline double streams_beside(const StepArrays& arrays, const TileReach& rho) {
    return 3. * arrays.fields - 1. + 2. * arrays.memory + arrays.medium - (rho.x > 0 ? 1. : 0.);
}

/// The values of one array that tiles of width x height nodes, marching through `chunks` of planes, load in a step.
inline double loaded_values(const Grid& grid, double tiles_x, double tiles_y, double chunks, TileReach reach) {
    const auto nx = static_cast<double>(grid.nx()), ny = static_cast<double>(grid.ny());
    const double beside = 2. * reach.x * tiles_x, above = grid.dimensions == 3 ? 2. * reach.y * tiles_y : 0.;
    const double plane = nx * ny + beside * ny + nx * above + (reach.corners ? beside * above : 0.);
    return plane * (static_cast<double>(grid.nz()) + 2. * reach.z * chunks);
}

/// Cost counts of so many volumes, one after the other, from those of one: each has fields of its own, and all read one
/// medium.
inline StepFacts all_volumes(StepFacts one, int volumes) {
    const double medium_bytes = one.footprint_bytes - 2. * one.element_bytes * one.points;
    one.footprint_bytes = volumes * (one.footprint_bytes - medium_bytes) + medium_bytes;
    for (double* total : {&one.points, &one.stream_bytes, &one.refetch_bytes, &one.l2_bytes, &one.engine_lines,
                          &one.shared_bytes, &one.instructions, &one.operations})
        *total *= volumes;
    return one;
}

}  // namespace onda::cuda
