// A file is complete under its name or absent; temporary files that nobody owns go, and no others; codes tell whether
// the place or the disk is at fault.
// Takes less than a second.
#include "io/files/atomic_file.hpp"

#include <cerrno>
#include <chrono>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <fstream>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/files/plain_file.hpp"
#include "tests/io/file_size_limit.hpp"
#include "tests/io/files_support.hpp"

using namespace onda;

namespace {

/// The tag of this start of the machine, as a temporary file has it.
std::string boot_of(const AtomicFile& file) {
    const std::string name = file.temporary().filename();
    return name.substr(name.find(".partial-") + 9, 8);
}

}  // namespace

TEST_CASE("a temporary file goes from a folder that has got another name") {
    const TemporaryFolder folder;
    const auto before = folder.path() / "unfinished", after = folder.path() / "shots";
    std::filesystem::create_directory(before);
    {
        const AtomicFile file(before / "a.h5", false);
        CHECK(std::filesystem::exists(file.temporary()));
        std::filesystem::rename(before, after);
    }
    CHECK(std::filesystem::is_empty(after));
}

TEST_CASE("text files are complete or absent, and never overwritten unasked") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "a.txt";
    write_text_file(path, "first", false);
    const auto taken = fault_of([&] { write_text_file(path, "second", false); });
    CHECK(taken.code() == ExitCode::cannot_create);
    CHECK(contains(taken.what(), "--force"));
    write_text_file(path, "second", true);
    std::string text;
    std::getline(std::ifstream(path), text);
    CHECK(text == "second");
    {
        const FileSizeLimit full(1000);
        const auto fault = fault_of([&] { write_text_file(path, std::string(2000, 'x'), true); });
        CHECK(fault.code() == ExitCode::io_error);
        CHECK(contains(fault.what(), "2000 bytes"));
    }
    std::getline(std::ifstream(path), text);
    CHECK(text == "second");
    CHECK(files_in(folder.path()) == 1);
    CHECK(fault_of([&] { write_text_file(folder.path() / "no" / "a.txt", "", false); }).code() ==
          ExitCode::cannot_create);
    CHECK(fault_of([&] { write_text_file(folder.path(), "", true); }).code() == ExitCode::cannot_create);
}

TEST_CASE("a second name of a file takes the place of another one, and of itself") {
    const TemporaryFolder folder;
    write_text_file(folder.path() / "model", "the model", false);
    write_text_file(folder.path() / "name", "another", false);
    for (int time = 0; time < 2; ++time) {
        AtomicFile::of(folder.path() / "model", folder.path() / "name", true).commit();
        CHECK(std::filesystem::equivalent(folder.path() / "model", folder.path() / "name"));
        CHECK(files_in(folder.path()) == 2);
    }
}

TEST_CASE("a name taken while the file was written is not overwritten") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "a.txt";
    AtomicFile file(path, false);
    std::ofstream(path) << "other";
    CHECK(fault_of([&] { file.commit(); }).code() == ExitCode::cannot_create);
    std::string text;
    std::getline(std::ifstream(path), text);
    CHECK(text == "other");
}

TEST_CASE("temporary files that no living program owns are removed, of this file and no other") {
    const TemporaryFolder folder;
    std::string boot;
    {
        const AtomicFile file(folder.path() / "a.txt", false);
        boot = boot_of(file);
    }
    const std::vector<std::string> abandoned{"a.txt.partial-" + boot + "-0123abcd",
                                             "a.txt.partial-" + boot + "-ffffffff",
                                             "a.txt.partial-00000000-0123abcd"};  // of another start, on this disk
    const std::vector<std::string> foreign{"b.txt.partial-" + boot + "-0123abcd",
                                           "a.txt.partial-123",
                                           "a.txt.partial",
                                           "a.txt.partial-" + boot + "-0123abcg",
                                           "a.txt.partial-" + boot + "-0123abcde",
                                           "xa.txt.partial-" + boot + "-0123abcd",
                                           "a.txt.partial-11111111-0123abcd",  // another machine may be writing it
                                           "a.txt"};
    for (const auto& names : {abandoned, foreign})
        for (const std::string& name : names) std::ofstream(folder.path() / name) << "text";
    std::filesystem::last_write_time(
        folder.path() / abandoned.back(),
        std::filesystem::file_time_type::clock::now() - std::chrono::hours(24 * 3650));  // long before this start
    std::filesystem::create_directory(folder.path() / ("a.txt.partial-" + boot + "-11111111"));
    std::filesystem::create_symlink(folder.path() / "a.txt", folder.path() / ("a.txt.partial-" + boot + "-22222222"));
    REQUIRE(mkfifo((folder.path() / ("a.txt.partial-" + boot + "-33333333")).c_str(), 0600) == 0);
    { const AtomicFile file(folder.path() / "a.txt", true); }
    for (const std::string& name : abandoned) CHECK_MESSAGE(!std::filesystem::exists(folder.path() / name), name);
    for (const std::string& name : foreign) CHECK_MESSAGE(std::filesystem::exists(folder.path() / name), name);
    CHECK(files_in(folder.path()) == foreign.size() + 3);
}

TEST_CASE("temporary files that are being written stay, in this program and in others") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "a.txt";
    AtomicFile first(path, false), second(path, false);
    CHECK(std::filesystem::exists(first.temporary()));
    AtomicFile moved = std::move(first);
    int to_child[2], from_child[2];
    REQUIRE((pipe(to_child) == 0 && pipe(from_child) == 0));
    const pid_t child = fork();
    if (child == 0) {
        const AtomicFile other(path, false);
        char byte = 0;
        const bool told = write(from_child[1], &byte, 1) == 1;
        close(to_child[1]);
        _exit(told && read(to_child[0], &byte, 1) == 0 ? 0 : 1);  // without destructors: as if it had been killed
    }
    char byte = 1;
    close(from_child[1]);
    CHECK(read(from_child[0], &byte, 1) == 1);
    { const AtomicFile third(path, false); }
    CHECK(files_in(folder.path()) == 3);  // the child's is alive
    close(to_child[0]);
    close(to_child[1]);
    close(from_child[0]);
    int status = 0;
    CHECK((waitpid(child, &status, 0) == child && status == 0));
    { const AtomicFile third(path, false); }
    CHECK(files_in(folder.path()) == 2);
    moved.commit();
    CHECK(std::filesystem::exists(path));
}

TEST_CASE("only plain files are replaced, and nothing is waited for") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "a.txt", other = folder.path() / "other";
    std::ofstream(other) << "mine";
    const auto refused = [&](const std::string& kind) {
        for (const bool overwrite : {false, true}) {
            const Error fault = fault_of([&] { write_text_file(path, "text", overwrite); });
            CHECK(fault.code() == ExitCode::cannot_create);
            if (overwrite) CHECK(contains(fault.what(), kind));
        }
        std::filesystem::remove(path);
    };
    std::filesystem::create_symlink(other, path);
    refused("a symbolic link");
    std::filesystem::create_symlink(folder.path() / "nowhere", path);
    refused("a symbolic link");
    REQUIRE(mkfifo(path.c_str(), 0600) == 0);
    refused("a pipe");
    std::filesystem::create_directory(path);
    refused("a folder");
    CHECK(files_in(folder.path()) == 1);

    AtomicFile late(path, true);
    std::filesystem::create_symlink(other, path);
    CHECK(fault_of([&] { late.commit(); }).code() == ExitCode::cannot_create);
    std::ifstream in(other);
    std::string text;
    CHECK((std::getline(in, text) && text == "mine"));
}

TEST_CASE("an error of the system is the place's fault or the disk's") {
    for (const int error : {EACCES, EPERM, EROFS, ENOENT, ENOTDIR, EISDIR, EEXIST, ELOOP, ENAMETOOLONG, ENXIO})
        CHECK_MESSAGE(creation_fault(error) == ExitCode::cannot_create, error);
    for (const int error : {ENOSPC, EDQUOT, EIO, EFBIG, EMFILE, ENFILE, ENOMEM, ESTALE})
        CHECK_MESSAGE(creation_fault(error) == ExitCode::io_error, error);
}

TEST_CASE("a full table of inodes is the disk's fault, a missing permission the place's") {
    const TemporaryFolder folder;
    if (mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "nr_inodes=2") != 0) {
        MESSAGE("skipped: file systems cannot be mounted here");
        return;
    }
    write_text_file(folder.path() / "a.txt", "text", false);
    CHECK(fault_of([&] { write_text_file(folder.path() / "b.txt", "text", false); }).code() == ExitCode::io_error);
    CHECK(mount(nullptr, folder.path().c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) == 0);
    CHECK(fault_of([&] { write_text_file(folder.path() / "b.txt", "text", false); }).code() == ExitCode::cannot_create);
    CHECK(umount(folder.path().c_str()) == 0);
}
