// The table of compiled instances, and the choice among them.
#include <algorithm>
#include <cstdio>

#include "kernels/boundaries/cpml.hpp"
#include "kernels/cuda/choice.hpp"
#include "kernels/cuda/runtime.hpp"

namespace onda::cuda {
namespace {

template <typename T, int R>
void add_radius(Instances<T>& list) {
    add_inplane_bulk_tensor<R>(list);
    if constexpr (sizeof(T) == sizeof(float)) {
        add_inplane_coded<R>(list);
        add_leap_coded<R>(list);
        add_attenuation_bulk_tensor<R>(list);
        add_vti_bulk_tensor<R>(list);
    }
    add_inplane_async<R>(list);
    add_fused<R>(list);
    add_direct<R>(list);
    add_leap_bulk_tensor<R>(list);
    add_leap_direct<R>(list);
    add_march25d<R>(list);
    add_density_bulk_tensor<R>(list);
    add_density_async<R>(list);
    add_direct_density<R>(list);
    add_attenuation<R>(list);
    add_vti<R>(list);
    add_tti<R>(list);
    if constexpr (R > 1) add_radius<T, R - 1>(list);
}

template <typename T>
Instances<T> make_instances() {
    Instances<T> list;
    add_radius<T, kMaxRadius>(list);
    add_march(list);
    add_thesis(list);
    add_twin(list);
    for (const Equation& equation : equations()) {
        if (equation->on_cuda == nullptr) continue;
        const EquationKernels* const kernels = equation->on_cuda();
        if (kernels == nullptr) continue;
        if constexpr (sizeof(T) == sizeof(float))
            kernels->add_float(list);
        else
            kernels->add_double(list);
    }
    return list;
}

template <typename T>
std::vector<Variant> variants_of(const Setup& setup) {
    std::vector<Variant> list;
    for (const Instance<T>* row : fitting<T>(setup)) list.push_back({row->kernel, row->tile, row->copy});
    return list;
}

/// Each of `names` once, in order.
std::string listed(const std::vector<std::string>& names) {
    std::string text;
    std::vector<std::string> seen;
    for (const std::string& name : names) {
        if (std::ranges::find(seen, name) != seen.end()) continue;
        seen.push_back(name);
        text += (text.empty() ? "" : ", ") + name;
    }
    return text;
}

/// Whether the steps of a 3-D grid are fastest in one launch each, measured on an H200: with perfectly matched layers,
/// whose launches it saves, up to 5 million nodes, at high orders up to 2 million; at order 4 on 30 million, and at
/// order 2, where it takes no longer than memory does, on 170 million, beyond which it is taken a little further.
bool is_fast_in_one_launch(const Setup& setup) {
    if (setup.scheme.equation != Equation::star) return false;
    if (std::ranges::find(setup.halos, Halo::neighbour) != setup.halos.end())
        return false;  // slabs exchange in between
    const bool has_layers = !setup.strips.get<Cpml>().empty();
    const int order = setup.scheme.space_order;
    std::int64_t most_points = order <= 8 ? 5'000'000 : 2'500'000;
    if (has_layers && order == 2) most_points = 200'000'000;
    if (has_layers && order == 4) most_points = 40'000'000;
    return setup.grid.points() <= most_points;
}

/// The kernels to try, the fastest first: `onda bench` on an H200, docs/performance.md. 2-D grids have few tiles to
/// march, and a launch there takes as long as what it computes. Direct fits every GPU.
std::vector<std::string> wanted_kernels(const Setup& setup) {
    if (setup.kernel != "auto") return {setup.kernel};
    if (setup.applications() == Applications::twice) return {"leap", "leap-direct"};
    if (setup.medium.storage != Storage::full) return {"inplane-vertical", "direct"};
    if (setup.scheme.equation != Equation::star && setup.scheme.equation != Equation::compact)
        return {"inplane-vertical", "march25d", "direct"};
    if (setup.grid.dimensions == 2) return {"fused", "direct", "inplane-full", "march25d"};
    if (is_fast_in_one_launch(setup)) return {"fused", "inplane-vertical", "inplane-full", "march25d", "direct"};
    if (setup.scheme.space_order <= 12 && gpu_architecture(setup.ordinal) >= 90)
        return {"inplane-vertical", "inplane-full", "march25d", "direct"};
    return {"inplane-full", "inplane-vertical", "march25d", "direct"};
}

bool matches(const std::string& wanted, const std::string& name) {
    return wanted == "auto" || wanted == name;
}

/// The nodes of a plane that the tiles of a row cover: more than it has where they hang over its edges.
double covered_nodes(const std::string& tile, const Grid& grid) {
    int width = 0, height = 0;
    if (std::sscanf(tile.c_str(), "%dx%d", &width, &height) != 2) throw std::logic_error("tile " + tile);
    const auto covered = [](std::int64_t nodes, int of_tile) {
        return static_cast<double>((nodes + of_tile - 1) / of_tile * of_tile);
    };
    return covered(grid.nx(), width) * covered(grid.ny(), height);
}

/// The fastest known of the rows that fit a set-up and differ in their tiles only: that which comes first, unless
/// its tiles hang over the edges of the grid by more than another's. At order 2 memory has the last word.
template <typename T>
const Instance<T>& with_best_tile(const Setup& setup, const std::vector<const Instance<T>*>& rows) {
    const Instance<T>& first = *rows.front();
    const bool differ_in_tiles = first.kernel.starts_with("inplane-") || first.equation->fields.size() > 1;
    if (setup.grid.dimensions == 2 || first.radius < 2 || !differ_in_tiles) return first;
    double least = covered_nodes(first.tile, setup.grid);
    for (const Instance<T>* row : rows) least = std::min(least, covered_nodes(row->tile, setup.grid));
    constexpr double as_good = 1.02;
    return **std::ranges::find_if(
        rows, [&](const Instance<T>* row) { return covered_nodes(row->tile, setup.grid) <= as_good * least; });
}

/// Says which of kernel, tile and copy engine does not exist, and what there is.
template <typename T>
[[noreturn]] void refuse(const Setup& setup, const std::vector<const Instance<T>*>& rows) {
    std::vector<std::string> kernels, tiles, copies;
    bool tile_exists = false;
    for (const Instance<T>* row : rows) {
        if (row->kernel != "twin") kernels.push_back(row->kernel);
        if (!matches(setup.kernel, row->kernel)) continue;
        tiles.push_back(row->tile);
        if (!row->copy.empty()) copies.push_back(row->copy);
        tile_exists = tile_exists || matches(setup.tile, row->tile);
    }
    const std::string of_scheme = " at order " + std::to_string(setup.scheme.space_order) + " in " +
                                  std::to_string(setup.grid.dimensions) + "-D" + described_applications(setup) +
                                  (setup.medium.storage != Storage::full ? " with a model stored as codes" : "");
    const std::string of_kernel = (setup.kernel == "auto" ? std::string() : " of kernel " + setup.kernel) + of_scheme;
    if (kernels.empty())
        throw NoKernel("no CUDA kernel computes the " + std::string(name(setup.scheme.equation)) + " operator" +
                       of_scheme + ": use backend.name: cpu");
    const bool exists = std::ranges::find(kernel_names(), setup.kernel, &KernelInfo::name) != kernel_names().end();
    if (tiles.empty())
        throw SetupFault("kernel", "kernel '" + setup.kernel + "'" +
                                       (exists ? " does not compute the " + std::string(name(setup.scheme.equation)) +
                                                     " operator" + of_scheme
                                               : " is not among the CUDA kernels") +
                                       ": use auto, " + listed(kernels));
    if (!tile_exists)
        throw SetupFault("tile",
                         "tile '" + setup.tile + "'" + of_kernel + " is not compiled in: use auto, " + listed(tiles));
    if (copies.empty()) throw SetupFault("copy", "kernel " + setup.kernel + " has no copy engines: use auto");
    throw SetupFault("copy", "copy engine '" + setup.copy + "'" + of_kernel +
                                 " is not there on this GPU, or not with " + "this tile: use auto, " + listed(copies));
}

}  // namespace

template <typename T>
const Instances<T>& instances() {
    static const Instances<T> list = make_instances<T>();
    return list;
}

template <typename T>
std::vector<const Instance<T>*> fitting(const Setup& setup) {
    std::vector<const Instance<T>*> rows;
    const int architecture = gpu_architecture(setup.ordinal), shared_bytes = gpu_shared_bytes(setup.ordinal);
    for (const Instance<T>& row : instances<T>())
        if ((row.radius == 0 || row.radius == setup.scheme.radius()) && row.equation == setup.scheme.equation &&
            row.applications == setup.applications() && row.storage == setup.medium.storage &&
            (row.dimensions == 0 || row.dimensions == setup.grid.dimensions) && row.architecture <= architecture &&
            row.shared_bytes <= shared_bytes)
            rows.push_back(&row);
    return rows;
}

template <typename T>
const Instance<T>& choose(const Setup& setup) {
    const std::vector<const Instance<T>*> rows = fitting<T>(setup);
    for (const std::string& kernel : wanted_kernels(setup)) {
        std::vector<const Instance<T>*> alike;
        for (const Instance<T>* row : rows)
            if (row->kernel == kernel && matches(setup.copy, row->copy) && matches(setup.tile, row->tile) &&
                (alike.empty() || row->copy == alike.front()->copy))
                alike.push_back(row);
        if (!alike.empty()) return with_best_tile(setup, alike);
    }
    refuse(setup, rows);
}

template const Instances<float>& instances<float>();
template const Instances<double>& instances<double>();
template std::vector<const Instance<float>*> fitting<float>(const Setup&);
template std::vector<const Instance<double>*> fitting<double>(const Setup&);
template const Instance<float>& choose<float>(const Setup&);
template const Instance<double>& choose<double>(const Setup&);

std::vector<Variant> variants(const Setup& setup) {
    return setup.precision == Precision::float32 ? variants_of<float>(setup) : variants_of<double>(setup);
}

Variant best_variant(const Setup& setup) {
    const auto of = []<typename T>(const Instance<T>& row) { return Variant{row.kernel, row.tile, row.copy}; };
    return setup.precision == Precision::float32 ? of(choose<float>(setup)) : of(choose<double>(setup));
}

Resources resources(const Setup& setup) {
    check_setup(setup);
    const DeviceScope scope(setup.ordinal);
    const auto of = [&setup]<typename T>(const Instance<T>& row) {
        return row.resources(row, make_stencil<T>(setup.scheme, setup.grid.spacing_m, setup.grid.dimensions));
    };
    return setup.precision == Precision::float32 ? of(choose<float>(setup)) : of(choose<double>(setup));
}

void check_setup(const Setup& setup) {
    if (const std::string& problem = gpu_state(setup.ordinal).problem; !problem.empty())
        throw std::runtime_error(problem);
    const auto gpus = static_cast<int>(platform().gpus.size());
    if (setup.ordinal < 0 || setup.ordinal >= gpus)
        throw SetupFault(
            "device",
            "GPU " + std::to_string(setup.ordinal) + " is not visible: there " +
                (gpus == 1 ? "is one, 0" : "are " + std::to_string(gpus) + ", 0 to " + std::to_string(gpus - 1)));
    check_problem(setup);
    for (const auto& strip : setup.strips)
        if (!strip->empty() && strip->on_cuda() == nullptr)
            throw std::invalid_argument("GPUs do not compute strips of the kind " + std::string(strip->name()));
    if (setup.precision == Precision::float32)
        choose<float>(setup);
    else
        choose<double>(setup);
}

}  // namespace onda::cuda
