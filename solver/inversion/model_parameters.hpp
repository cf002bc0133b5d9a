/// \file
/// Between the model of an inversion, vp and rho, and the variables x that an optimiser changes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/config/config.hpp"
#include "kernels/grid/grid.hpp"
#include "solver/inversion/host_vectors.hpp"
#include "solver/model/parameterisation.hpp"

namespace onda {

/// Values of every node, [z][y][x], x fastest.
struct ModelOf {
    std::vector<float> vp;                  ///< [m/s]
    std::vector<float> rho;                 ///< [kg/m3]; empty: constant
    std::vector<float> q{};                 ///< stays as it is; empty: nothing absorbs
    std::vector<float> epsilon{}, delta{};  ///< stay as they are; empty: nothing is anisotropic
};

/// The lowest and highest value of each variable.
struct Bounds {
    std::vector<float> lowest, highest;
};

/// The variables x of an inversion: one of each node for vp, m(vp) of a row of parameterisations(), and where density
/// is inverted another of each node for rho, rho itself, behind them. Both are divided by the mean of their absolute
/// values over the nodes of the start model, which makes them comparable and of order one.
///
/// The start model is reproduced to the bit: where a variable is, to the bit, that of the start model, the parameter
/// is, too. Densities that follow from vp replace those of the start model. Nothing depends on the number of threads.
class ModelParameters {
public:
    using Vector = HostVectors::Vector;

    /// \param config without problems(). \param vp_start [z][y][x] [m/s], positive. \param rho_start likewise [kg/m3];
    /// empty: constant density. \param held whether each node stays as it is; empty: none.
    /// \throws std::invalid_argument for names that are not in their tables, sizes that do not fit, and a density that
    /// changes where there is none.
    ModelParameters(const InversionConfig& config, std::span<const float> vp_start, std::span<const float> rho_start,
                    std::vector<bool> held);

    [[nodiscard]] std::size_t nodes() const { return vp_.start.size(); }
    /// Of nodes() variables each: vp, and rho where it is inverted.
    [[nodiscard]] std::size_t blocks() const { return density_ == Density::inverted ? 2 : 1; }

    /// The variables of a model; held nodes have those of the start model. \param rho is only read where it is
    /// inverted.
    [[nodiscard]] Vector from_model(std::span<const float> vp, std::span<const float> rho) const;
    /// The model of variables. Values are rounded once, from double, and lie inside the bounds of the configuration.
    /// Held nodes have the values of the start model. Density stays that of the start model (`fixed`), follows from vp
    /// at nodes that are not held (`gardner`), or is that of the second block (`inverted`).
    [[nodiscard]] ModelOf to_model(const Vector& x) const;
    /// dJ/dx at x by the chain rule; 0 at held nodes. \param dJ_dvp the derivative [per m/s] at constant rho.
    /// \param dJ_drho [per kg/m3] at constant vp; not read where density is fixed.
    [[nodiscard]] Vector gradient(const Vector& x, std::span<const float> dJ_dvp, std::span<const float> dJ_drho) const;
    /// Multiplies an illumination E of every node by (d(1/vp^2)/dx)^2: with 1/vp^2, the factor of the second derivative
    /// in the wave equation, as the variable, E itself is about the diagonal of the Hessian.
    void weigh_illumination(std::span<float> illumination, std::span<const float> vp) const;
    /// The bounds of the configuration, in x: where they are absent, the limits of model files. Held nodes have their
    /// start value as both.
    [[nodiscard]] Bounds box() const;

private:
    enum class Density { fixed, gardner, inverted };

    /// The variables of one parameter of the model.
    struct Block {
        ParameterisationRow row;
        std::vector<float> start;      ///< values of the parameter
        double least = 0., most = 0.;  ///< bounds of m
        double scale = 1.;             ///< m = scale x

        [[nodiscard]] float variable_of(float value) const;
        [[nodiscard]] float value_of(float x, std::size_t node) const;
        /// d value / dx
        [[nodiscard]] double slope_at(float value) const;
    };
    [[nodiscard]] static Block make_block(const ParameterisationRow& row, std::span<const float> start,
                                          std::pair<float, float> limits);
    [[nodiscard]] static Density density_of(const InversionConfig& config);

    [[nodiscard]] float vp_at(const Vector& x, std::size_t node) const;
    void set_variables(const Block& block, std::span<const float> values, std::span<float> x) const;
    void set_bounds(const Block& block, std::size_t first, Bounds& bounds) const;

    Density density_;
    Block vp_;
    Block rho_;  ///< without values where density is constant
    std::vector<bool> held_;
};

/// What is wrong with inversion.density for a model that has none.
inline constexpr const char* kNoDensity =
    "the density of the model is constant, and waves do not feel it: give the model a density, with model.rho, or keep "
    "it fixed";

/// What speaks against inverting from a start model as section `inversion` says: the key of what is wrong, and why.
/// Bounds that leave nothing between them, a start model outside of them at nodes that are not held, and densities that
/// change, or have bounds, where they cannot. Parameters are those of ModelParameters.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> problems(const InversionConfig& config, const Grid& grid,
                                                                        std::span<const float> vp_start,
                                                                        std::span<const float> rho_start,
                                                                        const std::vector<bool>& held);

}  // namespace onda
