/// \file
/// A volume turned about the vertical, value by value: the same bits on host and device, but for subnormal numbers,
/// which GPUs flush.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/host_device.hpp"

namespace onda {

/// How a template lies on its canvas, the box that holds it in every direction: the centres of both coincide.
struct TemplateTurn {
    std::int64_t n[3] = {1, 1, 1};       ///< nodes of the template along x, y, z
    std::int64_t canvas[3] = {1, 1, 1};  ///< nodes of the canvas; that along z is n[2]
    double cosine = 1., sine = 0.;       ///< of the angle from x to y
};

/// The value of a template at a node of its plane, zero outside.
ONDA_HOST_DEVICE float template_value(const float* plane, const TemplateTurn& turn, std::int64_t x, std::int64_t y) {
    return x < 0 || y < 0 || x >= turn.n[0] || y >= turn.n[1] ? 0.f : plane[y * turn.n[0] + x];
}

/// The turned template at a node of the canvas, bilinear between the four nodes around: planes stay planes.
/// \param values [z][y][x] of the template.
ONDA_HOST_DEVICE float turned_value(const float* values, const TemplateTurn& turn, std::int64_t x, std::int64_t y,
                                    std::int64_t z) {
    const float* const plane = values + z * turn.n[0] * turn.n[1];
    const double across = static_cast<double>(x) - 0.5 * static_cast<double>(turn.canvas[0] - 1);
    const double along = static_cast<double>(y) - 0.5 * static_cast<double>(turn.canvas[1] - 1);
    // Products are added by fma: a GPU and every CPU round them alike.
    const double u = std::fma(turn.cosine, across, turn.sine * along) + 0.5 * static_cast<double>(turn.n[0] - 1);
    const double v = std::fma(turn.cosine, along, -(turn.sine * across)) + 0.5 * static_cast<double>(turn.n[1] - 1);
    const double left = std::floor(u), front = std::floor(v);
    const auto i = static_cast<std::int64_t>(left), j = static_cast<std::int64_t>(front);
    const auto a = static_cast<float>(u - left), b = static_cast<float>(v - front);
    const float f00 = template_value(plane, turn, i, j), f10 = template_value(plane, turn, i + 1, j);
    const float f01 = template_value(plane, turn, i, j + 1), f11 = template_value(plane, turn, i + 1, j + 1);
    const float near = std::fma(a, f10 - f00, f00), far = std::fma(a, f11 - f01, f01);
    return std::fma(b, far - near, near);
}

}  // namespace onda
