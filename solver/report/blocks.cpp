#include "solver/report/blocks.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <new>
#include <zlib.h>

#include "io/text/error.hpp"

namespace onda {
namespace {

static_assert(std::endian::native == std::endian::little, "pages carry little-endian numbers");

/// Calls take(bytes) with what deflate makes of `bytes`, piece by piece.
template <typename Take>
void deflate_all(std::span<const std::byte> bytes, const Take& take) {
    z_stream stream{};
    // The second level takes a tenth of the time of the default, for a tenth more bytes.
    const int begun = deflateInit(&stream, 2);
    if (begun == Z_MEM_ERROR) throw std::bad_alloc();
    if (begun != Z_OK) throw Error(ExitCode::internal, "zlib cannot begin to compress");
    std::array<unsigned char, 3 * 16384> piece;  // whole groups of base64
    constexpr std::size_t most = 1 << 30;        // that zlib counts in one call
    int state = Z_OK;
    while (state != Z_STREAM_END) {
        const std::size_t given = std::min(bytes.size(), most);
        stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
        stream.avail_in = static_cast<uInt>(given);
        bytes = bytes.subspan(given);
        do {
            stream.next_out = piece.data();
            stream.avail_out = static_cast<uInt>(piece.size());
            state = deflate(&stream, bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
            take(std::span(piece).first(piece.size() - stream.avail_out));
        } while (stream.avail_out == 0);
    }
    deflateEnd(&stream);
}

/// Base64 of bytes that come in pieces of any length.
class Base64 {
public:
    explicit Base64(const PutText& put) : put_(put) {}

    void add(std::span<const unsigned char> bytes) {
        std::string text;
        text.reserve(bytes.size() / 3 * 4 + 8);
        for (const unsigned char byte : bytes) {
            group_ = group_ << 8 | byte;
            if (++filled_ == 3) flush(text);
        }
        put_(text);
    }
    void end() {
        if (filled_ == 0) return;
        const std::size_t missing = 3 - filled_;
        group_ <<= 8 * missing;
        std::string text;
        flush(text);
        text.replace(4 - missing, missing, missing, '=');
        put_(text);
    }

private:
    void flush(std::string& text) {
        constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        for (const int shift : {18, 12, 6, 0}) text += digits[group_ >> shift & 63];
        group_ = 0;
        filled_ = 0;
    }

    const PutText& put_;
    std::uint32_t group_ = 0;
    std::size_t filled_ = 0;
};

/// The largest |value|, among those that are finite. As integers, which order sizes alike, it takes many at a time.
float peak_of(std::span<const float> values, std::size_t every) {
    constexpr auto largest = std::bit_cast<std::uint32_t>(std::numeric_limits<float>::max());
    std::uint32_t peak = 0;
    for (std::size_t i = 0; i < values.size(); i += every) {
        const std::uint32_t size = std::bit_cast<std::uint32_t>(values[i]) & 0x7fffffffU;
        peak = std::max(peak, size <= largest ? size : 0);
    }
    return std::bit_cast<float>(peak);
}

}  // namespace

void put_block(std::span<const std::byte> bytes, const PutText& put) {
    Base64 text(put);
    deflate_all(bytes, [&text](std::span<const unsigned char> piece) { text.add(piece); });
    text.end();
}

void put_base64(std::span<const std::byte> bytes, const PutText& put) {
    Base64 text(put);
    text.add({reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()});
    text.end();
}

std::size_t block_characters(std::span<const std::byte> bytes) {
    std::size_t deflated = 0;
    deflate_all(bytes, [&deflated](std::span<const unsigned char> piece) { deflated += piece.size(); });
    return (deflated + 2) / 3 * 4;
}

Thinning thinned(std::size_t all, std::size_t most) {
    if (all == 0) return {};
    const std::size_t step = (all + std::max<std::size_t>(most, 1) - 1) / std::max<std::size_t>(most, 1);
    return {step, (all - 1) / step + 1};
}

std::vector<std::size_t> spread_over(std::size_t all, std::size_t most) {
    const std::size_t count = std::min(all, most);
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < count; ++i) indices.push_back(count == 1 ? 0 : i * (all - 1) / (count - 1));
    return indices;
}

float quantise_wavefield(std::span<const float> p, std::span<std::int8_t> q) {
    const float peak = peak_of(p, 1);
    if (peak == 0.f) {
        std::ranges::fill(q, std::int8_t{0});
        return peak;
    }
    for (std::size_t i = 0; i < p.size(); ++i) {
        const float part = std::min(1.f, std::max(0.f, std::abs(p[i]) / peak));  // in this order NaN becomes zero
        q[i] = static_cast<std::int8_t>(std::copysign(127.f * std::sqrt(part) + 0.5f, p[i]));
    }
    return peak;
}

float quantise_trace(std::span<const float> p, std::size_t every, std::span<std::int16_t> q) {
    const float peak = peak_of(p, every);
    const double scale = peak > 0.f ? 32767. / static_cast<double>(peak) : 0.;
    for (std::size_t i = 0; i < q.size(); ++i)
        q[i] = static_cast<std::int16_t>(std::lround(static_cast<double>(p[i * every]) * scale));
    return peak;
}

QuantisedRange quantise_parameter(std::span<const float> values, std::span<std::uint16_t> q) {
    if (values.empty()) return {};
    const auto [low, high] = std::ranges::minmax(values);
    const double min = static_cast<double>(low), scale = high > low ? 65535. / (static_cast<double>(high) - min) : 0.;
    std::ranges::transform(values, q.begin(), [min, scale](float value) {
        return static_cast<std::uint16_t>(std::lround((static_cast<double>(value) - min) * scale));
    });
    return {min, static_cast<double>(high)};
}

}  // namespace onda
