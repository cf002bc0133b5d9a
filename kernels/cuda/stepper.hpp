/// \file
/// The interface between the CUDA backend and its kernels: a table of compiled instances, each of which can make a
/// stepper.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <memory>
#include <string>
#include <vector>

#include "kernels/cuda/reports.hpp"
#include "kernels/cuda/step_facts.hpp"
#include "kernels/equations/equation.hpp"
#include "kernels/equations/scheme.hpp"
#include "kernels/equations/star/leap.hpp"
#include "kernels/equations/star/stencil.hpp"
#include "kernels/grid/grid.hpp"
#include "kernels/stepping.hpp"
#include "kernels/storage.hpp"

namespace onda {
class Cpml;
}

namespace onda::cuda {

/// Nodes [low, high) along x, y, z.
struct NodeBox {
    std::array<std::int64_t, 3> low{}, high{};

    [[nodiscard]] std::int64_t extent(std::size_t axis) const { return high[axis] - low[axis]; }
    [[nodiscard]] bool empty() const { return extent(0) <= 0 || extent(1) <= 0 || extent(2) <= 0; }
};

/// An array of the medium as kernels see it.
template <typename T>
struct ArrayOnDevice {
    const T* at = nullptr;  ///< node (0, 0, 0)
    Layout layout;
};

/// The arrays of a wavefield as its kernels see them. Several 3-D shots are volumes of each field, one after the other,
/// that share the medium.
template <typename T>
struct Fields {
    Grid grid;
    Layout field;                                             ///< of every field
    std::array<ArrayOnDevice<T>, kMaxMediumArrays> medium{};  ///< in the order of the equation
    Stencil<T> stencil;
    /// Both time levels of each field, in the order of the equation, at node (0, 0, 0).
    std::array<std::array<T*, 2>, kMaxFields> levels{};
    /// The memory fields and the scratch fields of the equation, which lie as the fields do; null beyond those it has.
    std::array<T*, kMaxMemoryFields> memory{};
    std::array<T*, kMaxScratchFields> scratch{};
    /// What nodes of each class have for each memory field. Classes are counted from the first plane.
    std::array<std::array<T, kNodeClasses>, kMaxMemoryFields> of_class{};
    T first[3][kMaxRadius + 1] = {};  ///< of equations that take first derivatives: D_m / h along x, y, z
    CodedK coded_k = {};              ///< where k is stored as codes: in the place of k
    NodeBox leap{};                   ///< nodes that kernels which leap update: see kernels/plan/shell.hpp
    LeapWeights<T> weights = {};      ///< of these kernels
    int volumes = 1;                  ///< of each field: see batched()
    std::int64_t volume_step = 0;     ///< elements from one to the next

    /// A time level of the first field.
    [[nodiscard]] T* p(int level) const { return levels[0][static_cast<std::size_t>(level)]; }
    /// The first array, which multiplies the spatial operator: k, without a halo.
    [[nodiscard]] const ArrayOnDevice<T>& k() const { return medium[0]; }
    /// With variable density the second array, half the density.
    [[nodiscard]] const ArrayOnDevice<T>& half_rho() const { return medium[1]; }

    /// One of the volumes alone.
    [[nodiscard]] Fields volume(int which) const {
        Fields one = *this;
        one.move_levels(which * volume_step);
        one.volumes = 1;
        return one;
    }
    /// Planes [begin, end), as a grid of their own whose halo lies in the others.
    [[nodiscard]] Fields planes(std::int64_t begin, std::int64_t end) const {
        Fields some = *this;
        some.grid.n[2] = some.field.n[2] = end - begin;
        some.move_levels(begin * field.plane);
        for (ArrayOnDevice<T>& array : some.medium) {
            if (array.at != nullptr) array.at += begin * array.layout.plane;
            array.layout.n[2] = end - begin;
        }
        if (coded_k.storage != Storage::full) some.coded_k += begin * k().layout.plane;
        for (std::size_t i = 0; i < of_class.size(); ++i)
            for (int c = 0; c < kNodeClasses; ++c)
                some.of_class[i][static_cast<std::size_t>(c)] =
                    of_class[i][static_cast<std::size_t>(class_from_plane(c, begin))];
        return some;
    }

private:
    void move_levels(std::int64_t elements) {
        for (auto& of_field : levels)
            for (T*& level : of_field)
                if (level != nullptr) level += elements;
        for (T*& array : memory)
            if (array != nullptr) array += elements;
        for (T*& array : scratch)
            if (array != nullptr) array += elements;
    }
};

/// Computes p[n+1] = 2 p[n] - p[n-1] + k L(p[n]) with one instance of one kernel; with one that leaps, p[n+2] from p[n]
/// and p[n-2], or p[n+1] of order 4 in time (kernels/equations/star/leap.hpp), where the grid leaps.
class Stepper {
public:
    virtual ~Stepper() = default;
    /// Reads p[now], overwrites p[1 - now]. A leap may leave any number at nodes of the grid that do not leap. \throws
    /// Error.
    virtual void step(int now, cudaStream_t stream) const = 0;
};

/// What the steps of an instance are counted for.
template <typename T>
struct StepExtent {
    const Grid& grid;  ///< of a volume: see batched()
    int volumes = 1;
    const Stencil<T>& stencil;
    const Cpml* layers = nullptr;  ///< those that the kernel computes too; null: none
    NodeBox leap{};                ///< see Fields
};

/// One compiled instance. The tables list the fastest first within a kernel.
template <typename T>
struct Instance {
    std::string kernel, tile, copy;  ///< copy is empty for kernels without a choice of engines
    Equation equation = Equation::star;
    Applications applications = Applications::once;
    Storage storage = Storage::full;  ///< of k
    int radius = 0;                   ///< 0: any
    int dimensions = 0;               ///< 2 or 3; 0 is both
    int architecture = 0;             ///< lowest compute capability, 75 or 90
    int shared_bytes = 0;             ///< of shared memory that a block needs
    std::unique_ptr<Stepper> (*make)(const Instance& self, const Fields<T>& fields) = nullptr;
    Resources (*resources)(const Instance& self, const Stencil<T>& stencil) = nullptr;
    /// Cost counts of a step of all volumes, but for what the launches around it add. \throws Error.
    StepFacts (*facts)(const Instance& self, const StepExtent<T>& extent) = nullptr;
    int parameters[3] = {0, 0, 0};  ///< of instances that differ in run-time numbers only
    bool whole_steps = false;       ///< a launch can take all of a time step: kernels/cuda/fused/fused_steps.hpp
};

template <typename T>
using Instances = std::vector<Instance<T>>;

/// The instances of an equation that no source of this folder adds: EquationRow::on_cuda.
struct EquationKernels {
    void (*add_float)(Instances<float>& list);
    void (*add_double)(Instances<double>& list);
};

// Each source of kernels appends its own, for one radius or for all.
template <int R>
void add_inplane_bulk_tensor(Instances<float>& list);
template <int R>
void add_inplane_bulk_tensor(Instances<double>& list);
/// Appends the in-plane kernels that read k as codes.
template <int R>
void add_inplane_coded(Instances<float>& list);
template <int R>
void add_inplane_async(Instances<float>& list);
template <int R>
void add_inplane_async(Instances<double>& list);
template <int R>
void add_direct(Instances<float>& list);
template <int R>
void add_direct(Instances<double>& list);
template <int R>
void add_direct_density(Instances<float>& list);
template <int R>
void add_direct_density(Instances<double>& list);
template <int R>
void add_fused(Instances<float>& list);
template <int R>
void add_fused(Instances<double>& list);
template <int R>
void add_march25d(Instances<float>& list);
template <int R>
void add_march25d(Instances<double>& list);
template <int R>
void add_density_bulk_tensor(Instances<float>& list);
template <int R>
void add_density_bulk_tensor(Instances<double>& list);
template <int R>
void add_density_async(Instances<float>& list);
template <int R>
void add_density_async(Instances<double>& list);
template <int R>
void add_leap_direct(Instances<float>& list);
template <int R>
void add_leap_direct(Instances<double>& list);
template <int R>
void add_leap_bulk_tensor(Instances<float>& list);
template <int R>
void add_leap_bulk_tensor(Instances<double>& list);
/// Appends the leaps that read k as codes.
template <int R>
void add_leap_coded(Instances<float>& list);
template <int R>
void add_attenuation(Instances<float>& list);
template <int R>
void add_attenuation(Instances<double>& list);
template <int R>
void add_attenuation_bulk_tensor(Instances<float>& list);
template <int R>
void add_vti_bulk_tensor(Instances<float>& list);
template <int R>
void add_vti(Instances<float>& list);
template <int R>
void add_vti(Instances<double>& list);
template <int R>
void add_tti(Instances<float>& list);
template <int R>
void add_tti(Instances<double>& list);
void add_march(Instances<float>& list);
void add_march(Instances<double>& list);
void add_thesis(Instances<float>& list);
void add_thesis(Instances<double>& list);
void add_twin(Instances<float>& list);
void add_twin(Instances<double>& list);

/// Every instance that was compiled in. `onda bench gpu`, the tests and the choice of "auto" read this.
template <typename T>
const Instances<T>& instances();

}  // namespace onda::cuda
