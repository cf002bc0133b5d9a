// Launches the twins: the memory ceilings of constant and of variable density.
#include <algorithm>

#include "kernels/cuda/direct/density_arguments.hpp"
#include "kernels/cuda/runtime.hpp"

namespace onda::cuda {
namespace {

constexpr int kThreads = 256;

template <typename T>
struct Twin {
    using Arguments = StepArguments<T>;
    static constexpr auto kernel = twin_step<T>;
    static constexpr auto wave_operator = WaveOperator::star;
    static Arguments arguments(const Fields<T>& fields, int now) {
        Arguments a;
        set_common(a, fields, now);
        return a;
    }
};
template <typename T>
struct DensityTwin {
    using Arguments = DensityArguments<T>;
    static constexpr auto kernel = density_twin_step<T>;
    static constexpr auto wave_operator = WaveOperator::variable_density;
    static Arguments arguments(const Fields<T>& fields, int now) { return density_arguments(fields, now); }
};

template <template <typename> class Kind, typename T>
class TwinStepper final : public Stepper {
public:
    explicit TwinStepper(const Fields<T>& fields) {
        const Grid& g = fields.grid;
        grid_ = dim3(static_cast<unsigned>(blocks_for(g.nx(), kThreads * Vec<T>::size)),
                     static_cast<unsigned>(std::min(g.ny(), kMostBlocks)),
                     static_cast<unsigned>(std::min(g.nz(), kMostBlocks)));
        for (int now = 0; now < 2; ++now) arguments_[now] = Kind<T>::arguments(fields, now);
    }
    void step(int now, cudaStream_t stream) const override {
        constexpr auto kernel = Kind<T>::kernel;
        kernel<<<grid_, kThreads, 0, stream>>>(arguments_[now]);
        ONDA_CUDA_TRY(cudaGetLastError());
    }

private:
    dim3 grid_;
    typename Kind<T>::Arguments arguments_[2];
};

template <template <typename> class Kind, typename T>
void add(Instances<T>& list) {
    Instance<T> row;
    row.kernel = "twin";
    row.tile = "rows";
    row.wave_operator = Kind<T>::wave_operator;
    row.architecture = 75;
    row.make = [](const Instance<T>&, const Fields<T>& fields) -> std::unique_ptr<Stepper> {
        return std::make_unique<TwinStepper<Kind, T>>(fields);
    };
    row.resources = [](const Instance<T>&, const Stencil<T>&) {
        return resources_of(reinterpret_cast<const void*>(Kind<T>::kernel), kThreads, 0);
    };
    list.push_back(row);
}

}  // namespace

void add_twin(Instances<float>& list) {
    add<Twin>(list);
    add<DensityTwin>(list);
}
void add_twin(Instances<double>& list) {
    add<Twin>(list);
    add<DensityTwin>(list);
}

}  // namespace onda::cuda
