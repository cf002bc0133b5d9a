// After a kernel has trapped, every call names the GPU and what to do, and nothing that lives on it hinders the end of
// the program. Skipped where no GPU can compute.
#include <doctest/doctest.h>
#include <exception>

#include "solver/program/failure.hpp"
#include "tests/gpu/gpu_support.hpp"
#include "tests/gpu/trap.hpp"
#include "tests/io/files_support.hpp"
#include "tests/kernels/cuda_instances.hpp"

using namespace onda;
using namespace onda::test;

namespace {

template <typename Body>
Failure failure_of(const Body& body) {
    try {
        body();
    } catch (...) {
        return describe_failure(std::current_exception());
    }
    return {ExitCode::ok, ""};
}

}  // namespace

TEST_CASE("a kernel that traps ends in the documented code, and what lives on the GPU goes") {
    need_gpu();
    const Case c{"3-D", {3, {33, 29, 31}, {10., 9., 8.}, {}}, {}, false, 20, {5, 5, 5, 5, 5, 5}};
    const Setup setup = setup_of(c, 8, Precision::float32);
    {
        const auto wavefield = make_noisy_medium(setup, cuda::make_medium)->make_wavefield();
        start_and_advance(*wavefield, c);
        const auto download = wavefield->fields().start_download(Window::whole(setup.grid));
        const Failure trapped = failure_of([] { let_gpu_trap(0); });
        CAPTURE(trapped.message);
        CHECK(trapped.code == ExitCode::no_device);
        CHECK(contains(trapped.message, "failed on GPU 0 ("));
        CHECK(contains(trapped.message, "a kernel failed"));
        const Failure later = failure_of([&] {
            wavefield->enqueue(c.steps, 10);
            wavefield->wait();
        });
        CHECK(later.code == ExitCode::no_device);
    }
    CHECK(failure_of([&] { static_cast<void>(make_noisy_medium(setup, cuda::make_medium)); }).code ==
          ExitCode::no_device);
}
