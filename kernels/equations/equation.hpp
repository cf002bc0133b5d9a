/// \file
/// What an equation needs of a model: named parameters, and the arrays that its kernels read instead of them.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "kernels/equations/scheme.hpp"

namespace onda {

/// A property of the medium, given at every node.
struct Parameter {
    std::string_view name;  ///< "vp": the key of builders, the dataset of model files
    std::string_view unit;  ///< "m/s"
    std::string_view help;
};

/// An array that kernels read, computed from the parameters once.
struct MediumArray {
    std::string_view name;  ///< "k"
    /// Whether kernels read it beyond the faces, as far as the stencil's radius: mirrored about a mirror, the value of
    /// the face beyond a zero face.
    bool has_halo;
    /// Whether it is zero on mirror_negative faces, so that p stays exactly zero there.
    bool zero_on_walls;
    /// \param parameters one value each, in the order of the equation.
    double (*value)(const double* parameters, double dt_s);
};

/// One row of the list of equations.
struct Equation {
    std::string_view name;
    std::span<const Parameter> parameters;
    /// The first is what multiplies the spatial operator of a step, k.
    std::span<const MediumArray> arrays;
    /// The density that a source acts in, from the arrays at its node; null where k holds none.
    double (*source_density)(const double* arrays);
};

inline constexpr std::size_t kMaxParameters = 8, kMaxMediumArrays = 8;

const Equation& equation_of(const Scheme& scheme);

}  // namespace onda
