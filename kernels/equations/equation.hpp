/// \file
/// What an equation is to the rest of the program: a row of properties. Everything that differs between equations is
/// asked of the row; a new one is a folder beside star/, compact/ and density/ and a line of equations.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/equations/node_class.hpp"
#include "kernels/equations/star/stencil.hpp"

namespace onda {

struct Scheme;
struct Factor;
enum class Coefficients;
enum class FactorKind;
namespace cpu {
struct Kernel;
}
namespace cuda {
struct EquationKernels;
}

/// A unit that files may use beside that of a parameter.
struct OtherUnit {
    std::string_view name;  ///< "km/s"
    double factor = 1.;     ///< how many of the parameter's unit a stored 1 is
};

/// A property of the medium, given at every node.
struct MediumParameter {
    std::string_view name;      ///< "vp": the dataset of model files
    std::string_view quantity;  ///< "velocity": what people read beside its values; one word
    std::string_view unit;      ///< "m/s"
    std::string_view help;
    double lowest, highest;     ///< values beyond are refused
    OtherUnit other_unit = {};  ///< with an empty name: none
    /// The parameter of section `model` of configurations by which waves may be told not to feel it, with `none`.
    std::string_view key = {};
};

/// The neighbours of a node that an operator sums, as a configuration names them. Equations of the same stencil differ
/// in their parameters.
struct StencilRow {
    std::string_view name;
    std::string_view help;
};

/// An array that kernels read, computed from the parameters once.
struct MediumArray {
    std::string_view name;  ///< "k"
    /// Whether kernels read the array beyond the faces, as far as the stencil's radius: mirrored about a mirror, the
    /// value of the face beyond a zero face.
    bool has_halo;
    /// Whether the array is zero on mirror_negative faces, so that p stays exactly zero there.
    bool zero_on_walls;
    /// The value at a node. \param parameters one value each, in the order of the equation. Null, as `row` then is:
    /// EquationRow::fit knows it.
    double (*value)(const double* parameters, double dt_s) = nullptr;
    /// The same of the nodes of a row. \param parameters a row each. \param values as long as these.
    void (*row)(std::span<const std::vector<float>> parameters, double dt_s, std::span<double> values) = nullptr;
};

inline constexpr std::size_t kMaxParameters = 8, kMaxMediumArrays = 8, kMaxFields = 4, kMaxMemoryFields = 2,
                             kMaxScratchFields = 2;

/// What an equation works out once for a medium, where its arrays follow from more than the parameters of each node:
/// from coefficients that are fitted for a time step, and from the class of the node (node_class()).
class MediumFit {
public:
    virtual ~MediumFit() = default;
    /// Gives the values of an array at the nodes of a row. \param array of the equation. \param parameters a row each,
    /// in the order of the equation. \param y, z of the row in the whole grid. \param values as long as these.
    virtual void row(std::size_t array, std::span<const std::vector<float>> parameters, std::int64_t y, std::int64_t z,
                     std::span<double> values) const = 0;
    /// The derivatives of the values of row() with respect to the quality factor of each node, in the same way.
    virtual void slope_row(std::size_t array, std::span<const std::vector<float>> parameters, std::int64_t y,
                           std::int64_t z, std::span<double> slopes) const = 0;
    /// What kernels are given of each class of nodes for a memory field. \param field of EquationRow::memory.
    [[nodiscard]] virtual std::array<double, kNodeClasses> of_class(std::size_t field) const = 0;
};

/// An array by its value at a node.
template <auto value_at>
constexpr MediumArray medium_array(std::string_view name, bool has_halo, bool zero_on_walls) {
    const auto row = [](std::span<const std::vector<float>> parameters, double dt_s, std::span<double> values) {
        const float* rows[kMaxParameters];  // a number of them that is known is what lets the loop be vectorised
        for (std::size_t i = 0; i < kMaxParameters; ++i) rows[i] = parameters[i < parameters.size() ? i : 0].data();
        for (std::size_t x = 0; x < values.size(); ++x) {
            double at_node[kMaxParameters];
            for (std::size_t i = 0; i < kMaxParameters; ++i) at_node[i] = static_cast<double>(rows[i][x]);
            values[x] = value_at(at_node, dt_s);
        }
    };
    return {name, has_halo, zero_on_walls, value_at, row};
}

/// What a perfectly matched layer across an axis does where an equation differentiates one field along each axis, and
/// several fields take the derivative: all of them feel the layer, which remembers one field.
struct LayerCoupling {
    std::size_t field;                           ///< the one that is differentiated along the axis
    std::array<std::string_view, 2> multiplier;  ///< the array beside k in what both fields take; empty: 1
    bool with_third = false;                     ///< whether the third field takes it, too, with k alone
};

/// How perfectly matched layers take an equation apart (kernels/boundaries/cpml_math.hpp).
struct FactorRow {
    /// What kernels are compiled for. \param dimensions 2 or 3.
    FactorKind (*kind)(int dimensions);
    /// The first derivative D with -L = D* D along an axis.
    Factor (*factor)(const Scheme& scheme);
    /// The first value that g takes from node t, counted from t. \param radius of the stencil.
    int (*first)(int radius);
    /// How many values g takes from a node.
    int (*count)(int radius);
    /// Of x, y and z; none: layers act on each field by itself.
    std::span<const LayerCoupling> couplings = {};
};

/// One row of the list of equations.
struct EquationRow {
    std::string_view name;  ///< in tables and on the command line
    std::string_view help;
    std::string_view title;  ///< what messages say before the order: "variable density"; empty for the usual one
    StencilRow stencil;
    /// The medium parameters. The first is vp: its range decides time step and sampling.
    std::span<const MediumParameter> parameters;
    /// Parameters that are the same everywhere for this equation, so that its waves do not feel them.
    std::span<const MediumParameter> constants;
    /// The fields that a step advances, each from its two last time levels. Sources act on the first, and receivers and
    /// snapshots see it, but for source_factor and share_of_second.
    std::span<const std::string_view> fields;
    /// The arrays that kernels read. The first is what multiplies the spatial operator of a step, k.
    std::span<const MediumArray> arrays;
    /// The density that a source acts in, from the arrays at its node; null where k holds none.
    double (*source_density)(const double* arrays);
    /// The scheme of an order. \throws std::invalid_argument for orders and coefficients that there are not.
    Scheme (*make_scheme)(int space_order, Coefficients coefficients);
    /// Nodes beyond a face that a step reads. \param radius of the stencil.
    int (*halo)(int radius);
    /// -L(k) h^2 for a wave along an axis, kh [rad] per node.
    double (*axis_symbol)(const Scheme& scheme, double kh);
    /// -L(k) [1/m^2] from the symbols of the axes that have a derivative, and their spacings.
    double (*symbol)(const Scheme& scheme, const std::vector<double>& axis, const std::vector<double>& spacing_m);
    /// The largest stable dt [s] of the leapfrog scheme: 2 / (vp_max sqrt(largest symbol)).
    double (*stability_limit_s)(const Scheme& scheme, const std::vector<double>& spacing_m, double vp_max_m_s);
    /// Fills in the premultiplied coefficients of a stencil whose radius and dimensions are set.
    void (*set_float)(Stencil<float>& stencil, const Scheme& scheme, const std::array<double, 3>& spacing_m);
    void (*set_double)(Stencil<double>& stencil, const Scheme& scheme, const std::array<double, 3>& spacing_m);
    /// Null: there are no perfectly matched layers for this equation.
    const FactorRow* factor = nullptr;
    /// Whether the spacing must be the same along every axis.
    bool equal_spacings = false;
    /// The only order that there is, with one set of weights; 0: even orders, with weights to choose.
    int only_order = 0;
    /// CPU kernels beside those that are compiled for every instruction set (kernels/cpu/kernel_table.cpp).
    std::span<const cpu::Kernel> (*cpu_kernels)() = nullptr;
    /// CUDA kernels beside those of kernels/cuda, as kernels/cuda/stepper.hpp has them; null: none.
    const cuda::EquationKernels* (*on_cuda)() = nullptr;
    /// Floating-point operations of a node's step in the canonical order, each value that several nodes need counted
    /// once; a fused multiply-add is two. \param dimensions 2 or 3. Null: nobody has counted.
    int (*operations)(int radius, int dimensions) = nullptr;
    /// Memory fields: what a node remembers of its own past. Each has one level, which a step reads and advances in
    /// place, and neither halo nor neighbours; it is zero before a shot, and part of its state.
    std::span<const std::string_view> memory = {};
    /// Arrays with the layout of a field that a step computes for itself, beside halos that it fills in the same way.
    std::span<const std::string_view> scratch = {};
    /// What the arrays of a medium are made with; null: the rules of the arrays are all there is.
    std::shared_ptr<const MediumFit> (*fit)(const Scheme& scheme, int dimensions, double dt_s) = nullptr;
    /// How many times vp the velocity is at most that the stability limit is for. \param lowest values of the
    /// parameters after vp. Null: it is vp.
    double (*stiffening)(const Scheme& scheme, std::span<const double> lowest, double dt_s) = nullptr;
    const EquationRow* with_more_memory = nullptr;  ///< the same equation with a memory field more
    const EquationRow* with_drag = nullptr;         ///< the same parameters, with drag in the place of memory
    /// How many times the amplitude that it has in a field of one equation a source has in each field.
    /// \param arrays those of its node. Null: 1 in the first field, 0 in others.
    double (*source_factor)(std::size_t field, const double* arrays, int dimensions) = nullptr;
    /// The share of the second field in what receivers and snapshots see: p + share (q - p). Null: 0.
    double (*share_of_second)(int dimensions) = nullptr;
    /// The same equation with a third field beside two stresses, k times a strain, which gradients take
    /// (kernels/imaging/correlation.hpp). Null: they take what there is, or there are none.
    const EquationRow* of_gradients = nullptr;
};

/// An equation: a handle on its row, which is compared and copied like a value.
class Equation {
public:
    constexpr Equation(const EquationRow& row) : row_(&row) {}  // NOLINT: a row stands for its equation
    constexpr const EquationRow* operator->() const { return row_; }
    constexpr const EquationRow& operator*() const { return *row_; }
    constexpr bool operator==(const Equation&) const = default;

    static const Equation star;              ///< vp^2 lap p from neighbours on the axes, orders 2 … 16
    static const Equation compact;           ///< vp^2 lap p from the 26 (in 2-D 8) nearest nodes, order 2
    static const Equation variable_density;  ///< rho vp^2 div(1/rho grad p), staggered half-steps, orders 2 … 16
    /// The star in a medium that absorbs, with one memory field, and with two for mechanisms that 2-D has no classes
    /// for (kernels/equations/attenuation/relaxation.hpp); and variable density likewise.
    static const Equation attenuation, attenuation_of_two, attenuation_density, attenuation_density_of_two;
    /// Both where they absorb without memory, exactly at one frequency: kernels/equations/attenuation/drag.hpp.
    static const Equation drag, drag_density;
    static const Equation vti;  ///< vertical transverse isotropy, two fields: kernels/equations/vti/vti.hpp
    static const Equation vti_of_gradients;  ///< the same with the horizontal strain as a third field
    static const Equation tti;               ///< VTI about a tilted axis: kernels/equations/tti/tti.hpp

private:
    const EquationRow* row_;
};

extern const EquationRow kStarEquation, kCompactEquation, kDensityEquation, kAttenuationEquation,
    kAttenuationOfTwoEquation, kAttenuationDensityEquation, kAttenuationDensityOfTwoEquation, kDragEquation,
    kDragDensityEquation, kVtiEquation, kVtiOfGradientsEquation, kTtiEquation;
/// How layers take the star and variable density apart, for further equations whose spatial operator is k times either.
extern const FactorRow kStarFactor, kDensityFactor;
inline constexpr Equation Equation::star{kStarEquation};
inline constexpr Equation Equation::compact{kCompactEquation};
inline constexpr Equation Equation::variable_density{kDensityEquation};
inline constexpr Equation Equation::attenuation{kAttenuationEquation};
inline constexpr Equation Equation::attenuation_of_two{kAttenuationOfTwoEquation};
inline constexpr Equation Equation::attenuation_density{kAttenuationDensityEquation};
inline constexpr Equation Equation::attenuation_density_of_two{kAttenuationDensityOfTwoEquation};
inline constexpr Equation Equation::drag{kDragEquation};
inline constexpr Equation Equation::drag_density{kDragDensityEquation};
inline constexpr Equation Equation::vti{kVtiEquation};
inline constexpr Equation Equation::vti_of_gradients{kVtiOfGradientsEquation};
inline constexpr Equation Equation::tti{kTtiEquation};

/// The equations that users can choose. equations.cpp defines nothing else, so that a test can link a list of its own
/// in its place.
std::span<const Equation> equations();

/// Whether a parameter of this name is among those of an equation.
bool has_parameter(const Equation& equation, std::string_view name);

/// The arrays g of an equation that absorbs, the last of all: one for each memory field, or that of drag.
inline std::size_t strengths_of(const EquationRow& equation) {
    if (!has_parameter(equation, "q")) return 0;
    return equation.memory.empty() ? 1 : equation.memory.size();
}

inline std::string_view name(const Equation& equation) {
    return equation->name;
}

}  // namespace onda
