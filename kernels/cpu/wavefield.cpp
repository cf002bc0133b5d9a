#include "kernels/wavefield.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <type_traits>
#include <unistd.h>

#include "kernels/cpu/fields/cpu_fields.hpp"
#include "kernels/cpu/medium.hpp"
#include "kernels/cpu/points.hpp"
#include "kernels/cpu/shot_threads.hpp"
#include "kernels/cpu/strips/strip.hpp"
#include "kernels/cpu/thread_tuner.hpp"
#include "kernels/equations/tti/first_derivative.hpp"
#include "kernels/plan/planes_inside.hpp"
#include "kernels/plan/shell.hpp"
#include "kernels/plan/state_parts.hpp"
#include "kernels/shot/leap_sources.hpp"

namespace onda::cpu {
namespace {

std::int64_t l2_bytes() {
    const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return bytes > 0 ? bytes : 512 * 1024;
}

/// The steps of one shot: its fields, the memory variables of its strips, its sources and receivers.
template <typename T>
class ShotSteps {
public:
    /// \param planned for a wavefield of such shots. \param fields of this one.
    ShotSteps(const CpuMedium<T>& medium, const Setup& setup, const Allocations& planned, ShotFields<T>& fields,
              int threads)
        : medium_(medium),
          setup_(setup),
          grid_(setup_.grid),
          threads_(threads),
          fields_(fields),
          layout_(fields.layout()),
          inside_(planes_inside(setup_)),
          twice_(setup_.applications() == Applications::twice ? std::make_unique<Twice>(setup_, planned) : nullptr) {
        for (const StripTurn turn : kTurns)
            strips(turn) = make_strips<T>({setup_, planned, medium.isa(), arrays(), turn});
        static_cast<Arrays<T>&>(arguments_) = arrays();
        arguments_.stencil = make_stencil<T>(setup_.scheme, grid_.spacing_m, grid_.dimensions);
        arguments_.strategy = medium.chosen_kernel().strategy;
        arguments_.cache_bytes = l2_bytes();
        if (twice_) arguments_.scratch = twice_->tiles.data();
        arguments_.weights = leap_weights<T>(setup_);
        set_first_derivatives(setup_, arguments_.first);
        shell_step_ = with_isa(medium.isa(), []<typename Isa>() -> StepFunction<T> { return leap_shell_step<Isa, T>; });
        reset();
    }

    /// \param threads at most as many as it was made for.
    void set_threads(int threads) {
        threads_ = threads;
        arguments_.threads = threads;
        fields_.set_threads(threads);
        for (const auto& of_turn : strips_)
            for (const auto& strip : of_turn) strip->set_threads(threads);
    }
    [[nodiscard]] std::int64_t bytes() const {
        std::int64_t bytes = injection_.bytes() + odd_injection_.bytes() + recorder_.bytes();
        for (const auto& of_turn : strips_)
            for (const auto& strip : of_turn) bytes += strip->bytes();
        return bytes + fields_.bytes() + (twice_ ? twice_->tiles.bytes() : 0);
    }

    void reset() {
        fields_.clear();
        forget();
        injection_ = {};
        odd_injection_ = {};
        recorder_ = {};
    }
    void set_sources(const Sources& sources) {
        if (!twice_) {
            injection_ = Injection<T>(medium_, sources, fields_.element_of());
            return;
        }
        const LeapSources leap = leap_sources(medium_, sources, twice_->shell);
        injection_ = Injection<T>(medium_, leap.even, fields_.element_of());
        odd_injection_ = Injection<T>(medium_, leap.odd, fields_.element_of());
    }
    void set_receivers(const NodeWeights& receivers, std::int64_t samples) {
        const auto sample =
            with_isa(medium_.isa(), []<typename Isa>() -> SampleFunction<T> { return sample_receivers<Isa, T>; });
        recorder_ = Recorder<T>(receivers, samples, fields_.element_of(), sample);
    }

    [[nodiscard]] const Problem& problem() const { return setup_; }
    /// See Wavefield::perform(). Planes are sent by the exchange of slabs, not from here.
    void perform(Operation operation, std::int64_t index) {
        switch (operation) {
            case Operation::fill_halos: return fields_.fill_halos();
            case Operation::step_inside: return step_planes(inside_.begin, inside_.end);
            case Operation::step_beside_cuts:
                step_planes(0, inside_.begin);
                return step_planes(inside_.end, grid_.nz());
            case Operation::step_twice: return step_twice(index * setup_.stride());
            case Operation::step_shell: return step_shell();
            case Operation::absorb: return absorb();
            case Operation::inject: return inject(index * setup_.stride());
            case Operation::swap: return fields_.swap();
            case Operation::record: return recorder_.record(index, fields_.observed(), threads_);
            case Operation::send_planes:
            case Operation::await_planes: return;
        }
    }

    void upload(std::span<const double> p, std::span<const double> p_previous) {
        fields_.upload(p, p_previous);
        forget();
    }
    template <typename U>
    void download_traces(std::span<U> values) const {
        recorder_.copy(values);
    }
    /// Calls body(part, values, strides) for every array of the state: values at its first element.
    template <typename Body>
    void for_state(const Body& body) const {
        fields_.for_state(body);
        if (has_shell() && leaps()) {
            const std::array<Box, 6> boxes = odd_boxes(twice_->shell);
            for (int face = 0; face < 6; ++face)
                if (const Box& box = boxes[static_cast<std::size_t>(face)]; !box.empty())
                    body(odd_state(face, box, sizeof(T)), odd().data() + layout_.at(box.low[0], box.low[1], box.low[2]),
                         fields_.strides());
        }
        for (const StripTurn turn : kTurns)
            for (const auto& strip : strips(turn))
                strip->for_state([&](StatePart part, T* values, const std::array<std::int64_t, 3>& of_strip) {
                    part.name = name_in(turn, part.name);
                    body(part, values, of_strip);
                });
    }

private:
    [[nodiscard]] Buffer<T>& p() const { return fields_.now(); }
    [[nodiscard]] Buffer<T>& q() const { return fields_.before(); }
    [[nodiscard]] Buffer<T>& odd() const { return fields_.odd(); }
    [[nodiscard]] T* at_origin(Buffer<T>& level) const { return level.data() + layout_.origin; }
    /// What kernels that apply k L twice need beside two levels.
    struct Twice {
        Twice(const Setup& setup, const Allocations& planned)
            : shell(shell_of(setup)), tiles(planned.of("leap.tiles")) {}
        Shell shell;
        Buffer<T> tiles;  ///< scratch memory
    };
    [[nodiscard]] bool has_shell() const { return odd().data() != nullptr; }
    using Strips = std::vector<std::unique_ptr<StripSteps<T>>>;
    [[nodiscard]] Strips& strips(StripTurn turn) { return strips_[static_cast<std::size_t>(turn)]; }
    [[nodiscard]] const Strips& strips(StripTurn turn) const { return strips_[static_cast<std::size_t>(turn)]; }
    /// Zeroes all state except the levels of the fields.
    void forget() {
        fields_.clear_odd();
        fields_.clear_memory();
        for (const auto& of_turn : strips_)
            for (const auto& strip : of_turn) strip->reset();
    }
    [[nodiscard]] static NodeBox node_box(const Box& box) {
        NodeBox nodes;
        std::ranges::copy(box.low, nodes.low);
        std::ranges::copy(box.high, nodes.high);
        return nodes;
    }
    using FieldsLevels = std::array<FieldLevels<T>, kMaxFields>;
    [[nodiscard]] FieldsLevels levels_of_fields() {
        FieldsLevels levels;
        for (std::size_t i = 0; i < fields_.count(); ++i)
            levels[i] = {fields_.now(i).data() + layout_.origin, fields_.before(i).data() + layout_.origin};
        return levels;
    }
    /// What strips do while the kernel steps the planes from `plane` on.
    [[nodiscard]] RowFollower follower(std::int64_t plane) {
        const Strips& after_step = strips(StripTurn::after_step);
        if (!medium_.chosen_kernel().is_followed || after_step.empty()) return {};
        const FieldsLevels levels = levels_of_fields();
        RowFollower follower = after_step.front()->follower(std::span(levels).first(fields_.count()));
        follower.first_plane = plane;
        return follower;
    }
    /// A step of planes [begin, end). Planes of other slabs may arrive meanwhile: nothing that they look at changes.
    void step_planes(std::int64_t begin, std::int64_t end) {
        if (begin == end) return;
        if (end - begin == grid_.nz()) return step_from(0);
        const StepArguments<T> whole = arguments_;
        arguments_.nz = end - begin;
        medium_.describe(arguments_, begin);
        step_from(begin);
        arguments_ = whole;
    }
    void inject(std::int64_t n) {
        for (std::size_t field = 0; field < injection_.fields(); ++field)
            injection_.add(n, fields_.before(field).data(), field);
    }
    [[nodiscard]] bool leaps() const { return setup_.stepping == Stepping::leap; }
    /// Steps from p[n] and the level before it to the next, which takes the place of the latter, and in the shell to
    /// the odd level, or u.
    void step_twice(std::int64_t n) {
        T* const now = at_origin(p());
        arguments_.p = now;
        arguments_.q = at_origin(q());
        arguments_.box = node_box(twice_->shell.leap);
        run_kernel();
        if (!has_shell()) return;
        T* const next = at_origin(odd());
        pass_shell(leaps() ? ShellPass::step : ShellPass::inner, now, leaps() ? next : now, next, twice_->shell.no_odd);
        odd_injection_.add(n, odd().data());
    }
    /// The next level of the shell from these.
    void step_shell() {
        if (!has_shell()) return;
        fields_.fill_halos(odd());
        pass_shell(leaps() ? ShellPass::step : ShellPass::outer, at_origin(odd()), at_origin(p()), at_origin(q()),
                   twice_->shell.leap);
    }
    void absorb() {
        const FieldsLevels levels = levels_of_fields();
        for (const auto& strip : strips(StripTurn::after_step)) strip->apply(std::span(levels).first(fields_.count()));
    }
    /// A step of the planes from `plane` on, as many as the arguments say.
    void step_from(std::int64_t plane) {
        const std::int64_t first = layout_.at(0, 0, plane);
        arguments_.p = p().data() + first;
        arguments_.q = q().data() + first;
        for (std::size_t i = 1; i < fields_.count(); ++i) {
            arguments_.further_p[i - 1] = fields_.now(i).data() + first;
            arguments_.further_q[i - 1] = fields_.before(i).data() + first;
        }
        for (std::size_t i = 0; i < fields_.memory_count(); ++i)
            arguments_.memory[i] = fields_.memory(i).data() + fields_.memory_layout().at(0, 0, plane);
        for (std::size_t i = 0; i < fields_.scratch_count(); ++i)
            arguments_.scratch_field[i] = fields_.scratch(i).data() + first;
        arguments_.follower = follower(plane);
        run_kernel();
    }
    void run_kernel() const {
        const Kernel& kernel = medium_.chosen_kernel();
        if constexpr (std::is_same_v<T, float>)
            kernel.step_float(arguments_);
        else
            kernel.step_double(arguments_);
    }
    /// A pass over the nodes outside a box, and then the strips.
    void pass_shell(ShellPass pass, T* level, const T* before, T* next, const Box& without) {
        arguments_.p = level;
        arguments_.before = before;
        arguments_.q = next;
        arguments_.box = node_box(without);
        arguments_.pass = pass;
        shell_step_(arguments_);
        const std::array levels{FieldLevels<T>{level, next}};
        for (const auto& strip : strips(turn_of(pass))) strip->apply(levels);
    }
    /// All that kernels work on but p and q, which a step swaps.
    [[nodiscard]] Arrays<T> arrays() const {
        Arrays<T> a;
        medium_.describe(a);
        a.nx = grid_.nx();
        a.ny = grid_.ny();
        a.nz = grid_.nz();
        a.pitch = layout_.pitch;
        a.plane = layout_.plane;
        a.threads = threads_;
        for (std::size_t i = 0; i < fields_.memory_count(); ++i)
            a.memory[i] = fields_.memory(i).data() + fields_.memory_layout().origin;
        return a;
    }

    const CpuMedium<T>& medium_;
    const Setup& setup_;
    const Grid& grid_;
    int threads_;
    ShotFields<T>& fields_;
    const Layout& layout_;          ///< of each field
    PlaneRange inside_;             ///< what Operation::step_inside steps
    std::unique_ptr<Twice> twice_;  ///< null where k L is applied once
    std::array<Strips, 3> strips_;  ///< of each turn
    StepArguments<T> arguments_;
    StepFunction<T> shell_step_ = nullptr;
    Injection<T> injection_;
    Injection<T> odd_injection_;  ///< to the odd level, or to u
    Recorder<T> recorder_;
};

/// Some shots on one medium. One alone is computed by all threads; several side by side, each by one thread, without
/// waiting for each other.
template <typename T>
class CpuWavefield final : public Wavefield {
public:
    CpuWavefield(std::shared_ptr<CpuMedium<T>> medium, const Setup& setup, int shots)
        : CpuWavefield(std::move(medium), setup, shots, allocations(setup, shots)) {}

    const Medium& medium() const override { return *medium_; }
    const FieldSet& fields() const override { return fields_; }
    int shots() const override { return static_cast<int>(shots_.size()); }
    std::int64_t allocated_bytes() const override {
        std::int64_t bytes = 0;
        for (const auto& shot : shots_) bytes += shot->bytes();
        return bytes;
    }

    void reset() override {
        for (const auto& shot : shots_) shot->reset();
    }
    void set_sources(int shot, Sources sources) override { at(shot).set_sources(sources); }
    void set_receivers(int shot, const NodeWeights& receivers, std::int64_t samples) override {
        at(shot).set_receivers(receivers, samples);
    }

    void perform(Operation operation, std::int64_t index) override {
        for_shots([&](ShotSteps<T>& shot) { shot.perform(operation, index); });
    }
    void enqueue(std::int64_t first, std::int64_t count) override;

    void upload(std::span<const double> p, std::span<const double> p_previous, int shot) override {
        at(shot).upload(p, p_previous);
    }
    void download_traces(std::span<float> values, int shot) const override { at(shot).download_traces(values); }
    void download_traces(std::span<double> values, int shot) const override { at(shot).download_traces(values); }

    std::vector<StatePart> state_parts() const override;
    void read_state(int shot, const StatePart& part, const StateVisitor& take) const override;
    void write_state(int shot, const StatePart& part, const StateVisitor& fill) override;

private:
    CpuWavefield(std::shared_ptr<CpuMedium<T>> medium, const Setup& setup, int shots, const Allocations& planned)
        : medium_(std::move(medium)),
          setup_(setup),
          tuner_(threads_of(setup_)),
          fields_(setup_, planned, shots, threads_of_each(shots)),
          threads_(shots == 1 ? 1 : std::min(shots, threads_of(setup_))) {
        for (int shot = 0; shot < shots; ++shot)
            shots_.push_back(
                std::make_unique<ShotSteps<T>>(*medium_, setup_, planned, fields_.of(shot), threads_of_each(shots)));
    }
    [[nodiscard]] ShotSteps<T>& at(int shot) { return *shots_.at(static_cast<std::size_t>(shot)); }
    [[nodiscard]] const ShotSteps<T>& at(int shot) const { return *shots_.at(static_cast<std::size_t>(shot)); }
    [[nodiscard]] int threads_of_each(int shots) const { return shots == 1 ? threads_of(setup_) : 1; }
    void enqueue_alone(std::int64_t first, std::int64_t count);
    /// Calls body(shot) for every shot, of several each by one thread.
    template <typename Body>
    void for_shots(const Body& body);

    std::shared_ptr<CpuMedium<T>> medium_;
    Setup setup_;
    ThreadTuner tuner_;
    CpuFields<T> fields_;
    std::vector<std::unique_ptr<ShotSteps<T>>> shots_;
    ShotThreads threads_;  ///< of several shots
};

template <typename T>
void CpuWavefield<T>::enqueue_alone(std::int64_t first, std::int64_t count) {
    if (!setup_.fewer_threads) return advance_in_order(at(0), first, count);
    using Clock = std::chrono::steady_clock;
    const std::int64_t stride = setup_.stride();
    for (std::int64_t n = first; n < first + count; n += stride) {
        at(0).set_threads(tuner_.threads());
        const Clock::time_point start = Clock::now();
        advance_in_order(at(0), n, stride);
        tuner_.took(std::chrono::duration<double>(Clock::now() - start).count());
    }
}

template <typename T>
void CpuWavefield<T>::enqueue(std::int64_t first, std::int64_t count) {
    if (shots_.size() == 1) return enqueue_alone(first, count);
    for_shots([&](ShotSteps<T>& shot) { advance_in_order(shot, first, count); });
}

template <typename T>
template <typename Body>
void CpuWavefield<T>::for_shots(const Body& body) {
    if (shots_.size() == 1) return body(at(0));
    std::atomic<std::size_t> next{0};
    threads_.run([&] {
        for (std::size_t shot = next++; shot < shots_.size(); shot = next++) body(*shots_[shot]);
    });
}

/// Calls body(z, room for a plane, for_values) for every plane of a state's array; for_values(exchange) calls
/// exchange(value in the plane, element in the array) for each of its values.
template <typename T, typename Body>
void for_planes(const StatePart& part, const std::array<std::int64_t, 3>& strides, const Body& body) {
    std::vector<T> plane(static_cast<std::size_t>(part.extents[0] * part.extents[1]));
    for (std::int64_t z = 0; z < part.extents[2]; ++z)
        body(z, std::span<T>(plane), [&](const auto& exchange) {
            for (std::int64_t y = 0; y < part.extents[1]; ++y)
                for (std::int64_t x = 0; x < part.extents[0]; ++x)
                    exchange(plane[static_cast<std::size_t>(x + part.extents[0] * y)],
                             x * strides[0] + y * strides[1] + z * strides[2]);
        });
}

template <typename T>
std::vector<StatePart> CpuWavefield<T>::state_parts() const {
    std::vector<StatePart> parts;
    at(0).for_state([&](const StatePart& part, const T*, const auto&) { parts.push_back(part); });
    return parts;
}

template <typename T>
void CpuWavefield<T>::read_state(int shot, const StatePart& wanted, const StateVisitor& take) const {
    at(shot).for_state([&](const StatePart& part, const T* values, const std::array<std::int64_t, 3>& strides) {
        if (part != wanted) return;
        for_planes<T>(part, strides, [&](std::int64_t z, std::span<T> plane, const auto& for_values) {
            for_values([&](T& value, std::int64_t element) { value = values[element]; });
            take(part, z, std::as_writable_bytes(plane));
        });
    });
}

template <typename T>
void CpuWavefield<T>::write_state(int shot, const StatePart& wanted, const StateVisitor& fill) {
    at(shot).for_state([&](const StatePart& part, T* values, const std::array<std::int64_t, 3>& strides) {
        if (part != wanted) return;
        for_planes<T>(part, strides, [&](std::int64_t z, std::span<T> plane, const auto& for_values) {
            fill(part, z, std::as_writable_bytes(plane));
            for_values([&](T& value, std::int64_t element) { values[element] = value; });
        });
    });
}

}  // namespace

template <typename T>
std::unique_ptr<Wavefield> CpuMedium<T>::make_wavefield(int shots, const StripList& strips) {
    return std::make_unique<CpuWavefield<T>>(std::static_pointer_cast<CpuMedium>(shared_from_this()),
                                             setup_with(strips), shots);
}

void check_setup(const Setup& setup) {
    check_problem(setup);
    find_kernel(find_isa(setup.isa), setup);
}

std::shared_ptr<Medium> make_medium(const Setup& setup, const MediumReaders& readers, double dt_s) {
    check_problem(setup);
    const InstructionSet& isa = find_isa(setup.isa);
    const Kernel& kernel = find_kernel(isa, setup);
    check_readers(setup, readers);
    if (setup.precision == Precision::float32)
        return std::make_shared<CpuMedium<float>>(setup, isa, kernel, readers, dt_s);
    return std::make_shared<CpuMedium<double>>(setup, isa, kernel, readers, dt_s);
}

}  // namespace onda::cpu
