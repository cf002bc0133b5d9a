#include "solver/model/parameterisation.hpp"

#include <cmath>

namespace onda {
namespace {

constexpr ParameterisationRow kParameterisations[] = {
    {.name = "vp",
     .help = "velocity",
     .of_vp = [](double vp) { return vp; },
     .vp_of = [](double m) { return m; },
     .vp_slope = [](double) { return 1.; }},
    {.name = "slowness",
     .help = "1/vp: waves have traveltimes that are linear in it, along rays that stay the same",
     .of_vp = [](double vp) { return 1. / vp; },
     .vp_of = [](double m) { return 1. / m; },
     .vp_slope = [](double vp) { return -vp * vp; }},
    {.name = "slowness_squared",
     .help = "1/vp^2, the factor of the wave equation that fields scattered once are linear in",
     .of_vp = [](double vp) { return 1. / (vp * vp); },
     .vp_of = [](double m) { return 1. / std::sqrt(m); },
     .vp_slope = [](double vp) { return -0.5 * vp * vp * vp; }},
};

}  // namespace

std::span<const ParameterisationRow> parameterisations() {
    return kParameterisations;
}

}  // namespace onda
