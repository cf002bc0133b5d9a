/// \file
/// How k = (vp dt)^2, the array of a medium that kernels read, lies in memory: apart from the set-up, so that kernels
/// may know it. kernels/plan/medium_code.hpp chooses the codes.
#pragma once

#include <cstdint>

#include "kernels/host_device.hpp"

namespace onda {

/// As numbers of the precision that is computed in; as codes of 16 bits; as indices of 8 bits into a table.
enum class Storage { full, codes, table };

/// What a code q of 16 bits stands for: the float whose bits, as an integer, are base + step q. Between two powers of
/// two such numbers are equally far apart, and their distance grows with them: the relative error hardly depends on the
/// velocity. Code 0 is zero, which walls have; an integer multiplication is all that there is to decode, and it is
/// exact.
struct FloatCode {
    std::uint32_t base = 0, step = 1;

    [[nodiscard]] ONDA_HOST_DEVICE float decoded(std::uint32_t q) const {
        const std::uint32_t bits = q == 0 ? 0 : base + step * q;
        return __builtin_bit_cast(float, bits);
    }
};

// What follows stands where kernels have a pointer to k: a place in an array of codes, with what they stand for.

struct CodesOfK {
    using Code = std::uint16_t;
    const Code* at;
    FloatCode code;

    [[nodiscard]] ONDA_HOST_DEVICE float decoded(std::uint32_t q) const { return code.decoded(q); }
    [[nodiscard]] ONDA_HOST_DEVICE float operator[](std::int64_t i) const { return decoded(at[i]); }
};

struct IndicesOfK {
    using Code = std::uint8_t;
    const Code* at;
    const float* table;  ///< of 256 values

    [[nodiscard]] ONDA_HOST_DEVICE float decoded(std::uint32_t q) const { return table[q]; }
    [[nodiscard]] ONDA_HOST_DEVICE float operator[](std::int64_t i) const { return decoded(at[i]); }
};

template <typename K>
concept KnownCodes = requires {
    typename K::Code;
};

template <KnownCodes K>
ONDA_HOST_DEVICE K operator+(K k, std::int64_t elements) {
    k.at += elements;
    return k;
}
template <KnownCodes K>
ONDA_HOST_DEVICE K& operator+=(K& k, std::int64_t elements) {
    k.at += elements;
    return k;
}

/// Codes of either kind: for what reads few of them, and what finds out which they are.
struct CodedK {
    Storage storage = Storage::full;  ///< full: there are none
    const void* at = nullptr;         ///< at node (0, 0, 0) of an array
    FloatCode code = {};
    const float* table = nullptr;

    [[nodiscard]] ONDA_HOST_DEVICE CodesOfK codes() const { return {static_cast<const std::uint16_t*>(at), code}; }
    [[nodiscard]] ONDA_HOST_DEVICE IndicesOfK indices() const { return {static_cast<const std::uint8_t*>(at), table}; }
    [[nodiscard]] ONDA_HOST_DEVICE float operator[](std::int64_t i) const {
        return storage == Storage::codes ? codes()[i] : indices()[i];
    }
    [[nodiscard]] ONDA_HOST_DEVICE CodedK operator+(std::int64_t elements) const {
        CodedK k = *this;
        if (storage == Storage::codes)
            k.at = codes().at + elements;
        else
            k.at = indices().at + elements;
        return k;
    }
    ONDA_HOST_DEVICE CodedK& operator+=(std::int64_t elements) { return *this = *this + elements; }
};

/// The codes as a kernel asks for them. \tparam K CodesOfK, IndicesOfK, or CodedK for either.
template <typename K>
ONDA_HOST_DEVICE K as(const CodedK& k) {
    if constexpr (__is_same(K, CodesOfK))
        return k.codes();
    else if constexpr (__is_same(K, IndicesOfK))
        return k.indices();
    else
        return k;
}

/// The address of an element, to prefetch it.
template <typename T>
ONDA_HOST_DEVICE const void* address_of(const T* k, std::int64_t i) {
    return k + i;
}
template <typename K>
ONDA_HOST_DEVICE const void* address_of(const K& k, std::int64_t i) {
    return (k + i).at;
}

}  // namespace onda
