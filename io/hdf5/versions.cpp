#include "io/hdf5/versions.hpp"

#include <fontconfig/fontconfig.h>
#if defined(ONDA_HAVE_SECCOMP)
#include <seccomp.h>
#endif
#include <zlib.h>

#include "io/hdf5/hdf5_detail.hpp"
#include "io/pictures/drawing.hpp"

namespace onda {

namespace {

/// "none": built without it, so that the process that reads foreign files may make any system call.
std::string seccomp_text() {
#if defined(ONDA_HAVE_SECCOMP)
    const auto* const version = seccomp_version();
    return std::to_string(version->major) + "." + std::to_string(version->minor) + "." + std::to_string(version->micro);
#else
    return "none";
#endif
}

}  // namespace

std::vector<std::pair<std::string, std::string>> io_library_versions() {
    const int fonts = FcGetVersion();
    unsigned major = 0, minor = 0, release = 0;
    const hdf5::Turn turn;
    hdf5::detail::prepare_library();  // even the call below sets HDF5 up
    const bool known = H5get_libversion(&major, &minor, &release) >= 0;
    const std::string hdf5 =
        known ? std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release) : "unknown";
    return {{"Cairo", cairo_version_text()},
            {"HDF5", hdf5},
            {"fontconfig", std::to_string(fonts / 10000) + "." + std::to_string(fonts / 100 % 100) + "." +
                               std::to_string(fonts % 100)},
            {"libseccomp", seccomp_text()},
            {"yaml-cpp", ONDA_YAML_CPP_VERSION},
            {"zlib", zlibVersion()}};
}

}  // namespace onda
