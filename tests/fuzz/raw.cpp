// Models of numbers in a row: what the options say of them comes from the first line of the input.
#include <array>
#include <sstream>

#include "tests/fuzz/foreign_models.hpp"

using namespace onda;

void fuzz::read_input(std::string_view input) {
    const std::size_t end = std::min(input.find('\n'), input.size());
    std::istringstream line{std::string(input.substr(0, end))};
    ForeignOptions options;
    line >> options.axes >> options.dtype >> options.endian >> options.units >> options.header_bytes;
    double spacing = 0.;
    if (line >> spacing) options.spacing_m = {spacing};
    for (std::int64_t nodes = 0; options.shape.size() < 4 && line >> nodes;) options.shape.push_back(nodes);
    const auto numbers = input.substr(std::min(end + 1, input.size()));
    read_foreign(read_raw_model, file_with(numbers, "model.bin"), options);
}
