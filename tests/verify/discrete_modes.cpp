// Takes 17 s.
#include "tests/verify/promises.hpp"

TEST_CASE("R1: discrete modes of a box follow the dispersion relation of the scheme") {
    onda::check_promises("R1");
}
