// SPS of both revisions and P1/90 give the places and the relation that they hold; whatever a byte in them is changed
// to, they are read or refused with a message that names a line.
// Takes 2 s.
#include "io/models/field_geometry.hpp"

#include <doctest/doctest.h>
#include <fstream>
#include <random>
#include <spdlog/fmt/fmt.h>

#include "tests/io/files_support.hpp"

using namespace onda;

namespace {

using Place = std::array<double, 3>;

std::string point(int revision, char kind, int line, int number, const Place& at, double elevation, int index = 1) {
    const double depth = at[2] + elevation;
    const auto tail = fmt::format("{:>9.1f}{:>10.1f}{:>6.1f}{:>3}{:>6}\n", at[0], at[1], elevation, 123, 101500);
    if (revision == 0)
        return fmt::format("{}{:<16}{:>8}{}V1{:>4}{:>4.1f}{:>4}{:>2}{:>4}", kind, line, number, index, 0, depth, 0, 0,
                           0) +
               tail;
    return fmt::format("{}{:>10.2f}{:>10.2f}  {}V1{:>4}{:>4.1f}{:>4}{:>2}{:>6}", kind, double(line), double(number),
                       index, 0, depth, 0, 0, 0) +
           tail;
}

/// Receivers from..to of a line by shot (line, number); channels 1, 2, ….
std::string relation(int revision, int record, int line, int number, int channels, int receiver_line, int from,
                     int to) {
    if (revision == 0)
        return fmt::format("X{:<6}{:>4}{}{}{:<16}{:>8}{}{:>4}{:>4}{}{:<16}{:>8}{:>8}{}\n", 1, record, 1, 1, line,
                           number, 1, 1, channels, 1, receiver_line, from, to, 1);
    return fmt::format("X{:<6}{:>8}{}{}{:>10.2f}{:>10.2f}{}{:>5}{:>5}{}{:>10.2f}{:>10.2f}{:>10.2f}{}\n", 1, record, 1,
                       1, double(line), double(number), 1, 1, channels, 1, double(receiver_line), double(from),
                       double(to), 1);
}

std::string p1_source(int number, double x, double y) {
    return fmt::format("S{:<12}   {}{}{}{:>6}{:>10}{:>11}{:>9.1f}{:>9.1f}{:>6.1f}{:>3}{:>6}\n", "LINE-1", 1, 1, 1,
                       number, "600000.0N", "0030000.0E", x, y, 55.5, 123, 101500);
}

std::string p1_group(int number, double x, double y, double depth) {
    return fmt::format("{:>4}{:>9.1f}{:>9.1f}{:>4.1f}", number, x, y, depth);
}

/// Two receiver lines of 5 points, two sources; the second shot has the odd points of the second line alone.
struct Sps {
    explicit Sps(int revision, bool with_header = true) {
        const std::string head = with_header
                                     ? (revision == 0 ? "H00 SPS format version num.     SPS001,13.02.95\n"
                                                      : "H00 SPS format version num.     SPS 2.1\n") +
                                           std::string("H20 Description of grid units    International metres\n")
                                     : "";
        sources = head + point(revision, 'S', 201, 1, {500010.5, 6000020.5, -94.5}, 100.5) +
                  point(revision, 'S', 201, 2, {500060.5, 6000020.5, -90.}, 100.);
        receivers = head;
        for (int line = 1; line <= 2; ++line)
            for (int r = 1; r <= 5; ++r) receivers += point(revision, 'R', 100 + line, 10 + r, place(line, r), 20.);
        relations = head + relation(revision, 1001, 201, 1, 5, 101, 11, 15) +
                    relation(revision, 1001, 201, 1, 5, 102, 11, 15) + relation(revision, 1002, 201, 2, 3, 102, 15, 11);
    }
    static Place place(int line, int r) { return {500000. + 25. * r, 6000000. + 100. * line, -20.}; }

    std::string sources, receivers, relations;
};

struct Folder {
    std::filesystem::path write(const std::string& name, const std::string& text) const {
        std::ofstream(folder.path() / name, std::ios::binary) << text;
        return folder.path() / name;
    }
    TemporaryFolder folder;
};

}  // namespace

TEST_CASE("SPS of both revisions, in three files or in one, with and without a header") {
    for (const int revision : {0, 2})
        for (const bool with_header : {true, false}) {
            CAPTURE(revision);
            CAPTURE(with_header);
            const Sps sps(revision, with_header);
            const Folder folder;
            folder.write("a.SPS", sps.sources);
            folder.write("a.RPS", sps.receivers);
            folder.write("a.XPS", sps.relations);
            folder.write("one.sps", sps.sources + sps.receivers + sps.relations);
            CHECK(files_of_geometry(folder.folder.path() / "a.RPS").size() == 3);
            for (const char* name : {"a.SPS", "a.RPS", "a.XPS", "one.sps"}) {
                CAPTURE(name);
                const FieldGeometry geometry = read_field_geometry(folder.folder.path() / name);
                REQUIRE(geometry.shots.size() == 2);
                CHECK(geometry.sources_m.size() == 2);
                CHECK(geometry.receivers_m.size() == 10);
                CHECK(geometry.has_source_depths);
                CHECK(geometry.shots[0].number == 1001);
                CHECK(geometry.shots[0].source_m == Place{500010.5, 6000020.5, -94.5});
                CHECK(geometry.shots[1].source_m == Place{500060.5, 6000020.5, -90.});
                REQUIRE(geometry.shots[0].receivers_m.size() == 10);
                CHECK(geometry.shots[0].receivers_m[7] == Sps::place(2, 3));
                CHECK(geometry.shots[1].receivers_m ==
                      std::vector{Sps::place(2, 5), Sps::place(2, 3), Sps::place(2, 1)});
            }
        }
}

TEST_CASE("without a relation there are sources and receivers alone") {
    const Sps sps(0);
    const Folder folder;
    folder.write("a.rps", sps.receivers);
    const FieldGeometry geometry = read_field_geometry(folder.write("a.sps", sps.sources));
    CHECK(geometry.shots.empty());
    CHECK(geometry.sources_m.size() == 2);
    CHECK(geometry.receivers_m.front() == Sps::place(1, 1));
}

TEST_CASE("P1/90: the receiver groups of each source") {
    const Folder folder;
    const auto file = folder.write(
        "line.p190", "H0100SURVEY AREA                    NOWHERE\n" + p1_source(1001, 500000.1, 6000000.2) + "R" +
                         p1_group(1, 500100., 6000000., 7.) + p1_group(2, 500112.5, 6000001., 7.5) +
                         p1_group(3, 500125., 6000002., 8.) + "1\n" + "R" + p1_group(4, 500137.5, 6000003., 8.5) +
                         "\n" + "V" + p1_source(1001, 1., 2.).substr(1) + p1_source(1003, 500025., 6000000.) + "R" +
                         p1_group(1, 500125., 6000000., 7.) + "\n");
    const FieldGeometry geometry = read_field_geometry(file);
    REQUIRE(geometry.shots.size() == 2);
    CHECK_FALSE(geometry.has_source_depths);
    CHECK(geometry.shots[0].number == 1001);
    CHECK(geometry.shots[0].source_m == Place{500000.1, 6000000.2, 0.});
    REQUIRE(geometry.shots[0].receivers_m.size() == 4);
    CHECK(geometry.shots[0].receivers_m[1] == Place{500112.5, 6000001., 7.5});
    CHECK(geometry.shots[0].receivers_m[3] == Place{500137.5, 6000003., 8.5});
    CHECK(geometry.shots[1].number == 1003);
    CHECK(geometry.shots[1].receivers_m.size() == 1);
}

TEST_CASE("the revision of SPS is that of the version, whatever the date") {
    const Folder folder;
    for (const auto& [title, revision] :
         {std::pair{"H00 SPS format version num.     SPS001,22.10.95", 0},
          std::pair{"H00 SPS format version num.     SPS001,22-NOV-95", 0},
          std::pair{"H00 SPS format version num.     SPS 2.1,22.10.05", 2},
          std::pair{"H00 SPS format version num.     SPS002.1 12.01.05", 2}, std::pair{"H00 SPS 2.1", 2},
          std::pair{"H00 SPS format version num.     rev 1 of 2.1.06", 0}}) {
        const std::string head = title;
        CAPTURE(head);
        const Sps sps(revision, false);
        const auto file = folder.write("a.sps", head + ("\n" + sps.sources + sps.receivers + sps.relations));
        const FieldGeometry geometry = read_field_geometry(file);
        REQUIRE(geometry.shots.size() == 2);
        CHECK(geometry.shots[1].receivers_m == std::vector{Sps::place(2, 5), Sps::place(2, 3), Sps::place(2, 1)});
    }
}

TEST_CASE("coordinates come in metres, by the factor that the header gives; feet without one are refused") {
    const Sps sps(0, false);
    const Folder folder;
    const auto sps_with = [&](const std::string& head) {
        return folder.write("a.sps", head + sps.sources + sps.receivers + sps.relations);
    };
    const auto scaled = [](Place place, double grid, double height) {
        return Place{grid * place[0], grid * place[1], height * place[2]};
    };
    constexpr double survey_foot = 0.30480061;
    const std::string feet = "H20 Description of grid units   US SURVEY FT\n",
                      other =
                          "H20 Description of grid units   "
                          "Other\n",
                      factor = "H201Factor to metre             0.30480061\n";
    for (const std::string& head : {feet + factor, other + factor, factor}) {
        CAPTURE(head);
        const FieldGeometry geometry = read_field_geometry(sps_with(head));
        CHECK(geometry.sources_m[0] == scaled({500010.5, 6000020.5, -94.5}, survey_foot, survey_foot));
        CHECK(geometry.shots[0].source_m == geometry.sources_m[0]);
        CHECK(geometry.shots[0].receivers_m[7] == scaled(Sps::place(2, 3), survey_foot, survey_foot));
        CHECK(geometry.receivers_m[0] == scaled(Sps::place(1, 1), survey_foot, survey_foot));
        CHECK(geometry.units == "the header gives coordinates in units of 0.30480061 m: converted to metres");
    }
    for (const char* metres : {"H20 Description of grid units   International metres\n",
                               "H201Factor to metre             1.00000000\n", ""}) {
        CHECK(read_field_geometry(sps_with(metres)).units.empty());
        CHECK(read_field_geometry(sps_with(metres)).sources_m[0] == Place{500010.5, 6000020.5, -94.5});
    }
    const auto refused = [](const std::filesystem::path& file) {
        return message_of([&] { read_field_geometry(file); }, ExitCode::bad_data);
    };
    CHECK(
        contains(refused(sps_with(feet)), ":1:1: coordinates in feet: 'H20 Description of grid units   US SURVEY FT'"));
    CHECK(contains(refused(sps_with("H201Factor to metre             0.00000001\n")), "a factor to metre of 1e-08"));
    CHECK(contains(refused(sps_with(factor + "H201Factor to metre             0.3048\n")), "and of 0.30480061 before"));

    const auto p190_with = [&](const std::string& head) {
        return folder.write("a.p190",
                            head + p1_source(1001, 1000., 2000.) + "R" + p1_group(1, 1100., 2000., 20.) + "\n");
    };
    const std::string grid = "H2001Grid Units            2FT                     0.304800000000\n",
                      heights = "H2001HEIGHT UNITS               1METRES                  1.000000000000\n";
    const FieldGeometry in_feet = read_field_geometry(p190_with(grid));
    CHECK(in_feet.shots[0].receivers_m[0] == scaled({1100., 2000., 20.}, 0.3048, 0.3048));
    const FieldGeometry mixed = read_field_geometry(p190_with(grid + heights + "H2002ANGULAR UNITS    1DEGREES\n"));
    CHECK(mixed.shots[0].receivers_m[0] == scaled({1100., 2000., 20.}, 0.3048, 1.));
    CHECK(contains(mixed.units, "units of 0.3048 m, heights and depths of 1 m"));
    CHECK(contains(refused(p190_with("H2001Grid Units            2FT\n")), "coordinates in feet"));
}

TEST_CASE("what is wrong is named with its line and column") {
    const Sps sps(0);
    const Folder folder;
    const auto message = [&](const std::string& name, const std::string& text) {
        const auto file = folder.write(name, text);
        const std::string told = message_of([&] { read_field_geometry(file); }, ExitCode::bad_data);
        CHECK(told.starts_with(file.string()));
        return told.substr(std::min(told.size(), file.string().size()));
    };
    const std::string whole = sps.sources + sps.receivers + sps.relations;
    std::string text = whole;
    text[text.find("500010.5")] = 'x';
    CHECK(message("a.sps", text) == ":3:47: easting 'x00010.5' (columns 47 to 55) is not a number");
    CHECK(message("a.sps", sps.sources + point(0, 'S', 201, 3, {0., 0., 0.}, 0.).substr(0, 46) + "\n") ==
          ":5:47: no easting in columns 47 to 55");
    CHECK(message("a.sps", whole + relation(0, 1003, 201, 9, 1, 101, 11, 11)) ==
          ":22:30: no source record for line 201, point 9, index 1");
    CHECK(message("a.sps", whole + relation(0, 1003, 201, 1, 6, 101, 11, 16)) ==
          ":22:64: no receiver record for line 101, point 16, index 1");
    CHECK(message("a.sps", whole + relation(0, 1003, 201, 1, 0, 101, 11, 16)) ==
          ":22:39: channels 1 to 0, every 1: must ascend");
    CHECK(message("a.sps", "H20 Description of grid units   American Feet\n" + whole) ==
          ":1:1: coordinates in feet: 'H20 Description of grid units   American Feet'; convert them to metres, or give "
          "their factor to metre in a header (H201 of SPS)");
    CHECK(message("a.sps", std::string("S\0S", 3)) == ":1:1: is a binary file, not a text");
    CHECK(message("b.p190", "R" + p1_group(1, 1., 2., 3.)) == ":1:1: receivers before the first source (S)");
    CHECK(message("b.p190", p1_source(7, 1., 2.) + p1_source(8, 1., 2.) + "R" + p1_group(1, 1., 2., 3.)) ==
          ": the shot at point 7 has no receivers (R), others have");
    CHECK(message("b.p190", "X\n").ends_with("write the survey as SPS, or as tables"));
    CHECK(fault_of([&] { read_field_geometry(folder.folder.path() / "c.sps"); }).code() == ExitCode::missing_input);
    CHECK(is_field_geometry("a.P190"));
    CHECK_FALSE(is_field_geometry("a.csv"));
}

TEST_CASE("whatever bytes become, a file is read or refused") {
    const Folder folder;
    std::mt19937 random(7);
    const auto any = [&](std::size_t count) {
        return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
    };
    const std::string marine = p1_source(1, 500000., 6000000.) + "R" + p1_group(1, 500100., 6000000., 7.) + "\n";
    int refused = 0, read = 0;
    for (int i = 0; i < 600; ++i) {
        const Sps sps(i % 4 < 2 ? 0 : 2, i % 2 == 0);
        const bool is_marine = i % 5 == 0;
        std::string text = is_marine ? marine : sps.sources + sps.receivers + sps.relations;
        for (std::size_t change = 0; change <= any(4); ++change) text[any(text.size())] = static_cast<char>(any(256));
        if (i % 3 == 0) text.resize(any(text.size()));
        const auto file = folder.write(is_marine ? "a.p190" : "a.sps", text);
        try {
            read_field_geometry(file);
            ++read;
        } catch (const Error& error) {
            CHECK(error.code() == ExitCode::bad_data);
            ++refused;
        }
    }
    CHECK(refused > 50);
    CHECK(read > 50);
}
