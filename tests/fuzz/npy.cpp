// NumPy arrays: models, and traces that a table beside them tells.
#include <algorithm>

#include "io/results/recorded_data.hpp"
#include "tests/fuzz/foreign_models.hpp"

using namespace onda;

void fuzz::read_input(std::string_view input) {
    const auto file = file_with(input, "array.npy");
    read_foreign(read_npy_model, file, {.axes = "zx", .spacing_m = {10.}});
    read_foreign(read_npy_model, file, {.axes = "yxz", .spacing_m = {10., 10., 5.}, .units = "km/s"});
    file_with("dt_s,source_x_m,source_z_m,receiver_x_m,receiver_z_m\n0.001,0,5,10,5\n0.001,0,5,20,5\n",
              "array_traces.csv");
    answers([&] {
        const RecordedData data({file});
        static_cast<void>(data.read(0, std::min<std::size_t>(data.traces().size(), 2)));
    });
}
