// Threads of one process in the place of the processes of a team.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <tuple>

#include "solver/ranks/team.hpp"

namespace onda::test {

/// Where messages wait for their receivers.
class Mailboxes {
public:
    /// Planes leave up to so many microseconds late.
    int most_delay_us = 0;
    /// The message of planes, counted from each sender, that holds nothing of what it should.
    std::optional<int> lost;

    void post(int from, int to, Topic topic, std::vector<std::byte> message) {
        const bool planes = topic == Topic::planes_up || topic == Topic::planes_down;
        if (planes && most_delay_us > 0) std::this_thread::sleep_for(delay());
        const std::lock_guard lock(mutex_);
        if (planes && lost && sent_[{from, to, topic}]++ == *lost) std::memset(message.data(), 0, message.size());
        waiting_[{from, to, topic}].push_back(std::move(message));
        changed_.notify_all();
    }
    std::vector<std::byte> take(int from, int to, Topic topic) {
        std::unique_lock lock(mutex_);
        auto& messages = waiting_[{from, to, topic}];
        changed_.wait(lock, [&] { return !messages.empty(); });
        std::vector<std::byte> message = std::move(messages.front());
        messages.pop_front();
        return message;
    }
    [[nodiscard]] bool empty() {
        const std::lock_guard lock(mutex_);
        for (const auto& [key, messages] : waiting_)
            if (!messages.empty()) return false;
        return true;
    }

private:
    using Key = std::tuple<int, int, Topic>;
    std::chrono::microseconds delay() {
        const std::lock_guard lock(mutex_);
        return std::chrono::microseconds(std::uniform_int_distribution(0, most_delay_us)(random_));
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<Key, std::deque<std::vector<std::byte>>> waiting_;
    std::map<Key, int> sent_;
    std::minstd_rand random_{1};
};

/// A team as the thread that is its member `rank` sees it.
class ThreadTeam final : public Team {
public:
    ThreadTeam(Mailboxes& mail, int rank, int size) : mail_(mail), rank_(rank), size_(size) {}
    int rank() const override { return rank_; }
    int size() const override { return size_; }
    void send(int to, Topic topic, std::span<const std::byte> bytes) override {
        mail_.post(rank_, to, topic, {bytes.begin(), bytes.end()});
    }
    std::vector<std::byte> receive(int from, Topic topic) override { return mail_.take(from, rank_, topic); }
    std::unique_ptr<Transfer> start_send(int to, Topic topic, std::span<const std::byte> bytes) override {
        send(to, topic, bytes);
        return std::make_unique<Sent>();
    }
    std::unique_ptr<Transfer> start_receive(int from, Topic topic, std::span<std::byte> bytes) override {
        return std::make_unique<Arriving>(*this, from, topic, bytes);
    }

private:
    struct Sent : Transfer {
        void wait() override {}
    };
    struct Arriving : Transfer {
        Arriving(ThreadTeam& team, int sender, Topic about, std::span<std::byte> to)
            : all(team), from(sender), topic(about), bytes(to) {}
        void wait() override {
            const std::vector<std::byte> message = all.receive(from, topic);
            if (message.size() != bytes.size()) throw std::logic_error("planes of another size");
            std::memcpy(bytes.data(), message.data(), message.size());
        }
        ThreadTeam& all;
        int from;
        Topic topic;
        std::span<std::byte> bytes;
    };

    Mailboxes& mail_;
    int rank_, size_;
};

}  // namespace onda::test
