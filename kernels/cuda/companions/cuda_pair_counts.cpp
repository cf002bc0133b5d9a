// A GPU as a counter of pairs.
#include "kernels/companions/pair_counts.hpp"
#include "kernels/cuda/buffers.hpp"
#include "kernels/cuda/companions/pair_count_launch.hpp"

namespace onda::cuda {
namespace {

/// Batches of a launch: below the first number an H100 has multiprocessors without work, the second keeps it busy for
/// some hundredths of a second.
constexpr PairCounter::Claim kPairClaim{512, 8192};

class CudaPairCounter final : public PairCounter {
public:
    explicit CudaPairCounter(int ordinal)
        : scope_(ordinal), sums_(on_device("sums of pairs", Owner::wavefield, kPairClaim.most, sizeof(PairSums))) {}

    [[nodiscard]] Claim claim() const override { return kPairClaim; }
    void count(const PositionedRandom& random, BatchRange batches, std::span<PairSums> sums) override {
        scope_.enter();
        queue_pair_counts(random, batches, sums_.data(), stream_.get());
        ONDA_CUDA_TRY(
            cudaMemcpyAsync(sums.data(), sums_.data(), sums.size_bytes(), cudaMemcpyDeviceToHost, stream_.get()));
        stream_.wait();
    }

private:
    DeviceScope scope_;
    Stream stream_;
    DeviceBuffer<PairSums> sums_;
};

}  // namespace

std::unique_ptr<PairCounter> make_pair_counter(int ordinal) {
    return std::make_unique<CudaPairCounter>(ordinal);
}

}  // namespace onda::cuda
