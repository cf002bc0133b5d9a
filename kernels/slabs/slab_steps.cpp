// The steps of slabs that one process advances together, and the exchange between them.
#include "kernels/slabs/slabs.hpp"

namespace onda {
namespace {

/// Copies planes between wavefields of one process.
class LocalExchange final : public Exchange {
public:
    explicit LocalExchange(std::vector<Wavefield*> slabs) : slabs_(std::move(slabs)) {}

    void post() override {
        for (std::size_t i = 1; i < slabs_.size(); ++i) {
            FieldSet &low = slabs_[i - 1]->fields(), &high = slabs_[i]->fields();
            const CutPlanes below(low.problem()), above(high.problem());
            low.copy_planes(high, above.own_low(), below.beyond_high(), below.count);
            high.copy_planes(low, below.own_high(), above.beyond_low(), above.count);
        }
    }
    void wait() override {
        for (Wavefield* slab : slabs_) slab->fields().await_planes();
    }
    bool only_queues() const override { return true; }

private:
    std::vector<Wavefield*> slabs_;
};

class NoExchange final : public Exchange {
public:
    void post() override {}
    void wait() override {}
    bool only_queues() const override { return true; }
};

}  // namespace

std::unique_ptr<Exchange> make_local_exchange(std::vector<Wavefield*> slabs) {
    return std::make_unique<LocalExchange>(std::move(slabs));
}

std::unique_ptr<Exchange> make_no_exchange(const std::vector<Wavefield*>&) {
    return std::make_unique<NoExchange>();
}

SlabSteps::SlabSteps(std::vector<Wavefield*> slabs, std::unique_ptr<Exchange> exchange)
    : slabs_(std::move(slabs)), exchange_(std::move(exchange)) {}

void SlabSteps::perform(Operation operation, std::int64_t index) {
    if (operation == Operation::await_planes) exchange_->wait();
    for (Wavefield* slab : slabs_) slab->perform(operation, index);  // which may be cut itself
    if (operation == Operation::send_planes) exchange_->post();
}

}  // namespace onda
