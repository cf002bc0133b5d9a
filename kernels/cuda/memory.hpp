/// \file
/// What the CUDA backend allocates: the layouts of its arrays, and the rows of their list.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/cuda/choice.hpp"
#include "kernels/cuda/cuda.hpp"
#include "kernels/cuda/field_operations.hpp"
#include "kernels/cuda/stepper.hpp"
#include "kernels/grid/halo.hpp"
#include "kernels/plan/allocations.hpp"
#include "kernels/plan/layouts.hpp"
#include "kernels/plan/shell.hpp"

namespace onda::cuda {

/// Halos along x are whole vectors: rows of copied rectangles begin on 16 bytes.
inline LayoutRules layout_rules(const Problem& problem) {
    return {problem.element_bytes(), 16 / problem.element_bytes()};
}

/// The grid of a volume. In 2-D all shots are one volume and lie side by side: the row of each at one depth follows
/// that of the shot before. They share the model, whose rows have a stride of zero along y, and nothing of a step looks
/// along an axis without a derivative: to kernels a batch is one grid. In 3-D each shot is a volume of its own.
Grid batched(Grid grid, int shots);
/// The volumes of some shots.
int volumes_of(const Grid& grid, int shots);
/// The elements from a volume to the next, which begins on a line of 128 bytes.
std::int64_t volume_step(const Layout& layout);

/// The elements that an array of some volumes takes of an allocation of several, so that each begins on a page of its
/// own (2 MiB of floats).
std::int64_t array_elements(const Layout& layout, int volumes = 1);

/// A box of nodes of a grid in a volume of some shots: in 2-D that of every shot.
NodeBox box_of_volume(const Box& box, const Grid& volume);

/// The extents of a field, and how it lies in memory, for the kernels that surround the stencil.
FieldShape shape_of(const Layout& layout);

/// Rows of a model or a field go to and from the device in pieces of this many bytes, or of a row if that is more.
std::int64_t staging_bytes(const Grid& grid);

/// The copies that fill the halo along an axis before each step. \param grid of some shots.
std::vector<HaloCopy> halo_copies_of(const Setup& setup, const Grid& grid, int axis);

/// The name of the row of the halo copies along an axis.
std::string halo_copies_row(int axis);

/// Whether a step of these shots is one launch, or two with a sponge.
template <typename T>
bool takes_whole_steps(const Setup& setup, int shots);

/// How much the sources of all shots of a wavefield are together.
struct SourceTables {
    std::int64_t nodes = 0;    ///< that sources act on, each once a shot
    std::int64_t entries = 0;  ///< weighted nodes of sources
    std::int64_t sources = 0;
    std::int64_t samples = 0;     ///< of all signals
    std::int64_t amplitudes = 0;  ///< of the entries, for each field that they act on
};
/// Adds the rows of the sources, none without sources. \param level "sources" or "odd sources", see LeapSources.
void add_sources(Allocations& list, const SourceTables& size, std::int64_t element_bytes,
                 const std::string& level = "sources");

/// How much the receivers of all shots of a wavefield are together.
struct ReceiverTables {
    std::int64_t receivers = 0, nodes = 0;  ///< nodes: weighted ones
    std::int64_t samples = 0;               ///< of each trace
};
/// Steps in one CUDA graph: even, so that p[n] ends where it began, and as many as a run takes between two looks at
/// its wavefield, since the first of them waits for the host.
inline constexpr int kGraphSteps = 50;
/// Steps in a graph, or leaps.
constexpr int graph_length(Stepping stepping) {
    return stepping == Stepping::leap ? kGraphSteps / 2 : kGraphSteps;
}
/// Samples of one of the two batches on the device: as fit 8 MiB, at most 1000, and for two graphs as fit 32 MiB.
std::int64_t trace_batch(std::int64_t receivers, std::int64_t samples, std::int64_t element_bytes);
/// Adds the rows of the receivers and of their traces, none without receivers.
void add_receivers(Allocations& list, const ReceiverTables& size, std::int64_t element_bytes);

/// The rows of the frames of downloads of so many nodes.
Allocation frame_on_device(std::int64_t points);
Allocation frames_on_host(std::int64_t points);

}  // namespace onda::cuda
