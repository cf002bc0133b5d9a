// Launches the thesis kernels, every order and tile with the same code.
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

template <typename T>
void add_thesis_tiles(Instances<T>& list) {
    // Threads along z and x: the thesis' tx and tz. 8 x 8 was the best there, 4 x 32 is on an H200.
    constexpr int tiles[][2] = {{4, 32}, {8, 8}, {16, 16}};
    for (int strategy = 0; strategy < static_cast<int>(kLoadStrategies.size()); ++strategy)
        for (const auto& [tz, tx] : tiles) {
            Instance<T> row;
            row.kernel = "thesis-" + std::string(kLoadStrategies[static_cast<std::size_t>(strategy)].name);
            row.tile = std::to_string(tz) + "x" + std::to_string(tx);
            row.architecture = 75;
            row.parameters[0] = tz;
            row.parameters[1] = tx;
            row.parameters[2] = strategy;
            row.make = [](const Instance<T>& self, const Fields<T>& fields) -> std::unique_ptr<Stepper> {
                return std::make_unique<ThesisStepper<T>>(self, fields);
            };
            row.resources = [](const Instance<T>& self, const Stencil<T>& stencil) {
                const int threads = self.parameters[0] * self.parameters[1];
                const int bytes = thesis_shared_bytes<T>(thesis_layout(self, stencil.radius), stencil.radius, threads);
                return resources_of(reinterpret_cast<const void*>(thesis_step<T>), threads, bytes);
            };
            list.push_back(row);
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
