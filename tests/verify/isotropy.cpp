// Takes 1 s.
#include "tests/verify/promises.hpp"

TEST_CASE("S1: the compact stencil errs alike in all directions") {
    onda::check_promises("S1");
}
