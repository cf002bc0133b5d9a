// Takes 11 s.
#include "tests/verify/promises.hpp"

TEST_CASE("T1: seismograms are free of the error of the time step") {
    onda::check_promises("T1");
}

TEST_CASE("T2: wavefields by steps of order 4 in time hold what they promise") {
    onda::check_promises("T2");
}
