#include "solver/model/step_mask.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>
#include <string>

#include "io/files/npy_header.hpp"
#include "io/models/foreign_model.hpp"
#include "io/models/model_file.hpp"
#include "io/text/printable.hpp"
#include "solver/discretisation/grid.hpp"
#include "solver/model/file_resampling.hpp"
#include "solver/model/model_builders.hpp"

namespace onda {
namespace {

Quantity mask_quantity() {
    return {"mask", {{""}}, 0., 1.};
}

[[noreturn]] void refuse_mask(const Config& config, const std::string& has, const std::string& wanted) {
    config.origin.fault("inversion.mask", fmt::format("{} has {}, but the grid has {}: a mask has a number for each of "
                                                      "its nodes",
                                                      shown(config.inversion->mask), has, wanted));
}

std::vector<float> mask_of_hdf5(const Config& config, const Grid& grid) {
    const ModelFile file(config.inversion->mask, mask_quantity());
    const FileGeometry& geometry = file.geometry();
    if (geometry.dimensions != grid.dimensions || !same_nodes(geometry, grid))
        refuse_mask(config, places_of_nodes(geometry), places_of_nodes(grid));
    std::vector<float> mask(static_cast<std::size_t>(grid.points()));
    file.read(mask_quantity(), {}, grid.n, mask);
    return mask;
}

/// An array does not tell where its nodes are: they are those of the grid, in the order of its indices.
std::vector<float> mask_of_array(const Config& config, const Grid& grid) {
    const std::filesystem::path& file = config.inversion->mask;
    const NpyArray array = read_npy_header(file);
    ForeignOptions options;
    std::vector<std::int64_t> wanted;
    for (const int axis : {2, 1, 0}) {
        if (axis == 1 && grid.dimensions == 2) continue;
        const auto a = static_cast<std::size_t>(axis);
        options.axes += "xyz"[axis];
        options.spacing_m.insert(options.spacing_m.begin(), grid.spacing_m[a]);
        options.origin_m.insert(options.origin_m.begin(), grid.origin_m[a]);
        wanted.push_back(grid.n[a]);
    }
    if (array.shape != wanted)
        refuse_mask(config, "the shape " + array.shape_text,
                    fmt::format("({}), {}", fmt::join(wanted, ", "), grid.dimensions == 2 ? "[z][x]" : "[z][y][x]"));
    const Quantity quantity = mask_quantity();
    options.quantity = &quantity;
    const ForeignModel values = read_npy_model(file, options);
    std::vector<float> mask(static_cast<std::size_t>(grid.points()));
    const auto nodes_of_plane = static_cast<std::size_t>(grid.nx() * grid.ny());
    for (std::int64_t z = 0; z < grid.nz(); ++z)
        values.plane(z, std::span(mask).subspan(static_cast<std::size_t>(z) * nodes_of_plane, nodes_of_plane));
    return mask;
}

/// A box of values on the nodes of a grid.
ReadBox box_of(const Grid& grid, const std::vector<float>& values) {
    return [&grid, &values](auto first, auto count, std::span<float> box) {
        auto to = box.begin();
        for (std::int64_t z = first[2]; z < first[2] + count[2]; ++z)
            for (std::int64_t y = first[1]; y < first[1] + count[1]; ++y)
                to = std::copy_n(values.begin() + grid.at(first[0], y, z), count[0], to);
    };
}

}  // namespace

std::vector<float> step_mask(const Config& config, const Grid& grid) {
    const std::filesystem::path& file = config.inversion.value().mask;
    if (file.empty()) return {};
    const Grid whole = make_grid(config.grid, config.origin);
    std::vector<float> mask = file.extension() == ".npy" ? mask_of_array(config, whole) : mask_of_hdf5(config, whole);
    const FileGeometry geometry{whole.dimensions, whole.n, whole.spacing_m, whole.origin_m};
    if (same_nodes(geometry, grid)) return mask;
    std::vector<float> resampled(static_cast<std::size_t>(grid.points()));
    interpolate(geometry, box_of(whole, mask), grid, resampled);
    for (float& part : resampled) part = std::min(part, 1.F);  // weights that add up to one but for rounding
    return resampled;
}

}  // namespace onda
