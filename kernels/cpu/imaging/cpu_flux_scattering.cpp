#include "kernels/cpu/imaging/cpu_flux_scattering.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/cpu/buffer.hpp"
#include "kernels/cpu/cpu.hpp"
#include "kernels/cpu/fields/cpu_fields.hpp"
#include "kernels/cpu/imaging/flux_rows.hpp"
#include "kernels/cpu/imaging/layer_rows.hpp"
#include "kernels/cpu/imaging/node_rows.hpp"
#include "kernels/cpu/memory.hpp"

namespace onda::cpu {
namespace {

std::string scattering_row(const char* name, int axis) {
    return std::string("scattering.flux_") + name + "_" + "xyz"[axis];
}

/// The half nodes of the axis that has most.
std::int64_t most_half_nodes(const Problem& problem) {
    std::int64_t most = 0;
    for (const FluxAxis& flux : flux_axes(problem, HalfNodes::reached)) most = std::max(most, flux.points());
    return most;
}

template <typename T>
class CpuFluxScattering final : public FluxScattering {
public:
    CpuFluxScattering(const Setup& setup, int shots)
        : CpuFluxScattering(setup, shots, flux_scattering_allocations(setup, shots)) {}

    void set_perturbation(const FluxPerturbation& perturbation) override {
        take(perturbation.k, k_);
        for (Axis& axis : axes_)
            take(perturbation.buoyancy[static_cast<std::size_t>(axis.rows.flux().axis)], axis.buoyancy);
    }
    void reset() override {
        for (Shot& shot : shots_) clear_values(setup_, shot.pressure.data(), taken_.points());
        for (std::size_t i = 0; i < axes_.size(); ++i)
            for (Shot& shot : shots_) {
                clear_values(setup_, shot.of_axis[i].of_halves.data(), axes_[i].halves.memory());
                clear_values(setup_, shot.of_axis[i].of_nodes.data(), axes_[i].nodes.memory());
            }
    }
    void scatter(FieldSet& background, FieldSet& scattered) override {
        const auto& from = dynamic_cast<const CpuFields<T>&>(background);
        auto& to = dynamic_cast<CpuFields<T>&>(scattered);
        for (std::size_t i = 0; i < axes_.size(); ++i) {
            const Axis& axis = axes_[i];
            for_node_rows<T>(setup_, shots_.size(), axis.halves.all_parts(),
                             [&](std::size_t s, std::size_t part, std::int64_t y, std::int64_t z) {
                                 flux_row(axis, part, y, z, shots_[s], shots_[s].of_axis[i]);
                             });
            for_node_rows<T>(setup_, shots_.size(), axis.nodes.all_parts(),
                             [&](std::size_t s, std::size_t part, std::int64_t y, std::int64_t z) {
                                 ShotFields<T>& of_shot = to.of(static_cast<int>(s));
                                 add_row(axis, part, y, z, shots_[s], shots_[s].of_axis[i],
                                         of_shot.before().data() + of_shot.layout().at(0, y, z));
                             });
        }
        for_node_rows<T>(setup_, shots_.size(), {taken_.box()},
                         [&](std::size_t s, std::size_t, std::int64_t y, std::int64_t z) {
                             taken_.copy_row(from.of(static_cast<int>(s)), y, z, shots_[s].pressure.data());
                         });
    }
    [[nodiscard]] std::int64_t allocated_bytes() const override {
        std::int64_t bytes = k_.bytes();
        for (const Axis& axis : axes_) bytes += axis.buoyancy.bytes();
        for (const Shot& shot : shots_) {
            bytes += shot.pressure.bytes() + shot.flux.bytes();
            for (const OfAxis& axis : shot.of_axis) bytes += axis.of_halves.bytes() + axis.of_nodes.bytes();
        }
        return bytes;
    }

private:
    struct Axis {
        FluxRows<T> rows;
        LayerRows<T> halves, nodes;
        Buffer<T> buoyancy;  ///< db
    };
    struct OfAxis {
        Buffer<T> of_halves, of_nodes;  ///< what layers remember
    };
    struct Shot {
        Buffer<T> pressure, flux;  ///< p[n] of the background from a step ago, and db (1 + Psi) D p of the axis in turn
        std::vector<OfAxis> of_axis;
    };

    CpuFluxScattering(const Setup& setup, int shots, const Allocations& planned)
        : setup_(setup), taken_(setup, HalfNodes::reached), k_(planned.of("scattering.k")) {
        for (FluxRows<T>& rows : flux_rows<T>(setup, HalfNodes::reached)) {
            const FluxAxis& flux = rows.flux();
            LayerRows<T> halves(stretched_flux_boxes(setup, flux)), nodes(stretched_node_boxes(setup, flux.axis));
            Buffer<T> buoyancy(planned.of(scattering_row("buoyancy", flux.axis)));
            clear_values(setup, buoyancy.data(), flux.points());
            axes_.push_back({std::move(rows), std::move(halves), std::move(nodes), std::move(buoyancy)});
        }
        clear_values(setup, k_.data(), setup.grid.points());
        for (int i = 0; i < shots; ++i) {
            Shot& shot = shots_.emplace_back(
                Shot{Buffer<T>(planned.of("scattering.flux_pressure")), Buffer<T>(planned.of("scattering.flux")), {}});
            for (const Axis& axis : axes_)
                shot.of_axis.push_back({Buffer<T>(planned.of(scattering_row("halves", axis.rows.flux().axis))),
                                        Buffer<T>(planned.of(scattering_row("nodes", axis.rows.flux().axis)))});
        }
        CpuFluxScattering::reset();
    }

    static void take(std::span<const double> values, Buffer<T>& to) {
        std::ranges::transform(values, to.data(), [](double value) { return static_cast<T>(value); });
    }
    void flux_row(const Axis& axis, std::size_t part, std::int64_t y, std::int64_t z, Shot& shot,
                  OfAxis& memory) const {
        const Box& box = axis.halves.all_parts()[part];
        const std::int64_t low = box.low[0], high = box.high[0], first = axis.rows.flux().at(low, y, z);
        T* const flux = shot.flux.data() + first;
        axis.rows.derivative(taken_.volume(shot.pressure.data()), low, high, y, z, flux);
        if (axis.halves.is_layer(part)) axis.halves.apply(part, y, z, flux, memory.of_halves.data());
        const T* const buoyancy = axis.buoyancy.data() + first;
        for (std::int64_t i = 0; i < high - low; ++i) flux[i] = buoyancy[i] * flux[i];
    }
    void add_row(const Axis& axis, std::size_t part, std::int64_t y, std::int64_t z, const Shot& shot, OfAxis& memory,
                 T* before) const {
        thread_local std::vector<T> sum;
        const Box& box = axis.nodes.all_parts()[part];
        const std::int64_t low = box.low[0], high = box.high[0];
        sum.resize(static_cast<std::size_t>(high - low));
        axis.rows.transpose(compact_volume<T>(shot.flux.data(), axis.rows.flux().n), low, high, y, z, sum.data());
        if (axis.nodes.is_layer(part)) axis.nodes.apply(part, y, z, sum.data(), memory.of_nodes.data());
        const T* const k = k_.data() + setup_.grid.at(low, y, z);
        for (std::int64_t i = 0; i < high - low; ++i)
            before[low + i] = before[low + i] + k[i] * sum[static_cast<std::size_t>(i)];
    }

    const Setup& setup_;
    TakenNodes taken_;
    Buffer<T> k_;
    std::vector<Axis> axes_;
    std::vector<Shot> shots_;
};

}  // namespace

Allocations flux_scattering_allocations(const Setup& setup, int shots) {
    const std::int64_t points = setup.grid.points(), bytes = setup.element_bytes();
    Allocations list;
    list.add(paged("scattering.k", Owner::wavefield, points, bytes));
    list.add(paged("scattering.flux_pressure", Owner::wavefield, TakenNodes(setup, HalfNodes::reached).points(), bytes,
                   shots));
    list.add(paged("scattering.flux", Owner::wavefield, most_half_nodes(setup), bytes, shots));
    for (const FluxAxis& flux : flux_axes(setup, HalfNodes::reached)) {
        list.add(paged(scattering_row("buoyancy", flux.axis), Owner::wavefield, flux.points(), bytes));
        list.add(paged(scattering_row("halves", flux.axis), Owner::wavefield, stretched_flux_boxes(setup, flux).memory,
                       bytes, shots));
        list.add(paged(scattering_row("nodes", flux.axis), Owner::wavefield,
                       stretched_node_boxes(setup, flux.axis).memory, bytes, shots));
    }
    return list;
}

template <typename T>
std::unique_ptr<FluxScattering> make_flux_scattering(const Setup& setup, int shots) {
    return std::make_unique<CpuFluxScattering<T>>(setup, shots);
}

template std::unique_ptr<FluxScattering> make_flux_scattering<float>(const Setup&, int);
template std::unique_ptr<FluxScattering> make_flux_scattering<double>(const Setup&, int);

}  // namespace onda::cpu
