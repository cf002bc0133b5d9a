// Takes 26 s.
#include "tests/verify/promises.hpp"

TEST_CASE("R5: layers reflect and transmit what they must") {
    // Ducts are small and take thousands of steps: beside other tests, threads would mostly wait for each other.
    onda::check_promises("R5", {.threads = 1});
}

TEST_CASE("R5h: the head wave arrives when its ray does") {
    onda::check_promises("R5h");
}

TEST_CASE("R5i: interfaces between the nodes reflect and scatter as exact ones do") {
    onda::check_promises("R5i");
}

TEST_CASE("R5d: an interface on a node acts half a node above it") {
    onda::check_promises("R5d");
}

TEST_CASE("R5s: a source beside a jump of the density has the strength of its own side") {
    onda::check_promises("R5s", {.threads = 1});
}
