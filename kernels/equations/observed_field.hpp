/// \file
/// What receivers and snapshots see of the fields of an equation, on every device.
#pragma once

#include <cstdint>

#include "kernels/equations/vti/vti.hpp"

namespace onda {

/// A time level of the first field, and what is seen of the second one with it. Its elements are those of either array.
template <typename T>
struct ObservedField {
    const T* p = nullptr;
    const T* second = nullptr;  ///< null: nothing
    T share = 0;                ///< mean_stress() of kernels/equations/vti/vti.hpp

    ONDA_HOST_DEVICE T operator()(std::int64_t element) const {
        return second == nullptr ? p[element] : mean_stress(share, p[element], second[element]);
    }
    /// The same, counted from further on in the arrays.
    [[nodiscard]] ONDA_HOST_DEVICE ObservedField from(std::int64_t element) const {
        return {p + element, second == nullptr ? nullptr : second + element, share};
    }
};

}  // namespace onda
