#include "tests/verify/promises.hpp"

TEST_CASE("T1: seismograms are free of the error of the time step") {
    onda::check_promises("T1");
}
