// SEG-Y: models, and traces as observed data.
#include "tests/fuzz/foreign_models.hpp"
#include "tests/fuzz/traces.hpp"

using namespace onda;

void fuzz::read_input(std::string_view input) {
    const auto file = file_with(input, "file.sgy");
    read_foreign(read_segy_model, file, {});
    read_foreign(read_segy_model, file, {.shape = {3, 2, 15}, .spacing_m = {10., 10., 5.}, .units = "km/s"});
    read_traces(file);
}
