// Takes 20 s.
#include "tests/verify/promises.hpp"

TEST_CASE("R8: source and receiver can be exchanged") {
    onda::check_promises("R8");
}
