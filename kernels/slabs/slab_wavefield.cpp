// The medium and the wavefields of a grid that is cut into slabs.
#include <algorithm>
#include <optional>
#include <utility>

#include "kernels/shot/source_density.hpp"
#include "kernels/slabs/slab_fields.hpp"
#include "kernels/slabs/slab_map.hpp"
#include "kernels/slabs/slab_recorder.hpp"
#include "kernels/slabs/slab_state.hpp"
#include "kernels/slabs/slabs.hpp"

namespace onda {
namespace {

class SlabMedium final : public Medium {
public:
    SlabMedium(const Setup& setup, const MediumReaders& readers, double dt_s, std::vector<Slab> slabs,
               const MakeSlabMedium& make_medium, MakeExchange make_exchange, std::size_t stepped_here)
        : Medium(setup),
          map_(Medium::setup(), std::move(slabs)),
          make_exchange_(std::move(make_exchange)),
          stepped_here_(std::min(stepped_here, map_.count())) {
        for (std::size_t s = 0; s < map_.count(); ++s) {
            const MediumReaders shifted = readers_from_plane(readers, map_.computed(s).first_plane);
            media_.push_back(make_medium(s, setup_of_slab(setup, map_.owned(s)), shifted, dt_s));
        }
    }

    std::string description() const override {
        return media_.front()->description() + ", " + std::to_string(map_.count()) + " slabs";
    }
    std::string kernel() const override { return media_.front()->kernel(); }
    std::int64_t allocated_bytes() const override {
        std::int64_t bytes = 0;
        for (const auto& medium : media_) bytes += medium->allocated_bytes();
        return bytes;
    }
    void values_at(std::size_t array, std::span<const std::int64_t> nodes, std::span<double> values) const override {
        std::vector<std::vector<std::size_t>> of_slab(map_.count());  // which of the nodes
        for (std::size_t i = 0; i < nodes.size(); ++i) of_slab[map_.slab_of(nodes[i])].push_back(i);
        // One question a slab: each is a message, or several operations of a device.
        for (std::size_t slab = 0; slab < map_.count(); ++slab) {
            if (of_slab[slab].empty()) continue;
            std::vector<std::int64_t> local;
            for (const std::size_t i : of_slab[slab]) local.push_back(nodes[i] - map_.first_node(slab));
            std::vector<double> found(local.size());
            media_[slab]->values_at(array, local, found);
            for (std::size_t k = 0; k < found.size(); ++k) values[of_slab[slab][k]] = found[k];
        }
    }
    using Medium::make_wavefield;
    std::unique_ptr<Wavefield> make_wavefield(int shots, const StripList& strips) override;

    [[nodiscard]] const SlabMap& map() const { return map_; }
    [[nodiscard]] const std::vector<std::shared_ptr<Medium>>& media() const { return media_; }
    [[nodiscard]] const MakeExchange& exchange_maker() const { return make_exchange_; }
    [[nodiscard]] std::size_t stepped_here() const { return stepped_here_; }

private:
    SlabMap map_;
    std::vector<std::shared_ptr<Medium>> media_;
    MakeExchange make_exchange_;
    std::size_t stepped_here_;
};

class SlabWavefield final : public Wavefield {
public:
    SlabWavefield(std::shared_ptr<SlabMedium> medium, Setup setup, int shots)
        : medium_(std::move(medium)), setup_(std::move(setup)), recorders_(static_cast<std::size_t>(shots)) {
        const bool as_the_medium = setup_.strips == medium_->setup().strips;
        for (std::size_t s = 0; s < map().count(); ++s) {
            Medium& part = *medium_->media()[s];
            slabs_.push_back(as_the_medium ? part.make_wavefield(shots)
                                           : part.make_wavefield(shots, setup_of_slab(setup_, map().owned(s)).strips));
        }
        std::vector<FieldSet*> fields;
        for (const auto& slab : slabs_) fields.push_back(&slab->fields());
        fields_.emplace(setup_, map(), std::move(fields), [this] { exchange_planes(); });
        std::vector<Wavefield*> here;
        for (std::size_t s = 0; s < medium_->stepped_here(); ++s) here.push_back(slabs_[s].get());
        std::unique_ptr<Exchange> exchange = medium_->exchange_maker()(here);
        const bool only_queues = exchange->only_queues() && here.size() == slabs_.size();
        steps_.emplace(here, std::move(exchange));
        if (only_queues)
            queue_ = here.front()->make_step_queue(
                here, [this](std::int64_t first, std::int64_t count) { advance_in_order(*steps_, first, count); });
    }

    const Medium& medium() const override { return *medium_; }
    const FieldSet& fields() const override { return *fields_; }
    int shots() const override { return static_cast<int>(recorders_.size()); }
    std::int64_t allocated_bytes() const override { return allocated_bytes_of(slabs_); }

    void reset() override {
        for (const auto& slab : slabs_) slab->reset();
        std::ranges::fill(recorders_, SlabRecorder());
    }
    void set_sources(int shot, Sources sources) override;
    void set_receivers(int shot, const NodeWeights& receivers, std::int64_t samples) override {
        SlabRecorder& recorder = recorders_.at(static_cast<std::size_t>(shot));
        recorder = SlabRecorder(map(), problem(), receivers, samples);
        recorder.begin(slabs_, shot);
    }

    void perform(Operation operation, std::int64_t index) override {
        if (operation != Operation::record) return steps_->perform(operation, index);
        for (const auto& slab : slabs_) slab->perform(operation, index);  // those of other processes, too
        record_cut(index);
    }
    /// Slabs of other processes run ahead of this one, unless the value of a receiver takes nodes of several slabs.
    void enqueue(std::int64_t first, std::int64_t count) override {
        const bool is_whole = std::ranges::all_of(recorders_, &SlabRecorder::is_whole);
        const std::int64_t stride = problem().stride(), together = is_whole ? count : stride;
        for (std::int64_t n = first; n < first + count; n += together) {
            for (std::size_t s = medium_->stepped_here(); s < slabs_.size(); ++s) slabs_[s]->enqueue(n, together);
            if (queue_)
                queue_->enqueue(n, together);
            else
                advance_in_order(*steps_, n, together);
            if (!is_whole) record_cut(n / stride + 1);
        }
    }
    void wait() override {
        for (const auto& slab : slabs_) slab->wait();
    }

    void upload(std::span<const double> p, std::span<const double> p_previous, int shot) override {
        for (std::size_t s = 0; s < slabs_.size(); ++s) {
            const auto begin = static_cast<std::size_t>(map().first_node(s));
            const auto count = static_cast<std::size_t>(medium_->media()[s]->setup().grid.points());
            slabs_[s]->upload(p.subspan(begin, count), p_previous.subspan(begin, count), shot);
        }
    }
    void download_traces(std::span<float> values, int shot) const override {
        recorders_.at(static_cast<std::size_t>(shot)).copy(slabs_, shot, values);
    }
    void download_traces(std::span<double> values, int shot) const override {
        recorders_.at(static_cast<std::size_t>(shot)).copy(slabs_, shot, values);
    }

    std::vector<StatePart> state_parts() const override { return state_parts_of(map(), problem(), slabs_); }
    std::unique_ptr<SavedStates> make_saved_states() override { return make_slab_states(slabs_); }
    void read_state(int shot, const StatePart& part, const StateVisitor& take) const override {
        read_state_of(map(), slabs_, shot, part, take);
    }
    void write_state(int shot, const StatePart& part, const StateVisitor& fill) override {
        write_state_of(map(), slabs_, shot, part, fill);
    }

private:
    [[nodiscard]] const SlabMap& map() const { return medium_->map(); }
    void exchange_planes() {
        for (std::size_t s = medium_->stepped_here(); s < slabs_.size(); ++s) slabs_[s]->fields().exchange_planes();
        steps_->exchange_planes();
    }
    void record_cut(std::int64_t n) {
        for (std::size_t shot = 0; shot < recorders_.size(); ++shot)
            recorders_[shot].record(n, slabs_, static_cast<int>(shot));
    }

    std::shared_ptr<SlabMedium> medium_;
    Setup setup_;
    std::vector<std::unique_ptr<Wavefield>> slabs_;
    std::optional<SlabFields> fields_;
    std::optional<SlabSteps> steps_;
    std::unique_ptr<StepQueue> queue_;     ///< null where steps are queued by their calls
    std::vector<SlabRecorder> recorders_;  ///< of each shot
};

void SlabWavefield::set_sources(int shot, Sources sources) {
    const std::vector<double> density = source_densities(*medium_, sources);
    for (std::size_t s = 0; s < slabs_.size(); ++s) {
        Sources share;
        share.density = density;
        share.plain = sources.plain;
        for (std::int64_t row = 0; row < sources.nodes.rows(); ++row) {
            const auto at = static_cast<std::size_t>(row);
            for (auto i = static_cast<std::size_t>(sources.nodes.first[at]);
                 i < static_cast<std::size_t>(sources.nodes.first[at + 1]); ++i) {
                if (!map().computes(s, sources.nodes.node[i])) continue;
                share.nodes.node.push_back(sources.nodes.node[i] - map().first_node(s));
                share.nodes.weight.push_back(sources.nodes.weight[i]);
            }
            const bool acts_here = std::ssize(share.nodes.node) > share.nodes.first.back();
            share.nodes.first.push_back(std::ssize(share.nodes.node));
            share.signal.push_back(acts_here ? sources.signal[at] : std::vector<double>{});
        }
        slabs_[s]->set_sources(shot, std::move(share));
    }
}

std::unique_ptr<Wavefield> SlabMedium::make_wavefield(int shots, const StripList& strips) {
    Setup with_strips = setup_with(strips);
    check_slabs(with_strips, map_.slabs());
    return std::make_unique<SlabWavefield>(std::static_pointer_cast<SlabMedium>(shared_from_this()),
                                           std::move(with_strips), shots);
}

}  // namespace

std::shared_ptr<Medium> make_slab_medium(const Setup& setup, const MediumReaders& readers, double dt_s,
                                         std::vector<Slab> slabs, const MakeSlabMedium& make_medium,
                                         MakeExchange make_exchange, std::size_t stepped_here) {
    check_problem(setup);
    check_readers(setup, readers);
    check_slabs(setup, slabs);
    return std::make_shared<SlabMedium>(setup, readers, dt_s, std::move(slabs), make_medium, std::move(make_exchange),
                                        stepped_here);
}

}  // namespace onda
