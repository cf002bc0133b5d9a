#include "kernels/slabs.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>

#include "kernels/cpu/downloads.hpp"
#include "kernels/plan/shell.hpp"
#include "kernels/plan/state_parts.hpp"
#include "kernels/shot/receiver_sum.hpp"
#include "kernels/shot/source_entries.hpp"

namespace onda {
namespace {

/// Copies planes between wavefields of one process.
class LocalExchange final : public Exchange {
public:
    explicit LocalExchange(std::vector<Wavefield*> slabs) : slabs_(std::move(slabs)) {}

    void post() override {
        for (std::size_t i = 1; i < slabs_.size(); ++i) {
            Wavefield &low = *slabs_[i - 1], &high = *slabs_[i];
            const CutPlanes below(low.problem()), above(high.problem());
            low.copy_planes(high, above.own_low(), below.beyond_high(), below.count);
            high.copy_planes(low, below.own_high(), above.beyond_low(), above.count);
        }
    }
    void wait() override {
        for (Wavefield* slab : slabs_) slab->await_planes();
    }
    bool only_queues() const override { return true; }

private:
    std::vector<Wavefield*> slabs_;
};

class NoExchange final : public Exchange {
public:
    void post() override {}
    void wait() override {}
    bool only_queues() const override { return true; }
};

class SlabMedium final : public Medium {
public:
    SlabMedium(const Setup& setup, const MediumReaders& readers, double dt_s, std::vector<Slab> slabs,
               const MakeSlabMedium& make_medium, MakeExchange make_exchange, std::size_t stepped_here)
        : Medium(setup),
          slabs_(std::move(slabs)),
          make_exchange_(std::move(make_exchange)),
          stepped_here_(std::min(stepped_here, slabs_.size())) {
        for (std::size_t s = 0; s < slabs_.size(); ++s) {
            computed_.push_back(with_ghosts(setup, slabs_[s]));
            const MediumReaders shifted = readers_from_plane(readers, computed_[s].first_plane);
            media_.push_back(make_medium(s, setup_of_slab(setup, slabs_[s]), shifted, dt_s));
        }
    }

    std::string description() const override {
        return media_.front()->description() + ", " + std::to_string(slabs_.size()) + " slabs";
    }
    std::string kernel() const override { return media_.front()->kernel(); }
    std::int64_t allocated_bytes() const override {
        std::int64_t bytes = 0;
        for (const auto& medium : media_) bytes += medium->allocated_bytes();
        return bytes;
    }
    void values_at(std::size_t array, std::span<const std::int64_t> nodes, std::span<double> values) const override {
        std::vector<std::vector<std::size_t>> of_slab(slabs_.size());  // which of the nodes
        for (std::size_t i = 0; i < nodes.size(); ++i) of_slab[slab_of(nodes[i])].push_back(i);
        // One question a slab: each is a message, or several operations of a device.
        for (std::size_t slab = 0; slab < slabs_.size(); ++slab) {
            if (of_slab[slab].empty()) continue;
            std::vector<std::int64_t> local;
            for (const std::size_t i : of_slab[slab]) local.push_back(nodes[i] - first_node(slab));
            std::vector<double> found(local.size());
            media_[slab]->values_at(array, local, found);
            for (std::size_t k = 0; k < found.size(); ++k) values[of_slab[slab][k]] = found[k];
        }
    }
    std::unique_ptr<Wavefield> make_wavefield(int shots) override;

    [[nodiscard]] const std::vector<Slab>& slabs() const { return slabs_; }
    [[nodiscard]] const std::vector<std::shared_ptr<Medium>>& media() const { return media_; }
    [[nodiscard]] const MakeExchange& exchange_maker() const { return make_exchange_; }
    [[nodiscard]] std::size_t stepped_here() const { return stepped_here_; }
    [[nodiscard]] std::size_t slab_of(std::int64_t node) const {
        const std::int64_t z = setup().grid.node(node)[2];
        const auto after = std::ranges::upper_bound(slabs_, z, {}, &Slab::first_plane);
        return static_cast<std::size_t>(after - slabs_.begin()) - 1;
    }
    /// Whether a slab computes a node, its own or as a ghost.
    [[nodiscard]] bool computes(std::size_t slab, std::int64_t node) const {
        const std::int64_t z = setup().grid.node(node)[2] - computed_[slab].first_plane;
        return z >= 0 && z < computed_[slab].planes;
    }
    /// The grid's index of a slab's node 0: nodes are counted plane by plane.
    [[nodiscard]] std::int64_t first_node(std::size_t slab) const {
        return setup().grid.at(0, 0, computed_[slab].first_plane);
    }
    /// A window as the slabs see it: the planes of each that are its own.
    [[nodiscard]] std::vector<WindowPart> parts(const Window& window) const {
        return parts_of(window, slabs_, computed_);
    }
    /// Of a part of a slab's state, the planes that are no ghosts. What lies inside a z face is the slab's own.
    [[nodiscard]] Slab own_planes(std::size_t slab, const StatePart& part) const {
        if (part.extents[2] != computed_[slab].planes) return {0, part.extents[2]};
        return {slabs_[slab].first_plane - computed_[slab].first_plane, slabs_[slab].planes};
    }

private:
    std::vector<Slab> slabs_, computed_;
    std::vector<std::shared_ptr<Medium>> media_;
    MakeExchange make_exchange_;
    std::size_t stepped_here_;
};

/// Appends a row of `all` to `share`. \param first_node of the slab that it is for.
void append_row(NodeWeights& share, const NodeWeights& all, std::size_t row, std::int64_t first_node) {
    for (auto i = static_cast<std::size_t>(all.first[row]); i < static_cast<std::size_t>(all.first[row + 1]); ++i) {
        share.node.push_back(all.node[i] - first_node);
        share.weight.push_back(all.weight[i]);
    }
    share.first.push_back(std::ssize(share.node));
}

/// Receivers whose nodes lie in several slabs: node values are brought together and summed here, in the one order.
class CutReceivers {
public:
    CutReceivers() = default;
    CutReceivers(const SlabMedium& medium, NodeWeights receivers, std::int64_t samples)
        : receivers_(std::move(receivers)),
          samples_(samples),
          is_float_(medium.setup().precision == Precision::float32),
          nodes_(medium.slabs().size()),
          entries_(medium.slabs().size()),
          values_(receivers_.node.size()),
          traces_(static_cast<std::size_t>(receivers_.rows() * samples)) {
        for (std::size_t i = 0; i < receivers_.node.size(); ++i) {
            const std::size_t slab = medium.slab_of(receivers_.node[i]);
            nodes_[slab].push_back(receivers_.node[i] - medium.first_node(slab));
            entries_[slab].push_back(i);
        }
    }

    [[nodiscard]] bool empty() const { return receivers_.rows() == 0; }
    void record(std::int64_t n, std::span<const std::unique_ptr<Wavefield>> slabs, int shot) {
        if (n >= samples_ || empty()) return;
        std::vector<double> of_slab;
        for (std::size_t s = 0; s < slabs.size(); ++s) {
            if (nodes_[s].empty()) continue;
            of_slab.resize(nodes_[s].size());
            slabs[s]->sample(nodes_[s], of_slab, shot);
            for (std::size_t i = 0; i < of_slab.size(); ++i) values_[entries_[s][i]] = of_slab[i];
        }
        is_float_ ? sum_all<float>(n) : sum_all<double>(n);
    }
    /// The trace of one of them.
    [[nodiscard]] std::span<const double> trace(std::int64_t receiver) const {
        return std::span(traces_).subspan(static_cast<std::size_t>(receiver * samples_),
                                          static_cast<std::size_t>(samples_));
    }

private:
    template <typename T>
    void sum_all(std::int64_t n) {
        const cpu::FlushDenormals<T> flush;
        const auto entry = [](const std::vector<double>& of_entries) {
            return [&](std::int64_t i) { return static_cast<T>(of_entries[static_cast<std::size_t>(i)]); };
        };
        for (std::size_t r = 0; r + 1 < receivers_.first.size(); ++r)
            traces_[r * static_cast<std::size_t>(samples_) + static_cast<std::size_t>(n)] =
                static_cast<double>(receiver_sum(flush, receivers_.first[r], receivers_.first[r + 1],
                                                 entry(receivers_.weight), entry(values_)));
    }

    NodeWeights receivers_;
    std::int64_t samples_ = 0;
    bool is_float_ = true;
    std::vector<std::vector<std::int64_t>> nodes_;   ///< of each slab, in its own numbers
    std::vector<std::vector<std::size_t>> entries_;  ///< which entries of the receivers they are
    std::vector<double> values_;                     ///< of p at each entry
    std::vector<double> traces_;                     ///< [receiver][sample]
};

/// Receivers of a shot: those with all their nodes in one slab are recorded there, on its device.
class SlabRecorder {
public:
    SlabRecorder() = default;
    SlabRecorder(const SlabMedium& medium, const NodeWeights& receivers, std::int64_t samples)
        : samples_(samples), of_slab_(medium.slabs().size()) {
        std::vector<NodeWeights> shares(of_slab_.size());
        NodeWeights cut;
        for (std::size_t row = 0; row + 1 < receivers.first.size(); ++row) {
            const auto begin = receivers.node.begin() + receivers.first[row],
                       end = receivers.node.begin() + receivers.first[row + 1];
            const std::size_t slab = begin == end ? 0 : medium.slab_of(*begin);
            const bool whole = std::all_of(begin, end, [&](std::int64_t node) { return medium.slab_of(node) == slab; });
            append_row(whole ? shares[slab] : cut, receivers, row, whole ? medium.first_node(slab) : 0);
            (whole ? of_slab_[slab] : of_cut_).push_back(row);
        }
        shares_ = std::move(shares);
        cut_ = CutReceivers(medium, std::move(cut), samples);
    }

    /// Hands each slab its receivers.
    void begin(std::span<const std::unique_ptr<Wavefield>> slabs, int shot) {
        for (std::size_t s = 0; s < slabs.size(); ++s) slabs[s]->set_receivers(shot, shares_[s], samples_);
        shares_.clear();
    }
    /// Whether a slab has every receiver to itself.
    [[nodiscard]] bool is_whole() const { return cut_.empty(); }
    /// Takes the sample of those that no slab has to itself.
    void record(std::int64_t n, std::span<const std::unique_ptr<Wavefield>> slabs, int shot) {
        cut_.record(n, slabs, shot);
    }
    template <typename U>
    void copy(std::span<const std::unique_ptr<Wavefield>> slabs, int shot, std::span<U> values) const {
        std::vector<U> of_slab;
        for (std::size_t s = 0; s < of_slab_.size(); ++s) {
            if (of_slab_[s].empty()) continue;
            of_slab.resize(of_slab_[s].size() * static_cast<std::size_t>(samples_));
            slabs[s]->download_traces(std::span<U>(of_slab), shot);
            for (std::size_t i = 0; i < of_slab_[s].size(); ++i)
                put(std::span<const U>(of_slab).subspan(i * static_cast<std::size_t>(samples_)), of_slab_[s][i],
                    values);
        }
        for (std::size_t i = 0; i < of_cut_.size(); ++i)
            put(cut_.trace(static_cast<std::int64_t>(i)), of_cut_[i], values);
    }

private:
    template <typename V, typename U>
    void put(std::span<const V> trace, std::size_t row, std::span<U> values) const {
        const cpu::FlushDenormals<U> flush;
        const auto samples = static_cast<std::size_t>(samples_);
        for (std::size_t n = 0; n < samples; ++n) values[row * samples + n] = static_cast<U>(trace[n]);
    }

    std::int64_t samples_ = 0;
    std::vector<NodeWeights> shares_;                ///< until the slabs have them
    std::vector<std::vector<std::size_t>> of_slab_;  ///< rows of the receivers, slab by slab
    std::vector<std::size_t> of_cut_;                ///< rows of the others
    CutReceivers cut_;
};

/// What one slab holds of a part of the state. Planes are those of the whole part.
struct StateShare {
    Wavefield* slab;
    StatePart part;            ///< as the slab gives it, ghosts included
    std::int64_t first_plane;  ///< the slab's plane 0 of it
    Slab own;                  ///< those that are no ghosts
};

/// Asks a visitor for the planes of a part once each, in order, although two slabs need those beside a cut.
class AskedOnce {
public:
    AskedOnce(const StatePart& part, const StateVisitor& fill) : part_(part), fill_(fill) {}

    /// \param plane that the next slab begins with: what comes from there on, it needs again.
    void keep_from(std::int64_t plane) { keep_from_ = plane; }
    void fill(std::int64_t first, std::span<std::byte> planes) {
        const std::int64_t bytes = plane_bytes(part_);
        const std::int64_t known = std::min((next_ - first) * bytes, std::ssize(planes));
        std::copy_n(kept_.begin() + (first - first_kept_) * bytes, known, planes.begin());
        if (const std::span<std::byte> others = planes.subspan(static_cast<std::size_t>(known)); !others.empty()) {
            fill_(part_, next_, others);
            kept_.insert(kept_.end(), others.begin(), others.end());
            next_ += std::ssize(others) / bytes;
        }
        forget_before(std::min(keep_from_, first + std::ssize(planes) / bytes));
    }

private:
    void forget_before(std::int64_t plane) {
        const std::int64_t count = std::clamp<std::int64_t>(plane - first_kept_, 0, next_ - first_kept_);
        kept_.erase(kept_.begin(), kept_.begin() + count * plane_bytes(part_));
        first_kept_ += count;
    }

    const StatePart& part_;
    const StateVisitor& fill_;
    std::vector<std::byte> kept_;  ///< of planes [first_kept_, next_)
    std::int64_t first_kept_ = 0, next_ = 0, keep_from_ = 0;
};

class SlabWavefield final : public Wavefield {
public:
    SlabWavefield(std::shared_ptr<SlabMedium> medium, int shots)
        : medium_(std::move(medium)), recorders_(static_cast<std::size_t>(shots)) {
        for (const auto& part : medium_->media()) slabs_.push_back(part->make_wavefield(shots));
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
    int shots() const override { return static_cast<int>(recorders_.size()); }
    std::int64_t allocated_bytes() const override {
        std::int64_t bytes = 0;
        for (const auto& slab : slabs_) bytes += slab->allocated_bytes();
        return bytes;
    }

    void reset() override {
        for (const auto& slab : slabs_) slab->reset();
        std::ranges::fill(recorders_, SlabRecorder());
    }
    void set_sources(int shot, const Sources& sources) override;
    void set_receivers(int shot, const NodeWeights& receivers, std::int64_t samples) override {
        SlabRecorder& recorder = recorders_.at(static_cast<std::size_t>(shot));
        recorder = SlabRecorder(*medium_, receivers, samples);
        recorder.begin(slabs_, shot);
    }

    void update(std::int64_t n) override { steps_->update(n); }
    void fill_halos() override { steps_->fill_halos(); }
    void step() override { steps_->step(); }
    void step_inside() override { steps_->step_inside(); }
    void step_beside_cuts() override { steps_->step_beside_cuts(); }
    void absorb() override { steps_->absorb(); }
    void inject(std::int64_t n) override { steps_->inject(n); }
    void swap() override { steps_->swap(); }
    void record(std::int64_t n) override {
        for (const auto& slab : slabs_) slab->record(n);
        record_cut(n);
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

    std::vector<Extremum> extrema() const override;
    void download(const Window& window, std::span<float> values, int shot) const override {
        take(window, values, shot);
    }
    void download(const Window& window, std::span<double> values, int shot) const override {
        take(window, values, shot);
    }
    void download_previous(const Window& window, std::span<double> values, int shot) const override {
        for (const WindowPart& part : medium_->parts(window))
            slabs_[part.slab]->download_previous(part.window, values.subspan(static_cast<std::size_t>(part.before)),
                                                 shot);
    }
    void hash_planes(const Window& window, std::span<std::uint64_t> hashes, int shot) const override {
        const std::int64_t plane = window.count[0] * window.count[1];
        for (const WindowPart& part : medium_->parts(window))
            slabs_[part.slab]->hash_planes(part.window,
                                           hashes.subspan(static_cast<std::size_t>(part.before / plane),
                                                          static_cast<std::size_t>(part.window.count[2])),
                                           shot);
    }
    std::unique_ptr<Download> start_download(const Window& window, int shot) override {
        auto download = std::make_unique<cpu::HostDownload>(frames_, window.points());
        take(window, download->values(), shot);
        return download;
    }
    void upload(std::span<const double> p, std::span<const double> p_previous, int shot) override {
        for (std::size_t s = 0; s < slabs_.size(); ++s) {
            const auto begin = static_cast<std::size_t>(medium_->first_node(s));
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
    void sample(std::span<const std::int64_t> nodes, std::span<double> values, int shot) const override {
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const std::size_t slab = medium_->slab_of(nodes[i]);
            const std::int64_t local = nodes[i] - medium_->first_node(slab);
            slabs_[slab]->sample({&local, 1}, values.subspan(i, 1), shot);
        }
    }
    void copy_planes(const Wavefield&, std::int64_t, std::int64_t, std::int64_t) override {
        throw std::logic_error("a grid that was cut into slabs has no planes to exchange");
    }
    // The outermost slabs exchange planes with those of other processes.
    std::unique_ptr<PlaneBuffer> make_plane_buffer(std::int64_t planes) const override {
        return slabs_.front()->make_plane_buffer(planes);
    }
    bool copy_out(std::int64_t from_plane, PlaneBuffer& planes) const override {
        const auto [slab, plane] = outermost(from_plane);
        return slab->copy_out(plane, planes);
    }
    void await_copies_out() const override {
        slabs_.front()->await_copies_out();
        slabs_.back()->await_copies_out();
    }
    void copy_in(std::int64_t to_plane, const PlaneBuffer& planes) override {
        const auto [slab, plane] = outermost(to_plane);
        slab->copy_in(plane, planes);
    }
    std::unique_ptr<PlanePort> make_plane_port(std::int64_t planes, std::int64_t from_plane,
                                               std::int64_t to_plane) override {
        const auto [slab, from] = outermost(from_plane);
        return slab->make_plane_port(planes, from, outermost(to_plane).second);
    }
    void await_planes() override {
        for (const auto& slab : slabs_) slab->await_planes();
    }

    std::vector<StatePart> state_parts() const override;
    void read_state(int shot, const StatePart& part, const StateVisitor& take) const override;
    void write_state(int shot, const StatePart& part, const StateVisitor& fill) override;

private:
    /// The first slab or the last one, and one of its planes or of the halo beyond it.
    [[nodiscard]] std::pair<Wavefield*, std::int64_t> outermost(std::int64_t plane) const {
        if (plane < medium_->slabs().front().planes) return {slabs_.front().get(), plane};
        return {slabs_.back().get(), plane - medium_->setup().grid.nz() + slabs_.back()->problem().grid.nz()};
    }
    void record_cut(std::int64_t n) {
        for (std::size_t shot = 0; shot < recorders_.size(); ++shot)
            recorders_[shot].record(n, slabs_, static_cast<int>(shot));
    }
    template <typename U>
    void take(const Window& window, std::span<U> values, int shot) const {
        for (const WindowPart& part : medium_->parts(window))
            slabs_[part.slab]->download(part.window, values.subspan(static_cast<std::size_t>(part.before)), shot);
    }
    [[nodiscard]] std::vector<StateShare> shares_of(const std::string& name) const {
        std::vector<StateShare> shares;
        std::int64_t next = 0;
        for (std::size_t s = 0; s < slabs_.size(); ++s)
            for (const StatePart& share : slabs_[s]->state_parts()) {
                if (share.name != name) continue;
                const Slab own = medium_->own_planes(s, share);
                shares.push_back({slabs_[s].get(), share, next - own.first_plane, {next, own.planes}});
                next += own.planes;
            }
        return shares;
    }

    std::shared_ptr<SlabMedium> medium_;
    std::vector<std::unique_ptr<Wavefield>> slabs_;
    std::optional<SlabSteps> steps_;
    std::unique_ptr<StepQueue> queue_;     ///< null where steps are queued by their calls
    std::vector<SlabRecorder> recorders_;  ///< of each shot
    cpu::FrameBuffers frames_;
};

void SlabWavefield::set_sources(int shot, const Sources& sources) {
    const std::vector<double> density = source_densities(*medium_, sources);
    for (std::size_t s = 0; s < slabs_.size(); ++s) {
        Sources share;
        share.density = density;
        for (std::int64_t row = 0; row < sources.nodes.rows(); ++row) {
            const auto at = static_cast<std::size_t>(row);
            for (auto i = static_cast<std::size_t>(sources.nodes.first[at]);
                 i < static_cast<std::size_t>(sources.nodes.first[at + 1]); ++i) {
                if (!medium_->computes(s, sources.nodes.node[i])) continue;
                share.nodes.node.push_back(sources.nodes.node[i] - medium_->first_node(s));
                share.nodes.weight.push_back(sources.nodes.weight[i]);
            }
            const bool acts_here = std::ssize(share.nodes.node) > share.nodes.first.back();
            share.nodes.first.push_back(std::ssize(share.nodes.node));
            share.signal.push_back(acts_here ? sources.signal[at] : std::vector<double>{});
        }
        slabs_[s]->set_sources(shot, share);
    }
}

/// NaN above infinity above numbers.
int rank_of(double max_abs) {
    return std::isnan(max_abs) ? 2 : std::isinf(max_abs) ? 1 : 0;
}

std::vector<Extremum> SlabWavefield::extrema() const {
    std::vector<Extremum> largest = slabs_.front()->extrema();
    for (std::size_t s = 1; s < slabs_.size(); ++s) {
        const std::vector<Extremum> others = slabs_[s]->extrema();
        for (std::size_t shot = 0; shot < others.size(); ++shot) {
            Extremum other = others[shot], &so_far = largest[shot];
            other.node += medium_->first_node(s);
            const int rank = rank_of(other.max_abs), before = rank_of(so_far.max_abs);
            if (rank > before || (rank == before && other.max_abs > so_far.max_abs)) so_far = other;
        }
    }
    return largest;
}

// The first slab lacks what is inside z_max, and the last one what is inside z_min: sorted, their order is that of an
// uncut grid.
std::vector<StatePart> SlabWavefield::state_parts() const {
    std::vector<StatePart> parts;
    for (std::size_t s = 0; s < slabs_.size(); ++s)
        for (StatePart share : slabs_[s]->state_parts()) {
            share.extents[2] = medium_->own_planes(s, share).planes;
            const auto part = std::ranges::find(parts, share.name, &StatePart::name);
            if (part == parts.end())
                parts.push_back(share);
            else
                part->extents[2] += share.extents[2];
        }
    std::ranges::stable_sort(parts, {}, [this](const StatePart& part) { return place_in_state(problem(), part); });
    return parts;
}

void SlabWavefield::read_state(int shot, const StatePart& part, const StateVisitor& take) const {
    const std::int64_t bytes = plane_bytes(part);
    for (const StateShare& share : shares_of(part.name))
        share.slab->read_state(
            shot, share.part, [&](const StatePart&, std::int64_t first_plane, std::span<std::byte> planes) {
                const std::int64_t first = share.first_plane + first_plane, end = first + std::ssize(planes) / bytes;
                const std::int64_t own = std::max(first, share.own.first_plane);
                const std::int64_t count = std::min(end, share.own.first_plane + share.own.planes) - own;
                if (count > 0)
                    take(part, own,
                         planes.subspan(static_cast<std::size_t>((own - first) * bytes),
                                        static_cast<std::size_t>(count * bytes)));
            });
}

// Ghosts get the values of their owners: what a slab remembers of them is exchanged at no step.
void SlabWavefield::write_state(int shot, const StatePart& part, const StateVisitor& fill) {
    AskedOnce asked(part, fill);
    const std::vector<StateShare> shares = shares_of(part.name);
    for (std::size_t i = 0; i < shares.size(); ++i) {
        const StateShare& share = shares[i];
        asked.keep_from(i + 1 < shares.size() ? shares[i + 1].first_plane : part.extents[2]);
        share.slab->write_state(shot, share.part,
                                [&](const StatePart&, std::int64_t first_plane, std::span<std::byte> planes) {
                                    asked.fill(share.first_plane + first_plane, planes);
                                });
    }
}

std::unique_ptr<Wavefield> SlabMedium::make_wavefield(int shots) {
    return std::make_unique<SlabWavefield>(std::static_pointer_cast<SlabMedium>(shared_from_this()), shots);
}

}  // namespace

std::vector<Slab> equal_slabs(std::int64_t nz, int count) {
    std::vector<Slab> slabs;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t first = slabs.empty() ? 0 : slabs.back().first_plane + slabs.back().planes;
        slabs.push_back({first, nz / count + (i >= count - nz % count ? 1 : 0)});
    }
    return slabs;
}

std::int64_t ghost_planes(const Problem& problem) {
    return problem.applications() == Applications::twice ? 2 * problem.scheme.radius() : 0;
}

Slab with_ghosts(const Problem& whole, const Slab& slab) {
    const std::int64_t ghosts = ghost_planes(whole), all = whole.grid.nz();
    const std::int64_t first = std::max<std::int64_t>(0, slab.first_plane - ghosts);
    return {first, std::min(all, slab.first_plane + slab.planes + ghosts) - first};
}

std::vector<WindowPart> parts_of(const Window& window, std::span<const Slab> slabs, std::span<const Slab> computed) {
    std::vector<WindowPart> parts;
    std::int64_t taken = 0;
    for (std::size_t s = 0; s < slabs.size() && taken < window.count[2]; ++s) {
        const std::int64_t first = window.first[2] + taken * window.step[2];
        const std::int64_t end = slabs[s].first_plane + slabs[s].planes;
        if (first >= end) continue;
        const std::int64_t count = std::min(window.count[2] - taken, (end - 1 - first) / window.step[2] + 1);
        WindowPart part{s, window, taken * window.count[0] * window.count[1]};
        part.window.first[2] = first - computed[s].first_plane;
        part.window.count[2] = count;
        parts.push_back(part);
        taken += count;
    }
    return parts;
}

CutPlanes::CutPlanes(const Problem& slab)
    : count(std::max<std::int64_t>(slab.scheme.halo(), ghost_planes(slab))),
      ghosts(ghost_planes(slab)),
      nz(slab.grid.nz()) {}

Setup setup_of_slab(const Setup& whole, const Slab& slab) {
    const Slab computed = with_ghosts(whole, slab);
    Setup setup = whole;
    setup.grid.n[2] = computed.planes;
    setup.grid.origin_m[2] += static_cast<double>(computed.first_plane) * whole.grid.spacing_m[2];
    const std::int64_t all = whole.grid.nz();
    // Ghosts read nothing from beyond them that matters.
    const Halo at_cut = ghost_planes(whole) > 0 ? Halo::zero : Halo::neighbour;
    if (computed.first_plane > 0) setup.halos[4] = at_cut;
    if (computed.first_plane + computed.planes < all) setup.halos[5] = at_cut;
    setup.strips.change_each(
        [&](const Strip& strip) { return strip.of_planes(computed.first_plane, computed.planes, all); });
    return setup;
}

namespace {

/// The planes that a slab at an end face must have: those of an absorbing layer, and with ghosts all that do not leap,
/// so that a neighbour's ghosts are plain nodes, or whose odd level is kept, so that this is the slab's alone.
std::int64_t fewest_at_end(const Problem& problem, int face) {
    std::int64_t fewest = 0;
    for (const auto& strip : problem.strips) fewest = std::max(fewest, strip->fewest_planes(problem, face));
    if (ghost_planes(problem) == 0) return fewest;
    const bool keeps_odd = problem.stepping == Stepping::leap;
    return std::max(fewest, keeps_odd ? odd_width(problem, face) : shell_width(problem, face));
}

}  // namespace

std::int64_t fewest_planes(const Problem& problem, bool at_z_min, bool at_z_max) {
    std::int64_t fewest = std::max<std::int64_t>(problem.scheme.halo(), ghost_planes(problem));
    if (at_z_min) fewest = std::max(fewest, fewest_at_end(problem, 4));
    if (at_z_max) fewest = std::max(fewest, fewest_at_end(problem, 5));
    return fewest;
}

void check_slabs(const Problem& problem, std::span<const Slab> slabs) {
    std::int64_t next = 0;
    for (const Slab& slab : slabs) {
        if (slab.first_plane != next) throw std::invalid_argument("slabs follow each other along z without gaps");
        next += slab.planes;
        const std::int64_t fewest = fewest_planes(problem, slab.first_plane == 0, next == problem.grid.nz());
        if (slabs.size() > 1 && slab.planes < fewest)
            throw std::invalid_argument("a slab of " + std::to_string(slab.planes) + " planes: here it needs " +
                                        std::to_string(fewest) + " at least; use fewer slabs");
    }
    if (next != problem.grid.nz())
        throw std::invalid_argument("slabs of " + std::to_string(next) + " planes do not cover a grid of " +
                                    std::to_string(problem.grid.nz()));
}

bool slabs_fit(const Problem& problem, std::span<const Slab> slabs) {
    try {
        check_slabs(problem, slabs);
        return true;
    } catch (const std::invalid_argument&) {
        return false;
    }
}

int most_slabs(const Problem& problem) {
    const std::int64_t nz = problem.grid.nz();
    int most = 1;
    while (most < nz && slabs_fit(problem, equal_slabs(nz, most + 1))) ++most;
    return most;
}

std::unique_ptr<Exchange> make_local_exchange(std::vector<Wavefield*> slabs) {
    return std::make_unique<LocalExchange>(std::move(slabs));
}

std::unique_ptr<Exchange> make_no_exchange(const std::vector<Wavefield*>&) {
    return std::make_unique<NoExchange>();
}

SlabSteps::SlabSteps(std::vector<Wavefield*> slabs, std::unique_ptr<Exchange> exchange)
    : slabs_(std::move(slabs)), exchange_(std::move(exchange)) {}

void SlabSteps::update(std::int64_t n) {
    for (Wavefield* slab : slabs_) slab->update(n);
}

void SlabSteps::fill_halos() {
    for (Wavefield* slab : slabs_) slab->fill_halos();
    exchange_->post();
}

void SlabSteps::step_inside() {
    for (Wavefield* slab : slabs_) slab->step_inside();
}

void SlabSteps::step_beside_cuts() {
    exchange_->wait();
    for (Wavefield* slab : slabs_) slab->step_beside_cuts();
}

void SlabSteps::step() {
    step_inside();
    step_beside_cuts();
}

void SlabSteps::absorb() {
    for (Wavefield* slab : slabs_) slab->absorb();
}

void SlabSteps::inject(std::int64_t n) {
    for (Wavefield* slab : slabs_) slab->inject(n);
}

void SlabSteps::swap() {
    for (Wavefield* slab : slabs_) slab->swap();
    if (problem().applications() == Applications::once) return;
    exchange_->post();
    exchange_->wait();
}

void SlabSteps::record(std::int64_t n) {
    for (Wavefield* slab : slabs_) slab->record(n);
}

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
