/// \file
/// What least-squares migration leaves after each of its iterations.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "io/files/atomic_file.hpp"
#include "io/results/image_file.hpp"
#include "solver/outputs/migration_picture.hpp"
#include "solver/outputs/output.hpp"
#include "solver/plan/experiment.hpp"

namespace onda {

/// Names of files, of which no single pass over the shots makes any: image.h5 and image.png have those of
/// kMigrationFormat.
extern const OutputFormat kLeastSquaresFormat;
inline constexpr std::string_view kResidualTableName = "residuals.csv", kResidualPictureName = "residuals.png";

/// A line of the table.
struct Residual {
    std::int64_t iteration = 0;
    double relative = 1.;  ///< the norm of d - J x, as a part of that of d
    double misfit = 0.;    ///< half the squared norm
    double step = 0.;      ///< along the direction of the iteration
    double gradient = 0.;  ///< the norm of J'(d - J x), preconditioned: 0 where nothing is left to be gained
    std::optional<double> crosstalk = {};  ///< of the image of one drawing of codes; absent: they are the first
};

/// What there is after an iteration. Images are of all nodes, [z][y][x].
struct LeastSquaresImages {
    std::span<const float> change;    ///< of vp [m/s]
    std::span<const float> filtered;  ///< the same without its long waves; empty: not asked for
    std::span<const float> source, receiver;
    std::span<const Residual> residuals;
};

/// image.h5 with the change of velocity, as it is and filtered, and the illuminations, residuals.csv and, with a
/// picture, image.png and residuals.png, ready for their names. \param shots what the data of each shot are. \throws
/// Error(cannot_create | io_error); Error(unstable) for a value that is not finite.
std::vector<AtomicFile> stage_least_squares(const Experiment& experiment, const std::filesystem::path& folder,
                                            const Provenance& provenance, const LeastSquaresImages& images,
                                            std::span<const ShotMisfit> shots, const MigrationPicture* picture);

}  // namespace onda
