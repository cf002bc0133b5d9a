/// \file
/// What lets a forward field be computed a second time, backward: the ring around what is rebuilt, level by level, and
/// beside it what the gradient of a misfit takes of the nodes that are not (kernels/imaging/ring_boxes.hpp).
///
/// The rebuilt field is one on the same medium without strips. It begins with p[N-1] as its latest level and p[N]
/// before it, and each of its steps goes one level down: when its latest level is p[n-1], the level before it is p[n],
/// and their difference is that of the forward field at level n with the opposite sign, exactly. Nodes farther out than
/// the ring hold anything, and are never read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "kernels/fields/field_set.hpp"
#include "kernels/imaging/ring_levels.hpp"

namespace onda {

/// The memory that rings lie in. On devices that compute in the memory of the host the first two are the same.
enum class RingPlace { device, host, file };
/// As configurations name them.
constexpr std::string_view name_of(RingPlace place) {
    return place == RingPlace::device ? "device" : place == RingPlace::host ? "host" : "disk";
}
/// How rings hold values: in the precision of the fields, or as blocks of 16 bits (kernels/imaging/coded_block.hpp).
enum class RingValues { full, of_16_bits };

/// What is kept of a forward field.
struct RingSize {
    std::int64_t levels = 0;  ///< rings
    std::int64_t slots = 0;   ///< differences of levels, outside what is rebuilt
    RingPlace place = RingPlace::device;
    RingValues values = RingValues::full;
    bool pressures = false;             ///< whether slots hold p there, too, as fluxes take it
    std::filesystem::path folder = {};  ///< of the file
    std::int64_t together = 1;          ///< rings that a level is made of, at most
};

/// The rings of the first field of some shots on one device. What it is asked to do is queued after the steps of the
/// wavefields that are given, and before their next ones.
class FieldRing {
public:
    virtual ~FieldRing() = default;

    /// Saves the ring of p[n] of a forward field. \param level 0 … levels - 1.
    virtual void save(const FieldSet& forward, std::int64_t level) = 0;
    /// Keeps p[n] - p[n-1] of a forward field, of the nodes that are not rebuilt. \param slot 0 … slots - 1.
    virtual void keep(const FieldSet& forward, std::int64_t slot) = 0;
    /// Keeps p[n] of a forward field, of the same nodes, where slots hold pressures.
    virtual void keep_pressure(const FieldSet& forward, std::int64_t slot) = 0;

    /// Gives the field to be rebuilt both levels of a forward field, in the opposite order.
    virtual void turn_back(const FieldSet& forward, FieldSet& rebuilt) = 0;
    /// Overwrites the ring of the latest level of the rebuilt field: by a level that was saved, or the sum of some,
    /// weight by weight from the first to the last. Levels are best loaded from the last to the first.
    virtual void load(FieldSet& rebuilt, std::span<const WeightedSlot> level) = 0;
    /// Lets both levels of the rebuilt field differ as a slot says, with the opposite sign, where it is not rebuilt;
    /// the ring of its latest level is void.
    virtual void place(FieldSet& rebuilt, std::int64_t slot) = 0;
    /// Overwrites the latest level of the rebuilt field by the pressure of a slot where it is not rebuilt.
    virtual void place_pressure(FieldSet& rebuilt, std::int64_t slot) = 0;

    /// In the memory that the device computes in.
    [[nodiscard]] virtual std::int64_t allocated_bytes() const = 0;
};

}  // namespace onda
