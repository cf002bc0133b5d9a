/// \file
/// The processes that compute one grid together.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "solver/ranks/team.hpp"

namespace onda {

/// Consecutive members of a team as a team of their own.
class SubTeam final : public Team {
public:
    /// \param whole of which the caller is one of the `size` members from `first` on. \param links_devices whether
    /// planes go from device to device where both ends want it and can.
    SubTeam(Team& whole, int first, int size, bool links_devices)
        : whole_(whole), first_(first), size_(size), links_devices_(links_devices) {}
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
    std::shared_ptr<PlaneLink> link(int neighbour, const PlanePort* port) override;

private:
    Team& whole_;
    int first_, size_;
    bool links_devices_;
    /// Links by neighbour and the places of both ends.
    std::map<std::tuple<int, std::string, std::string>, std::shared_ptr<PlaneLink>> links_;
};

}  // namespace onda
