/// \file
/// Processes that compute a run together, and messages between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/plane_link.hpp"

namespace onda {

/// What a message is about. Messages with the same sender, receiver and topic arrive in the order in which they were
/// sent.
enum class Topic : int { agreement, order, reply, planes_up, planes_down };

/// A message that is being sent or received.
class Transfer {
public:
    virtual ~Transfer() = default;
    /// Returns when the message has been sent or received. To be called before this goes: the bytes are in use until
    /// then.
    virtual void wait() = 0;
};

/// Some processes, numbered from 0, as one of them sees them. Used by one thread at a time.
class Team {
public:
    virtual ~Team() = default;
    [[nodiscard]] virtual int rank() const = 0;
    [[nodiscard]] virtual int size() const = 0;
    /// Whether this process leads: the first of a team does.
    [[nodiscard]] bool leads() const { return rank() == 0; }

    /// Sends a message; the bytes may be changed when it returns.
    virtual void send(int to, Topic topic, std::span<const std::byte> bytes) = 0;
    /// Waits for the next message, however long it is. \throws Interrupted.
    [[nodiscard]] virtual std::vector<std::byte> receive(int from, Topic topic) = 0;
    /// Begins to send, or to receive, a message whose length both sides know.
    [[nodiscard]] virtual std::unique_ptr<Transfer> start_send(int to, Topic topic,
                                                               std::span<const std::byte> bytes) = 0;
    [[nodiscard]] virtual std::unique_ptr<Transfer> start_receive(int from, Topic topic,
                                                                  std::span<std::byte> bytes) = 0;
    /// Connects the device of this process with that of a neighbour, once the neighbour has asked for it too; a link
    /// that is there already is used again. \param port of the cut between both, null if this process has none.
    /// \returns null where planes go through the host.
    [[nodiscard]] virtual std::shared_ptr<PlaneLink> link(int /*neighbour*/, const PlanePort* /*port*/) {
        return nullptr;
    }
};

}  // namespace onda
