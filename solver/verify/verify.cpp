#include "solver/verify/verify.hpp"

#include <array>
#include <chrono>

#include "solver/propagation/devices.hpp"
#include "solver/verify/experiment.hpp"
#include "solver/verify/groups.hpp"

namespace onda {
namespace {

constexpr std::array kGroups{verify::adjoint,
                             verify::companions,
                             verify::leaps,
                             verify::single_precision,
                             verify::attenuation,
                             verify::drag,
                             verify::discrete_modes,
                             verify::order_of_accuracy,
                             verify::greens_functions,
                             verify::particle_motion,
                             verify::wall_images,
                             verify::ghost_reflection,
                             verify::layered_media,
                             verify::interface_depth,
                             verify::head_waves,
                             verify::averaged_interfaces,
                             verify::source_strength,
                             verify::absorbing_strips,
                             verify::energy_conservation,
                             verify::reciprocity,
                             verify::isotropy,
                             verify::time_dispersion,
                             verify::time_order,
                             verify::vertical_transverse_isotropy,
                             verify::tilted_transverse_isotropy};

}  // namespace

std::vector<PromiseGroup> verification_table() {
    std::vector<PromiseGroup> table;
    for (const auto& group : kGroups) table.push_back(group());
    return table;
}

void check_options(const VerifyOptions& options) {
    verify::Experiment experiment;
    experiment.grid.n = {16, 16, 16};
    check_setup(usable_device(options.backend), verify::make_setup(experiment, options));
}

Verdict check_promise(const Promise& promise, const VerifyOptions& options) {
    const auto start = std::chrono::steady_clock::now();
    Verdict verdict;
    try {
        verdict.measured = promise.measure(options);
        verdict.kept = verdict.measured.value <= promise.limit;
    } catch (const NoKernel&) {
        verdict.is_measured = false;
        verdict.measured.detail = "no kernel on this device";
    }
    verdict.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return verdict;
}

}  // namespace onda
