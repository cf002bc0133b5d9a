/// \file
/// The list of what a device allocates for a set-up. A device makes it without allocating anything; its media and
/// wavefields then take their arrays from its rows, and the forecast of a run adds these up.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace onda {

/// The memory that an array lies in: the host's, page-locked memory of the host that a device copies to and from, or
/// that of a device of its own.
enum class Memory { host, pinned, device };

/// What an array is allocated for, and lives as long as.
enum class Owner { medium, wavefield, shots };

/// One row of the list: arrays of one size.
struct Allocation {
    std::string name;  ///< unique in a list: "p", "cpml.memory", …
    Memory where = Memory::host;
    Owner owner = Owner::wavefield;
    std::int64_t elements = 0, element_bytes = 0;
    std::int64_t bytes = 0;  ///< that one array takes of the memory, as its allocator rounds them up
    std::int64_t count = 1;  ///< arrays alike, such as one for each shot of a batch

    [[nodiscard]] std::int64_t total_bytes() const { return bytes * count; }
};

/// What a device allocates, row by row.
class Allocations {
public:
    /// \throws std::logic_error if there is a row of this name already.
    void add(Allocation row);
    /// The row of this name. \throws std::logic_error if there is none: nothing may be allocated that is not planned.
    [[nodiscard]] const Allocation& of(std::string_view name) const;
    [[nodiscard]] std::span<const Allocation> rows() const { return rows_; }

    /// The bytes of all rows in a memory.
    [[nodiscard]] std::int64_t bytes(Memory where) const;
    /// The bytes of the rows in a memory that are allocated for an owner.
    [[nodiscard]] std::int64_t bytes(Memory where, Owner owner) const;

private:
    std::vector<Allocation> rows_;
};

/// Checks that a row plans elements of this size. \throws std::logic_error
void check_element(const Allocation& row, std::size_t element_bytes);

}  // namespace onda
