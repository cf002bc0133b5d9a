/// \file
/// Hints at what the user may have meant: nearest names, words of other codes, units.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "io/config/config_table.hpp"
#include "io/config/strict_yaml.hpp"

namespace onda {

struct KeyHint {
    std::string text;        ///< "; did you mean 'spacing_m'? The unit is m", "; here that is time.dt_s", …
    std::string_view meant;  ///< the row that was meant, if it is one of these
};
/// The hint for a key that no row has.
KeyHint unknown_key_hint(std::string_view key, std::span<const Parameter> rows);
/// The hint for an unknown value: "; did you mean 'sponge'?" or empty. \param values key of the list `allowed`.
std::string unknown_value_hint(std::string_view value, std::string_view values, std::span<const AllowedValue> allowed);
/// The hint for text in the place of a section with these rows: a key whose ':' is missing, or empty.
std::string colon_hint(std::string_view text, std::span<const Parameter> rows);
/// The hint for a path with what only a shell expands, `~/` or `$NAME`, or empty.
std::string shell_hint(std::string_view path);
/// The hint for text that should be a number: a unit, an underscore, a leading zero, 24/2, 1d3, … or empty.
std::string number_hint(std::string_view text, std::string_view unit);
/// The hint for a list with more than `wanted` numbers, [1,5, 20] for [1.5, 20]: "; the decimal sign is a point: write
/// [1.5, 20]". Empty where numbers joined at commas without a space are not `wanted` ones, or where these commas touch.
std::string comma_hint(const YamlNode& list, std::size_t wanted);
/// The hint for text that should be true or false, or empty.
std::string boolean_hint(std::string_view text);

}  // namespace onda
