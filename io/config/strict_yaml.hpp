/// \file
/// YAML read strictly: what yaml-cpp accepts silently (duplicate keys, open quotes, dropped text, …) is an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace onda {

/// A place in a text, 1-based; columns count characters, not bytes. Line 0: no place.
struct TextPlace {
    int line = 0, column = 0;
};

struct TextFault {
    TextPlace place;
    std::string message;
};

struct YamlKey {
    std::string name;
    TextPlace place;
    int source = 0;  ///< as YamlNode::source
};

/// A node of the document with its place. Values are text until a reader gives them a type.
struct YamlNode {
    enum class Kind { null, scalar, sequence, map };
    Kind kind = Kind::null;
    TextPlace place;
    int source = 0;               ///< free for the caller: which of several texts the node came from
    bool quoted = false;          ///< scalar in quotes: text, never a number
    std::string scalar;           ///< of a scalar
    std::vector<YamlKey> keys;    ///< of a map, one for each item
    std::vector<YamlNode> items;  ///< of a sequence or map

    /// The value of a key of this map, or nullptr.
    [[nodiscard]] const YamlNode* find(std::string_view key) const;
    [[nodiscard]] YamlNode* find(std::string_view key);
};

struct YamlDocument {
    YamlNode root;
    std::vector<TextFault> faults;
    bool complete = false;  ///< false: the text could not be read to its end, so missing keys mean nothing
};

/// Limits of a document: a configuration is small, and a hostile one must not cost memory or time.
inline constexpr std::size_t kMaxYamlBytes = std::size_t{1} << 20;
inline constexpr int kMaxYamlDepth = 16;
inline constexpr std::size_t kMaxYamlNodes = 100000;

/// Reads one document of UTF-8 text. Refused: more than 1 MiB, NUL and other control characters, tabs in indentation,
/// directives, a second document, anchors, aliases, tags, merge keys, block and multi-line scalars, duplicate keys,
/// nesting beyond 16, and any text the parser would drop. Never throws on any input; errors are in the result.
YamlDocument read_strict_yaml(std::string_view text);

/// An integer: [+-] 0 | [1-9][0-9]*, within 64 bits: no leading zeros, no underscores, no hexadecimal.
std::optional<std::int64_t> parse_integer(std::string_view text);
/// A finite decimal number, such as 7, -1.5, .5, 2.5e-3; independent of the locale.
std::optional<double> parse_number(std::string_view text);
/// A boolean: true or false, nothing else.
std::optional<bool> parse_boolean(std::string_view text);
/// "512x256x512", or "8x8": whole numbers from 1 to a million, as many as asked for; nothing if the text is anything
/// else. Spaces may stand around each.
std::optional<std::vector<std::int64_t>> parse_extents(std::string_view text, std::size_t count);

}  // namespace onda
