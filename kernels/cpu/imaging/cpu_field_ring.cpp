#include "kernels/cpu/imaging/cpu_field_ring.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/cpu/buffer.hpp"
#include "kernels/cpu/cpu.hpp"
#include "kernels/cpu/fields/cpu_fields.hpp"
#include "kernels/cpu/imaging/node_rows.hpp"
#include "kernels/cpu/memory.hpp"
#include "kernels/imaging/coded_block.hpp"
#include "kernels/imaging/level_file.hpp"
#include "kernels/imaging/ring_boxes.hpp"

namespace onda::cpu {
namespace {

const std::string kRing = "imaging.ring", kEdges = "imaging.edges", kPressures = "imaging.edge_pressures";

std::string stage_of(const std::string& name) {
    return name + " on its way";
}

std::string file_of(const std::string& name) {
    return name + " in a file";
}

/// A frame of nodes, and values for them, level by level: as they are, or coded from and to a stage; in memory, or in a
/// file, of which as many levels are in memory as are read together.
template <typename T, typename Stored>
class FrameLevels {
public:
    /// \param planned with the rows of add_rows().
    FrameLevels(const Setup& setup, NodeFrame frame, const Allocations& planned, const RingSize& size,
                const std::string& name, int shots, std::int64_t together = 1)
        : setup_(setup), frame_(std::move(frame)), in_stage_(static_cast<std::size_t>(together), kNothing) {
        if (const Allocation& row = planned.of(file_of(name)); row.elements > 0)
            file_ = LevelFile(size.folder, row.elements, row.element_bytes);
        for (int shot = 0; shot < shots; ++shot) {
            stored_.emplace_back(planned.of(name));
            if constexpr (kCodes) stage_.emplace_back(planned.of(stage_of(name)));
        }
        for (const NodeFrame::Part& part : frame_.parts) boxes_.push_back(part.nodes);
    }

    static void add_rows(Allocations& list, const NodeFrame& frame, int shots, std::int64_t levels, RingPlace place,
                         const std::string& name, std::int64_t together = 1) {
        const std::int64_t of_level = stored_elements<Stored>(frame.nodes), staged = std::min(together, levels);
        const bool is_in_file = place == RingPlace::file && levels * of_level > 0;
        list.add(paged(name, Owner::wavefield, (is_in_file ? staged : levels) * of_level, sizeof(Stored), shots));
        list.add(level_file(file_of(name), is_in_file ? levels : 0, shots * of_level * std::int64_t{sizeof(Stored)}));
        if constexpr (kCodes) list.add(paged(stage_of(name), Owner::wavefield, staged * frame.nodes, sizeof(T), shots));
    }

    [[nodiscard]] std::int64_t bytes() const {
        std::int64_t bytes = 0;
        for (const Buffer<Stored>& of_shot : stored_) bytes += of_shot.bytes();
        for (const Buffer<T>& of_shot : stage_) bytes += of_shot.bytes();
        return bytes;
    }
    /// Calls body(shot, x, y, z, values, count), which writes them, for every row of the frame of every shot.
    template <typename Body>
    void write(std::int64_t level, const Body& body) {
        in_stage_[stage_of_level(level)] = kNothing;
        for_values(level, body);
        if constexpr (kCodes)
            for_blocks(level,
                       [](CodedBlock& block, const T* values, std::int64_t count) { encode(values, count, block); });
        if (!file_.is_open()) return;
        for (std::size_t shot = 0; shot < stored_.size(); ++shot)
            file_.write(level, first_byte(shot), stored_[shot].data() + place_of(level) * of_level(), level_bytes());
    }
    /// The same of a body that reads the values. Levels are best read from the last to the first.
    template <typename Body>
    void read(std::int64_t level, const Body& body) {
        bring(level);
        for_values(level, body);
    }
    /// The same of the weighted sums of some levels, from the first to the last.
    template <typename Body>
    void read(std::span<const WeightedSlot> parts, const Body& body) {
        if (parts.size() == 1) return read(parts.front().slot, body);
        for (std::size_t i = parts.size(); i-- > 0;) bring(parts[i].slot);
        for_rows(
            [&](std::size_t shot, std::int64_t x, std::int64_t y, std::int64_t z, std::int64_t at, std::int64_t count) {
                thread_local std::vector<T> sum;
                sum.resize(static_cast<std::size_t>(count));
                T* const to = sum.data();
                const auto for_terms = [&](const WeightedSlot& part, const auto& take) {
                    const T weight = static_cast<T>(part.weight);
                    const T* const from = values(shot, part.slot) + at;
                    for (std::int64_t i = 0; i < count; ++i) take(to[i], weight * from[i]);
                };
                for_terms(parts.front(), [](T& value, T term) { value = term; });
                for (const WeightedSlot& part : parts.subspan(1))
                    for_terms(part, [](T& value, T term) { value = value + term; });
                body(static_cast<int>(shot), x, y, z, to, count);
            });
    }

private:
    static constexpr bool kCodes = !std::is_same_v<T, Stored>;
    static constexpr std::int64_t kNothing = -1;

    [[nodiscard]] std::int64_t together() const { return std::ssize(in_stage_); }
    [[nodiscard]] std::size_t stage_of_level(std::int64_t level) const {
        return static_cast<std::size_t>(level % together());
    }
    /// Brings a level from the file to memory, and from its code to the stage.
    void bring(std::int64_t level) {
        if (std::exchange(in_stage_[stage_of_level(level)], level) == level) return;
        if (file_.is_open()) {
            file_.expect(level - together());
            for (std::size_t shot = 0; shot < stored_.size(); ++shot)
                file_.read(level, first_byte(shot), stored_[shot].data() + place_of(level) * of_level(), level_bytes());
        }
        if constexpr (kCodes)
            for_blocks(level, [](const CodedBlock& block, T* values, std::int64_t count) {
                for (std::int64_t i = 0; i < count; ++i) values[i] = decoded<T>(block.code[i], block.unit);
            });
    }

    [[nodiscard]] std::int64_t of_level() const { return stored_elements<Stored>(frame_.nodes); }
    [[nodiscard]] std::int64_t level_bytes() const { return of_level() * std::int64_t{sizeof(Stored)}; }
    /// Of a shot in a level of the file.
    [[nodiscard]] std::int64_t first_byte(std::size_t shot) const {
        return static_cast<std::int64_t>(shot) * level_bytes();
    }
    /// The place of a level in memory.
    [[nodiscard]] std::int64_t place_of(std::int64_t level) const {
        return file_.is_open() ? level % together() : level;
    }

    /// The values of a level, or the stage.
    [[nodiscard]] T* values(std::size_t shot, std::int64_t level) {
        if constexpr (kCodes)
            return stage_[shot].data() + level % together() * frame_.nodes;
        else
            return stored_[shot].data() + place_of(level) * frame_.nodes;
    }

    static void encode(const T* values, std::int64_t count, CodedBlock& block) {
        BitsOf<T> largest = 0;
        for (std::int64_t i = 0; i < count; ++i) largest = std::max(largest, bits_of_size(values[i]));
        block.unit = unit_of<T>(largest);
        for (std::int64_t i = 0; i < count; ++i) block.code[i] = coded(values[i], block.unit);
        std::fill(block.code + count, std::end(block.code), std::int16_t{0});
    }
    /// Calls body(block, values of the stage, count) for every block of a level of every shot.
    template <typename Body>
    void for_blocks(std::int64_t level, const Body& body) {
        const std::int64_t blocks = of_level(), shots = std::ssize(stored_);
        on_threads(useful_threads(threads_of(setup_), shots * frame_.nodes), [&](int thread, int threads) {
            const FlushDenormals<T> flush;
            const RowRange mine = rows_of_thread(shots * blocks, thread, threads);
            for (std::int64_t i = mine.begin; i < mine.end; ++i) {
                const auto shot = static_cast<std::size_t>(i / blocks);
                const std::int64_t block = i % blocks, first = block * CodedBlock::kValues;
                body(stored_[shot].data()[place_of(level) * blocks + block], values(shot, level) + first,
                     std::min<std::int64_t>(CodedBlock::kValues, frame_.nodes - first));
            }
        });
    }
    /// Calls body(shot, x, y, z, values of a level, count) for every row of the frame of every shot.
    template <typename Body>
    void for_values(std::int64_t level, const Body& body) {
        for_rows([&](std::size_t shot, std::int64_t x, std::int64_t y, std::int64_t z, std::int64_t at,
                     std::int64_t count) { body(static_cast<int>(shot), x, y, z, values(shot, level) + at, count); });
    }
    /// The same of the place of the first value in a level, whichever.
    template <typename Body>
    void for_rows(const Body& body) {
        for_node_rows<T>(setup_, stored_.size(), boxes_,
                         [&](std::size_t shot, std::size_t part, std::int64_t y, std::int64_t z) {
                             const auto& [nodes, first] = frame_.parts[part];
                             const std::int64_t count = nodes.high[0] - nodes.low[0], ny = nodes.high[1] - nodes.low[1];
                             const std::int64_t before = ((z - nodes.low[2]) * ny + y - nodes.low[1]) * count;
                             body(shot, nodes.low[0], y, z, first + before, count);
                         });
    }

    const Setup& setup_;
    NodeFrame frame_;
    std::vector<Box> boxes_;
    std::vector<Buffer<Stored>> stored_;  ///< of each shot, [level][node of the frame, or block of them]
    LevelFile file_;                      ///< [level][shot][the same]
    std::vector<Buffer<T>> stage_;        ///< of each shot, [stage][node of the frame], where values are coded
    std::vector<std::int64_t> in_stage_;  ///< the level that was brought to each
};

/// \tparam Stored as FrameLevels.
template <typename T, typename Stored>
class CpuFieldRing final : public FieldRing {
public:
    CpuFieldRing(const Setup& setup, int shots, const RingSize& size)
        : CpuFieldRing(setup, shots, size, ring_boxes(setup), ring_allocations(setup, shots, size)) {}

    void save(const FieldSet& forward, std::int64_t level) override { write_pressure(ring_, forward, level); }
    void keep_pressure(const FieldSet& forward, std::int64_t slot) override {
        write_pressure(pressures_, forward, slot);
    }
    void keep(const FieldSet& forward, std::int64_t slot) override {
        const auto& fields = of(forward);
        edges_.write(slot, [&](int shot, std::int64_t x, std::int64_t y, std::int64_t z, T* d, std::int64_t count) {
            const auto [p, q] = levels_from(fields.of(shot), x, y, z);
            for (std::int64_t i = 0; i < count; ++i) d[i] = p[i] - q[i];
        });
    }
    void turn_back(const FieldSet& forward, FieldSet& rebuilt) override {
        const auto& from = of(forward);
        auto& to = of(rebuilt);
        const std::int64_t nx = setup_.grid.nx();
        for_node_rows<T>(setup_, static_cast<std::size_t>(to.shots()), {{{}, setup_.grid.n}},
                         [&](std::size_t s, std::size_t, std::int64_t y, std::int64_t z) {
                             const int shot = static_cast<int>(s);
                             const auto [p, q] = levels_from(from.of(shot), 0, y, z);
                             std::copy_n(q, nx, latest(to, shot, 0, y, z));
                             std::copy_n(p, nx, previous(to, shot, 0, y, z));
                         });
    }
    void load(FieldSet& rebuilt, std::span<const WeightedSlot> level) override { read_pressure(ring_, rebuilt, level); }
    void place_pressure(FieldSet& rebuilt, std::int64_t slot) override { read_pressure(pressures_, rebuilt, slot); }
    void place(FieldSet& rebuilt, std::int64_t slot) override {
        auto& fields = of(rebuilt);
        edges_.read(slot,
                    [&](int shot, std::int64_t x, std::int64_t y, std::int64_t z, const T* d, std::int64_t count) {
                        std::fill_n(latest(fields, shot, x, y, z), count, T(0));
                        std::copy_n(d, count, previous(fields, shot, x, y, z));
                    });
    }
    [[nodiscard]] std::int64_t allocated_bytes() const override {
        return ring_.bytes() + edges_.bytes() + pressures_.bytes();
    }

private:
    using Levels = FrameLevels<T, Stored>;

    CpuFieldRing(const Setup& setup, int shots, const RingSize& size, const RingBoxes& boxes,
                 const Allocations& planned)
        : setup_(setup),
          ring_(setup, boxes.ring, planned, size, kRing, shots, size.together),
          edges_(setup, boxes.edges, planned, size, kEdges, shots),
          pressures_(setup, boxes.edges, planned, size, kPressures, shots) {
        check_ring(setup);
    }

    static void write_pressure(Levels& levels, const FieldSet& forward, std::int64_t level) {
        const auto& fields = of(forward);
        levels.write(level, [&](int shot, std::int64_t x, std::int64_t y, std::int64_t z, T* to, std::int64_t count) {
            std::copy_n(levels_from(fields.of(shot), x, y, z).first, count, to);
        });
    }
    /// \param level, or what it is the sum of.
    template <typename Level>
    static void read_pressure(Levels& levels, FieldSet& rebuilt, const Level& level) {
        auto& fields = of(rebuilt);
        levels.read(level, [&](int shot, std::int64_t x, std::int64_t y, std::int64_t z, const T* from,
                               std::int64_t count) { std::copy_n(from, count, latest(fields, shot, x, y, z)); });
    }

    static const CpuFields<T>& of(const FieldSet& fields) { return dynamic_cast<const CpuFields<T>&>(fields); }
    static CpuFields<T>& of(FieldSet& fields) { return dynamic_cast<CpuFields<T>&>(fields); }
    /// p[n] of a shot from a node on, and the level before it.
    static T* latest(CpuFields<T>& fields, int shot, std::int64_t x, std::int64_t y, std::int64_t z) {
        return fields.of(shot).now().data() + fields.of(shot).layout().at(x, y, z);
    }
    static T* previous(CpuFields<T>& fields, int shot, std::int64_t x, std::int64_t y, std::int64_t z) {
        return fields.of(shot).before().data() + fields.of(shot).layout().at(x, y, z);
    }

    const Setup& setup_;
    Levels ring_, edges_, pressures_;
};

template <typename T, typename Stored>
Allocations allocations_of(const RingBoxes& boxes, int shots, const RingSize& size) {
    Allocations list;
    using Levels = FrameLevels<T, Stored>;
    Levels::add_rows(list, boxes.ring, shots, size.levels, size.place, kRing, size.together);
    Levels::add_rows(list, boxes.edges, shots, size.slots, size.place, kEdges);
    Levels::add_rows(list, boxes.edges, shots, size.pressures ? size.slots : 0, size.place, kPressures);
    return list;
}

template <typename T>
Allocations allocations_of(const RingBoxes& boxes, int shots, const RingSize& size) {
    return size.values == RingValues::full ? allocations_of<T, T>(boxes, shots, size)
                                           : allocations_of<T, CodedBlock>(boxes, shots, size);
}

}  // namespace

Allocations ring_allocations(const Setup& setup, int shots, const RingSize& size) {
    const RingBoxes boxes = ring_boxes(setup);
    return setup.precision == Precision::float64 ? allocations_of<double>(boxes, shots, size)
                                                 : allocations_of<float>(boxes, shots, size);
}

template <typename T>
std::unique_ptr<FieldRing> make_field_ring(const Setup& setup, int shots, const RingSize& size) {
    if (size.values == RingValues::full) return std::make_unique<CpuFieldRing<T, T>>(setup, shots, size);
    return std::make_unique<CpuFieldRing<T, CodedBlock>>(setup, shots, size);
}

template std::unique_ptr<FieldRing> make_field_ring<float>(const Setup&, int, const RingSize&);
template std::unique_ptr<FieldRing> make_field_ring<double>(const Setup&, int, const RingSize&);

}  // namespace onda::cpu
