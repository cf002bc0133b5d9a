#include "solver/performance/cache_folder.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>
#include <stdexcept>
#include <system_error>

#include "io/files/atomic_file.hpp"
#include "io/files/input_file.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/program/hash.hpp"
#include "solver/program/json_text.hpp"
#include "solver/program/printable_json.hpp"

namespace onda {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::string_view kExtension = ".json", kFormat = "onda-cache";
/// More than any of the files, and little enough to be read at each start.
constexpr std::uintmax_t kMostBytes = 4 << 20;
/// Most levels of nested lists: what is deeper is left out, so that no file can exhaust the stack.
constexpr int kMostLevels = 32;

/// An absolute path that a variable of the environment names.
std::optional<fs::path> path_in(const char* variable) {
    const char* const text = std::getenv(variable);
    if (text == nullptr || !fs::path(text).is_absolute()) return std::nullopt;
    return fs::path(text);
}

fs::path file_of(const fs::path& folder, std::string_view name) {
    const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
    if (name.empty() || !std::ranges::all_of(name, allowed))
        throw std::invalid_argument("'" + printable(name) + "' cannot be the name of something in the cache");
    return folder / (std::string(name) + std::string(kExtension));
}

/// The whole file. \throws Error; std::runtime_error for one that is too large to be Onda's.
std::string text_of(const fs::path& file) {
    const std::uintmax_t bytes = input_file_size(file);
    if (bytes > kMostBytes) throw std::runtime_error(fmt::format("it has {} bytes", bytes));
    std::ifstream in = open_input_file(file);
    std::string text(static_cast<std::size_t>(bytes), '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (in.gcount() != static_cast<std::streamsize>(text.size())) throw std::runtime_error("it cannot be read");
    return text;
}

/// The value in the text of a file. \throws std::runtime_error that says what is wrong with it.
Json value_in(const std::string& text, std::string_view name, int version) {
    const auto is_shallow = [](int depth, Json::parse_event_t, Json&) { return depth < kMostLevels; };
    const Json file = Json::parse(text, is_shallow, false);
    if (!file.is_object() || file.value("format", Json()) != kFormat || file.value("name", Json()) != name ||
        !file.contains("value"))
        throw std::runtime_error("it is damaged, or no file of Onda's cache");
    if (const Json written = file.value("version", Json()); written != version)
        throw std::runtime_error(fmt::format("it is of version {}, and this program reads version {}",
                                             printable(json_text(written)), version));
    if (file.value("hash", Json()) != hash_of(file["value"].dump()))
        throw std::runtime_error("it is damaged: its hash is another");
    // Messages and logs repeat texts of a cache, which anybody may have written: none makes lines of its own.
    Json value = file["value"];
    make_texts_printable(value, [](const std::string& raw) { return printable_whole(raw); });
    return value;
}

}  // namespace

std::optional<fs::path> cache_folder() {
    if (const auto cache = path_in("XDG_CACHE_HOME")) return *cache / "onda";
    if (const auto home = path_in("HOME")) return *home / ".cache" / "onda";
    return std::nullopt;
}

std::optional<Json> read_cache(std::string_view name, int version, std::vector<std::string>* warnings) {
    const auto folder = cache_folder();
    if (!folder) return std::nullopt;
    const fs::path file = file_of(*folder, name);
    std::error_code fault;
    if (const fs::file_status status = fs::status(file, fault); status.type() == fs::file_type::not_found)
        return std::nullopt;
    try {
        return value_in(text_of(file), name, version);
    } catch (const std::runtime_error& error) {
        const std::string line = fmt::format("{} is ignored: {}", shown(file), error.what());
        if (warnings == nullptr)
            std::cerr << "warning: " << printable_lines(line) << '\n';
        else
            warnings->push_back(line);
        return std::nullopt;
    }
}

fs::path write_cache(std::string_view name, int version, const Json& value) {
    const auto folder = cache_folder();
    if (!folder)
        throw Error(ExitCode::cannot_create,
                    "there is no folder for what is measured: neither XDG_CACHE_HOME nor HOME names an absolute path\n"
                    "  set XDG_CACHE_HOME to a folder that can be written");
    fs::path file = file_of(*folder, name);
    std::error_code fault;
    if (fs::create_directories(*folder, fault)) fs::permissions(*folder, fs::perms::owner_all, fault);
    if (!fs::is_directory(*folder))
        throw Error(ExitCode::cannot_create,
                    fmt::format("{} cannot be created: {}\n  set XDG_CACHE_HOME to a folder that can be written",
                                shown(*folder), fault ? fault.message() : "there is a file of that name"));
    const Json whole{
        {"format", kFormat}, {"name", name}, {"version", version}, {"hash", hash_of(value.dump())}, {"value", value}};
    write_text_file(file, whole.dump(1) + "\n", true);
    return file;
}

std::vector<std::string> cached_names(std::string_view prefix) {
    std::vector<std::string> names;
    const auto folder = cache_folder();
    if (!folder) return names;
    std::error_code fault;
    for (const auto& entry : fs::directory_iterator(*folder, fault))
        if (entry.path().extension() == kExtension && entry.path().stem().string().starts_with(prefix))
            names.push_back(entry.path().stem().string());
    std::ranges::sort(names);
    return names;
}

void remove_cache(std::string_view name) {
    const auto folder = cache_folder();
    if (!folder) return;
    const fs::path file = file_of(*folder, name);
    std::error_code fault;
    fs::remove(file, fault);
    if (fault) throw Error(ExitCode::io_error, fmt::format("{} cannot be removed: {}", shown(file), fault.message()));
}

}  // namespace onda
