#include "solver/plan/names.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "io/results/seismograms.hpp"
#include "kernels/setup.hpp"
#include "solver/discretisation/boundary.hpp"
#include "solver/imaging/imaging_condition.hpp"
#include "solver/imaging/misfit.hpp"
#include "solver/model/model.hpp"
#include "solver/model/parameterisation.hpp"
#include "solver/propagation/devices.hpp"
#include "solver/survey/encoding.hpp"
#include "solver/survey/survey.hpp"

namespace onda {
namespace {

template <typename Row>
std::vector<AllowedValue> names_of(std::span<const Row> table) {
    std::vector<AllowedValue> values;
    for (const Row& row : table) values.push_back({std::string(row.name), std::string(row.help)});
    return values;
}

std::vector<AllowedValue> model_types() {
    std::vector<AllowedValue> values = names_of(model_builders());
    for (std::size_t i = 0; i < values.size(); ++i) values[i].listed = !model_builders()[i].of_programs;
    return values;
}

/// Kernels of the same name on several devices are the same method.
std::vector<AllowedValue> kernels_of_all_devices() {
    std::vector<AllowedValue> values;
    for (const Device& device : devices())
        for (AllowedValue& value : names_of(device.kernel_names()))
            if (std::ranges::find(values, value.name, &AllowedValue::name) == values.end())
                values.push_back(std::move(value));
    return values;
}

/// Equations of the same stencil differ in their parameters, and the model decides among them.
std::vector<AllowedValue> stencils() {
    std::vector<AllowedValue> values;
    for (const Equation& equation : equations())
        if (const StencilRow& row = equation->stencil;
            std::ranges::find(values, row.name, &AllowedValue::name) == values.end())
            values.push_back({std::string(row.name), std::string(row.help)});
    return values;
}

std::vector<AllowedValue> with_auto(std::vector<AllowedValue> values, const std::string& help) {
    values.insert(values.begin(), AllowedValue{"auto", help});
    return values;
}

}  // namespace

Vocabulary vocabulary() {
    return {{"model.type", model_types()},
            {"scheme.stencil", stencils()},
            {"wavelet.type", names_of(wavelet_kinds())},
            {"boundary.kind", names_of(boundary_kinds())},
            {"survey.encoding", names_of(encodings())},
            {"imaging.misfit", names_of(misfits())},
            {"imaging.image.condition", names_of(imaging_conditions())},
            {"inversion.parameter", names_of(parameterisations())},
            {"output.seismograms.particle_motion", names_of(particle_motions())},
            {"backend.name", with_auto(names_of(devices()), "the fastest there is")},
            {"backend.kernel", with_auto(kernels_of_all_devices(), "the fastest for the grid")}};
}

}  // namespace onda
