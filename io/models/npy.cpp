// NumPy arrays: numpy.save().

#include <algorithm>

#include "io/files/input_file.hpp"
#include "io/files/npy_header.hpp"
#include "io/models/foreign_model.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"

namespace onda {

ForeignModel read_npy_model(const std::filesystem::path& file, const ForeignOptions& options) {
    const NpyArray array = read_npy_header(file);
    const std::string place = shown(file);
    if (array.shape.size() != 2 && array.shape.size() != 3)
        throw Error(ExitCode::bad_data, place + ": is an array of shape " + array.shape_text +
                                            "; a model has two axes (x, z) or three (x, y, z)");
    check_axes(options.axes, static_cast<int>(array.shape.size()));
    const auto count = count_nodes(array.shape, place, ExitCode::bad_data);
    std::vector<std::int64_t> shape;
    for (const char axis : array.shape.size() == 2 ? std::string("xz") : std::string("xyz"))
        shape.push_back(array.shape[options.axes.find(axis)]);
    ForeignModel model;
    model.geometry = make_geometry(shape, options.spacing_m, options.origin_m);
    model.axes = options.axes;
    if (array.is_fortran_order) std::ranges::reverse(model.axes);  // the first index is the fastest
    model.quantity = options.quantity;
    model.unit = stored_unit(options, "", "");
    model.place = place;
    model.numbers = file;
    // read_numbers() compares the size before it takes memory.
    if (count <= input_file_size(file)) check_room(file, count, options);
    model.values = read_numbers(file, array.first_byte, count, *array.format, array.is_big_endian);
    return model;
}

}  // namespace onda
