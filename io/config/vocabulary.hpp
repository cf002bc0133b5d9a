/// \file
/// The names that parameters accept.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace onda {

/// A name that a parameter accepts, and what it stands for.
struct AllowedValue {
    std::string name, help;
    bool listed = true;  ///< false: what a program alone can use, and users are not told of
};

/// The names that belong to tables of other folders, in the order in which they are listed to the user: what reads a
/// configuration is given them, so that io/ knows nothing of kernels, media or wavelets. solver/plan/names.hpp makes
/// the one of the program.
///
/// Keys: "model.type", "scheme.stencil", "wavelet.type", "boundary.kind", "imaging.misfit",
/// "output.seismograms.particle_motion", "backend.name", "backend.kernel". Names that io/ itself gives a meaning to,
/// such as those of scheme.precision, are not among them; nor is backend.isa, for what a machine offers must not change
/// the schema.
using Vocabulary = std::map<std::string, std::vector<AllowedValue>, std::less<>>;

}  // namespace onda
