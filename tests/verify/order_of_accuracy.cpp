// Takes less than a second.
#include "tests/verify/promises.hpp"

TEST_CASE("R2: every order of accuracy is the nominal one") {
    onda::check_promises("R2");
}
