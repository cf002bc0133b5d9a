// Models in Madagascar's RSF, with their numbers in the header's file.
#include "tests/fuzz/foreign_models.hpp"

using namespace onda;

void fuzz::read_input(std::string_view input) {
    const auto file = file_with(input, "model.rsf");
    read_foreign(read_rsf_model, file, {});
    read_foreign(read_rsf_model, file, {.axes = "zx", .spacing_m = {10.}, .units = "km/s"});
}
