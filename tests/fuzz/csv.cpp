// Tables in CSV files: positions, wavelets, picks, codes, traces of arrays.
#include "io/models/points_file.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace onda;

void fuzz::read_input(std::string_view input) {
    const auto file = file_with(input, "table.csv");
    answers([&] { read_sources(file); });
    answers([&] { read_receivers(file); });
    answers([&] { read_wavelet(file); });
    answers([&] { read_mute_picks(file); });
    answers([&] { read_codes(file); });
    answers([&] { read_trace_table(file); });
}
