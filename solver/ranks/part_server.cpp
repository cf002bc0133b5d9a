// The members' side of solver/ranks/remote_part.hpp.
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "io/files/interruption.hpp"
#include "io/text/error.hpp"
#include "solver/program/failure.hpp"
#include "solver/ranks/orders.hpp"
#include "solver/ranks/part_images.hpp"
#include "solver/ranks/part_snapshots.hpp"
#include "solver/ranks/remote_part.hpp"
#include "solver/ranks/remote_state.hpp"
#include "solver/ranks/team_exchange.hpp"

namespace onda {
namespace {

class PartServer {
public:
    PartServer(Team& team, const MakePart& make_part)
        : team_(team),
          make_part_(make_part),
          images_(team, [this](int number) -> FieldSet& { return wavefields_.at(number).wavefield->fields(); }) {}

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
    struct Served {
        std::unique_ptr<Wavefield> wavefield;
        SlabSteps steps;
        std::unique_ptr<SavedStates> states = nullptr;
    };

    /// Orders that nobody waits for: an error here ends the run, since neighbours may wait for planes.
    void carry_out(Order order, Incoming& message) {
        switch (order) {
            case Order::drop_medium: medium_.reset(); break;
            case Order::drop_wavefield: drop_wavefield(message.get<int>()); break;
            case Order::record: wavefield_of(message).record(message.get<std::int64_t>()); break;
            case Order::exchange_planes: steps_of(message).exchange_planes(); break;
            case Order::enqueue: {
                SlabSteps& steps = steps_of(message);
                const auto first = message.get<std::int64_t>();
                advance_in_order(steps, first, message.get<std::int64_t>());
                break;
            }
            case Order::save_state:
            case Order::restore_state:
            case Order::discard_state:
            case Order::drop_states: carry_out_about_states(order, served(message), message); break;
            default: images_.carry_out(order, message);
        }
    }

    static void carry_out_about_states(Order order, Served& of, Incoming& message) {
        if (order == Order::drop_states) return of.states.reset();
        if (!of.states) of.states = of.wavefield->make_saved_states();
        const auto number = message.get<std::int64_t>();
        switch (order) {
            case Order::save_state: return of.states->save(number);
            case Order::restore_state: return of.states->restore(number);
            default: return of.states->discard(number);
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
            case Order::begin_snapshots: snapshots_->begin(message); break;
            case Order::take_snapshots: snapshots_->take(only_wavefield(), message.get<double>()); break;
            case Order::settle_snapshots: snapshots_->settle(); break;
            case Order::read_snapshot: snapshots_->read(message, reply); break;
            case Order::give_snapshot_back: snapshots_->give_back(message); break;
            case Order::finish_snapshots: snapshots_->finish(reply); break;
            case Order::make_correlation:
            case Order::make_flux_correlation: images_.make(order, message, reply); break;
            case Order::image: images_.send(message, reply); break;
            case Order::state_parts:
            case Order::read_state:
            case Order::write_state: reply_about_state(team_, state_of(message), order, message, reply); break;
            default: reply_about(wavefield_of(message), order, message, reply);
        }
    }

    void reply_about(Wavefield& wavefield, Order order, Incoming& message, Outgoing& reply) {
        switch (order) {
            case Order::reset: wavefield.reset(); break;
            case Order::set_sources: set_sources(wavefield, message); break;
            case Order::set_receivers: {
                const auto shot = message.get<int>();
                const NodeWeights receivers = get_nodes(message);
                wavefield.set_receivers(shot, receivers, message.get<std::int64_t>());
                break;
            }
            case Order::wait: {
                wavefield.wait();
                const std::int64_t requests = checkpoints_asked_for();
                reply.put(noticed_signal()).put(requests - std::exchange(requests_told_, requests));
                break;
            }
            case Order::upload: {
                const auto shot = message.get<int>();
                const auto p = message.get_all<double>(), p_previous = message.get_all<double>();
                wavefield.upload(p, p_previous, shot);
                break;
            }
            default: reply_with_values(wavefield, order, message, reply);
        }
    }

    void reply_with_values(Wavefield& wavefield, Order order, Incoming& message, Outgoing& reply) {
        switch (order) {
            case Order::extrema: reply.put(wavefield.extrema()); break;
            case Order::download_floats: download<float>(wavefield, message, reply); break;
            case Order::download_doubles: download<double>(wavefield, message, reply); break;
            case Order::hash_planes: {
                const auto window = message.get<Window>();
                std::vector<std::uint64_t> hashes(static_cast<std::size_t>(window.count[2]));
                wavefield.fields().hash_planes(window, hashes, message.get<int>());
                reply.put(hashes);
                break;
            }
            case Order::trace_floats: download_traces<float>(wavefield, message, reply); break;
            case Order::trace_doubles: download_traces<double>(wavefield, message, reply); break;
            case Order::sample: {
                const auto shot = message.get<int>();
                const auto nodes = message.get_all<std::int64_t>();
                std::vector<double> values(nodes.size());
                wavefield.fields().sample(nodes, values, shot);
                reply.put(values);
                break;
            }
            default: throw std::logic_error("an order that nobody knows");
        }
    }

    void make_medium(Incoming& message, Outgoing& reply) {
        const auto request = message.get<PartRequest>();
        exchanges_ = request.exchanges;
        medium_ = make_part_(request);
        reply.put(medium_->description()).put(medium_->kernel()).put(medium_->allocated_bytes());
    }
    void make_wavefield(Incoming& message, Outgoing& reply) {
        const auto number = message.get<int>();
        auto made = medium_->make_wavefield(message.get<int>());
        reply.put(made->allocated_bytes());
        std::unique_ptr<Exchange> exchange = exchanges_ ? make_team_exchange(team_, *made) : make_no_exchange({});
        Wavefield* const slab = made.get();
        wavefields_.insert_or_assign(number, Served{std::move(made), SlabSteps({slab}, std::move(exchange))});
        snapshots_.emplace();
    }
    void drop_wavefield(int number) {
        snapshots_.reset();
        wavefields_.erase(number);
    }
    [[nodiscard]] Served& served(Incoming& message) { return wavefields_.at(message.get<int>()); }
    /// The one that a message is about.
    [[nodiscard]] Wavefield& wavefield_of(Incoming& message) { return *served(message).wavefield; }
    /// Of a wavefield, or of images: no two of them have the same number.
    [[nodiscard]] ShotState& state_of(Incoming& message) {
        const auto number = message.get<int>();
        if (ShotState* const images = images_.state_of(number)) return *images;
        return *wavefields_.at(number).wavefield;
    }
    [[nodiscard]] SlabSteps& steps_of(Incoming& message) { return served(message).steps; }
    /// That of a run with snapshots.
    [[nodiscard]] Wavefield& only_wavefield() {
        if (wavefields_.size() != 1) throw std::logic_error("snapshots of several wavefields");
        return *wavefields_.begin()->second.wavefield;
    }
    static void set_sources(Wavefield& wavefield, Incoming& message) {
        const auto shot = message.get<int>();
        Sources sources;
        sources.nodes = get_nodes(message);
        sources.signal = message.get_all<std::vector<double>>();
        sources.density = message.get_all<double>();
        sources.plain = message.get<bool>();
        wavefield.set_sources(shot, std::move(sources));
    }
    template <typename T>
    static void download(const Wavefield& wavefield, Incoming& message, Outgoing& reply) {
        const auto window = message.get<Window>();
        std::vector<T> values(static_cast<std::size_t>(window.points()));
        const auto shot = message.get<int>();
        wavefield.fields().download(window, std::span(values), shot, message.get<FieldLevel>());
        reply.put(values);
    }
    template <typename T>
    static void download_traces(const Wavefield& wavefield, Incoming& message, Outgoing& reply) {
        const auto shot = message.get<int>();
        std::vector<T> values(message.get<std::size_t>());
        wavefield.download_traces(std::span(values), shot);
        reply.put(values);
    }

    Team& team_;
    const MakePart& make_part_;
    std::shared_ptr<Medium> medium_;
    std::map<int, Served> wavefields_;          ///< by the leader's numbers
    ServedImages images_;                       ///< after the wavefields whose steps they follow
    std::optional<ServedSnapshots> snapshots_;  ///< after the wavefield, of which its downloads are
    bool exchanges_ = true;
    std::int64_t requests_told_ = checkpoints_asked_for();  ///< which the leader knows of
};

}  // namespace

void serve_part(Team& team, const MakePart& make_part) {
    PartServer(team, make_part).serve();
}

}  // namespace onda
