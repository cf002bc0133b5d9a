/// \file
/// A member of a team as its leader speaks to it.
#pragma once

#include <optional>
#include <spdlog/fmt/fmt.h>

#include "io/text/error.hpp"
#include "solver/ranks/orders.hpp"
#include "solver/ranks/team.hpp"

namespace onda {

/// Sends orders to one member, and waits for its answers.
class Member {
public:
    Member(Team& team, int number) : team_(team), number_(number) {}
    /// The same member, as one speaks to it about one of its wavefields, or its images: orders begin with this number.
    [[nodiscard]] Member about(int thing) const {
        Member member = *this;
        member.about_ = thing;
        return member;
    }

    /// Sends an order that nobody answers.
    template <typename... Values>
    void tell(Order order, const Values&... values) const {
        send(order, [&](Outgoing& message) { (message.put(values), ...); });
    }
    /// Sends an order and waits for its answer. \throws Error: what the member met.
    template <typename... Values>
    Incoming ask(Order order, const Values&... values) const {
        return ask_with(order, [&](Outgoing& message) { (message.put(values), ...); });
    }
    /// Sends an order with the values that `write` puts, and waits for its answer. \throws Error: what the member met.
    template <typename Write>
    Incoming ask_with(Order order, const Write& write) const {
        send(order, write);
        return answer();
    }
    /// The answer to the first order that has none yet. \throws Error: what the member met.
    Incoming answer() const {
        Incoming reply(team_.receive(number_, Topic::reply));
        if (reply.get<bool>()) return reply;
        const auto code = reply.get<ExitCode>();
        throw Error(code, fmt::format("rank {} of this grid: {}", number_, reply.get_text()));
    }
    /// Sends what an order announced.
    void hand_over(std::span<const std::byte> bytes) const { team_.send(number_, Topic::order, bytes); }

private:
    template <typename Write>
    void send(Order order, const Write& write) const {
        Outgoing message;
        message.put(order);
        if (about_) message.put(*about_);
        write(message);
        team_.send(number_, Topic::order, message.bytes());
    }

    Team& team_;
    int number_;
    std::optional<int> about_;
};

}  // namespace onda
