/// \file
/// Snapshots for ParaView and VTK as an output format.
#pragma once

#include "solver/outputs/output.hpp"

namespace onda {

/// snapshots.vtkhdf of a survey: views of the frames in snapshots.h5, or in the files of shots.
extern const OutputFormat kVtkhdfFormat;

}  // namespace onda
