#include "io/text/printable.hpp"

namespace onda {
namespace {

void append_escaped(std::string& out, std::string_view bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        switch (c) {
            case '\n': out += "\\n"; break;
            case '\r': out += "\\r"; break;
            case '\t': out += "\\t"; break;
            default: (out += "\\x") += {digits[byte >> 4], digits[byte & 15]};
        }
    }
}

/// \param keep whether a well-formed character stays as it is.
template <typename Keep>
std::string escape_unless(std::string_view text, Keep&& keep) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        const std::string_view character = text.substr(0, length == 0 ? 1 : length);
        if (length > 0 && keep(character))
            out += character;
        else
            append_escaped(out, character);
        text.remove_prefix(character.size());
    }
    return out;
}

/// The first bytes of a text, up to a character, made printable by printable_whole(); then how many there were.
std::string printable_start(std::string_view text, std::size_t most_bytes) {
    if (text.size() <= most_bytes) return printable_whole(text);
    constexpr std::size_t longest_character = 4;
    std::size_t end = most_bytes;
    for (std::size_t back = 1; back < longest_character; ++back)
        if (utf8_length(text.substr(most_bytes - back)) > back) end = most_bytes - back;
    return printable_whole(text.substr(0, end)) + "\xe2\x80\xa6 (" + std::to_string(text.size()) + " bytes)";
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    const auto tail = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xbf) {
        return byte(i) >= low && byte(i) <= high;
    };
    if (text.empty()) return 0;
    const unsigned lead = byte(0);
    if (lead < 0x80) return 1;
    if (lead >= 0xc2 && lead <= 0xdf) return tail(1) ? 2 : 0;
    if (lead >= 0xe0 && lead <= 0xef)
        return tail(1, lead == 0xe0 ? 0xa0 : 0x80, lead == 0xed ? 0x9f : 0xbf) && tail(2) ? 3 : 0;
    if (lead >= 0xf0 && lead <= 0xf4)
        return tail(1, lead == 0xf0 ? 0x90 : 0x80, lead == 0xf4 ? 0x8f : 0xbf) && tail(2) && tail(3) ? 4 : 0;
    return 0;
}

char32_t code_point(std::string_view character) {
    constexpr unsigned lead_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    char32_t code = static_cast<unsigned char>(character[0]) & lead_bits[character.size()];
    for (const char c : character.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3fu);
    return code;
}

bool is_hidden(std::string_view character) {
    const char32_t c = code_point(character);
    const bool control = c < 0x20 || (c >= 0x7f && c < 0xa0);
    // Separators of lines and paragraphs, and what turns the direction: marks, embeddings, overrides, isolates.
    const bool layout =
        c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
    return control || layout || c == 0xfeff;
}

std::string printable_whole(std::string_view text) {
    return escape_unless(text, [](std::string_view character) { return !is_hidden(character); });
}

std::string printable(std::string_view text) {
    return printable_start(text, kMostQuotedBytes);
}

std::string printable_lines(std::string_view text) {
    std::string out;
    for (;;) {
        const std::size_t end = text.find('\n');
        out += printable_start(text.substr(0, end), kMostLineBytes);
        if (end == std::string_view::npos) return out;
        out += '\n';
        text.remove_prefix(end + 1);
    }
}

std::string shown(const std::filesystem::path& path) {
    return printable_whole(path.native());
}

std::string valid_utf8(std::string_view text) {
    return escape_unless(text, [](std::string_view character) { return character[0] != '\0'; });
}

}  // namespace onda
