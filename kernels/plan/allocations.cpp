#include "kernels/plan/allocations.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace onda {
namespace {

constexpr std::int64_t kTooLarge = std::numeric_limits<std::int64_t>::max();

template <typename Predicate>
std::int64_t sum_of(std::span<const Allocation> rows, const Predicate& counts) {
    std::int64_t sum = 0;
    for (const Allocation& row : rows)
        if (counts(row) && __builtin_add_overflow(sum, row.total_bytes(), &sum)) return kTooLarge;
    return sum;
}

}  // namespace

std::int64_t Allocation::total_bytes() const {
    std::int64_t total = 0;
    return __builtin_mul_overflow(bytes, count, &total) ? kTooLarge : total;
}

void Allocations::add(Allocation row) {
    if (std::ranges::find(rows_, row.name, &Allocation::name) != rows_.end())
        throw std::logic_error("two allocations are planned by the name " + row.name);
    rows_.push_back(std::move(row));
}

const Allocation& Allocations::of(std::string_view name) const {
    const auto row = std::ranges::find(rows_, name, &Allocation::name);
    if (row == rows_.end()) throw std::logic_error("no allocation is planned by the name " + std::string(name));
    return *row;
}

std::int64_t Allocations::bytes(Memory where) const {
    return sum_of(rows_, [&](const Allocation& row) { return row.where == where; });
}

std::int64_t Allocations::bytes(Memory where, Owner owner) const {
    return sum_of(rows_, [&](const Allocation& row) { return row.where == where && row.owner == owner; });
}

void check_element(const Allocation& row, std::size_t element_bytes) {
    if (row.element_bytes != static_cast<std::int64_t>(element_bytes))
        throw std::logic_error("the elements of " + row.name + " are planned with " +
                               std::to_string(row.element_bytes) + " bytes, not " + std::to_string(element_bytes));
}

}  // namespace onda
