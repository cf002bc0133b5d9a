#include "tests/promises.hpp"

TEST_CASE("R6: layers and sponges reflect no more than is documented, and nothing grows in them") {
    onda::check_promises("R6");
}
