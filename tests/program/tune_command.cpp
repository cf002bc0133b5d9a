// `onda tune` finds a kernel and keeps it, runs take it and say so, and no bit of any result depends on it.
// Takes 8 s.
#include <nlohmann/json.hpp>

#include "tests/program/program.hpp"
#include "tests/solver/small_run.hpp"

using Json = nlohmann::json;

namespace {

/// A configuration in a folder of its own, with a cache of its own.
struct TuningPlace {
    TemporaryFolder folder;
    std::filesystem::path config = folder.path() / "small.yaml";

    TuningPlace() { write_text(config, kSmall2d + "backend: {name: cpu}\n"); }
    Outcome onda(std::vector<std::string> arguments) const {
        return run_onda(arguments, "export XDG_CACHE_HOME=" + quoted((folder.path() / "cache").string()));
    }
    Json summary(const std::string& name, const std::vector<std::string>& more = {}) const {
        std::vector<std::string> arguments{"run", config.string(), "-o", (folder.path() / name).string()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = onda(arguments);
        CAPTURE(outcome.err);
        REQUIRE(outcome.code == 0);
        return Json::parse(text_of(folder.path() / name / "summary.json"));
    }
    std::size_t kept() const {
        std::error_code none;
        std::size_t files = 0;
        for ([[maybe_unused]] const auto& file :
             std::filesystem::directory_iterator(folder.path() / "cache" / "onda", none))
            ++files;
        return files;
    }
};

}  // namespace

TEST_CASE("what was found is kept, taken by check and run, and changes no result") {
    const TuningPlace place;
    const Json before = place.summary("before");
    CHECK(contains(before["backend"]["chosen_by"].get<std::string>(), "default for this grid size"));

    const Outcome ranked = place.onda({"tune", place.config.string(), "--rank-only", "--json"});
    REQUIRE(ranked.code == 0);
    CHECK(Json::parse(ranked.out)["candidates"].size() > 2);
    CHECK(place.kept() == 0);
    REQUIRE(place.onda({"tune", place.config.string(), "--seconds", "1", "--no-cache"}).code == 0);
    CHECK(place.kept() == 0);

    const Outcome tuned = place.onda({"tune", place.config.string(), "--seconds", "2", "--json"});
    CAPTURE(tuned.err);
    REQUIRE(tuned.code == 0);
    CHECK(place.kept() == 1);
    const Json found = Json::parse(tuned.out);
    CHECK(std::filesystem::exists(found["file"].get<std::string>()));
    const Json& first = found["candidates"][0];
    CHECK(first["measured_s"]["median"].get<double>() > 0.);

    const Json after = place.summary("after");
    CHECK(contains(after["backend"]["chosen_by"].get<std::string>(), "onda tune"));
    CHECK(after["hashes"] == before["hashes"]);
    CHECK(after["identity"] == before["identity"]);
    const Json check = Json::parse(place.onda({"check", place.config.string(), "--json"}).out);
    CHECK(check["backend"]["chosen_by"] == after["backend"]["chosen_by"]);
    CHECK(check["backend"]["kernel"] == after["backend"]["kernel"]);
    CHECK(contains(text_of(place.folder.path() / "after" / "onda.log"), "onda tune"));
    const Json off = place.summary("off", {"--set", "backend.tuning=off"});
    CHECK(off["backend"]["chosen_by"] == before["backend"]["chosen_by"]);
    CHECK(off["identity"] == before["identity"]);
}

TEST_CASE("a cache that was damaged, or cannot be written, stops no run") {
    const TuningPlace place;
    REQUIRE(place.onda({"tune", place.config.string(), "--seconds", "0.5"}).code == 0);
    for (const auto& file : std::filesystem::directory_iterator(place.folder.path() / "cache" / "onda"))
        write_text(file.path(), "{\"format\": \"onda-cache\", ");
    const Json summary = place.summary("damaged");
    CHECK(contains(summary["backend"]["chosen_by"].get<std::string>(), "default for this grid size"));
    CHECK(contains(summary["notes"].dump(), "is ignored: it is damaged"));

    std::filesystem::remove_all(place.folder.path() / "cache");
    write_text(place.folder.path() / "cache", "a file");
    const Outcome tuned = place.onda({"tune", place.config.string(), "--seconds", "0.5"});
    CHECK(tuned.code == 73);
    CHECK(contains(tuned.err, "set XDG_CACHE_HOME to a folder that can be written"));
    CHECK(contains(tuned.out, "vectorised"));  // what was measured is told all the same
    CHECK(place.summary("unwritable")["state"] == "complete");
}

TEST_CASE("the help begins with examples, and what makes no sense is refused") {
    const TuningPlace place;
    CHECK(place.onda({"tune", place.config.string(), "--rank-only", "--no-cache"}).code == 64);
    CHECK(place.onda({"tune", place.config.string(), "--seconds", "0"}).code == 64);
    const Outcome wrong = place.onda({"check", place.config.string(), "--set", "backend.tuning=caches"});
    CHECK(wrong.code == 78);
    CHECK(contains(wrong.err, "must be one of cache, off"));
}
