#include "solver/companions/encode_bench.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <random>
#include <spdlog/fmt/fmt.h>

#include "io/text/bytes_text.hpp"
#include "io/text/error.hpp"
#include "io/text/nearest_name.hpp"
#include "io/text/printable.hpp"
#include "kernels/companions/blas.hpp"
#include "kernels/companions/packed_variants.hpp"
#include "kernels/cuda/companions/packed_codes.hpp"

namespace onda {
namespace {

using EncodeClock = std::chrono::steady_clock;

PackedCodes random_codes_of(std::int64_t size, std::mt19937& random) {
    PackedCodes codes(size, size);
    for (std::int64_t row = 0; row < size; ++row)
        for (std::int64_t column = 0; column < size; ++column)
            if ((random() & 1U) != 0) codes.set(row, column, 1);
    return codes;
}

std::vector<float> normal_values(std::int64_t count, std::mt19937& random) {
    std::normal_distribution<float> normal;
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float& value : values) value = normal(random);
    return values;
}

std::vector<float> floats_of(const PackedCodes& codes) {
    std::vector<float> floats;
    floats.reserve(static_cast<std::size_t>(codes.rows() * codes.columns()));
    for (std::int64_t row = 0; row < codes.rows(); ++row)
        for (std::int64_t column = 0; column < codes.columns(); ++column)
            floats.push_back(static_cast<float>(codes.at(row, column)));
    return floats;
}

double median_of(std::vector<double> values) {
    std::ranges::sort(values);
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

/// Rounds of products on the CPU, the first of which starts threads and touches memory for the first time.
EncodeTimes timed_on_cpu(int rounds, const std::function<void()>& multiply) {
    constexpr double round_ms = 1., most_ms = 10'000.;
    const auto timed_ms = [&](int products) {
        const EncodeClock::time_point start = EncodeClock::now();
        for (int i = 0; i < products; ++i) multiply();
        return std::chrono::duration<double, std::milli>(EncodeClock::now() - start).count() / products;
    };
    EncodeTimes times;
    const double first_ms = timed_ms(1);
    const int products = std::clamp(static_cast<int>(round_ms / std::max(1e-3, first_ms)), 1, 1000);
    double spent_ms = 0.;
    for (int round = 0; round < rounds && spent_ms < most_ms; ++round) {
        times.execution_ms.push_back(timed_ms(products));
        spent_ms += products * times.execution_ms.back();
    }
    times.start_up_ms = std::max(0., first_ms - median_of(times.execution_ms));
    return times;
}

std::string needs_one_column(std::int64_t width) {
    return width == 1 ? "" : "computes products of one column alone: --vector";
}

/// Without a problem and without resources.
EncodeWay plain_way(std::string name, std::string what) {
    EncodeWay way;
    way.name = std::move(name);
    way.what = std::move(what);
    way.problem = [](std::int64_t) { return std::string(); };
    way.resources = [] { return std::optional<cuda::Resources>(); };
    return way;
}

template <typename Variant>
EncodeWay way_of(const Variant& variant) {
    EncodeWay way = plain_way(variant.name, variant.what);
    way.additions = variant.additions;
    way.per_column = variant.per_column;
    way.further = variant.further;
    return way;
}

/// What computes the amplitudes of a step: no panel of columns, but one.
EncodeWay vector_way() {
    EncodeWay way = plain_way("vector", "sums of 4 values looked up, for one column");
    way.additions = 0.25;
    way.per_column = 0.25;
    way.problem = needs_one_column;
    way.multiply = [](const EncodeProblem& problem, std::span<float> product, int rounds) {
        return timed_on_cpu(rounds, [&] { multiply_vector<float>(problem.codes(), problem.values(), product); });
    };
    return way;
}

EncodeWay blas_way() {
    EncodeWay way = plain_way("blas", blas().name + ", both matrices as floats");
    way.packed = false;
    way.multiply = [](const EncodeProblem& problem, std::span<float> product, int rounds) {
        return timed_on_cpu(rounds, [&] {
            multiply_by_blas(problem.codes_as_floats(), problem.size(), problem.size(), problem.values(),
                             problem.width(), product);
        });
    };
    return way;
}

EncodeTimes times_of(cuda::PackedTimes times) {
    return {times.start_up_ms, times.transfer_ms, std::move(times.execution_ms)};
}

EncodeWay gpu_way(const cuda::PackedVariant& variant) {
    EncodeWay way = way_of(variant);
    way.on_tensor_cores = variant.on_tensor_cores;
    way.problem = [variant](std::int64_t width) { return cuda::packed_problem(variant, width); };
    way.multiply = [name = variant.name](const EncodeProblem& problem, std::span<float> product, int rounds) {
        return times_of(
            cuda::multiply_packed(name, problem.codes(), problem.values(), problem.width(), product, rounds));
    };
    way.resources = [name = variant.name] { return std::optional(cuda::packed_resources(name)); };
    return way;
}

EncodeWay cublas_way() {
    EncodeWay way = plain_way("cublas", cuda::cublas().name + ", both matrices as floats, FP32");
    way.packed = false;
    way.multiply = [](const EncodeProblem& problem, std::span<float> product, int rounds) {
        return times_of(cuda::multiply_by_cublas(problem.codes_as_floats(), problem.size(), problem.size(),
                                                 problem.values(), problem.width(), product, rounds));
    };
    return way;
}

/// The fastest of the rows that a condition holds for.
template <typename Condition>
const EncodeRow* fastest_row(std::span<const EncodeRow> rows, const Condition& condition) {
    const EncodeRow* best = nullptr;
    for (const EncodeRow& row : rows)
        if (condition(row) && (best == nullptr || row.median_ms < best->median_ms)) best = &row;
    return best;
}

/// Thousand millions of additions a second.
double additions_rate(const EncodeRow& row, const EncodeProblem& problem) {
    return 1e-6 * row.way.additions * problem.operations() / 2. / row.median_ms;
}

/// What a way does for a code and a value.
const char* work_of(const EncodeWay& way) {
    if (way.on_tensor_cores) return "multiply-adds of tensor cores";
    return way.packed ? "additions" : "multiply-adds";
}

/// Two durations, as what is done and how much of it a second.
std::string comparison_text(const EncodeRow& best, const EncodeRow& other, const std::string& of,
                            const EncodeProblem& problem) {
    return fmt::format(
        "{} takes {:.3g} of the time of {}{}: for a code and a value {:g} {} instead of {:g} {}, {:.3g} instead of "
        "{:.3g} G/s",
        best.way.name, best.median_ms / other.median_ms, other.way.name, of, best.way.additions, work_of(best.way),
        other.way.additions, work_of(other.way), additions_rate(best, problem), additions_rate(other, problem));
}

std::string bytes_verdict(const EncodeRow& best, const EncodeProblem& problem) {
    const std::int64_t bytes = problem.bytes(best.way.packed);
    return fmt::format("{} moves {} at least, {:.3g} GB/s; with codes {} it would be {}", best.way.name,
                       bytes_text(bytes), 1e-6 * static_cast<double>(bytes) / best.median_ms,
                       best.way.packed ? "as floats" : "packed", bytes_text(problem.bytes(!best.way.packed)));
}

}  // namespace

EncodeProblem::EncodeProblem(std::int64_t size, std::int64_t width)
    : width_(width), codes_(0, 0), of_sizes_(static_cast<std::size_t>(width)) {
    std::mt19937 random(20);
    codes_ = random_codes_of(size, random);
    values_ = normal_values(size * width, random);
    as_floats_ = floats_of(codes_);
    for (std::size_t i = 0; i < values_.size(); ++i)
        of_sizes_[i % of_sizes_.size()] += std::abs(static_cast<double>(values_[i]));
    product_.resize(static_cast<std::size_t>(size * width));
    onda::multiply<double>(codes_, std::vector<double>(values_.begin(), values_.end()), width, product_);
}

double EncodeProblem::operations() const {
    return 2. * static_cast<double>(size()) * static_cast<double>(size()) * static_cast<double>(width_);
}

std::int64_t EncodeProblem::bytes(bool packed) const {
    const std::int64_t of_codes = packed ? std::ssize(codes_.words()) * 8 : std::ssize(as_floats_) * 4;
    return of_codes + 2 * 4 * std::ssize(values_);
}

double EncodeProblem::error(std::span<const float> product) const {
    double largest = 0.;
    for (std::size_t i = 0; i < product_.size(); ++i) {
        const double apart = std::abs(product[i] - product_[i]) / of_sizes_[i % of_sizes_.size()];
        if (!(apart <= std::numeric_limits<float>::max())) return std::numeric_limits<double>::infinity();
        largest = std::max(largest, apart);
    }
    return std::ldexp(largest, 24);
}

std::vector<EncodeWay> encode_ways(bool on_gpu) {
    std::vector<EncodeWay> ways;
    if (on_gpu) {
        for (const cuda::PackedVariant& variant : cuda::packed_variants()) ways.push_back(gpu_way(variant));
        if (cuda::cublas().problem.empty()) ways.push_back(cublas_way());
        return ways;
    }
    for (const PackedVariant& variant : packed_variants_cpu()) {
        ways.push_back(way_of(variant));
        ways.back().multiply = [multiply = variant.multiply](const EncodeProblem& problem, std::span<float> product,
                                                             int rounds) {
            return timed_on_cpu(rounds, [&] { multiply(problem.codes(), problem.values(), problem.width(), product); });
        };
    }
    ways.push_back(vector_way());
    if (blas().problem.empty()) ways.push_back(blas_way());
    return ways;
}

std::string missing_library(bool on_gpu) {
    const std::string& problem = on_gpu ? cuda::cublas().problem : blas().problem;
    if (problem.empty()) return {};
    return fmt::format("{} is left out: {}", on_gpu ? "cuBLAS" : "BLAS", problem);
}

std::vector<EncodeWay> chosen_ways(const std::vector<EncodeWay>& ways, const std::vector<std::string>& names,
                                   std::int64_t width) {
    std::vector<EncodeWay> chosen;
    std::vector<std::string> known;
    for (const EncodeWay& way : ways) {
        known.push_back(way.name);
        if (names.empty() && way.problem(width).empty()) chosen.push_back(way);
    }
    for (const std::string& name : names) {
        const auto way = std::ranges::find(ways, name, &EncodeWay::name);
        if (way == ways.end()) {
            const auto meant = nearest_name(name, known);
            throw Error(ExitCode::usage,
                        fmt::format("--variant '{}': {}this device has {}", printable(name),
                                    meant ? "did you mean " + *meant + "? " : "", fmt::join(known, ", ")));
        }
        if (const std::string problem = way->problem(width); !problem.empty())
            throw Error(ExitCode::usage, fmt::format("--variant {} {}", name, problem));
        chosen.push_back(*way);
    }
    return chosen;
}

EncodeRow measure_encode(const EncodeWay& way, const EncodeProblem& problem, int rounds) {
    // What a way does not write stays no number, which no bound holds for.
    std::vector<float> product(static_cast<std::size_t>(problem.size() * problem.width()),
                               std::numeric_limits<float>::quiet_NaN());
    EncodeRow row{way, way.multiply(problem, product, rounds)};
    row.median_ms = median_of(row.times.execution_ms);
    row.error = problem.error(product) / way.error_factor(problem.size());
    return row;
}

std::vector<std::string> encode_verdict(std::span<const EncodeRow> rows, const EncodeProblem& problem) {
    std::vector<std::string> lines;
    const EncodeRow* const best = fastest_row(rows, [](const EncodeRow& row) { return row.holds(); });
    if (best == nullptr) return {"no way is within its bound"};
    lines.push_back(fmt::format("{} is the fastest: {:.4g} ms, {:.4g} Gop/s", best->way.name, best->median_ms,
                                1e-6 * problem.operations() / best->median_ms));
    const EncodeRow* const one_by_one = fastest_row(rows, [](const EncodeRow& row) {
        return row.holds() && row.way.packed && row.way.additions == 1. && !row.way.on_tensor_cores;
    });
    const EncodeRow* const library = fastest_row(rows, [](const EncodeRow& row) { return !row.way.packed; });
    if (one_by_one != nullptr && one_by_one != best)
        lines.push_back(comparison_text(*best, *one_by_one, ", the best that adds value by value", problem));
    if (library != nullptr && library != best)
        lines.push_back(comparison_text(*best, *library, " with floats", problem));
    lines.push_back(bytes_verdict(*best, problem));
    const EncodeRow* whole = best;
    for (const EncodeRow& row : rows)
        if (row.holds() && row.whole_ms() < whole->whole_ms()) whole = &row;
    if (best->times.transfer_ms > 0.)
        lines.push_back(fmt::format("with transfers {} is the fastest: {:.4g} ms, of which {:.4g} ms are transfers",
                                    whole->way.name, whole->whole_ms(), whole->times.transfer_ms));
    return lines;
}

}  // namespace onda
