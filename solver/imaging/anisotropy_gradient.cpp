#include "solver/imaging/anisotropy_gradient.hpp"

#include <cmath>
#include <utility>

#include "kernels/equations/vti/stiffness.hpp"
#include "kernels/imaging/scattering.hpp"
#include "solver/imaging/at_nodes.hpp"

namespace onda {

AnisotropyGradient gradient_of_anisotropy(AnisotropyImages images, const Problem& problem, const MediumReaders& readers,
                                          double dt_s) {
    const Grid& grid = problem.grid;
    const bool damps = has_gains(problem);
    const KOfRows k_of(problem, dt_s);
    AnisotropyGradient gradient{std::move(images.strain), std::move(images.mixed)};
    for_rows_of_planes(0, grid.nz(), problem, readers, [&](std::int64_t y, std::int64_t z, ParameterRows& rows) {
        k_of.write(y, z, rows);
        const auto at = static_cast<std::size_t>(grid.at(0, y, z));
        for (std::size_t x = 0; x < rows.values.size(); ++x) {
            double &of_epsilon = gradient.epsilon[at + x], &of_delta = gradient.delta[at + x];
            const double weight = weight_of(problem, {static_cast<std::int64_t>(x), y, z}, damps) / rows.values[x];
            double parameters[3];
            for (std::size_t i = 0; i < 3; ++i) parameters[i] = static_cast<double>(rows.parameters[i][x]);
            const double d = stiffness_coupling(parameters, dt_s), slope = 1. / std::sqrt(1. + 2. * parameters[2]);
            of_delta = slope * weight * (of_delta - 2. * d * of_epsilon);
            of_epsilon = 2. * weight * of_epsilon;
        }
    });
    return gradient;
}

}  // namespace onda
