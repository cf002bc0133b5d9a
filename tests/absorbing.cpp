#include <algorithm>

#include "tests/promises.hpp"

TEST_CASE("R6: layers and sponges reflect no more than is documented, and nothing grows in them") {
    onda::check_promises("R6");
}

TEST_CASE("a kernel that does not have the operator of a row leaves that row to another") {
    const auto group = onda::verification_group("R6");
    const auto row = std::ranges::find(
        group.promises, "cpml, order 2, 0 degrees, 16 nodes per wavelength, variable density", &onda::Promise::name);
    REQUIRE(row != group.promises.end());
    CHECK(onda::check_promise(*row, {.kernel = "inplane-full"}).kept);
}
