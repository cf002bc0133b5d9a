// Takes 10 s.
#include "tests/verify/promises.hpp"

TEST_CASE("P1: closed rooms stay at rest, and long waves keep their velocity, in single precision") {
    // A room is small and takes a million steps: threads would mostly wait for each other.
    onda::check_promises("P1", {.threads = 1});
}
