// Planes of fields on a GPU that cross a cut: to another slab of this process, through the memory of the host, or from
// GPU to GPU.
#include <utility>

#include "kernels/cuda/fields/cuda_fields.hpp"
#include "kernels/cuda/links/nccl.hpp"
#include "kernels/cuda/memory.hpp"

namespace onda::cuda {
namespace {

/// A buffer whose memory is a DeviceBuffer or a PinnedBuffer. \param row of shape.bytes() bytes.
template <typename Memory>
PlaneBuffer planes_in(const PlaneShape& shape, const Allocation& row) {
    const auto memory = std::make_shared<Memory>(row);
    return {shape, {memory, memory->data()}};
}

/// Queues a copy of every plane, from rows of one pitch to rows of another.
template <typename To, typename From>
void copy_blocks(const PlaneShape& shape, const To& to_block, const From& from_block, const Stream& stream) {
    const auto pitch = [](const PlaneBlock& block) { return static_cast<std::size_t>(block.pitch); };
    shape.for_blocks(to_block, from_block, [&](const PlaneBlock& to, const PlaneBlock& from) {
        for (std::int64_t z = 0; z < shape.planes; ++z)
            ONDA_CUDA_TRY(cudaMemcpy2DAsync(to.first + z * to.plane, pitch(to), from.first + z * from.plane,
                                            pitch(from), static_cast<std::size_t>(shape.row_bytes),
                                            static_cast<std::size_t>(shape.rows), cudaMemcpyDefault, stream.get()));
    });
}

}  // namespace

// The copy begins when both sides have got here, and nothing waits for it but its own stream: what reads these planes,
// or overwrites the ones that are read, comes after await_planes(). The addresses tell the GPUs: a copy that names them
// cannot be captured into a graph. One copy takes a block with what lies between its rows, from whole vectors on: the
// arrays' halos along x are wider than the operator's.
template <typename T>
void CudaFields<T>::copy_planes(const FieldSet& other, std::int64_t from_plane, std::int64_t to_plane,
                                std::int64_t count) {
    const auto& source = dynamic_cast<const CudaFields&>(other);
    for (const CudaFields* side : {&source, static_cast<const CudaFields*>(this)}) {
        side->enter();
        side->complete_.record(side->compute_);
    }
    source.complete_.hold(planes_);
    complete_.hold(planes_);
    const PlaneShape shape(setup_, count, shots_);
    const std::int64_t wider = (layout_.halo[0] - setup_.scheme.halo()) * static_cast<std::int64_t>(sizeof(T));
    shape.for_blocks(blocks_from(to_plane), source.blocks_from(from_plane), [&](PlaneBlock to, PlaneBlock from) {
        const std::int64_t bytes = (shape.planes - 1) * to.plane + shape.rows * to.pitch;
        ONDA_CUDA_TRY(cudaMemcpyAsync(to.first - wider, from.first - wider, static_cast<std::size_t>(bytes),
                                      cudaMemcpyDefault, planes_.get()));
    });
    arrived_.record(planes_);
    for (const CudaFields* side : {&source, static_cast<const CudaFields*>(this)})
        side->under_way_.push_back(&arrived_);
}

template <typename T>
PlaneBuffer CudaFields<T>::make_plane_buffer(std::int64_t planes) const {
    const PlaneShape shape(setup_, planes, shots_);
    return planes_in<PinnedBuffer<std::byte>>(shape,
                                              pinned("planes between slabs", Owner::wavefield, shape.bytes(), 1));
}

template <typename T>
bool CudaFields<T>::pack(std::int64_t from_plane, const PlaneBuffer& planes) const {
    enter();
    complete_.record(compute_);
    complete_.hold(planes_);
    copy_blocks(planes.shape(), planes.blocks(), blocks_from(from_plane), planes_);
    return false;
}

// Comes after a pack() of the same step, and so after what read the planes that it overwrites.
template <typename T>
void CudaFields<T>::unpack(std::int64_t to_plane, const PlaneBuffer& planes) {
    enter();
    copy_blocks(planes.shape(), blocks_from(to_plane), planes.blocks(), planes_);
    arrived_.record(planes_);
    under_way_.push_back(&arrived_);
}

template <typename T>
void CudaFields<T>::await_planes() {
    enter();
    for (const Event* arrived : under_way_) arrived->hold(compute_);
    under_way_.clear();
}

/// An end of a cut: planes are packed in memory of the GPU, so that devices whose rows have another pitch understand
/// them.
template <typename T>
class CudaFields<T>::Port final : public PlanePort {
public:
    Port(CudaFields& fields, std::int64_t planes, std::int64_t from_plane, std::int64_t to_plane)
        : fields_(fields), from_plane_(from_plane), to_plane_(to_plane), out_(make(planes)), in_(make(planes)) {}

    std::string place() const override {
        return link_place(platform().gpus.at(static_cast<std::size_t>(fields_.setup_.ordinal)).bus_id);
    }
    std::vector<std::byte> make_link_id() const override { return make_nccl_id(); }
    std::shared_ptr<PlaneLink> connect(std::span<const std::byte> id, int end) const override {
        fields_.enter();
        return std::make_shared<NcclLink>(id, end);
    }
    void exchange(PlaneLink& link) override {
        static_cast<void>(fields_.pack(from_plane_, out_));
        dynamic_cast<NcclLink&>(link).exchange(out_.bytes(), in_.bytes(), fields_.planes_.get());
        fields_.unpack(to_plane_, in_);
    }

private:
    [[nodiscard]] PlaneBuffer make(std::int64_t planes) const {
        fields_.enter();
        const PlaneShape shape(fields_.setup_, planes, fields_.shots_);
        return planes_in<DeviceBuffer<std::byte>>(
            shape, on_device("planes for other processes", Owner::wavefield, shape.bytes(), 1));
    }

    CudaFields& fields_;
    std::int64_t from_plane_, to_plane_;
    PlaneBuffer out_, in_;
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
    template PlaneBuffer CudaFields<T>::make_plane_buffer(std::int64_t) const;                           \
    template bool CudaFields<T>::pack(std::int64_t, const PlaneBuffer&) const;                           \
    template void CudaFields<T>::unpack(std::int64_t, const PlaneBuffer&);                               \
    template void CudaFields<T>::await_planes();                                                         \
    template std::unique_ptr<PlanePort> CudaFields<T>::make_plane_port(std::int64_t, std::int64_t, std::int64_t);
ONDA_PLANES(float)
ONDA_PLANES(double)
#undef ONDA_PLANES

}  // namespace onda::cuda
