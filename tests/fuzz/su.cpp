// SU: traces as observed data.
#include "tests/fuzz/traces.hpp"

using namespace onda;

void fuzz::read_input(std::string_view input) {
    read_traces(file_with(input, "traces.su"));
}
