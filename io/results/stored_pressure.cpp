#include "io/results/stored_pressure.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "io/hdf5/hdf5.hpp"
#include "io/hdf5/run_together.hpp"
#include "io/text/error.hpp"
#include "io/text/number_text.hpp"

namespace onda {
namespace {

/// The values that a thread looks at in one go: reading them takes longer than starting it.
constexpr std::size_t kPart = 4 << 20;

template <typename T>
bool fits(T value) {
    return std::abs(value) <= static_cast<T>(std::numeric_limits<float>::max());  // false for NaN
}

template <typename T>
bool all_fit(std::span<const T> pressure) {
    // Without an early end, so that it becomes a vector loop: a run looks at every value that it stores.
    bool all = true;
    for (const T p : pressure) all &= fits(p);
    return all;
}

}  // namespace

template <typename T>
bool storable(std::span<const T> pressure) {
    const std::size_t parts = (pressure.size() + kPart - 1) / kPart;
    if (parts <= 1) return all_fit(pressure);
    std::atomic<std::size_t> taken = 0;
    std::atomic<bool> all = true;
    run_together(hdf5::writing_threads(parts), [&] {
        for (std::size_t part = taken++; part < parts && all; part = taken++)
            if (!all_fit(pressure.subspan(part * kPart, std::min(kPart, pressure.size() - part * kPart)))) all = false;
    });
    return all;
}

template <typename T>
void require_storable(std::span<const T> values, const std::function<std::string(std::size_t)>& place,
                      const StoredQuantity& quantity) {
    if (storable(values)) return;
    const auto first = std::ranges::find_if_not(values, fits<T>);
    throw Error(ExitCode::unstable,
                place(static_cast<std::size_t>(first - values.begin())) + ": the " + std::string(quantity.name) +
                    " is " + shortest(static_cast<double>(*first)) + " " + std::string(quantity.unit) +
                    ", and single precision ends at 3.4028235e+38\n  results are stored in single precision, "
                    "whatever scheme.precision is; lower sources[].amplitude, with which they scale");
}

template bool storable(std::span<const float>);
template bool storable(std::span<const double>);
template void require_storable(std::span<const float>, const std::function<std::string(std::size_t)>&,
                               const StoredQuantity&);
template void require_storable(std::span<const double>, const std::function<std::string(std::size_t)>&,
                               const StoredQuantity&);

std::string position_text(const std::array<double, 3>& position_m) {
    return "(" + shortest(position_m[0]) + ", " + shortest(position_m[1]) + ", " + shortest(position_m[2]) + ") m";
}

}  // namespace onda
