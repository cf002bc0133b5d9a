#include "solver/ranks/part_snapshots.hpp"

#include <exception>
#include <string>
#include <utility>

namespace onda {
namespace {

Outgoing& put(Outgoing& message, const WantedPart& part) {
    message.put(part.shot).put(part.frames).put(part.window).put(part.geometry).put(part.file.string());
    message.put(part.provenance.entries.size());
    for (const auto& [name, value] : part.provenance.entries) message.put(name).put(value);
    return message;
}

WantedPart get_part_to_write(Incoming& message) {
    WantedPart part;
    part.shot = message.get<std::int64_t>();
    part.frames = message.get<std::int64_t>();
    part.window = message.get<Window>();
    part.geometry = message.get<FileGeometry>();
    part.file = message.get_text();
    for (auto left = message.get<std::size_t>(); left > 0; --left) {
        std::string name = message.get_text();
        part.provenance.entries.emplace_back(std::move(name), message.get_text());
    }
    return part;
}

}  // namespace

// The leader's side -------------------------------------------------------------------------------------------------

void TeamSnapshots::begin(int slot, const WantedPart& part) {
    const Member& member = members_.try_emplace(part.member, team_, part.member).first->second;
    static_cast<void>(
        member.ask_with(Order::begin_snapshots, [&](Outgoing& message) { put(message.put(slot), part); }));
}

void TeamSnapshots::take(double time_s, const std::function<void()>& meanwhile) {
    for (const auto& [number, member] : members_) member.tell(Order::take_snapshots, time_s);
    static_cast<void>(answers(meanwhile));
}

void TeamSnapshots::settle() const {
    for (const auto& [number, member] : members_) member.tell(Order::settle_snapshots);
    static_cast<void>(answers([] {}));
}

std::vector<float> TeamSnapshots::read(int member, int slot, std::int64_t i) const {
    return members_.at(member).ask(Order::read_snapshot, slot, i).get_all<float>();
}

void TeamSnapshots::give_back(int member, int slot, double time_s, std::span<const float> values) const {
    static_cast<void>(members_.at(member).ask_with(
        Order::give_snapshot_back, [&](Outgoing& message) { message.put(slot).put(time_s).put_all(values); }));
}

std::map<int, std::vector<FileRecord>> TeamSnapshots::finish(const std::function<void()>& meanwhile) {
    for (const auto& [number, member] : members_) member.tell(Order::finish_snapshots);
    std::map<int, std::vector<FileRecord>> files;
    for (Incoming& answer : answers(meanwhile))
        for (auto left = answer.get<std::size_t>(); left > 0; --left) {
            const auto slot = answer.get<int>();
            FileRecord file;
            file.name = answer.get_text();
            file.bytes = answer.get<std::int64_t>();
            file.hash = answer.get_text();
            files[slot].push_back(std::move(file));
        }
    return files;
}

std::vector<Incoming> TeamSnapshots::answers(const std::function<void()>& meanwhile) const {
    std::vector<Incoming> all;
    std::exception_ptr failure;
    const auto note = [&failure](const auto& body) {
        try {
            body();
        } catch (const Error&) {
            if (!failure) failure = std::current_exception();
        }
    };
    note(meanwhile);
    for (const auto& entry : members_) note([&] { all.push_back(entry.second.answer()); });
    if (failure) std::rethrow_exception(failure);
    return all;
}

// The member's side -------------------------------------------------------------------------------------------------

void ServedSnapshots::begin(Incoming& order) {
    const auto slot = order.get<int>();
    parts_.erase(slot);
    parts_.try_emplace(slot, get_part_to_write(order));
    if (!queue_)
        queue_.emplace([this](int of_slot, double time_s, std::span<const float> values) {
            parts_.at(of_slot).writer.write(time_s, values);
        });
}

void ServedSnapshots::take(Wavefield& wavefield, double time_s) {
    for (const auto& [slot, part] : parts_) queue_->take(wavefield, part.window, time_s, slot);
}

void ServedSnapshots::read(Incoming& order, Outgoing& reply) {
    const SnapshotWriter& writer = parts_.at(order.get<int>()).writer;
    reply.put(writer.read(order.get<std::int64_t>()));
}

void ServedSnapshots::give_back(Incoming& order) {
    SnapshotWriter& writer = parts_.at(order.get<int>()).writer;
    const auto time_s = order.get<double>();
    writer.write(time_s, order.get_all<float>());
}

void ServedSnapshots::finish(Outgoing& reply) {
    queue_->drain();
    queue_.reset();
    reply.put(parts_.size());
    for (auto& [slot, part] : parts_) {
        const FileRecord file = give_name(part.writer.finish_values());
        sync_folder(part.file.parent_path());
        reply.put(slot).put(file.name).put(file.bytes).put(file.hash);
    }
    parts_.clear();
}

}  // namespace onda
