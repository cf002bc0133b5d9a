#include "solver/ranks/part_images.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "solver/ranks/remote_state.hpp"

namespace onda {
namespace {

constexpr std::size_t kPieceOfImage = 1 << 20;  ///< values of an image in a message
constexpr int kOffsets = -1;  ///< stands for the sums on lines at an offset, where others have a LevelSum

int number_of(const FieldSet& fields) {
    return dynamic_cast<const NumberedFields&>(fields).number();
}

/// What the images of a member have in common, whatever they are of.
class RemoteImages {
public:
    /// \param settings what follows the number of the fields in the order that makes them.
    template <typename... Settings>
    RemoteImages(Member member, Order make, int number, const Settings&... settings)
        : member_(member), made_(member_.ask(make, number, settings...)), bytes_(made_.get<std::int64_t>()) {}
    RemoteImages(const RemoteImages&) = delete;
    RemoteImages& operator=(const RemoteImages&) = delete;
    ~RemoteImages() {
        try {
            member_.tell(Order::drop_images);
        } catch (...) {  // a member that cannot be reached has none
        }
    }

    [[nodiscard]] std::int64_t bytes() const { return bytes_; }
    [[nodiscard]] RemoteState state() const { return RemoteState(member_); }
    /// What the member said beside it.
    [[nodiscard]] Incoming& made() { return made_; }
    void reset() { member_.tell(Order::reset_images); }
    void keep(const FieldSet& forward, std::int64_t slot) { member_.tell(Order::keep_level, number_of(forward), slot); }
    void meet(const FieldSet& adjoint, std::int64_t slot, std::int64_t steps) {
        member_.tell(Order::meet_level, number_of(adjoint), slot, steps);
    }
    /// \param which LevelSum, kOffsets, or an axis. \param first plane.
    void download(int which, std::int64_t first, std::span<double> image, int shot) const {
        Incoming message = member_.ask(Order::image, which, first, image.size(), shot);
        for (std::span<double> rest = image; message.get<bool>(); message = member_.answer()) {
            const std::size_t count = std::min(kPieceOfImage, rest.size());
            message.get_all_into(rest.first(count));
            rest = rest.subspan(count);
        }
    }

private:
    Member member_;
    Incoming made_;
    std::int64_t bytes_;
};

/// What images of both kinds have in common: a member's images stand behind them.
template <typename Images>
class Remote : public Images {
public:
    template <typename... What>
    explicit Remote(Member member, const What&... what) : images_(member, what...) {}

    void reset() final { images_.reset(); }
    [[nodiscard]] std::int64_t allocated_bytes() const final { return images_.bytes(); }
    [[nodiscard]] std::vector<StatePart> state_parts() const final { return images_.state().parts(); }
    void read_state(int shot, const StatePart& part, const StateVisitor& take) const final {
        images_.state().read(shot, part, take);
    }
    void write_state(int shot, const StatePart& part, const StateVisitor& fill) final {
        images_.state().write(shot, part, fill);
    }

protected:
    RemoteImages images_;
};

class RemoteCorrelation final : public Remote<Correlation> {
public:
    RemoteCorrelation(Member member, int number, std::int64_t slots, Correlated what, const OffsetLines& lines)
        : Remote(member, Order::make_correlation, number, slots, what, lines.axis, lines.most, lines.lines),
          what_(what),
          most_steps_(images_.made().get<std::int64_t>()) {}

    void keep(const FieldSet& forward, std::int64_t slot) override { images_.keep(forward, slot); }
    void meet(const FieldSet& adjoint, std::int64_t slot, std::int64_t steps) override {
        images_.meet(adjoint, slot, steps);
    }
    [[nodiscard]] std::int64_t most_steps() const override { return most_steps_; }
    void download_planes(LevelSum sum, std::int64_t first, std::span<double> planes, int shot) const override {
        check_sum(sum, sums_squares(what_));
        images_.download(static_cast<int>(sum), first, planes, shot);
    }
    void download_offsets(std::int64_t first, std::span<double> planes, int shot) const override {
        images_.download(kOffsets, first, planes, shot);
    }

private:
    Correlated what_;
    std::int64_t most_steps_;
};

class RemoteFluxCorrelation final : public Remote<FluxCorrelation> {
public:
    RemoteFluxCorrelation(Member member, int number, std::int64_t slots)
        : Remote(member, Order::make_flux_correlation, number, slots), remembers_(images_.made().get<bool>()) {}

    void keep(FieldSet& forward, std::int64_t slot) override { images_.keep(forward, slot); }
    void meet(FieldSet& adjoint, std::int64_t slot) override { images_.meet(adjoint, slot, 1); }
    [[nodiscard]] bool remembers() const override { return remembers_; }
    void download(int axis, std::span<double> image, int shot) const override {
        images_.download(axis, 0, image, shot);
    }

private:
    bool remembers_;
};

}  // namespace

std::unique_ptr<Correlation> make_remote_correlation(Member member, int number, std::int64_t slots, Correlated what,
                                                     const OffsetLines& lines) {
    return std::make_unique<RemoteCorrelation>(member, number, slots, what, lines);
}

std::unique_ptr<FluxCorrelation> make_remote_flux_correlation(Member member, int number, std::int64_t slots) {
    return std::make_unique<RemoteFluxCorrelation>(member, number, slots);
}

ShotState* ServedImages::state_of(int number) {
    const auto found = images_.find(number);
    if (found == images_.end()) return nullptr;
    const Images& images = found->second;
    return images.levels ? static_cast<ShotState*>(images.levels.get()) : images.fluxes.get();
}

void ServedImages::make(Order order, Incoming& message, Outgoing& reply) {
    const auto number = message.get<int>();
    const FieldSet& fields = fields_of_(message.get<int>());
    const auto slots = message.get<std::int64_t>();
    Images made;
    if (order == Order::make_flux_correlation) {
        made.fluxes = fields.make_flux_correlation(slots);
        reply.put(made.fluxes->allocated_bytes()).put(made.fluxes->remembers());
    } else {
        const auto what = message.get<Correlated>();
        OffsetLines lines{message.get<int>(), message.get<std::int64_t>(), {}};
        lines.lines = message.get_all<std::array<std::int64_t, 2>>();
        made.levels = fields.make_correlation(slots, what, lines);
        reply.put(made.levels->allocated_bytes()).put(made.levels->most_steps());
    }
    images_[number] = std::move(made);
}

void ServedImages::carry_out(Order order, Incoming& message) {
    const auto number = message.get<int>();
    if (order == Order::drop_images) {
        images_.erase(number);
        return;
    }
    const Images& images = images_.at(number);
    if (order == Order::reset_images) {
        images.levels ? images.levels->reset() : images.fluxes->reset();
        return;
    }
    FieldSet& fields = fields_of_(message.get<int>());
    const auto slot = message.get<std::int64_t>();
    if (order == Order::keep_level)
        images.levels ? images.levels->keep(fields, slot) : images.fluxes->keep(fields, slot);
    else if (images.levels)
        images.levels->meet(fields, slot, message.get<std::int64_t>());
    else
        images.fluxes->meet(fields, slot);
}

void ServedImages::send(Incoming& message, Outgoing& reply) const {
    const Images& images = images_.at(message.get<int>());
    const auto which = message.get<int>();
    const auto first = message.get<std::int64_t>();
    std::vector<double> image(message.get<std::size_t>());
    const auto shot = message.get<int>();
    if (images.levels && which == kOffsets)
        images.levels->download_offsets(first, image, shot);
    else if (images.levels)
        images.levels->download_planes(static_cast<LevelSum>(which), first, image, shot);
    else
        images.fluxes->download(which, image, shot);
    for (std::span<const double> rest = image; !rest.empty();) {
        const std::size_t count = std::min(kPieceOfImage, rest.size());
        Outgoing piece;
        piece.put(true).put(true).put_all(rest.first(count));  // it goes well, and there is more
        team_.send(0, Topic::reply, piece.bytes());
        rest = rest.subspan(count);
    }
    reply.put(false);
}

}  // namespace onda
