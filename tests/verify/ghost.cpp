// Takes 8 s.
#include "tests/verify/promises.hpp"

TEST_CASE("R4g: shallow sources and receivers have the ghosts of a free surface") {
    onda::check_promises("R4g");
}
