// Takes 12 s.
#include "tests/verify/promises.hpp"

TEST_CASE("Q1: waves lose what Q asks for") {
    onda::check_promises("Q1");
}
