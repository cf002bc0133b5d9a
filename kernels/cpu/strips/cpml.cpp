// The perfectly matched layers of one shot: their memory variables, and the call of the strip kernel.
#include "kernels/boundaries/cpml.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "kernels/cpu/buffer.hpp"
#include "kernels/cpu/strips/cpml_kernel.hpp"
#include "kernels/cpu/strips/cpml_reference.hpp"
#include "kernels/cpu/strips/strip.hpp"
#include "kernels/plan/state_parts.hpp"

namespace onda::cpu {
namespace {

template <typename T>
class CpmlLayers final : public StripSteps<T> {
public:
    CpmlLayers(const Cpml& layers, const StripPlace<T>& place)
        : layers_(layers),
          grid_(place.setup.grid),
          equation_(place.setup.scheme.equation),
          couplings_(place.setup.scheme.equation->factor->couplings),
          field_elements_(elements(layers, grid_)),
          memory_(place.row("cpml.memory")),
          scratch_(place.row("cpml.scratch")),
          done_(place.row("cpml.done")) {
        static_cast<Arrays<T>&>(arguments_) = place.arrays;
        const Setup& setup = place.setup;
        const Scheme& scheme = setup.scheme;
        arguments_.kind = factor_kind(scheme, setup.grid.dimensions);
        arguments_.dimensions = setup.grid.dimensions;
        arguments_.radius = scheme.radius();
        for (int axis = 0; axis < 3; ++axis)
            std::ranges::copy(cpml_weights<T>(scheme, spacing_in(place.turn) * setup.grid.spacing_m[axis]),
                              arguments_.factor[axis]);
        std::ranges::copy(cpml_smoothing<T>(scheme, setup.grid.dimensions), arguments_.smoothing);
        arguments_.scratch_size = scratch_size(layers, scheme);
        arguments_.scratch = scratch_.data();
        unsigned char* done = done_.data();
        for (const int face : {2, 3, 4, 5}) {
            arguments_.done[face] = done;
            done += parts_of(grid_, face);
        }
        T* from = memory_.data();
        for (int face = 0; face < 6; ++face) {
            const CpmlFace& layer = layers.face[face];
            if (layer.width() == 0) continue;
            profiles_[face] = profile_of(face, layer);
            CpmlStrip<T>& strip = arguments_.strips[face];
            strip.width = static_cast<int>(layer.width());
            lay_out(strip, face, from);
            strip.profile = profiles_[face].data();
            from += elements(layers, grid_, face);
        }
        functions_ = with_isa(place.isa, [this]<typename Isa>() { return cpml_functions<Isa>(arguments_); });
    }

    [[nodiscard]] std::int64_t bytes() const override { return memory_.bytes() + scratch_.bytes() + done_.bytes(); }
    static void add_rows(Allocations& list, const Cpml& layers, const Setup& setup, int threads, int shots) {
        const auto fields = static_cast<std::int64_t>(fields_of_layers(setup.scheme.equation));
        list.add(paged("cpml.memory", Owner::wavefield, fields * elements(layers, setup.grid), sizeof(T), shots));
        list.add(
            paged("cpml.scratch", Owner::wavefield, scratch_size(layers, setup.scheme) * threads, sizeof(T), shots));
        std::int64_t parts = 0;
        for (const int face : {2, 3, 4, 5}) parts += parts_of(setup.grid, face);
        list.add(table("cpml.done", Owner::wavefield, parts, 1, shots));
    }

    void set_threads(int threads) override { arguments_.threads = threads; }

    void reset() override {
        forget_done();
        const std::int64_t size = memory_.bytes() / static_cast<std::int64_t>(sizeof(T));
        constexpr std::int64_t piece = 1 << 16;
#pragma omp parallel for num_threads(arguments_.threads) schedule(static)
        for (std::int64_t first = 0; first < size; first += piece)
            std::fill_n(memory_.data() + first, std::min(piece, size - first), T(0));
    }

    void for_state(const typename StripSteps<T>::StateBody& body) const override {
        for (int face = 0; face < 6; ++face) {
            const CpmlStrip<T>& strip = arguments_.strips[face];
            if (strip.width == 0) continue;
            const std::int64_t first = face == 0 ? strip.width - 1 : 0;
            const std::array<std::int64_t, 3> strides{face == 0 ? -1 : 1, strip.pitch, strip.plane};
            for (std::size_t field = 0; field < fields_of_layers(equation_); ++field) {
                const auto part = [&](std::string_view variable) {
                    return strip_state(layers_, grid_, face, strip.width,
                                       variable_of_field(*equation_, field, variable), sizeof(T));
                };
                const std::int64_t of_field = static_cast<std::int64_t>(field) * field_elements_ + first;
                body(part("psi"), strip.psi + of_field, strides);
                body(part("zeta"), strip.zeta + of_field, strides);
            }
        }
    }
    void apply(std::span<const FieldLevels<T>> fields) override {
        if (!couplings_.empty()) return apply_coupled(fields);
        for (const FieldLevels<T>& field : fields) {
            take(field);
            functions_.step(arguments_);
            forget_done();
            move_memory(field_elements_);
        }
        move_memory(-std::ssize(fields) * field_elements_);
    }
    [[nodiscard]] RowFollower follower(std::span<const FieldLevels<T>> fields) override {
        take(fields.front());
        arguments_.x_done = true;
        return {functions_.follow, &arguments_};
    }

private:
    /// The layers across each axis, those that remember one field alone.
    void apply_coupled(std::span<const FieldLevels<T>> fields) {
        const auto all = std::to_array(arguments_.strips);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const LayerCoupling& coupling = couplings_[axis];
            const std::size_t own = coupling.field, other = 1 - own;
            for (std::size_t face = 0; face < 6; ++face)
                arguments_.strips[face] = face / 2 == axis ? all[face] : CpmlStrip<T>{};
            take(fields[own]);
            arguments_.shared = {fields[other].q, multiplier(coupling.multiplier[own]),
                                 multiplier(coupling.multiplier[other]), coupling.with_third ? fields[2].q : nullptr};
            functions_.step(arguments_);
        }
        std::ranges::copy(all, arguments_.strips);
        forget_done();
    }
    /// An array of the medium by its name; null without one.
    [[nodiscard]] const T* multiplier(std::string_view name) const {
        const auto& arrays = equation_->arrays;
        const auto array = std::ranges::find(arrays, name, &MediumArray::name);
        return array == arrays.end() ? nullptr : arguments_.medium[array - arrays.begin()].at;
    }
    /// Forgets which nodes of a step are done: it is over, or was abandoned.
    void forget_done() {
        arguments_.x_done = false;
        std::fill_n(done_.data(), done_.size(), false);
    }
    /// Moves the pointers of all strips from the memory variables of a field to those of another.
    void move_memory(std::int64_t elements) {
        for (CpmlStrip<T>& strip : arguments_.strips) {
            if (strip.width == 0) continue;
            strip.psi += elements;
            strip.zeta += elements;
        }
    }
    void take(const FieldLevels<T>& field) {
        arguments_.p = field.p;
        arguments_.q = field.q;
    }
    /// The planes that a strip across y is cut into while it follows a step, or the rows of one across z.
    static std::int64_t parts_of(const Grid& grid, int face) {
        return face < 4 ? grid.nz() : grid.ny();
    }
    /// The profile in the order of the memory variables: across x along x at both faces.
    static std::vector<T> profile_of(int face, const CpmlFace& layer) {
        const std::int64_t width = layer.width(), length = row_length(face, width);
        std::vector<T> profile = cpml_profile<T>(layer, length);
        if (face == 0)
            for (auto part = profile.begin(); part != profile.end(); part += length) std::reverse(part, part + width);
        return profile;
    }
    static Layout box_of(const Grid& grid, int face, std::int64_t width) {
        return {strip_grid(grid, face, width), {0, 0, 0}, sizeof(T)};
    }
    /// Across x rows of psi and zeta are whole vectors; across the other axes theirs is the layout of a field.
    static std::int64_t row_length(int face, std::int64_t width) {
        return face < 2 ? cpml_padded(static_cast<int>(width)) : width;
    }
    /// psi and zeta of a face. Across x the rows of both alternate: they are a few nodes long.
    void lay_out(CpmlStrip<T>& strip, int face, T* memory) const {
        strip.psi = memory;
        if (face < 2) {
            const std::int64_t length = row_length(face, strip.width);
            strip.zeta = memory + length;
            strip.pitch = 2 * length;
            strip.plane = strip.pitch * grid_.ny();
        } else {
            const Layout box = box_of(grid_, face, strip.width);
            strip.zeta = memory + box.size;
            strip.pitch = box.pitch;
            strip.plane = box.plane;
        }
    }
    static std::int64_t elements(const Cpml& layers, const Grid& grid, int face) {
        const std::int64_t width = layers.face[face].width();
        if (width == 0) return 0;
        constexpr std::int64_t line = 128 / sizeof(T);
        if (face >= 2) return 2 * box_of(grid, face, width).size;
        return (2 * row_length(face, width) * grid.ny() * grid.nz() + line - 1) / line * line;
    }
    /// Elements of the memory variables of one field at all faces.
    static std::int64_t elements(const Cpml& layers, const Grid& grid) {
        std::int64_t all = 0;
        for (int face = 0; face < 6; ++face) all += elements(layers, grid, face);
        return all;
    }
    static std::int64_t scratch_size(const Cpml& layers, const Scheme& scheme) {
        std::int64_t width = 0;
        for (const CpmlFace& face : layers.face) width = std::max(width, face.width());
        // One thread's rows on pages of its own.
        return (cpml_scratch_size(width, scheme.radius()) + 1023) / 1024 * 1024;
    }

    const Cpml& layers_;
    const Grid& grid_;
    Equation equation_;
    std::span<const LayerCoupling> couplings_;
    std::int64_t field_elements_;  ///< of the memory variables of a field
    CpmlArguments<T> arguments_;
    CpmlFunctions<T> functions_;
    Buffer<T> memory_, scratch_;
    Table<unsigned char> done_;
    std::array<std::vector<T>, 6> profiles_;
};

}  // namespace
}  // namespace onda::cpu

namespace onda {

const cpu::StripRow& Cpml::on_cpu() const {
    static constexpr cpu::StripRow row = cpu::strip_row<Cpml, cpu::CpmlLayers>(&cpu::kCpmlReference);
    return row;
}

}  // namespace onda
