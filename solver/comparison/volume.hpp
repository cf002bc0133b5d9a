/// \file
/// Values on a regular grid as comparisons take them, whatever file they come from.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "solver/comparison/correlation.hpp"

namespace onda {

/// An axis of a volume: sample i lies at origin + i spacing.
struct VolumeAxis {
    std::string name;  ///< "x", "t", "receiver"
    std::string unit;  ///< "m", "s"; empty where samples only have numbers
    std::int64_t count = 1;
    double spacing = 1., origin = 0.;
};

/// Values [axis 2][axis 1][axis 0], axis 0 fastest.
struct Volume {
    std::array<VolumeAxis, 3> axes;
    std::vector<float> values;
    std::string what;  ///< "vp", "image/migrated", "pressure of shot 3 at 0.4 s"
    std::string unit;  ///< of the values; may be empty
    std::filesystem::path file;

    [[nodiscard]] Triple extents() const { return {axes[0].count, axes[1].count, axes[2].count}; }
    /// "model.h5: vp", as messages name it.
    [[nodiscard]] std::string name() const;
    /// "(1200 m, 0 m, 850 m)": where value `index` lies, without axes of one sample.
    [[nodiscard]] std::string place(std::size_t index) const;
};

/// Which values of a file are wanted, where it has several.
struct VolumeSelection {
    std::string
        dataset;  ///< of models a parameter, such as rho, of images as `onda plot image --image`; empty: the first
    std::optional<std::int64_t> shot;  ///< of gathers and snapshots; default: the first
    std::optional<double> time_s;      ///< of snapshots: the nearest; default: the last
};

/// Reads a model (vp or another parameter), an image or gradient, a snapshot or a gather (receiver x time) of one shot,
/// from an HDF5 file or the folder of a run, in a process of its own, or an array of NumPy's of up to three axes, whose
/// samples are one apart. \throws Error(missing_input | bad_data), naming file and value, also for values that are not
/// finite; Error(usage) for a selection that is not there or that the file has no use for.
Volume read_volume(const std::filesystem::path& file, const VolumeSelection& selection);

/// Refuses volumes that do not lie on the same grid. \throws Error(bad_data) naming both files, their extents and
/// spacings.
void require_same_grid(const Volume& a, const Volume& b);
/// Likewise for a template and the volume that it is looked for in: spacings and units must agree, and x and y have one
/// spacing where the template is turned. \throws Error(bad_data).
void require_fitting_template(const Volume& form, const Volume& volume, int rotations);

/// Writes a volume, complete or not at all: .npy, or .h5 with one dataset of this name, spacing, origin and axis names.
/// \throws Error(usage) for another extension; Error(cannot_create | io_error).
void write_volume(const std::filesystem::path& file, const Volume& volume, const std::string& dataset,
                  const std::string& provenance, bool overwrite);

}  // namespace onda
