// A damaged HDF5 file, from whatever writer, is read or refused: the program neither crashes nor hangs nor grows,
// whichever bytes changed. ONDA_MUTANTS sets how many files are damaged, ONDA_SEED which.
// Takes 16 s.
#include <array>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fstream>
#include <functional>
#include <hdf5.h>
#include <iterator>
#include <map>
#include <random>
#include <sys/resource.h>
#include <sys/wait.h>

#include "io/config/config.hpp"
#include "io/models/model_file.hpp"
#include "io/models/points_file.hpp"
#include "solver/plan/names.hpp"
#include "solver/planning/make_plan.hpp"
#include "tests/io/files_support.hpp"
#include "tests/program/python.hpp"
#include "tests/sanitized.hpp"

using namespace onda;

namespace {

using Path = std::filesystem::path;
using Bytes = std::vector<char>;

// Seeds ------------------------------------------------------------------------------------------------------------

enum class DatasetStorage { contiguous, chunked, fletcher32, fletcher32_deflate };

/// How a file is written: what libraries and their options leave to choose.
struct Style {
    H5F_libver_t low;
    DatasetStorage storage;
    bool variable_text;
};

void write_texts(hid_t object, const char* name, const std::vector<const char*>& texts, bool variable) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, variable ? H5T_VARIABLE : 6);
    const hsize_t count = texts.size();
    const hid_t space = count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr);
    const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    std::string fixed;
    for (const std::string text : texts) fixed += text + std::string(6 - text.size(), '\0');
    REQUIRE(H5Awrite(attribute, type, variable ? static_cast<const void*>(texts.data()) : fixed.data()) >= 0);
    H5Aclose(attribute), H5Sclose(space), H5Tclose(type);
}

void write_numbers(hid_t object, const char* name, const std::vector<double>& values) {
    const hsize_t count = values.size();
    const hid_t space = count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr);
    const hid_t attribute = H5Acreate2(object, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    REQUIRE(H5Awrite(attribute, H5T_NATIVE_DOUBLE, values.data()) >= 0);
    H5Aclose(attribute), H5Sclose(space);
}

hid_t write_dataset(hid_t file, const char* name, const Style& style, const std::vector<hsize_t>& extents,
                    float value) {
    const int rank = static_cast<int>(extents.size());
    const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    std::vector<hsize_t> chunk;
    for (const auto extent : extents) chunk.push_back((extent + 1) / 2);
    if (style.storage != DatasetStorage::contiguous) H5Pset_chunk(list, rank, chunk.data());
    if (style.storage == DatasetStorage::fletcher32_deflate) H5Pset_deflate(list, 0);
    if (style.storage >= DatasetStorage::fletcher32) H5Pset_fletcher32(list);
    const hid_t space = H5Screate_simple(rank, extents.data(), nullptr);
    const hid_t dataset = H5Dcreate2(file, name, H5T_IEEE_F32LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
    const std::vector<float> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)), value);
    REQUIRE(H5Dwrite(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
    H5Sclose(space), H5Pclose(list);
    return dataset;
}

hid_t create(const Path& path, const Style& style) {
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, style.low, H5F_LIBVER_LATEST);
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    REQUIRE(file >= 0);
    return file;
}

const Quantity kRho{"rho", {{"kg/m3"}, {"g/cm3", 1000.}}, 1e-3, 50'000.};

void write_model(const Path& path, const Style& style) {
    const hid_t file = create(path, style);
    const hid_t vp = write_dataset(file, "vp", style, {21, 31}, 2000.f);
    write_texts(vp, "units", {"m/s"}, style.variable_text);
    write_texts(vp, "axis_labels", {"z", "x"}, style.variable_text);
    write_numbers(vp, "spacing", {5., 10.});
    write_numbers(vp, "origin", {0., 100.});
    const hid_t rho = write_dataset(file, "rho", style, {21, 31}, 2200.f);
    write_texts(rho, "units", {"kg/m3"}, style.variable_text);
    H5Dclose(rho), H5Dclose(vp), H5Fclose(file);
}

void write_points(const Path& path, const Style& style) {
    const hid_t file = create(path, style);
    const hid_t coordinates = write_dataset(file, "coordinates", style, {9, 3}, 50.f);
    write_texts(coordinates, "units", {"m"}, style.variable_text);
    const hid_t wavelet = write_dataset(file, "wavelet", style, {40}, 1.f);
    write_numbers(wavelet, "dt_s", {0.002});
    H5Dclose(wavelet), H5Dclose(coordinates), H5Fclose(file);
}

std::vector<Style> styles() {
    std::vector<Style> all;
    for (const auto low : {H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST})
        for (const auto storage : {DatasetStorage::contiguous, DatasetStorage::chunked, DatasetStorage::fletcher32,
                                   DatasetStorage::fletcher32_deflate})
            for (const bool variable_text : {false, true}) all.push_back({low, storage, variable_text});
    return all;
}

// Reading ----------------------------------------------------------------------------------------------------------

/// A loop is told from work after half a second of computing: these files have kilobytes.
sandbox::Limits tight() {
    sandbox::Limits limits;
    limits.cpu_seconds = 0.5;
    limits.bytes_per_cpu_second = 1e9;
    return limits;
}

void read_model(const Path& path) {
    const ModelFile model(path, tight());
    const auto shape = model.geometry().shape;
    std::vector<float> values(static_cast<std::size_t>(shape[0] * shape[1] * shape[2]));
    model.read({0, 0, 0}, shape, values);
    const auto range = model.stored_range();
    CHECK((!range || (*range)[0] <= (*range)[1]));
    if (model.has(kRho)) model.read(kRho, {0, 0, 0}, shape, values);
    CHECK(model.notes().size() <= 2);
}

struct Seed {
    Bytes bytes;
    void (*read)(const Path&);
};

std::vector<Seed> seeds(const Path& folder) {
    std::vector<Seed> all;
    const auto path = folder / "seed.h5";
    for (const auto& style : styles()) {
        write_model(path, style);
        read_model(path);
        all.push_back({bytes_of(path), read_model});
        write_points(path, style);
        read_sources(path), read_wavelet(path);
        all.push_back({bytes_of(path), [](const Path& file) { read_sources(file), read_wavelet(file); }});
    }
    std::filesystem::remove(path);
    write_model_file(
        path, {2, {31, 1, 21}, {10., 1., 5.}, {0., 0., 0.}},
        [](std::int64_t, std::span<float> plane) { std::fill(plane.begin(), plane.end(), 2000.f); }, "seed", false);
    all.push_back({bytes_of(path), read_model});
    return all;
}

// Damage -----------------------------------------------------------------------------------------------------------

using Random = std::mt19937_64;

std::size_t below(std::size_t n, Random& random) {
    return static_cast<std::size_t>(random() % n);
}

void change_bytes(Bytes& bytes, std::size_t count, Random& random) {
    for (; count > 0; --count) bytes[below(bytes.size(), random)] = static_cast<char>(random());
}

struct Damage {
    const char* name;
    void (*apply)(Bytes&, Random&);
};

constexpr std::array<Damage, 5> damages{{
    {"one byte", [](Bytes& bytes, Random& random) { change_bytes(bytes, 1, random); }},
    {"one bit",
     [](Bytes& bytes, Random& random) {
         auto& byte = bytes[below(bytes.size(), random)];
         byte = static_cast<char>(byte ^ (1 << below(8, random)));
     }},
    {"2 to 32 bytes", [](Bytes& bytes, Random& random) { change_bytes(bytes, 2 + below(31, random), random); }},
    {"cut short", [](Bytes& bytes, Random& random) { bytes.resize(below(bytes.size(), random)); }},
    {"zeroed page",
     [](Bytes& bytes, Random& random) {
         constexpr std::size_t page = 512;
         const auto first = below((bytes.size() + page - 1) / page, random) * page;
         std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(first), std::min(page, bytes.size() - first), '\0');
     }},
}};

std::string outcome_of(const Seed& seed, const Path& mutant) {
    try {
        seed.read(mutant);
        return "read";
    } catch (const Error& error) {
        CHECK(error.code() == ExitCode::bad_data);
        const std::string message = error.what();
        CHECK(contains(message, mutant.string()));
        if (contains(message, "crashed while reading it")) return "crashed " + message.substr(message.find('('));
        if (contains(message, "was stopped")) return "looped";
        if (contains(message, "of memory")) return "took memory";
        return contains(message, "went astray") ? "went astray" : "refused";
    }
}

int setting(const char* name, int otherwise) {
    const char* const text = std::getenv(name);
    return text == nullptr ? otherwise : std::atoi(text);
}

std::int64_t peak_kib() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return used.ru_maxrss;
}

}  // namespace

TEST_CASE("damaged files of every writer are read or refused") {
    // The sanitizer's allocator ends the process that reads where malloc would return null, and HDF5 go on.
    if (test::kSanitized) return;
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    const TemporaryFolder folder;
    const auto all = seeds(folder.path());
    const auto mutant = folder.path() / "mutant.h5";
    const auto peak_before = peak_kib();
    const int mutants = setting("ONDA_MUTANTS", 1500);
    Random random(static_cast<std::uint64_t>(setting("ONDA_SEED", 20261121)));
    std::map<std::string, std::map<std::string, int>> outcomes;
    for (int n = 0; n < mutants; ++n) {
        const auto& seed = all[below(all.size(), random)];
        const auto& damage = damages[below(damages.size(), random)];
        auto bytes = seed.bytes;
        damage.apply(bytes, random);
        std::ofstream(mutant, std::ios::binary | std::ios::trunc)
            .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        ++outcomes[damage.name][outcome_of(seed, mutant)];
    }
    for (const auto& [damage, counts] : outcomes) {
        std::string text;
        for (const auto& [outcome, count] : counts) text += ", " + outcome + " " + std::to_string(count);
        MESSAGE(damage, text);
    }
    CHECK(waitpid(-1, nullptr, WNOHANG) == -1);  // no child is left, dead or alive
    MESSAGE("memory grew by ", peak_kib() - peak_before, " KiB");
    if (!test::kSanitized) CHECK(peak_kib() - peak_before < 128 * 1024);
}

TEST_CASE("what no checksum covers is said once a dataset") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "model.h5";
    const auto notes_of = [&](const Style& style) {
        write_model(path, style);
        const ModelFile model(path);
        CHECK(model.has(kRho));
        return model.notes();
    };
    const auto covered = notes_of({H5F_LIBVER_LATEST, DatasetStorage::fletcher32, false});
    CHECK(covered.empty());
    CHECK(notes_of({H5F_LIBVER_LATEST, DatasetStorage::fletcher32_deflate, false}).empty());
    const auto notes = notes_of({H5F_LIBVER_EARLIEST, DatasetStorage::contiguous, false});
    REQUIRE(notes.size() == 2);
    CHECK(contains(notes[0], "model.h5: /vp: no checksum covers its values and attributes"));
    CHECK(contains(notes[1], "model.h5: /rho: no checksum covers its values and attributes"));
    CHECK(contains(notes_of({H5F_LIBVER_LATEST, DatasetStorage::chunked, false}).at(0), "covers its values, so"));
    CHECK(contains(notes_of({H5F_LIBVER_LATEST, DatasetStorage::fletcher32, true}).at(0), "covers its attributes, so"));
    CHECK(contains(notes_of({H5F_LIBVER_EARLIEST, DatasetStorage::fletcher32, false}).at(0),
                   "covers its attributes, so"));
}

TEST_CASE("what no checksum covers is a note of the plan, told before the model is made and after") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "model.h5";
    write_model(path, {H5F_LIBVER_LATEST, DatasetStorage::fletcher32, false});
    const auto config = read_config_text(R"(schema_version: 1
grid: {shape: [31, 21], spacing_m: [10, 5], origin_m: [100, 0]}
model: {type: file, file: model.h5}
time: {duration_s: 0.01}
boundary: {cpml_width: 4}
wavelet: {type: ricker, peak_frequency_hz: 15}
sources: [{position_m: [200, 50]}]
receivers: [{type: line, first_m: [150, 50], last_m: [350, 50], count: 3}]
)",
                                         "run.yaml", vocabulary(), {"model.file=" + path.string(), "backend.name=cpu"});
    const auto plain = make_plan(config).notes;
    write_model(path, {H5F_LIBVER_EARLIEST, DatasetStorage::contiguous, false});
    const Plan plan = make_plan(config);
    const auto told = plan.notes,
               made =
                   refine(plan, make_model(config.model, plan.setup.scheme.equation, plan.domain.grid, config.origin))
                       .notes;
    REQUIRE(told.size() == plain.size() + 2);
    CHECK(told == made);
    CHECK(contains(told.back(), "/rho: no checksum covers its values and attributes"));
}

TEST_CASE("the recipe of docs/file_formats.md makes a file that checksums cover") {
    const auto python = python_with("import h5py, numpy");
    if (python.empty()) {
        MESSAGE("skipped: no Python here has h5py and numpy");
        return;
    }
    std::ifstream in(std::string(ONDA_SOURCE_DIR) + "/docs/file_formats.md");
    std::string script;
    bool inside = false;
    for (std::string line; std::getline(in, line);) {
        const bool fence = line.starts_with("```");
        if (inside && !fence) script += line + "\n";
        inside = fence ? line == "```python" : inside;
    }
    REQUIRE(contains(script, "create_dataset(\"rho\""));
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "recipe.py") << script;
    REQUIRE(exit_status("cd " + shell_quoted(folder.path().string()) + " && " + shell_quoted(python) + " recipe.py") ==
            0);
    const ModelFile model(folder.path() / "model.h5");
    CHECK(model.has(kRho));
    CHECK(model.geometry().shape == std::array<std::int64_t, 3>{301, 1, 201});
    CHECK(model.notes().empty());
}
