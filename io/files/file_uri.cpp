#include "io/files/file_uri.hpp"

#include <charconv>

#include "io/text/printable.hpp"

namespace onda {
namespace {

constexpr std::string_view kScheme = "file:";

/// What a URI's path may hold as it is.
bool is_plain(char c) {
    constexpr std::string_view marks = "-._~/!$&'()*+,;=:@";
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           marks.find(c) != std::string_view::npos;
}

}  // namespace

std::string path_text(const std::filesystem::path& path) {
    const std::string& bytes = path.native();
    if (valid_utf8(bytes) == bytes && !bytes.starts_with(kScheme)) return bytes;
    constexpr std::string_view digits = "0123456789abcdef";
    std::string uri(kScheme);
    // What follows two slashes would be a host.
    if (bytes.starts_with("//")) uri += "//";
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        if (is_plain(c))
            uri += c;
        else
            (uri += '%') += {digits[byte >> 4], digits[byte & 15]};
    }
    return uri;
}

std::optional<std::filesystem::path> read_path(std::string_view text) {
    if (!text.starts_with(kScheme)) return std::filesystem::path(text);
    text.remove_prefix(kScheme.size());
    if (text.starts_with("//")) {
        if (!text.starts_with("///")) return std::nullopt;
        text.remove_prefix(2);
    }
    std::string bytes;
    while (!text.empty()) {
        if (text.front() != '%') {
            bytes += text.front();
            text.remove_prefix(1);
            continue;
        }
        unsigned value = 0;
        const auto code = text.substr(1, 2);
        const auto [end, error] = std::from_chars(code.data(), code.data() + code.size(), value, 16);
        if (code.size() != 2 || error != std::errc() || end != code.data() + 2) return std::nullopt;
        bytes += static_cast<char>(value);
        text.remove_prefix(3);
    }
    return bytes;
}

}  // namespace onda
