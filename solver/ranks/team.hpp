/// \file
/// Processes that compute a run together, and messages between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace onda {

/// What a message is about. Messages with the same sender, receiver and topic arrive in the order in which they were
/// sent.
enum class Topic : int { agreement, order, reply, planes_up, planes_down };

/// A message that is being sent or received.
class Transfer {
public:
    virtual ~Transfer() = default;
    /// Returns when it is done. To be called before this goes: the message's bytes are in use until then.
    virtual void wait() = 0;
};

/// Some processes, numbered from 0, as one of them sees them. Used by one thread at a time.
class Team {
public:
    virtual ~Team() = default;
    [[nodiscard]] virtual int rank() const = 0;
    [[nodiscard]] virtual int size() const = 0;
    /// The first of them leads.
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
};

/// Consecutive members of a team as a team of their own.
class SubTeam final : public Team {
public:
    /// \param whole of which the caller is one of the `size` members from `first` on.
    SubTeam(Team& whole, int first, int size) : whole_(whole), first_(first), size_(size) {}
    [[nodiscard]] int rank() const override { return whole_.rank() - first_; }
    [[nodiscard]] int size() const override { return size_; }
    void send(int to, Topic topic, std::span<const std::byte> bytes) override {
        whole_.send(first_ + to, topic, bytes);
    }
    std::vector<std::byte> receive(int from, Topic topic) override { return whole_.receive(first_ + from, topic); }
    std::unique_ptr<Transfer> start_send(int to, Topic topic, std::span<const std::byte> bytes) override {
        return whole_.start_send(first_ + to, topic, bytes);
    }
    std::unique_ptr<Transfer> start_receive(int from, Topic topic, std::span<std::byte> bytes) override {
        return whole_.start_receive(first_ + from, topic, bytes);
    }

private:
    Team& whole_;
    int first_, size_;
};

}  // namespace onda
