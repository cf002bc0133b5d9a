// The companions of the wave solver against published results and identities. Takes 2 s.
#include "tests/verify/promises.hpp"

TEST_CASE("companions keep what is promised of them") {
    onda::check_promises("C1");
}
