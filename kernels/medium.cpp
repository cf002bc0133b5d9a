#include "kernels/medium.hpp"

#include <stdexcept>

#include "kernels/wavefield.hpp"

namespace onda {

std::unique_ptr<Wavefield> Medium::make_wavefield(int shots) {
    return make_wavefield(shots, setup_.strips);
}

void check_readers(const Problem& problem, const MediumReaders& readers) {
    const auto& parameters = problem.scheme.equation->parameters;
    if (readers.size() == parameters.size()) return;
    std::string names;
    for (const MediumParameter& parameter : parameters)
        names += (names.empty() ? "" : ", ") + std::string(parameter.name);
    throw std::invalid_argument("the equation " + std::string(name(problem.scheme.equation)) + " takes " + names +
                                ": " + std::to_string(parameters.size()) + " readers, not " +
                                std::to_string(readers.size()));
}

void write_array_row(const Problem& problem, std::size_t array, const MediumFit* fit,
                     std::span<const std::vector<float>> parameters, double dt_s, std::int64_t y, std::int64_t z,
                     std::span<double> values) {
    if (const MediumArray& rule = problem.scheme.equation->arrays[array]; rule.row != nullptr)
        rule.row(parameters, dt_s, values);
    else
        fit->row(array, parameters, y, problem.first_plane + z, values);
}

MediumReaders readers_from_plane(const MediumReaders& readers, std::int64_t first_plane) {
    MediumReaders shifted;
    for (const RowReader& reader : readers)
        shifted.emplace_back([&reader, first_plane](std::int64_t y, std::int64_t z, std::span<float> row) {
            reader(y, first_plane + z, row);
        });
    return shifted;
}

}  // namespace onda
