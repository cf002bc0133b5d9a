/// \file
/// Pictures as an output format: model sections, the last wavefields over them, the gather of the first shot.
#pragma once

#include "solver/outputs/output.hpp"

namespace onda {

struct Experiment;

/// gather.png, model_xz.png, snapshot_xz_0.1000s.png, … of the first shot, drawn when it is finished. They wait in the
/// folder of the unfinished survey under their names.
extern const OutputFormat kPictureFormat;

/// Sections of a model through the first source of the first shot, or the middle, with the survey over them:
/// STEM_xz.png, in 3-D STEM_yz.png and STEM_xy.png; finished, without their names.
/// \param model that of the plan, on its grid or on a coarser one of the same extents.
std::vector<AtomicFile> stage_model_pictures(const Experiment& experiment, const Model& model,
                                             const std::filesystem::path& stem, bool overwrite);

}  // namespace onda
