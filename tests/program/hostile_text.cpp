// Whatever titles, units, cells, names of files or arguments hold, nothing that the program says can command a terminal
// or pass for a line of its own, and no file that it writes is spoilt by it.
// Takes 9 s.
#include <hdf5.h>
#include <nlohmann/json.hpp>
#include <vector>

#include "io/config/config.hpp"
#include "io/files/file_uri.hpp"
#include "io/text/printable.hpp"
#include "solver/plan/names.hpp"
#include "solver/program/hash.hpp"
#include "tests/program/program.hpp"
#include "tests/sanitized.hpp"
#include "tests/solver/small_run.hpp"

using namespace onda;

namespace {

/// A small run, shortened: there are many.
std::string short_run() {
    std::string yaml = kSmall2d;
    const auto change = [&yaml](const std::string& from, const std::string& to) {
        yaml.replace(yaml.find(from), from.size(), to);
    };
    change("duration_s: 0.3", "duration_s: 0.05");
    change("times_s: [0.1, 0.2]", "times_s: [0.02]");
    change("  - {position_m: [603, 30], shot: 2, amplitude: 2}\n", "");
    return yaml + "backend: {threads: 1}\n";
}

/// Every one ends in a line that would be taken for Onda's own.
const std::vector<std::string> kHostile{
    "\x1b[31mred\x1b]0;title\x07",
    "a\nerror: all is well",
    "a\rerror: all is well",
    "bytes \xff\xfe\xc3( \xed\xa0\x80 \xf5",
    "C1 \xc2\x9b"
    "2J and \xc2\x85 next line",
    "turned \u202eevil\u2066 \u2028error: all is well",
    "\x7f\b\b\b\v\f\x01",
    "tab\tand \x1b(0",
};

bool has_line_end(const std::string& text) {
    return text.find_first_of("\n\r") != std::string::npos;
}

/// All of kHostile in as few fields as can hold them, since every run of the program takes its time: those that are
/// UTF-8 joined, and those that are not. Line ends come last: what reads lines finds the others before the first of
/// them.
std::vector<std::string> hostile_fields() {
    std::vector<std::string> fields(2);
    for (const bool line_ends : {false, true})
        for (const std::string& text : kHostile)
            if (has_line_end(text) == line_ends) fields[valid_utf8(text) == text ? 0 : 1] += text + " ";
    return fields;
}

/// The fields of hostile_fields(), and each text with line ends by itself: of the joined ones a reader of lines finds
/// but the first.
std::vector<std::string> hostile_lines() {
    std::vector<std::string> texts = hostile_fields();
    if (test::kSanitized) return texts;  // each start of the program takes many times as long
    std::ranges::copy_if(kHostile, std::back_inserter(texts), has_line_end);
    return texts;
}

/// No control byte but the line feed, well-formed UTF-8, nothing hidden, and no line that hostile text made.
void check_clean(const std::string& text) {
    CHECK(printable_lines(text) == text);
    CHECK(!contains(text, "\nerror: all is well"));
    CHECK(!text.starts_with("error: all is well"));
}

void check_clean(const Outcome& outcome) {
    CAPTURE(outcome.err);
    CHECK(outcome.code < 70);  // refused with a reason: no fault of ours, no signal
    check_clean(outcome.err);
    check_clean(outcome.out);
}

/// As check_clean(), with the codes of a refused configuration and of an output that cannot be made, too.
void check_refused(const Outcome& outcome) {
    CAPTURE(outcome.err);
    CHECK((outcome.code == 64 || outcome.code == 65 || outcome.code == 66 || outcome.code == 73 || outcome.code == 78));
    CHECK(contains(outcome.err, "error: "));
    check_clean(outcome.err);
    check_clean(outcome.out);
}

std::string yaml_quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        char code[8];
        const auto byte = static_cast<unsigned char>(c);
        std::snprintf(code, sizeof code, "\\x%02x", byte);
        out += byte < 0x20 || byte == 0x7f || c == '"' || c == '\\' ? std::string(code) : std::string(1, c);
    }
    return out + "\"";
}

struct Place {
    TemporaryFolder folder;
    Place() { write_text(folder.path() / "small.yaml", short_run()); }
    [[nodiscard]] std::string path(const std::string& name) const { return (folder.path() / name).string(); }
    [[nodiscard]] Outcome check(const std::string& setting) const {
        return run_onda({"check", path("small.yaml"), "--no-trial", "--set", setting});
    }
};

/// A dataset /name with one text attribute of fixed length.
void write_hdf5(const std::filesystem::path& file, const std::string& name, const std::string& attribute,
                const std::string& text) {
    const hid_t id = H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hsize_t extents[2] = {3, 2};
    const hid_t space = H5Screate_simple(2, extents, nullptr), one = H5Screate(H5S_SCALAR);
    const hid_t dataset = H5Dcreate2(id, name.c_str(), H5T_IEEE_F32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const std::vector<float> values(6, 2000.f);
    H5Dwrite(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, text.size());
    const hid_t written = H5Acreate2(dataset, attribute.c_str(), type, one, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(written, type, text.data());
    for (const auto& [close, of] : std::vector<std::pair<herr_t (*)(hid_t), hid_t>>{{H5Aclose, written},
                                                                                    {H5Tclose, type},
                                                                                    {H5Dclose, dataset},
                                                                                    {H5Sclose, space},
                                                                                    {H5Sclose, one},
                                                                                    {H5Fclose, id}})
        close(of);
}

}  // namespace

TEST_CASE("printable text stays, all other is escaped byte by byte") {
    CHECK(printable("plain, übung, 音, \U0001F30A") == "plain, übung, 音, \U0001F30A");
    CHECK(printable("a\n\r\tb\x1b[0m\x7f") == "a\\n\\r\\tb\\x1b[0m\\x7f");
    CHECK(printable("\xff\xc3(\xed\xa0\x80") == "\\xff\\xc3(\\xed\\xa0\\x80");
    CHECK(printable(std::string_view("\0", 1)) == "\\x00");
    CHECK(printable("\u0085\u202e\u2069\u2028\ufeff") ==
          "\\xc2\\x85\\xe2\\x80\\xae\\xe2\\x81\\xa9\\xe2\\x80\\xa8\\xef\\xbb\\xbf");
    CHECK(printable_lines("a\nb\r") == "a\nb\\r");
    CHECK(valid_utf8("a\n\x1b\xff") == "a\n\x1b\\xff");
    for (const std::string& text : kHostile) CHECK(printable(printable(text)) == printable(text));
}

TEST_CASE("what a message quotes is cut before a character, and its length is told; paths are whole") {
    const std::string long_text(3'000'000, 'x');
    CHECK(printable(long_text) == std::string(kMostQuotedBytes, 'x') + "\u2026 (3000000 bytes)");
    CHECK(printable(long_text.substr(0, kMostQuotedBytes)) == long_text.substr(0, kMostQuotedBytes));
    for (std::size_t before = kMostQuotedBytes - 4; before <= kMostQuotedBytes; ++before) {
        const std::string text = std::string(before, 'x') + "\U0001F30A" + std::string(9, 'y');
        const std::string cut = printable(text);
        CAPTURE(cut);
        CHECK(!contains(cut, "\\x"));
        CHECK(contains(cut, "\U0001F30A") == (before + 4 <= kMostQuotedBytes));
    }
    CHECK(printable_whole(long_text) == long_text);
    CHECK(shown(std::string(4000, 'p')).size() == 4000);
    const std::string lines = printable_lines("one\n" + long_text + "\nthree\n");
    CHECK(lines.size() < 2 * kMostLineBytes);
    CHECK(lines.starts_with("one\nxxx"));
    CHECK(lines.ends_with(" bytes)\nthree\n"));
    CHECK(printable_lines("") == "");
    CHECK(printable_lines("\n\na") == "\n\na");
}

TEST_CASE("paths as text: themselves, or a URI where they are no UTF-8") {
    for (const std::string path : {"a/b c",
                                   "/m\xc3\xb6"
                                   "del.h5",
                                   "/bad\xff/m%41.h5", "file:x", "/\xff", "//\xff", "\xff"}) {
        const std::string text = path_text(path);
        CAPTURE(text);
        CHECK(valid_utf8(text) == text);
        REQUIRE(read_path(text));
        CHECK(read_path(text)->native() == path);
    }
    CHECK(path_text("/bad\xff/a b") == "file:/bad%ff/a%20b");
    CHECK(read_path("file:///a%20b")->native() == "/a b");
    for (const char* text : {"file:%", "file:/a%2", "file:/a%zz", "file://host/a"}) CHECK(!read_path(text));
}

TEST_CASE("settings, options and commands") {
    const Place place;
    // Every place is given all texts at once, and each text by itself to one place: those of YAML and of the command
    // line are read by the same code, whichever key or option they stand behind.
    const std::vector<std::string> keys{
        "title=",      "model.type=",     "grid.spacing_m=",  "backend.kernel=", "backend.tile=", "scheme.precision=",
        "model.file=", "boundary.z_max=", "output.directory="};
    const auto set = [&](const std::string& setting) {
        const Outcome outcome = place.check(setting);
        CAPTURE(outcome.err);
        CHECK((outcome.code == 0 || outcome.code == 64 || outcome.code == 78));
        check_clean(outcome.err);
        check_clean(outcome.out);
    };
    const std::vector<std::vector<std::string>> options{{"bench", "cpu", "--shape", "20", "20", "--kernel"},
                                                        {"bench", "cpu", "--shape", "20", "20", "--isa"},
                                                        {"bench", "cpu", "--shape", "20", "20", "--order"},
                                                        {"bench", "cpu", "--shape", "20", "20", "--operator"},
                                                        {"bench", "cpu", "--shape", "20", "20", "--precision"},
                                                        {"bench", "cpu", "--shape", "20", "20", "--boundary"},
                                                        {"verify", "--quick", "--kernel"},
                                                        {"verify", "--quick", "--isa"},
                                                        {"verify", "--quick", "--backend"},
                                                        {"verify", "--quick", "--filter"},
                                                        {"dispersion", "--operator"},
                                                        {"dispersion", "--coefficients"},
                                                        {"dispersion", "--order"},
                                                        {"dispersion", "--points"},
                                                        {"dispersion", "--angles"},
                                                        {"run", place.path("small.yaml"), "--threads"},
                                                        {"check", place.path("small.yaml")},
                                                        {"info"}};
    const auto give = [](std::vector<std::string> arguments, const std::string& text) {
        arguments.push_back(text);
        check_refused(run_onda(arguments));
    };
    for (const std::string& text : hostile_fields()) {
        CAPTURE(text);
        for (const std::string& key : keys) set(key + text);
        for (const auto& option : options) give(option, text);
        check_refused(run_onda({"run", "--" + text}));
    }
    for (std::size_t i = 0; i < kHostile.size(); ++i) {
        const std::string& text = kHostile[i];
        CAPTURE(text);
        set(keys[i % keys.size()] + text);
        give(options[2 * i % options.size()], text);
        check_refused(place.check(text + "=1"));
        check_refused(place.check(text));
        check_refused(place.check("grid." + text + "=1"));
        check_refused(run_onda({text}));
    }
}

TEST_CASE("names of files: of the configuration, what it reads, and what is written") {
    for (const std::string& text : hostile_fields()) {
        CAPTURE(text);
        const Place place;
        check_refused(run_onda({"run", place.path(text + ".yaml")}));  // is not there
        write_text(place.folder.path() / (text + ".yaml"), "titel: 1\n");
        check_refused(run_onda({"check", place.path(text + ".yaml")}));
        for (const std::string ending : {".csv", ".h5"}) {
            write_text(place.folder.path() / (text + ending), "neither a table nor HDF5");
            const std::string file = path_text(place.folder.path() / (text + ending));
            // What YAML's own escapes cannot give is not to be had in a configuration.
            if (valid_utf8(text) != text && !file.starts_with("file:")) continue;
            const std::string quoted_file = yaml_quoted(file);
            for (const std::string key : {"wavelet={type: file, file: ", "sources=[{type: file, file: ",
                                          "receivers=[{type: file, file: ", "model={type: file, file: "}) {
                const std::string end = key.find('[') == std::string::npos ? "}" : "}]";
                check_refused(place.check(key + quoted_file + end));
            }
        }
        const std::vector<std::string> raw{"--shape", "24", "20", "--axes", "xz", "--spacing-m", "10"};
        for (const std::string& name : {text + ".f32", text + ".rsf", text}) {
            std::vector<std::string> arguments{"convert", place.path(name), place.path(text + ".out.h5")};
            if (name.ends_with(".f32")) arguments.insert(arguments.end(), raw.begin(), raw.end());
            check_refused(run_onda(arguments));  // is not there
        }
        write_text(place.folder.path() / (text + ".f32"), std::string(std::size_t{24} * 20 * 4, 'D'));  // 785 m/s
        std::vector<std::string> arguments{"convert", place.path(text + ".f32"), place.path(text + ".out.h5")};
        arguments.insert(arguments.end(), raw.begin(), raw.end());
        const Outcome converted = run_onda(arguments);
        CAPTURE(converted.err);
        CHECK(converted.code == 0);
        check_clean(converted.out);
        // A file that is HDF5, and a model, whatever else is said of it.
        const std::filesystem::path model = place.folder.path() / (text + ".out.h5");
        if (valid_utf8(text) == text || path_text(model).starts_with("file:")) {
            const Outcome read = place.check("model={type: file, file: " + yaml_quoted(path_text(model)) + "}");
            check_clean(read.out + read.err);
            std::filesystem::resize_file(model, std::filesystem::file_size(model) - 100);
            check_refused(place.check("model={type: file, file: " + yaml_quoted(path_text(model)) + "}"));
        }
        for (const std::string option : {"--axes", "--units", "--dtype", "--endian", "--format", "--data-file"})
            check_refused(run_onda({"convert", place.path(text + ".f32"), place.path("b.h5"), "--shape", "24", "20",
                                    "--spacing-m", "10", option, text}));
        check_refused(run_onda({"init", "-o", place.path(text + ".out.h5")}));  // exists
    }
}

TEST_CASE("what files hold: cells, units, headers, keys") {
    for (const std::string& text : hostile_lines()) {
        CAPTURE(text);
        const Place place;
        write_text(place.folder.path() / "head.csv", "x,z," + text + "\n1,2,3\n");
        write_text(place.folder.path() / "cell.csv", "x,z\n1," + text + "\n");
        for (const std::string name : {"head.csv", "cell.csv"})
            check_refused(place.check("receivers=[{type: file, file: " + name + "}]"));
        for (const std::string line : {"n1=", "d1=", "unit1=", "label1=", "unit=", "data_format=", "in=", "esize="}) {
            write_text(place.folder.path() / "m.rsf",
                       "n1=3 n2=2 d1=1 d2=1 in=stdin data_format=native_float label1=z label2=x\n" + line + "\"" +
                           text + "\"\n\x0c\x0c\x04");
            check_refused(run_onda({"convert", place.path("m.rsf"), place.path("m.h5")}));
        }
        for (const std::string attribute : {"units", "axis_labels"}) {
            write_hdf5(place.folder.path() / "m.h5", "vp", attribute, text);
            check_refused(place.check("model={type: file, file: m.h5}"));
        }
        write_hdf5(place.folder.path() / "r.h5", "coordinates", "units", text);
        check_refused(place.check("receivers=[{type: file, file: r.h5}]"));
        write_text(place.folder.path() / "keys.yaml", "? " + yaml_quoted(text) + "\n: 1\ntitle: " + text + "\n");
        check_refused(run_onda({"check", place.path("keys.yaml")}));
    }
}

namespace {

/// The first and the last alone under sanitizers: what is read in the same way starts a program each.
std::vector<std::string> tried(std::vector<std::string> texts) {
    if (test::kSanitized) texts.erase(texts.begin() + 1, texts.end() - 1);
    return texts;
}

}  // namespace

TEST_CASE("a field of megabytes is not echoed") {
    const std::string text(3'000'000, 'x');
    const Place place;
    const auto refused = [](const Outcome& outcome) {
        CAPTURE(outcome.err.substr(0, 2000));
        CHECK((outcome.code == 65 || outcome.code == 78 || outcome.code == 66));
        CHECK(contains(outcome.err, "error: "));
        CHECK(outcome.err.size() < 4000);
        CHECK(outcome.out.size() < 4000);
    };
    const auto file = [&](const std::string& name, const std::string& holds) {
        write_text(place.folder.path() / name, holds);
        return place.path(name);
    };
    for (const std::string& table : tried({"x,z," + text + "\n1,2,3\n", "x,z\n1," + text + "\n", text + "\n1\n",
                                           "x,z,shot\n1,2," + text + "\n", "x,z\n1,2\n" + text})) {
        file("t.csv", table);
        refused(place.check("receivers=[{type: file, file: t.csv}]"));
        refused(place.check("sources=[{type: file, file: t.csv}]"));
        refused(place.check("wavelet={type: file, file: t.csv}"));
        refused(run_onda({"bench", "thesis", "--from", place.path("t.csv")}));
        refused(run_onda({"bench", "calibrate", "cpu", "--from", place.path("t.csv")}));
    }
    for (const std::string& line : tried({"n1=" + text, "d1=" + text, "unit1=" + text, "label1=" + text, "unit=" + text,
                                          "data_format=" + text, "in=" + text, "esize=" + text, text + "='"})) {
        // Within the megabyte that a header may have.
        const std::string header = "n1=3 n2=2 d1=1 d2=1 in=stdin data_format=native_float label1=z label2=x\n" +
                                   line.substr(0, 900'000) + "\n\x0c\x0c\x04";
        refused(run_onda({"convert", file("m.rsf", header), place.path("m.h5")}));
    }
    for (const std::string& yaml :
         {"title: [" + text + "]\n", text + ": 1\n", "grid: " + text + "\n", "grid: {" + text + ": 1}\n",
          "'" + text + "\n", "model: {type: " + text + "}\n", "schema_version: " + text + "\n"})
        refused(run_onda({"check", file("long.yaml", yaml)}));
    for (const std::string& json :
         {"\"" + text, "{\"format\": \"" + text + "\"}", "{\"" + text + "\": 1}", "[" + text, "\"" + text + "\""}) {
        refused(run_onda({"bench", "compare", file("a.json", json), place.path("a.json")}));
        refused(run_onda({"bench", "roofline", place.path("a.json"), "--output", place.path("r.png")}));
    }
    for (const std::string& yaml : {"kind: " + text + "\n", text + ": 1\n", "name: [" + text + "]\n"})
        refused(run_onda({"predict", "--device", file("device.yaml", yaml)}));
}

TEST_CASE("a cache of any text adds no line to messages, summary and log") {
    const Place place;
    const std::string cache = "export XDG_CACHE_HOME=" + quoted(place.path("cache"));
    REQUIRE(run_onda({"tune", place.path("small.yaml"), "--seconds", "0.1"}, cache).code == 0);
    for (const std::string& text : hostile_fields()) {
        if (valid_utf8(text) != text) continue;  // JSON holds no other
        CAPTURE(text);
        for (const auto& entry : std::filesystem::directory_iterator(place.folder.path() / "cache/onda")) {
            auto kept = nlohmann::json::parse(text_of(entry.path()));
            REQUIRE(kept["value"].contains("measured_utc"));
            kept["value"]["measured_utc"] = text;
            kept["hash"] = hash_of(kept["value"].dump());
            write_text(entry.path(), kept.dump());
        }
        const Outcome check = run_onda({"check", place.path("small.yaml"), "--no-trial"}, cache);
        const Outcome run =
            run_onda({"run", place.path("small.yaml"), "--force", "--output", place.path("out")}, cache);
        CAPTURE(check.out);
        CAPTURE(run.err);
        REQUIRE(check.code == 0);
        REQUIRE(run.code == 0);
        for (const std::string& said : {check.out, check.err, run.out, run.err}) check_clean(said);
        const std::string log = text_of(place.folder.path() / "out/onda.log");
        CHECK(contains(check.out, "measured " + printable(text)));
        CHECK(contains(log, "measured " + printable(text)));
        check_clean(log);
        CHECK(!contains(log, " info error: all is well"));
    }
}

TEST_CASE("a title of any text is kept, and the configuration reads back the same") {
    for (const std::string& text : hostile_fields()) {
        if (valid_utf8(text) != text) continue;
        CAPTURE(text);
        const Place place;
        std::string yaml = short_run();
        yaml.replace(yaml.find("small run in 2-D"), 16, yaml_quoted(text));
        write_text(place.folder.path() / "small.yaml", yaml);
        const Outcome outcome = run_onda({"run", place.path("small.yaml"), "--output", place.path("out")});
        CAPTURE(outcome.err);
        REQUIRE(outcome.code == 0);
        check_clean(outcome.err);
        check_clean(outcome.out);
        check_clean(text_of(place.folder.path() / "out/onda.log"));
        check_clean(text_of(place.folder.path() / "out/summary.json"));
        check_clean(text_of(place.folder.path() / "out/config.yaml"));
        // Beside what a browser takes for it, the page of the report shows what is hidden.
        const std::string page = text_of(place.folder.path() / "out/report.html");
        for (const char* hidden : {"\u202e", "\u2066", "\u2028", "\x1b", "\\u001b", "\\u0007"})
            CHECK(!contains(page, hidden));
        CHECK(nlohmann::json::parse(text_of(place.folder.path() / "out/summary.json")).at("title") == text);
        CHECK(read_config(place.folder.path() / "out/config.yaml", vocabulary()).title == text);
    }
}

TEST_CASE("folders of any name hold a whole run, whose configuration can be run again") {
    for (const std::string& text : hostile_fields()) {
        CAPTURE(text);
        const Place place;
        const auto folder = place.folder.path() / text;
        std::filesystem::create_directory(folder);
        std::string yaml = short_run();
        const auto model = yaml.find("model:"), end = yaml.find('\n', model);
        yaml.replace(model, end - model, "model: {type: constant, vp_m_s: 2000}");
        const auto receivers = yaml.find("  - {type: line");
        yaml.replace(receivers, yaml.find('\n', receivers) - receivers, "  - {type: file, file: r.csv}");
        write_text(folder / "small.yaml", yaml);
        write_text(folder / "r.csv", "x,z\n300,20\n400,20\n");
        const Outcome outcome =
            run_onda({"run", (folder / "small.yaml").string(), "--output", (folder / "out").string()});
        CAPTURE(outcome.err);
        REQUIRE(outcome.code == 0);
        check_clean(outcome.err);
        check_clean(outcome.out);
        const auto summary = nlohmann::json::parse(text_of(folder / "out/summary.json"));
        for (const auto& file : summary.at("files"))
            CHECK(std::filesystem::exists(folder / "out" / file.at("name").get<std::string>()));
        const Config first = read_config(folder / "small.yaml", vocabulary()),
                     again = read_config(folder / "out/config.yaml", vocabulary());
        CHECK(first.receivers == again.receivers);
        check_clean(text_of(folder / "out/onda.log"));
        check_clean(text_of(folder / "out/config.yaml"));
        check_clean(run_onda({"run", (folder / "out/config.yaml").string(), "--output", (folder / "again").string(),
                              "--set", "output.pictures=false"}));
        check_clean(summary.dump());
    }
}

TEST_CASE("JSON on standard output") {
    const Place place;
    std::string yaml = short_run();
    yaml.replace(yaml.find("small run in 2-D"), 16, yaml_quoted(hostile_fields().front()));
    write_text(place.folder.path() / "small.yaml", yaml);
    for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
             {"check", place.path("small.yaml"), "--json"}, {"info", "--json"}, {"dispersion", "--json"}}) {
        const Outcome outcome = run_onda(arguments);
        CHECK(outcome.code == 0);
        check_clean(outcome.out);
        CHECK(nlohmann::json::parse(outcome.out).is_object());
    }
}
