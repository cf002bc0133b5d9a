#include "tests/promises.hpp"

TEST_CASE("P1: closed rooms stay at rest, and long waves keep their velocity, in single precision") {
    onda::check_promises("P1");
}
