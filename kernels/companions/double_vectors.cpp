#include "kernels/companions/double_vectors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace onda {
namespace {

using SumLanes = std::array<double, kSumLanes>;

double sum_of_lanes(SumLanes& lane) {
    for (std::size_t half = kSumLanes / 2; half > 0; half /= 2)
        for (std::size_t i = 0; i < half; ++i) lane[i] += lane[i + half];
    return lane[0];
}

/// The sum of value(0) … value(count - 1) in the order of one block.
template <typename Value>
double sum_in_lanes(std::int64_t count, const Value& value) {
    SumLanes lane{};
    std::int64_t at = 0;
    for (; at + kSumLanes <= count; at += kSumLanes)
        for (std::int64_t i = 0; i < kSumLanes; ++i) lane[static_cast<std::size_t>(i)] += value(at + i);
    for (std::int64_t i = 0; at + i < count; ++i) lane[static_cast<std::size_t>(i)] += value(at + i);
    return sum_of_lanes(lane);
}

}  // namespace

double DoubleVectors::dot(const Vector& a, const Vector& b) {
    const auto size = static_cast<std::int64_t>(a.size()), blocks = (size + kSumBlock - 1) / kSumBlock;
    std::vector<double> sums(static_cast<std::size_t>(blocks));
#pragma omp parallel for schedule(static)
    for (std::int64_t block = 0; block < blocks; ++block) {
        const double *const p = a.data() + block * kSumBlock, *const q = b.data() + block * kSumBlock;
        sums[static_cast<std::size_t>(block)] =
            sum_in_lanes(std::min(kSumBlock, size - block * kSumBlock), [p, q](std::int64_t i) { return p[i] * q[i]; });
    }
    return sum_in_lanes(blocks, [&sums](std::int64_t i) { return sums[static_cast<std::size_t>(i)]; });
}

void DoubleVectors::add(Vector& y, double a, const Vector& x) {
    const auto size = static_cast<std::int64_t>(y.size());
    double* const to = y.data();
    const double* const from = x.data();
#pragma omp parallel for simd schedule(static)
    for (std::int64_t i = 0; i < size; ++i) to[i] += a * from[i];
}

void DoubleVectors::combine(Vector& y, double b, const Vector& x) {
    const auto size = static_cast<std::int64_t>(y.size());
    double* const to = y.data();
    const double* const from = x.data();
#pragma omp parallel for simd schedule(static)
    for (std::int64_t i = 0; i < size; ++i) to[i] = from[i] + b * to[i];
}

void DoubleVectors::scale(Vector& y, double a, const Vector& x) {
    const auto size = static_cast<std::int64_t>(y.size());
    double* const to = y.data();
    const double* const from = x.data();
#pragma omp parallel for simd schedule(static)
    for (std::int64_t i = 0; i < size; ++i) to[i] = a * from[i];
}

double norm(const DoubleVectors::Vector& a) {
    return std::sqrt(DoubleVectors::dot(a, a));
}

}  // namespace onda
