#include "tests/promises.hpp"

TEST_CASE("R6: the sponge reflects no more than is documented") {
    onda::check_promises("R6");
}
