#include "kernels/companions/packed_variants.hpp"

#include <algorithm>
#include <omp.h>
#include <ranges>

#include "kernels/companions/packed_kernels.hpp"
#include "kernels/cpu/kernel_table.hpp"

namespace onda {
namespace {

const cpu::InstructionSet& best_set() {
    const auto& sets = cpu::instruction_sets();
    return *std::ranges::find_if(sets.rbegin(), sets.rend(), &cpu::InstructionSet::usable);
}

/// Codes times values that are worth a thread: some 50 microseconds.
constexpr std::int64_t kCodesOfThread = 1 << 21;

/// Computes all parts of a product. Threads take panels of the same rows one after the other.
template <typename T>
void multiply_parts(const PackedCodes& codes, std::span<const T> values, std::int64_t width, std::span<T> product,
                    cpu::PackedFunction<T> function) {
    check_multiply_sizes(codes, values.size(), width, product.size());
    if (codes.columns() == 0) std::ranges::fill(product, T(0));
    if (product.empty() || codes.columns() == 0) return;
    const cpu::PackedProduct<T> whole{codes.words().data(), codes.words_of_row(), codes.columns(), width,
                                      values.data(),        product.data()};
    const std::int64_t panels = (width + cpu::kPanel<T> - 1) / cpu::kPanel<T>,
                       blocks = (codes.rows() + cpu::kPackedRows - 1) / cpu::kPackedRows, parts = blocks * panels;
    const std::int64_t most = std::min<std::int64_t>(omp_get_max_threads(), parts),
                       useful = codes.rows() * codes.columns() * width / kCodesOfThread;
    const auto threads = static_cast<int>(std::clamp<std::int64_t>(useful, 1, most));
    const std::int64_t scratch_elements = (codes.columns() + cpu::kPackedRows) * cpu::kPanel<T>;
    std::vector<T> scratch(static_cast<std::size_t>(threads * scratch_elements));
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (std::int64_t i = 0; i < parts; ++i) {
        const std::int64_t first_row = i / panels * cpu::kPackedRows;
        function(whole, {first_row, std::min(cpu::kPackedRows, codes.rows() - first_row), i % panels * cpu::kPanel<T>,
                         scratch.data() + omp_get_thread_num() * scratch_elements});
    }
}

}  // namespace

std::string_view packed_variants_isa() {
    return best_set().name;
}

const std::vector<PackedVariant>& packed_variants_cpu() {
    static const std::vector<PackedVariant> variants = [] {
        std::vector<PackedVariant> all;
        int count = 0;
        const cpu::PackedWay* const ways =
            cpu::with_isa(best_set(), [&]<typename Isa>() { return cpu::packed_ways<Isa>(count); });
        for (const cpu::PackedWay& way : std::span(ways, static_cast<std::size_t>(count)))
            all.push_back({way.name, way.what, way.additions, way.per_column, way.further,
                           [multiply = way.multiply](const PackedCodes& codes, std::span<const float> values,
                                                     std::int64_t width, std::span<float> product) {
                               multiply_parts(codes, values, width, product, multiply);
                           }});
        return all;
    }();
    return variants;
}

template <typename T>
void multiply(const PackedCodes& codes, std::span<const T> values, std::int64_t width, std::span<T> product) {
    multiply_parts<T>(codes, values, width, product, cpu::with_isa(best_set(), []<typename Isa>() {
                          return cpu::PackedFunction<T>(cpu::multiply_by_look_up<Isa, T>);
                      }));
}
template void multiply<float>(const PackedCodes&, std::span<const float>, std::int64_t, std::span<float>);
template void multiply<double>(const PackedCodes&, std::span<const double>, std::int64_t, std::span<double>);

}  // namespace onda
