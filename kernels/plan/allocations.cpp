#include "kernels/plan/allocations.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace onda {

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
    return bytes(where, Owner::medium) + bytes(where, Owner::wavefield) + bytes(where, Owner::shots);
}

std::int64_t Allocations::bytes(Memory where, Owner owner) const {
    std::int64_t sum = 0;
    for (const Allocation& row : rows_)
        if (row.where == where && row.owner == owner) sum += row.total_bytes();
    return sum;
}

void check_element(const Allocation& row, std::size_t element_bytes) {
    if (row.element_bytes != static_cast<std::int64_t>(element_bytes))
        throw std::logic_error("the elements of " + row.name + " are planned with " +
                               std::to_string(row.element_bytes) + " bytes, not " + std::to_string(element_bytes));
}

}  // namespace onda
