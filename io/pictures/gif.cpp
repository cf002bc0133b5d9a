#include "io/pictures/gif.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "io/files/interruption.hpp"

namespace onda {
namespace {

constexpr std::size_t kGifColours = 256;

std::string little_endian(int value) {
    return {static_cast<char>(value & 0xff), static_cast<char>(value >> 8 & 0xff)};
}

/// 5 bits a channel.
std::size_t coarse(std::uint32_t argb) {
    return (argb >> 9 & 0x7c00) | (argb >> 6 & 0x3e0) | (argb >> 3 & 0x1f);
}

/// A frame as numbers of its colours.
struct IndexedFrame {
    std::string colours;  ///< 256 times red, green, blue
    std::vector<std::uint8_t> pixels;
};

IndexedFrame indexed(const Pixels& frame) {
    struct Cell {
        std::size_t colour = 0, count = 0;
        std::array<std::size_t, 3> sum{};
        [[nodiscard]] std::array<int, 3> mean() const {
            std::array<int, 3> rgb{};
            for (std::size_t c = 0; c < 3; ++c) rgb[c] = static_cast<int>((sum[c] + count / 2) / count);
            return rgb;
        }
    };
    std::vector<Cell> cells(1 << 15);
    for (const std::uint32_t pixel : frame.argb) {
        Cell& cell = cells[coarse(pixel)];
        ++cell.count;
        for (std::size_t c = 0; c < 3; ++c) cell.sum[c] += pixel >> (16 - 8 * c) & 0xff;
    }
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i].colour = i;
    std::erase_if(cells, [](const Cell& cell) { return cell.count == 0; });
    std::ranges::stable_sort(cells, std::greater(), &Cell::count);
    IndexedFrame result;
    std::vector<std::array<int, 3>> kept;
    std::vector<std::uint8_t> number(1 << 15);
    for (const Cell& cell : cells) {
        const std::array<int, 3> rgb = cell.mean();
        if (kept.size() < kGifColours) {
            number[cell.colour] = static_cast<std::uint8_t>(kept.size());
            kept.push_back(rgb);
            for (const int channel : rgb) result.colours += static_cast<char>(channel);
            continue;
        }
        const auto distance = [&rgb](const std::array<int, 3>& other) {
            int sum = 0;
            for (std::size_t c = 0; c < 3; ++c) sum += (rgb[c] - other[c]) * (rgb[c] - other[c]);
            return sum;
        };
        number[cell.colour] = static_cast<std::uint8_t>(std::ranges::min_element(kept, {}, distance) - kept.begin());
    }
    result.colours.resize(3 * kGifColours, '\0');
    for (const std::uint32_t pixel : frame.argb) result.pixels.push_back(number[coarse(pixel)]);
    return result;
}

/// Codes of growing length, the lowest bit first, in blocks of up to 255 bytes.
class CodeStream {
public:
    void put(int code, int bits) {
        held_ |= static_cast<std::uint32_t>(code) << held_bits_;
        held_bits_ += bits;
        for (; held_bits_ >= 8; held_bits_ -= 8, held_ >>= 8) bytes_ += static_cast<char>(held_ & 0xff);
    }
    [[nodiscard]] std::string blocks() {
        if (held_bits_ > 0) bytes_ += static_cast<char>(held_ & 0xff);
        std::string text;
        for (std::size_t at = 0; at < bytes_.size(); at += 255) {
            const std::string block = bytes_.substr(at, 255);
            text += static_cast<char>(block.size()) + block;
        }
        return text + '\0';
    }

private:
    std::string bytes_;
    std::uint32_t held_ = 0;
    int held_bits_ = 0;
};

/// LZW as GIF has it: T. A. Welch, A technique for high-performance data compression, Computer 17 (1984).
std::string packed(const std::vector<std::uint8_t>& pixels) {
    constexpr int clear = 256, end = 257, most_codes = 4096;
    CodeStream stream;
    std::unordered_map<int, int> codes;  // of a known sequence, as its code, and the pixel behind it
    int next = end + 1, bits = 9;
    stream.put(clear, bits);
    int sequence = pixels.front();
    for (std::size_t i = 1; i < pixels.size(); ++i) {
        const int key = sequence << 8 | pixels[i];
        if (const auto known = codes.find(key); known != codes.end()) {
            sequence = known->second;
            continue;
        }
        stream.put(sequence, bits);
        if (next < most_codes) {
            if (next == 1 << bits) ++bits;
            codes.emplace(key, next++);
        } else {
            stream.put(clear, bits);
            codes.clear();
            next = end + 1;
            bits = 9;
        }
        sequence = pixels[i];
    }
    stream.put(sequence, bits);
    if (next == 1 << bits && bits < 12) ++bits;  // the reader has one more sequence
    stream.put(end, bits);
    return '\10' + stream.blocks();
}

/// When a frame begins, in hundredths of a second, the unit of a GIF: at 24 a second frames last 4 or 5, so that as
/// many are shown in every second as are asked for.
long begin_hundredths(const Movie& movie, std::size_t frame) {
    return std::lround(100. * static_cast<double>(frame) / movie.frames_per_second);
}

void put_gif(const Movie& movie, const std::function<void(std::string_view)>& put) {
    for (std::size_t i = 0; i < movie.frames; ++i) {
        throw_if_interrupted();
        const Pixels pixels = movie.frame(i);
        const std::string size = little_endian(pixels.width) + little_endian(pixels.height);
        if (i == 0) {
            put("GIF89a" + size + std::string("\x70\0\0", 3));
            put(std::string("\x21\xff\x0bNETSCAPE2.0\3\1\0\0\0", 19));  // again and again
        }
        const IndexedFrame frame = indexed(pixels);
        const auto hundredths = static_cast<int>(begin_hundredths(movie, i + 1) - begin_hundredths(movie, i));
        put(std::string("\x21\xf9\4\4", 4) + little_endian(hundredths) + std::string(2, '\0'));
        put(',' + std::string(4, '\0') + size + '\x87' + frame.colours + packed(frame.pixels));
    }
    put(";");
}

}  // namespace

AtomicFile stage_gif(const std::filesystem::path& file, const Movie& movie, bool overwrite) {
    return stage_text_file(
        file, [&movie](const auto& put) { put_gif(movie, put); }, overwrite);
}

}  // namespace onda
