// Only what Onda wrote, and can prove it wrote, is ever replaced or removed.
// Takes 9 s.
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <sys/un.h>

#include "io/files/interruption.hpp"
#include "solver/run/run_folder.hpp"
#include "tests/program/process.hpp"
#include "tests/solver/small_run.hpp"

using namespace onda;
using Json = nlohmann::json;

namespace {

/// A folder with a configuration, and results where a test puts them.
struct ForeignPlace {
    ForeignPlace() { write_text(folder.path() / "small.yaml", kSmall2d); }
    [[nodiscard]] std::filesystem::path out() const { return folder.path() / "out"; }
    /// Under `timeout`: what hangs ends with 124.
    [[nodiscard]] Outcome run(const std::vector<std::string>& more = {}) const {
        std::vector<std::string> arguments{"run", folder.path() / "small.yaml", "--output", out()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_onda(arguments, "true", "timeout 120");
    }
    void check_refused(const Outcome& outcome, const std::string& name) const {
        CAPTURE(outcome.err);
        CHECK(outcome.code == 73);
        CHECK(contains(outcome.err, name));
        CHECK(partial_files(out()).empty());
    }
    TemporaryFolder folder;
};

const std::vector<std::string> kResults{"seismograms.h5", "snapshots.h5", "snapshots.xdmf", "config.yaml",
                                        "summary.json",   "gather.png",   "model_xz.png",   "snapshot_xz_0.1s.png"};

/// A summary of these files, as RunFolder::publish wants it.
std::string summary_of(const FileList& list) {
    Json summary = Json::array();
    std::string text = "{\n  \"format\": \"onda-summary\",\n  \"format_version\": 1";
    const auto add = [&text](const std::string& key, const std::vector<FileRecord>& files) {
        Json names = Json::array();
        for (const FileRecord& file : files) {
            names.push_back({{"name", file.name}});
            if (!file.hash.empty()) names.back().update({{"bytes", file.bytes}, {"hash", file.hash}});
        }
        text += ",\n  \"" + key + "\": " + names.dump();
    };
    add("files", list.files);
    if (!list.replaced.empty()) add("files_replaced", list.replaced);
    return text + "\n}\n";
}

std::vector<AtomicFile> staged(const RunFolder& folder, const std::vector<std::string>& names,
                               const std::string& text) {
    std::vector<AtomicFile> files;
    for (const std::string& name : names)
        files.push_back(stage_text_file(folder.path() / name, text + name, folder.overwrite()));
    return files;
}

}  // namespace

TEST_CASE("--force replaces the results of a run as often as it is asked to") {
    const ForeignPlace place;
    for (int run = 0; run < 3; ++run) CHECK(place.run({"--force"}).code == 0);
}

TEST_CASE("--force leaves the files that another program's summary.json lists") {
    const ForeignPlace place;
    for (const std::string summary : {R"({"files":["notes.txt"]})", R"({"files":[{"name":"notes.txt"}]})", "{", "",
                                      "{\n  \"format\": \"onda-summary\"\n}\n"}) {
        CAPTURE(summary);
        std::filesystem::create_directory(place.out());
        write_text(place.out() / "summary.json", summary);
        write_text(place.out() / "notes.txt", "mine");
        place.check_refused(place.run({"--force"}), "summary.json");
        CHECK(text_of(place.out() / "notes.txt") == "mine");
        CHECK(text_of(place.out() / "summary.json") == summary);
    }
}

TEST_CASE("--force refuses a file of a result's name that is not Onda's, and touches nothing") {
    for (const std::string& name : kResults) {
        CAPTURE(name);
        const ForeignPlace place;
        std::filesystem::create_directory(place.out());
        write_text(place.out() / name, "not Onda's");
        place.check_refused(place.run({"--force"}), name);
        CHECK(text_of(place.out() / name) == "not Onda's");
        CHECK(!std::filesystem::exists(place.out() / "onda.log"));
    }
}

TEST_CASE("--force refuses results that were changed, by a byte at either end or in their length") {
    const ForeignPlace place;
    REQUIRE(place.run().code == 0);
    for (const auto& entry : std::filesystem::directory_iterator(place.out())) {
        const std::string name = entry.path().filename(), text = text_of(entry.path());
        if (name == "onda.log") continue;
        std::string first = text, middle = text, last = text;
        first[0] ^= 1;
        middle[text.size() / 2] ^= 1;
        last.back() ^= 1;
        for (const std::string& changed : {first, middle, last, text + "\n", std::string()}) {
            CAPTURE(name);
            write_text(entry.path(), changed);
            const Error fault = fault_of([&] { refuse_taken_folder(place.out(), true); });
            CHECK(fault.code() == ExitCode::cannot_create);
            CHECK(contains(fault.what(), name));
        }
        write_text(entry.path(), text);
    }
    CHECK(place.run({"--force"}).code == 0);
}

TEST_CASE("links, pipes, sockets and folders under the names of results are refused at once") {
    std::vector<std::string> names = kResults;
    names.push_back("onda.log");
    const TemporaryFolder folder;
    const auto other = folder.path() / "other", out = folder.path() / "out";
    write_text(other, "not Onda's");
    std::filesystem::create_directory(out);
    const auto check = [&](const std::string& name, const std::string& kind) {
        CAPTURE(name);
        for (const bool force : {false, true}) {
            const Error fault = fault_of([&] { refuse_taken_folder(out, force); });
            CHECK(fault.code() == ExitCode::cannot_create);
            CHECK(contains(fault.what(), name));
            if (force || name == "onda.log") CHECK(contains(fault.what(), "is " + kind));
        }
        CHECK(text_of(other) == "not Onda's");
        std::filesystem::remove(out / name);
    };
    for (const std::string& name : names) {
        std::filesystem::create_symlink(other, out / name);
        check(name, "a symbolic link");
        REQUIRE(mkfifo((out / name).c_str(), 0600) == 0);
        check(name, "a pipe");
        REQUIRE(mknod((out / name).c_str(), S_IFSOCK | 0600, 0) == 0);
        check(name, "a socket");
        std::filesystem::create_directory(out / name);
        check(name, "a folder");
    }
}

TEST_CASE("the program does not wait for a pipe, and writes through no link") {
    const ForeignPlace place;
    const auto other = place.folder.path() / "other";
    write_text(other, "not Onda's");
    std::filesystem::create_directory(place.out());
    for (const std::string name : {"onda.log", "summary.json", "config.yaml"}) {
        REQUIRE(mkfifo((place.out() / name).c_str(), 0600) == 0);
        for (const auto& force : {std::vector<std::string>{}, {"--force"}}) place.check_refused(place.run(force), name);
        std::filesystem::remove(place.out() / name);
        std::filesystem::create_symlink(other, place.out() / name);
        for (const auto& force : {std::vector<std::string>{}, {"--force"}}) place.check_refused(place.run(force), name);
        std::filesystem::remove(place.out() / name);
    }
    CHECK(text_of(other) == "not Onda's");
}

TEST_CASE("a log is continued only if it is Onda's") {
    const ForeignPlace place;
    std::filesystem::create_directory(place.out());
    const auto log = place.out() / "onda.log";
    for (const std::string text : {"dear diary\n", "2026-01-01 not a log of Onda, though it begins with a date\n"})
        for (const bool force : {false, true}) {
            write_text(log, text);
            place.check_refused(force ? place.run({"--force"}) : place.run(), "onda.log");
            CHECK(text_of(log) == text);
        }
    write_text(log, "");
    CHECK(place.run({"--force"}).code == 0);
    const std::string before = text_of(log);
    CHECK(place.run({"--force"}).code == 0);
    CHECK(text_of(log).starts_with(before));
    CHECK(text_of(log).size() > before.size());
}

TEST_CASE("a foreign file that appears during the run is refused at its end, and all of the earlier run stays") {
    const ForeignPlace place;
    REQUIRE(place.run().code == 0);
    const std::string summary = text_of(place.out() / "summary.json");
    const std::string said =
        run_onda({"run", place.folder.path() / "small.yaml", "--output", place.folder.path() / "b"}).err;
    NarrowPipe pipe(said.find("done ") + 5);
    Process process({"run", place.folder.path() / "small.yaml", "--output", place.out(), "--force"}, pipe.writer());
    REQUIRE(wait_until([&] { return !partial_files(place.out(), "snapshots.xdmf").empty(); }));
    write_text(place.out() / "config.yaml", "edited meanwhile");
    pipe.drain();
    CHECK(process.wait() == 0);
    CHECK(process.code() == 73);
    CHECK(text_of(place.out() / "config.yaml") == "edited meanwhile");
    CHECK(text_of(place.out() / "summary.json") == summary);
    CHECK(partial_files(place.out()).empty());
}

TEST_CASE("a run that fails while its files get their names leaves what a later run can prove") {
    const TemporaryFolder folder;
    {
        RunFolder run(folder.path(), false);
        auto files = staged(run, {"config.yaml", "gather.png"}, "one ");
        std::filesystem::create_directory(folder.path() / "gather.png");
        CHECK(fault_of([&] { run.publish(std::move(files), summary_of); }).code() == ExitCode::cannot_create);
    }
    CHECK(text_of(folder.path() / "config.yaml") == "one config.yaml");
    std::filesystem::remove(folder.path() / "gather.png");
    RunFolder run(folder.path(), true);
    const auto records = run.publish(staged(run, {"gather.png"}, "two "), summary_of);
    CHECK(records.size() == 3);
    CHECK(text_of(folder.path() / "gather.png") == "two gather.png");
    CHECK(!std::filesystem::exists(folder.path() / "config.yaml"));
}

TEST_CASE("a folder that holds some files of the old run and some of the new one is proven") {
    const TemporaryFolder folder;
    const std::vector<std::string> names{"config.yaml", "gather.png", "seismograms.h5"};
    std::string unfinished;
    {
        RunFolder run(folder.path(), true);
        run.publish(staged(run, names, "old "), summary_of);
        run.publish(staged(run, names, "new "), [&](const FileList& list) {
            if (!list.complete) unfinished = sealed(summary_of(list));
            return summary_of(list);
        });
    }
    for (std::size_t renamed = 0; renamed <= names.size(); ++renamed) {
        for (std::size_t i = 0; i < names.size(); ++i)
            write_text(folder.path() / names[i], (i < renamed ? "new " : "old ") + names[i]);
        write_text(folder.path() / "summary.json", unfinished);
        CHECK_NOTHROW(refuse_taken_folder(folder.path(), true));
        write_text(folder.path() / names[1], "other " + names[1]);
        CHECK(fault_of([&] { refuse_taken_folder(folder.path(), true); }).code() == ExitCode::cannot_create);
    }
}

TEST_CASE("a summary that claims files of other names removes nothing") {
    const TemporaryFolder folder;
    write_text(folder.path() / "notes.txt", "mine");
    const FileRecord claimed = record_of(folder.path() / "notes.txt", "notes.txt");
    write_text(folder.path() / "summary.json", sealed(summary_of({true, {claimed}, {}})));
    RunFolder run(folder.path(), true);
    run.publish(staged(run, {"config.yaml"}, ""), summary_of);
    CHECK(text_of(folder.path() / "notes.txt") == "mine");
}

TEST_CASE("the hash of a large file sees its length, its ends and sixteen pieces") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "large";
    const std::int64_t size = 100'000'003;
    write_text(path, "");
    std::filesystem::resize_file(path, size);
    const FileRecord before = record_of(path, "large");
    CHECK(before.bytes == size);
    const auto changed = [&](std::int64_t at) {
        std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(at).put('x');
        file.close();
        const bool seen = record_of(path, "large") != before;
        std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).seekp(at).put('\0');
        CHECK(record_of(path, "large") == before);
        return seen;
    };
    for (const std::int64_t at : {std::int64_t{0}, std::int64_t{1'048'575}, size - 1'048'576, size - 1,
                                  (size - 1'048'576) / 15, (size - 1'048'576) / 15 * 8 + 8})
        CHECK_MESSAGE(changed(at), at);
    // Small files are seen as a whole.
    std::filesystem::resize_file(path, 3'000'000);
    const FileRecord small = record_of(path, "large");
    std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).seekp(1'700'001).put('x');
    CHECK(record_of(path, "large") != small);
}

TEST_CASE("names of results are known, and no others") {
    for (const std::string& name : kResults) CHECK(is_result_name(name));
    for (const char* name : {"notes.txt", "snapshot_xz_s.png", "snapshot_xz_0.1.png", "snapshot_ab_0.1s.png",
                             "my gather.png", "config.yaml~", "summary.json.bak", "snapshot_xz_0.1s.png.partial-1", ""})
        CHECK_MESSAGE(!is_result_name(name), name);
}
