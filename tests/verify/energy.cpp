// Takes 8 s.
#include "tests/verify/promises.hpp"

TEST_CASE("R7: a lossless medium keeps its energy") {
    onda::check_promises("R7");
}
