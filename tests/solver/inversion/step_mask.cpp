// The mask of an inversion: the numbers of its file on the grid of the configuration, interpolated on others, and
// refused by file, node and value. Takes 1 s.
#include "solver/model/step_mask.hpp"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/files/npy_header.hpp"
#include "io/hdf5/hdf5.hpp"
#include "io/models/model_file.hpp"
#include "io/text/error.hpp"
#include "tests/io/files_support.hpp"

using namespace onda;

namespace {

using MaskValues = std::vector<float>;

const Grid kMasked2d{2, {9, 1, 5}, {10., 1., 20.}, {-30., 0., 40.}};
const Grid kMasked3d{3, {5, 3, 7}, {10., 20., 5.}, {0., 100., 0.}};

/// Zero in the first columns, then a slope along x that ends at one.
MaskValues sloping_mask(const Grid& grid) {
    MaskValues mask;
    for (std::int64_t i = 0; i < grid.points(); ++i)
        mask.push_back(static_cast<float>(std::max<std::int64_t>(grid.node(i)[0] - 2, 0)) /
                       static_cast<float>(grid.nx() - 3));
    return mask;
}

struct MaskPlace {
    Config config_on(const Grid& grid, const std::string& file) const {
        Config config;
        config.inversion.emplace().mask = folder.path() / file;
        config.grid.shape = {grid.n[0], grid.n[1], grid.n[2]};
        config.grid.spacing_m = {grid.spacing_m[0], grid.spacing_m[1], grid.spacing_m[2]};
        config.grid.origin_m = {grid.origin_m[0], grid.origin_m[1], grid.origin_m[2]};
        if (grid.dimensions == 2) {
            config.grid.shape.erase(config.grid.shape.begin() + 1);
            config.grid.spacing_m.erase(config.grid.spacing_m.begin() + 1);
            config.grid.origin_m.erase(config.grid.origin_m.begin() + 1);
        }
        return config;
    }
    void write_array(const std::string& name, const Grid& grid, const MaskValues& values) const {
        std::string bytes =
            grid.dimensions == 2 ? npy_header({grid.nz(), grid.nx()}) : npy_header({grid.nz(), grid.ny(), grid.nx()});
        bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
        write_text(folder.path() / name, bytes);
    }
    /// /mask alone, whose attributes tell its nodes.
    void write_alone(const std::string& name, const Grid& grid, const MaskValues& values) const {
        const hdf5::Turn turn;
        hdf5::File file = hdf5::File::create(folder.path() / name, folder.path() / name);
        hdf5::DatasetLayout layout;
        std::vector<double> spacing, origin;
        for (const int axis : {2, 1, 0}) {
            if (axis == 1 && grid.dimensions == 2) continue;
            const auto a = static_cast<std::size_t>(axis);
            layout.extents.push_back(static_cast<hdf5::Extent>(grid.n[a]));
            layout.dimension_labels.emplace_back(1, "xyz"[axis]);
            spacing.push_back(grid.spacing_m[a]);
            origin.push_back(grid.origin_m[a]);
        }
        hdf5::Dataset mask = file.create_dataset("mask", hdf5::Element::float32, layout);
        mask.set_texts("axis_labels", layout.dimension_labels);
        mask.set_numbers("spacing", spacing);
        mask.set_numbers("origin", origin);
        mask.write_all<float>(values);
        mask.close();
        file.close();
    }
    /// /mask in a model file.
    void write_beside_vp(const std::string& name, const Grid& grid, const MaskValues& values) const {
        const auto plane_of = [&grid](const MaskValues& all) {
            return [&grid, &all](std::int64_t z, std::span<float> plane) {
                std::copy_n(all.begin() + grid.at(0, 0, z), plane.size(), plane.begin());
            };
        };
        const MaskValues vp(values.size(), 2000.F);
        write_model_file(folder.path() / name, {grid.dimensions, grid.n, grid.spacing_m, grid.origin_m}, plane_of(vp),
                         "test", true, {{{"mask", {{""}}, 0., 1.}, plane_of(values)}});
    }
    /// How a mask is refused.
    std::string refusal(const Grid& grid, const std::string& file, ExitCode code) const {
        try {
            static_cast<void>(step_mask(config_on(grid, file), grid));
        } catch (const Error& error) {
            CHECK(error.code() == code);
            return error.what();
        }
        return "";
    }
    TemporaryFolder folder;
};

void check_parts(const std::string& text, const std::vector<std::string>& parts) {
    CAPTURE(text);
    for (const std::string& part : parts) CHECK_MESSAGE(text.find(part) != std::string::npos, part);
}

}  // namespace

TEST_CASE("a mask is what its file has, whichever file that is, and nothing without one") {
    const MaskPlace place;
    for (const Grid& grid : {kMasked2d, kMasked3d}) {
        const MaskValues mask = sloping_mask(grid);
        place.write_array("mask.npy", grid, mask);
        place.write_alone("mask.h5", grid, mask);
        place.write_beside_vp("model.h5", grid, mask);
        for (const char* file : {"mask.npy", "mask.h5", "model.h5"}) {
            CAPTURE(file);
            CHECK(step_mask(place.config_on(grid, file), grid) == mask);
        }
        Config none = place.config_on(grid, "mask.h5");
        none.inversion->mask.clear();
        CHECK(step_mask(none, grid).empty());
    }
}

TEST_CASE("another grid has a mask by interpolation, and zero between zeros") {
    const MaskPlace place;
    const Grid& grid = kMasked3d;
    place.write_array("mask.npy", grid, sloping_mask(grid));
    const Config config = place.config_on(grid, "mask.npy");
    const Grid finer{3, {13, 5, 7}, {10. / 3., 10., 5.}, grid.origin_m};
    const Grid coarser{3, {3, 2, 4}, {20., 40., 10.}, grid.origin_m};
    for (const Grid& other : {finer, coarser}) {
        const MaskValues mask = step_mask(config, other);
        REQUIRE(std::ssize(mask) == other.points());
        for (std::int64_t i = 0; i < other.points(); ++i) {
            const double x_m = static_cast<double>(other.node(i)[0]) * other.spacing_m[0];
            const float found = mask[static_cast<std::size_t>(i)];
            CHECK(std::abs(double(found) - std::max(x_m - 20., 0.) / 20.) <= 1e-6);
            if (x_m <= 20.) CHECK(found == 0.F);
            CHECK(found <= 1.F);
        }
    }
}

TEST_CASE("masks on other nodes, and numbers that are none, are refused by name") {
    const MaskPlace place;
    const Grid& grid = kMasked2d;
    const MaskValues mask = sloping_mask(grid);
    for (const auto& [value, shown] : std::vector<std::pair<float, std::string>>{
             {std::numeric_limits<float>::quiet_NaN(), "nan"}, {1.5F, "1.5"}, {-0.25F, "-0.25"}}) {
        MaskValues wrong = mask;
        wrong[9 * 2 + 4] = value;
        place.write_array("wrong.npy", grid, wrong);
        place.write_alone("wrong.h5", grid, wrong);
        for (const std::string file : {"wrong.npy", "wrong.h5"})
            check_parts(place.refusal(grid, file, ExitCode::bad_data),
                        {file, "mask(ix = 4, iz = 2) at (x = 10 m, z = 80 m) = " + shown, "from 0 to 1"});
    }

    Grid moved = grid, longer = grid;
    moved.origin_m[0] += 1.;
    longer.n[0] += 1;
    place.write_alone("moved.h5", moved, mask);
    check_parts(place.refusal(grid, "moved.h5", ExitCode::config),
                {"inversion.mask", "moved.h5", "origin [-29, 40]", "origin [-30, 40]"});
    place.write_array("longer.npy", longer, sloping_mask(longer));
    check_parts(place.refusal(grid, "longer.npy", ExitCode::config),
                {"inversion.mask", "longer.npy", "(5, 10)", "(5, 9), [z][x]"});
    place.write_alone("longer.h5", longer, sloping_mask(longer));
    check_parts(place.refusal(grid, "longer.h5", ExitCode::config),
                {"inversion.mask", "longer.h5", "shape [10, 5]", "shape [9, 5]"});
    place.write_array("box.npy", kMasked3d, sloping_mask(kMasked3d));
    check_parts(place.refusal(grid, "box.npy", ExitCode::config), {"box.npy", "(7, 3, 5)", "(5, 9), [z][x]"});
    write_text(place.folder.path() / "mask.txt", "0 1 1\n");
    check_parts(place.refusal(grid, "mask.txt", ExitCode::bad_data), {"mask.txt"});
}
