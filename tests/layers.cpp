#include "tests/promises.hpp"

TEST_CASE("R5: layers reflect and transmit what they must") {
    onda::check_promises("R5");
}
