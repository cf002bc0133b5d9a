// The perfectly matched layers of one shot, for the kernel `reference`: face by face, with memory of its own layout.
#include "kernels/cpu/strips/cpml_reference.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "kernels/boundaries/cpml.hpp"
#include "kernels/cpu/buffer.hpp"
#include "kernels/cpu/strips/strip.hpp"
#include "kernels/plan/state_parts.hpp"

namespace onda::cpu {
namespace {

template <typename T>
class CpmlReference final : public StripSteps<T> {
public:
    CpmlReference(const Cpml& layers, const StripPlace<T>& place)
        : layers_(layers),
          grid_(place.setup.grid),
          equation_(place.setup.scheme.equation),
          memory_(place.row("cpml.memory")) {
        const Scheme& scheme = place.setup.scheme;
        const FactorReach reach = factor_reach(scheme);
        const FactorKind kind = factor_kind(scheme, grid_.dimensions);
        smoothing_ = cpml_smoothing<T>(scheme, grid_.dimensions);
        T* memory = memory_.data();
        for (int face = 0; face < 6; ++face) {
            const int axis = face / 2;
            if (face % 2 == 0) h_[axis] = cpml_weights<T>(scheme, spacing_in(place.turn) * grid_.spacing_m[axis]);
            ReferenceLayer<T>& layer = faces_[face];
            static_cast<Arrays<T>&>(layer) = place.arrays;
            layer.axis = axis;
            layer.dimensions = grid_.dimensions;
            layer.width = static_cast<int>(layers.face[face].width());
            layer.high = face % 2 == 1;
            layer.first = reach.first;
            layer.count = reach.count;
            layer.h = h_[axis].data();
            layer.has_density = kind == FactorKind::density;
            layer.is_smoothed = kind == FactorKind::compact_2d || kind == FactorKind::compact_3d;
            layer.smoothing = smoothing_.data();
            profiles_[face] = cpml_profile<T>(layers.face[face]);
            layer.a_psi = profiles_[face].data();
            layer.b_psi = layer.a_psi + layer.width;
            layer.a_zeta = layer.b_psi + layer.width;
            layer.b_zeta = layer.a_zeta + layer.width;
            layer.psi = memory;
            layer.zeta = memory + values(layers, grid_, face);
            memory = layer.zeta + values(layers, grid_, face);
        }
        const InstructionSet& isa = place.isa;
        add_layer_ = with_isa(isa, []<typename Isa>() { return &add_reference_layer<Isa, T>; });
    }

    static void add_rows(Allocations& list, const Cpml& layers, const Setup& setup, int, int shots) {
        const auto fields = static_cast<std::int64_t>(fields_of_layers(setup.scheme.equation));
        list.add(paged("cpml.memory", Owner::wavefield, fields * all_values(layers, setup.grid), sizeof(T), shots));
    }
    [[nodiscard]] std::int64_t bytes() const override { return memory_.bytes(); }
    void set_threads(int threads) override {
        for (ReferenceLayer<T>& layer : faces_) layer.threads = threads;
    }
    void reset() override { std::fill_n(memory_.data(), memory_.bytes() / sizeof(T), T(0)); }

    void apply(std::span<const FieldLevels<T>> fields) override {
        if (fields_of_layers(equation_) < fields.size()) return apply_coupled(fields);
        for (std::size_t field = 0; field < fields.size(); ++field)
            for (ReferenceLayer<T> layer : faces_) {
                if (layer.width == 0) continue;
                layer.p = fields[field].p;
                layer.q = fields[field].q;
                layer.psi += before(field);
                layer.zeta += before(field);
                add_layer_(layer);
            }
    }

    void for_state(const typename StripSteps<T>::StateBody& body) const override {
        for (int face = 0; face < 6; ++face) {
            const ReferenceLayer<T>& layer = faces_[face];
            if (layer.width == 0) continue;
            const auto n = strip_grid(grid_, face, layer.width).n;
            const std::array<std::int64_t, 3> strides{1, n[0], n[0] * n[1]};
            for (std::size_t field = 0; field < fields_of_layers(equation_); ++field) {
                const auto part = [&](std::string_view variable) {
                    return strip_state(layers_, grid_, face, layer.width,
                                       variable_of_field(*equation_, field, variable), sizeof(T));
                };
                body(part("psi"), layer.psi + before(field), strides);
                body(part("zeta"), layer.zeta + before(field), strides);
            }
        }
    }

private:
    void apply_coupled(std::span<const FieldLevels<T>> fields) {
        for (ReferenceLayer<T> layer : faces_) {
            if (layer.width == 0) continue;
            const LayerCoupling& coupling = equation_->factor->couplings[static_cast<std::size_t>(layer.axis)];
            const std::size_t own = coupling.field, other = 1 - own;
            const auto multiplier = [&](std::size_t field) -> const T* {
                const auto& arrays = equation_->arrays;
                for (std::size_t i = 0; i < arrays.size(); ++i)
                    if (arrays[i].name == coupling.multiplier[field]) return layer.medium[i].at;
                return nullptr;
            };
            layer.p = fields[own].p;
            layer.q = fields[own].q;
            layer.also = fields[other].q;
            layer.own = multiplier(own);
            layer.other = multiplier(other);
            layer.third = coupling.with_third ? fields[2].q : nullptr;
            add_layer_(layer);
        }
    }
    /// The values of all faces of the fields before this one.
    [[nodiscard]] std::int64_t before(std::size_t field) const {
        return static_cast<std::int64_t>(field) * all_values(layers_, grid_);
    }
    /// Number of values of psi of a face; zeta has as many.
    static std::int64_t values(const Cpml& layers, const Grid& grid, int face) {
        const std::int64_t width = layers.face[face].width();
        return width == 0 ? 0 : strip_grid(grid, face, width).points();
    }
    static std::int64_t all_values(const Cpml& layers, const Grid& grid) {
        std::int64_t all = 0;
        for (int face = 0; face < 6; ++face) all += 2 * values(layers, grid, face);
        return all;
    }

    const Cpml& layers_;
    const Grid& grid_;
    Equation equation_;
    Buffer<T> memory_;
    std::array<std::vector<T>, 3> h_;
    std::array<T, 3> smoothing_;
    std::array<std::vector<T>, 6> profiles_;
    std::array<ReferenceLayer<T>, 6> faces_;
    void (*add_layer_)(const ReferenceLayer<T>&);
};

}  // namespace

constinit const StripRow kCpmlReference = strip_row<Cpml, CpmlReference>();

}  // namespace onda::cpu
