// The sponge of a wavefield: tapers, and the boxes of nodes that they damp.
#include "kernels/boundaries/sponge.hpp"

#include <array>
#include <string>
#include <vector>

#include "kernels/cuda/memory.hpp"
#include "kernels/cuda/strips/strip.hpp"

namespace onda::cuda {
namespace {

/// The nodes where a taper differs from 1 (at its ends: kernels/boundaries/sponge.hpp), as boxes: the faces of z, then
/// of y between them, then of x.
template <typename T>
SpongeBoxes sponge_boxes(const Grid& grid, const std::array<std::vector<T>, 3>& taper) {
    constexpr int vector = 16 / sizeof(T);
    int low[3] = {0, 0, 0}, high[3], n[3];  // the taper of an axis is 1 on [low, high)
    for (int a = 0; a < 3; ++a) {
        high[a] = n[a] = static_cast<int>(grid.n[a]);
        while (low[a] < n[a] && taper[a][low[a]] != T(1)) ++low[a];
        while (high[a] > low[a] && taper[a][high[a] - 1] != T(1)) --high[a];
    }
    SpongeBoxes boxes;
    const auto add = [&](int gap_begin, int gap_end, int y0, int y1, int z0, int z1) {
        const int vectors = (n[0] - (gap_end - gap_begin) + vector - 1) / vector;
        if (vectors == 0 || y0 >= y1 || z0 >= z1) return;
        boxes.box[boxes.count] = {y0, z0, y1 - y0, z1 - z0, gap_begin, gap_end, vectors};
        boxes.first[boxes.count + 1] =
            boxes.first[boxes.count] + static_cast<std::int64_t>(vectors) * (y1 - y0) * (z1 - z0);
        ++boxes.count;
    };
    add(0, 0, 0, n[1], 0, low[2]);
    add(0, 0, 0, n[1], high[2], n[2]);
    add(0, 0, 0, low[1], low[2], high[2]);
    add(0, 0, high[1], n[1], low[2], high[2]);
    const int gap_begin = (low[0] + vector - 1) / vector * vector;
    const int gap_end = high[0] == n[0] ? (n[0] + vector - 1) / vector * vector : high[0] / vector * vector;
    const bool meet = gap_begin > gap_end;
    if (low[0] > 0 || high[0] < n[0]) add(meet ? 0 : gap_begin, meet ? 0 : gap_end, low[1], high[1], low[2], high[2]);
    return boxes;
}

template <typename T>
class SpongeSteps final : public StripSteps<T> {
public:
    SpongeSteps(const Sponge& sponge, const StripPlace<T>& place)
        : shape_(shape_of(place.fields.field)), volume_step_(place.fields.volume_step), memory_(place.fields.memory) {
        std::array<std::vector<T>, 3> taper;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            taper[axis].assign(sponge.taper[axis].begin(), sponge.taper[axis].end());
            taper[axis].resize(static_cast<std::size_t>(taper_size(place.grid.n[axis])), T(1));
            taper_[axis] = upload_vector(place.planned.of(taper_row(axis)), taper[axis]);
        }
        boxes_ = sponge_boxes(place.grid, taper);
    }
    static void add_rows(Allocations& list, const Sponge&, const StripExtent& extent) {
        for (std::size_t axis = 0; axis < 3; ++axis)
            list.add(on_device(taper_row(axis), Owner::wavefield, taper_size(extent.grid.n[axis]), sizeof(T)));
    }

    [[nodiscard]] std::int64_t bytes() const override {
        return taper_[0].bytes() + taper_[1].bytes() + taper_[2].bytes();
    }
    void apply(std::span<const StepLevels<T>> fields, int volume, cudaStream_t stream) const override {
        const std::int64_t from = volume * volume_step_;
        const auto damp_both = [&](T* one, T* other) {
            damp<T>(one + from, other == nullptr ? nullptr : other + from, shape_, boxes_,
                    {taper_[0].data(), taper_[1].data(), taper_[2].data()}, stream);
        };
        for (const StepLevels<T>& levels : fields) damp_both(levels.p, levels.q);
        if (memory_[0] != nullptr) damp_both(memory_[0], memory_[1]);
    }

private:
    static std::string taper_row(std::size_t axis) { return std::string("sponge.taper_") + "xyz"[axis]; }
    /// Tapers end with whole vectors.
    static std::int64_t taper_size(std::int64_t n) { return (n + 3) / 4 * 4; }

    FieldShape shape_;
    std::int64_t volume_step_;
    std::array<T*, kMaxMemoryFields> memory_;  ///< of the first volume; null beyond those that there are
    SpongeBoxes boxes_;
    DeviceBuffer<T> taper_[3];
};

}  // namespace
}  // namespace onda::cuda

namespace onda {

const cuda::StripRow* Sponge::on_cuda() const {
    static constexpr cuda::StripRow row = cuda::strip_row<Sponge, cuda::SpongeSteps>();
    return &row;
}

}  // namespace onda
