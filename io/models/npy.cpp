// NumPy arrays: numpy.save(), format versions 1 and 2 (numpy.org, NEP 1 and numpy.lib.format).

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "io/files/input_file.hpp"
#include "io/models/foreign_model.hpp"
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

struct Element {
    std::size_t number;  ///< index into number_formats()
    bool big_endian;
};

Element element_of(const Header& header) {
    const std::string type = header.value("descr");
    for (const char* order : {"<", ">"})
        for (std::size_t n = 0; n < number_formats().size(); ++n)
            if (type == "'" + std::string(order) + "f" + std::to_string(number_formats()[n].bytes) + "'")
                return {n, *order == '>'};
    header.fail("has elements of type " + printable(type) +
                ": must be float32 or float64; in NumPy: numpy.save(\"vp.npy\", vp.astype(\"float32\"))");
}

bool is_fortran_order(const Header& header) {
    const std::string order = header.value("fortran_order");
    if (order != "True" && order != "False")
        header.fail("fortran_order = " + printable(order) + ": must be True or False");
    return order == "True";
}

/// The extents of the array, in the order of its indices.
std::vector<std::int64_t> shape_of(const Header& header) {
    const std::string text = header.value("shape");
    std::vector<std::int64_t> shape;
    const char *at = text.data(), *const end = at + text.size();
    for (; at != end; ++at) {
        if (*at < '0' || *at > '9') {
            if (std::string_view("(), ").find(*at) == std::string_view::npos) header.fail("shape = " + printable(text));
            continue;
        }
        const auto [rest, fault] = std::from_chars(at, end, shape.emplace_back());
        if (fault != std::errc()) header.fail("shape = " + printable(text));
        at = rest - 1;
    }
    if (shape.size() != 2 && shape.size() != 3)
        header.fail("is an array of shape " + printable(text) + "; a model has two axes (x, z) or three (x, y, z)");
    return shape;
}

}  // namespace

ForeignModel read_npy_model(const std::filesystem::path& file, const ForeignOptions& options) {
    const Header header = read_header(file);
    const std::vector<std::int64_t> extents = shape_of(header);
    const Element element = element_of(header);
    const bool fortran = is_fortran_order(header);
    check_axes(options.axes, static_cast<int>(extents.size()));
    const auto count = count_nodes(extents, header.file, ExitCode::bad_data);
    std::vector<std::int64_t> shape;
    for (const char axis : extents.size() == 2 ? std::string("xz") : std::string("xyz"))
        shape.push_back(extents[options.axes.find(axis)]);
    ForeignModel model;
    model.geometry = make_geometry(shape, options.spacing_m, options.origin_m);
    model.axes = options.axes;
    if (fortran) std::ranges::reverse(model.axes);  // the first index is the fastest
    model.quantity = options.quantity;
    model.unit = stored_unit(options, "", "");
    model.place = header.file;
    model.numbers = file;
    // read_numbers() compares the size before it takes memory.
    if (count <= input_file_size(file)) check_room(file, count, options);
    model.values = read_numbers(file, header.bytes, count, number_formats()[element.number], element.big_endian);
    return model;
}

}  // namespace onda
