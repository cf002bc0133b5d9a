/// \file
/// The codes of k: which values they stand for, and how far these are from what they replace.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/storage.hpp"

namespace onda {

/// The name of a storage in configurations and on command lines.
constexpr std::string_view name(Storage storage) {
    return storage == Storage::full ? "float" : storage == Storage::codes ? "16bit" : "table";
}

/// How devices store k, and the values that it may have. Chosen for a whole model, so that parts and slabs of it are
/// stored alike: what is computed is the model of these values, with the same bits as if they were stored in full.
struct MediumCode {
    Storage storage = Storage::full;
    FloatCode code = {};       ///< of 16 bits
    std::vector<float> table;  ///< ascending, with zero; at most kMostTableValues

    static constexpr std::size_t kMostTableValues = 256;

    /// Bytes of an element of k. \param full those of a number of the precision.
    [[nodiscard]] std::int64_t element_bytes(std::int64_t full) const {
        return storage == Storage::full ? full : storage == Storage::codes ? 2 : 1;
    }
    /// The storage in logs, after the precision: ", model as 16bit"; empty for numbers.
    [[nodiscard]] std::string description() const;
    /// The code of the nearest value.
    [[nodiscard]] std::uint16_t encoded(float k) const;
    /// The value of a code.
    [[nodiscard]] float decoded(std::uint16_t q) const;
    /// By how much, relative to k, the values of codes differ at most from the numbers that they stand for: between the
    /// lowest and the highest k that they were made for.
    [[nodiscard]] double largest_change() const;
};

/// 16 bits for numbers between the lowest k, above zero, and the highest, which has a code of its own: none is decoded
/// as more, so that the stability limit holds. Where there are no more than 65535 floats between them every one has a
/// code.
MediumCode medium_of_codes(float lowest, float highest);

/// A table of these values and zero. \throws std::invalid_argument for more than fit.
MediumCode medium_of_table(std::span<const float> values);

}  // namespace onda
