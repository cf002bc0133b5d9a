/// \file
/// The interface to devices that send planes to each other although different processes drive them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace onda {

/// A device of this process and one of another, connected.
class PlaneLink {
public:
    virtual ~PlaneLink() = default;
};

/// One end of a cut through a grid, where planes go from device to device.
class PlanePort {
public:
    virtual ~PlanePort() = default;
    /// The host and the device, for the other end: where both are the same, no link is possible.
    [[nodiscard]] virtual std::string place() const = 0;
    /// What names a new link; one end makes it for both.
    [[nodiscard]] virtual std::vector<std::byte> make_link_id() const = 0;
    /// Returns once the other end has called it with the same id. \param end 0 for one of them and 1 for the other.
    [[nodiscard]] virtual std::shared_ptr<PlaneLink> connect(std::span<const std::byte> id, int end) const = 0;
    /// Queues an exchange: the planes of p[n] of this end go to the other, and what comes from there replaces those
    /// beyond the cut, under the rules of FieldSet::copy_planes().
    virtual void exchange(PlaneLink& link) = 0;
};

}  // namespace onda
