#include "solver/imaging/rho_gradient.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/imaging/flux_axes.hpp"
#include "kernels/imaging/scattering.hpp"
#include "kernels/shot/source_density.hpp"
#include "solver/imaging/at_nodes.hpp"
#include "solver/imaging/vp_gradient.hpp"

namespace onda {
namespace {

std::vector<double> densities(const Problem& problem, const MediumReaders& readers) {
    return at_every_node(problem, readers, [](const auto&, const auto& parameters) { return parameters[kRhoOf]; });
}

/// Calls body(half node, the node before it, the node behind it, W), in the order of the half nodes: indices of a
/// compact array of these and Grid::at indices, of the face's node for those beyond a face.
template <typename Body>
void for_half_nodes(const Problem& problem, const FluxAxis& flux, const Body& body) {
    const Grid& grid = problem.grid;
    const auto along = static_cast<std::size_t>(flux.axis);
    const auto inside = [&](std::int64_t node) { return std::clamp<std::int64_t>(node, 0, grid.n[along] - 1); };
    const auto weight_across = [&](const std::array<std::int64_t, 3>& half) {
        double weight = 1.;
        for (std::size_t axis = 0; axis < 3; ++axis)
            for (std::size_t side = 0; side < 2; ++side)
                if (axis != along && grid.has_axis(static_cast<int>(axis)) &&
                    half[axis] == (side == 0 ? 0 : grid.n[axis] - 1) &&
                    problem.halos[2 * axis + side] == Halo::mirror_positive)
                    weight *= 0.5;
        return weight;
    };
    for (std::int64_t z = 0; z < flux.n[2]; ++z)
        for (std::int64_t y = 0; y < flux.n[1]; ++y)
            for (std::int64_t x = 0; x < flux.n[0]; ++x) {
                const std::array half{x, y, z};
                std::array<std::int64_t, 3> before = half, behind = half;
                before[along] = inside(flux.first + half[along]);
                behind[along] = inside(flux.first + half[along] + 1);
                body(static_cast<std::size_t>(flux.at(x, y, z)),
                     static_cast<std::size_t>(grid.at(before[0], before[1], before[2])),
                     static_cast<std::size_t>(grid.at(behind[0], behind[1], behind[2])), weight_across(half));
            }
}

double largest_of(std::span<const double> values) {
    double largest = 0.;
    for (const double value : values) largest = std::max(largest, std::abs(value));
    return largest;
}

/// -db/drho of either node: half the square of b.
double slope_of_buoyancy(double before, double behind) {
    const double b = 2. / (before + behind);
    return 0.5 * b * b;
}

}  // namespace

NodeValues gradient_of_rho(std::span<const double> image, const DensityImages& images, const Problem& problem,
                           const MediumReaders& readers, double dt_s) {
    const bool damps = has_gains(problem);
    const std::vector<double> k = k_of_every_node(problem, readers, dt_s), rho = densities(problem, readers);
    NodeValues gradient(image.size());
    set_every_node(gradient, problem, readers, [&](const auto& node, std::size_t at, const auto& parameters) {
        return weight_of(problem, node, damps) / (k[at] * parameters[kRhoOf]) * image[at];
    });
    for (const FluxAxis& flux : flux_axes(problem)) {
        const std::vector<double>& products = images.fluxes[static_cast<std::size_t>(flux.axis)];
        for_half_nodes(problem, flux, [&](std::size_t half, std::size_t before, std::size_t behind, double weight) {
            const double share = slope_of_buoyancy(rho[before], rho[behind]) * weight * products[half];
            gradient[before] += share;
            gradient[behind] += share;
        });
    }
    for (const auto& [node, value] : images.sources) gradient[static_cast<std::size_t>(node)] += value;
    return gradient;
}

void MediumPerturbation::scale(double factor) {
    scale_values(ratio, factor);
    for (std::vector<double>& db : flux.buoyancy) scale_values(db, factor);
    scale_values(drho, factor);
    largest *= std::abs(factor);
}

MediumPerturbation perturbation_of(std::span<const double> dvp, std::span<const double> drho, const Problem& problem,
                                   const MediumReaders& readers, double dt_s) {
    MediumPerturbation perturbation;
    if (drho.empty()) {
        perturbation.ratio = relative_change_of_k(dvp, problem, readers);
        perturbation.largest = largest_of(perturbation.ratio);
        return perturbation;
    }
    const std::vector<double> k = k_of_every_node(problem, readers, dt_s);
    const auto is_held = [&](const auto& node) { return weight_of(problem, node, false) == 0.; };
    const auto at = [&](const auto& node) {
        return static_cast<std::size_t>(problem.grid.at(node[0], node[1], node[2]));
    };
    perturbation.ratio = at_every_node(problem, readers, [&](const auto& node, const auto& parameters) {
        return is_held(node) ? 0. : 2. * dvp[at(node)] / parameters[0] + drho[at(node)] / parameters[kRhoOf];
    });
    perturbation.flux.k = at_every_node(
        problem, readers, [&](const auto& node, const auto&) { return is_held(node) ? 0. : k[at(node)]; });
    const std::vector<double> rho = densities(problem, readers);
    for (const FluxAxis& flux : flux_axes(problem)) {
        std::vector<double>& db = perturbation.flux.buoyancy[static_cast<std::size_t>(flux.axis)];
        db.resize(static_cast<std::size_t>(flux.points()));
        for_half_nodes(problem, flux, [&](std::size_t half, std::size_t before, std::size_t behind, double) {
            db[half] = -slope_of_buoyancy(rho[before], rho[behind]) * (drho[before] + drho[behind]);
        });
    }
    perturbation.drho.assign(drho.begin(), drho.end());
    perturbation.largest = largest_of(perturbation.ratio);
    for (std::size_t i = 0; i < rho.size(); ++i)
        perturbation.largest = std::max(perturbation.largest, std::abs(drho[i]) / rho[i]);
    return perturbation;
}

std::vector<double> relative_changes_of_source_density(const Medium& medium, const Sources& sources,
                                                       std::span<const double> drho) {
    std::vector<double> changes;
    for (const DensityOfSource& source : source_density_slopes(medium, sources)) {
        double change = 0.;
        for (const auto& [node, slope] : source.slopes) change += slope * drho[static_cast<std::size_t>(node)];
        changes.push_back(change / source.density);
    }
    return changes;
}

std::vector<NodeValue> source_density_gradient(const Medium& medium, const Sources& sources,
                                               std::span<const double> products) {
    std::vector<NodeValue> gradient;
    for (std::size_t row = 0; const DensityOfSource& source : source_density_slopes(medium, sources)) {
        for (const auto& [node, slope] : source.slopes)
            gradient.push_back({node, -products[row] / source.density * slope});
        ++row;
    }
    return gradient;
}

}  // namespace onda
