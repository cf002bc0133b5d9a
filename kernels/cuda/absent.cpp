// What stands in for the CUDA backend in a build without CUDA: it says so, and computes nothing.
#include "kernels/boundaries/cpml.hpp"
#include "kernels/boundaries/sponge.hpp"
#include "kernels/companions/pair_counts.hpp"
#include "kernels/cuda/companions/correlation.hpp"
#include "kernels/cuda/companions/packed_codes.hpp"
#include "kernels/cuda/companions/sparse.hpp"
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
std::unique_ptr<PairCounter> make_pair_counter(int) {
    refuse();
}
const std::vector<PackedVariant>& packed_variants() {
    static const std::vector<PackedVariant> none;
    return none;
}
std::string packed_problem(const PackedVariant&, std::int64_t, int) {
    return platform().problem;
}
Resources packed_resources(const std::string&, int) {
    refuse();
}
PackedTimes multiply_packed(const std::string&, const PackedCodes&, std::span<const float>, std::int64_t,
                            std::span<float>, int, int) {
    refuse();
}
const Cublas& cublas() {
    static const Cublas none{{}, platform().problem};
    return none;
}
PackedTimes multiply_by_cublas(std::span<const float>, std::int64_t, std::int64_t, std::span<const float>, std::int64_t,
                               std::span<float>, int, int) {
    refuse();
}
const FftLibrary& fft_library() {
    static const FftLibrary none{{}, platform().problem};
    return none;
}
std::unique_ptr<GpuCorrelation> make_gpu_correlation(const CorrelationSize&, int) {
    refuse();
}
const std::string& cusparse_problem() {
    return platform().problem;
}
const std::string& cusparse_name() {
    static const std::string none;
    return none;
}
GpuVectors::Vector::Vector(const Vector&) {
    refuse();
}
GpuVectors::Vector& GpuVectors::Vector::operator=(const Vector&) {
    refuse();
}
GpuVectors::Vector::Vector(Vector&&) noexcept {}
GpuVectors::Vector& GpuVectors::Vector::operator=(Vector&&) noexcept {
    return *this;
}
GpuVectors::Vector::~Vector() = default;
GpuVectors::GpuVectors(int) {
    refuse();
}
GpuVectors::Vector GpuVectors::upload(std::span<const double>) const {
    refuse();
}
std::vector<double> GpuVectors::download(const Vector&) const {
    refuse();
}
GpuVectors::Vector GpuVectors::zeros(const Vector&) const {
    refuse();
}
double GpuVectors::dot(const Vector&, const Vector&) const {
    refuse();
}
void GpuVectors::add(Vector&, double, const Vector&) const {
    refuse();
}
void GpuVectors::combine(Vector&, double, const Vector&) const {
    refuse();
}
void GpuVectors::scale(Vector&, double, const Vector&) const {
    refuse();
}
void GpuVectors::wait() const {
    refuse();
}
std::unique_ptr<GpuMatrix> make_gpu_matrix(const GpuVectors&, const SparseMatrix&, const SparseProduct&) {
    refuse();
}
std::unique_ptr<GpuMatrix> make_gpu_matrix(const GpuVectors&, const SparseMatrix&, const LibraryProduct&) {
    refuse();
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
