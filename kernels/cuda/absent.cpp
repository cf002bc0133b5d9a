// What stands in for the CUDA backend in a build without CUDA: it says so, and computes nothing.
#include "kernels/boundaries/cpml.hpp"
#include "kernels/boundaries/sponge.hpp"
#include "kernels/cuda/cuda.hpp"
#include "kernels/cuda/probe/probe.hpp"
#include "kernels/cuda/step_facts.hpp"

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

const GpuState& gpu_state(int) {
    static const GpuState none{platform().problem};
    return none;
}
std::int64_t available_bytes(int) {
    return 0;
}
bool connect_gpus(int, int) {
    return false;
}
const LinkLibrary& link_library() {
    static const LinkLibrary none{{}, platform().problem};
    return none;
}
Variant best_variant(const Setup&) {
    refuse();
}
std::vector<Variant> variants(const Setup&) {
    return {};
}
int most_shots(const Setup&) {
    refuse();
}
Resources resources(const Setup&) {
    refuse();
}
ProbedRates probe(int, int, std::int64_t) {
    refuse();
}
StepFacts step_facts(const Setup&, int) {
    refuse();
}
Allocations allocations(const Setup&, int, const ShotSize&) {
    refuse();
}
Allocations correlation_allocations(const Setup&, int, std::int64_t, Correlated, const OffsetLines&) {
    refuse();
}
Allocations scattering_allocations(const Setup&, int) {
    refuse();
}
Allocations flux_correlation_allocations(const Setup&, int, std::int64_t) {
    refuse();
}
Allocations flux_scattering_allocations(const Setup&, int) {
    refuse();
}
Allocations ring_allocations(const Setup&, int, const RingSize&) {
    refuse();
}
void check_setup(const Setup&) {
    refuse();
}
std::shared_ptr<Medium> make_medium(const Setup&, const MediumReaders&, double) {
    refuse();
}

}  // namespace onda::cuda

namespace onda {

const cuda::StripRow* Cpml::on_cuda() const {
    return nullptr;
}
const cuda::StripRow* Sponge::on_cuda() const {
    return nullptr;
}

}  // namespace onda
