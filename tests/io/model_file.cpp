// A model comes back as [z][y][x] in m/s whatever the order of its axes, its number type and its units.
// Takes 2 s.
#include "io/models/model_file.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <limits>

#include "io/hdf5/hdf5.hpp"
#include "io/models/unit_names.hpp"
#include "tests/io/files_support.hpp"

using namespace onda;

namespace {

using Triple = std::array<std::int64_t, 3>;

/// Different at every node; exact as float.
float vp_at(std::int64_t x, std::int64_t y, std::int64_t z) {
    return static_cast<float>(1000 + x + 37 * y + 259 * z);
}

struct AxisOrder {
    std::vector<std::string> labels;
    std::vector<std::size_t> axes;
};

const std::vector<AxisOrder> orders{
    {{"z", "y", "x"}, {2, 1, 0}}, {{"z", "x", "y"}, {2, 0, 1}}, {{"y", "z", "x"}, {1, 2, 0}},
    {{"y", "x", "z"}, {1, 0, 2}}, {{"x", "z", "y"}, {0, 2, 1}}, {{"x", "y", "z"}, {0, 1, 2}},
    {{"z", "x"}, {2, 0}},         {{"x", "z"}, {0, 2}},
};

const std::array<double, 3> spacing{10., 12.5, 5.}, origin{100., -50., 0.25};

Triple shape_of(const AxisOrder& order) {
    return {37, order.axes.size() == 2 ? 1 : 7, 70};
}

/// As another program would write it: in its own order, by default in km/s and as doubles.
template <class T>
void write_foreign(const std::filesystem::path& path, const AxisOrder& order, const std::string& units, double scale) {
    const auto shape = shape_of(order);
    hdf5::DatasetLayout layout;
    std::vector<double> spacings, origins;
    for (const auto axis : order.axes) {
        layout.extents.push_back(static_cast<hdf5::Extent>(shape[axis]));
        layout.chunk.push_back(9);
        spacings.push_back(spacing[axis]);
        origins.push_back(origin[axis]);
    }
    std::vector<T> values;
    Triple at{0, 0, 0};
    const auto last = order.axes.size() - 1;
    const auto loop = [&](auto&& self, std::size_t dimension) -> void {
        for (at[order.axes[dimension]] = 0; at[order.axes[dimension]] < shape[order.axes[dimension]];
             ++at[order.axes[dimension]])
            if (dimension < last)
                self(self, dimension + 1);
            else
                values.push_back(static_cast<T>(static_cast<double>(vp_at(at[0], at[1], at[2])) * scale));
    };
    loop(loop, 0);
    auto file = hdf5::File::create(path, path);
    auto vp = file.create_dataset("vp", hdf5::element_of<T>(), layout);
    vp.set_text("units", units);
    vp.set_texts("axis_labels", order.labels);
    vp.set_numbers("spacing", spacings);
    vp.set_numbers("origin", origins);
    vp.template write_all<T>(values);
    vp.close();
    file.close();
}

double worst_difference(const ModelFile& model, const Triple& first, const Triple& count) {
    std::vector<float> vp(static_cast<std::size_t>(count[0] * count[1] * count[2]), -1.f);
    model.read(first, count, vp);
    double worst = 0.;
    std::size_t n = 0;
    for (std::int64_t z = 0; z < count[2]; ++z)
        for (std::int64_t y = 0; y < count[1]; ++y)
            for (std::int64_t x = 0; x < count[0]; ++x, ++n)
                worst = std::max(
                    worst, std::abs(static_cast<double>(vp[n] - vp_at(first[0] + x, first[1] + y, first[2] + z))));
    return worst;
}

FileGeometry small_geometry(int dimensions) {
    return {dimensions, {70, dimensions == 2 ? 1 : 3, 66}, spacing, {origin[0], dimensions == 2 ? 0. : origin[1], 3.}};
}

void fill(std::int64_t z, std::span<float> plane) {
    for (std::size_t n = 0; n < plane.size(); ++n)
        plane[n] = vp_at(static_cast<std::int64_t>(n) % 70, static_cast<std::int64_t>(n) / 70, z);
}

}  // namespace

TEST_CASE("any order of axes, floats, doubles or integers, m/s or km/s") {
    const TemporaryFolder folder;
    for (const auto& order : orders) {
        const auto labels = order.labels.front() + order.labels[1] + order.labels.back();
        CAPTURE(labels);
        const auto metres = folder.path() / "m.h5", kilometres = folder.path() / "km.h5",
                   whole = folder.path() / "i.h5";
        write_foreign<float>(metres, order, "m/s", 1.);
        write_foreign<double>(kilometres, order, "km/s", 1e-3);
        write_foreign<std::int32_t>(whole, order, "m/s", 1.);
        const auto shape = shape_of(order);
        for (const auto& path : {metres, kilometres, whole}) {
            CAPTURE(path);
            const ModelFile model(path);
            const auto& geometry = model.geometry();
            CHECK(geometry.dimensions == static_cast<int>(order.labels.size()));
            CHECK(geometry.shape == shape);
            CHECK(geometry.spacing_m[0] == spacing[0]);
            CHECK(geometry.spacing_m[2] == spacing[2]);
            CHECK(geometry.origin_m[2] == origin[2]);
            if (geometry.dimensions == 3) CHECK(geometry.spacing_m[1] == spacing[1]);
            const double rounding = path == kilometres ? 0.004 : 0.;  // a float's spacing near 40,000 m/s
            CHECK(worst_difference(model, {0, 0, 0}, shape) <= rounding);
            CHECK(worst_difference(model, {5, shape[1] / 2, 11}, {20, shape[1] - shape[1] / 2, 48}) <= rounding);
            CHECK(worst_difference(model, {36, 0, 69}, {1, 1, 1}) <= rounding);
        }
    }
}

TEST_CASE("other spellings of a unit are that unit, and nothing else is") {
    for (const char* unit : {"m/s", "m s-1", "m.s-1", "m s^-1", "m s**-1", "m*s^-1", "m \xc2\xb7 s-1"}) {
        CAPTURE(unit);
        CHECK(plain_unit(unit) == "m/s");
    }
    CHECK(plain_unit("km s-1") == "km/s");
    CHECK(plain_unit("kg m-3") == "kg/m3");
    CHECK(plain_unit("kg.m^-3") == "kg/m3");
    CHECK(plain_unit("kg/m^3") == "kg/m3");
    CHECK(plain_unit("g cm-3") == "g/cm3");
    for (const char* other : {"", "m", "m-1", "m s", "m s-", "s-1 m", "m s-1 x", "ft/s", "-1"})
        CHECK(plain_unit(other) == other);

    const TemporaryFolder folder;
    const auto path = folder.path() / "m.h5";
    write_foreign<float>(path, orders.front(), "m s-1", 1.);
    CHECK(worst_difference(ModelFile(path), {0, 0, 0}, shape_of(orders.front())) == 0.);
    write_foreign<float>(path, orders.front(), "ft s-1", 1.);
    CHECK(fault_of([&] { ModelFile{path}; }).what() ==
          path.string() + ": /vp: attribute units = 'ft s-1': must be m/s or km/s");
}

TEST_CASE("a model without /vp is answered with what it has") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "m.h5";
    {
        auto file = hdf5::File::create(path, path);
        file.create_dataset("velocity", hdf5::Element::float32, {{3, 4}, {}, {}}).close();
        file.create_dataset("depth", hdf5::Element::float32, {{3}, {}, {}}).close();
        file.close();
    }
    CHECK(fault_of([&] { ModelFile{path}; }).what() ==
          path.string() + ": has no dataset vp; there are depth, velocity");
}

TEST_CASE("a model whose datasets lie in groups is answered with their paths") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "m.h5";
    const auto answer = [&](auto&& fill) {
        {
            auto file = hdf5::File::create(path, path);
            fill(file);
            file.close();
        }
        return std::string(fault_of([&] { ModelFile{path}; }).what()).substr(path.string().size());
    };
    const auto add = [](hdf5::Group& group, const std::string& name) {
        group.create_dataset(name, hdf5::Element::float32, {{3, 4}, {}, {}}).close();
    };
    CHECK(answer([&](hdf5::File& file) {
              auto model = file.create_group("model");
              add(model, "vp");
              model.close();
          }) == ": has no dataset vp; there is model/vp");
    CHECK(answer([&](hdf5::File& file) {
              add(file, "depth");
              auto model = file.create_group("model");
              auto rock = model.create_group("rock");
              add(rock, "rho");
              add(rock, "velocity");
              rock.close();
              model.create_group("empty").close();
              model.close();
          }) == ": has no dataset vp; there are depth, model/empty/, model/rock/rho, model/rock/velocity");
    // Too many to be named: the group alone is.
    CHECK(answer([&](hdf5::File& file) {
              auto shots = file.create_group("shots");
              for (int i = 10; i < 20; ++i) add(shots, std::to_string(i));
              shots.close();
          }) == ": has no dataset vp; there is shots/");
}

TEST_CASE("parts of any size, down to a few values of a chunk, make the same box") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "m.h5";
    for (const auto& order : orders) {
        write_foreign<float>(path, order, "m/s", 1.);
        const auto shape = shape_of(order);
        for (const std::size_t window_bytes : {256, 1000, 4096, 40'000}) {
            CAPTURE(window_bytes);
            sandbox::Limits limits;
            limits.window_bytes = window_bytes;
            const ModelFile model(path, limits);
            CHECK(worst_difference(model, {0, 0, 0}, shape) == 0.);
            CHECK(worst_difference(model, {5, shape[1] / 2, 11}, {20, shape[1] - shape[1] / 2, 48}) == 0.);
        }
    }
}

TEST_CASE("slabs that end on chunks cover a transposed model larger than one slab") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "large.h5";
    const hdf5::Extent nx = 9000, nz = 1100;  // 9.9 M values: more than one slab of the reader
    {
        auto file = hdf5::File::create(path, path);
        auto vp = file.create_dataset("vp", hdf5::Element::float32, {{nx, nz}, {100, 1100}, {}});
        vp.set_text("units", "m/s");
        vp.set_texts("axis_labels", {"x", "z"});
        vp.set_numbers("spacing", std::vector{1., 1.});
        vp.set_numbers("origin", std::vector{0., 0.});
        std::vector<float> values(nx * nz);
        for (std::size_t n = 0; n < values.size(); ++n)
            values[n] = static_cast<float>(2000 + n / nz) + static_cast<float>(n % nz) / 2048.f;
        vp.write_all<float>(values);
        vp.close();
        file.close();
    }
    const ModelFile model(path);
    std::vector<float> vp(8990 * 1100);
    model.read({7, 0, 0}, {8990, 1, 1100}, vp);
    std::size_t wrong = 0;
    for (std::size_t n = 0; n < vp.size(); ++n)
        wrong += vp[n] != static_cast<float>(2007 + n % 8990) + static_cast<float>(n / 8990) / 2048.f;
    CHECK(wrong == 0);
}

TEST_CASE("what is written is read back, with its range") {
    const TemporaryFolder folder;
    for (const int dimensions : {2, 3}) {
        CAPTURE(dimensions);
        const auto path = folder.path() / (std::to_string(dimensions) + ".h5");
        const auto geometry = small_geometry(dimensions);
        const auto range = write_model_file(path, geometry, fill, "test", false);
        const ModelFile model(path);
        CHECK(model.geometry().shape == geometry.shape);
        CHECK(model.geometry().origin_m == geometry.origin_m);
        CHECK(model.geometry().spacing_m[2] == geometry.spacing_m[2]);
        CHECK(worst_difference(model, {0, 0, 0}, geometry.shape) == 0.);
        CHECK(range == std::array{1000., static_cast<double>(vp_at(69, dimensions == 2 ? 0 : 2, 65))});
        CHECK(model.stored_range() == range);
        CHECK(fault_of([&] { write_model_file(path, geometry, fill, "", false); }).code() == ExitCode::cannot_create);
    }
}

TEST_CASE("values no rock has are refused with index and position") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "bad.h5";
    const auto geometry = small_geometry(3);
    const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
    struct Row {
        float value;
        const char* message;
    };
    for (const auto& row :
         {Row{nan, "= nan m/s: must be finite and positive"}, Row{infinity, "= inf m/s: must be finite"},
          Row{0.f, "= 0 m/s: must be finite and positive"}, Row{-1500.f, "must be finite and positive"},
          Row{1.5f, "= 1.5 m/s: looks like km/s"}, Row{40000.f, "between 50 and 30000 m/s"}}) {
        const auto fault = fault_of([&] {
            write_model_file(
                path, geometry,
                [&](std::int64_t z, std::span<float> plane) {
                    fill(z, plane);
                    if (z == 65) plane[70 * 2 + 4] = row.value;
                },
                "", false);
        });
        const std::string message = fault.what();
        CAPTURE(message);
        CHECK(fault.code() == ExitCode::bad_data);
        CHECK(contains(fault.what(), "vp(ix = 4, iy = 2, iz = 65) at (x = 140 m, y = -25 m, z = 328 m)"));
        CHECK(contains(fault.what(), row.message));
        CHECK_FALSE(std::filesystem::exists(path));
    }
    CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("km/s called m/s is caught when reading, and m/s called km/s too") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "m.h5";
    std::vector<float> vp(37 * 7 * 70);
    write_foreign<float>(path, orders[3], "m/s", 1e-3);
    auto fault = fault_of([&] { ModelFile(path).read({0, 0, 0}, {37, 7, 70}, vp); });
    CHECK(fault.code() == ExitCode::bad_data);
    CHECK(
        contains(fault.what(), "m.h5: /vp: vp(ix = 0, iy = 0, iz = 0) at (x = 100 m, y = -50 m, z = 0.25 m) = 1 m/s"));
    CHECK(contains(fault.what(), "looks like km/s; if so, set the attribute units to km/s"));
    write_foreign<float>(path, orders[3], "km/s", 1.);
    fault = fault_of([&] { ModelFile(path).read({1, 0, 0}, {36, 7, 70}, vp = std::vector<float>(36 * 7 * 70)); });
    CHECK(contains(fault.what(), "vp(ix = 1, iy = 0, iz = 0)"));
    CHECK(contains(fault.what(), "= 1001 km/s: looks like m/s"));
}

namespace {

const Quantity kDensity{"rho", {{"kg/m3"}, {"g/cm3", 1000.}}, 1e-3, 50'000.};

/// Where a density says that its nodes are.
struct Places {
    std::vector<double> spacing{10., 10.}, origin{0., 0.};
};

/// A 2-D model of 3 x 4 nodes with a density as another program would write it.
ModelFile with_density(const TemporaryFolder& folder, const std::string& units, const std::vector<std::string>& labels,
                       hdf5::Extent nx, float value, const Places& places = {}) {
    const auto path = folder.path() / "rho.h5";
    std::filesystem::remove(path);
    auto file = hdf5::File::create(path, path);
    const auto add = [&](const std::string& name, const std::string& unit, const std::vector<std::string>& axes,
                         hdf5::Extent columns, float all, const Places& at) {
        hdf5::DatasetLayout layout;
        layout.extents = {4, columns};
        auto dataset = file.create_dataset(name, hdf5::Element::float32, layout);
        if (!unit.empty()) dataset.set_text("units", unit);
        dataset.set_texts("axis_labels", axes);
        if (!at.spacing.empty()) dataset.set_numbers("spacing", at.spacing);
        if (!at.origin.empty()) dataset.set_numbers("origin", at.origin);
        dataset.write_all<float>(std::vector<float>(4 * columns, all));
        dataset.close();
    };
    add("vp", "m/s", {"z", "x"}, 3, 2000.f, {});
    add("rho", units, labels, nx, value, places);
    file.close();
    return ModelFile(path);
}

}  // namespace

TEST_CASE("a density is read in kg/m3; one of another shape, order, unit or value is refused") {
    const TemporaryFolder folder;
    const auto read = [](const ModelFile& model) {
        std::vector<float> rho(12);
        model.read(kDensity, {0, 0, 0}, {3, 1, 4}, rho);
        return rho;
    };
    const std::vector<std::string> zx{"z", "x"};
    CHECK(read(with_density(folder, "g/cm3", zx, 3, 2.5f)) == std::vector<float>(12, 2500.f));
    CHECK(read(with_density(folder, "kg/m3", zx, 3, 2500.f)) == std::vector<float>(12, 2500.f));
    const auto refusal = [&](const std::string& units, const std::vector<std::string>& labels, hdf5::Extent nx,
                             float value) {
        return message_of([&] { read(with_density(folder, units, labels, nx, value)); }, ExitCode::bad_data);
    };
    CHECK(contains(refusal("", zx, 3, 2500.f), "has no attribute units"));
    CHECK(contains(refusal("lb/ft3", zx, 3, 2500.f), "must be kg/m3 or g/cm3"));
    CHECK(contains(refusal("kg/m3", zx, 5, 2500.f), "has another shape than /vp"));
    CHECK(contains(refusal("kg/m3", {"x", "z"}, 3, 2500.f), "must be that of /vp"));
    CHECK(contains(refusal("kg/m3", zx, 3, -1.f), "rho(ix = 0, iz = 0)"));
    CHECK(contains(refusal("kg/m3", zx, 3, std::nanf("")), "must be finite and positive"));
}

TEST_CASE("a density on other nodes than those of vp is refused; it need not name them") {
    const TemporaryFolder folder;
    const auto verdict = [&](const Places& places) {
        return message_of(
            [&] {
                static_cast<void>(with_density(folder, "kg/m3", {"z", "x"}, 3, 2500.f, places).has(kDensity));
            },
            ExitCode::bad_data);
    };
    for (const Places& same : {Places{}, Places{{}, {}}, Places{{10., 10.0001}, {0., 0.005}}})
        CHECK(verdict(same) == "no error");
    CHECK(
        contains(verdict({{10., 20.}, {0., 0.}}), "/rho: attribute spacing = [10, 20]: must be that of /vp, [10, 10]"));
    CHECK(
        contains(verdict({{10., 10.}, {100., 0.}}), "/rho: attribute origin = [100, 0]: must be that of /vp, [0, 0]"));
    CHECK(contains(verdict({{10.}, {0., 0.}}), "attribute spacing = [10]: must be"));
    CHECK(contains(verdict({{10., 10.}, {0., std::nan("")}}), "must be that of /vp"));
}

TEST_CASE("a density is looked at once it is asked for") {
    const TemporaryFolder folder;
    const ModelFile model = with_density(folder, "", {"z", "x"}, 5, -1.f);
    std::vector<float> vp(12);
    model.read({0, 0, 0}, {3, 1, 4}, vp);
    CHECK(vp == std::vector<float>(12, 2000.f));
    CHECK_THROWS_AS(static_cast<void>(model.has(kDensity)), Error);
}
