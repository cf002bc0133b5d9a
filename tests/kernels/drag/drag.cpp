#include "tests/kernels/drag/drag.hpp"

#include <algorithm>
#include <stdexcept>

#include "kernels/cpu/buffer.hpp"
#include "kernels/cpu/denormals.hpp"
#include "kernels/cpu/strips/strip.hpp"
#include "kernels/plan/state_parts.hpp"

namespace onda::test {
namespace {

using namespace onda::cpu;

template <typename T>
class DragSteps final : public StripSteps<T> {
public:
    DragSteps(const Drag& strips, const StripPlace<T>& place)
        : strips_(strips),
          grid_(place.setup.grid),
          boxes_(drag_boxes(strips, grid_)),
          a_(place.arrays),
          memory_(place.planned.of("drag.memory")) {}
    static void add_rows(Allocations& list, const Drag& strips, const Setup& setup, int, int shots) {
        list.add(
            paged("drag.memory", Owner::wavefield, drag_elements(drag_boxes(strips, setup.grid)), sizeof(T), shots));
    }

    [[nodiscard]] std::int64_t bytes() const override { return memory_.bytes(); }
    void set_threads(int threads) override { a_.threads = threads; }
    void reset() override { std::fill_n(memory_.data(), drag_elements(boxes_), T(0)); }
    void apply(std::span<const FieldLevels<T>> fields) override {
        for (const DragBox& box : boxes_) apply(box, fields.front().q);
    }
    void for_state(const typename StripSteps<T>::StateBody& body) const override {
        for (const DragBox& box : boxes_)
            body(strip_state(strips_, grid_, box.face, strips_.width[static_cast<std::size_t>(box.face)], "mean",
                             sizeof(T)),
                 memory_.data() + box.memory, {1, box.n[0], box.n[0] * box.n[1]});
    }

private:
    void apply(const DragBox& box, T* field) const {
        const std::vector<double> pull = drag_profile(strips_.width[static_cast<std::size_t>(box.face)]);
#pragma omp parallel num_threads(a_.threads)
        {
            const FlushDenormals<T> flush;
#pragma omp for schedule(static)
            for (std::int64_t row = 0; row < box.n[1] * box.n[2]; ++row) {
                const std::int64_t y = row % box.n[1], z = row / box.n[1];
                T* const q = field + box.first[0] + (box.first[1] + y) * a_.pitch + (box.first[2] + z) * a_.plane;
                T* const mean = memory_.data() + box.memory + row * box.n[0];
                for (std::int64_t x = 0; x < box.n[0]; ++x)
                    drag(static_cast<T>(pull[static_cast<std::size_t>(box.depth(x, y, z) - 1)]),
                         static_cast<T>(kMeanStays), mean[x], q[x]);
            }
        }
    }

    const Drag& strips_;
    const Grid& grid_;
    std::vector<DragBox> boxes_;
    Arrays<T> a_;
    Buffer<T> memory_;
};

}  // namespace

bool Drag::empty() const {
    return std::ranges::all_of(width, [](std::int64_t nodes) { return nodes == 0; });
}

void Drag::check(const Problem& problem) const {
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (width[2 * axis] + width[2 * axis + 1] > problem.grid.n[axis])
            throw std::invalid_argument("strips of the kind drag do not fit the grid");
}

double Drag::work(const Grid& grid) const {
    return static_cast<double>(drag_elements(drag_boxes(*this, grid)));
}

std::shared_ptr<const Strip> Drag::with(const std::array<std::int64_t, 6>& widths) const {
    auto other = std::make_shared<Drag>();
    other->width = widths;
    return other;
}

std::shared_ptr<const Strip> Drag::resized(const std::array<std::int64_t, 3>& n) const {
    std::array<std::int64_t, 6> widths = width;
    for (std::size_t face = 0; face < 6; ++face) widths[face] = std::min(widths[face], n[face / 2] / 2);
    return with(widths);
}

std::shared_ptr<const Strip> Drag::of_planes(std::int64_t first, std::int64_t planes, std::int64_t all) const {
    std::array<std::int64_t, 6> widths = width;
    if (first > 0) widths[4] = 0;
    if (first + planes < all) widths[5] = 0;
    return with(widths);
}

std::int64_t Drag::fewest_planes(const Problem&, int face) const {
    return width[static_cast<std::size_t>(face)];
}

const cpu::StripRow& Drag::on_cpu() const {
    static constexpr cpu::StripRow row = cpu::strip_row<Drag, DragSteps>();
    return row;
}

std::vector<DragBox> drag_boxes(const Drag& strips, const Grid& grid) {
    std::vector<DragBox> boxes;
    for (int face = 0; face < 6; ++face) {
        const auto axis = static_cast<std::size_t>(face / 2);
        const std::int64_t width = strips.width[static_cast<std::size_t>(face)];
        if (width == 0) continue;
        DragBox box{{0, 0, 0}, strip_grid(grid, face, width).n, drag_elements(boxes), face};
        if (face % 2 == 1) box.first[axis] = grid.n[axis] - width;
        boxes.push_back(box);
    }
    return boxes;
}

std::int64_t drag_elements(const std::vector<DragBox>& boxes) {
    return boxes.empty() ? 0 : boxes.back().memory + boxes.back().points();
}

std::vector<double> drag_profile(std::int64_t width) {
    std::vector<double> pull;
    for (std::int64_t depth = 1; depth <= width; ++depth)
        pull.push_back(0.5 * static_cast<double>(depth * depth) / static_cast<double>(width * width));
    return pull;
}

}  // namespace onda::test
