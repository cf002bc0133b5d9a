/// \file
/// Images of the subsurface as an output format.
#pragma once

#include "solver/outputs/output.hpp"

namespace onda {

/// image.h5 of a survey: the image, the sum over its shots that it is made of, and illuminations; with traces.csv and,
/// of runs with pictures, image.png and, of those with such gathers, offset_gathers.png; and 00012.image.h5 of a shot
/// with receivers.
extern const OutputFormat kMigrationFormat;
inline constexpr std::string_view kImageName = "image.h5", kTracesTableName = "traces.csv",
                                  kImagePictureName = "image.png", kOffsetPictureName = "offset_gathers.png";

}  // namespace onda
