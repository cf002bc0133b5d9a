/// \file
/// Colours, and the table of colour maps: a map is a list of evenly spaced anchors, interpolated linearly.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace onda {

struct Rgb {
    std::uint8_t r = 0, g = 0, b = 0;
    friend bool operator==(const Rgb&, const Rgb&) = default;
};

/// The mixture (1 - share) under + share over.
Rgb blend(Rgb under, Rgb over, double share);

/// A row of the table of maps.
struct ColourMap {
    std::string_view name, help;
    bool diverging = false;          ///< made for values of both signs, zero in its middle
    std::span<const Rgb> anchors{};  ///< an odd number, so that the middle of a map is one of them
    /// \param t position in the map; clamped to 0 … 1, NaN gives the colour of "no value".
    [[nodiscard]] Rgb at(double t) const;
};

/// All maps, those for models first.
std::span<const ColourMap> colour_maps();
/// The map of this name, null if there is none.
const ColourMap* find_colour_map(std::string_view name);

inline constexpr Rgb kWhite{255, 255, 255}, kInk{32, 32, 32}, kNoValue{255, 0, 255};

/// The map of models, that of wavefields, that of gathers, and that of models beneath a wavefield, which leaves the
/// colours to the waves. An increase in pressure is black in gathers, and so is the zero-phase reflection at an
/// increase of impedance: SEG normal polarity (docs/outputs.md).
extern const ColourMap& kViridis;
extern const ColourMap& kBlueRed;
extern const ColourMap& kGrey;
extern const ColourMap kPaleGrey;

}  // namespace onda
