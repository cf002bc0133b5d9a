#include "io/versions.hpp"

#include <H5public.h>
#include <png.h>

namespace onda {

std::vector<std::pair<std::string, std::string>> io_library_versions() {
    unsigned major = 0, minor = 0, release = 0;
    const bool known = H5get_libversion(&major, &minor, &release) >= 0;
    const std::string hdf5 =
        known ? std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release) : "unknown";
    return {{"HDF5", hdf5}, {"libpng", png_get_libpng_ver(nullptr)}, {"yaml-cpp", ONDA_YAML_CPP_VERSION}};
}

}  // namespace onda
