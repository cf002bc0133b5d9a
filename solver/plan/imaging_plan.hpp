/// \file
/// What a run that computes gradients compares its seismograms with, and how it keeps the forward field; what Born
/// modelling takes beside it.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/imaging/offset_lines.hpp"
#include "solver/imaging/history_plan.hpp"
#include "solver/imaging/image_sums.hpp"
#include "solver/imaging/shot_misfit.hpp"

namespace onda {

struct ImagingCondition;

struct ImagingPlan {
    MisfitSettings misfit;
    HistoryPlan history;
    const ImagingCondition* condition = nullptr;  ///< by which images are made; null: gradients are
    ImageSums sums;                               ///< of gradients, of density with those of density
    bool of_q = false;                            ///< whether gradients are of the quality factor, too
    OffsetLines offsets;                          ///< lines of gathers, on nodes of the run's grid; none: not asked
    bool adjoint_sources = false;                 ///< whether gradient.h5 holds those of every shot
    bool scatters = false;                        ///< whether a scattered field steps beside the forward one
    bool reverses = false;       ///< whether adjoint fields meet the forward one, of which `history` tells what is kept
    bool fits_linearly = false;  ///< whether data, or their difference from a model's, are fitted by least squares
    bool leaves_sums = false;    ///< whether results are sums over the shots, without their seismograms
    std::string chosen_by;       ///< what put numbers in place of "auto"
};

struct Computation;
struct Experiment;

/// The bytes that a correlation which keeps so many levels takes of the memory of the device of this process that has
/// most of them.
std::int64_t correlation_bytes(const Experiment& experiment, const Computation& computation, std::int64_t slots);
/// The bytes of all sums over levels, of the slabs of this process.
std::int64_t sums_bytes(const Experiment& experiment, const Computation& computation);
/// The bytes of a wavefield there: the adjoint one, where the forward one is needed beside it.
std::int64_t second_wavefield_bytes(const Computation& computation);
/// The bytes of a state of all shots that advance together, of the slabs of this process: levels and memory variables.
std::int64_t state_bytes(const Computation& computation);
/// The bytes that a scattered field takes there, at most; 0 where there is none.
std::int64_t scattered_bytes(const Experiment& experiment, const Computation& computation);
/// The bytes that the forward field and, where it is needed, a second wavefield or rings take there; 0 where it is not
/// kept.
std::int64_t history_bytes(const Experiment& experiment, const Computation& computation);
/// The bytes that the host keeps of rings beside the memory of devices.
std::int64_t host_ring_bytes(const Experiment& experiment, const Computation& computation);
/// The bytes that a file keeps of rings, in place of the host's memory.
std::int64_t file_ring_bytes(const Experiment& experiment, const Computation& computation);
/// The bytes that the host keeps of states.
std::int64_t checkpoint_bytes(const Experiment& experiment, const Computation& computation);

/// How many wavefields of a batch there are at the same time.
int wavefields_together(const Experiment& experiment);

/// Whether results are sums over the shots, without the seismograms and the files of each.
bool gives_sums_alone(const Experiment& experiment);

/// The values in double precision that an image takes of a node beside itself while it is made, of order 4 in time: the
/// image of A p, and the gains of sponges.
std::int64_t doubles_of_second_image(const Computation& computation);

/// The time steps of a shot: of its field, or of both where gradients are computed, with those that are computed again.
std::int64_t steps_of_shot(const Experiment& experiment);

/// "history   187 levels of the forward field, one every 8 time steps, 1.2 GiB …"; empty without gradients.
std::string describe_history(const Experiment& experiment, const Computation& computation);

}  // namespace onda
