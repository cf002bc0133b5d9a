#include <hdf5_hl.h>

#include "io/hdf5/hdf5_detail.hpp"

namespace onda::hdf5 {

using detail::check;

void Dataset::make_scale(const std::string& name) {
    check(H5DSset_scale(id_, name.c_str()), *this, "make it a dimension scale");
}

void Dataset::make_plain_dimension() {
    // The mark and its width are netCDF's (NetCDF-4 format specification, "Dimension without coordinate variable").
    std::string extent = std::to_string(extents_.at(0));
    extent.insert(0, extent.size() < 10 ? 10 - extent.size() : 0, ' ');
    make_scale("This is a netCDF dimension but not a netCDF variable." + extent);
}

void Dataset::attach_scale(std::size_t dimension, const Dataset& scale) {
    check(H5DSattach_scale(id_, scale.id_, static_cast<unsigned>(dimension)), *this,
          ("attach the dimension scale " + scale.place()).c_str());
}

}  // namespace onda::hdf5
