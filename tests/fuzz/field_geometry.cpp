// Where surveys were shot: SPS and P1/90.
#include "io/models/field_geometry.hpp"

#include "tests/fuzz/fuzz.hpp"

using namespace onda;

void fuzz::read_input(std::string_view input) {
    for (const char* const name : {"line.sps", "line.p190"}) {
        const auto file = file_with(input, name);
        answers([&] { read_field_geometry(file); });
        std::filesystem::remove(file);
    }
}
