// Planes of fields on a GPU that cross a cut: to another slab of this process, through the memory of the host, or from
// GPU to GPU.
#include <utility>

#include "kernels/cuda/fields/cuda_fields.hpp"
#include "kernels/cuda/links/nccl.hpp"
#include "kernels/cuda/memory.hpp"

namespace onda::cuda {
namespace {

class PinnedPlanes final : public PlaneBuffer {
public:
    PinnedPlanes(std::int64_t planes, std::int64_t bytes)
        : PlaneBuffer(planes), memory_(pinned("planes between slabs", Owner::wavefield, bytes, 1)) {}
    std::span<std::byte> bytes() override { return {memory_.data(), static_cast<std::size_t>(memory_.size())}; }

private:
    PinnedBuffer<std::byte> memory_;
};

}  // namespace

// The copy begins when both sides have got here, and nothing waits for it but its own stream: what reads these planes,
// or overwrites the ones that are read, comes after await_planes(). The addresses tell the GPUs: a copy that names them
// cannot be captured into a graph.
template <typename T>
void CudaFields<T>::copy_planes(const FieldSet& other, std::int64_t from_plane, std::int64_t to_plane,
                                std::int64_t count) {
    const auto& from = dynamic_cast<const CudaFields&>(other);
    const std::int64_t before = layout_.halo[0] + layout_.halo[1] * layout_.pitch;
    const std::int64_t elements = (count - 1) * layout_.plane + (layout_.n[1] + 2 * layout_.halo[1]) * layout_.pitch;
    for (const CudaFields* side : {&from, static_cast<const CudaFields*>(this)}) {
        side->enter();
        side->complete_.record(side->compute_);
    }
    from.complete_.hold(planes_);
    complete_.hold(planes_);
    for (std::size_t field = 0; field < levels_.size(); ++field)
        for (int volume = 0; volume < volumes_; ++volume)
            ONDA_CUDA_TRY(
                cudaMemcpyAsync(now(field) + volume * volume_step_ + to_plane * layout_.plane - before,
                                from.now(field) + volume * from.volume_step_ + from_plane * layout_.plane - before,
                                static_cast<std::size_t>(elements) * sizeof(T), cudaMemcpyDefault, planes_.get()));
    arrived_.record(planes_);
    for (const CudaFields* side : {&from, static_cast<const CudaFields*>(this)}) side->under_way_.push_back(&arrived_);
}

template <typename T>
std::unique_ptr<PlaneBuffer> CudaFields<T>::make_plane_buffer(std::int64_t planes) const {
    return std::make_unique<PinnedPlanes>(planes, plane_buffer_bytes(setup_, planes, shots_));
}

// A volume is a shot: slabs are of three dimensions.
template <typename T>
template <typename Body>
void CudaFields<T>::for_planes(std::int64_t first_plane, std::int64_t planes, const Body& body) const {
    const std::int64_t halo = setup_.scheme.halo();  // those of the arrays are wider along x, for their vectors
    const std::size_t row = static_cast<std::size_t>(layout_.n[0] + 2 * halo) * sizeof(T);
    const auto rows = static_cast<std::size_t>(layout_.n[1] + 2 * halo);
    const std::int64_t before = halo + halo * layout_.pitch;
    std::size_t at = 0;
    for (int volume = 0; volume < volumes_; ++volume)
        for (std::size_t field = 0; field < count(); ++field)
            for (std::int64_t z = first_plane; z < first_plane + planes; ++z, at += row * rows)
                body(now(field) + volume * volume_step_ + z * layout_.plane - before, at, row, rows);
}

template <typename T>
void CudaFields<T>::pack(std::int64_t from_plane, std::int64_t planes, std::byte* to, cudaMemcpyKind kind) const {
    enter();
    complete_.record(compute_);
    complete_.hold(planes_);
    const std::size_t pitch = static_cast<std::size_t>(layout_.pitch) * sizeof(T);
    for_planes(from_plane, planes, [&](const T* plane, std::size_t at, std::size_t row, std::size_t rows) {
        ONDA_CUDA_TRY(cudaMemcpy2DAsync(to + at, row, plane, pitch, row, rows, kind, planes_.get()));
    });
}

// Comes after a copy out of the same step, and so after what read the planes that it overwrites.
template <typename T>
void CudaFields<T>::unpack(std::int64_t to_plane, std::int64_t planes, const std::byte* from, cudaMemcpyKind kind) {
    enter();
    const std::size_t pitch = static_cast<std::size_t>(layout_.pitch) * sizeof(T);
    for_planes(to_plane, planes, [&](T* plane, std::size_t at, std::size_t row, std::size_t rows) {
        ONDA_CUDA_TRY(cudaMemcpy2DAsync(plane, pitch, from + at, row, row, rows, kind, planes_.get()));
    });
    arrived_.record(planes_);
    under_way_.push_back(&arrived_);
}

template <typename T>
void CudaFields<T>::await_planes() {
    enter();
    for (const Event* arrived : under_way_) arrived->hold(compute_);
    under_way_.clear();
}

/// An end of a cut: planes are packed, so that devices whose rows have another pitch understand them.
template <typename T>
class CudaFields<T>::Port final : public PlanePort {
public:
    Port(CudaFields& fields, std::int64_t planes, std::int64_t from_plane, std::int64_t to_plane)
        : fields_(fields), planes_(planes), from_plane_(from_plane), to_plane_(to_plane) {
        fields_.enter();
        const std::int64_t bytes = plane_buffer_bytes(fields_.setup_, planes_, fields_.shots_);
        for (DeviceBuffer<std::byte>* buffer : {&out_, &in_})
            *buffer = DeviceBuffer<std::byte>(on_device("planes for other processes", Owner::wavefield, bytes, 1));
    }

    std::string place() const override {
        return link_place(platform().gpus.at(static_cast<std::size_t>(fields_.setup_.ordinal)).bus_id);
    }
    std::vector<std::byte> make_link_id() const override { return make_nccl_id(); }
    std::shared_ptr<PlaneLink> connect(std::span<const std::byte> id, int end) const override {
        fields_.enter();
        return std::make_shared<NcclLink>(id, end);
    }
    void exchange(PlaneLink& link) override {
        fields_.pack(from_plane_, planes_, out_.data(), cudaMemcpyDeviceToDevice);
        const auto bytes = static_cast<std::size_t>(out_.size());
        dynamic_cast<NcclLink&>(link).exchange({out_.data(), bytes}, {in_.data(), bytes}, fields_.planes_.get());
        fields_.unpack(to_plane_, planes_, in_.data(), cudaMemcpyDeviceToDevice);
    }

private:
    CudaFields& fields_;
    std::int64_t planes_, from_plane_, to_plane_;
    DeviceBuffer<std::byte> out_, in_;
};

template <typename T>
std::unique_ptr<PlanePort> CudaFields<T>::make_plane_port(std::int64_t planes, std::int64_t from_plane,
                                                          std::int64_t to_plane) {
    if (link_library().name.empty()) return nullptr;
    return std::make_unique<Port>(*this, planes, from_plane, to_plane);
}

// The members of this file, for either precision.
#define ONDA_PLANES(T)                                                                                   \
    template void CudaFields<T>::copy_planes(const FieldSet&, std::int64_t, std::int64_t, std::int64_t); \
    template std::unique_ptr<PlaneBuffer> CudaFields<T>::make_plane_buffer(std::int64_t) const;          \
    template void CudaFields<T>::pack(std::int64_t, std::int64_t, std::byte*, cudaMemcpyKind) const;     \
    template void CudaFields<T>::unpack(std::int64_t, std::int64_t, const std::byte*, cudaMemcpyKind);   \
    template void CudaFields<T>::await_planes();                                                         \
    template std::unique_ptr<PlanePort> CudaFields<T>::make_plane_port(std::int64_t, std::int64_t, std::int64_t);
ONDA_PLANES(float)
ONDA_PLANES(double)
#undef ONDA_PLANES

}  // namespace onda::cuda
