#include "kernels/cuda/imaging/cuda_flux_correlation.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "kernels/cuda/cuda.hpp"
#include "kernels/cuda/imaging/flux_memory.hpp"
#include "kernels/cuda/imaging/state_arrays.hpp"

namespace onda::cuda {
namespace {

std::string correlation_row(const char* name, int axis) {
    return std::string("imaging.flux_") + name + "_" + "xyz"[axis];
}

template <typename T>
class CudaFluxCorrelation final : public FluxCorrelation {
public:
    CudaFluxCorrelation(const Setup& setup, int shots, std::int64_t slots)
        : CudaFluxCorrelation(setup, shots, flux_correlation_allocations(setup, shots, slots)) {}
    ~CudaFluxCorrelation() override { scope_.enter_to_free(); }

    void reset() override {
        scope_.enter();
        follow(own_);
        for (const Axis& axis : axes_) {
            queue_zeros(axis.image, own_);
            queue_zeros(axis.parts.memory(), own_);
        }
    }
    void keep(FieldSet& forward, std::int64_t slot) override {
        scope_.enter();
        const auto& fields = dynamic_cast<const CudaFields<T>&>(forward);
        follow(fields.compute());
        keep_level(levels_of(fields), taken_.nodes, taken_.array(kept_at(slot)), fields.compute().get());
    }
    void meet(FieldSet& adjoint, std::int64_t slot) override {
        scope_.enter();
        const auto& fields = dynamic_cast<const CudaFields<T>&>(adjoint);
        follow(fields.compute());
        const ShotLevels<T> levels = levels_of(fields);
        const DeviceVolume<T> nu{levels.now, levels.pitch, levels.plane, levels.shot};
        const DeviceVolume<T> kept = slot < 0 ? DeviceVolume<T>{} : taken_.volume<T>(kept_at(slot));
        for (const Axis& axis : axes_)
            meet_fluxes(axis.parts.get(), axis.tables.get(), nu, kept, axis.extents.array(axis.image.data()),
                        fields.compute().get());
    }
    [[nodiscard]] bool remembers() const override {
        return std::ranges::any_of(axes_, [](const Axis& axis) { return axis.parts.memory().size() > 0; });
    }
    void download(int axis, std::span<double> image, int shot) const override {
        scope_.enter();
        last_->wait();
        const auto found = std::ranges::find(axes_, axis, &Axis::axis);
        if (found == axes_.end()) throw std::logic_error("an axis without fluxes");
        found->extents.download(found->image.data() + shot * found->extents.elements(), image);
    }
    [[nodiscard]] std::int64_t allocated_bytes() const override {
        std::int64_t bytes = kept_.bytes();
        for (const Axis& axis : axes_) bytes += axis.image.bytes() + axis.tables.bytes() + axis.parts.bytes();
        return bytes;
    }
    [[nodiscard]] std::vector<StatePart> state_parts() const override { return state_of(0).parts(); }
    void read_state(int shot, const StatePart& part, const StateVisitor& take) const override {
        scope_.enter();
        last_->wait();
        state_of(shot).read(part, take);
    }
    void write_state(int shot, const StatePart& part, const StateVisitor& fill) override {
        scope_.enter();
        last_->wait();
        state_of(shot).write(part, fill);
    }

private:
    struct Axis {
        int axis;
        ArrayExtents extents;
        FluxAxisOnDevice<T> tables;
        FluxPartsOnDevice<T> parts;
        DeviceBuffer<T> image;  ///< [shot][z][y][x]
    };

    CudaFluxCorrelation(const Setup& setup, int shots, const Allocations& planned)
        : setup_(setup),
          scope_(setup.ordinal),
          shots_(shots),
          taken_(setup, HalfNodes::owned),
          kept_(planned.of("imaging.kept_pressure")) {
        for (const FluxAxis& flux : flux_axes(setup, HalfNodes::owned))
            axes_.push_back({flux.axis,
                             extents_of(flux, setup),
                             {planned, correlation_row("tables", flux.axis), flux},
                             {planned, correlation_row("layers", flux.axis), adjoint_flux_boxes(setup, flux), shots},
                             DeviceBuffer<T>(planned.of(correlation_row("image", flux.axis)))});
        CudaFluxCorrelation::reset();
    }

    [[nodiscard]] StateArrays<T> state_of(int shot) const {
        StateArrays<T> arrays;
        for (const Axis& axis : axes_) {
            const DeviceBuffer<T>& memory = axis.parts.memory();
            const std::int64_t remembered = memory.size() / shots_;
            arrays.add(flux_part("image", axis.axis), axis.extents.n, axis.extents.pitch(),
                       axis.image.data() + shot * axis.extents.elements());
            arrays.add(flux_part("layers", axis.axis), {remembered, 1, 1}, remembered,
                       memory.data() + shot * remembered);
        }
        return arrays;
    }
    /// Lets what a stream is given from now on come after all that has been queued here.
    void follow(const Stream& stream) {
        if (last_ == &stream) return;
        done_.record(*last_);
        done_.hold(stream);
        last_ = &stream;
    }
    [[nodiscard]] T* kept_at(std::int64_t slot) const {
        return kept_.data() + slot * shots_ * taken_.extents.elements();
    }

    const Setup& setup_;
    DeviceScope scope_;
    int shots_;
    TakenNodes taken_;
    DeviceBuffer<T> kept_;  ///< [slot][shot][taken node]
    std::vector<Axis> axes_;
    Stream own_;  ///< for what belongs to no wavefield
    Event done_;  ///< what was queued before a stream took over
    /// The stream of the last operation; its wavefield lives until the images have been downloaded.
    const Stream* last_ = &own_;
};

template <typename T>
Allocations rows_of_correlation(const Setup& setup, int shots, std::int64_t slots) {
    const std::int64_t level = TakenNodes(setup, HalfNodes::owned).extents.elements();
    Allocations list;
    list.add(on_device("imaging.kept_pressure", Owner::wavefield, slots * shots * level, sizeof(T)));
    for (const FluxAxis& flux : flux_axes(setup, HalfNodes::owned)) {
        FluxAxisOnDevice<T>::add_rows(list, correlation_row("tables", flux.axis), flux);
        FluxPartsOnDevice<T>::add_rows(list, correlation_row("layers", flux.axis), adjoint_flux_boxes(setup, flux),
                                       shots);
        list.add(on_device(correlation_row("image", flux.axis), Owner::wavefield,
                           shots * extents_of(flux, setup).elements(), sizeof(T)));
    }
    return list;
}

}  // namespace

Allocations flux_correlation_allocations(const Setup& setup, int shots, std::int64_t slots) {
    return setup.precision == Precision::float64 ? rows_of_correlation<double>(setup, shots, slots)
                                                 : rows_of_correlation<float>(setup, shots, slots);
}

template <typename T>
std::unique_ptr<FluxCorrelation> make_flux_correlation(const Setup& setup, const CudaFields<T>& fields,
                                                       std::int64_t slots) {
    return std::make_unique<CudaFluxCorrelation<T>>(setup, fields.shots(), slots);
}

template std::unique_ptr<FluxCorrelation> make_flux_correlation(const Setup&, const CudaFields<float>&, std::int64_t);
template std::unique_ptr<FluxCorrelation> make_flux_correlation(const Setup&, const CudaFields<double>&, std::int64_t);

}  // namespace onda::cuda
