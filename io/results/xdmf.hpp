/// \file
/// XDMF 3: the XML file that tells ParaView and VTK what snapshots.h5 holds.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/models/geometry.hpp"

namespace onda {

struct XdmfShot {
    std::int64_t shot = 1;
    std::vector<double> times_s;  ///< of the frames of /shots/<shot>/pressure
};

/// One temporal collection a shot, a uniform 3DCoRectMesh a frame. Sizes, origin and spacing are listed in the order
/// z y x, as XDMF wants them; readers show x, y, z as they are in the file. Onda's z points down, so that ParaView
/// shows the surface at the bottom until its view-up is set to (0, 0, -1). \param h5_name file name of the HDF5 file,
/// which lies in the same folder.
std::string snapshots_xdmf(const std::string& h5_name, const FileGeometry& geometry, std::span<const XdmfShot> shots);
/// Gives the text of snapshots_xdmf() to `put` piece by piece: it takes a thousand bytes a frame.
void put_snapshots_xdmf(const std::string& h5_name, const FileGeometry& geometry, std::span<const XdmfShot> shots,
                        const std::function<void(std::string_view piece)>& put);

/// About the size of the text of one shot with so many frames.
std::int64_t predicted_xdmf_bytes(const FileGeometry& geometry, std::int64_t frames);

}  // namespace onda
