// The members' side of solver/ranks/remote_part.hpp.
#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "io/files/interruption.hpp"
#include "io/text/error.hpp"
#include "solver/program/failure.hpp"
#include "solver/ranks/orders.hpp"
#include "solver/ranks/part_snapshots.hpp"
#include "solver/ranks/remote_part.hpp"
#include "solver/ranks/team_exchange.hpp"

namespace onda {
namespace {

class PartServer {
public:
    PartServer(Team& team, const MakePart& make_part) : team_(team), make_part_(make_part) {}

    void serve() {
        for (;;) {
            Incoming message(team_.receive(0, Topic::order));
            const auto order = message.get<Order>();
            if (order == Order::leave) return;
            if (is_answered(order))
                answer(order, message);
            else
                carry_out(order, message);
        }
    }

private:
    /// Orders that nobody waits for: an error here ends the run, since neighbours may wait for planes.
    void carry_out(Order order, Incoming& message) {
        switch (order) {
            case Order::drop_medium: medium_.reset(); break;
            case Order::drop_wavefield: drop_wavefield(); break;
            case Order::record: wavefield_->record(message.get<std::int64_t>()); break;
            default: {
                const auto first = message.get<std::int64_t>();
                advance_in_order(*steps_, first, message.get<std::int64_t>());
            }
        }
    }

    void answer(Order order, Incoming& message) {
        Outgoing reply;
        reply.put(true);
        try {
            reply_to(order, message, reply);
        } catch (const Interrupted&) {
            throw;
        } catch (...) {
            const Failure failure = describe_failure(std::current_exception());
            reply = {};
            reply.put(false).put(failure.code).put(failure.message);
        }
        team_.send(0, Topic::reply, reply.bytes());
    }

    void reply_to(Order order, Incoming& message, Outgoing& reply) {
        switch (order) {
            case Order::make_medium: make_medium(message, reply); break;
            case Order::make_wavefield: make_wavefield(message, reply); break;
            case Order::values_at: {
                const auto array = message.get<std::size_t>();
                const auto nodes = message.get_all<std::int64_t>();
                std::vector<double> values(nodes.size());
                medium_->values_at(array, nodes, values);
                reply.put(values);
                break;
            }
            case Order::reset: wavefield_->reset(); break;
            case Order::set_sources: set_sources(message); break;
            case Order::set_receivers: {
                const auto shot = message.get<int>();
                const NodeWeights receivers = get_nodes(message);
                wavefield_->set_receivers(shot, receivers, message.get<std::int64_t>());
                break;
            }
            case Order::wait: wavefield_->wait(); break;
            case Order::begin_snapshots: snapshots_->begin(message); break;
            case Order::take_snapshots: snapshots_->take(*wavefield_, message.get<double>()); break;
            case Order::finish_snapshots: snapshots_->finish(reply); break;
            default: reply_with_values(order, message, reply);
        }
    }

    void reply_with_values(Order order, Incoming& message, Outgoing& reply) {
        switch (order) {
            case Order::extrema: reply.put(wavefield_->extrema()); break;
            case Order::download_floats: download<float>(message, reply); break;
            case Order::download_doubles: download<double>(message, reply); break;
            case Order::hash_planes: {
                const auto window = message.get<Window>();
                std::vector<std::uint64_t> hashes(static_cast<std::size_t>(window.count[2]));
                wavefield_->fields().hash_planes(window, hashes, message.get<int>());
                reply.put(hashes);
                break;
            }
            case Order::upload: {
                const auto shot = message.get<int>();
                const auto p = message.get_all<double>(), p_previous = message.get_all<double>();
                wavefield_->upload(p, p_previous, shot);
                break;
            }
            case Order::trace_floats: download_traces<float>(message, reply); break;
            case Order::trace_doubles: download_traces<double>(message, reply); break;
            case Order::sample: {
                const auto shot = message.get<int>();
                const auto nodes = message.get_all<std::int64_t>();
                std::vector<double> values(nodes.size());
                wavefield_->fields().sample(nodes, values, shot);
                reply.put(values);
                break;
            }
            default: reply_about_state(order, message, reply);
        }
    }

    void reply_about_state(Order order, Incoming& message, Outgoing& reply) {
        if (order == Order::state_parts) {
            const std::vector<StatePart> parts = wavefield_->state_parts();
            reply.put(parts.size());
            for (const StatePart& part : parts) put(reply, part);
            return;
        }
        const auto shot = message.get<int>();
        const StatePart wanted = get_part(message);
        if (order == Order::read_state)
            wavefield_->read_state(
                shot, wanted, [&](const StatePart&, std::int64_t first_plane, std::span<std::byte> planes) {
                    send_planes(first_plane, [&](Outgoing& part) { part.put_all(std::span<const std::byte>(planes)); });
                });
        else
            wavefield_->write_state(shot, wanted,
                                    [&](const StatePart&, std::int64_t first_plane, std::span<std::byte> planes) {
                                        send_planes(first_plane, [&](Outgoing& part) { part.put(planes.size()); });
                                        const std::vector<std::byte> bytes = team_.receive(0, Topic::order);
                                        if (bytes.size() != planes.size())
                                            throw std::logic_error("planes of a state of another size");
                                        std::ranges::copy(bytes, planes.begin());
                                    });
        reply.put(false);  // no more planes
    }
    template <typename Write>
    void send_planes(std::int64_t first_plane, const Write& write) {
        Outgoing part;
        part.put(true).put(true).put(first_plane);
        write(part);
        team_.send(0, Topic::reply, part.bytes());
    }

    void make_medium(Incoming& message, Outgoing& reply) {
        const auto request = message.get<PartRequest>();
        exchanges_ = request.exchanges;
        medium_ = make_part_(request);
        reply.put(medium_->description()).put(medium_->kernel()).put(medium_->allocated_bytes());
    }
    void make_wavefield(Incoming& message, Outgoing& reply) {
        drop_wavefield();
        wavefield_ = medium_->make_wavefield(message.get<int>());
        snapshots_.emplace();
        steps_.emplace(std::vector{wavefield_.get()},
                       exchanges_ ? make_team_exchange(team_, *wavefield_) : make_no_exchange({}));
        reply.put(wavefield_->allocated_bytes());
    }
    void drop_wavefield() {
        snapshots_.reset();
        steps_.reset();
        wavefield_.reset();
    }
    void set_sources(Incoming& message) {
        const auto shot = message.get<int>();
        Sources sources;
        sources.nodes = get_nodes(message);
        sources.signal = message.get_all<std::vector<double>>();
        sources.density = message.get_all<double>();
        sources.plain = message.get<bool>();
        wavefield_->set_sources(shot, std::move(sources));
    }
    template <typename T>
    void download(Incoming& message, Outgoing& reply) {
        const auto window = message.get<Window>();
        std::vector<T> values(static_cast<std::size_t>(window.points()));
        const auto shot = message.get<int>();
        wavefield_->fields().download(window, std::span(values), shot, message.get<FieldLevel>());
        reply.put(values);
    }
    template <typename T>
    void download_traces(Incoming& message, Outgoing& reply) {
        const auto shot = message.get<int>();
        std::vector<T> values(message.get<std::size_t>());
        wavefield_->download_traces(std::span(values), shot);
        reply.put(values);
    }

    Team& team_;
    const MakePart& make_part_;
    std::shared_ptr<Medium> medium_;
    std::unique_ptr<Wavefield> wavefield_;
    std::optional<SlabSteps> steps_;
    std::optional<ServedSnapshots> snapshots_;  ///< after the wavefield, of which its downloads are
    bool exchanges_ = true;
};

}  // namespace

void serve_part(Team& team, const MakePart& make_part) {
    PartServer(team, make_part).serve();
}

}  // namespace onda
