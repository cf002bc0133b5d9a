// What is written is read back; a file is complete under its final name or absent, even when the disk is full.
// Takes less than a second.
#include "io/hdf5/hdf5.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <fstream>
#include <functional>
#include <future>
#include <numeric>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "io/files/atomic_file.hpp"
#include "io/files/sanitized.hpp"
#include "io/hdf5/guarded_hdf5.hpp"
#include "tests/io/file_size_limit.hpp"
#include "tests/io/files_support.hpp"

using namespace onda;

namespace {

const hdf5::Extents kExtents{5, 60, 70};

std::vector<float> ramp() {
    std::vector<float> values(5 * 60 * 70);
    std::iota(values.begin(), values.end(), 0.5f);
    return values;
}

/// The way every writer of Onda goes: temporary name, checked closes, rename.
void write_ramp(const std::filesystem::path& path) {
    AtomicFile target(path, false);
    auto file = hdf5::File::create(target.temporary(), path);
    auto group = file.create_group("shots");
    auto data = group.create_dataset("pressure", hdf5::Element::float32, {kExtents, {1, 20, 70}, {"z", "y", "x"}});
    data.set_text("units", "Pa");
    data.write_all<float>(ramp());
    data.close();
    group.close();
    file.close();
    target.commit();
}

/// Whether several threads of a process that has not used HDF5 before can open a file at the same time.
bool opens_by_threads(const std::filesystem::path& path) {
    // The allocator of a sanitizer, unlike that of the system, may be locked by another thread when a process is
    // started.
    constexpr int threads = kSanitized ? 1 : 8;
    std::vector<std::future<bool>> runs;
    for (int thread = 0; thread < threads; ++thread)
        runs.push_back(std::async(std::launch::async, [&] { return guarded::File::open(path).contains("shots"); }));
    try {
        return std::ranges::count_if(runs, [](std::future<bool>& run) { return run.get(); }) == std::ssize(runs);
    } catch (const Error&) {
        return false;
    }
}

/// Whether a process of its own finds something to be true.
bool in_fresh_process(const std::function<bool()>& body) {
    const pid_t process = fork();
    if (process == 0) _exit(body() ? 0 : 1);
    int status = 0;
    return waitpid(process, &status, 0) == process && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

// The first of this file: HDF5 sets itself up when it is used first, and no process may be started meanwhile.
TEST_CASE("several threads open a file at the same time, with a process for each that reads it") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "a.h5";
    REQUIRE(in_fresh_process([&] {
        write_ramp(path);
        return true;
    }));
    for (int round = 0; round < 60; ++round) REQUIRE(in_fresh_process([&] { return opens_by_threads(path); }));
}

TEST_CASE("the process that has read a file reads another one, unless something of the first is still used") {
    const TemporaryFolder folder;
    const auto write = [&](const char* name, double value) {
        const auto path = folder.path() / name;
        auto file = hdf5::File::create(path, path);
        auto values = file.create_dataset("values", hdf5::Element::float64, {{3}, {}, {}});
        values.write_all(std::span<const double>(std::vector<double>(3, value)));
        values.close();
        file.close();
        return path;
    };
    const auto one = write("one.h5", 1.), two = write("two.h5", 2.);
    std::ofstream(folder.path() / "none.h5") << "no HDF5 file";
    const auto value_in = [](const guarded::File& file) { return file.open_dataset("values").read_all().front(); };
    guarded::File file = guarded::File::open(one);
    CHECK(value_in(file) == 1.);
    file = guarded::File::open_after(std::move(file), two);
    CHECK(value_in(file) == 2.);
    CHECK(file.place() == two.string());
    const guarded::Dataset kept = file.open_dataset("values");
    file = guarded::File::open_after(std::move(file), one);
    CHECK(value_in(file) == 1.);
    CHECK(kept.read_all().front() == 2.);
    const std::string refusal =
        message_of([&] { static_cast<void>(guarded::File::open_after(std::move(file), folder.path() / "none.h5")); },
                   ExitCode::bad_data);
    CHECK(refusal.find("none.h5") != std::string::npos);
    CHECK(
        message_of(
            [&] { static_cast<void>(guarded::File::open_after(guarded::File::open(one), folder.path() / "gone.h5")); },
            ExitCode::missing_input)
            .find("gone.h5") != std::string::npos);
}

TEST_CASE("values, boxes and attributes come back") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "a.h5";
    {
        auto file = hdf5::File::create(path, path);
        file.set_text("empty", "");
        file.set_text("utf8", "Kármán");
        file.set_texts("axes", {"z", "yy", "x"});
        file.set_numbers("spacing", std::vector{1.5, -2.25});
        file.set_numbers("no numbers", {});
        file.set_texts("no texts", {});
        file.set_integer("count", 1LL << 60);
        auto data = file.create_dataset("p", hdf5::Element::float32, {kExtents, {}, {}});
        data.write_all<float>(ramp());
        data.close();
        file.create_dataset("nothing", hdf5::Element::float64, {{0, 3}, {}, {}}).close();
        file.create_group("b").create_group("c").close();
        file.close();
    }
    const auto file = hdf5::File::open(path);
    CHECK(file.text("empty") == "");
    CHECK(file.text("utf8") == "Kármán");
    CHECK(file.texts("axes") == std::vector<std::string>{"z", "yy", "x"});
    CHECK(file.numbers("spacing") == std::vector{1.5, -2.25});
    CHECK(file.number("count") == 0x1p60);
    CHECK(file.numbers("no numbers")->empty());
    CHECK(file.texts("no texts")->empty());
    CHECK_FALSE(file.text("absent").has_value());
    CHECK(file.names() == std::vector<std::string>{"b", "nothing", "p"});
    CHECK(file.open_group("b/c").names().empty());
    CHECK(file.open_dataset("nothing").read_all<float>().empty());
    const auto data = file.open_dataset("p");
    CHECK(data.extents() == kExtents);
    CHECK(data.read_all<float>() == ramp());
    std::vector<double> box(2 * 3 * 4);
    data.read<double>({1, 2, 3}, {2, 3, 4}, box);
    CHECK(box[0] == 0.5 + 70 * (2 + 60 * 1) + 3);
    CHECK(box[23] == 0.5 + 70 * (4 + 60 * 2) + 6);
    std::vector<float> outside(1);
    CHECK(fault_of([&] { data.read<float>({5, 0, 0}, {1, 1, 1}, outside); }).code() == ExitCode::internal);
}

TEST_CASE("faults name the file, the object and HDF5's reason") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "a.h5";
    CHECK(fault_of([&] { auto f = hdf5::File::open(path); }).code() == ExitCode::missing_input);
    CHECK(fault_of([&] { auto f = hdf5::File::open(folder.path()); }).code() == ExitCode::missing_input);
    std::ofstream(path) << "not HDF5";
    const auto not_hdf5 = fault_of([&] { auto f = hdf5::File::open(path); });
    CHECK(not_hdf5.code() == ExitCode::bad_data);
    CHECK(contains(not_hdf5.what(), path.string()));
    CHECK(contains(not_hdf5.what(), "file signature not found"));

    const auto good = folder.path() / "good.h5";
    write_ramp(good);
    const auto file = hdf5::File::open(good);
    const auto absent = fault_of([&] { auto d = file.open_dataset("shots/velocity"); });
    CHECK(absent.code() == ExitCode::bad_data);
    CHECK(contains(absent.what(), good.string() + ": has no dataset shots/velocity"));
    CHECK(contains(fault_of([&] { auto d = file.open_dataset("shots"); }).what(), "shots is not a dataset"));
    const auto data = file.open_dataset("shots/pressure");
    CHECK(contains(fault_of([&] { (void)data.number("units"); }).what(),
                   good.string() + ": /shots/pressure: attribute units must be numbers"));
}

TEST_CASE("a dataset left open is noticed at close") {
    const TemporaryFolder folder;
    auto file = hdf5::File::create(folder.path() / "a.h5", "a.h5");
    auto data = file.create_dataset("p", hdf5::Element::float32, {kExtents, {}, {}});
    CHECK(fault_of([&] { file.close(); }).code() == ExitCode::internal);
    data.close();
    file.close();
}

TEST_CASE("on a full disk writing fails, and leaves neither the file nor its temporary") {
    const TemporaryFolder folder;
    write_ramp(folder.path() / "whole.h5");
    const auto whole = std::filesystem::file_size(folder.path() / "whole.h5");
    std::filesystem::remove(folder.path() / "whole.h5");
    for (std::uintmax_t limit = 0; limit < whole; limit += whole / 40) {
        CAPTURE(limit);
        {
            const FileSizeLimit full(limit);
            const auto fault = fault_of([&] { write_ramp(folder.path() / "p.h5"); });
            CHECK((fault.code() == ExitCode::io_error || fault.code() == ExitCode::cannot_create));
            CHECK(contains(fault.what(), "p.h5"));
            CHECK(contains(fault.what(), "File too large"));
            CHECK_FALSE(contains(fault.what(), "\n"));
        }
        CHECK(files_in(folder.path()) == 0);
    }
    write_ramp(folder.path() / "p.h5");
    CHECK(hdf5::File::open(folder.path() / "p.h5").open_dataset("shots/pressure").read_all<float>() == ramp());
}
