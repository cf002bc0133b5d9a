#include "kernels/cpu/imaging/cpu_correlation.hpp"

#include <algorithm>
#include <vector>

#include "kernels/cpu/buffer.hpp"
#include "kernels/cpu/cpu.hpp"
#include "kernels/cpu/fields/cpu_fields.hpp"
#include "kernels/cpu/memory.hpp"
#include "kernels/cpu/threads.hpp"
#include "kernels/imaging/layer_boxes.hpp"

namespace onda::cpu {
namespace {

/// The recursions of an axis in the precision of the run.
template <typename T>
struct Profile {
    explicit Profile(const LayerProfile& of)
        : a(of.a.begin(), of.a.end()), b(of.b.begin(), of.b.end()), c(of.c.begin(), of.c.end()) {}
    std::vector<T> a, b, c;
};

/// Takes a row out of a layer that lies across it: one recursion for all of it.
template <typename T>
void undo_across(T a, T b, T c, std::int64_t count, T* row, T* z) {
    for (std::int64_t i = 0; i < count; ++i) {
        const T bz = b * z[i];
        row[i] = c * (row[i] - bz);
        z[i] = bz + a * row[i];
    }
}

/// Takes a row out of a layer that lies along it.
template <typename T>
void undo_along(const T* a, const T* b, const T* c, std::int64_t count, T* row, T* z) {
    for (std::int64_t i = 0; i < count; ++i) {
        const T bz = b[i] * z[i];
        row[i] = c[i] * (row[i] - bz);
        z[i] = bz + a[i] * row[i];
    }
}

template <typename T>
class CpuCorrelation final : public Correlation {
public:
    CpuCorrelation(const Setup& setup, int shots, std::int64_t slots)
        : CpuCorrelation(setup, shots, correlation_allocations(setup, shots, slots)) {}

    void reset() override {
        for (Shot& shot : shots_) {
            clear(shot.image.data(), points_);
            clear(shot.memory.data(), layers_.memory);
        }
    }
    void keep(const FieldSet& forward, std::int64_t slot) override {
        const auto& fields = dynamic_cast<const CpuFields<T>&>(forward);
        for_rows({whole_}, [&](std::size_t s, std::size_t, std::int64_t y, std::int64_t z) {
            const auto [p, q] = rows_of(fields.of(static_cast<int>(s)), 0, y, z);
            T* const d = shots_[s].kept.data() + slot * points_ + setup_.grid.at(0, y, z);
            for (std::int64_t x = 0; x < setup_.grid.nx(); ++x) d[x] = p[x] - q[x];
        });
    }
    void meet(const FieldSet& adjoint, std::int64_t slot) override {
        const auto& fields = dynamic_cast<const CpuFields<T>&>(adjoint);
        for_rows(slot < 0 ? layer_parts_ : all_parts_,
                 [&](std::size_t s, std::size_t part, std::int64_t y, std::int64_t z) {
                     const ShotFields<T>& of_shot = fields.of(static_cast<int>(s));
                     const T* const kept = slot < 0 ? nullptr : shots_[s].kept.data() + slot * points_;
                     if (part < layers_.boxes.size())
                         meet_in_layer(of_shot, layers_.boxes[part], y, z, kept, shots_[s]);
                     else
                         meet_inside(of_shot, y, z, kept, shots_[s].image.data());
                 });
    }
    [[nodiscard]] bool remembers() const override { return layers_.memory > 0; }
    void download(std::span<double> image, int shot) const override {
        const T* const from = shots_.at(static_cast<std::size_t>(shot)).image.data();
        std::copy_n(from, std::min<std::int64_t>(points_, std::ssize(image)), image.begin());
    }
    [[nodiscard]] std::int64_t allocated_bytes() const override {
        std::int64_t bytes = 0;
        for (const Shot& shot : shots_) bytes += shot.kept.bytes() + shot.image.bytes() + shot.memory.bytes();
        return bytes;
    }

private:
    struct Shot {
        explicit Shot(const Allocations& planned)
            : kept(planned.of("imaging.kept")),
              image(planned.of("imaging.image")),
              memory(planned.of("imaging.layers")) {}
        Buffer<T> kept, image, memory;
    };

    CpuCorrelation(const Setup& setup, int shots, const Allocations& planned)
        : setup_(setup),
          points_(setup.grid.points()),
          whole_{{}, setup.grid.n},
          layers_(layer_boxes(setup)),
          profiles_{Profile<T>(layers_.axis[0]), Profile<T>(layers_.axis[1]), Profile<T>(layers_.axis[2])} {
        for (const LayerBox& box : layers_.boxes) layer_parts_.push_back(box.nodes);
        all_parts_ = layer_parts_;
        all_parts_.push_back(layers_.inner);
        for (int shot = 0; shot < shots; ++shot) shots_.emplace_back(planned);
        CpuCorrelation::reset();
    }

    /// Calls body(shot, part, y, z) for every row of some boxes of every shot, in one region of all threads that find
    /// enough to do.
    template <typename Body>
    void for_rows(const std::vector<Box>& parts, const Body& body) const {
        constexpr std::int64_t fewest_nodes = 16'384;  // of a thread
        std::int64_t rows = 0, nodes = 0;
        for (const Box& part : parts) {
            rows += rows_in(part);
            nodes += part.points();
        }
        const std::int64_t shots = std::ssize(shots_);
        const int useful =
            static_cast<int>(std::clamp<std::int64_t>(shots * nodes / fewest_nodes, 1, threads_of(setup_)));
        on_threads(useful, [&](int thread, int threads) {
            const FlushDenormals<T> flush;
            const RowRange mine = rows_of_thread(shots * rows, thread, threads);
            std::int64_t before = 0;
            for (std::size_t shot = 0; shot < shots_.size(); ++shot)
                for (std::size_t part = 0; part < parts.size(); ++part) {
                    const Box& box = parts[part];
                    const std::int64_t ny = box.high[1] - box.low[1], count = rows_in(box);
                    for (std::int64_t row = std::max(mine.begin, before); row < std::min(mine.end, before + count);
                         ++row)
                        body(shot, part, box.low[1] + (row - before) % ny, box.low[2] + (row - before) / ny);
                    before += count;
                }
        });
    }
    [[nodiscard]] static std::int64_t rows_in(const Box& box) {
        return box.empty() ? 0 : (box.high[1] - box.low[1]) * (box.high[2] - box.low[2]);
    }
    /// p[n] and p[n-1] from a node on.
    [[nodiscard]] static std::pair<const T*, const T*> rows_of(const ShotFields<T>& fields, std::int64_t x,
                                                               std::int64_t y, std::int64_t z) {
        const std::int64_t first = fields.layout().at(x, y, z);
        return {fields.at({0, 0}).data() + first, fields.at({0, 1}).data() + first};
    }
    void clear(T* values, std::int64_t count) const {
        on_threads(threads_of(setup_), [&](int thread, int threads) {
            const RowRange mine = rows_of_thread(count, thread, threads);
            std::fill(values + mine.begin, values + mine.end, T(0));
        });
    }
    void meet_inside(const ShotFields<T>& fields, std::int64_t y, std::int64_t z, const T* kept, T* image) const {
        const Box& box = layers_.inner;
        const auto [p, q] = rows_of(fields, 0, y, z);
        const std::int64_t row = setup_.grid.at(0, y, z);
        for (std::int64_t x = box.low[0]; x < box.high[0]; ++x)
            image[row + x] = image[row + x] + (p[x] - q[x]) * kept[row + x];
    }
    void meet_in_layer(const ShotFields<T>& fields, const LayerBox& box, std::int64_t y, std::int64_t z, const T* kept,
                       Shot& shot) const {
        const std::int64_t first = box.nodes.low[0], count = box.nodes.high[0] - first,
                           ny = box.nodes.high[1] - box.nodes.low[1];
        thread_local std::vector<T> row;
        row.resize(static_cast<std::size_t>(count));
        const auto [p, q] = rows_of(fields, first, y, z);
        for (std::int64_t i = 0; i < count; ++i) row[static_cast<std::size_t>(i)] = p[i] - q[i];
        const std::int64_t before = ((z - box.nodes.low[2]) * ny + y - box.nodes.low[1]) * count;
        const std::array<std::int64_t, 3> node{first, y, z};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (box.memory[axis] < 0) continue;
            T* const memory = shot.memory.data() + box.memory[axis] + before;
            const auto& [a, b, c] = profiles_[axis];
            const auto at = static_cast<std::size_t>(node[axis]);
            if (axis == 0)
                undo_along(a.data() + at, b.data() + at, c.data() + at, count, row.data(), memory);
            else
                undo_across(a[at], b[at], c[at], count, row.data(), memory);
        }
        if (!kept) return;
        const std::int64_t node_of_row = setup_.grid.at(first, y, z);
        T* const image = shot.image.data() + node_of_row;
        const T* const d = kept + node_of_row;
        for (std::int64_t i = 0; i < count; ++i) image[i] = image[i] + row[static_cast<std::size_t>(i)] * d[i];
    }

    const Setup& setup_;
    std::int64_t points_;
    Box whole_;  ///< all nodes
    LayerBoxes layers_;
    std::vector<Box> layer_parts_, all_parts_;  ///< the boxes of the layers, and after them what is inside
    std::array<Profile<T>, 3> profiles_;
    std::vector<Shot> shots_;
};

}  // namespace

Allocations correlation_allocations(const Setup& setup, int shots, std::int64_t slots) {
    const std::int64_t points = setup.grid.points(), bytes = setup.element_bytes();
    Allocations list;
    list.add(paged("imaging.kept", Owner::wavefield, slots * points, bytes, shots));
    list.add(paged("imaging.image", Owner::wavefield, points, bytes, shots));
    list.add(paged("imaging.layers", Owner::wavefield, layer_boxes(setup).memory, bytes, shots));
    return list;
}

template <typename T>
std::unique_ptr<Correlation> make_correlation(const Setup& setup, int shots, std::int64_t slots) {
    return std::make_unique<CpuCorrelation<T>>(setup, shots, slots);
}

template std::unique_ptr<Correlation> make_correlation<float>(const Setup&, int, std::int64_t);
template std::unique_ptr<Correlation> make_correlation<double>(const Setup&, int, std::int64_t);

}  // namespace onda::cpu
