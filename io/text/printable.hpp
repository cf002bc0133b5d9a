/// \file
/// Text that came from outside, made safe to show: no terminal, log or reader can be misled or stopped by it.
///
/// Whatever a user, a file or the environment wrote goes through one of these on its way into a message. Text that is
/// plain stays as it is; every byte of anything else becomes \xNN (or \n, \r, \t), which a shell reads back in $'...'.
/// A file may hold megabytes where a number is expected: what messages quote is cut, paths and whole messages are not.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace onda {

/// The number of bytes of the well-formed UTF-8 character at the front of `text` (Unicode 15, table 3-7); 0 if it is
/// none.
std::size_t utf8_length(std::string_view text);

/// Text as one line: control characters (C0, DEL, C1), bytes that are no UTF-8, line and paragraph separators and marks
/// that turn the direction of writing are escaped. Nothing is cut: for titles in pictures, and commands that are run
/// again.
std::string printable_whole(std::string_view text);
/// The most bytes of a text that a message quotes.
inline constexpr std::size_t kMostQuotedBytes = 500;
/// Text as a message quotes it: as printable_whole(), of its first kMostQuotedBytes, cut before a character; how long
/// it was follows: "aaa… (3145728 bytes)".
std::string printable(std::string_view text);
/// The most bytes of a line of a message: any path fits, escaped.
inline constexpr std::size_t kMostLineBytes = 4 * 4096 + 1024;
/// Text of several lines, such as a whole message, each as printable_whole() shows it: line feeds stay, and lines
/// longer than kMostLineBytes, which are not ours alone, are cut as printable() cuts.
std::string printable_lines(std::string_view text);
/// A path as messages name it.
std::string shown(const std::filesystem::path& path);
/// Text as well-formed UTF-8 without NUL, for formats that hold any other text: only bytes that are neither are
/// escaped.
std::string valid_utf8(std::string_view text);

/// The code point of a well-formed UTF-8 character.
char32_t code_point(std::string_view character);
/// Whether printable() would escape the well-formed UTF-8 character `character`.
bool is_hidden(std::string_view character);

}  // namespace onda
