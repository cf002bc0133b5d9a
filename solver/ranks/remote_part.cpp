#include "solver/ranks/remote_part.hpp"

#include <stdexcept>
#include <utility>

#include "io/files/interruption.hpp"
#include "solver/ranks/member.hpp"
#include "solver/ranks/part_images.hpp"
#include "solver/ranks/remote_state.hpp"

namespace onda {
namespace {

class RemoteMedium final : public Medium {
public:
    RemoteMedium(Member member, const Setup& setup, const PartRequest& request) : Medium(setup), member_(member) {
        Incoming reply = member_.ask(Order::make_medium, request);
        description_ = reply.get_text();
        kernel_ = reply.get_text();
        bytes_ = reply.get<std::int64_t>();
    }
    ~RemoteMedium() override {
        try {
            member_.tell(Order::drop_medium);
        } catch (...) {  // a member that cannot be reached has none
        }
    }
    std::string description() const override { return description_; }
    std::string kernel() const override { return kernel_; }
    std::int64_t allocated_bytes() const override { return bytes_; }
    void values_at(std::size_t array, std::span<const std::int64_t> nodes, std::span<double> values) const override {
        member_.ask_with(Order::values_at, [&](Outgoing& message) { message.put(array).put_all(nodes); })
            .get_all_into(values);
    }
    using Medium::make_wavefield;
    std::unique_ptr<Wavefield> make_wavefield(int shots, const StripList& strips) override;

    [[nodiscard]] const Member& member() const { return member_; }
    /// A number for what the member makes.
    [[nodiscard]] int next_number() { return numbers_++; }

private:
    Member member_;
    int numbers_ = 0;
    std::string description_, kernel_;
    std::int64_t bytes_ = 0;
};

/// The fields of a slab of another process. Its planes cross cuts there.
class RemoteFields final : public NumberedFields {
public:
    RemoteFields(RemoteMedium& medium, int number)
        : NumberedFields(medium.setup(), number), medium_(medium), member_(medium.member().about(number)) {}

    std::vector<Extremum> extrema() const override { return member_.ask(Order::extrema).get_all<Extremum>(); }
    void download(const Window& window, std::span<float> values, int shot, FieldLevel level) const override {
        member_.ask(Order::download_floats, window, shot, level).get_all_into(values.first(points_of(window)));
    }
    void download(const Window& window, std::span<double> values, int shot, FieldLevel level) const override {
        member_.ask(Order::download_doubles, window, shot, level).get_all_into(values.first(points_of(window)));
    }
    std::unique_ptr<Download> start_download(const Window&, int) override {
        throw std::logic_error("the windows of slabs are downloaded by their parts");
    }
    void hash_planes(const Window& window, std::span<std::uint64_t> hashes, int shot) const override {
        member_.ask(Order::hash_planes, window, shot).get_all_into(hashes);
    }
    void sample(std::span<const std::int64_t> nodes, std::span<double> values, int shot) const override {
        member_.ask_with(Order::sample, [&](Outgoing& message) { message.put(shot).put_all(nodes); })
            .get_all_into(values);
    }

    void exchange_planes() override { member_.tell(Order::exchange_planes); }
    std::unique_ptr<Correlation> make_correlation(std::int64_t slots, Correlated what,
                                                  const OffsetLines& lines) const override {
        return make_remote_correlation(medium_.member().about(medium_.next_number()), number(), slots, what, lines);
    }
    std::unique_ptr<FluxCorrelation> make_flux_correlation(std::int64_t slots) const override {
        return make_remote_flux_correlation(medium_.member().about(medium_.next_number()), number(), slots);
    }

private:
    static std::size_t points_of(const Window& window) { return static_cast<std::size_t>(window.points()); }

    RemoteMedium& medium_;
    Member member_;
};

/// States of a slab of another process, which stay there. All members save theirs at the same time.
class RemoteStates final : public SavedStates {
public:
    explicit RemoteStates(Member member) : member_(member) {}
    ~RemoteStates() override {
        try {
            member_.tell(Order::drop_states);
        } catch (...) {  // as of the medium
        }
    }
    RemoteStates(const RemoteStates&) = delete;
    RemoteStates& operator=(const RemoteStates&) = delete;
    void save(std::int64_t number) override { member_.tell(Order::save_state, number); }
    void restore(std::int64_t number) override { member_.tell(Order::restore_state, number); }
    void discard(std::int64_t number) override { member_.tell(Order::discard_state, number); }

private:
    Member member_;
};

class RemoteWavefield final : public Wavefield {
public:
    RemoteWavefield(std::shared_ptr<RemoteMedium> medium, int shots)
        : medium_(std::move(medium)),
          fields_(*medium_, medium_->next_number()),
          member_(medium_->member().about(fields_.number())),
          shots_(shots) {
        bytes_ = member_.ask(Order::make_wavefield, shots).get<std::int64_t>();
    }
    ~RemoteWavefield() override {
        try {
            member_.tell(Order::drop_wavefield);
        } catch (...) {  // as of the medium
        }
    }

    const Medium& medium() const override { return *medium_; }
    const FieldSet& fields() const override { return fields_; }
    int shots() const override { return shots_; }
    std::int64_t allocated_bytes() const override { return bytes_; }

    void reset() override { member_.ask(Order::reset); }
    void set_sources(int shot, Sources sources) override {
        member_.ask_with(Order::set_sources, [&](Outgoing& message) {
            put(message.put(shot), sources.nodes).put(sources.signal).put(sources.density).put(sources.plain);
        });
    }
    void set_receivers(int shot, const NodeWeights& receivers, std::int64_t samples) override {
        member_.ask_with(Order::set_receivers,
                         [&](Outgoing& message) { put(message.put(shot), receivers).put(samples); });
    }

    void perform(Operation operation, std::int64_t index) override {
        if (operation != Operation::record) throw_stepped();
        member_.tell(Order::record, index);
    }
    void enqueue(std::int64_t first, std::int64_t count) override { member_.tell(Order::enqueue, first, count); }
    /// So the leader hears of the signals that its members were sent.
    void wait() override {
        Incoming reply = member_.ask(Order::wait);
        const int signal = reply.get<int>();
        hear_of_signals(signal, reply.get<std::int64_t>());
    }

    void upload(std::span<const double> p, std::span<const double> p_previous, int shot) override {
        member_.ask_with(Order::upload, [&](Outgoing& message) { message.put(shot).put_all(p).put_all(p_previous); });
    }
    void download_traces(std::span<float> values, int shot) const override {
        member_.ask(Order::trace_floats, shot, values.size()).get_all_into(values);
    }
    void download_traces(std::span<double> values, int shot) const override {
        member_.ask(Order::trace_doubles, shot, values.size()).get_all_into(values);
    }

    std::vector<StatePart> state_parts() const override { return RemoteState(member_).parts(); }
    std::unique_ptr<SavedStates> make_saved_states() override { return std::make_unique<RemoteStates>(member_); }
    void read_state(int shot, const StatePart& part, const StateVisitor& take) const override {
        RemoteState(member_).read(shot, part, take);
    }
    void write_state(int shot, const StatePart& part, const StateVisitor& fill) override {
        RemoteState(member_).write(shot, part, fill);
    }

private:
    [[noreturn]] static void throw_stepped() {
        throw std::logic_error("the slab of another process is stepped by that process");
    }

    std::shared_ptr<RemoteMedium> medium_;
    RemoteFields fields_;
    Member member_;
    int shots_;
    std::int64_t bytes_ = 0;
};

std::unique_ptr<Wavefield> RemoteMedium::make_wavefield(int shots, const StripList& strips) {
    if (strips != setup().strips) throw std::logic_error("other strips for the slab of another process");
    return std::make_unique<RemoteWavefield>(std::static_pointer_cast<RemoteMedium>(shared_from_this()), shots);
}

}  // namespace

std::shared_ptr<Medium> make_remote_medium(Team& team, int member, const Setup& setup, const PartRequest& request) {
    return std::make_shared<RemoteMedium>(Member(team, member), setup, request);
}

void dismiss(Team& team) {
    for (int member = 1; member < team.size(); ++member) Member(team, member).tell(Order::leave);
}

}  // namespace onda
