// Raw binary models: nothing but numbers, so that the user says the rest.

#include <algorithm>
#include <array>

#include "io/files/input_file.hpp"
#include "io/models/foreign_model.hpp"
#include "io/text/error.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"

namespace onda {
namespace {

const NumberFormat& number_format(const std::string& name) {
    if (name.empty()) return kNumberFormats.front();
    const auto* const found = std::ranges::find(kNumberFormats, name, &NumberFormat::name);
    if (found == kNumberFormats.end())
        throw Error(ExitCode::usage, "--dtype " + printable(name) + ": must be float32 or float64");
    return *found;
}

bool is_big(const std::string& endian) {
    if (endian != "" && endian != "little" && endian != "big")
        throw Error(ExitCode::usage, "--endian " + printable(endian) + ": must be little or big");
    return endian == "big";
}

void check_size(const std::filesystem::path& file, std::uintmax_t offset, std::uintmax_t count,
                const NumberFormat& format) {
    const auto size = input_file_size(file);
    std::uintmax_t needed = 0;
    const bool overflows =
        __builtin_mul_overflow(count, format.bytes, &needed) || __builtin_add_overflow(needed, offset, &needed);
    if (!overflows && size == needed) return;
    throw Error(ExitCode::bad_data, shown(file) + ": has " + std::to_string(size) + " bytes; " +
                                        (offset > 0 ? std::to_string(offset) + " bytes of header and " : "") +
                                        std::to_string(count) + " nodes of " + std::string(format.name) + " need " +
                                        (overflows ? "more than can be counted" : std::to_string(needed)));
}

/// Whether a number can be a velocity in one of the units that there are.
bool can_be_velocity(double value) {
    return std::ranges::any_of(std::array{"m/s", "km/s"}, [value](const char* name) {
        const double converted = value * velocity_unit(name, "", ExitCode::internal).m_s;
        return converted >= lowest_vp_m_s && converted <= highest_vp_m_s;
    });
}

/// Numbers read in the wrong order of bytes are absurd, and velocities in the other.
void check_byte_order(const ForeignModel& model, std::uintmax_t offset, const NumberFormat& format, bool big_endian) {
    constexpr std::uintmax_t most_looked_at = 256;
    if (std::ranges::any_of(model.values, can_be_velocity)) return;
    auto in = open_input_file(model.numbers);
    in.seekg(static_cast<std::streamoff>(offset));
    std::array<unsigned char, 8> bytes{};
    float first = 0.f;
    for (std::uintmax_t n = 0; n < std::min<std::uintmax_t>(most_looked_at, model.values.size()); ++n) {
        if (!in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(format.bytes))) return;
        const float swapped = format.decode(bytes.data(), !big_endian);
        if (!can_be_velocity(swapped)) return;
        if (n == 0) first = swapped;
    }
    throw Error(ExitCode::bad_data,
                model.place + ": its values are not plausible velocities; in the other order of bytes the first is " +
                    shortest(static_cast<double>(first)) + ": give --endian " + (big_endian ? "little" : "big"));
}

}  // namespace

std::vector<float> read_numbers(const std::filesystem::path& file, std::uintmax_t offset, std::uintmax_t count,
                                const NumberFormat& format, bool big_endian) {
    check_size(file, offset, count, format);
    auto in = open_input_file(file);
    in.seekg(static_cast<std::streamoff>(offset));
    std::vector<float> values(count);
    constexpr std::size_t block_values = std::size_t{1} << 17;
    std::vector<unsigned char> block(block_values * format.bytes);
    for (std::size_t done = 0; done < count;) {
        const std::size_t now = std::min<std::size_t>(block_values, count - done);
        in.read(reinterpret_cast<char*>(block.data()), static_cast<std::streamsize>(now * format.bytes));
        if (!in) throw Error(ExitCode::io_error, shown(file) + ": cannot read it: " + why_unread(in));
        for (std::size_t n = 0; n < now; ++n) values[done + n] = format.decode(&block[n * format.bytes], big_endian);
        done += now;
    }
    return values;
}

ForeignModel read_raw_model(const std::filesystem::path& file, const ForeignOptions& options) {
    ForeignModel model;
    model.geometry = make_geometry(options.shape, options.spacing_m, options.origin_m);
    check_axes(options.axes, model.geometry.dimensions);
    if (options.header_bytes < 0)
        throw Error(ExitCode::usage,
                    "--header-bytes " + std::to_string(options.header_bytes) + ": must not be negative");
    model.axes = options.axes;
    model.quantity = options.quantity;
    model.unit = stored_unit(options, "", "");
    model.place = shown(file);
    model.numbers = file;
    const auto offset = static_cast<std::uintmax_t>(options.header_bytes);
    const auto count = count_nodes(options.shape, "--shape", ExitCode::usage);
    const NumberFormat& format = number_format(options.dtype);
    check_size(file, offset, count, format);
    check_room(file, count, options);
    model.values = read_numbers(file, offset, count, format, is_big(options.endian));
    if (options.quantity == nullptr) check_byte_order(model, offset, format, is_big(options.endian));
    return model;
}

}  // namespace onda
