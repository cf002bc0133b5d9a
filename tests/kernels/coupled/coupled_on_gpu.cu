// The coupled equation on a GPU: a thread takes a node of both fields.
#include <algorithm>
#include <utility>

#include "kernels/cuda/blocks.hpp"
#include "kernels/cuda/common_arguments.hpp"
#include "kernels/cuda/costs.hpp"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/launch_kernel.hpp"
#include "tests/kernels/coupled/coupled.hpp"
#include "tests/kernels/coupled/coupled_math.hpp"

namespace onda::test {
namespace {

using namespace onda::cuda;

constexpr unsigned kBlock[] = {32, 2, 2};

template <typename T>
struct CoupledArguments : cuda::StepArguments<T> {
    const T *s = nullptr, *g = nullptr;
    T* s_next = nullptr;
    std::int64_t g_pitch = 0, g_plane = 0;
};

template <typename T, int Dims, int R>
__global__ void coupled_step(const CoupledArguments<T> a) {
    const auto x = static_cast<std::int64_t>(blockIdx.x * blockDim.x + threadIdx.x);
    const auto y = static_cast<std::int64_t>(blockIdx.y * blockDim.y + threadIdx.y);
    const auto z = static_cast<std::int64_t>(blockIdx.z * blockDim.z + threadIdx.z);
    if (x >= a.nx || y >= a.ny || z >= a.nz) return;
    const std::int64_t i = x + y * a.pitch + z * a.plane;
    const T *const p = a.p + i, *const s = a.s + i;
    const T k = a.k[x + y * a.k_pitch + z * a.k_plane], g = a.g[x + y * a.g_pitch + z * a.g_plane];
    a.q[i] = advance_coupled(p, a.q[i], k, g, *s, laplacian<T, Dims, R>(p, a.pitch, a.plane, a.stencil));
    a.s_next[i] = advance_coupled(s, a.s_next[i], k, g, *p, laplacian<T, Dims, R>(s, a.pitch, a.plane, a.stencil));
}

template <typename T, int R>
class CoupledStepper final : public Stepper {
public:
    explicit CoupledStepper(const Fields<T>& fields) : is_flat_(fields.grid.dimensions == 2) {
        for (int now = 0; now < 2; ++now) {
            CoupledArguments<T>& a = arguments_[now];
            set_common(a, fields, now);
            const auto& of_s = fields.levels[1];
            a.s = of_s[static_cast<std::size_t>(now)];
            a.s_next = of_s[static_cast<std::size_t>(1 - now)];
            a.g = fields.medium[1].at;
            a.g_pitch = fields.medium[1].layout.pitch;
            a.g_plane = fields.medium[1].layout.plane;
        }
        const Grid& n = fields.grid;
        grid_ = dim3(static_cast<unsigned>(blocks_for(n.nx(), kBlock[0])),
                     static_cast<unsigned>(blocks_for(n.ny(), kBlock[1])),
                     static_cast<unsigned>(blocks_for(n.nz(), kBlock[2])));
    }
    static constexpr auto kernel(bool is_flat) { return is_flat ? coupled_step<T, 2, R> : coupled_step<T, 3, R>; }
    void step(int now, cudaStream_t stream) const override {
        launch<T>(kernel(is_flat_), {grid_, dim3(kBlock[0], kBlock[1], kBlock[2])}, stream, arguments_[now]);
    }

private:
    bool is_flat_;
    dim3 grid_;
    CoupledArguments<T> arguments_[2];
};

template <typename T, int R>
Instance<T> make_row() {
    Instance<T> row;
    row.kernel = "direct";
    row.tile = "32x2x2";
    row.equation = kCoupled;
    row.radius = R;
    row.architecture = 75;
    row.make = [](const Instance<T>&, const Fields<T>& fields) -> std::unique_ptr<Stepper> {
        return std::make_unique<CoupledStepper<T, R>>(fields);
    };
    row.resources = [](const Instance<T>&, const Stencil<T>& stencil) {
        return resources_of(reinterpret_cast<const void*>(CoupledStepper<T, R>::kernel(stencil.dimensions == 2)),
                            kBlock[0] * kBlock[1] * kBlock[2], 0);
    };
    row.facts = [](const Instance<T>& self, const StepExtent<T>& extent) {
        StepFacts facts = facts_of_streams(extent.grid, sizeof(T), {.medium = 2, .fields = 2});
        facts.compiled = self.resources(self, extent.stencil);
        facts.launches = extent.volumes;
        return all_volumes(facts, extent.volumes);
    };
    return row;
}

template <typename T>
void add_rows(Instances<T>& list) {
    [&]<int... R>(std::integer_sequence<int, R...>) {
        (list.push_back(make_row<T, R + 1>()), ...);
    }
    (std::make_integer_sequence<int, kMaxRadius>());
}

}  // namespace

const cuda::EquationKernels* coupled_on_cuda() {
    static constexpr cuda::EquationKernels kernels{add_rows<float>, add_rows<double>};
    return &kernels;
}

}  // namespace onda::test
