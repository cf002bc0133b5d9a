// Sources, receivers and wavelets come in from CSV and HDF5; an error is named with its place and value.
// Takes less than a second.
#include "io/models/points_file.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <fstream>

#include "io/files/file_by_shot.hpp"
#include "io/hdf5/hdf5.hpp"
#include "tests/io/files_support.hpp"

using namespace onda;

namespace {

using Points = std::vector<std::array<double, 3>>;
using Shots = std::vector<std::int64_t>;

class CsvFile {
public:
    explicit CsvFile(const std::string& text) {
        path_ = folder_.path() / "points.csv";
        std::ofstream(path_, std::ios::binary) << text;
    }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    TemporaryFolder folder_;
    std::filesystem::path path_;
};

struct Row {
    std::string text, message;
};

template <class T>
void add(hdf5::File& file, const std::string& name, const hdf5::Extents& extents, const std::vector<T>& values) {
    auto dataset = file.create_dataset(name, hdf5::element_of<T>(), {extents, {}, {}});
    dataset.template write_all<T>(values);
    dataset.close();
}

}  // namespace

TEST_CASE("CSV: columns in any order, units in the name, comments, byte order mark, CRLF") {
    const auto sources = read_sources(CsvFile("\xef\xbb\xbf# made by hand\r\n\r\n z_m , amplitude,x,shot_id , "
                                              "y\r\n5,-2.5,+1e2,7,3\r\n# a comment\r\n 6 , 1,2,7,4 \r\n")
                                          .path());
    CHECK(sources.position_m == Points{{100., 3., 5.}, {2., 4., 6.}});
    CHECK(sources.shot == Shots{7, 7});
    CHECK(sources.line == std::vector{4, 6});
    CHECK(sources.amplitude == std::vector{-2.5, 1.});
}

TEST_CASE("CSV: what is absent has its default") {
    const CsvFile file("x,z\n1,2\n3,4");
    const auto sources = read_sources(file.path());
    CHECK(sources.position_m == Points{{1., 0., 2.}, {3., 0., 4.}});
    CHECK(sources.shot.empty());
    CHECK(sources.line == std::vector{2, 3});
    CHECK(sources.amplitude == std::vector{1., 1.});
    CHECK(read_receivers(file.path()).position_m == sources.position_m);
    CHECK(read_receivers(file.path()).shot.empty());
    CHECK(read_receivers(CsvFile("shot,x,z\n2,3,4\n").path()).shot == Shots{2});
}

TEST_CASE("CSV: faults of points have line and column") {
    for (const auto& row : {
             Row{"x,z\n1,2\n3,abc\n", "points.csv:3:3: z = 'abc': must be a finite number"},
             Row{"x,z\n1,  nan\n", ":2:5: z = 'nan': must be a finite number"},
             Row{"x,z\n1,1e999\n", ":2:3: z = '1e999'"},
             Row{"x,z\n,2\n", ":2:1: x = '': must be a finite number"},
             Row{"x,z\n1 2,3\n", ":2:1: x = '1 2'"},
             Row{"x,z\n0x10,3\n", ":2:1: x = '0x10'"},
             Row{"x,z\n1.5,2,x\n", ":2:7: 3 values for 2 columns"},
             Row{"x,z\n12,5,20\n", ":2:6: 3 values for 2 columns; the decimal sign is a point"},
             Row{"x,z\n-12,5,20,25\n", ":2:10: 4 values for 2 columns; the decimal sign is a point: write -12.5,20.25"},
             Row{"x,z\n\"12,5\",20\n", ":2:8: 3 values for 2 columns; the decimal sign is a point"},
             Row{"x,z\n1\n", ":2:1: 1 value for 2 columns"},
             Row{"x,z,shot\n1,2,0\n", ":2:5: shot = '0': must be a whole number from 1"},
             Row{"x,z,shot\n1,2,1.5\n", ":2:5: shot = '1.5': must be a whole number from 1"},
             Row{"x,y\n1,2\n", ":1:1: no column z"},
             Row{"X,Y,Elevation\n1,2,3\n",
                 "points.csv:1:1: no column x; write x for 'X', y for 'Y', z for 'Elevation' (the depth: minus the "
                 "elevation)"},
             Row{"x,Depth\n1,2\n", ":1:3: no column z; write z for 'Depth'"},
             Row{"x,z,x_m\n1,2,3\n", ":1:5: column x is there twice"},
             Row{"x,z,amplitud\n1,2,3\n", ":1:5: unknown column 'amplitud'; did you mean amplitude?"},
             Row{"x,z,depth_below_sea\n1,2,3\n", "unknown column 'depth_below_sea'; there are x, y (may be absent)"},
             Row{"1,2\n3,4\n", ":1:1: the first line must name the columns: x"},
             Row{"x;z\n1;2\n", ":1:1: 'x;z': columns must be separated by commas"},
             Row{"x,z\n", "points.csv: has no rows"},
             Row{"", "points.csv: has no rows"},
             Row{std::string("x,z\n1,\0", 7), ":2:3: z = '"},
         }) {
        const CsvFile file(row.text);
        const auto fault = fault_of([&] { read_sources(file.path()); });
        const std::string message = fault.what();
        CAPTURE(message);
        CHECK(fault.code() == ExitCode::bad_data);
        CHECK(contains(message, row.message));
    }
    CHECK(fault_of([] { read_sources("nowhere.csv"); }).code() == ExitCode::missing_input);
    CHECK(fault_of([] { read_sources("/"); }).code() == ExitCode::missing_input);
}

TEST_CASE("CSV: receivers keep their names and the other columns of their table") {
    const auto table =
        read_receivers(CsvFile("name, x,z,elevation_m,line, note\nA 1,1,2,-3.5,7,\n0012,3,4,,7, Füße\n").path());
    CHECK(table.position_m == Points{{1., 0., 2.}, {3., 0., 4.}});
    CHECK(table.carried == std::vector<CarriedColumn>{{"name", false, {"A 1", "0012"}},
                                                      {"elevation_m", true, {"-3.5", ""}},
                                                      {"line", true, {"7", "7"}},
                                                      {"note", false, {"", "Füße"}}});
    // Names that look like numbers, and columns without a value, are no numbers.
    for (const char* text : {"x,z,name\n1,2,3\n", "x,z,gain\n1,2,\n"})
        CHECK(!read_receivers(CsvFile(text).path()).carried.at(0).numbers);
    struct Row {
        std::string text, message;
    };
    for (const auto& row : {
             Row{"x,z,amplitude\n1,2,3\n", ":1:5: column 'amplitude' belongs to sources; receivers have x, y"},
             Row{"x,z,shott\n1,2,3\n", ":1:5: unknown column 'shott'; did you mean shot?"},
             Row{"x,z,line,line\n1,2,3,4\n", ":1:10: column line is there twice"},
             Row{"x,z,x/y\n1,2,3\n", ":1:5: column 'x/y': a name has at most 64 letters, digits and underscores"},
             Row{"x,z,\n1,2,3\n", ":1:5: column '': a name has"},
             Row{"x,z,line\n1,2\n", ":2:3: 2 values for 3 columns"},
             Row{"name,line\n1,2\n", ":1:1: no column x"},
         }) {
        const CsvFile file(row.text);
        const auto fault = fault_of([&] { read_receivers(file.path()); });
        const std::string message = fault.what();
        CAPTURE(message);
        CHECK(fault.code() == ExitCode::bad_data);
        CHECK(contains(message, row.message));
    }
    CHECK(
        contains(fault_of([] { read_sources(CsvFile("x,z,line\n1,2,3\n").path()); }).what(), "unknown column 'line'"));
}

TEST_CASE("CSV: a wavelet is sampled evenly from 0") {
    const auto wavelet = read_wavelet(CsvFile("time_s,amplitude\n0,0\n0.00133,1\n0.00267,-2\n0.004,0.5\n").path());
    CHECK(std::abs(wavelet.dt_s - 0.004 / 3) <= 1e-15);
    CHECK(wavelet.amplitude == std::vector{0., 1., -2., 0.5});
    for (const auto& row : {
             Row{"time_s,amplitude\n0,0\n", "has 1 sample"},
             Row{"time_s,amplitude\n0.001,0\n0.002,1\n", ":2:1: time_s must begin at 0"},
             Row{"time_s,amplitude\n0,0\n0.001,1\n0.003,1\n0.004,1\n", ":3:1: time_s is not even"},
             Row{"time_s,amplitude\n0,0\n0,1\n", ":3:1: time_s must increase from 0"},
             Row{"time_s,amplitude\n0,0\n-1,1\n", ":3:1: time_s must increase from 0"},
             Row{"time_s,pressure\n0,0\n1,1\n", ":1:8: unknown column 'pressure'"},
         }) {
        const CsvFile file(row.text);
        const auto fault = fault_of([&] { read_wavelet(file.path()); });
        const std::string message = fault.what();
        CAPTURE(message);
        CHECK(contains(message, row.message));
    }
}

TEST_CASE("files of shots have their numbers in their names") {
    const TemporaryFolder folder;
    for (const char* name :
         {"a1.csv", "a02.csv", "a12.csv", "a0003.csv", "a0012.csv", "a12345.csv", "a-1.csv", "a.csv"})
        std::ofstream(folder.path() / name) << "x";
    const auto shots_of = [&](const std::string& name) {
        std::vector<std::int64_t> shots;
        for (const auto& [shot, file] : files_by_shot(folder.path() / name)) {
            CHECK(file == file_of_shot(folder.path() / name, shot));
            shots.push_back(shot);
        }
        return shots;
    };
    CHECK(shots_of("a{shot}.csv") == std::vector<std::int64_t>{1, 12, 12345});
    CHECK(shots_of("a{shot:04}.csv") == std::vector<std::int64_t>{3, 12, 12345});
    CHECK(shots_of("b{shot}.csv").empty());
    CHECK(files_by_shot(folder.path() / "nowhere" / "{shot}.csv").empty());
    CHECK(file_of_shot("{shot:06}", 42) == "000042");
    CHECK(file_of_shot("{shots}_{shot}.csv", 42) == "{shots}_42.csv");
    for (const char* name : {"a.csv", "{shot", "{shots}", "{shot:4}", "{shot:0}", "{shot:0x}", "{shot}/a.csv"})
        CHECK_FALSE(is_by_shot(name));
}

TEST_CASE("CSV: a log has velocities at depths that increase") {
    const auto log = read_well_log(CsvFile("# A 1\nvp_m_s,depth_m\n1500,-2.5\n1812.25,0\n2000,7\n").path());
    CHECK(log.depth_m == std::vector{-2.5, 0., 7.});
    CHECK(log.vp_m_s == std::vector{1500., 1812.25, 2000.});
    CHECK(read_well_log(CsvFile("depth,vp\n3,30000\n").path()).vp_m_s == std::vector{30000.});
    for (const auto& row : {
             Row{"depth_m,vp_m_s\n1,1500\n1,1600\n", ":3:1: depth_m = 1: depths must increase from line to line"},
             Row{"depth_m,vp_m_s\n2,1500\n3,1600\n2.5,1600\n", ":4:1: depth_m = 2.5: depths must increase"},
             Row{"depth_m,vp_m_s\n1,1500\n2,2.1\n", ":3:1: vp_m_s = 2.1: must be from 50 to 30000"},
             Row{"depth_m,vp_m_s\n1,1500\n2,nan\n", ":3:3: vp_m_s = 'nan': must be a finite number"},
             Row{"depth_m,vp_m_s\n1\n", ":2:1: 1 value for 2 columns"},
             Row{"depth_m,vp_m_s,rho\n1,1500,2000\n", ":1:16: unknown column 'rho'; there are depth_m, vp_m_s"},
             Row{"depth_ft,vp_m_s\n1,1500\n", ":1:1: unknown column 'depth_ft'; did you mean depth_m?"},
             Row{"depth_m\n1\n", ":1:1: no column vp_m_s"},
             Row{"depth_m,vp_m_s\n", "has no rows of depth_m, vp_m_s"},
         }) {
        const CsvFile file(row.text);
        const auto fault = fault_of([&] { read_well_log(file.path()); });
        const std::string message = fault.what();
        CAPTURE(message);
        CHECK(fault.code() == ExitCode::bad_data);
        CHECK(contains(message, row.message));
    }
}

TEST_CASE("HDF5: coordinates, shots, amplitudes and wavelets") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "points.h5";
    {
        auto file = hdf5::File::create(path, path);
        add<float>(file, "coordinates", {2, 3}, {1, 2, 3, 4, 5, 6});
        add<std::int32_t>(file, "shot_id", {2}, {9, 4});
        add<double>(file, "amplitude", {2}, {0.5, -1.});
        auto wavelet = file.create_dataset("wavelet", hdf5::Element::float32, {{3}, {}, {}});
        wavelet.write_all<float>(std::vector{0.f, 1.f, 0.f});
        wavelet.set_number("dt_s", 0.002);
        wavelet.close();
        file.close();
    }
    const auto sources = read_sources(path);
    CHECK(sources.position_m == Points{{1., 2., 3.}, {4., 5., 6.}});
    CHECK(sources.shot == Shots{9, 4});
    CHECK(sources.amplitude == std::vector{0.5, -1.});
    CHECK(read_receivers(path).shot == Shots{9, 4});
    CHECK(read_wavelet(path).dt_s == 0.002);
    CHECK(read_wavelet(path).amplitude == std::vector{0., 1., 0.});
    {
        auto file = hdf5::File::create(path, path);
        add<double>(file, "coordinates", {2, 2}, {1, 2, 3, 4});
        file.close();
    }
    CHECK(read_sources(path).position_m == Points{{1., 0., 2.}, {3., 0., 4.}});
    CHECK(read_sources(path).shot.empty());
    CHECK(read_sources(path).line.empty());
    CHECK(read_receivers(path).shot.empty());
}

TEST_CASE("HDF5: faults name the dataset, the index and the value") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "points.h5";
    const auto message_of = [&](const hdf5::Extents& extents, const std::vector<double>& coordinates,
                                const std::vector<double>& shots) {
        auto file = hdf5::File::create(path, path);
        add<double>(file, "coordinates", extents, coordinates);
        if (!shots.empty()) add<double>(file, "shot_id", {shots.size()}, shots);
        file.close();
        const auto fault = fault_of([&] { read_sources(path); });
        CHECK(fault.code() == ExitCode::bad_data);
        return std::string(fault.what());
    };
    CHECK(contains(message_of({4}, {1, 2, 3, 4}, {}), "/coordinates: must be [n][2] (x, z) or [n][3]"));
    CHECK(contains(message_of({1, 4}, {1, 2, 3, 4}, {}), "/coordinates: must be [n][2]"));
    CHECK(contains(message_of({2, 2}, {1, 2, 3, std::nan("")}, {}), "/coordinates: [1][1] = nan: must be finite"));
    CHECK(contains(message_of({2, 2}, {1, 2, 3, 4}, {1, 2, 3}), "/shot_id: must have one value for each of the 2"));
    CHECK(contains(message_of({2, 2}, {1, 2, 3, 4}, {1, 1.5}), "/shot_id: [1] = 1.5: must be a whole number"));
    CHECK(contains(fault_of([&] { read_wavelet(path); }).what(), "has no dataset wavelet"));
    {
        auto file = hdf5::File::create(path, path);
        add<double>(file, "wavelet", {3}, {1, 2, 3});
        file.close();
    }
    CHECK(contains(fault_of([&] { read_wavelet(path); }).what(), "/wavelet: has no attribute dt_s"));
}
