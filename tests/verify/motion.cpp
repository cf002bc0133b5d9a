// Takes 5 s.
#include "tests/verify/promises.hpp"

TEST_CASE("R3m: particles at receivers move as around a point source, at walls, too") {
    onda::check_promises("R3m");
}
