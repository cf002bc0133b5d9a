// Launches the twins: the memory ceilings of constant and of variable density.
#include <algorithm>

#include "kernels/cuda/direct/twin.hpp"
#include "kernels/cuda/launch.hpp"

namespace onda::cuda {
namespace {

constexpr int kThreads = 256;

template <typename T, typename Arguments, auto Kernel>
class TwinStepper final : public Stepper {
public:
    static constexpr auto kernel = Kernel;

    explicit TwinStepper(const Fields<T>& fields) {
        const Grid& g = fields.grid;
        grid_ = dim3(static_cast<unsigned>(blocks_for(g.nx(), kThreads * Vec<T>::size)),
                     static_cast<unsigned>(std::min(g.ny(), kMostBlocks)),
                     static_cast<unsigned>(std::min(g.nz(), kMostBlocks)));
        for (int now = 0; now < 2; ++now) set_common(arguments_[now], fields, now);
    }
    void step(int now, cudaStream_t stream) const override {
        launch<T>(kernel, {grid_, kThreads}, stream, arguments_[now]);
    }

private:
    dim3 grid_;
    Arguments arguments_[2];
};

template <typename T, typename Launched>
void add(Instances<T>& list, Equation equation) {
    Instance<T> row;
    row.kernel = "twin";
    row.tile = "rows";
    row.equation = equation;
    row.architecture = 75;
    row.make = [](const Instance<T>&, const Fields<T>& fields) -> std::unique_ptr<Stepper> {
        return std::make_unique<Launched>(fields);
    };
    row.resources = [](const Instance<T>&, const Stencil<T>&) {
        return resources_of(reinterpret_cast<const void*>(Launched::kernel), kThreads, 0);
    };
    row.facts = [](const Instance<T>& self, const StepExtent<T>& extent) {
        const Grid& g = extent.grid;
        const int arrays = self.equation == Equation::star ? 1 : 2;
        StepFacts facts = facts_of_streams(g, sizeof(T), arrays);
        facts.compiled = self.resources(self, extent.stencil);
        facts.launches = extent.volumes;
        facts.blocks =
            blocks_for(g.nx(), kThreads * Vec<T>::size) * std::min(g.ny(), kMostBlocks) * std::min(g.nz(), kMostBlocks);
        facts.l2_bytes = facts.shared_bytes = static_cast<double>(sizeof(T)) * (3 + arrays) * facts.points;
        constexpr double address_and_loop = 40. / Vec<T>::size;
        facts.operations = 2. * facts.points;
        facts.instructions = facts.operations + address_and_loop * facts.points;
        return all_volumes(facts, extent.volumes);
    };
    list.push_back(row);
}

template <typename T>
void add_all(Instances<T>& list) {
    add<T, TwinStepper<T, StepArguments<T>, twin_step<T>>>(list, Equation::star);
    add<T, TwinStepper<T, DensityArguments<T>, density_twin_step<T>>>(list, Equation::variable_density);
}

}  // namespace

void add_twin(Instances<float>& list) {
    add_all(list);
}
void add_twin(Instances<double>& list) {
    add_all(list);
}

}  // namespace onda::cuda
