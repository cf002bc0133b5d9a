// A kernel that traps, as one does after a fault of a GPU. Only a test has it.
#include "kernels/cuda/launch_kernel.hpp"
#include "tests/gpu/trap.hpp"

namespace onda::test {
namespace {

__global__ void trap() {
    asm("trap;");
}

}  // namespace

void let_gpu_trap(int ordinal) {
    const cuda::DeviceScope scope(ordinal);
    const cuda::Stream stream;
    cuda::LaunchShape shape{};
    shape.grid = shape.block = dim3(1);
    cuda::launch<float>(trap, shape, stream.get());
    stream.wait();
}

}  // namespace onda::test
