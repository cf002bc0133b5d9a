#include "kernels/cuda/imaging/cuda_scattering.hpp"

#include <algorithm>
#include <vector>

#include "kernels/cuda/cuda.hpp"
#include "kernels/cuda/imaging/between_fields.hpp"
#include "kernels/cuda/imaging/node_layout.hpp"
#include "kernels/cuda/imaging/scattering.hpp"

namespace onda::cuda {
namespace {

template <typename T>
class CudaScattering final : public Scattering {
public:
    CudaScattering(const Setup& setup, int shots)
        : CudaScattering(setup, scattering_allocations(setup, shots), inverse_gains(setup)) {}
    ~CudaScattering() override { scope_.enter_to_free(); }

    void set_perturbation(std::span<const double> ratio) override {
        scope_.enter();
        between_.wait();
        upload(ratio, ratio_);
    }
    void reset() override {
        scope_.enter();
        between_.beside_steps([&](const Stream& stream) {
            ONDA_CUDA_TRY(
                cudaMemsetAsync(last_.data(), 0, static_cast<std::size_t>(last_.size()) * sizeof(T), stream.get()));
        });
    }
    void scatter(const FieldSet& background, FieldSet& scattered) override {
        after_steps(
            background, scattered, [&](const CudaFields<T>& from, const CudaFields<T>& to, cudaStream_t stream) {
                for (std::size_t field = 0; field < from.count(); ++field)
                    scatter_difference(levels_of(from, field), whole(), perturbation(),
                                       node_array(setup_, last_.data() + of_field(field)), to.before(field), stream);
            });
    }
    void scatter_applied(const FieldSet& background, FieldSet& scattered) override {
        after_steps(background, scattered,
                    [&](const CudaFields<T>& from, const CudaFields<T>& to, cudaStream_t stream) {
                        cuda::scatter_applied(levels_of(from), whole(), perturbation(), to.odd(), stream);
                    });
    }
    [[nodiscard]] std::int64_t allocated_bytes() const override {
        return ratio_.bytes() + inverse_gain_.bytes() + last_.bytes();
    }

private:
    CudaScattering(const Setup& setup, const Allocations& planned, const std::vector<double>& inverse)
        : setup_(setup),
          scope_(setup.ordinal),
          ratio_(planned.of("scattering.ratio")),
          inverse_gain_(planned.of("scattering.inverse_gain")),
          last_(planned.of("scattering.last")) {
        if (!inverse.empty()) upload(inverse, inverse_gain_);
        upload(std::vector<double>(static_cast<std::size_t>(setup.grid.points())), ratio_);
        CudaScattering::reset();
    }

    [[nodiscard]] NodeRange whole() const { return range_of({{}, setup_.grid.n}); }
    /// Elements before the differences of a field.
    [[nodiscard]] std::int64_t of_field(std::size_t field) const {
        const EquationRow& equation = *setup_.scheme.equation;
        return last_.size() / std::ssize(equation.fields) * static_cast<std::int64_t>(field);
    }
    [[nodiscard]] Perturbation<T> perturbation() const {
        return {node_array(setup_, ratio_.data()), node_array(setup_, inverse_gain_.data())};
    }
    template <typename Queue>
    void after_steps(const FieldSet& background, const FieldSet& scattered, const Queue& queue) {
        scope_.enter();
        between_.after_steps<T>(background, scattered, queue);
    }
    /// Values of all nodes, [z][y][x], to an array of one shot.
    void upload(std::span<const double> values, const DeviceBuffer<T>& to) const {
        const std::int64_t nx = setup_.grid.nx(), pitch = node_pitch(setup_);
        std::vector<T> rows(static_cast<std::size_t>(to.size()));
        for (std::int64_t row = 0; row < setup_.grid.ny() * setup_.grid.nz(); ++row)
            for (std::int64_t x = 0; x < nx; ++x)
                rows[static_cast<std::size_t>(row * pitch + x)] =
                    static_cast<T>(values[static_cast<std::size_t>(row * nx + x)]);
        copy_to_device(to.data(), rows.data(), to.size());
    }

    const Setup& setup_;
    DeviceScope scope_;
    DeviceBuffer<T> ratio_, inverse_gain_;  ///< of a shot, [z][y][x]; the second where strips damp
    DeviceBuffer<T> last_;  ///< the differences of the background's fields a step ago, [field][shot][z][y][x]
    BetweenFields between_;
};

}  // namespace

Allocations scattering_allocations(const Setup& setup, int shots) {
    const std::int64_t array = node_elements(setup), bytes = setup.element_bytes();
    Allocations list;
    list.add(on_device("scattering.ratio", Owner::wavefield, array, bytes));
    list.add(on_device("scattering.inverse_gain", Owner::wavefield, has_gains(setup) ? array : 0, bytes));
    const std::int64_t fields = std::ssize(setup.scheme.equation->fields);
    list.add(on_device("scattering.last", Owner::wavefield, fields * shots * array, bytes));
    return list;
}

template <typename T>
std::unique_ptr<Scattering> make_scattering(const Setup& setup, const CudaFields<T>& fields) {
    return std::make_unique<CudaScattering<T>>(setup, fields.shots());
}

template std::unique_ptr<Scattering> make_scattering(const Setup&, const CudaFields<float>&);
template std::unique_ptr<Scattering> make_scattering(const Setup&, const CudaFields<double>&);

}  // namespace onda::cuda
