// Launches the thesis kernels, every order and tile with the same code.
#include <algorithm>

#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/thesis/thesis.hpp"

namespace onda::cuda {
namespace {

/// The layout of the plane and the two queues behind it, in bytes.
template <typename T>
int thesis_shared_bytes(const TileLayout& layout, int radius, int threads) {
    return (layout.size + 2 * radius * threads) * static_cast<int>(sizeof(T));
}

template <typename T>
TileLayout thesis_layout(const Instance<T>& row, int radius) {
    return make_tile_layout(kLoadStrategies[static_cast<std::size_t>(row.parameters[2])], row.parameters[1],
                            row.parameters[0], radius, radius, 1);
}

template <typename T>
class ThesisStepper final : public Stepper {
public:
    ThesisStepper(const Instance<T>& row, const Fields<T>& fields)
        : block_(static_cast<unsigned>(row.parameters[0]), 1, static_cast<unsigned>(row.parameters[1])) {
        const Grid& g = fields.grid;
        const int radius = fields.stencil.radius;
        grid_ = dim3(static_cast<unsigned>(blocks_for(g.nz(), block_.x)), 1,
                     static_cast<unsigned>(blocks_for(g.nx(), block_.z)));
        for (int now = 0; now < 2; ++now) {
            ThesisArguments<T>& a = arguments_[now];
            set_common(a, fields, now);
            a.layout = thesis_layout(row, radius);
            a.tile_z = row.parameters[0];
            a.tile_x = row.parameters[1];
        }
        shared_bytes_ = thesis_shared_bytes<T>(arguments_[0].layout, radius, static_cast<int>(block_.x * block_.z));
        allow_shared_memory(reinterpret_cast<const void*>(thesis_step<T>), shared_bytes_);
    }
    void step(int now, cudaStream_t stream) const override {
        launch<T>(thesis_step<T>, {grid_, block_, static_cast<std::size_t>(shared_bytes_)}, stream, arguments_[now]);
    }

private:
    dim3 grid_, block_;
    int shared_bytes_ = 0;
    ThesisArguments<T> arguments_[2];
};

/// Threads of a warp lie along z, so that each row of a load is a wavefront of its own, and a node along x costs whole
/// sectors: the L1 cache keeps them for its neighbours along x.
template <typename T>
StepFacts thesis_facts(const Instance<T>& self, const StepExtent<T>& extent) {
    const Grid& g = extent.grid;
    const int radius = extent.stencil.radius, tz = self.parameters[0], tx = self.parameters[1], threads = tz * tx;
    const TileLayout layout = thesis_layout(self, radius);
    const ThesisWork work = thesis_work(radius, g.dimensions, (layout.size + threads - 1) / threads);
    StepFacts facts = facts_of_streams(g, sizeof(T), {});
    facts.compiled = self.resources(self, extent.stencil);
    const double blocks = static_cast<double>(blocks_for(g.nz(), tz)) * blocks_for(g.nx(), tx);
    const double planes = static_cast<double>(g.ny()) + (g.dimensions == 3 ? 2. * radius : 0.);
    facts.blocks = static_cast<std::int64_t>(blocks);
    facts.planes = planes;
    constexpr int sector = kSectorBytes / int{sizeof(T)};
    const int row = (tx + sector - 1) / sector * sector;
    const bool corners = layout.count == 1;
    const double loaded =
        row * (tz + 2. * radius) + 2. * in_sectors(radius, sizeof(T)) * (tz + (corners ? 2. * radius : 0.));
    facts.l2_bytes =
        static_cast<double>(sizeof(T)) * blocks * (planes * loaded + 3. * row * tz * static_cast<double>(g.ny()));
    const double warps = blocks * blocks_for(threads, 32), wavefronts = std::min(tz, 32);
    facts.shared_bytes = kWavefrontBytes * warps * planes *
                         (work.shared_accesses + wavefronts * (static_cast<double>(layout.size) / threads + 3.));
    facts.instructions = 32. * warps * planes * work.instructions;
    facts.operations = 32. * warps * planes * work.operations;
    facts.launches = extent.volumes;
    return all_volumes(facts, extent.volumes);
}

/// One strategy and tile at one radius: the kernel is the same for all, what they differ in are run-time numbers.
template <typename T>
Instance<T> thesis_row(int strategy, int tile_z, int tile_x, int radius) {
    Instance<T> row;
    row.kernel = "thesis-" + std::string(kLoadStrategies[static_cast<std::size_t>(strategy)].name);
    row.tile = std::to_string(tile_z) + "x" + std::to_string(tile_x);
    row.radius = radius;
    row.architecture = 75;
    row.parameters[0] = tile_z;
    row.parameters[1] = tile_x;
    row.parameters[2] = strategy;
    row.shared_bytes = thesis_shared_bytes<T>(thesis_layout(row, radius), radius, tile_z * tile_x);
    row.make = [](const Instance<T>& self, const Fields<T>& fields) -> std::unique_ptr<Stepper> {
        return std::make_unique<ThesisStepper<T>>(self, fields);
    };
    row.resources = [](const Instance<T>& self, const Stencil<T>&) {
        return resources_of(reinterpret_cast<const void*>(thesis_step<T>), self.parameters[0] * self.parameters[1],
                            self.shared_bytes);
    };
    row.facts = thesis_facts<T>;
    return row;
}

template <typename T>
void add_thesis_tiles(Instances<T>& list) {
    // Threads along z and x: the thesis' tx and tz, every pair that its tables have. 4 x 32 is the best on an H200, and
    // 8 x 8 was on its K40: "auto" takes the first.
    constexpr int sizes[] = {1, 2, 4, 8, 16, 32};
    for (int radius = 1; radius <= kMaxRadius; ++radius)
        for (int strategy = 0; strategy < static_cast<int>(kLoadStrategies.size()); ++strategy) {
            const auto add = [&](int tz, int tx) { list.push_back(thesis_row<T>(strategy, tz, tx, radius)); };
            add(4, 32);
            add(8, 8);
            for (const int tz : sizes)
                for (const int tx : sizes)
                    if (!(tz == 4 && tx == 32) && !(tz == 8 && tx == 8)) add(tz, tx);
        }
}

}  // namespace

void add_thesis(Instances<float>& list) {
    add_thesis_tiles(list);
}
void add_thesis(Instances<double>& list) {
    add_thesis_tiles(list);
}

}  // namespace onda::cuda
