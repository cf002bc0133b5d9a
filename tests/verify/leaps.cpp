#include "tests/verify/promises.hpp"

TEST_CASE("leaps are two single steps, as exact, as stable and as symmetric") {
    onda::check_promises("L1");
}

TEST_CASE("what single steps promise of modes, Green's functions and images holds of leaps") {
    onda::VerifyOptions options;
    options.stepping = "leap";
    for (const char* group : {"R1", "R8", "P1"}) onda::check_promises(group, options);
}
