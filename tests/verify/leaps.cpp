// Takes 20 s.
#include "tests/verify/promises.hpp"

TEST_CASE("leaps are two single steps, as exact, as stable and as symmetric") {
    onda::check_promises("L1");
}

// All rows: `onda verify --stepping leap`.
TEST_CASE("what single steps promise of modes, Green's functions, images and reciprocity holds of leaps") {
    onda::VerifyOptions options;
    options.stepping = "leap";
    for (const char* id : {"R1", "R3", "R4", "R8"}) {
        int measured = 0;
        for (const onda::Promise& promise : onda::verification_group(id).promises) {
            if (!promise.quick) continue;
            ++measured;
            INFO(id, " ", promise.name);
            CHECK(onda::check_promise(promise, options).measured.value <= promise.limit);
        }
        CHECK(measured > 0);
    }
}
