#include "tests/promises.hpp"

TEST_CASE("R5: layers reflect and transmit what they must") {
    onda::check_promises("R5");
}

TEST_CASE("R5h: the head wave arrives when its ray does") {
    onda::check_promises("R5h");
}
