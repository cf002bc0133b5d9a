/// \file
/// Vectors of doubles in the memory of the host, for conjugate gradients, and the order in which their products are
/// summed, on every device.
#pragma once

#include <cstdint>
#include <vector>

namespace onda {

/// The order of a sum over a vector: element i of a block of kSumBlock belongs to lane i mod kSumLanes, each lane adds
/// its elements in their order, and lanes are added as a tree: each of the lower half and its partner of the upper
/// half, until one is left. The sums of all blocks are added in the same way, as one block of any length. So a sum has
/// the same bits for any number of threads, and on a GPU.
inline constexpr std::int64_t kSumBlock = 2048, kSumLanes = 256;

/// The vectors of solve_by_conjugate_gradients(). Two vectors of one call have the same size.
struct DoubleVectors {
    using Vector = std::vector<double>;

    [[nodiscard]] static Vector zeros(const Vector& like) { return Vector(like.size()); }
    /// <a, b>, in the order of kSumBlock; products are rounded before they are added.
    [[nodiscard]] static double dot(const Vector& a, const Vector& b);
    /// y += a x
    static void add(Vector& y, double a, const Vector& x);
    /// y = x + b y
    static void combine(Vector& y, double b, const Vector& x);
    /// y = a x
    static void scale(Vector& y, double a, const Vector& x);
};

/// The Euclidean norm.
[[nodiscard]] double norm(const DoubleVectors::Vector& a);

}  // namespace onda
