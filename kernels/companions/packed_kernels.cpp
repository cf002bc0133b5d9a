// Panels of a product with packed codes: what lies in registers and in the first cache while their rows are summed.
#include "kernels/companions/packed_kernels.hpp"

#include "kernels/cpu/kernel.hpp"
#include "kernels/cpu/simd.hpp"

namespace onda::cpu {
namespace {

constexpr std::int64_t kCodesOfWord = 64;

/// Of the words of a row, and of codes in the last of them.
inline std::int64_t codes_in_word(std::int64_t columns, std::int64_t word) {
    const std::int64_t left = columns - word * kCodesOfWord;
    return left < kCodesOfWord ? left : kCodesOfWord;
}

/// As much of a row as is computed together: a panel in registers, or one value.
template <typename T, typename Part, int Parts>
struct LaneOf {
    using Element = T;
    static constexpr int kElements = Parts * static_cast<int>(sizeof(Part) / sizeof(T));
    static constexpr int kStep = kElements / Parts;
    Part part[Parts];

    // Register by register: a copy of the whole would go through memory.
    ONDA_HOST_DEVICE void read(const T* from) {
        unroll<0, Parts>([&](auto p) { __builtin_memcpy(&part[p.value], from + p.value * kStep, sizeof(Part)); });
    }
    ONDA_HOST_DEVICE void write(T* to) const {
        unroll<0, Parts>([&](auto p) { __builtin_memcpy(to + p.value * kStep, &part[p.value], sizeof(Part)); });
    }
    ONDA_HOST_DEVICE void add(const LaneOf& other) {
        unroll<0, Parts>([&](auto p) { part[p.value] = part[p.value] + other.part[p.value]; });
    }
    ONDA_HOST_DEVICE void subtract(const LaneOf& other) {
        unroll<0, Parts>([&](auto p) { part[p.value] = part[p.value] - other.part[p.value]; });
    }
    ONDA_HOST_DEVICE void negate() {
        unroll<0, Parts>([&](auto p) { part[p.value] = -part[p.value]; });
    }
};
template <typename T>
using PanelLane = LaneOf<T, Vector<T>, 64 / kVectorBytes>;
template <typename T>
using ValueLane = LaneOf<T, T, 1>;
static_assert(PanelLane<float>::kElements == kPanel<float> && PanelLane<double>::kElements == kPanel<double>);

template <typename T>
inline std::int64_t panel_columns(const PackedProduct<T>& product, const PackedPart<T>& part) {
    const std::int64_t left = product.width - part.first_column;
    return left < kPanel<T> ? left : kPanel<T>;
}

/// The panel of the values, row after row without gaps: rows that lie a power of two apart would meet in one set of the
/// cache. Columns beyond the width are zeros.
template <typename T>
const T* copy_panel(const PackedProduct<T>& product, const PackedPart<T>& part) {
    T* const panel = part.scratch;
    const std::int64_t columns = panel_columns(product, part);
    for (std::int64_t s = 0; s < product.columns; ++s) {
        const T* const from = product.values + s * product.width + part.first_column;
        for (std::int64_t j = 0; j < kPanel<T>; ++j) panel[s * kPanel<T> + j] = j < columns ? from[j] : T(0);
    }
    return panel;
}

/// The sums of the part, [row][kPanel].
template <typename T>
T* sums_of(const PackedProduct<T>& product, const PackedPart<T>& part) {
    return part.scratch + product.columns * kPanel<T>;
}

template <typename T>
void write_panel(const PackedProduct<T>& product, const PackedPart<T>& part) {
    const T* const sums = sums_of(product, part);
    const std::int64_t columns = panel_columns(product, part);
    for (std::int64_t r = 0; r < part.rows; ++r) {
        T* const to = product.product + (part.first_row + r) * product.width + part.first_column;
        for (std::int64_t j = 0; j < columns; ++j) to[j] = sums[r * kPanel<T> + j];
    }
}

// ---- Look-up: the sums of a group of columns with all their codes, for all rows. ----

/// Writes the sums of some rows of values with all their codes, each from left to right: bit k of the index is the code
/// of row k.
template <typename Lane, typename T>
ONDA_HOST_DEVICE void make_table(const T* values, std::int64_t rows, T* table) {
    Lane value;
    value.read(values);
    value.write(table + Lane::kElements);
    value.negate();
    value.write(table);
    for (std::int64_t k = 1; k < rows; ++k) {
        const std::int64_t half = (std::int64_t{1} << k) * Lane::kElements;
        value.read(values + k * Lane::kElements);
        for (T* at = table; at < table + half; at += Lane::kElements) {
            Lane plus, minus;
            plus.read(at);
            minus.read(at);
            plus.add(value);
            minus.subtract(value);
            plus.write(at + half);
            minus.write(at);
        }
    }
}

/// Adds what the tables have for the next codes of a row to its sum.
template <int Bits, int Groups, typename Lane, typename T>
ONDA_HOST_DEVICE void add_found(const T (&table)[Groups][(1 << Bits) * Lane::kElements], std::uint64_t codes,
                                Lane& sum) {
    unroll<0, Groups>([&](auto g) {
        Lane found;
        found.read(table[g.value] + (codes >> (Bits * g.value) & ((1U << Bits) - 1)) * Lane::kElements);
        sum.add(found);
    });
}

/// Sums of groups of `Bits` columns, `Groups` of which have their tables in the cache at a time.
template <int Bits, int Groups, typename Lane, typename T>
void look_up(const PackedProduct<T>& product, const PackedPart<T>& part, const T* values, T* sums) {
    constexpr int columns_together = Bits * Groups, elements = Lane::kElements;
    static_assert(kCodesOfWord % columns_together == 0);
    alignas(64) T table[Groups][(1 << Bits) * elements];
    for (std::int64_t first = 0; first < product.columns; first += columns_together) {
        for (int g = 0; g < Groups; ++g) {
            const std::int64_t begin = first + g * Bits, left = product.columns - begin;
            if (left > 0)
                make_table<Lane>(values + begin * elements, left < Bits ? left : Bits, table[g]);
            else
                Lane{}.write(table[g]);  // of padding, whose codes are zeros
        }
        const std::uint64_t* word = product.codes + part.first_row * product.words_of_row + first / kCodesOfWord;
        const auto shift = static_cast<int>(first % kCodesOfWord);
        T* at = sums;
        for (std::int64_t r = 0; r < part.rows; ++r, word += product.words_of_row, at += elements) {
            Lane sum{};
            if (first > 0) sum.read(at);
            add_found<Bits, Groups>(table, *word >> shift, sum);
            sum.write(at);
        }
    }
}

template <int Bits, int Groups, typename T>
void look_up_panel(const PackedProduct<T>& product, const PackedPart<T>& part) {
    look_up<Bits, Groups, PanelLane<T>>(product, part, copy_panel(product, part), sums_of(product, part));
    write_panel(product, part);
}

// ---- A code at a time: each row of values is read once for four rows of codes. ----

/// As many bits as a float, to change its sign.
typedef std::uint32_t SignBits __attribute__((vector_size(kVectorBytes)));
using FloatLane = PanelLane<float>;

template <typename Body>
ONDA_HOST_DEVICE void for_parts(const Body& body) {
    unroll<0, 64 / kVectorBytes>(body);
}

/// Adds where the bit is set, and subtracts where it is not.
struct UnpackByIf {
    static ONDA_HOST_DEVICE void apply(FloatLane& sum, const FloatLane& value, std::uint64_t word, int bit) {
        if ((word >> bit & 1) != 0)
            sum.add(value);
        else
            sum.subtract(value);
    }
};
/// Makes a float of the bit, and multiplies.
struct UnpackByShift {
    static ONDA_HOST_DEVICE void apply(FloatLane& sum, const FloatLane& value, std::uint64_t word, int bit) {
        const float code = static_cast<float>(2 * static_cast<int>(word >> bit & 1) - 1);
        for_parts([&](auto p) { sum.part[p.value] = sum.part[p.value] + value.part[p.value] * code; });
    }
};
/// Makes 1 or -1 of the bit as its sign, and multiplies and adds at once.
struct UnpackByFma {
    static ONDA_HOST_DEVICE void apply(FloatLane& sum, const FloatLane& value, std::uint64_t word, int bit) {
        const float code = __builtin_bit_cast(float, 0x3F800000U | static_cast<std::uint32_t>(~word >> bit & 1) << 31);
        for_parts([&](auto p) { sum.part[p.value] = fused(value.part[p.value], splat(code), sum.part[p.value]); });
    }
};
/// Changes the sign where the bit is not set.
struct UnpackByXor {
    static ONDA_HOST_DEVICE void apply(FloatLane& sum, const FloatLane& value, std::uint64_t word, int bit) {
        const std::uint32_t sign = static_cast<std::uint32_t>(~word >> bit & 1) << 31;
        for_parts([&](auto p) {
            sum.part[p.value] = sum.part[p.value] + (Vector<float>)((SignBits)value.part[p.value] ^ sign);
        });
    }
};
/// Adds zero where the bit is not set: the product with codes 1 and 0.
struct UnpackByAnd {
    static ONDA_HOST_DEVICE void apply(FloatLane& sum, const FloatLane& value, std::uint64_t word, int bit) {
        const std::uint32_t mask = 0U - static_cast<std::uint32_t>(word >> bit & 1);
        for_parts([&](auto p) {
            sum.part[p.value] = sum.part[p.value] + (Vector<float>)((SignBits)value.part[p.value] & mask);
        });
    }
};

template <typename Unpack, bool Unrolled, int Rows>
ONDA_HOST_DEVICE void add_word(FloatLane (&sum)[Rows], const std::uint64_t (&word)[Rows], const float* values,
                               int codes) {
    constexpr int together = Unrolled ? 8 : 1;
    const auto add = [&](int bit) {
        FloatLane value;
        value.read(values + bit * kPanel<float>);
        unroll<0, Rows>([&](auto r) { Unpack::apply(sum[r.value], value, word[r.value], bit); });
    };
    int bit = 0;
#pragma GCC unroll 1
    for (; bit + together <= codes; bit += together) unroll<0, together>([&](auto i) { add(bit + i.value); });
#pragma GCC unroll 1
    for (; bit < codes; ++bit) add(bit);
}

template <typename Unpack, bool Unrolled, int Rows>
void sum_rows(const PackedProduct<float>& product, const std::uint64_t* codes, const float* values, float* sums) {
    FloatLane sum[Rows] = {};
    for (std::int64_t w = 0; w < product.words_of_row; ++w) {
        std::uint64_t word[Rows];
        for (int r = 0; r < Rows; ++r) word[r] = codes[r * product.words_of_row + w];
        add_word<Unpack, Unrolled>(sum, word, values + w * kCodesOfWord * kPanel<float>,
                                   static_cast<int>(codes_in_word(product.columns, w)));
    }
    unroll<0, Rows>([&](auto r) { sum[r.value].write(sums + r.value * kPanel<float>); });
}

template <typename Unpack, bool Unrolled>
void sum_panel(const PackedProduct<float>& product, const PackedPart<float>& part) {
    const float* const values = copy_panel(product, part);
    float* const sums = sums_of(product, part);
    const std::uint64_t* const codes = product.codes + part.first_row * product.words_of_row;
    std::int64_t r = 0;
    for (; r + 4 <= part.rows; r += 4)
        sum_rows<Unpack, Unrolled, 4>(product, codes + r * product.words_of_row, values, sums + r * kPanel<float>);
    for (; r < part.rows; ++r)
        sum_rows<Unpack, Unrolled, 1>(product, codes + r * product.words_of_row, values, sums + r * kPanel<float>);
}

template <typename Unpack, bool Unrolled>
void unpack_panel(const PackedProduct<float>& product, const PackedPart<float>& part) {
    sum_panel<Unpack, Unrolled>(product, part);
    write_panel(product, part);
}

/// Of codes 1 and 0 to those of codes 1 and -1: twice the sums less those of all values.
void double_less_all(const PackedProduct<float>& product, const PackedPart<float>& part) {
    FloatLane all{}, value;
    for (std::int64_t s = 0; s < product.columns; ++s) {
        value.read(part.scratch + s * kPanel<float>);
        all.add(value);
    }
    float* const sums = sums_of(product, part);
    for (std::int64_t r = 0; r < part.rows; ++r) {
        value.read(sums + r * kPanel<float>);
        value.add(value);
        value.subtract(all);
        value.write(sums + r * kPanel<float>);
    }
}

template <bool Unrolled>
void twice_masked(const PackedProduct<float>& product, const PackedPart<float>& part) {
    sum_panel<UnpackByAnd, Unrolled>(product, part);
    double_less_all(product, part);
    write_panel(product, part);
}

/// Visits the bits that are set, half of all.
void twice_of_set_bits(const PackedProduct<float>& product, const PackedPart<float>& part) {
    const float* const values = copy_panel(product, part);
    float* const sums = sums_of(product, part);
    for (std::int64_t r = 0; r < part.rows; ++r) {
        const std::uint64_t* const codes = product.codes + (part.first_row + r) * product.words_of_row;
        FloatLane sum{}, value;
        for (std::int64_t w = 0; w < product.words_of_row; ++w)
            for (std::uint64_t left = codes[w]; left != 0; left &= left - 1) {
                value.read(values + (w * kCodesOfWord + __builtin_ctzll(left)) * kPanel<float>);
                sum.add(value);
            }
        sum.write(sums + r * kPanel<float>);
    }
    double_less_all(product, part);
    write_panel(product, part);
}

constexpr PackedWay kWays[] = {
    {"if", "adds or subtracts, a branch a code", 1., 1., 4., unpack_panel<UnpackByIf, false>},
    {"if-unrolled", "the same, eight codes a turn", 1., 1., 4., unpack_panel<UnpackByIf, true>},
    {"shift", "shifts, converts, multiplies and adds", 1., 1., 4., unpack_panel<UnpackByShift, false>},
    {"shift-unrolled", "the same, eight codes a turn", 1., 1., 4., unpack_panel<UnpackByShift, true>},
    {"xor", "changes the sign bit", 1., 1., 4., unpack_panel<UnpackByXor, false>},
    {"xor-unrolled", "the same, eight codes a turn", 1., 1., 4., unpack_panel<UnpackByXor, true>},
    {"fma", "multiplies by 1 or -1 and adds at once", 1., 1., 4., unpack_panel<UnpackByFma, false>},
    {"fma-unrolled", "the same, eight codes a turn", 1., 1., 4., unpack_panel<UnpackByFma, true>},
    {"twice", "2 A B less column sums, A of 0 and 1: adds where bits are set", 0.5, 3., 6., twice_of_set_bits},
    {"twice-masked", "2 A B less column sums: adds values or zeros", 1., 3., 6., twice_masked<false>},
    {"twice-masked-unrolled", "the same, eight codes a turn", 1., 3., 6., twice_masked<true>},
    {"look-up-4", "sums of 4 columns looked up, 8 tables of 16", 0.25, 0.25, 5., look_up_panel<4, 8>},
    {"look-up-8", "sums of 8 columns looked up, a table of 256", 0.125, 0.125, 9., look_up_panel<8, 1>},
};

}  // namespace

template <>
const PackedWay* packed_ways<ONDA_ISA>(int& count) {
    count = static_cast<int>(sizeof kWays / sizeof kWays[0]);
    return kWays;
}

template <>
void multiply_by_look_up<ONDA_ISA, float>(const PackedProduct<float>& product, const PackedPart<float>& part) {
    if (product.width == 1)
        look_up<4, 8, ValueLane<float>>(product, part, product.values, product.product + part.first_row);
    else
        look_up_panel<4, 8>(product, part);
}
template <>
void multiply_by_look_up<ONDA_ISA, double>(const PackedProduct<double>& product, const PackedPart<double>& part) {
    if (product.width == 1)
        look_up<4, 8, ValueLane<double>>(product, part, product.values, product.product + part.first_row);
    else
        look_up_panel<4, 8>(product, part);
}

}  // namespace onda::cpu
