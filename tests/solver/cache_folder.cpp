// What is measured of a machine is kept: complete or not at all, whoever writes it at the same time, and nothing that
// lies in the folder stops the program.
// Takes less than a second.
#include "solver/performance/cache_folder.hpp"

#include <chrono>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/program/program.hpp"

using namespace onda;
using Json = nlohmann::json;

namespace {

/// A variable of the environment for the length of a scope.
class Variable {
public:
    /// \param value null: it is not set.
    Variable(const char* name, const char* value) : name_(name) {
        if (const char* before = std::getenv(name)) before_ = before;
        set(value);
    }
    ~Variable() { set(before_ ? before_->c_str() : nullptr); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    void set(const char* value) const { value == nullptr ? unsetenv(name_) : setenv(name_, value, 1); }
    const char* name_;
    std::optional<std::string> before_;
};

/// A cache of its own.
struct Cache {
    TemporaryFolder folder;
    Variable xdg{"XDG_CACHE_HOME", folder.path().c_str()};
    std::vector<std::string> warnings;

    std::filesystem::path file(const std::string& name) const { return folder.path() / "onda" / (name + ".json"); }
    std::optional<Json> read(const std::string& name, int version = 1) { return read_cache(name, version, &warnings); }
};

}  // namespace

TEST_CASE("the folder is XDG_CACHE_HOME's, else HOME's; paths that are not absolute do not count") {
    const Variable home("HOME", "/home/someone");
    {
        const Variable xdg("XDG_CACHE_HOME", "/somewhere/else");
        CHECK(cache_folder() == "/somewhere/else/onda");
    }
    for (const char* none : {static_cast<const char*>(nullptr), "", "relative/path"}) {
        const Variable xdg("XDG_CACHE_HOME", none);
        CHECK(cache_folder() == "/home/someone/.cache/onda");
    }
}

TEST_CASE("without a folder nothing is read, and writing says what to do") {
    const Variable xdg("XDG_CACHE_HOME", nullptr), home("HOME", nullptr);
    std::vector<std::string> warnings;
    CHECK_FALSE(cache_folder());
    CHECK_FALSE(read_cache("anything", 1, &warnings));
    CHECK(warnings.empty());
    CHECK(cached_names("").empty());
    CHECK_NOTHROW(remove_cache("anything"));
    const std::string message = message_of([] { write_cache("anything", 1, 3); }, ExitCode::cannot_create);
    CHECK(contains(message, "set XDG_CACHE_HOME"));
}

TEST_CASE("what is written is read again; other versions and other names are not") {
    Cache cache;
    CHECK_FALSE(cache.read("rates"));
    const Json value{{"rate", 0.1}, {"names", {"a", "b"}}, {"large", 1e300}, {"count", 7}};
    CHECK(write_cache("rates", 3, value) == cache.file("rates"));
    CHECK(cache.read("rates", 3) == value);
    CHECK(cache.warnings.empty());
    CHECK_FALSE(cache.read("others", 3));
    CHECK(cache.warnings.empty());
    CHECK_FALSE(cache.read("rates", 4));
    REQUIRE(cache.warnings.size() == 1);
    CHECK(contains(cache.warnings[0], cache.file("rates").string()));
    CHECK(contains(cache.warnings[0], "is of version 3, and this program reads version 4"));

    write_cache("rates", 4, 5);  // written anew
    CHECK(cache.read("rates", 4) == Json(5));
    CHECK(cache.warnings.size() == 1);

    write_cache("rates-of-disks", 1, 1);
    CHECK(cached_names("rates") == std::vector<std::string>{"rates", "rates-of-disks"});
    remove_cache("rates");
    remove_cache("rates");
    CHECK(cached_names("rates") == std::vector<std::string>{"rates-of-disks"});
}

TEST_CASE("names stay in the folder") {
    const Cache cache;
    for (const char* name : {"", "../else", "a/b", "A", "a.b", "\n"}) {
        CAPTURE(name);
        CHECK_THROWS_AS(write_cache(name, 1, 1), std::invalid_argument);
    }
}

TEST_CASE("the folder is for its user alone") {
    const Cache cache;
    write_cache("rates", 1, 1);
    struct stat status {};
    REQUIRE(stat((cache.folder.path() / "onda").c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0700);
}

TEST_CASE("a damaged file is named, ignored and written anew") {
    Cache cache;
    const Json value{{"seconds", {1.25, 2.5, 3.75}}};
    write_cache("tuning", 1, value);
    const std::string whole = text_of(cache.file("tuning"));
    std::vector<std::string> damaged{"", "null", "[]", "{}", "{\"format\": \"onda-cache\"}", "\xff\xfe", "not JSON"};
    for (std::size_t length = 1; length + 1 < whole.size(); length += 7) damaged.push_back(whole.substr(0, length));
    std::string changed = whole;
    changed.replace(changed.find("1.25"), 4, "1.26");  // still JSON
    damaged.push_back(changed);
    damaged.push_back(R"({"format": "onda-cache", "name": "tuning", "version": 1, "hash": "", "value": )" +
                      std::string(100'000, '[') + std::string(100'000, ']') + "}");
    damaged.push_back(std::string(5'000'000, ' '));
    for (const std::string& text : damaged) {
        CAPTURE(text.substr(0, 100));
        write_text(cache.file("tuning"), text);
        cache.warnings.clear();
        CHECK_FALSE(cache.read("tuning"));
        REQUIRE(cache.warnings.size() == 1);
        CHECK(contains(cache.warnings[0], cache.file("tuning").string() + " is ignored: "));
        write_cache("tuning", 1, value);
        CHECK(cache.read("tuning") == value);
    }
}

TEST_CASE("what is no file, or cannot be read, is ignored") {
    Cache cache;
    std::filesystem::create_directories(cache.file("folder"));
    CHECK_FALSE(cache.read("folder"));
    CHECK(cache.warnings.size() == 1);
    REQUIRE(mkfifo(cache.file("pipe").c_str(), 0600) == 0);
    CHECK_FALSE(cache.read("pipe"));  // reading it would wait for ever
    CHECK(cache.warnings.size() == 2);
}

TEST_CASE("a folder that cannot be written is named, and what to do") {
    const TemporaryFolder folder;
    write_text(folder.path() / "onda", "a file where the folder should be");
    const Variable xdg("XDG_CACHE_HOME", folder.path().c_str());
    const std::string message = message_of([] { write_cache("rates", 1, 1); }, ExitCode::cannot_create);
    CHECK(contains(message, (folder.path() / "onda").string()));
    CHECK(contains(message, "set XDG_CACHE_HOME"));
    const Variable nowhere("XDG_CACHE_HOME", "/proc/no/such/folder");
    CHECK(contains(message_of([] { write_cache("rates", 1, 1); }, ExitCode::cannot_create), "/proc/no/such/folder"));
    std::vector<std::string> warnings;
    CHECK_FALSE(read_cache("rates", 1, &warnings));
    CHECK(warnings.empty());
}

TEST_CASE("processes that write and read at the same time meet wholes alone") {
    Cache cache;
    constexpr int processes = 6, rounds = 25;
    const auto value_of = [](int process) { return Json{{"process", process}, {"filling", std::string(20'000, 'x')}}; };
    std::vector<pid_t> children;
    for (int process = 0; process < processes; ++process) {
        const pid_t child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            int code = 0;
            try {
                std::vector<std::string> warnings;
                for (int round = 0; round < rounds; ++round) {
                    write_cache("shared", 1, value_of(process));
                    const auto read = read_cache("shared", 1, &warnings);
                    if (!read || *read != value_of((*read)["process"])) code = 1;
                }
                if (!warnings.empty()) code = 2;
            } catch (...) {
                code = 3;
            }
            _exit(code);
        }
        children.push_back(child);
    }
    for (const pid_t child : children) {
        int status = 0;
        REQUIRE(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 0);
    }
    CHECK(cache.read("shared").has_value());
    int files = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(cache.folder.path() / "onda"))
        ++files;
    CHECK(files == 1);  // nothing temporary is left
}
