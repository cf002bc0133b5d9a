#include "kernels/cpu/imaging/cpu_field_ring.hpp"

#include <algorithm>
#include <vector>

#include "kernels/cpu/buffer.hpp"
#include "kernels/cpu/cpu.hpp"
#include "kernels/cpu/fields/cpu_fields.hpp"
#include "kernels/cpu/imaging/node_rows.hpp"
#include "kernels/cpu/memory.hpp"
#include "kernels/imaging/ring_boxes.hpp"

namespace onda::cpu {
namespace {

/// A frame of nodes, and values for them, level by level.
template <typename T>
class FrameLevels {
public:
    FrameLevels(const Setup& setup, NodeFrame frame, const Allocation& row, int shots)
        : setup_(setup), frame_(std::move(frame)) {
        for (int shot = 0; shot < shots; ++shot) values_.emplace_back(row);
        for (const NodeFrame::Part& part : frame_.parts) boxes_.push_back(part.nodes);
    }

    [[nodiscard]] std::int64_t bytes() const {
        std::int64_t bytes = 0;
        for (const Buffer<T>& of_shot : values_) bytes += of_shot.bytes();
        return bytes;
    }
    /// Calls body(shot, x, y, z, values, count) for every row of the frame of every shot, from its first node on.
    template <typename Body>
    void for_rows(std::int64_t level, const Body& body) const {
        for_node_rows<T>(setup_, values_.size(), boxes_,
                         [&](std::size_t shot, std::size_t part, std::int64_t y, std::int64_t z) {
                             const auto& [nodes, first] = frame_.parts[part];
                             const std::int64_t count = nodes.high[0] - nodes.low[0], ny = nodes.high[1] - nodes.low[1];
                             const std::int64_t before = ((z - nodes.low[2]) * ny + y - nodes.low[1]) * count;
                             body(static_cast<int>(shot), nodes.low[0], y, z,
                                  values_[shot].data() + level * frame_.nodes + first + before, count);
                         });
    }

private:
    const Setup& setup_;
    NodeFrame frame_;
    std::vector<Box> boxes_;
    std::vector<Buffer<T>> values_;  ///< of each shot, [level][node of the frame]
};

template <typename T>
class CpuFieldRing final : public FieldRing {
public:
    CpuFieldRing(const Setup& setup, int shots, const RingSize& size)
        : CpuFieldRing(setup, shots, ring_boxes(setup), ring_allocations(setup, shots, size)) {}

    void save(const FieldSet& forward, std::int64_t level) override {
        const auto& fields = of(forward);
        ring_.for_rows(level,
                       [&](int shot, std::int64_t x, std::int64_t y, std::int64_t z, T* ring, std::int64_t count) {
                           const T* const p = levels_from(fields.of(shot), x, y, z).first;
                           std::copy_n(p, count, ring);
                       });
    }
    void keep(const FieldSet& forward, std::int64_t slot) override {
        const auto& fields = of(forward);
        edges_.for_rows(slot, [&](int shot, std::int64_t x, std::int64_t y, std::int64_t z, T* d, std::int64_t count) {
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
    void load(FieldSet& rebuilt, std::int64_t level) override {
        auto& fields = of(rebuilt);
        ring_.for_rows(level, [&](int shot, std::int64_t x, std::int64_t y, std::int64_t z, const T* ring,
                                  std::int64_t count) { std::copy_n(ring, count, latest(fields, shot, x, y, z)); });
    }
    void place(FieldSet& rebuilt, std::int64_t slot) override {
        auto& fields = of(rebuilt);
        edges_.for_rows(slot,
                        [&](int shot, std::int64_t x, std::int64_t y, std::int64_t z, const T* d, std::int64_t count) {
                            std::fill_n(latest(fields, shot, x, y, z), count, T(0));
                            std::copy_n(d, count, previous(fields, shot, x, y, z));
                        });
    }
    [[nodiscard]] std::int64_t allocated_bytes() const override { return ring_.bytes() + edges_.bytes(); }

private:
    CpuFieldRing(const Setup& setup, int shots, const RingBoxes& boxes, const Allocations& planned)
        : setup_(setup),
          ring_(setup, boxes.ring, planned.of("imaging.ring"), shots),
          edges_(setup, boxes.edges, planned.of("imaging.edges"), shots) {
        check_ring(setup);
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
    FrameLevels<T> ring_, edges_;
};

}  // namespace

Allocations ring_allocations(const Setup& setup, int shots, const RingSize& size) {
    const RingBoxes boxes = ring_boxes(setup);
    const std::int64_t bytes = setup.element_bytes();
    Allocations list;
    list.add(paged("imaging.ring", Owner::wavefield, size.levels * boxes.ring.nodes, bytes, shots));
    list.add(paged("imaging.edges", Owner::wavefield, size.slots * boxes.edges.nodes, bytes, shots));
    return list;
}

template <typename T>
std::unique_ptr<FieldRing> make_field_ring(const Setup& setup, int shots, const RingSize& size) {
    return std::make_unique<CpuFieldRing<T>>(setup, shots, size);
}

template std::unique_ptr<FieldRing> make_field_ring<float>(const Setup&, int, const RingSize&);
template std::unique_ptr<FieldRing> make_field_ring<double>(const Setup&, int, const RingSize&);

}  // namespace onda::cpu
