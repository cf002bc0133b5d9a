// Launches the kernels of tilted transverse isotropy, for one radius (ONDA_RADIUS).
#include "kernels/cuda/direct/direct_launch.hpp"
#include "kernels/cuda/tti/march_tti.hpp"

namespace onda::cuda {
namespace {

/// A launch for each pass.
template <typename T, int R>
class TiltStepper final : public Stepper {
    static constexpr auto node_work = [](int dimensions) { return tti_work(dimensions, R); };
    using FirstPass =
        DirectStepper<T, TiltArguments<T>, tilted_derivatives<T, 2, R>, tilted_derivatives<T, 3, R>, node_work, R>;
    using SecondPass =
        DirectStepper<T, TiltArguments<T>, direct_tti_step<T, 2, R>, direct_tti_step<T, 3, R>, node_work>;

public:
    TiltStepper(const Fields<T>& fields, dim3 block) : first_(fields, block), second_(fields, block) {}
    static constexpr auto kernel_for(int dimensions) { return SecondPass::kernel_for(dimensions); }
    static constexpr NodeWork work(int dimensions) { return SecondPass::work(dimensions); }
    void step(int now, cudaStream_t stream) const override {
        first_.step(now, stream);
        second_.step(now, stream);
    }

private:
    FirstPass first_;
    SecondPass second_;
};

/// How the march is launched, for MarchStepper.
template <int R>
struct TiltLaunch {
    using T = float;
    using Tile = TiltTile < T, R, 16, R<4 ? 16 : 14>;
    using Arguments = TiltArguments<T>;
    static constexpr auto kernel = tti_march_step<Tile>;
    static constexpr MarchShape shape{.width = Tile::width,
                                      .height = Tile::height,
                                      .block_x = Tile::threads,
                                      .block_y = 1,
                                      .shared_bytes = Tile::shared_bytes,
                                      .reach = 2 * R,
                                      .longest = 768};
    static constexpr MarchWork work = tti_march_work<Tile>();
    static void complete(Arguments&, const Fields<T>&, int) {}
};

template <int R>
void add_tilt_march(Instances<float>& list) {
    constexpr MarchShape shape = TiltLaunch<R>::shape;
    Instance<float> row =
        march_row<TiltLaunch<R>>("march25d", std::to_string(shape.width) + "x" + std::to_string(shape.height), 90);
    row.equation = Equation::tti;
    row.radius = R;
    row.dimensions = 3;
    list.push_back(row);
}

}  // namespace

template <>
void add_tti<ONDA_RADIUS>(Instances<float>& list) {
    // Beyond that what waits finds no room in shared memory.
    if constexpr (ONDA_RADIUS <= 4) add_tilt_march<ONDA_RADIUS>(list);
    add_blocks<float, TiltStepper<float, ONDA_RADIUS>>(list, Equation::tti);
}
template <>
void add_tti<ONDA_RADIUS>(Instances<double>& list) {
    add_blocks<double, TiltStepper<double, ONDA_RADIUS>>(list, Equation::tti);
}

}  // namespace onda::cuda
