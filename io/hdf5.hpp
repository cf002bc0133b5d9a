/// \file
/// A small RAII layer over the HDF5 C API; every return code checked.
#pragma once
// Filled in with io/hdf5.cpp.
