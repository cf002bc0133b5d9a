// Takes 30 s.
#include "tests/verify/promises.hpp"

TEST_CASE("R3: point sources give the Green's functions of free space") {
    onda::check_promises("R3");
}
