#include "solver/program/json_text.hpp"

#include <algorithm>
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
std::string dumped(const Json& json) {
    return with_escapes(json.dump(2, ' ', false, Json::error_handler_t::replace));
}

/// Keeps where and why reading ends early.
struct FirstFault : nlohmann::json_sax<nlohmann::ordered_json> {
    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool start_object(std::size_t) override { return true; }
    bool key(string_t&) override { return true; }
    bool end_object() override { return true; }
    bool start_array(std::size_t) override { return true; }
    bool end_array() override { return true; }
    bool parse_error(std::size_t position, const std::string& token,
                     const nlohmann::detail::exception& exception) override {
        constexpr int number_overflow = 406;
        at = position;
        if (exception.id == number_overflow) number = token;
        return false;
    }
    std::size_t at = 0;  ///< characters that were read
    std::string number;  ///< that is too large
};

}  // namespace

nlohmann::ordered_json parse_json(std::string_view text, JsonFault& fault) {
    nlohmann::ordered_json json = nlohmann::ordered_json::parse(text, nullptr, false);
    fault = {};
    if (!json.is_discarded()) return json;
    FirstFault first;
    static_cast<void>(nlohmann::ordered_json::sax_parse(text, &first));
    std::size_t last = std::min(std::max<std::size_t>(first.at, 1), std::max<std::size_t>(text.size(), 1)) - 1;
    if (!first.number.empty()) last -= std::min(last, first.number.size() - 1);
    const std::string_view before = text.substr(0, last);
    fault.line = 1 + static_cast<std::size_t>(std::ranges::count(before, '\n'));
    fault.column = last - (before.rfind('\n') + 1) + 1;
    fault.what = first.number.empty()
                     ? "this is not JSON"
                     : printable(first.number.substr(0, 40)) + ": no double holds it; numbers are of at most 1.8e308";
    return nullptr;
}

std::string json_text(const nlohmann::json& json) {
    return dumped(json);
}
std::string json_text(const nlohmann::ordered_json& json) {
    return dumped(json);
}

}  // namespace onda
