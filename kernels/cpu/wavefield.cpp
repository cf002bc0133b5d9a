#include "kernels/wavefield.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <exception>
#include <mutex>
#include <omp.h>
#include <type_traits>
#include <unistd.h>

#include "kernels/cpu/denormals.hpp"
#include "kernels/cpu/downloads.hpp"
#include "kernels/cpu/medium.hpp"
#include "kernels/cpu/points.hpp"
#include "kernels/cpu/shot_threads.hpp"
#include "kernels/cpu/strips/strip.hpp"
#include "kernels/cpu/thread_tuner.hpp"
#include "kernels/cpu/threads.hpp"
#include "kernels/fingerprint.hpp"
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

/// The fields of one shot, what its strips remember, its sources and receivers.
template <typename T>
class ShotField {
public:
    /// \param planned for a wavefield of such shots.
    ShotField(const CpuMedium<T>& medium, const Allocations& planned, int threads)
        : medium_(medium),
          setup_(medium.setup()),
          grid_(setup_.grid),
          threads_(threads),
          field_(field_layout(setup_, grid_, layout_rules(setup_))),
          fields_(make_fields(planned)),
          twice_(setup_.applications() == Applications::twice ? std::make_unique<Twice>(setup_, planned) : nullptr) {
        for (const StripTurn turn : kTurns)
            strips(turn) = make_strips<T>({setup_, planned, medium.isa(), arrays(), turn});
        for (std::size_t axis = 0; axis < 3; ++axis)
            copies_[axis] =
                halo_copies(grid_.n[axis], field_.halo[axis], setup_.halos[2 * axis], setup_.halos[2 * axis + 1]);
        static_cast<Arrays<T>&>(arguments_) = arrays();
        arguments_.stencil = make_stencil<T>(setup_.scheme, grid_.spacing_m, grid_.dimensions);
        arguments_.strategy = medium.chosen_kernel().strategy;
        arguments_.cache_bytes = l2_bytes();
        if (twice_) arguments_.scratch = twice_->tiles.data();
        arguments_.weights = leap_weights<T>(setup_);
        shell_step_ = with_isa(medium.isa(), []<typename Isa>() -> StepFunction<T> { return leap_shell_step<Isa, T>; });
        reset();
    }

    /// \param threads at most as many as it was made for.
    void set_threads(int threads) {
        threads_ = threads;
        arguments_.threads = threads;
        for (const auto& of_turn : strips_)
            for (const auto& strip : of_turn) strip->set_threads(threads);
    }
    [[nodiscard]] std::int64_t bytes() const {
        std::int64_t bytes = injection_.bytes() + odd_injection_.bytes() + recorder_.bytes();
        for (const auto& of_turn : strips_)
            for (const auto& strip : of_turn) bytes += strip->bytes();
        for (const Levels& field : fields_) bytes += field.p.bytes() + field.q.bytes();
        return bytes + (twice_ ? twice_->odd.bytes() + twice_->tiles.bytes() : 0);
    }

    void reset() {
        for (Levels& field : fields_) {
            zero(field.p);
            zero(field.q);
        }
        forget();
        injection_ = {};
        odd_injection_ = {};
        recorder_ = {};
    }
    void set_sources(const Sources& sources) {
        if (!twice_) {
            injection_ = Injection<T>(medium_, sources, element_of());
            return;
        }
        const LeapSources leap = leap_sources(medium_, sources, twice_->shell);
        injection_ = Injection<T>(medium_, leap.even, element_of());
        odd_injection_ = Injection<T>(medium_, leap.odd, element_of());
    }
    void set_receivers(const NodeWeights& receivers, std::int64_t samples) {
        recorder_ = Recorder<T>(receivers, samples, element_of());
    }

    [[nodiscard]] const Problem& problem() const { return setup_; }
    void fill_halos() {
        for (Levels& field : fields_) fill_halos(field.p);
    }
    void step() { step_from(0); }
    /// step() of planes [begin, end). Planes of other slabs may arrive meanwhile: nothing that they look at changes.
    void step_planes(std::int64_t begin, std::int64_t end) {
        if (begin == end) return;
        const StepArguments<T> whole = arguments_;
        arguments_.nz = end - begin;
        medium_.describe(arguments_, begin);
        step_from(begin);
        arguments_ = whole;
    }
    void step_inside() {
        const PlaneRange inside = planes_inside(setup_);
        step_planes(inside.begin, inside.end);
    }
    void step_beside_cuts() {
        const PlaneRange inside = planes_inside(setup_);
        step_planes(0, inside.begin);
        step_planes(inside.end, grid_.nz());
    }
    /// From p[n] and the level before it to the next, which takes the place of the latter: see Wavefield::update().
    void update(std::int64_t n) {
        fill_halos(fields_.front().p);
        arguments_.p = p().data() + field_.origin;
        arguments_.q = q().data() + field_.origin;
        arguments_.box = node_box(twice_->shell.leap);
        run_kernel();
        const bool leaps = setup_.stepping == Stepping::leap;
        if (has_shell()) leaps ? leap_in_shell(n) : step_in_shell(n);
        if (!leaps) absorb();
        injection_.add(n, q().data());
    }
    void absorb() {
        const FieldsLevels levels = levels_of_fields();
        for (const auto& strip : strips(StripTurn::after_step)) strip->apply(std::span(levels).first(fields_.size()));
    }
    void inject(std::int64_t n) { injection_.add(n, q().data()); }
    void swap() {
        for (Levels& field : fields_) std::swap(field.p, field.q);
    }
    void record(std::int64_t n) { recorder_.record(n, p().data(), threads_); }

    [[nodiscard]] Extremum extremum() const;
    template <typename U>
    void download(const Window& window, std::span<U> values) const {
        copy_out(p(), window, values);
    }
    void download_previous(const Window& window, std::span<double> values) const { copy_out(q(), window, values); }
    /// \param window of step 1 along x.
    void hash_planes(const Window& window, std::span<std::uint64_t> hashes) const;
    void upload(std::span<const double> p, std::span<const double> p_previous);
    template <typename U>
    void download_traces(std::span<U> values) const {
        recorder_.copy(values);
    }
    void sample(std::span<const std::int64_t> nodes, std::span<double> values) const {
        const auto element = element_of();
        for (std::size_t i = 0; i < nodes.size(); ++i) values[i] = static_cast<double>(p().data()[element(nodes[i])]);
    }
    void copy_planes(const ShotField& other, std::int64_t from_plane, std::int64_t to_plane, std::int64_t count) {
        const auto& h = field_.halo;
        for (std::size_t f = 0; f < fields_.size(); ++f)
            for (std::int64_t i = 0; i < count; ++i)
                for (std::int64_t y = -h[1]; y < grid_.ny() + h[1]; ++y)
                    std::copy_n(other.fields_[f].p.data() + other.field_.at(-h[0], y, from_plane + i),
                                grid_.nx() + 2 * h[0], fields_[f].p.data() + field_.at(-h[0], y, to_plane + i));
    }
    /// Calls body(row, its bytes in a PlaneBuffer, their number) for the rows of some planes, halos along x and y
    /// included. \returns where the bytes end.
    template <typename Byte, typename Body>
    Byte* for_rows(std::int64_t first_plane, std::int64_t planes, Byte* bytes, const Body& body) const {
        const std::int64_t halo = problem().scheme.halo();
        const auto length = static_cast<std::size_t>(grid_.nx() + 2 * halo) * sizeof(T);
        for (const Levels& field : fields_)
            for (std::int64_t z = first_plane; z < first_plane + planes; ++z)
                for (std::int64_t y = -halo; y < grid_.ny() + halo; ++y, bytes += length)
                    body(field.p.data() + field_.at(-halo, y, z), bytes, length);
        return bytes;
    }
    /// Calls body(part, values, strides) for every array of the state: values at its first element.
    template <typename Body>
    void for_state(const Body& body) const {
        const std::array<std::int64_t, 3> strides{1, field_.pitch, field_.plane};
        for (std::size_t i = 0; i < fields_.size(); ++i) {
            const std::string name(setup_.scheme.equation->fields[i]);
            body(StatePart{name, grid_.n, sizeof(T)}, fields_[i].p.data() + field_.origin, strides);
            body(StatePart{name + "_previous", grid_.n, sizeof(T)}, fields_[i].q.data() + field_.origin, strides);
        }
        if (has_shell() && setup_.stepping == Stepping::leap) {
            const std::array<Box, 6> boxes = odd_boxes(twice_->shell);
            for (int face = 0; face < 6; ++face)
                if (const Box& box = boxes[static_cast<std::size_t>(face)]; !box.empty())
                    body(odd_state(face, box, sizeof(T)),
                         twice_->odd.data() + field_.at(box.low[0], box.low[1], box.low[2]), strides);
        }
        for (const StripTurn turn : kTurns)
            for (const auto& strip : strips(turn))
                strip->for_state([&](StatePart part, T* values, const std::array<std::int64_t, 3>& of_strip) {
                    part.name = name_in(turn, part.name);
                    body(part, values, of_strip);
                });
    }

private:
    /// The time levels n and n - 1 of a field.
    struct Levels {
        Levels(const Allocation& now, const Allocation& before) : p(now), q(before) {}
        Buffer<T> p, q;
    };
    [[nodiscard]] std::vector<Levels> make_fields(const Allocations& planned) const {
        std::vector<Levels> fields;
        for (const std::string_view field : setup_.scheme.equation->fields)
            fields.emplace_back(planned.of(field), planned.of(previous_row(field)));
        return fields;
    }
    [[nodiscard]] const Buffer<T>& p() const { return fields_.front().p; }
    [[nodiscard]] const Buffer<T>& q() const { return fields_.front().q; }
    /// What kernels that apply k L twice need beside two levels.
    struct Twice {
        Twice(const Setup& setup, const Allocations& planned)
            : shell(shell_of(setup)), tiles(planned.of("leap.tiles")) {
            if (!shell.empty()) odd = Buffer<T>(planned.of("p_odd"));
        }
        Shell shell;
        Buffer<T> odd;    ///< of the shell, p[n-1] of leaps, else u = A p
        Buffer<T> tiles;  ///< scratch memory
    };
    [[nodiscard]] bool has_shell() const { return twice_ && !twice_->shell.empty(); }
    using Strips = std::vector<std::unique_ptr<StripSteps<T>>>;
    [[nodiscard]] Strips& strips(StripTurn turn) { return strips_[static_cast<std::size_t>(turn)]; }
    [[nodiscard]] const Strips& strips(StripTurn turn) const { return strips_[static_cast<std::size_t>(turn)]; }
    /// The silence before a shot, but for the levels of the fields.
    void forget() {
        if (has_shell()) zero(twice_->odd);
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
        for (std::size_t i = 0; i < fields_.size(); ++i)
            levels[i] = {fields_[i].p.data() + field_.origin, fields_[i].q.data() + field_.origin};
        return levels;
    }
    /// What strips do while the kernel steps the planes from `plane` on.
    [[nodiscard]] RowFollower follower(std::int64_t plane) {
        const Strips& after_step = strips(StripTurn::after_step);
        if (!medium_.chosen_kernel().is_followed || after_step.empty()) return {};
        const FieldsLevels levels = levels_of_fields();
        RowFollower follower = after_step.front()->follower(std::span(levels).first(fields_.size()));
        follower.first_plane = plane;
        return follower;
    }
    /// A step of the planes from `plane` on, as many as the arguments say.
    void step_from(std::int64_t plane) {
        const std::int64_t first = field_.at(0, 0, plane);
        arguments_.p = p().data() + first;
        arguments_.q = q().data() + first;
        for (std::size_t i = 1; i < fields_.size(); ++i) {
            arguments_.further_p[i - 1] = fields_[i].p.data() + first;
            arguments_.further_q[i - 1] = fields_[i].q.data() + first;
        }
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
    /// The nodes that do not leap, in two single steps: by p[n+1] to p[n+2].
    void leap_in_shell(std::int64_t n) {
        T *const even = p().data() + field_.origin, *const odd = twice_->odd.data() + field_.origin,
                 *const next = q().data() + field_.origin;
        pass_shell(ShellPass::step, even, odd, odd, twice_->shell.no_odd);
        odd_injection_.add(n, twice_->odd.data());
        fill_halos(twice_->odd);
        pass_shell(ShellPass::step, odd, even, next, twice_->shell.leap);
    }
    /// The same nodes in a step of order 4 in time: by u to p[n+1].
    void step_in_shell(std::int64_t n) {
        T *const now = p().data() + field_.origin, *const u = twice_->odd.data() + field_.origin,
                 *const next = q().data() + field_.origin;
        pass_shell(ShellPass::inner, now, now, u, twice_->shell.no_odd);
        odd_injection_.add(n, twice_->odd.data());
        fill_halos(twice_->odd);
        pass_shell(ShellPass::outer, u, now, next, twice_->shell.leap);
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
    void fill_halos(Buffer<T>& field) const;
    /// Calls body(rows) once a thread, with the rows that are its own (see rows_of_thread).
    template <typename Body>
    void for_threads(const Body& body) const {
        on_threads(threads_, [&](int thread, int threads) {
            const FlushDenormals<T> flush;
            body(rows_of_thread(grid_.ny() * grid_.nz(), thread, threads));
        });
    }
    /// Calls body(y, z) for every row of `rows`.
    template <typename Body>
    void for_rows(RowRange rows, const Body& body) const {
        for (std::int64_t row = rows.begin; row < rows.end; ++row) body(row % grid_.ny(), row / grid_.ny());
    }
    /// Calls body(y, z) for every row of the grid, by all threads.
    template <typename Body>
    void for_rows(const Body& body) const {
        for_threads([&](RowRange rows) { for_rows(rows, body); });
    }
    /// All that kernels work on but p and q, which a step swaps.
    [[nodiscard]] Arrays<T> arrays() const {
        Arrays<T> a;
        medium_.describe(a);
        a.nx = grid_.nx();
        a.ny = grid_.ny();
        a.nz = grid_.nz();
        a.pitch = field_.pitch;
        a.plane = field_.plane;
        a.threads = threads_;
        return a;
    }
    template <typename U>
    void copy_out(const Buffer<T>& from, const Window& window, std::span<U> values) const;
    void zero(Buffer<T>& field) const;
    [[nodiscard]] auto element_of() const {
        return [this](std::int64_t index) {
            const auto [x, y, z] = grid_.node(index);
            return field_.at(x, y, z);
        };
    }

    const CpuMedium<T>& medium_;
    const Setup& setup_;
    const Grid& grid_;
    int threads_;
    Layout field_;
    std::vector<Levels> fields_;    ///< of the equation; sources, receivers and snapshots have the first
    std::unique_ptr<Twice> twice_;  ///< null where k L is applied once
    std::array<Strips, 3> strips_;  ///< of each turn
    StepArguments<T> arguments_;
    std::array<std::vector<HaloCopy>, 3> copies_;
    StepFunction<T> shell_step_ = nullptr;
    Injection<T> injection_;
    Injection<T> odd_injection_;  ///< to the odd level, or to u
    Recorder<T> recorder_;
};

template <typename T>
void ShotField<T>::zero(Buffer<T>& field) const {
    // Every thread clears the rows it will compute and the halo around them: first touch.
    const auto& h = field_.halo;
    const std::int64_t first = field_.origin - field_.pitch * h[1] - field_.plane * h[2];
    std::fill_n(field.data(), first, T(0));
    for_rows([&](std::int64_t y, std::int64_t z) {
        const std::int64_t y0 = y == 0 ? -h[1] : y, y1 = y == grid_.ny() - 1 ? y + h[1] : y;
        const std::int64_t z0 = z == 0 ? -h[2] : z, z1 = z == grid_.nz() - 1 ? z + h[2] : z;
        for (std::int64_t zz = z0; zz <= z1; ++zz)
            for (std::int64_t yy = y0; yy <= y1; ++yy) {
                const std::int64_t begin = field_.at(0, yy, zz);
                const std::int64_t next =
                    yy < y1 || y < grid_.ny() - 1 ? begin + field_.pitch : field_.at(0, -h[1], zz + 1);
                std::fill(field.data() + begin, field.data() + std::min(next, field_.size), T(0));
            }
    });
}

template <typename T>
void ShotField<T>::fill_halos(Buffer<T>& field) const {
    // x, then y, then z, each with the halos that are already filled: corners come out as images of images.
    T* const p = field.data();
    const auto& h = field_.halo;
    const auto copy_row = [&](std::int64_t to, std::int64_t from, int sign) {
        for (std::int64_t x = -h[0]; x < grid_.nx() + h[0]; ++x) p[to + x] = static_cast<T>(sign) * p[from + x];
    };
    if (!copies_[0].empty() || !copies_[1].empty())
        for_rows([&](std::int64_t y, std::int64_t z) {
            for (const HaloCopy& copy : copies_[0])
                p[field_.at(copy.to, y, z)] = static_cast<T>(copy.sign) * p[field_.at(copy.from, y, z)];
            for (const HaloCopy& copy : copies_[1])
                if (copy.from == y) copy_row(field_.at(0, copy.to, z), field_.at(0, y, z), copy.sign);
        });
    // A row is copied to rows of the same y alone: those of a thread need no other thread.
    if (!copies_[2].empty())
        on_threads(threads_, [&](int thread, int threads) {
            const FlushDenormals<T> flush;
            const RowRange rows = rows_of_thread(grid_.ny() + 2 * h[1], thread, threads);
            for (const HaloCopy& copy : copies_[2])
                for (std::int64_t y = rows.begin - h[1]; y < rows.end - h[1]; ++y)
                    copy_row(field_.at(0, y, copy.to), field_.at(0, y, copy.from), copy.sign);
        });
}

template <typename T>
Extremum ShotField<T>::extremum() const {
    // |p| orders like its bits, and infinities and NaNs come above every number: one integer maximum finds them all.
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    constexpr Bits magnitude = ~Bits{0} >> 1;
    const auto bits_at = [&](std::int64_t element) {
        Bits bits;
        std::memcpy(&bits, p().data() + element, sizeof bits);
        return bits & magnitude;
    };
    struct Largest {
        Bits bits = 0;
        std::int64_t y = 0, z = 0;
        void take(const Largest& other) {
            const bool before = other.z < z || (other.z == z && other.y < y);
            if (other.bits > bits || (other.bits == bits && before)) *this = other;
        }
    } all;
    for_threads([&](RowRange rows) {
        Largest mine;
        for_rows(rows, [&](std::int64_t y, std::int64_t z) {
            Bits of_row = 0;
            for (std::int64_t x = 0; x < grid_.nx(); ++x) of_row = std::max(of_row, bits_at(field_.at(x, y, z)));
            if (of_row > mine.bits) mine = {of_row, y, z};
        });
#pragma omp critical
        all.take(mine);
    });
    std::int64_t x = 0;
    while (bits_at(field_.at(x, all.y, all.z)) != all.bits) ++x;
    const double value = static_cast<double>(std::bit_cast<T>(all.bits));
    return {value, grid_.at(x, all.y, all.z), std::isfinite(value)};
}

template <typename T>
template <typename U>
void ShotField<T>::copy_out(const Buffer<T>& from, const Window& window, std::span<U> values) const {
    const std::int64_t rows = window.count[1] * window.count[2];
#pragma omp parallel num_threads(threads_)
    {
        const FlushDenormals<U> flush;
#pragma omp for schedule(static)
        for (std::int64_t row = 0; row < rows; ++row) {
            const std::int64_t y = window.first[1] + row % window.count[1] * window.step[1];
            const std::int64_t z = window.first[2] + row / window.count[1] * window.step[2];
            const T* const source = from.data() + field_.at(window.first[0], y, z);
            U* const target = values.data() + row * window.count[0];
            for (std::int64_t x = 0; x < window.count[0]; ++x) target[x] = static_cast<U>(source[x * window.step[0]]);
        }
    }
}

template <typename T>
void ShotField<T>::hash_planes(const Window& window, std::span<std::uint64_t> hashes) const {
    // By all threads, even in a batch: its shots are hashed one after the other. Made before the loop, which no
    // exception may leave.
    std::vector<Fingerprint> of_thread(static_cast<std::size_t>(threads_of(setup_)));
#pragma omp parallel for num_threads(threads_of(setup_)) schedule(static)
    for (std::int64_t i = 0; i < window.count[2]; ++i) {
        Fingerprint& hash = of_thread[static_cast<std::size_t>(omp_get_thread_num())];
        hash.reset();
        for (std::int64_t y = 0; y < window.count[1]; ++y) {
            const T* const row = p().data() + field_.at(window.first[0], window.first[1] + y * window.step[1],
                                                        window.first[2] + i * window.step[2]);
            hash.add(std::span(row, static_cast<std::size_t>(window.count[0])));
        }
        hashes[static_cast<std::size_t>(i)] = hash.value();
    }
}

template <typename T>
void ShotField<T>::upload(std::span<const double> p, std::span<const double> p_previous) {
    for_rows([&](std::int64_t y, std::int64_t z) {
        for (std::int64_t x = 0; x < grid_.nx(); ++x) {
            fields_.front().p.data()[field_.at(x, y, z)] = static_cast<T>(p[grid_.at(x, y, z)]);
            fields_.front().q.data()[field_.at(x, y, z)] = static_cast<T>(p_previous[grid_.at(x, y, z)]);
        }
    });
    forget();
}

class HostPlanes final : public PlaneBuffer {
public:
    HostPlanes(std::int64_t planes, std::int64_t bytes)
        : PlaneBuffer(planes), bytes_(static_cast<std::size_t>(bytes)) {}
    std::span<std::byte> bytes() override { return bytes_; }

private:
    std::vector<std::byte> bytes_;
};

/// Some shots on one medium. One alone is computed by all threads; several side by side, each by one thread, without
/// waiting for each other.
template <typename T>
class CpuWavefield final : public Wavefield {
public:
    CpuWavefield(std::shared_ptr<CpuMedium<T>> medium, int shots)
        : medium_(std::move(medium)),
          tuner_(threads_of(medium_->setup())),
          threads_(shots == 1 ? 1 : std::min(shots, threads_of(medium_->setup()))) {
        const int threads = threads_of(medium_->setup());
        const Allocations planned = allocations(medium_->setup(), shots);
        for (int shot = 0; shot < shots; ++shot)
            shots_.push_back(std::make_unique<ShotField<T>>(*medium_, planned, shots == 1 ? threads : 1));
    }

    const Medium& medium() const override { return *medium_; }
    int shots() const override { return static_cast<int>(shots_.size()); }
    std::int64_t allocated_bytes() const override {
        std::int64_t bytes = 0;
        for (const auto& shot : shots_) bytes += shot->bytes();
        return bytes;
    }

    void reset() override { for_shots(&ShotField<T>::reset); }
    void set_sources(int shot, const Sources& sources) override { at(shot).set_sources(sources); }
    void set_receivers(int shot, const NodeWeights& receivers, std::int64_t samples) override {
        at(shot).set_receivers(receivers, samples);
    }

    void update(std::int64_t n) override { for_shots(&ShotField<T>::update, n); }
    void fill_halos() override { for_shots(&ShotField<T>::fill_halos); }
    void step() override { for_shots(&ShotField<T>::step); }
    void step_inside() override { for_shots(&ShotField<T>::step_inside); }
    void step_beside_cuts() override { for_shots(&ShotField<T>::step_beside_cuts); }
    void absorb() override { for_shots(&ShotField<T>::absorb); }
    void inject(std::int64_t n) override { for_shots(&ShotField<T>::inject, n); }
    void swap() override { for_shots(&ShotField<T>::swap); }
    void record(std::int64_t n) override { for_shots(&ShotField<T>::record, n); }
    void enqueue(std::int64_t first, std::int64_t count) override;

    std::vector<Extremum> extrema() const override {
        std::vector<Extremum> found;
        for (int shot = 0; shot < shots(); ++shot) found.push_back(at(shot).extremum());
        return found;
    }
    void download(const Window& window, std::span<float> values, int shot) const override {
        at(shot).download(window, values);
    }
    void download(const Window& window, std::span<double> values, int shot) const override {
        at(shot).download(window, values);
    }
    void download_previous(const Window& window, std::span<double> values, int shot) const override {
        at(shot).download_previous(window, values);
    }
    void hash_planes(const Window& window, std::span<std::uint64_t> hashes, int shot) const override {
        if (window.step[0] == 1)
            at(shot).hash_planes(window, hashes);
        else
            Wavefield::hash_planes(window, hashes, shot);
    }
    std::unique_ptr<Download> start_download(const Window& window, int shot) override {
        auto download = std::make_unique<HostDownload>(frames_, window.points());
        at(shot).download(window, download->values());
        return download;
    }
    void upload(std::span<const double> p, std::span<const double> p_previous, int shot) override {
        at(shot).upload(p, p_previous);
    }
    void download_traces(std::span<float> values, int shot) const override { at(shot).download_traces(values); }
    void download_traces(std::span<double> values, int shot) const override { at(shot).download_traces(values); }

    void sample(std::span<const std::int64_t> nodes, std::span<double> values, int shot) const override {
        at(shot).sample(nodes, values);
    }
    void copy_planes(const Wavefield& other, std::int64_t from_plane, std::int64_t to_plane,
                     std::int64_t count) override {
        const auto& from = dynamic_cast<const CpuWavefield&>(other);
        for (int shot = 0; shot < shots(); ++shot) at(shot).copy_planes(from.at(shot), from_plane, to_plane, count);
    }
    std::unique_ptr<PlaneBuffer> make_plane_buffer(std::int64_t planes) const override {
        return std::make_unique<HostPlanes>(planes, plane_buffer_bytes(problem(), planes, shots()));
    }
    bool copy_out(std::int64_t from_plane, PlaneBuffer& planes) const override {
        std::byte* bytes = planes.bytes().data();
        for (const auto& shot : shots_)
            bytes =
                shot->for_rows(from_plane, planes.planes(), bytes,
                               [](const T* row, std::byte* to, std::size_t length) { std::memcpy(to, row, length); });
        return true;
    }
    void copy_in(std::int64_t to_plane, const PlaneBuffer& planes) override {
        const std::byte* bytes = planes.bytes().data();
        for (const auto& shot : shots_)
            bytes = shot->for_rows(
                to_plane, planes.planes(), bytes,
                [](T* row, const std::byte* from, std::size_t length) { std::memcpy(row, from, length); });
    }
    std::vector<StatePart> state_parts() const override;
    void read_state(int shot, const StatePart& part, const StateVisitor& take) const override;
    void write_state(int shot, const StatePart& part, const StateVisitor& fill) override;

private:
    [[nodiscard]] ShotField<T>& at(int shot) { return *shots_.at(static_cast<std::size_t>(shot)); }
    [[nodiscard]] const ShotField<T>& at(int shot) const { return *shots_.at(static_cast<std::size_t>(shot)); }
    template <typename... Arguments>
    void for_shots(void (ShotField<T>::*call)(Arguments...), Arguments... arguments) {
        for (const auto& shot : shots_) ((*shot).*call)(arguments...);
    }

    void enqueue_alone(std::int64_t first, std::int64_t count);

    std::shared_ptr<CpuMedium<T>> medium_;
    ThreadTuner tuner_;
    std::vector<std::unique_ptr<ShotField<T>>> shots_;
    FrameBuffers frames_;
    ShotThreads threads_;  ///< of several shots
};

template <typename T>
void CpuWavefield<T>::enqueue_alone(std::int64_t first, std::int64_t count) {
    if (!medium_->setup().fewer_threads) return advance_in_order(at(0), first, count);
    using Clock = std::chrono::steady_clock;
    const std::int64_t stride = medium_->setup().stride();
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
    std::atomic<std::size_t> next{0};
    threads_.run([&] {
        for (std::size_t shot = next++; shot < shots_.size(); shot = next++)
            advance_in_order(*shots_[shot], first, count);
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
std::unique_ptr<Wavefield> CpuMedium<T>::make_wavefield(int shots) {
    return std::make_unique<CpuWavefield<T>>(std::static_pointer_cast<CpuMedium>(shared_from_this()), shots);
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
