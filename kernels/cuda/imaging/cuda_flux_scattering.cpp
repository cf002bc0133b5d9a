#include "kernels/cuda/imaging/cuda_flux_scattering.hpp"

#include <algorithm>
#include <vector>

#include "kernels/cuda/cuda.hpp"
#include "kernels/cuda/imaging/between_fields.hpp"
#include "kernels/cuda/imaging/flux_memory.hpp"

namespace onda::cuda {
namespace {

std::string scattering_row(const char* name, int axis) {
    return std::string("scattering.flux_") + name + "_" + "xyz"[axis];
}

template <typename T>
class CudaFluxScattering final : public FluxScattering {
public:
    CudaFluxScattering(const Setup& setup, int shots)
        : CudaFluxScattering(setup, shots, flux_scattering_allocations(setup, shots)) {}
    ~CudaFluxScattering() override { scope_.enter_to_free(); }

    void set_perturbation(const FluxPerturbation& perturbation) override {
        scope_.enter();
        between_.wait();
        nodes_.upload(perturbation.k, k_);
        for (const Axis& axis : axes_)
            axis.extents.upload(perturbation.buoyancy[static_cast<std::size_t>(axis.axis)], axis.buoyancy);
    }
    void reset() override {
        scope_.enter();
        between_.beside_steps([&](const Stream& stream) {
            queue_zeros(pressure_, stream);
            for (const Axis& axis : axes_) {
                queue_zeros(axis.halves.memory(), stream);
                queue_zeros(axis.nodes.memory(), stream);
            }
        });
    }
    void scatter(FieldSet& background, FieldSet& scattered) override {
        scope_.enter();
        const auto queue = [&](const CudaFields<T>& from, const CudaFields<T>& to, cudaStream_t stream) {
            for (const Axis& axis : axes_) {
                make_fluxes(axis.halves.get(), axis.tables.get(), taken_.volume<T>(pressure_.data()),
                            axis.extents.array(axis.buoyancy.data()), axis.extents.array(flux_.data()), stream);
                add_fluxes(axis.nodes.get(), axis.tables.get(), axis.extents.template volume<T>(flux_.data()),
                           nodes_.array(k_.data()), levels_of(to), to.before(), stream);
            }
            keep_level(levels_of(from), taken_.nodes, taken_.array(pressure_.data()), stream);
        };
        between_.after_steps<T>(background, scattered, queue);
    }
    [[nodiscard]] std::int64_t allocated_bytes() const override {
        std::int64_t bytes = k_.bytes() + pressure_.bytes() + flux_.bytes();
        for (const Axis& axis : axes_)
            bytes += axis.tables.bytes() + axis.halves.bytes() + axis.nodes.bytes() + axis.buoyancy.bytes();
        return bytes;
    }

private:
    struct Axis {
        int axis;
        ArrayExtents extents;
        FluxAxisOnDevice<T> tables;
        FluxPartsOnDevice<T> halves, nodes;
        DeviceBuffer<T> buoyancy;  ///< db of a shot
    };

    CudaFluxScattering(const Setup& setup, int shots, const Allocations& planned)
        : setup_(setup),
          scope_(setup.ordinal),
          nodes_(extents_of(setup)),
          taken_(setup, HalfNodes::reached),
          k_(planned.of("scattering.k")),
          pressure_(planned.of("scattering.flux_pressure")),
          flux_(planned.of("scattering.flux")) {
        nodes_.upload(std::vector<double>(static_cast<std::size_t>(setup.grid.points())), k_);
        for (const FluxAxis& flux : flux_axes(setup, HalfNodes::reached)) {
            const int axis = flux.axis;
            axes_.push_back({axis,
                             extents_of(flux, setup),
                             {planned, scattering_row("tables", axis), flux},
                             {planned, scattering_row("halves", axis), stretched_flux_boxes(setup, flux), shots},
                             {planned, scattering_row("nodes", axis), stretched_node_boxes(setup, axis), shots},
                             DeviceBuffer<T>(planned.of(scattering_row("buoyancy", axis)))});
            axes_.back().extents.upload(std::vector<double>(static_cast<std::size_t>(flux.points())),
                                        axes_.back().buoyancy);
        }
        CudaFluxScattering::reset();
    }

    const Setup& setup_;
    DeviceScope scope_;
    ArrayExtents nodes_;
    TakenNodes taken_;
    DeviceBuffer<T> k_;         ///< of a shot
    DeviceBuffer<T> pressure_;  ///< [shot][taken node]: p[n] of the background from a step ago
    DeviceBuffer<T> flux_;      ///< [shot][z][y][x]: of the axis in turn
    std::vector<Axis> axes_;
    BetweenFields between_;
};

template <typename T>
Allocations rows_of_scattering(const Setup& setup, int shots) {
    std::int64_t most = 0;
    for (const FluxAxis& flux : flux_axes(setup, HalfNodes::reached))
        most = std::max(most, extents_of(flux, setup).elements());
    Allocations list;
    const auto add = [&list](const std::string& name, std::int64_t elements) {
        list.add(on_device(name, Owner::wavefield, elements, sizeof(T)));
    };
    add("scattering.k", extents_of(setup).elements());
    add("scattering.flux_pressure", shots * TakenNodes(setup, HalfNodes::reached).extents.elements());
    add("scattering.flux", shots * most);
    for (const FluxAxis& flux : flux_axes(setup, HalfNodes::reached)) {
        FluxAxisOnDevice<T>::add_rows(list, scattering_row("tables", flux.axis), flux);
        FluxPartsOnDevice<T>::add_rows(list, scattering_row("halves", flux.axis), stretched_flux_boxes(setup, flux),
                                       shots);
        FluxPartsOnDevice<T>::add_rows(list, scattering_row("nodes", flux.axis), stretched_node_boxes(setup, flux.axis),
                                       shots);
        add(scattering_row("buoyancy", flux.axis), extents_of(flux, setup).elements());
    }
    return list;
}

}  // namespace

Allocations flux_scattering_allocations(const Setup& setup, int shots) {
    return setup.precision == Precision::float64 ? rows_of_scattering<double>(setup, shots)
                                                 : rows_of_scattering<float>(setup, shots);
}

template <typename T>
std::unique_ptr<FluxScattering> make_flux_scattering(const Setup& setup, const CudaFields<T>& fields) {
    return std::make_unique<CudaFluxScattering<T>>(setup, fields.shots());
}

template std::unique_ptr<FluxScattering> make_flux_scattering(const Setup&, const CudaFields<float>&);
template std::unique_ptr<FluxScattering> make_flux_scattering(const Setup&, const CudaFields<double>&);

}  // namespace onda::cuda
