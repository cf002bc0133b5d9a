/// \file
/// Colours and the colour maps of the pictures: a map is a list of evenly spaced anchors, interpolated linearly.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace onda {

struct Rgb {
    std::uint8_t r = 0, g = 0, b = 0;
    friend bool operator==(const Rgb&, const Rgb&) = default;
};

/// The mixture (1 - share) under + share over.
Rgb blend(Rgb under, Rgb over, double share);

struct ColourMap {
    std::span<const Rgb> anchors;
    /// \param t position in the map; clamped to 0 … 1, NaN gives the colour of "no value".
    [[nodiscard]] Rgb at(double t) const;
};

inline constexpr Rgb kWhite{255, 255, 255}, kInk{32, 32, 32}, kNoValue{255, 0, 255};

namespace colour_anchors {
/// Every 15th of the 256 colours of viridis (S. van der Walt and N. Smith, 2015, CC0): perceptually uniform.
inline constexpr std::array<Rgb, 18> viridis{{{0x44, 0x01, 0x54},
                                              {0x48, 0x17, 0x69},
                                              {0x47, 0x2a, 0x7a},
                                              {0x43, 0x3d, 0x84},
                                              {0x3d, 0x4e, 0x8a},
                                              {0x35, 0x5e, 0x8d},
                                              {0x2e, 0x6d, 0x8e},
                                              {0x29, 0x7b, 0x8e},
                                              {0x23, 0x89, 0x8e},
                                              {0x1f, 0x97, 0x8b},
                                              {0x21, 0xa5, 0x85},
                                              {0x2e, 0xb3, 0x7c},
                                              {0x46, 0xc0, 0x6f},
                                              {0x65, 0xcb, 0x5e},
                                              {0x89, 0xd5, 0x48},
                                              {0xb0, 0xdd, 0x2f},
                                              {0xd8, 0xe2, 0x19},
                                              {0xfd, 0xe7, 0x25}}};
inline constexpr std::array<Rgb, 2> pale_grey{{{250, 250, 250}, {146, 146, 146}}};
inline constexpr std::array<Rgb, 2> white_to_black{{{255, 255, 255}, {0, 0, 0}}};
}  // namespace colour_anchors

/// The colour map of model slices.
inline constexpr ColourMap kViridis{colour_anchors::viridis};
/// The colour map of model slices beneath a wavefield: leaves red and blue to the waves.
inline constexpr ColourMap kPaleGrey{colour_anchors::pale_grey};
/// The colour map of gathers: negative white, positive black (SEG normal display polarity).
inline constexpr ColourMap kWhiteToBlack{colour_anchors::white_to_black};
/// The colours that positive and negative pressure of wavefields are tinted with.
inline constexpr Rgb kPositive{200, 0, 20}, kNegative{0, 60, 200};

}  // namespace onda
