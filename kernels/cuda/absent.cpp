// What stands in for the CUDA backend in a build without CUDA: it says so, and computes nothing.
#include "kernels/cuda/cuda.hpp"

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

std::int64_t available_bytes(int) {
    return 0;
}
std::string best_kernel(const Setup&) {
    refuse();
}
std::vector<Variant> variants(const Setup&) {
    return {};
}
int most_shots(const Problem&) {
    refuse();
}
Resources resources(const Setup&) {
    refuse();
}
std::int64_t predicted_bytes(const Setup&, int) {
    refuse();
}
std::int64_t predicted_shot_bytes(const Setup&, const ShotSize&, int) {
    refuse();
}
void check_setup(const Setup&) {
    refuse();
}
std::shared_ptr<Medium> make_medium(const Setup&, const MediumReaders&, double) {
    refuse();
}

}  // namespace onda::cuda
