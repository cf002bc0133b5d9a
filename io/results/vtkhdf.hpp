/// \file
/// VTKHDF 2: what ParaView (5.12 on) and VTK (9.3 on) open by themselves, of the frames in snapshots.h5.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "io/files/atomic_file.hpp"
#include "io/models/geometry.hpp"

namespace onda {

/// The frames of a shot, [time][z][y][x] under /shots/<shot>/pressure of a file.
struct VtkhdfShot {
    std::int64_t shot = 1;
    std::string file;  ///< from the folder of the .vtkhdf file
};

/// An ImageData, temporal where there are several frames, whose arrays are views of the frames: no value is copied, and
/// what lies beside the file must stay there. The only shot is the array `pressure`, several are `pressure_shot_1`, ….
///
/// An axis of one node is left out of the arrays, as VTK wants it. Layout: VTKHDF file format, Kitware (2023), in VTK's
/// documentation. \param times_s of the frames, the same for all shots. \returns the file, ready for its name.
/// \throws Error(cannot_create | io_error).
AtomicFile stage_vtkhdf(const std::filesystem::path& file, const FileGeometry& geometry,
                        const std::vector<double>& times_s, std::span<const VtkhdfShot> shots, bool overwrite);

/// Predicted size of a VTKHDF file [bytes].
std::int64_t predicted_vtkhdf_bytes(std::int64_t shots, std::int64_t frames);

}  // namespace onda
