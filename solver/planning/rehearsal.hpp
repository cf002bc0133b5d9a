/// \file
/// Micro-benchmarks of the parts of a run, to predict how long it takes: steps, model, traces, files, pictures.
/// Each takes a fraction of a second and little memory, whatever the run.
#pragma once

#include <filesystem>
#include <string>

#include "io/config/config.hpp"
#include "kernels/equations/equation.hpp"
#include "kernels/grid/grid.hpp"
#include "kernels/setup.hpp"
#include "solver/discretisation/time_axis.hpp"
#include "solver/performance/conditions.hpp"
#include "solver/survey/survey.hpp"

namespace onda {

struct Plan;

/// What others do on this machine meanwhile.
struct MachineLoad {
    double others = 0.;  ///< processors that they keep busy
    int processors = 1;
    /// Whether other programs take a good part of the processors.
    [[nodiscard]] bool is_busy() const { return others > 0.2 * processors; }
    /// "other programs are using 1.7 of 2 cores".
    [[nodiscard]] std::string text() const;
};
MachineLoad load_of(const Conditions& seen);

/// Steps of the plan's kernel on its device, on the computed grid where that is small, else on a part of it.
struct StepRehearsal {
    Setup setup;              ///< what was computed
    bool whole = false;       ///< on the grid of the run
    double step_s = 0.;       ///< of the computed grid of the run, a shot, strips and source included
    double receivers_s = 0.;  ///< a sample of all receivers of a shot
    double watch_s = 0.;      ///< a look at the largest |p| of a shot
    double hash_s = 0.;       ///< the hash of the wavefield of a shot
    double medium_s = 0.;     ///< medium and wavefield, on the device
    double begin_s = 0.;      ///< what the first steps of a batch take beyond what steps take
};
StepRehearsal rehearse_steps(const Plan& plan);

/// Seconds that the model takes to be made or read.
double rehearse_model(const Config& config, const Equation& equation, const Grid& grid);

/// The traces of a shot, brought to the sampling of the seismograms.
struct TraceRehearsal {
    double shot_s = 0., trace_s = 0.;  ///< for any number of traces, and for each
};
TraceRehearsal rehearse_traces(const Survey& survey, const TimeAxis& time);

/// Seconds that a receiver of a shot takes to be brought to the nodes.
double rehearse_receivers(const Plan& plan);

/// Pictures of a run, synced to disk: of the model, which finds the fonts, and of waves over it.
struct PictureRehearsal {
    double model_s = 0., waves_s = 0.;
};
/// \param folder as rehearse_disk() takes it.
PictureRehearsal rehearse_pictures(const Plan& plan, const std::filesystem::path& folder);

/// Files on the disk that a folder is to lie on.
struct DiskRehearsal {
    double file_s = 0.;       ///< to make a file last, however small
    double hdf5_s = 0.;       ///< to make an HDF5 file last, however small
    double hdf5_wait_s = 0.;  ///< the part of hdf5_s that a thread waits for the disk
    double write_s = 0.;      ///< a byte of an HDF5 file
    double sync_s = 0.;       ///< to make a byte last
    double hash_s = 0.;       ///< to read a byte again for the hash of its file
};
/// \param bytes that will be written. \param frame_nodes of a snapshot, whose size counts. Writes a part of them, 40 MB
/// at most, up to three times, and removes it. Where the folder cannot be written, the rates are those of a common
/// disk.
DiskRehearsal rehearse_disk(const std::filesystem::path& folder, std::int64_t bytes, std::int64_t frame_nodes);

}  // namespace onda
