#include "kernels/cpu/imaging/cpu_correlation.hpp"

#include <algorithm>
#include <vector>

#include "kernels/cpu/buffer.hpp"
#include "kernels/cpu/cpu.hpp"
#include "kernels/cpu/fields/cpu_fields.hpp"
#include "kernels/cpu/imaging/layer_rows.hpp"
#include "kernels/cpu/imaging/node_rows.hpp"
#include "kernels/cpu/imaging/state_arrays.hpp"
#include "kernels/cpu/memory.hpp"

namespace onda::cpu {
namespace {

template <typename T>
class CpuCorrelation final : public Correlation {
public:
    CpuCorrelation(const Setup& setup, int shots, std::int64_t slots, Correlated what, const OffsetLines& lines)
        : CpuCorrelation(setup, shots, what, lines, correlation_allocations(setup, shots, slots, what, lines)) {}

    void reset() override {
        for (Shot& shot : shots_) {
            for (Buffer<T>& image : shot.images) clear_values(setup_, image.data(), points_of(image));
            clear_values(setup_, shot.memory.data(), layers_.memory());
            clear_values(setup_, shot.offsets.data(), sums_of_lines());
        }
    }
    void keep(const FieldSet& forward, std::int64_t slot) override {
        const auto& fields = dynamic_cast<const CpuFields<T>&>(forward);
        for_rows({whole_}, [&](std::size_t s, std::size_t, std::int64_t y, std::int64_t z) {
            T* const kept = shots_[s].kept.data() + slot * points_ + setup_.grid.at(0, y, z);
            const ShotFields<T>& of_shot = fields.of(static_cast<int>(s));
            const auto keep_row = [&](const auto& value) {
                for (std::int64_t x = 0; x < setup_.grid.nx(); ++x) kept[x] = value(x);
            };
            if (const int field = memory_of(what_); field >= 0)
                keep_row([r = memory_from(of_shot, field, y, z)](std::int64_t x) { return r[x]; });
            else if (what_ == Correlated::level_before)
                keep_row([q = level_from(of_shot, {0, 1}, 0, y, z)](std::int64_t x) { return q[x]; });
            else
                with_values(of_shot, 0, y, z, keep_row);
        });
    }
    void meet(const FieldSet& adjoint, std::int64_t slot, std::int64_t /*steps*/) override {
        const auto& fields = dynamic_cast<const CpuFields<T>&>(adjoint);
        for_rows(slot < 0 ? layers_.layer_parts() : layers_.all_parts(),
                 [&](std::size_t s, std::size_t part, std::int64_t y, std::int64_t z) {
                     const ShotFields<T>& of_shot = fields.of(static_cast<int>(s));
                     const T* const kept = slot < 0 ? nullptr : shots_[s].kept.data() + slot * points_;
                     if (layers_.is_layer(part))
                         meet_in_layer(of_shot, part, y, z, kept, shots_[s]);
                     else
                         meet_inside(of_shot, y, z, kept, shots_[s]);
                 });
        if (slot >= 0 && !lines_.lines.empty()) meet_at_offsets(fields, slot);
    }
    [[nodiscard]] std::int64_t most_steps() const override { return layers_.memory() > 0 ? 1 : kAnySteps; }
    void download_planes(LevelSum sum, std::int64_t first, std::span<double> planes, int shot) const override {
        check_sum(sum, sums_squares(what_));
        const Grid& grid = setup_.grid;
        const std::int64_t plane = grid.nx() * grid.ny();
        const T* const from = shots_.at(static_cast<std::size_t>(shot)).images[static_cast<std::size_t>(sum)].data();
        const Box box{{0, 0, first}, {grid.nx(), grid.ny(), first + std::ssize(planes) / plane}};
        for_node_rows<T>(setup_, 1, {box}, [&](std::size_t, std::size_t, std::int64_t y, std::int64_t z) {
            const std::int64_t row = grid.at(0, y, z);
            std::copy_n(from + row, grid.nx(), planes.begin() + (row - first * plane));
        });
    }
    void download_offsets(std::int64_t first, std::span<double> planes, int shot) const override {
        if (lines_.lines.empty()) throw std::logic_error("products at an offset that nobody asked for");
        const T* const from = shots_.at(static_cast<std::size_t>(shot)).offsets.data();
        std::copy_n(from + first * lines_.sums_of_plane(), std::ssize(planes), planes.begin());
    }
    [[nodiscard]] std::int64_t allocated_bytes() const override {
        std::int64_t bytes = 0;
        for (const Shot& shot : shots_) {
            bytes += shot.kept.bytes() + shot.memory.bytes() + shot.offsets.bytes();
            for (const Buffer<T>& image : shot.images) bytes += image.bytes();
        }
        return bytes;
    }
    [[nodiscard]] std::vector<StatePart> state_parts() const override { return state_of(0).parts(); }
    void read_state(int shot, const StatePart& part, const StateVisitor& take) const override {
        state_of(shot).visit(part, take);
    }
    void write_state(int shot, const StatePart& part, const StateVisitor& fill) override {
        state_of(shot).visit(part, fill);
    }

private:
    struct Shot {
        explicit Shot(const Allocations& planned)
            : kept(planned.of("imaging.kept")),
              images{Buffer<T>(planned.of("imaging.image")), Buffer<T>(planned.of("imaging.illuminations")),
                     Buffer<T>(planned.of("imaging.illuminations"))},
              memory(planned.of("imaging.layers")),
              offsets(planned.of("imaging.offsets")) {}
        /// Adds to the images, from a node on, what a row of the adjoint field's values, adjoint(i), and a kept one
        /// give.
        template <typename Adjoint>
        void sum(std::int64_t node, std::int64_t count, const Adjoint& adjoint, const T* forward) {
            T* const image = images[0].data() + node;
            for (std::int64_t i = 0; i < count; ++i) image[i] = image[i] + adjoint(i) * forward[i];
            if (images[1].bytes() == 0) return;
            T *const of_forward = images[1].data() + node, *const of_adjoint = images[2].data() + node;
            for (std::int64_t i = 0; i < count; ++i) {
                const T nu = adjoint(i);
                of_forward[i] = of_forward[i] + forward[i] * forward[i];
                of_adjoint[i] = of_adjoint[i] + nu * nu;
            }
        }
        Buffer<T> kept;
        std::array<Buffer<T>, 3> images;  ///< by LevelSum
        Buffer<T> memory;
        Buffer<T> offsets;  ///< [z][line][h]
    };

    CpuCorrelation(const Setup& setup, int shots, Correlated what, const OffsetLines& lines, const Allocations& planned)
        : setup_(setup),
          what_(what),
          lines_(lines),
          points_(setup.grid.points()),
          whole_{{}, setup.grid.n},
          layers_(correlated_layers(setup, what)) {
        for (int shot = 0; shot < shots; ++shot) shots_.emplace_back(planned);
        CpuCorrelation::reset();
    }

    [[nodiscard]] StateArrays<T> state_of(int shot) const {
        const Shot& of = shots_.at(static_cast<std::size_t>(shot));
        StateArrays<T> arrays;
        for (std::size_t sum = 0; sum < of.images.size(); ++sum)
            if (points_of(of.images[sum]) > 0) arrays.add(name_of(LevelSum(sum)), setup_.grid.n, of.images[sum].data());
        arrays.add("layers", {layers_.memory(), 1, 1}, of.memory.data());
        arrays.add("offsets", {lines_.sums_of_plane(), 1, setup_.grid.nz()}, of.offsets.data());
        return arrays;
    }
    [[nodiscard]] std::int64_t points_of(const Buffer<T>& image) const { return image.bytes() > 0 ? points_ : 0; }
    template <typename Body>
    void for_rows(const std::vector<Box>& parts, const Body& body) const {
        for_node_rows<T>(setup_, shots_.size(), parts, body);
    }
    /// Calls use(value), where value(i) is what is correlated of a field at the i-th node from one on; of the adjoint
    /// field's where the forward field's memory is.
    template <typename Use>
    void with_values(const ShotFields<T>& fields, std::int64_t x, std::int64_t y, std::int64_t z,
                     const Use& use) const {
        const auto [first, second] = correlated_fields(what_);
        if (!is_difference(what_)) {
            const FieldLevel level = what_ == Correlated::applied ? kAppliedLevel : FieldLevel{first, 0};
            return use([u = level_from(fields, level, x, y, z)](std::int64_t i) { return u[i]; });
        }
        const auto [p, q] = levels_from(fields, x, y, z, first);
        if (second < 0) return use([p = p, q = q](std::int64_t i) { return p[i] - q[i]; });
        const auto [s, t] = levels_from(fields, x, y, z, second);
        use([p = p, q = q, s = s, t = t](std::int64_t i) { return (p[i] - q[i]) + (s[i] - t[i]); });
    }
    void meet_inside(const ShotFields<T>& fields, std::int64_t y, std::int64_t z, const T* kept, Shot& shot) const {
        const std::int64_t first = layers_.inner().low[0], count = layers_.inner().high[0] - first;
        const std::int64_t node = setup_.grid.at(first, y, z);
        with_values(fields, first, y, z, [&](const auto& value) { shot.sum(node, count, value, kept + node); });
    }
    void meet_in_layer(const ShotFields<T>& fields, std::size_t part, std::int64_t y, std::int64_t z, const T* kept,
                       Shot& shot) const {
        const Box& nodes = layers_.all_parts()[part];
        const std::int64_t first = nodes.low[0], count = nodes.high[0] - first;
        thread_local std::vector<T> row;
        row.resize(static_cast<std::size_t>(count));
        with_values(fields, first, y, z, [values = row.data(), count](const auto& value) {
            for (std::int64_t i = 0; i < count; ++i) values[i] = value(i);
        });
        layers_.apply(part, y, z, row.data(), shot.memory.data());
        if (!kept) return;
        const std::int64_t node_of_row = setup_.grid.at(first, y, z);
        shot.sum(
            node_of_row, count, [values = row.data()](std::int64_t i) { return values[i]; }, kept + node_of_row);
    }

    [[nodiscard]] std::int64_t sums_of_lines() const { return setup_.grid.nz() * lines_.sums_of_plane(); }
    /// The lines of a plane are the rows of a thread.
    void meet_at_offsets(const CpuFields<T>& fields, std::int64_t slot) {
        const Box lines{{}, {lines_.offsets(), std::ssize(lines_.lines), setup_.grid.nz()}};
        for_rows({lines}, [&](std::size_t s, std::size_t, std::int64_t line, std::int64_t z) {
            sum_at_offsets(fields.of(static_cast<int>(s)), line, z, shots_[s].kept.data() + slot * points_, shots_[s]);
        });
    }
    void sum_at_offsets(const ShotFields<T>& fields, std::int64_t line, std::int64_t z, const T* kept,
                        Shot& shot) const {
        const Grid& grid = setup_.grid;
        const auto [x, y] = lines_.lines[static_cast<std::size_t>(line)];
        const bool along_x = lines_.axis == 0;
        const std::int64_t at = along_x ? x : y, n = along_x ? grid.nx() : grid.ny();
        const std::int64_t inside = std::min({lines_.most, at, n - 1 - at});
        const std::int64_t node = grid.at(x, y, z), step = along_x ? 1 : grid.nx();
        const T* const nu = level_from(fields, {correlated_fields(what_)[0], 0}, x, y, z);
        const std::int64_t field_step = along_x ? 1 : fields.layout().at(0, 1, 0) - fields.layout().at(0, 0, 0);
        T* const sums = shot.offsets.data() + z * lines_.sums_of_plane() + line * lines_.offsets() + lines_.most;
        for (std::int64_t h = -inside; h <= inside; ++h) sums[h] = sums[h] + nu[h * field_step] * kept[node - h * step];
    }

    const Setup& setup_;
    Correlated what_;
    OffsetLines lines_;
    std::int64_t points_;
    Box whole_;  ///< all nodes
    LayerRows<T> layers_;
    std::vector<Shot> shots_;
};

}  // namespace

Allocations correlation_allocations(const Setup& setup, int shots, std::int64_t slots, Correlated what,
                                    const OffsetLines& lines) {
    check_lines(lines, what);
    const std::int64_t points = setup.grid.points(), bytes = setup.element_bytes();
    Allocations list;
    list.add(paged("imaging.kept", Owner::wavefield, slots * points, bytes, shots));
    list.add(paged("imaging.image", Owner::wavefield, points, bytes, shots));
    list.add(paged("imaging.illuminations", Owner::wavefield, sums_squares(what) ? points : 0, bytes, 2 * shots));
    list.add(paged("imaging.layers", Owner::wavefield, correlated_layers(setup, what).memory, bytes, shots));
    list.add(paged("imaging.offsets", Owner::wavefield, setup.grid.nz() * lines.sums_of_plane(), bytes, shots));
    return list;
}

template <typename T>
std::unique_ptr<Correlation> make_correlation(const Setup& setup, int shots, std::int64_t slots, Correlated what,
                                              const OffsetLines& lines) {
    return std::make_unique<CpuCorrelation<T>>(setup, shots, slots, what, lines);
}

template std::unique_ptr<Correlation> make_correlation<float>(const Setup&, int, std::int64_t, Correlated,
                                                              const OffsetLines&);
template std::unique_ptr<Correlation> make_correlation<double>(const Setup&, int, std::int64_t, Correlated,
                                                               const OffsetLines&);

}  // namespace onda::cpu
