#include "io/pictures/colour_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace onda {
namespace {

template <std::size_t n>
constexpr std::array<Rgb, n> colours(const std::array<std::uint32_t, n>& hex) {
    std::array<Rgb, n> result{};
    for (std::size_t i = 0; i < n; ++i)
        result[i] = {static_cast<std::uint8_t>(hex[i] >> 16), static_cast<std::uint8_t>(hex[i] >> 8),
                     static_cast<std::uint8_t>(hex[i])};
    return result;
}

// Every eighth of the 256 colours of each map, to half a step. All of them change evenly to the eye.

/// S. van der Walt and N. Smith (2015), CC0.
constexpr auto kViridisColours = colours<33>(
    {0x440154, 0x470d60, 0x48186a, 0x482374, 0x472d7b, 0x453681, 0x424086, 0x3f4989, 0x3b528b, 0x375a8d, 0x33638d,
     0x2f6a8e, 0x2c728e, 0x297a8e, 0x26818e, 0x23898e, 0x21908c, 0x1f988b, 0x1f9f88, 0x21a685, 0x28ae80, 0x31b57b,
     0x3ebc74, 0x4cc26c, 0x5dc963, 0x6ece58, 0x82d34c, 0x96d83f, 0xabdc32, 0xc0df24, 0xd5e21a, 0xeae51a, 0xfde725});
constexpr auto kInfernoColours = colours<33>(
    {0x000004, 0x040312, 0x0b0724, 0x150b37, 0x210c4a, 0x2f0a5b, 0x3d0965, 0x4a0c6b, 0x57106e, 0x64156e, 0x71196e,
     0x7d1e6d, 0x8a226a, 0x972766, 0xa32c61, 0xb0315b, 0xbc3754, 0xc73e4c, 0xd24644, 0xdb503b, 0xe45a31, 0xeb6628,
     0xf1731d, 0xf68013, 0xf98e09, 0xfb9d07, 0xfcac11, 0xfbbc21, 0xf9cb35, 0xf5db4c, 0xf2ea69, 0xf3f68a, 0xfcffa4});

/// F. Crameri, Scientific colour maps (2018), doi:10.5281/zenodo.1243862.
///
/// Copyright (c) 2020 Fabio Crameri. Permission is hereby granted, free of charge, to any person obtaining a copy of
/// this software and associated documentation files (the "Software"), to deal in the Software without restriction,
/// including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
/// copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following
/// conditions: The above copyright notice and this permission notice shall be included in all copies or substantial
/// portions of the Software. THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED,
/// INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
/// NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
/// LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE
/// SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
constexpr auto kBatlowColours = colours<33>(
    {0x011959, 0x08255b, 0x0d315d, 0x0f3b5f, 0x114360, 0x134b61, 0x165262, 0x1b5962, 0x226061, 0x2a655e, 0x356a59,
     0x406f54, 0x4d734d, 0x597646, 0x667a3f, 0x737e38, 0x818232, 0x90862d, 0xa08a2b, 0xb08d2e, 0xbf9035, 0xce923f,
     0xdb954c, 0xe8985b, 0xf29d6c, 0xf8a27e, 0xfca891, 0xfdaea3, 0xfdb4b4, 0xfdbac5, 0xfcc0d6, 0xfbc6e8, 0xfaccfa});
constexpr auto kVikColours = colours<33>(
    {0x001261, 0x021f69, 0x022b71, 0x023779, 0x034481, 0x045089, 0x0c5e92, 0x1b6d9b, 0x2f7ca6, 0x478db1, 0x609dbc,
     0x79adc7, 0x92bdd2, 0xacccdc, 0xc5dbe5, 0xdce5e9, 0xece5e1, 0xeedacf, 0xe9cbb9, 0xe2bba4, 0xdcab8f, 0xd59c7b,
     0xcf8e68, 0xc97f55, 0xc37243, 0xbc6331, 0xb3531f, 0xa5400e, 0x932e06, 0x832106, 0x741506, 0x660a07, 0x590008});
constexpr auto kCorkColours = colours<33>(
    {0x2c194c, 0x2b2659, 0x2a3265, 0x283f72, 0x284b7e, 0x2d598a, 0x386695, 0x47739e, 0x567fa6, 0x668baf, 0x7798b8,
     0x8aa6c2, 0x9eb5cc, 0xb2c5d7, 0xc8d5e2, 0xdce5eb, 0xe6edec, 0xdee9df, 0xcddecd, 0xbad1ba, 0xa6c4a6, 0x92b792,
     0x7faa7f, 0x6d9d6c, 0x5b925b, 0x4b864a, 0x3b7b3a, 0x2b6f2a, 0x1f611d, 0x185213, 0x14430d, 0x113508, 0x0f2903});

/// P. Kovesi (2015), Good colour maps: how to design them, arXiv:1509.03700, CC BY 4.0.
constexpr auto kCetD1Colours = colours<33>(
    {0x2050da, 0x3d59dc, 0x5162de, 0x616be0, 0x7075e1, 0x7d7ee3, 0x8988e4, 0x9592e6, 0xa09ce7, 0xaaa6e8, 0xb5b0ea,
     0xbfbaeb, 0xc9c5ec, 0xd3cfed, 0xdcdaee, 0xe6e3ee, 0xece7ea, 0xf0e1de, 0xf1d6cf, 0xf1cac0, 0xf0bdb0, 0xeeb1a1,
     0xeca492, 0xea9884, 0xe78c76, 0xe37f68, 0xdf725a, 0xdb654c, 0xd6573f, 0xd14931, 0xcb3924, 0xc62515, 0xbf0205});

constexpr auto kGreyColours = colours<3>({0xffffff, 0x808080, 0x000000});
constexpr auto kPaleGreyColours = colours<2>({0xfafafa, 0xd8d8d8});

constexpr std::array<ColourMap, 7> kMaps{
    {{"viridis", "dark blue to yellow", false, kViridisColours},
     {"inferno", "black over red to yellow", false, kInfernoColours},
     {"batlow", "dark blue over green to pink, also without colours", false, kBatlowColours},
     {"cet-d1", "blue over white to red, for values of both signs", true, kCetD1Colours},
     {"vik", "blue over white to brown, for values of both signs", true, kVikColours},
     {"cork", "blue over white to green, for values of both signs", true, kCorkColours},
     {"grey", "white over grey to black, for values of both signs", true, kGreyColours}}};

}  // namespace

const ColourMap& kViridis = kMaps[0];
const ColourMap& kBlueRed = kMaps[3];
const ColourMap& kGrey = kMaps[6];
const ColourMap kPaleGrey{"", "", false, kPaleGreyColours};

Rgb blend(Rgb under, Rgb over, double share) {
    const auto mix = [share](std::uint8_t a, std::uint8_t b) {
        return static_cast<std::uint8_t>((1. - share) * a + share * b + 0.5);
    };
    return {mix(under.r, over.r), mix(under.g, over.g), mix(under.b, over.b)};
}

Rgb ColourMap::at(double t) const {
    if (std::isnan(t)) return kNoValue;
    const double place = std::clamp(t, 0., 1.) * static_cast<double>(anchors.size() - 1);
    const auto below = std::min(static_cast<std::size_t>(place), anchors.size() - 2);
    return blend(anchors[below], anchors[below + 1], place - static_cast<double>(below));
}

std::span<const ColourMap> colour_maps() {
    return kMaps;
}

const ColourMap* find_colour_map(std::string_view name) {
    const auto found = std::ranges::find(kMaps, name, &ColourMap::name);
    return found == kMaps.end() ? nullptr : &*found;
}

}  // namespace onda
