/// \file
/// Vectors in the memory of the host, for conjugate gradients.
#pragma once

#include <vector>

namespace onda {

/// Values in single precision, with sums in double whose bits do not depend on the number of threads.
struct HostVectors {
    using Vector = std::vector<float>;

    [[nodiscard]] static Vector zeros(const Vector& like) { return Vector(like.size()); }
    [[nodiscard]] static double dot(const Vector& a, const Vector& b);
    static void add(Vector& y, double a, const Vector& x);
    static void combine(Vector& y, double b, const Vector& x);
};

}  // namespace onda
