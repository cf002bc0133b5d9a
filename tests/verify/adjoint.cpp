// Takes 16 s.
#include "tests/verify/promises.hpp"

TEST_CASE("A1: adjoint runs are transposes, and gradients and scattered fields are derivatives") {
    onda::check_promises("A1");
}
