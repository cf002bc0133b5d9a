# The libraries that Onda's own are linked with: for its build, and for programs that find_package(onda).
find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(yaml-cpp REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PkgConfig REQUIRED)
# Debian installs the serial and MPI builds side by side; only pkg-config tells them apart by name.
pkg_search_module(HDF5 REQUIRED IMPORTED_TARGET hdf5-serial hdf5)
pkg_check_modules(CAIRO REQUIRED IMPORTED_TARGET cairo>=1.16 cairo-pdf fontconfig libpng>=1.6)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
# The C++ header stands alone; the package that comes with it is of the C library in single precision.
find_path(KISSFFT_INCLUDE_DIR kissfft/kissfft.hh REQUIRED)
# Without it, foreign files are read by a process with limits of memory and time, but free to make any system call.
pkg_check_modules(SECCOMP IMPORTED_TARGET libseccomp)

# The high-level library (dimension scales) comes with the same package; pkg-config does not name it.
find_library(HDF5_HL_LIBRARY NAMES hdf5_hl hdf5_serial_hl HINTS ${HDF5_LIBRARY_DIRS} REQUIRED)
if(NOT TARGET onda_needs::hdf5_hl)
  add_library(onda_needs::hdf5_hl UNKNOWN IMPORTED)
  set_target_properties(onda_needs::hdf5_hl PROPERTIES IMPORTED_LOCATION ${HDF5_HL_LIBRARY})
endif()
