#include "solver/program/json_text.hpp"

#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include "io/text/printable.hpp"

namespace onda {
namespace {

/// Outside of strings JSON is plain ASCII and its line feeds, so that what is hidden lies in strings.
std::string with_escapes(std::string_view json) {
    std::string out;
    out.reserve(json.size());
    while (!json.empty()) {
        const std::string_view character = json.substr(0, std::max<std::size_t>(1, utf8_length(json)));
        if (character != "\n" && is_hidden(character))
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(code_point(character)));
        else
            out += character;
        json.remove_prefix(character.size());
    }
    return out;
}

template <typename Json>
std::string text_of(const Json& json) {
    return with_escapes(json.dump(2, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

std::string json_text(const nlohmann::json& json) {
    return text_of(json);
}
std::string json_text(const nlohmann::ordered_json& json) {
    return text_of(json);
}

}  // namespace onda
