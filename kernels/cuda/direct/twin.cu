// Launches the twins: the memory ceilings of all equations.
#include <algorithm>
#include <stdexcept>

#include "kernels/cuda/direct/twin.hpp"
#include "kernels/cuda/launch.hpp"

namespace onda::cuda {
namespace {

constexpr int kThreads = 256;

/// Without scratch fields: a step can do without them.
StepArrays arrays_of(const EquationRow& equation) {
    return {static_cast<int>(equation.arrays.size()), static_cast<int>(equation.fields.size()),
            static_cast<int>(equation.memory.size())};
}

template <typename T, int Reads, int Updates>
class TwinStepper final : public Stepper {
public:
    static constexpr auto kernel = twin_step<T, Reads, Updates>;

    TwinStepper(const EquationRow& equation, const Fields<T>& fields) {
        const StepArrays count = arrays_of(equation);
        if (count.medium + count.fields != Reads || count.fields + count.memory != Updates)
            throw std::logic_error("the twin of " + std::string(equation.name) + " has other arrays");
        const Grid& g = fields.grid;
        grid_ = dim3(static_cast<unsigned>(blocks_for(g.nx(), kThreads * Vec<T>::size)),
                     static_cast<unsigned>(std::min(g.ny(), kMostBlocks)),
                     static_cast<unsigned>(std::min(g.nz(), kMostBlocks)));
        for (std::size_t now = 0; now < 2; ++now) {
            TwinArguments<T, Reads, Updates>& a = arguments_[now];
            a.nx = static_cast<int>(g.nx());
            a.ny = static_cast<int>(g.ny());
            a.nz = static_cast<int>(g.nz());
            auto* read = a.read;
            auto* update = a.update;
            const auto streamed = [&fields](T* at) { return Streamed<T>{at, fields.field.pitch, fields.field.plane}; };
            for (std::size_t i = 0; i < equation.fields.size(); ++i) {
                *read++ = {fields.levels[i][now], fields.field.pitch, fields.field.plane};
                *update++ = streamed(fields.levels[i][1 - now]);
            }
            for (std::size_t i = 0; i < equation.arrays.size(); ++i) {
                const ArrayOnDevice<T>& array = fields.medium[i];
                *read++ = {array.at, array.layout.pitch, array.layout.plane};
            }
            for (std::size_t i = 0; i < equation.memory.size(); ++i) *update++ = streamed(fields.memory[i]);
        }
    }
    void step(int now, cudaStream_t stream) const override {
        launch<T>(kernel, {grid_, kThreads}, stream, arguments_[now]);
    }

private:
    dim3 grid_;
    TwinArguments<T, Reads, Updates> arguments_[2];
};

template <typename T, int Reads, int Updates>
void add(Instances<T>& list, Equation equation) {
    using Launched = TwinStepper<T, Reads, Updates>;
    Instance<T> row;
    row.kernel = "twin";
    row.tile = "rows";
    row.equation = equation;
    row.architecture = 75;
    row.make = [](const Instance<T>& self, const Fields<T>& fields) -> std::unique_ptr<Stepper> {
        return std::make_unique<Launched>(*self.equation, fields);
    };
    row.resources = [](const Instance<T>&, const Stencil<T>&) {
        return resources_of(reinterpret_cast<const void*>(Launched::kernel), kThreads, 0);
    };
    row.facts = [](const Instance<T>& self, const StepExtent<T>& extent) {
        const Grid& g = extent.grid;
        StepFacts facts = facts_of_streams(g, sizeof(T), arrays_of(*self.equation));
        facts.compiled = self.resources(self, extent.stencil);
        facts.launches = extent.volumes;
        facts.blocks =
            blocks_for(g.nx(), kThreads * Vec<T>::size) * std::min(g.ny(), kMostBlocks) * std::min(g.nz(), kMostBlocks);
        facts.l2_bytes = facts.shared_bytes = static_cast<double>(sizeof(T)) * (Reads + 2 * Updates) * facts.points;
        constexpr double address_and_loop = 40. / Vec<T>::size;
        facts.operations = 2. * (Reads - 1 + Updates) * facts.points;
        facts.instructions = (Reads - 1 + Updates) * facts.points + address_and_loop * facts.points;
        return all_volumes(facts, extent.volumes);
    };
    list.push_back(row);
}

template <typename T>
void add_all(Instances<T>& list) {
    add<T, 2, 1>(list, Equation::star);
    add<T, 3, 1>(list, Equation::variable_density);
    add<T, 3, 2>(list, Equation::attenuation);
    add<T, 4, 3>(list, Equation::attenuation_of_two);
    add<T, 4, 2>(list, Equation::attenuation_density);
    add<T, 5, 3>(list, Equation::attenuation_density_of_two);
    add<T, 3, 1>(list, Equation::drag);
    add<T, 4, 1>(list, Equation::drag_density);
    add<T, 5, 2>(list, Equation::vti);
    add<T, 6, 3>(list, Equation::vti_of_gradients);
    add<T, 8, 2>(list, Equation::tti);
}

}  // namespace

void add_twin(Instances<float>& list) {
    add_all(list);
}
void add_twin(Instances<double>& list) {
    add_all(list);
}

}  // namespace onda::cuda
