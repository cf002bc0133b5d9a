# Debian packages, by `cpack` in the build folder: onda with the program and the Python package, onda-dev with libraries
# and headers. For the release that builds them: their dependencies are those of its libraries.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME onda)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "acoustic finite differences for seismic forward modelling")
set(CPACK_PACKAGE_VENDOR "The Onda authors")
set(CPACK_PACKAGE_CONTACT "The Onda authors <onda@onda.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
# What is packed has been built before: not the tests, too.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)

# A package that is made on one machine runs on others.
if(NOT ONDA_HAS_ALL_ISAS)
  file(CONFIGURE OUTPUT packaging/wants_all_isas.cmake CONTENT
    "message(FATAL_ERROR \"This build has the CPU kernels of its own machine: configure it with -DONDA_ISAS=all\")" @ONLY)
  set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_BINARY_DIR}/packaging/wants_all_isas.cmake)
endif()

# Packages with CUDA kernels and those without have different names.
set(ONDA_PACKAGE_VERSION ${PROJECT_VERSION})
if(ONDA_HAVE_CUDA)
  string(APPEND ONDA_PACKAGE_VERSION "+cuda")
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PACKAGE_VERSION ${ONDA_PACKAGE_VERSION})
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_COMPONENT_PROGRAM_GROUP onda)
set(CPACK_COMPONENT_PYTHON_GROUP onda)
set(CPACK_COMPONENT_DEVELOPMENT_GROUP onda-dev)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${CPACK_PACKAGE_CONTACT})
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_ONDA_PACKAGE_NAME onda)
set(CPACK_DEBIAN_ONDA_PACKAGE_SECTION science)
set(CPACK_DEBIAN_ONDA_DESCRIPTION "Onda solves the acoustic wave equation in 2-D and 3-D by finite differences in
the time domain, on CPUs and NVIDIA GPUs. It computes the seismograms and
snapshots of surveys over models of velocity and density.

This package contains the program onda and the Python package onda.")
set(CPACK_DEBIAN_ONDA_PACKAGE_RECOMMENDS "python3-numpy, python3-h5py, python3-xarray")
if(ONDA_HAVE_PYTHON)
  math(EXPR next_minor "${ONDA_PYTHON_MINOR} + 1")
  set(CPACK_DEBIAN_ONDA_PACKAGE_CONTROL_EXTRA
    "${CMAKE_CURRENT_SOURCE_DIR}/solver/install/debian/postinst;${CMAKE_CURRENT_SOURCE_DIR}/solver/install/debian/prerm")
  set(CPACK_DEBIAN_ONDA_PACKAGE_DEPENDS "python3 (>= 3.${ONDA_PYTHON_MINOR}~), python3 (<< 3.${next_minor})")
endif()

set(CPACK_DEBIAN_ONDA-DEV_PACKAGE_NAME onda-dev)
set(CPACK_DEBIAN_ONDA-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_ONDA-DEV_DESCRIPTION "Onda solves the acoustic wave equation in 2-D and 3-D by finite differences in
the time domain, on CPUs and NVIDIA GPUs.

This package contains its static libraries and headers for programs in C++,
which find them by find_package(onda).")
set(CPACK_DEBIAN_ONDA-DEV_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_ONDA-DEV_PACKAGE_DEPENDS "libyaml-cpp-dev, libhdf5-dev, libspdlog-dev, nlohmann-json3-dev, libcairo2-dev, libpng-dev, libseccomp-dev, libxxhash-dev, zlib1g-dev, libkissfft-dev, pkgconf")

set(packages onda onda-dev)
if(TARGET onda_mpi)
  list(APPEND packages onda-mpi)
  set(CPACK_COMPONENT_MPI_GROUP onda-mpi)
  set(CPACK_DEBIAN_ONDA-MPI_PACKAGE_NAME onda-mpi)
  set(CPACK_DEBIAN_ONDA-MPI_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_ONDA-MPI_PACKAGE_DEPENDS "onda (= ${ONDA_PACKAGE_VERSION})")
  set(CPACK_DEBIAN_ONDA-MPI_DESCRIPTION "Onda solves the acoustic wave equation in 2-D and 3-D by finite differences in
the time domain, on CPUs and NVIDIA GPUs.

This package contains the module with which processes of Open MPI's mpirun, or
of srun, share the grid of a run.")
endif()

# What Debian's policy asks of the folder of documents.
find_program(GZIP gzip)
if(GZIP)
  foreach(package ${packages})
    set(folder ${PROJECT_BINARY_DIR}/packaging/${package})
    file(MAKE_DIRECTORY ${folder})
    configure_file(solver/install/debian/changelog.in ${folder}/changelog @ONLY)
    execute_process(COMMAND ${GZIP} -9n -c ${folder}/changelog OUTPUT_FILE ${folder}/changelog.gz)
    string(REPLACE onda-dev development component ${package})
    string(REPLACE onda-mpi mpi component ${component})
    string(REPLACE onda program component ${component})
    install(FILES solver/install/debian/copyright ${folder}/changelog.gz DESTINATION share/doc/${package} COMPONENT ${component})
  endforeach()
endif()
include(CPack)
