#include "tests/kernels/coupled/coupled.hpp"

const onda::cuda::EquationKernels* onda::test::coupled_on_cuda() {
    return nullptr;
}
