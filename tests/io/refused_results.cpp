// Results in which one thing is not what it says are refused with the name of that thing, by what reads own files and
// by what reads anybody's; and what is no plain file is none. Takes 5 s.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <functional>
#include <hdf5.h>
#include <limits>
#include <sys/stat.h>

#include "io/files/plain_file.hpp"
#include "io/results/result_reader.hpp"
#include "io/results/snapshots.hpp"
#include "tests/io/files_support.hpp"
#include "tests/io/result_file_checks.hpp"

using namespace onda;

namespace {

using Values = std::vector<double>;

const double kNoNumber = std::numeric_limits<double>::quiet_NaN();

/// A result that is changed by calls of HDF5 alone.
class ChangedFile {
public:
    explicit ChangedFile(const std::filesystem::path& file) : file_(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)) {
        REQUIRE(file_ >= 0);
    }
    ~ChangedFile() { H5Fclose(file_); }
    ChangedFile(const ChangedFile&) = delete;
    ChangedFile& operator=(const ChangedFile&) = delete;

    void rename(const std::string& from, const std::string& to) const {
        REQUIRE(H5Lmove(file_, from.c_str(), file_, to.c_str(), H5P_DEFAULT, H5P_DEFAULT) >= 0);
    }
    void remove_attribute(const std::string& object, const std::string& name) const {
        REQUIRE(H5Adelete_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT) >= 0);
    }
    /// One number is no list.
    void set_attribute(const std::string& object, const std::string& name, const Values& values) const {
        remove_attribute(object, name);
        const hsize_t count = values.size();
        const hid_t space = values.size() == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr);
        const hid_t attribute = H5Acreate_by_name(file_, object.c_str(), name.c_str(), H5T_NATIVE_DOUBLE, space,
                                                  H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        REQUIRE(H5Awrite(attribute, H5T_NATIVE_DOUBLE, values.data()) >= 0);
        H5Aclose(attribute);
        H5Sclose(space);
    }
    void replace(const std::string& path, const std::vector<hsize_t>& extents, const Values& values) const {
        REQUIRE(H5Ldelete(file_, path.c_str(), H5P_DEFAULT) >= 0);
        const hid_t space = H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr);
        const hid_t dataset =
            H5Dcreate2(file_, path.c_str(), H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        REQUIRE(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
        H5Dclose(dataset);
        H5Sclose(space);
    }

private:
    hid_t file_;
};

struct Change {
    std::function<void(const ChangedFile& file)> make;
    std::string told;      ///< by what reads anybody's files
    std::string told_own;  ///< by what reads own ones; empty: the same
};

void write_gather(const std::filesystem::path& file) {
    ShotGather gather = sample_gather(7, 4, 9);
    gather.source_wavelet = {0};
    gather.source_amplitude = {-2.5};
    gather.wavelets = {0.001, {"ricker"}, {0.1}, {12.}, {0., 1., 0.}, "Pa"};
    SeismogramWriter writer(file, {}, true);
    writer.write(gather);
    writer.commit();
}

}  // namespace

TEST_CASE("seismograms of which one thing is wrong are refused by its name") {
    const std::string own_wavelets = "must have the shape [wavelet][time]",
                      own_sources = "must have a value for each of";
    const std::vector<Change> changes{
        {[](const ChangedFile& file) { file.set_attribute("/", "format_version", {99.}); },
         "its format_version is not one that this program reads",
         {}},
        {[](const ChangedFile& file) {
             file.replace("shots/7/receivers", {4, 2}, Values(8));
         },
         "must have the shape [n][3]",
         {}},
        {[](const ChangedFile& file) {
             file.replace("shots/7/receivers", {4, 3}, Values(12, kNoNumber));
         },
         "must hold finite numbers", "no error"},  // of its own files the program trusts the numbers
        {[](const ChangedFile& file) {
             file.replace("shots/7/receivers", {3, 3}, Values(9));
         },
         "one row for each of the 3 receivers",
         {}},
        {[](const ChangedFile& file) { file.set_attribute("shots/7/pressure", "dt_s", {-1.}); },
         "attribute dt_s must be a positive number of seconds",
         {}},
        {[](const ChangedFile& file) { file.set_attribute("shots/7/wavelet", "dt_s", {0.}); },
         "must have the attribute dt_s, and type, t0_s and peak_frequency_hz", own_wavelets},
        {[](const ChangedFile& file) {
             file.set_attribute("shots/7/wavelet", "t0_s", {0., 1.});
         },
         "must have the attribute dt_s, and type, t0_s and peak_frequency_hz", own_wavelets},
        {[](const ChangedFile& file) { file.replace("shots/7/source_wavelet", {1}, {5.}); },
         "must have numbers of wavelets", own_sources},
        {[](const ChangedFile& file) {
             file.replace("shots/7/source_wavelet", {2}, {0., 0.});
         },
         "must have a number for each of the 1 sources", own_sources},
        {[](const ChangedFile& file) {
             file.replace("shots/7/source_amplitude", {2}, {1., 1.});
         },
         "must have a finite number for each of the 1 sources", own_sources},
    };
    const TemporaryFolder folder;
    const auto file = folder.path() / "seismograms.h5";
    for (const Change& change : changes) {
        CAPTURE(change.told);
        write_gather(file);
        change.make(ChangedFile(file));
        const std::string told = message_of([&] { (void)SeismogramReader(file).open(7); }, ExitCode::bad_data);
        CHECK_MESSAGE(contains(told, change.told), told);
        const std::string& own = change.told_own.empty() ? change.told : change.told_own;
        const std::string told_own = message_of([&] { (void)read_gather(file, 7); }, ExitCode::bad_data);
        CHECK_MESSAGE(contains(told_own, own), told_own);
    }
    write_gather(file);
    ChangedFile(file).rename("shots/7", "shots/seven");
    CHECK(contains(message_of([&] { (void)SeismogramReader(file); }, ExitCode::bad_data),
                   "'seven' is not a shot number"));
}

TEST_CASE("snapshots of which one thing is wrong are refused by its name") {
    const std::vector<Change> changes{
        {[](const ChangedFile& file) {
             file.set_attribute("shots/1/pressure", "spacing", {1., 2.});
         },
         "attribute spacing must be three positive numbers",
         {}},
        {[](const ChangedFile& file) {
             file.set_attribute("shots/1/pressure", "spacing", {1., 2., -1.});
         },
         "attribute spacing must be three positive numbers",
         {}},
        {[](const ChangedFile& file) {
             file.set_attribute("shots/1/pressure", "origin", {1., 2., kNoNumber});
         },
         "attribute origin must be three numbers",
         {}},
        {[](const ChangedFile& file) {
             file.replace("shots/1/time_s", {3}, {0., 1., 2.});
         },
         "must have one time for each of the 2 snapshots",
         {}},
        {[](const ChangedFile& file) {
             file.replace("shots/1/pressure", {2, 4}, Values(8));
         },
         "must have the shape [time][z][y][x]",
         {}},
    };
    const TemporaryFolder folder;
    const auto file = folder.path() / "snapshots.h5";
    for (const Change& change : changes) {
        CAPTURE(change.told);
        SnapshotWriter writer(file, {3, {2, 3, 2}, {1., 1., 1.}, {0., 0., 0.}}, {}, true);
        writer.begin_shot(1, 2);
        for (const double time_s : {0., 1.}) writer.write(time_s, std::vector<float>(12));
        writer.commit();
        change.make(ChangedFile(file));
        const std::string told = message_of([&] { (void)SnapshotReader(file).open(1); }, ExitCode::bad_data);
        CHECK_MESSAGE(contains(told, change.told), told);
    }
}

TEST_CASE("what is no plain file is named and not opened") {
    const TemporaryFolder folder;
    const auto socket = folder.path() / "socket", pipe = folder.path() / "pipe", link = folder.path() / "link";
    REQUIRE(::mknod(socket.c_str(), S_IFSOCK | 0600, 0) == 0);
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    std::filesystem::create_symlink("/dev/null", link);
    struct Special {
        std::filesystem::path path;
        std::string kind;
    };
    const std::vector<Special> all{{socket, "a socket"},
                                   {pipe, "a pipe"},
                                   {link, "a symbolic link"},
                                   {folder.path(), "a folder"},
                                   {"/dev/null", "a device"}};
    for (const Special& special : all) {
        CAPTURE(special.path);
        CHECK(special_kind(special.path) == special.kind);
        CHECK(
            contains(message_of([&special] { (void)open_plain_file(special.path, O_RDONLY); }, ExitCode::cannot_create),
                     special.path.string()));
    }
    CHECK(special_kind(folder.path() / "nothing").empty());
}
