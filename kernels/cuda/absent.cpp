// What stands in for the CUDA backend in a build without CUDA: it says so, and computes nothing.
#include "kernels/backend.hpp"

namespace onda::cuda {
namespace {

[[noreturn]] void refuse() {
    throw std::runtime_error(platform().problem);
}

}  // namespace

const Platform& platform() {
    static const Platform nothing{false,
                                  {},
                                  {},
                                  {},
                                  "this Onda was built without CUDA\n  build it with -DONDA_CUDA=ON where nvcc is, or "
                                  "take backend.name: cpu"};
    return nothing;
}

std::int64_t available_bytes() {
    return 0;
}
std::string best_kernel(const BackendSetup&) {
    refuse();
}
std::vector<Variant> variants(const BackendSetup&) {
    return {};
}
Resources resources(const BackendSetup&) {
    refuse();
}
std::int64_t predicted_bytes(const BackendSetup&) {
    refuse();
}
std::int64_t predicted_shot_bytes(const BackendSetup&, const ShotSize&) {
    refuse();
}
void check_setup(const BackendSetup&) {
    refuse();
}
std::unique_ptr<Backend> make_backend(const BackendSetup&) {
    refuse();
}

}  // namespace onda::cuda
