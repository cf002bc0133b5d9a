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

/// How either pass of the march is launched.
template <int R, int BX, int BY>
struct TiltMarch {
    using T = float;
    static constexpr auto first = tilted_derivatives_march<T, R, BX, BY>;
    static constexpr auto second = tti_march_step<T, R, BX, BY>;
    static constexpr MarchShape shape{.width = BX * Vec<T>::size,
                                      .height = BY,
                                      .block_x = BX,
                                      .block_y = BY,
                                      .shared_bytes = 0,
                                      .reach = R,
                                      .longest = 96 * R};

    /// The nodes whose g the second pass reads, as a grid.
    static Grid beyond_faces(Grid grid) {
        constexpr int whole = (R + Vec<T>::size - 1) / Vec<T>::size * Vec<T>::size;
        grid.n[0] += 2 * whole;
        grid.n[1] += 2 * R;
        grid.n[2] += 2 * R;
        return grid;
    }
};

template <typename March>
class TiltMarchStepper final : public Stepper {
public:
    using T = typename March::T;

    explicit TiltMarchStepper(const Fields<T>& fields)
        : first_(
              plan_march(reinterpret_cast<const void*>(March::first), March::shape, March::beyond_faces(fields.grid))),
          second_(plan_march(reinterpret_cast<const void*>(March::second), March::shape, fields.grid)) {
        for (int now = 0; now < 2; ++now) set_common(arguments_[now], fields, now);
    }
    void step(int now, cudaStream_t stream) const override {
        TiltArguments<T> a = arguments_[now];
        a.chunks = first_.chunks;
        launch<T>(March::first, first_.shape, stream, a);
        a.chunks = second_.chunks;
        launch<T>(March::second, second_.shape, stream, a);
    }

private:
    MarchPlan first_, second_;
    TiltArguments<T> arguments_[2];
};

template <int R, int BX, int BY>
void add_tilt_march(Instances<float>& list) {
    using March = TiltMarch<R, BX, BY>;
    Instance<float> row;
    row.kernel = "march25d";
    row.tile = std::to_string(March::shape.width) + "x" + std::to_string(March::shape.height);
    row.equation = Equation::tti;
    row.radius = R;
    row.dimensions = 3;
    row.architecture = 75;
    row.make = [](const Instance<float>&, const Fields<float>& fields) -> std::unique_ptr<Stepper> {
        return std::make_unique<TiltMarchStepper<March>>(fields);
    };
    row.resources = [](const Instance<float>&, const Stencil<float>&) {
        return resources_of(reinterpret_cast<const void*>(March::second), BX * BY, 0);
    };
    row.facts = [](const Instance<float>&, const StepExtent<float>& extent) {
        constexpr MarchWork work = tti_march_work<float, R>();
        return march_facts(reinterpret_cast<const void*>(March::second), March::shape, work, extent.grid,
                           extent.volumes, sizeof(float));
    };
    list.push_back(row);
}

}  // namespace

template <>
void add_tti<ONDA_RADIUS>(Instances<float>& list) {
    // Beyond that the queues of the march find no room in registers.
    if constexpr (ONDA_RADIUS <= 4) add_tilt_march<ONDA_RADIUS, 32, 8>(list);
    add_blocks<float, TiltStepper<float, ONDA_RADIUS>>(list, Equation::tti);
}
template <>
void add_tti<ONDA_RADIUS>(Instances<double>& list) {
    add_blocks<double, TiltStepper<double, ONDA_RADIUS>>(list, Equation::tti);
}

}  // namespace onda::cuda
