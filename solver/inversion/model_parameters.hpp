/// \file
/// Between the model of an inversion, vp, rho, epsilon and delta, and the variables x that an optimiser changes.
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
#include "solver/model/model.hpp"
#include "solver/model/parameterisation.hpp"

namespace onda {

/// Values of every node, [z][y][x], x fastest.
struct ModelOf {
    std::vector<float> vp;                  ///< [m/s]
    std::vector<float> rho;                 ///< [kg/m3]; empty: constant
    std::vector<float> q{};                 ///< stays as it is; empty: nothing absorbs
    std::vector<float> epsilon{}, delta{};  ///< empty: nothing is anisotropic
};

ModelOf values_of(const Model& model);

/// Derivatives with respect to the parameters of every node, each with the others as they are; those that are not
/// inverted are not read.
struct ModelDerivatives {
    std::span<const float> vp;                  ///< [per m/s]
    std::span<const float> rho{};               ///< [per kg/m3]
    std::span<const float> epsilon{}, delta{};  ///< of the medium
};

/// The lowest and highest value of each variable.
struct Bounds {
    std::vector<float> lowest, highest;
};

/// The variables x of an inversion: one of each node for vp, m(vp) of a row of parameterisations(), and where density
/// is inverted another of each node for rho, rho itself, behind them. Both are divided by the mean of their absolute
/// values over the nodes of the start model, which makes them comparable and of order one.
///
/// Where anisotropy is inverted there are two more of each node: epsilon, and epsilon - delta, as they are. The latter
/// is at least 0, so that no bound of a variable depends on another; the bounds of delta are kept as a model is made.
///
/// The start model is reproduced to the bit: where a variable is, to the bit, that of the start model, the parameter
/// is, too. Densities that follow from vp replace those of the start model. Nothing depends on the number of threads.
class ModelParameters {
public:
    using Vector = HostVectors::Vector;

    /// \param config without problems(). \param start [z][y][x], vp positive. \param held whether each node stays as it
    /// is; empty: none. \param held_anisotropy whether epsilon and delta of it do, likewise.
    /// \throws std::invalid_argument for names that are not in their tables, sizes that do not fit, and a density or an
    /// anisotropy that changes where there is none.
    ModelParameters(const InversionConfig& config, ModelOf start, std::vector<bool> held,
                    std::vector<bool> held_anisotropy = {});

    [[nodiscard]] std::size_t nodes() const { return vp_.start.size(); }
    /// Of nodes() variables each: vp, rho where it is inverted, and the two of anisotropy where that is.
    [[nodiscard]] std::size_t blocks() const { return inverted_.size(); }

    /// The variables of a model; held nodes have those of the start model. What is not inverted is not read.
    [[nodiscard]] Vector from_model(const ModelOf& model) const;
    /// The model of variables. Values are rounded once, from double, and lie inside the bounds of the configuration.
    /// Held nodes have the values of the start model. Density stays that of the start model (`fixed`), follows from vp
    /// at nodes that are not held (`gardner`), or is that of the second block (`inverted`). What else is not inverted
    /// is that of the start model.
    [[nodiscard]] ModelOf to_model(const Vector& x) const;
    /// dJ/dx at x by the chain rule; 0 at held nodes. A delta at a bound beyond which J would fall stays there,
    /// whatever epsilon does.
    [[nodiscard]] Vector gradient(const Vector& x, const ModelDerivatives& of_model) const;
    /// Whether a variable stays what it is.
    [[nodiscard]] bool holds(std::size_t variable) const { return is_held(variable / nodes(), variable % nodes()); }
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

    [[nodiscard]] bool inverts_anisotropy() const { return !epsilon_.start.empty(); }
    [[nodiscard]] bool is_held(std::size_t block, std::size_t node) const {
        const bool is_of_anisotropy =
            inverted_[block] == &ModelParameters::epsilon_ || inverted_[block] == &ModelParameters::excess_;
        return held_[node] || (is_of_anisotropy && held_anisotropy_[node]);
    }
    /// A value of one of the blocks. \param place among them.
    [[nodiscard]] float value_at(const Vector& x, std::size_t place, std::size_t node) const;
    /// That of the block of epsilon, before the last one.
    [[nodiscard]] float epsilon_at(const Vector& x, std::size_t node) const { return value_at(x, blocks() - 2, node); }
    [[nodiscard]] float delta_at(const Vector& x, std::size_t node) const;

    ModelOf start_;
    Density density_;
    Block vp_;
    Block rho_;               ///< without values where density is constant
    Block epsilon_, excess_;  ///< of epsilon over delta; without values where they are not inverted
    std::pair<float, float> limits_of_delta_;
    std::vector<Block ModelParameters::*> inverted_;  ///< in the order of the variables
    std::vector<bool> held_, held_anisotropy_;
};

/// ModelParameters::blocks() of a configuration.
[[nodiscard]] std::int64_t blocks_of(const InversionConfig& config);
/// Whether it changes epsilon and delta.
[[nodiscard]] inline bool inverts_anisotropy(const InversionConfig& config) {
    return config.anisotropy != "fixed";
}

/// What is wrong with inversion.density for a model that has none.
inline constexpr const char* kNoDensity =
    "the density of the model is constant, and waves do not feel it: give the model a density, with model.rho, or keep "
    "it fixed";

/// The same of inversion.anisotropy.
inline constexpr const char* kNoAnisotropy =
    "the model has no epsilon and delta, or is taken without them: give it some, of 0, too, with model.epsilon, or "
    "keep "
    "them fixed";

/// What speaks against inverting from a start model as section `inversion` says: the key of what is wrong, and why.
/// Bounds that leave nothing between them, a start model outside of them at nodes that are not held, and parameters
/// that change, or have bounds, where they cannot. Parameters are those of ModelParameters.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> problems(const InversionConfig& config, const Grid& grid,
                                                                        const ModelOf& start,
                                                                        const std::vector<bool>& held);

}  // namespace onda
