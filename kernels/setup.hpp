/// \file
/// The set-up of a computation: the discrete problem and the kernel that computes it, all that a device needs before it
/// allocates.
#pragma once

#include <array>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kernels/boundaries/strip.hpp"
#include "kernels/equations/scheme.hpp"
#include "kernels/grid/grid.hpp"
#include "kernels/plan/medium_code.hpp"
#include "kernels/precision.hpp"
#include "kernels/stepping.hpp"

namespace onda {

/// The discrete problem: equation, grid and faces, complete and checked (solver/discretisation).
struct Problem {
    Grid grid;
    Scheme scheme = make_scheme(Equation::star, 8);
    Stepping stepping = Stepping::single;
    Precision precision = Precision::float32;
    FaceHalos halos{};
    StripList strips;
    MediumCode medium;             ///< how k is stored, and which values it may have
    std::int64_t first_plane = 0;  ///< of a slab: the plane of the whole grid that its plane 0 is
    /// Of order 4 in time: whether u = A p[n] + f[n] of every node is there after step n (kAppliedLevel), as images
    /// take it. Steps then apply A to whole levels, one time after the other.
    bool keeps_applied = false;

    /// How often a kernel applies k L to compute it.
    [[nodiscard]] Applications applications() const {
        return stepping == Stepping::leap || scheme.time_order == 4 ? Applications::twice : Applications::once;
    }
    /// Whether the medium absorbs: a step has no inverse then that is of any use.
    [[nodiscard]] bool absorbs() const { return strengths_of(*scheme.equation) > 0; }
    /// Time steps from one level to the next that is computed everywhere: 1, or 2 with leaps.
    [[nodiscard]] std::int64_t stride() const { return stepping == Stepping::leap ? 2 : 1; }
    [[nodiscard]] std::int64_t element_bytes() const { return precision == Precision::float32 ? 4 : 8; }
};

/// The kernel that computes a problem and its settings, by name: none of them changes a bit of the result.
struct KernelChoice {
    std::string kernel = "auto";  ///< a name of kernel_names() or "auto"
    std::string isa = "auto";     ///< CPU: a name of isa_names() or "auto"
    int threads = 0;              ///< CPU: 0 takes what OpenMP offers
    bool fewer_threads = false;   ///< CPU: where fewer threads are faster, take fewer
    std::string tile = "auto";    ///< CUDA: a tile of variants(), such as "256x16r4", or "auto"
    std::string copy = "auto";    ///< CUDA, in-plane kernels: how rectangles reach shared memory, see variants()
    int ordinal = 0;              ///< CUDA: which of the visible GPUs, from 0 on
};

/// A problem and the choice of the kernel that computes it.
struct Setup : Problem, KernelChoice {};

/// A setup that names a kernel, instruction set, tile or copy engine that does not exist; what() lists what there is.
struct SetupFault : std::invalid_argument {
    SetupFault(std::string key_name, const std::string& message)
        : std::invalid_argument(message), key(std::move(key_name)) {}
    std::string key;  ///< "kernel", "isa", "tile", "copy", "device"
};

/// A device has no kernel for what the setup asks for, whichever is taken.
struct NoKernel : SetupFault {
    explicit NoKernel(const std::string& message) : SetupFault("kernel", message) {}
};

/// Checks what every device needs of a problem. \throws std::invalid_argument unless order, coefficients, spacings,
/// extents and absorbing strips fit each other.
void check_problem(const Problem& problem);

/// What a kernel must do beside computing the operator: " with leap steps", or nothing.
std::string described_applications(const Problem& problem);

/// One row of the list of kernels: `onda info`, schema, tests and bench read it.
struct KernelInfo {
    std::string_view name;
    std::string_view help;
};

}  // namespace onda
