/// \file
/// The states of what another process has: a wavefield, or images. They go to the leader, and come back, a plane at a
/// time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <vector>

#include "kernels/shot_state.hpp"
#include "solver/ranks/member.hpp"

namespace onda {

// The leader's side.

/// The state of one thing of a member, as a wavefield or images give it.
class RemoteState {
public:
    /// \param member about the thing.
    explicit RemoteState(Member member) : member_(member) {}

    [[nodiscard]] std::vector<StatePart> parts() const {
        Incoming reply = member_.ask(Order::state_parts);
        std::vector<StatePart> parts(reply.get<std::size_t>());
        for (StatePart& part : parts) part = get_part(reply);
        return parts;
    }
    void read(int shot, const StatePart& part, const StateVisitor& take) const {
        // What `take` throws, as where the disk of a checkpoint is full, may end no run: all answers are taken.
        std::exception_ptr failure;
        visit_planes(Order::read_state, shot, part, [&](Incoming& message, std::int64_t first_plane) {
            std::vector<std::byte> planes = message.get_all<std::byte>();
            try {
                if (!failure) take(part, first_plane, planes);
            } catch (...) {
                failure = std::current_exception();
            }
        });
        if (failure) std::rethrow_exception(failure);
    }
    void write(int shot, const StatePart& part, const StateVisitor& fill) const {
        visit_planes(Order::write_state, shot, part, [&](Incoming& message, std::int64_t first_plane) {
            std::vector<std::byte> planes(message.get<std::size_t>());
            fill(part, first_plane, planes);
            member_.hand_over(planes);
        });
    }

private:
    /// Takes messages about planes of a part until one says that there are no more.
    template <typename Body>
    void visit_planes(Order order, int shot, const StatePart& part, const Body& body) const {
        Incoming message = member_.ask_with(order, [&](Outgoing& outgoing) { put(outgoing.put(shot), part); });
        while (message.get<bool>()) {
            const auto first_plane = message.get<std::int64_t>();
            body(message, first_plane);
            message = member_.answer();
        }
    }

    Member member_;
};

// The member's side.

/// Answers an order about a state.
void reply_about_state(Team& team, ShotState& state, Order order, Incoming& message, Outgoing& reply);

}  // namespace onda
