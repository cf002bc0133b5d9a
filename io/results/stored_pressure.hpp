/// \file
/// What single precision, in which result files store pressure, can hold.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace onda {

/// Whether single precision holds every value: neither NaN nor infinite, nor beyond 3.4028235e38. T is float or double.
template <typename T>
bool storable(std::span<const T> pressure);

/// What values are, for messages.
struct StoredQuantity {
    std::string_view name = "pressure", unit = "Pa";
};

/// The one check of pressure, and of what receivers record beside it, on its way into a file or a picture.
/// \param place of value `index`, for the message: shot, position and time.
/// \throws Error(unstable) with the first value that cannot be stored, its place, the limit and what to do.
template <typename T>
void require_storable(std::span<const T> values, const std::function<std::string(std::size_t index)>& place,
                      const StoredQuantity& quantity = {});

/// "(1.5, 0, 20) m".
std::string position_text(const std::array<double, 3>& position_m);

}  // namespace onda
