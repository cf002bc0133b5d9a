// Raw binary and Madagascar RSF models arrive as [z][y][x] in m/s, whatever their order, type and endianness; what does
// not fit is refused by name.
// Takes less than a second.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <doctest/doctest.h>
#include <fstream>
#include <functional>

#include "io/models/foreign_model.hpp"
#include "io/models/model_file.hpp"
#include "io/models/plane_grid.hpp"
#include "tests/io/files_support.hpp"

using namespace onda;

namespace {

using Path = std::filesystem::path;
using Triple = std::array<std::int64_t, 3>;

/// [m/s], different at every node; exact as float, also after division and multiplication by 1000 to 1e-3.
[[nodiscard]] double velocity_at(const Triple& at) {
    return static_cast<double>(1500 + at[0] + 10 * at[1] + 50 * at[2]);
}

constexpr Triple shape_3d{7, 4, 5}, shape_2d{7, 1, 5};

/// The numbers of a model in any order of axes, slowest first, each written by `put`.
void for_each_node(const Triple& shape, const std::string& axes, const std::function<void(double)>& put) {
    Triple at{0, 0, 0};
    const auto loop = [&](auto&& self, std::size_t depth) -> void {
        if (depth == axes.size()) return put(velocity_at(at));
        auto& index = at[static_cast<std::size_t>(axes[depth] - 'x')];
        for (index = 0; index < shape[static_cast<std::size_t>(axes[depth] - 'x')]; ++index) self(self, depth + 1);
    };
    loop(loop, 0);
}

template <class Float>
std::string binary(const Triple& shape, const std::string& axes, bool big_endian, double unit = 1.) {
    std::string bytes;
    for_each_node(shape, axes, [&](double vp) {
        const auto value = static_cast<Float>(vp / unit);
        char raw[sizeof value];
        std::memcpy(raw, &value, sizeof value);
        if (big_endian != (std::endian::native == std::endian::big)) std::reverse(raw, raw + sizeof raw);
        bytes.append(raw, sizeof raw);
    });
    return bytes;
}

Path write_bytes(const Path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
}

double worst_in_format(const ForeignModel& model) {
    const auto [nx, ny, nz] = model.geometry.shape;
    double worst = 0.;
    std::vector<float> plane(static_cast<std::size_t>(nx * ny));
    for (std::int64_t z = 0; z < nz; ++z) {
        model.plane(z, plane);
        for (std::int64_t y = 0; y < ny; ++y)
            for (std::int64_t x = 0; x < nx; ++x)
                worst = std::max(worst, std::abs(static_cast<double>(plane[static_cast<std::size_t>(y * nx + x)]) -
                                                 velocity_at({x, y, z})));
    }
    return worst;
}

ForeignOptions raw_options(const std::string& axes) {
    ForeignOptions options;
    options.shape = axes.size() == 2 ? std::vector<std::int64_t>{7, 5} : std::vector<std::int64_t>{7, 4, 5};
    options.axes = axes;
    options.spacing_m = {12.5};
    return options;
}

const std::string header_2d = "n1=5 n2=7 d1=10 d2=20\n";

}  // namespace

TEST_CASE("raw: every order of axes, float32 and float64, both endiannesses, with and without a header") {
    const TemporaryFolder folder;
    for (const std::string axes : {"xz", "zx", "xyz", "xzy", "yxz", "yzx", "zxy", "zyx"}) {
        CAPTURE(axes);
        const auto& shape = axes.size() == 2 ? shape_2d : shape_3d;
        auto options = raw_options(axes);
        options.origin_m = axes.size() == 2 ? std::vector{1., 3.} : std::vector{1., 2., 3.};
        for (const bool big : {false, true}) {
            options.endian = big ? "big" : "little";
            options.dtype = "float32";
            options.header_bytes = 0;
            auto model = read_raw_model(write_bytes(folder.path() / "a.f32", binary<float>(shape, axes, big)), options);
            CHECK(worst_in_format(model) == 0.);
            CHECK(model.geometry.shape == shape);
            CHECK(model.geometry.spacing_m[2] == 12.5);
            CHECK(model.geometry.origin_m == (axes.size() == 2 ? std::array{1., 0., 3.} : std::array{1., 2., 3.}));
            options.dtype = "float64";
            options.units = "km/s";
            options.header_bytes = 13;
            const auto bytes = std::string(13, 'h') + binary<double>(shape, axes, big, 1000.);
            model = read_raw_model(write_bytes(folder.path() / "a.f64", bytes), options);
            CHECK(worst_in_format(model) <= 1e-3);
            options.units.clear();
        }
    }
}

TEST_CASE("raw: what does not fit is refused") {
    const TemporaryFolder folder;
    const auto path = write_bytes(folder.path() / "a.f32", binary<float>(shape_2d, "xz", false));
    auto options = raw_options("xz");
    options.shape = {7, 6};
    auto fault = fault_of([&] { read_raw_model(path, options); });
    CHECK(fault.code() == ExitCode::bad_data);
    CHECK(contains(fault.what(), "a.f32: has 140 bytes; 42 nodes of float32 need 168"));
    options.shape = {std::int64_t{1} << 40, std::int64_t{1} << 40};
    CHECK(contains(fault_of([&] { read_raw_model(path, options); }).what(), "overflows"));
    options.shape = {1LL << 31, 1LL << 31};
    CHECK(contains(fault_of([&] { read_raw_model(path, options); }).what(), "nodes of float32 need"));
    options = raw_options("xz");
    options.axes = "xy";
    CHECK(contains(fault_of([&] { read_raw_model(path, options); }).what(), "--axes xy: must be a permutation of xz"));
    options = raw_options("xz");
    options.spacing_m = {1., 2., 3.};
    CHECK(contains(fault_of([&] { read_raw_model(path, options); }).what(), "--spacing-m: 3 numbers given"));
    options.spacing_m = {0.};
    CHECK(contains(fault_of([&] { read_raw_model(path, options); }).what(), "must be positive"));
    options = raw_options("xz");
    options.dtype = "int16";
    CHECK(contains(fault_of([&] { read_raw_model(path, options); }).what(), "--dtype int16: must be float32"));
    CHECK(fault_of([&] { read_raw_model(folder.path() / "b", raw_options("xz")); }).code() == ExitCode::missing_input);
    CHECK(fault_of([&] { read_raw_model(folder.path(), raw_options("xz")); }).code() == ExitCode::missing_input);

    const auto km = write_bytes(folder.path() / "km.f32", binary<float>(shape_2d, "xz", false, 1000.));
    fault = fault_of([&] { worst_in_format(read_raw_model(km, raw_options("xz"))); });
    CHECK(fault.code() == ExitCode::bad_data);
    CHECK(contains(fault.what(),
                   "km.f32: vp(ix = 0, iz = 0) at (x = 0 m, z = 0 m) = 1.5 m/s: looks like km/s; if so, "
                   "give --units km/s"));
    const auto big = write_bytes(folder.path() / "big.f32", binary<float>(shape_2d, "xz", true));
    fault = fault_of([&] { read_raw_model(big, raw_options("xz")); });
    CHECK(fault.code() == ExitCode::bad_data);
    CHECK(fault.what() ==
          big.string() +
              ": its values are not plausible velocities; in the other order of bytes the first is 1500: "
              "give --endian big");
    options = raw_options("xz");
    options.endian = "big";
    CHECK(contains(fault_of([&] { read_raw_model(path, options); }).what(),
                   "in the other order of bytes the first is 1500: give --endian little"));
    // Absurd in either order: the value itself is named.
    const auto zeros = write_bytes(folder.path() / "zeros.f32", std::string(140, '\0'));
    CHECK(contains(fault_of([&] { worst_in_format(read_raw_model(zeros, raw_options("xz"))); }).what(),
                   "zeros.f32: vp(ix = 0, iz = 0) at (x = 0 m, z = 0 m) = 0 m/s: must be finite and positive"));
}

TEST_CASE("rsf: numbers beside the header, behind it, as text, in XDR; the last value of a key wins") {
    const TemporaryFolder folder;
    const auto rsf = [&](const std::string& text) { return write_bytes(folder.path() / "a.rsf", text); };
    write_bytes(folder.path() / "a.rsf@", binary<float>(shape_2d, "xz", std::endian::native == std::endian::big));
    auto model = read_rsf_model(rsf("sfmath\tuser@host: today\n\tn1=99\n" + header_2d +
                                    "\n\to2=300 label1=\"Depth (m)\" unit1='m' label2=Distance unit2=m unit=\"m/s\"\n"
                                    "\tdata_format=\"native_float\" esize=4 in=\"b.rsf@\"\nn1=5 in=\"a.rsf@\"\n"),
                                {});
    CHECK(worst_in_format(model) == 0.);
    CHECK(model.axes == "xz");
    CHECK(model.geometry.shape == shape_2d);
    CHECK(model.geometry.spacing_m == std::array{20., 1., 10.});
    CHECK(model.geometry.origin_m == std::array{300., 0., 0.});

    const auto xdr = binary<float>(shape_2d, "xz", true);
    model = read_rsf_model(rsf(header_2d + "data_format=xdr_float in=\"stdin\"\n\x0c\x0c\x04" + xdr), {});
    CHECK(worst_in_format(model) == 0.);

    std::string text = header_2d + "data_format=ascii_float unit=km/s in=stdin esize=0\n\x0c\x0c\x04";
    for_each_node(shape_2d, "xz", [&](double vp) { text += std::to_string(vp / 1000.) + "\n"; });
    CHECK(worst_in_format(read_rsf_model(rsf(text), {})) <= 1e-3);

    write_bytes(folder.path() / "c.dat", binary<double>(shape_3d, "zyx", std::endian::native == std::endian::big));
    const std::string cube =
        "n1=7 n2=4 n3=5 n4=1 d1=0.01 d2=0.02 d3=0.03 o3=-1 unit1=km unit2=km unit3=KM "
        "label1=X label2=Y label3=Z esize=8 data_format=native_double in=c.dat";
    model = read_rsf_model(rsf(cube), {});
    CHECK(worst_in_format(model) == 0.);
    CHECK(model.axes == "zyx");
    CHECK(model.geometry.spacing_m == std::array{10., 20., 30.});
    CHECK(model.geometry.origin_m == std::array{0., 0., -1000.});
    ForeignOptions options;
    options.spacing_m = {5.};
    options.origin_m = {1., 2., 3.};
    options.axes = "zyx";
    model = read_rsf_model(rsf(cube + " label1=? unit1=furlong"), options);
    CHECK(model.geometry.spacing_m == std::array{5., 5., 30.});  // one number is of x and y
    CHECK(model.geometry.origin_m == std::array{1., 2., 3.});
    CHECK(worst_in_format(model) == 0.);
}

TEST_CASE("rsf: depth is the fastest axis where no label says otherwise") {
    const TemporaryFolder folder;
    const auto data = binary<float>(shape_3d, "yxz", true);
    const auto path = write_bytes(folder.path() / "a.rsf",
                                  "n1=5 n2=7 n3=4 d1=1 d2=2 d3=3 data_format=xdr_float in=stdin \x0c\x0c\x04" + data);
    const auto model = read_rsf_model(path, {});
    CHECK(worst_in_format(model) == 0.);
    CHECK(model.geometry.spacing_m == std::array{2., 3., 1.});
}

TEST_CASE("rsf: faults name file, line, key and value") {
    const TemporaryFolder folder;
    write_bytes(folder.path() / "d", binary<float>(shape_2d, "xz", std::endian::native == std::endian::big));
    struct Row {
        std::string header, message;
    };
    for (const auto& row : {
             Row{"n1=5 d1=1 d2=1 in=d", "n2: is missing"},
             Row{"n1=five n2=7 d1=1 d2=1 in=d", "a.rsf:1: n1 = 'five': must be a positive whole number"},
             Row{"n1=5 n2=7\nd1=1 d2=-1 in=d", "a.rsf:2: d2 = '-1': must be positive"},
             Row{"n1=5 n2=7 d1=1 in=d", "d2: is missing; give --spacing-m"},
             Row{"n1=5 n2=0 d1=1 d2=1 in=d", "n2 = '0'"},
             Row{"n1=5 n2=7 n3=2 n4=3 n5=2 d1=1 d2=1 in=d", "n4 = '3': a fourth axis"},
             Row{"n1=5 n2=7 d1=1 d2=1", "in: is missing"},
             Row{"n1=5 n2=7 d1=1 d2=1 in=nowhere", "in = 'nowhere': no such file"},
             Row{"n1=5 n2=7 d1=1 d2=1 in=/etc/os-release", "lies outside the header's folder"},
             Row{"n1=5 n2=7 d1=1 d2=1 in=../../etc/os-release", "lies outside the header's folder"},
             Row{"n1=5 n2=7 d1=1 d2=1 in=link", "lies outside the header's folder"},
             Row{"n1=5 n2=8 d1=1 d2=1 in=d", "d: has 140 bytes; 40 nodes of float32 need 160"},
             Row{"n1=5 n2=7 d1=1 d2=1 in=d data_format=native_complex", "data_format = 'native_complex': must be"},
             Row{"n1=5 n2=7 d1=1 d2=1 in=d esize=8", "esize = '8': does not fit native_float"},
             Row{"n1=5 n2=7 d1=1 d2=1 in=d unit=km/sec", "a.rsf: unit = 'km/sec': must be m/s or km/s"},
             Row{"n1=5 n2=7 d1=1 d2=1 in=d unit1=s", "unit1 = 's': must be m, km, cm, mm or ft"},
             Row{"n1=5 n2=7 d1=1 d2=1 in=d label1=Time label2=X", "label1 = 'Time': does not tell which axis"},
             Row{"n1=5 n2=7 d1=1 d2=1 in=d label1=X label2=X", "label2 = 'X': does not tell which axis"},
             Row{"n1=5 n2=7 d1=1 d2=1 in=\"d", "a.rsf:1: in: its quote is not closed"},
             Row{"n1=5 n2=7 d1=1 d2=1 data_format=ascii_float in=text", "number 3 is 'x'"},
             Row{std::string(std::size_t{1} << 21, ' '), "longer than 1 MiB"},
             Row{"n1=1000000000 n2=9000000000000 d1=1 d2=1 in=d", "overflows"},
         }) {
        std::error_code ignored;
        std::filesystem::create_symlink("/etc/os-release", folder.path() / "link", ignored);
        write_bytes(folder.path() / "text", "1 2 x " + std::string(100, '4'));
        const auto path = write_bytes(folder.path() / "a.rsf", row.header);
        const auto fault = fault_of([&] { read_rsf_model(path, {}); });
        const std::string message = fault.what();
        CAPTURE(message);
        CHECK(fault.code() == ExitCode::bad_data);
        CHECK(contains(message, row.message));
    }
    ForeignOptions options;
    options.data_file = folder.path() / "d";
    const auto path = write_bytes(folder.path() / "a.rsf", "n1=5 n2=7 d1=1 d2=1 in=/var/tmp/elsewhere.rsf@");
    CHECK(worst_in_format(read_rsf_model(path, options)) == 0.);
}

TEST_CASE("coordinates in whole metres give spacings of whole metres back, however few traces there are") {
    for (std::int64_t columns = 1; columns <= 6; ++columns)
        for (std::int64_t rows = 1; rows <= 3; ++rows)
            for (std::int64_t metres = 1; metres <= 250; ++metres) {
                std::vector<PlanePoint> coordinates_m;
                for (std::int64_t row = 0; row < rows; ++row)
                    for (std::int64_t column = 0; column < columns; ++column)
                        coordinates_m.push_back({431'234. + double(column * metres), 700. + double(row * 101)});
                const PlanePoint found_m = fit_plane_grid(coordinates_m, columns, rows, 1.).spacing_m();
                CAPTURE(columns);
                CAPTURE(rows);
                CAPTURE(metres);
                CHECK(found_m[0] == (columns > 1 ? double(metres) : 0.));
                CHECK(found_m[1] == (rows > 1 ? 101. : 0.));
            }
}
