#include "solver/model/stored_model.hpp"

#include <algorithm>

#include "io/models/model_file.hpp"
#include "solver/model/model_builders.hpp"

namespace onda {
namespace {

/// A plane of one of the model's parameters at a time.
Plane planes_to_store(const Grid& grid, std::span<const float> values) {
    return [&grid, values](std::int64_t z, std::span<float> plane) {
        std::copy_n(values.begin() + grid.at(0, 0, z), plane.size(), plane.begin());
    };
}

}  // namespace

void store_model(const std::filesystem::path& file, const Grid& grid, const Equation& equation,
                 const std::vector<std::span<const float>>& parameters, const std::string& provenance, bool overwrite) {
    std::vector<QuantityPlanes> further;
    for (std::size_t i = 1; i < parameters.size(); ++i)
        further.push_back({quantity_of(equation->parameters[i]), planes_to_store(grid, parameters[i])});
    write_model_file(file, {grid.dimensions, grid.n, grid.spacing_m, grid.origin_m},
                     planes_to_store(grid, parameters.front()), provenance, overwrite, further);
}

}  // namespace onda
