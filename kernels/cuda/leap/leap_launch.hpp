/// \file
/// Launches the kernels that leap: how a box of nodes is divided among their blocks, and their rows in the table of
/// instances.
#pragma once

#include <string>

#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/leap/leap_arguments.hpp"
#include "kernels/cuda/leap/leap_work.hpp"

namespace onda::cuda {

/// The block of a kernel that leaps.
struct LeapShape {
    int width, height;  ///< nodes of its tile along x and y
    int threads_x, threads_y;
    int shared_bytes;
    int radius;
    int align_x;  ///< tiles begin on multiples of this many nodes
};

/// How the nodes that leap are divided: tiles along x and y, chunks of planes along z.
struct LeapPlan {
    LaunchShape shape;
    int first_x = 0;
    Chunks chunks;
};

/// The plan that ends soonest. Lets the kernel use its shared memory. \throws Error.
LeapPlan plan_leap(const void* kernel, const LeapShape& shape, const NodeBox& box);

/// Cost counts of a leap, one launch a volume; its shell is counted apart. \throws Error.
StepFacts leap_facts(const void* kernel, const LeapShape& shape, const LeapWork& work, const Grid& grid,
                     const NodeBox& box, int volumes, int element_bytes);

/// Launches one kernel that leaps.
/// \tparam Launch names the element T, the Arguments, the kernel and its shape; complete(arguments, fields, now) sets
/// what its arguments hold beside those of all kernels that leap.
template <typename Launch>
class LeapStepper final : public Stepper {
public:
    using T = typename Launch::T;

    explicit LeapStepper(const Fields<T>& fields) : empty_(fields.leap.empty()) {
        if (empty_) return;
        plan_ = plan_leap(reinterpret_cast<const void*>(Launch::kernel), Launch::shape, fields.leap);
        for (int now = 0; now < 2; ++now) {
            auto& a = arguments_[now];
            set_common(a, fields, now);
            a.weights = fields.weights;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                a.begin[axis] = static_cast<int>(fields.leap.low[axis]);
                a.end[axis] = static_cast<int>(fields.leap.high[axis]);
            }
            a.begin[0] = plan_.first_x;
            a.chunks = plan_.chunks;
            Launch::complete(a, fields, now);
        }
    }
    void step(int now, cudaStream_t stream) const override {
        if (!empty_) launch<T>(Launch::kernel, plan_.shape, stream, arguments_[now]);
    }

private:
    bool empty_;
    LeapPlan plan_;
    typename Launch::Arguments arguments_[2];
};

/// The row of one kernel that leaps, for one radius.
template <typename Launch>
Instance<typename Launch::T> leap_row(std::string kernel, int architecture, int dimensions) {
    using T = typename Launch::T;
    Instance<T> row;
    row.kernel = std::move(kernel);
    row.tile = std::to_string(Launch::shape.width) + "x" + std::to_string(Launch::shape.height);
    row.applications = Applications::twice;
    row.radius = Launch::shape.radius;
    row.dimensions = dimensions;
    row.architecture = architecture;
    row.shared_bytes = Launch::shape.shared_bytes;
    row.make = [](const Instance<T>&, const Fields<T>& fields) -> std::unique_ptr<Stepper> {
        return std::make_unique<LeapStepper<Launch>>(fields);
    };
    row.resources = [](const Instance<T>&, const Stencil<T>&) {
        constexpr LeapShape shape = Launch::shape;
        return resources_of(reinterpret_cast<const void*>(Launch::kernel), shape.threads_x * shape.threads_y,
                            shape.shared_bytes);
    };
    row.facts = [](const Instance<T>&, const StepExtent<T>& extent) {
        return leap_facts(reinterpret_cast<const void*>(Launch::kernel), Launch::shape, Launch::work, extent.grid,
                          extent.leap, extent.volumes, sizeof(T));
    };
    return row;
}

}  // namespace onda::cuda
