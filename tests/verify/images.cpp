// Takes 5 s.
#include "tests/verify/promises.hpp"

TEST_CASE("R4: free surfaces and rigid walls act as image sources") {
    onda::check_promises("R4");
}
