/// \file
/// The fixed-width bitmap font of the pictures: printable ASCII, 10 x 17 pixels a character.
#pragma once

#include <string>
#include <string_view>

namespace onda {

inline constexpr int kGlyphWidth = 10, kGlyphHeight = 17;

/// Whether pixel (x, y) of a character is ink; characters outside printable ASCII look like '?'.
bool glyph_pixel(char character, int x, int y);

/// Width of a line of text in pixels; a UTF-8 sequence counts as one character.
int text_width(std::string_view text);

/// The text with every character outside printable ASCII replaced by one '?'.
std::string printable_ascii(std::string_view text);

}  // namespace onda
