// What a table says of its receivers - names, and columns Onda knows nothing of - stands beside their traces.
// Takes 1 s.
#include "io/hdf5/hdf5.hpp"
#include "io/results/seismograms.hpp"
#include "tests/program/program.hpp"

using namespace onda;

namespace {

using Columns = std::vector<CarriedColumn>;

const std::string kConfig = R"(schema_version: 1
grid: {shape: [41, 31], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 0.05}
boundary: {cpml_width: 5}
wavelet: {type: ricker, peak_frequency_hz: 15}
sources: [{type: line, first_m: [100, 50], last_m: [300, 50], count: 3}]
receivers:
  - {position_m: [100, 100]}
  - {type: file, file: land.csv}
  - {position_m: [200, 100]}
  - {type: file, file: wells.csv}
output: {pictures: false}
)";

void write_tables(const std::filesystem::path& folder) {
    write_text(folder / "run.yaml", kConfig);
    write_text(folder / "land.csv", "name,x,z,elevation_m\nA1,120,0,31.5\nA2,140,0,\n");
    // Rows out of the order of the shots, and columns out of the order of the other table.
    write_text(folder / "wells.csv",
               "x,z,shot,well,name\n310,200,3,W-7,deep\n110,200,1,Ørn,first\n320,210,3,W-8,deeper\n");
}

}  // namespace

TEST_CASE("names and further columns of receiver tables come with the gathers of every shot") {
    const TemporaryFolder folder;
    write_tables(folder.path());
    const auto config = (folder.path() / "run.yaml").string(), out = (folder.path() / "out").string();
    const Outcome check = run_onda({"check", config, "--no-trial"});
    CHECK(contains(check.out, "the receiver columns name, elevation_m, well"));
    const Outcome run = run_onda({"run", config, "--output", out});
    CAPTURE(run.err);
    REQUIRE(run.code == 0);
    const auto file = folder.path() / "out" / "seismograms.h5";
    CHECK(read_gather(file, 1).carried == Columns{{"name", false, {"", "A1", "A2", "", "first"}},
                                                  {"elevation_m", true, {"", "31.5", "", "", ""}},
                                                  {"well", false, {"", "", "", "", "Ørn"}}});
    CHECK(read_gather(file, 2).carried == Columns{{"name", false, {"", "A1", "A2", ""}},
                                                  {"elevation_m", true, {"", "31.5", "", ""}},
                                                  {"well", false, {"", "", "", ""}}});
    const ShotGather last = read_gather(file, 3);
    CHECK(last.carried.at(2).text == std::vector<std::string>{"", "", "", "", "W-7", "W-8"});
    CHECK(last.receivers_m.at(5) == std::array{320., 0., 210.});
}

TEST_CASE("the same columns stand in files of single shots") {
    const TemporaryFolder folder;
    write_tables(folder.path());
    const auto config = (folder.path() / "run.yaml").string(), out = (folder.path() / "out").string();
    const Outcome part = run_onda({"run", config, "--output", out, "--shots", "3"});
    CAPTURE(part.err);
    REQUIRE(part.code == 0);
    const ShotGather gather = read_gather(folder.path() / "out" / "unfinished" / "00003.seismograms.h5", 3);
    CHECK(gather.carried.at(0).text == std::vector<std::string>{"", "A1", "A2", "", "deep", "deeper"});
    // Another table is another survey.
    write_text(folder.path() / "land.csv", "name,x,z,elevation_m\nB1,120,0,31.5\nB2,140,0,\n");
    const Outcome other = run_onda({"run", config, "--output", out});
    CHECK(other.code == 73);
    CHECK(contains(other.err, "receivers[1].file"));
}

TEST_CASE("what is not text of a fixed length is refused") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "texts.h5";
    auto file = hdf5::File::create(path, path);
    file.write_texts("name", {"A", "Ørn", ""});
    auto numbers = file.create_dataset("number", hdf5::Element::float64, {{2}, {}, {}});
    numbers.write_all<double>(std::vector{1., 2.});
    numbers.close();
    file.close();
    const auto back = hdf5::File::open(path);
    CHECK(back.read_texts("name") == std::vector<std::string>{"A", "Ørn", ""});
    CHECK(back.holds_texts("name"));
    CHECK(!back.holds_texts("number"));
    CHECK_THROWS_WITH_AS(static_cast<void>(back.read_texts("number")), doctest::Contains("not text of a fixed length"),
                         Error);
    CHECK_THROWS_WITH_AS(static_cast<void>(back.open_dataset("name")), doctest::Contains("not plain numbers"), Error);
}
