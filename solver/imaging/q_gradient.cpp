#include "solver/imaging/q_gradient.hpp"

#include <memory>

#include "kernels/imaging/scattering.hpp"
#include "solver/imaging/at_nodes.hpp"

namespace onda {

NodeValues gradient_of_q(std::span<const double> image, std::span<const NodeValues> memories, const Problem& problem,
                         const MediumReaders& readers, double dt_s) {
    const Grid& grid = problem.grid;
    const bool damps = has_gains(problem);
    const KOfRows k_of(problem, dt_s);
    const std::shared_ptr<const MediumFit> fit = fit_of(problem, dt_s);
    const auto nx = static_cast<std::size_t>(grid.nx());
    NodeValues gradient(image.size());
    for_rows_of_planes(0, grid.nz(), problem, readers, [&](std::int64_t y, std::int64_t z, ParameterRows& rows) {
        const std::int64_t z_of_whole = problem.first_plane + z;
        const auto at = static_cast<std::size_t>(grid.at(0, y, z));
        std::vector<double> slope(nx);
        k_of.write(y, z, rows);
        const std::vector<double>& k = rows.values;
        fit->slope_row(0, rows.parameters, y, z_of_whole, slope);
        for (std::size_t x = 0; x < nx; ++x) gradient[at + x] = image[at + x] / (k[x] * k[x]) * slope[x];
        for (std::size_t field = 0; field < memories.size(); ++field) {
            fit->slope_row(array_of_memory(problem, field), rows.parameters, y, z_of_whole, slope);
            const auto a = fit->of_class(field);
            for (std::size_t x = 0; x < nx; ++x) {
                const double of_node =
                    a[static_cast<std::size_t>(node_class(static_cast<std::int64_t>(x), y, z_of_whole))];
                if (of_node > 0.) gradient[at + x] -= memories[field][at + x] / (k[x] * of_node) * slope[x];
            }
        }
        for (std::size_t x = 0; x < nx; ++x)
            gradient[at + x] *= weight_of(problem, {static_cast<std::int64_t>(x), y, z}, damps);
    });
    return gradient;
}

}  // namespace onda
