#include "solver/inversion/host_vectors.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace onda {

/// Of blocks first, whoever adds them.
double HostVectors::dot(const Vector& a, const Vector& b) {
    constexpr std::size_t block = 1 << 12;
    std::vector<double> sums((a.size() + block - 1) / block);
#pragma omp parallel for
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const std::size_t end = std::min(a.size(), (i + 1) * block);
        double sum = 0.;
        for (std::size_t at = i * block; at < end; ++at) sum += static_cast<double>(a[at]) * static_cast<double>(b[at]);
        sums[i] = sum;
    }
    double whole = 0.;
    for (const double sum : sums) whole += sum;
    return whole;
}

void HostVectors::add(Vector& y, double a, const Vector& x) {
#pragma omp parallel for
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] = static_cast<float>(std::fma(a, static_cast<double>(x[i]), static_cast<double>(y[i])));
}

void HostVectors::combine(Vector& y, double b, const Vector& x) {
#pragma omp parallel for
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] = static_cast<float>(std::fma(b, static_cast<double>(y[i]), static_cast<double>(x[i])));
}

}  // namespace onda
