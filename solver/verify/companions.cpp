// The companions: what stands beside the wave solver is held to results that others publish and to identities.
#include <algorithm>
#include <cmath>
#include <limits>
#include <omp.h>
#include <string>
#include <vector>

#include "kernels/companions/packed_codes.hpp"
#include "kernels/companions/positioned_random.hpp"
#include "kernels/cuda/companions/correlation.hpp"
#include "solver/companions/encode_bench.hpp"
#include "solver/companions/nas_cg.hpp"
#include "solver/companions/nas_ep.hpp"
#include "solver/comparison/correlation.hpp"
#include "solver/model/helmholtz_smoothing.hpp"
#include "solver/verify/experiment.hpp"
#include "solver/verify/groups.hpp"

namespace onda::verify {
namespace {

bool is_on_gpu(const VerifyOptions& options) {
    return options.backend == "cuda";
}

int threads_of(const VerifyOptions& options) {
    return options.threads > 0 ? options.threads : omp_get_max_threads();
}

Measurement pairs_of_class_s(const VerifyOptions& options) {
    const EpClass& of = ep_class("S");
    const int first_gpu[] = {0};
    const PairCounters devices =
        is_on_gpu(options) ? gpu_pair_counters(first_gpu) : cpu_pair_counters(threads_of(options));
    const std::vector<PairSums> batches = count_batches(PositionedRandom::nas(), {0, of.batches()}, devices);
    const EpVerdict verdict = verdict_on(of, sum_in_order(batches));
    if (!verdict.counts_agree) return {std::numeric_limits<double>::infinity(), "counts differ"};
    return {worse(verdict.sx_difference, verdict.sy_difference) / kEpTolerance, "all ten counts agree"};
}

Measurement eigenvalue_of_class_s(const VerifyOptions& options) {
    const NasClass& of = nas_class("S");
    const SparseMatrix matrix = make_nas_matrix(of);
    const auto solver = is_on_gpu(options) ? make_nas_solver(of, matrix, cuda::kSparseProducts[0])
                                           : make_nas_solver(of, matrix, cpu::sparse_products()[0]);
    return {of.error_of(solver->zeta(of.steps)) / kNasTolerance, ""};
}

/// The least exact of all ways to multiply packed codes.
Measurement products_of_codes(const VerifyOptions& options) {
    constexpr std::int64_t size = 192, width = 70;
    const EncodeProblem problem(size, width);
    Measurement worst;
    for (const EncodeWay& way : chosen_ways(encode_ways(is_on_gpu(options)), {}, width)) {
        const double error = measure_encode(way, problem, 1).error;
        if (!(error <= worst.value)) worst = {error, way.name};
    }
    return worst;
}

/// What random values lose when they are encoded by a Hadamard matrix, and decoded.
template <typename T>
Measurement decoded_values(double bound) {
    constexpr std::int64_t order = 256, width = 40;
    const PackedCodes codes = PackedCodes::hadamard(order);
    const PositionedRandom random(1);
    std::vector<T> values(order * width), encoded(values.size()), decoded(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(random.normal(i));
    multiply<T>(codes, values, width, encoded);
    multiply<T>(codes.transposed(), encoded, width, decoded);
    double error = 0., largest = 0.;
    for (std::size_t i = 0; i < values.size(); ++i) {
        error = worse(error, std::abs(static_cast<double>(decoded[i]) / order - static_cast<double>(values[i])));
        largest = std::max(largest, std::abs(static_cast<double>(values[i])));
    }
    return {error / largest / bound, ""};
}

/// A Ricker wavelet in each direction, which fades at the edges, and the same shifted.
Measurement found_shift(const VerifyOptions& options) {
    constexpr Triple n{48, 40, 44};
    constexpr std::array<double, 3> shift{2.3, -1.6, 3.75};
    const auto sampled = [&](const std::array<double, 3>& by) {
        std::vector<float> values;
        for (std::int64_t z = 0; z < n[2]; ++z)
            for (std::int64_t y = 0; y < n[1]; ++y)
                for (std::int64_t x = 0; x < n[0]; ++x) {
                    double square = 0.;
                    const std::array<double, 3> at{static_cast<double>(x), static_cast<double>(y),
                                                   static_cast<double>(z)};
                    for (std::size_t a = 0; a < 3; ++a) {
                        const double part = (at[a] - 0.5 * static_cast<double>(n[a]) - by[a]) / 4.;
                        square += part * part;
                    }
                    values.push_back(static_cast<float>((1. - square) * std::exp(-0.5 * square)));
                }
        return values;
    };
    ShiftSettings settings;
    settings.limit = {8, 8, 8};
    const bool has_fft = is_on_gpu(options) && cuda::fft_library().problem.empty();
    const ShiftSearch found = find_shifts(sampled({}), sampled(shift), n, settings,
                                          choose_correlator(has_fft ? "cuda" : "cpu"), threads_of(options));
    if (found.shifts.empty()) return {std::numeric_limits<double>::infinity(), found.problem};
    double error = 0.;
    for (std::size_t a = 0; a < 3; ++a) error = worse(error, std::abs(found.shifts.front().samples[a] - shift[a]));
    return {error / kShiftAccuracy, is_on_gpu(options) && !has_fft ? "on the CPU: there is no cuFFT" : ""};
}

/// A cosine of the grid is damped by 1 / (1 + lambda^2 k^2), with the k of its second difference.
Measurement smoothed_cosine(const VerifyOptions&) {
    Grid grid;
    grid.n = {60, 1, 50};
    grid.dimensions = 2;
    grid.spacing_m = {10., 10., 8.};
    constexpr double length_m = 35.;
    const auto phase = [&](std::size_t axis, int wave) {
        return std::acos(-1.) * wave / static_cast<double>(grid.n[axis]);
    };
    const double px = phase(0, 7), pz = phase(2, 4);
    std::vector<double> values;
    for (std::int64_t z = 0; z < grid.n[2]; ++z)
        for (std::int64_t x = 0; x < grid.n[0]; ++x)
            values.push_back(std::cos(px * (static_cast<double>(x) + 0.5)) *
                             std::cos(pz * (static_cast<double>(z) + 0.5)));
    const auto square = [](double p, double spacing) { return std::pow(2. * std::sin(0.5 * p) / spacing, 2.); };
    const double damped = 1. / (1. + length_m * length_m * (square(px, 10.) + square(pz, 8.)));
    const double lengths[] = {length_m};
    constexpr double tolerance = 1e-10;
    const Smoothed smoothed = smooth_by_lengths(grid, values, lengths, {.tolerance = tolerance});
    double error = 0.;
    for (std::size_t i = 0; i < values.size(); ++i)
        error = worse(error, std::abs(smoothed.values[i] - damped * values[i]));
    return {error / (10. * tolerance), ""};
}

}  // namespace

PromiseGroup companions() {
    PromiseGroup group;
    group.id = "C1";
    group.title = "Companions";
    group.quantity = "error over its bound";
    group.method =
        "Random numbers, conjugate gradients, packed codes and correlations ([companions.md](companions.md)). EP: "
        "sums of the 2^24 pairs of class S against the published ones, to 1e-8, and their counts exactly. CG: zeta "
        "of class S against the published one, to 1e-10. Products of codes: every variant, and the library, against "
        "a product in double, to its own bound. Hadamard codes of 256 shots: H'(H X) / 256 = X, to 1e-6 in float and "
        "1e-14 in double. Shifts: a Ricker wavelet of 3-D shifted by (2.3, -1.6, 3.75) samples, to 0.02. Smoothing: "
        "a cosine of the grid is damped by 1 / (1 + lambda^2 k^2), to ten times the tolerance of the solution.";
    const auto add = [&group](const char* name, auto measure) { group.promises.push_back({name, 1., true, measure}); };
    add("EP, class S", pairs_of_class_s);
    add("CG, class S", eigenvalue_of_class_s);
    add("products of packed codes", products_of_codes);
    add("Hadamard codes decode, float", [](const VerifyOptions&) { return decoded_values<float>(1e-6); });
    add("Hadamard codes decode, double", [](const VerifyOptions&) { return decoded_values<double>(1e-14); });
    add("a shift between samples", found_shift);
    add("smoothing by a length", smoothed_cosine);
    return group;
}

}  // namespace onda::verify
