#include "io/files/npy_header.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "io/files/input_file.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"

namespace onda {
namespace {

constexpr std::string_view magic{"\x93NUMPY", 6};
constexpr std::size_t most_header_bytes = std::size_t{1} << 16;

/// The dictionary at the beginning of the file, and where the numbers begin.
struct Header {
    std::string file, dictionary;
    std::uintmax_t bytes = 0;

    [[noreturn]] void fail(const std::string& message) const { throw Error(ExitCode::bad_data, file + ": " + message); }
    /// What stands behind a key, up to the comma or brace that ends it; brackets hold their commas.
    [[nodiscard]] std::string value(const std::string& key) const {
        auto at = dictionary.find("'" + key + "'");
        if (at != std::string::npos) at = dictionary.find(':', at);
        if (at == std::string::npos) fail("its header has no " + key);
        const auto begin = dictionary.find_first_not_of(' ', at + 1);
        auto end = begin;
        for (int depth = 0; end < dictionary.size(); ++end) {
            const char c = dictionary[end];
            if (depth == 0 && (c == ',' || c == '}')) break;
            depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
        }
        if (begin >= end || end == dictionary.size()) fail("its header breaks off at " + key);
        return dictionary.substr(begin, dictionary.find_last_not_of(' ', end - 1) + 1 - begin);
    }
};

Header read_header(const std::filesystem::path& file) {
    Header header{shown(file), {}, 0};
    auto in = open_input_file(file);
    std::array<unsigned char, 12> start{};
    in.read(reinterpret_cast<char*>(start.data()), start.size());
    if (in.gcount() < 12 || !std::equal(magic.begin(), magic.end(), reinterpret_cast<const char*>(start.data())))
        header.fail("is not a NumPy array: numpy.save() writes them");
    const int version = start[6];
    if (version != 1 && version != 2)
        header.fail("has version " + std::to_string(version) +
                    " of NumPy's format; Onda reads 1 and 2, which numpy.save() writes for arrays of numbers");
    const std::size_t before = version == 1 ? 10 : 12;
    const std::size_t length =
        start[8] + 256u * start[9] + (version == 2 ? 65536u * start[10] + 16777216u * start[11] : 0u);
    if (length > most_header_bytes) header.fail("its header is longer than 64 KiB");
    header.dictionary.resize(length);
    in.seekg(static_cast<std::streamoff>(before));
    in.read(header.dictionary.data(), static_cast<std::streamsize>(length));
    if (static_cast<std::size_t>(in.gcount()) != length) header.fail("ends within its header");
    header.bytes = before + length;
    return header;
}

/// Which numbers the array holds, and the order of their bytes.
void take_format(const Header& header, NpyArray& array) {
    const std::string type = header.value("descr");
    for (const char* order : {"<", ">"})
        for (const NumberFormat& format : kNumberFormats)
            if (type == "'" + std::string(order) + "f" + std::to_string(format.bytes) + "'") {
                array.format = &format;
                array.is_big_endian = *order == '>';
                return;
            }
    header.fail("has elements of type " + printable(type) +
                ": must be float32 or float64; in NumPy: numpy.save(FILE, " + "array.astype(\"float32\"))");
}

bool is_fortran_order(const Header& header) {
    const std::string order = header.value("fortran_order");
    if (order != "True" && order != "False")
        header.fail("fortran_order = " + printable(order) + ": must be True or False");
    return order == "True";
}

void take_shape(const Header& header, NpyArray& array) {
    const std::string text = header.value("shape");
    array.shape_text = printable(text);
    const char *at = text.data(), *const end = at + text.size();
    for (; at != end; ++at) {
        if (*at < '0' || *at > '9') {
            if (std::string_view("(), ").find(*at) == std::string_view::npos) header.fail("shape = " + printable(text));
            continue;
        }
        const auto [rest, fault] = std::from_chars(at, end, array.shape.emplace_back());
        if (fault != std::errc()) header.fail("shape = " + printable(text));
        at = rest - 1;
    }
}

}  // namespace

std::string npy_header(std::initializer_list<std::int64_t> shape) {
    std::string extents;
    for (const std::int64_t extent : shape) extents += (extents.empty() ? "" : ", ") + std::to_string(extent);
    std::string words = std::string("{'descr': '") + (std::endian::native == std::endian::little ? '<' : '>') +
                        "f4', 'fortran_order': False, 'shape': (" + extents + "), }";
    constexpr std::size_t before = 10, multiple = 64;  // NumPy maps numbers that begin there
    words.resize((before + words.size() + 1 + multiple - 1) / multiple * multiple - before, ' ');
    words.back() = '\n';
    std::string header("\x93NUMPY\x01\x00", 8);
    header += static_cast<char>(words.size() % 256);
    header += static_cast<char>(words.size() / 256);
    return header + words;
}

NpyArray read_npy_header(const std::filesystem::path& file) {
    const Header header = read_header(file);
    NpyArray array;
    take_shape(header, array);
    take_format(header, array);
    array.is_fortran_order = is_fortran_order(header);
    array.first_byte = header.bytes;
    return array;
}

}  // namespace onda
