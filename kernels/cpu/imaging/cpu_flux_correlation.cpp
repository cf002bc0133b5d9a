#include "kernels/cpu/imaging/cpu_flux_correlation.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/cpu/buffer.hpp"
#include "kernels/cpu/cpu.hpp"
#include "kernels/cpu/fields/cpu_fields.hpp"
#include "kernels/cpu/imaging/flux_rows.hpp"
#include "kernels/cpu/imaging/layer_rows.hpp"
#include "kernels/cpu/imaging/node_rows.hpp"
#include "kernels/cpu/imaging/state_arrays.hpp"
#include "kernels/cpu/memory.hpp"

namespace onda::cpu {
namespace {

std::string correlation_row(const char* name, int axis) {
    return std::string("imaging.flux_") + name + "_" + "xyz"[axis];
}

template <typename T>
class CpuFluxCorrelation final : public FluxCorrelation {
public:
    CpuFluxCorrelation(const Setup& setup, int shots, std::int64_t slots)
        : CpuFluxCorrelation(setup, shots, flux_correlation_allocations(setup, shots, slots)) {}

    void reset() override {
        for (std::size_t i = 0; i < axes_.size(); ++i)
            for (Shot& shot : shots_) {
                clear_values(setup_, shot.of_axis[i].image.data(), axes_[i].rows.flux().points());
                clear_values(setup_, shot.of_axis[i].memory.data(), axes_[i].layers.memory());
            }
    }
    void keep(FieldSet& forward, std::int64_t slot) override {
        const auto& fields = dynamic_cast<const CpuFields<T>&>(forward);
        for_node_rows<T>(setup_, shots_.size(), {taken_.box()},
                         [&](std::size_t s, std::size_t, std::int64_t y, std::int64_t z) {
                             T* const kept = shots_[s].kept.data() + slot * taken_.points();
                             taken_.copy_row(fields.of(static_cast<int>(s)), y, z, kept);
                         });
    }
    void meet(FieldSet& adjoint, std::int64_t slot) override {
        const auto& fields = dynamic_cast<const CpuFields<T>&>(adjoint);
        for (std::size_t i = 0; i < axes_.size(); ++i)
            for_node_rows<T>(
                setup_, shots_.size(), slot < 0 ? axes_[i].layers.layer_parts() : axes_[i].layers.all_parts(),
                [&](std::size_t s, std::size_t part, std::int64_t y, std::int64_t z) {
                    meet_row(axes_[i], latest_level(fields.of(static_cast<int>(s))), part, y, z,
                             slot < 0 ? nullptr : shots_[s].kept.data() + slot * taken_.points(), shots_[s].of_axis[i]);
                });
    }
    [[nodiscard]] bool remembers() const override {
        return std::ranges::any_of(axes_, [](const Axis& axis) { return axis.layers.memory() > 0; });
    }
    void download(int axis, std::span<double> image, int shot) const override {
        for (std::size_t i = 0; i < axes_.size(); ++i) {
            if (axes_[i].rows.flux().axis != axis) continue;
            const T* const from = shots_.at(static_cast<std::size_t>(shot)).of_axis[i].image.data();
            std::copy_n(from, std::min<std::int64_t>(axes_[i].rows.flux().points(), std::ssize(image)), image.begin());
            return;
        }
        throw std::logic_error("an axis without fluxes");
    }
    [[nodiscard]] std::int64_t allocated_bytes() const override {
        std::int64_t bytes = 0;
        for (const Shot& shot : shots_) {
            bytes += shot.kept.bytes();
            for (const OfAxis& axis : shot.of_axis) bytes += axis.image.bytes() + axis.memory.bytes();
        }
        return bytes;
    }
    [[nodiscard]] std::vector<StatePart> state_parts() const override { return state_of(0).parts(); }
    void read_state(int shot, const StatePart& part, const StateVisitor& take) const override {
        state_of(shot).visit(part, take);
    }
    void write_state(int shot, const StatePart& part, const StateVisitor& fill) override {
        state_of(shot).visit(part, fill);
    }

private:
    struct Axis {
        FluxRows<T> rows;
        LayerRows<T> layers;
    };
    struct OfAxis {
        Buffer<T> image, memory;
    };
    struct Shot {
        Buffer<T> kept;               ///< [slot][taken node]
        std::vector<OfAxis> of_axis;  ///< as axes_
    };

    CpuFluxCorrelation(const Setup& setup, int shots, const Allocations& planned)
        : setup_(setup), taken_(setup, HalfNodes::owned) {
        for (FluxRows<T>& rows : flux_rows<T>(setup, HalfNodes::owned)) {
            LayerRows<T> layers(adjoint_flux_boxes(setup, rows.flux()));
            axes_.push_back({std::move(rows), std::move(layers)});
        }
        for (int i = 0; i < shots; ++i) {
            Shot& shot = shots_.emplace_back(Shot{Buffer<T>(planned.of("imaging.kept_pressure")), {}});
            for (const Axis& axis : axes_)
                shot.of_axis.push_back({Buffer<T>(planned.of(correlation_row("image", axis.rows.flux().axis))),
                                        Buffer<T>(planned.of(correlation_row("layers", axis.rows.flux().axis)))});
        }
        CpuFluxCorrelation::reset();
    }

    [[nodiscard]] StateArrays<T> state_of(int shot) const {
        StateArrays<T> arrays;
        for (std::size_t i = 0; i < axes_.size(); ++i) {
            const OfAxis& of = shots_.at(static_cast<std::size_t>(shot)).of_axis[i];
            const FluxAxis& flux = axes_[i].rows.flux();
            arrays.add(flux_part("image", flux.axis), flux.n, of.image.data());
            arrays.add(flux_part("layers", flux.axis), {axes_[i].layers.memory(), 1, 1}, of.memory.data());
        }
        return arrays;
    }
    void meet_row(const Axis& axis, const Volume<T>& nu, std::size_t part, std::int64_t y, std::int64_t z,
                  const T* kept, OfAxis& to) const {
        thread_local std::vector<T> adjoint, forward;
        const Box& box = axis.layers.all_parts()[part];
        const std::int64_t low = box.low[0], high = box.high[0];
        adjoint.resize(static_cast<std::size_t>(high - low));
        axis.rows.derivative(nu, low, high, y, z, adjoint.data());
        if (axis.layers.is_layer(part)) axis.layers.apply(part, y, z, adjoint.data(), to.memory.data());
        if (!kept) return;
        forward.resize(adjoint.size());
        axis.rows.derivative(taken_.volume(kept), low, high, y, z, forward.data());
        T* const image = to.image.data() + axis.rows.flux().at(low, y, z);
        for (std::size_t i = 0; i < adjoint.size(); ++i) image[i] = image[i] + adjoint[i] * forward[i];
    }

    const Setup& setup_;
    TakenNodes taken_;
    std::vector<Axis> axes_;
    std::vector<Shot> shots_;
};

}  // namespace

Allocations flux_correlation_allocations(const Setup& setup, int shots, std::int64_t slots) {
    const std::int64_t points = TakenNodes(setup, HalfNodes::owned).points(), bytes = setup.element_bytes();
    Allocations list;
    list.add(paged("imaging.kept_pressure", Owner::wavefield, slots * points, bytes, shots));
    for (const FluxAxis& flux : flux_axes(setup, HalfNodes::owned)) {
        list.add(paged(correlation_row("image", flux.axis), Owner::wavefield, flux.points(), bytes, shots));
        list.add(paged(correlation_row("layers", flux.axis), Owner::wavefield, adjoint_flux_boxes(setup, flux).memory,
                       bytes, shots));
    }
    return list;
}

template <typename T>
std::unique_ptr<FluxCorrelation> make_flux_correlation(const Setup& setup, int shots, std::int64_t slots) {
    return std::make_unique<CpuFluxCorrelation<T>>(setup, shots, slots);
}

template std::unique_ptr<FluxCorrelation> make_flux_correlation<float>(const Setup&, int, std::int64_t);
template std::unique_ptr<FluxCorrelation> make_flux_correlation<double>(const Setup&, int, std::int64_t);

}  // namespace onda::cpu
