/// \file
/// Pictures as an output format: model sections, the last wavefields over them, the gather of the first shot.
#pragma once

#include <cstdint>

#include "solver/outputs/output.hpp"

namespace onda {

/// gather.png, model_xz.png, snapshot_xz_0.1000s.png, … of the first shot, drawn when it is finished. They wait in the
/// folder of the unfinished survey under their names.
extern const OutputFormat kPictureFormat;

/// Sections of a model through the first source of the first shot, or the middle, with the survey over them:
/// STEM_xz.png, in 3-D STEM_yz.png and STEM_xy.png; finished, without their names.
/// \param model that of the plan, on its grid or on a coarser one of the same extents.
std::vector<AtomicFile> stage_model_pictures(const Plan& plan, const Model& model, const std::filesystem::path& stem,
                                             bool overwrite);

/// The memory of pictures: what they keep during the run, and what they need for a moment to be drawn.
struct PictureBytes {
    std::int64_t kept = 0, drawing = 0;
    std::int64_t gather = 0;  ///< kept, too, once the gather has been written
};
PictureBytes picture_bytes(const Plan& plan);

}  // namespace onda
