#include "solver/imaging/imaging_condition.hpp"

#include <array>
#include <memory>
#include <utility>

#include "solver/imaging/at_nodes.hpp"
#include "solver/imaging/image_operator.hpp"
#include "solver/imaging/rho_gradient.hpp"

namespace onda {
namespace {

ImagePlanes pressures_of(const MetFields& met) {
    return [&run = met.run, slot = met.slot](std::int64_t first, std::span<double> planes) {
        run.download_pressures(slot, first, planes);
    };
}

/// Minus I, whose reflections have the opposite sign: p and its second derivative in time have.
ImagePlanes make_cross_correlation(const MetFields& met) {
    return [of = pressures_of(met)](std::int64_t first, std::span<double> planes) {
        of(first, planes);
        scale_values(planes, -1.);
    };
}

/// Multiplies planes by factor * k / dt^2.
void multiply_by_k(std::span<double> planes, std::int64_t first, double factor, const MetFields& met) {
    const Grid& grid = met.problem.grid;
    const KOfRows k_of(met.problem, met.dt_s);
    const std::int64_t end = first + std::ssize(planes) / (grid.nx() * grid.ny());
    const double scale = factor / (met.dt_s * met.dt_s);
    for_rows_of_planes(first, end, met.problem, met.readers, [&](std::int64_t y, std::int64_t z, ParameterRows& rows) {
        k_of.write(y, z, rows);
        double* const row = planes.data() + (grid.at(0, y, z) - grid.at(0, 0, first));
        for (std::size_t x = 0; x < rows.values.size(); ++x) row[x] *= scale * rows.values[x];
    });
}

/// L I.
ImagePlanes operator_on_products(const MetFields& met) {
    if (met.problem.scheme.equation->fields.size() == 1)
        return operator_on(pressures_of(met), met.problem, met.readers);
    const auto horizontal = [&run = met.run, slot = met.slot](std::int64_t first, std::span<double> planes) {
        run.download_horizontal_stresses(slot, first, planes);
    };
    return operator_on_stresses(horizontal, pressures_of(met), met.problem, met.readers);
}

/// 1/2 L I.
ImagePlanes make_inverse_scattering(const MetFields& met) {
    return [met, of = operator_on_products(met)](std::int64_t first, std::span<double> planes) {
        of(first, planes);
        multiply_by_k(planes, first, 0.5, met);
    };
}

/// K.
ImagePlanes make_velocity(const MetFields& met) {
    return [met](std::int64_t first, std::span<double> planes) {
        met.run.download_planes(LevelSum::products, met.slot, first, planes);
        scale_values(planes, 1. / (met.dt_s * met.dt_s));
    };
}

/// 2 K - 1/2 L I.
ImagePlanes make_tomographic(const MetFields& met) {
    return [scattering = make_inverse_scattering(met), velocity = make_velocity(met)](std::int64_t first,
                                                                                      std::span<double> planes) {
        NodeValues half_l(planes.size());
        scattering(first, half_l);
        velocity(first, planes);
        for (std::size_t i = 0; i < planes.size(); ++i) planes[i] = 2. * planes[i] - half_l[i];
    };
}

/// rho dJ/drho at fixed vp, of the whole grid at once.
ImagePlanes make_impedance(const MetFields& met) {
    const auto image = std::make_shared<NodeValues>(
        gradient_of_rho(met.run.image(met.slot), met.run.density_images(met.slot), met.problem, met.readers, met.dt_s));
    set_every_node(*image, met.problem, met.readers, [&](const auto&, std::size_t at, const auto& parameters) {
        return (*image)[at] * parameters[kRhoOf];
    });
    return
        [met, image, planes_of_it = planes_of(*image, met.problem.grid)](std::int64_t first, std::span<double> planes) {
            planes_of_it(first, planes);
            multiply_by_k(planes, first, 1., met);
        };
}

constexpr std::array kConditions{
    ImagingCondition{.name = "cross_correlation",
                     .help = "minus the sum of the product of both fields (Claerbout 1971)",
                     .sums = {.differences = false, .pressures = true},
                     .make = make_cross_correlation},
    ImagingCondition{.name = "inverse_scattering",
                     .help = "half the operator of the scheme on the sum of the product: waves that are not reflected "
                             "leave nothing (Op 't Root, Stolk & de Hoop 2012)",
                     .sums = {.differences = false, .pressures = true, .stresses = true},
                     .make = make_inverse_scattering},
    ImagingCondition{.name = "tomographic",
                     .help = "the complement of inverse_scattering: what waves leave that are not reflected",
                     .sums = {.differences = true, .pressures = true, .stresses = true},
                     .make = make_tomographic},
    ImagingCondition{.name = "velocity",
                     .help = "the gradient with respect to the velocity, of the observed data in the place of the "
                             "residual",
                     .sums = {.differences = true, .pressures = false},
                     .make = make_velocity},
    ImagingCondition{.name = "impedance",
                     .help = "the gradient with respect to the impedance at fixed velocity, for models with densities; "
                             "with constant ones that is inverse_scattering",
                     .sums = {.differences = true, .pressures = false, .density = true},
                     .make = make_impedance},
};

}  // namespace

std::span<const ImagingCondition> imaging_conditions() {
    return kConditions;
}

}  // namespace onda
