/// \file
/// Lists of what will be allocated. A device makes one for a set-up without allocating anything; its media and
/// wavefields then take their arrays from its rows. The forecast of a run adds these up, with rows for the buffers of
/// the host.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace onda {

/// The memory that an array lies in: the host's, page-locked memory of the host that a device copies to and from, that
/// of a device of its own, or a file.
enum class Memory { host, pinned, device, file };

/// What an array is allocated for, and lives as long as. Whoever plans memory beside that of devices has owners of its
/// own, by other names.
struct Owner {
    std::string_view name;
    friend constexpr bool operator==(const Owner&, const Owner&) = default;

    static const Owner medium, wavefield, shots;  ///< of devices
};
inline constexpr Owner Owner::medium{"medium"};
inline constexpr Owner Owner::wavefield{"wavefield"};
inline constexpr Owner Owner::shots{"shots"};

/// One row of the list: arrays of one size.
struct Allocation {
    std::string name;  ///< unique in a list: "p", "cpml.memory", …
    Memory where = Memory::host;
    Owner owner = Owner::wavefield;
    std::int64_t elements = 0, element_bytes = 0;
    std::int64_t bytes = 0;  ///< that one array takes of the memory, as its allocator rounds them up
    std::int64_t count = 1;  ///< arrays alike, such as one for each shot of a batch

    /// The largest number where the product would wrap.
    [[nodiscard]] std::int64_t total_bytes() const;
};

/// What is allocated, row by row. Sums that would wrap are the largest number.
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
