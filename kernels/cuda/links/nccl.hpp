/// \file
/// Messages between GPUs of different processes by NCCL, which is looked for when it is first needed: neither build nor
/// program needs it otherwise.
#pragma once

#include <cstddef>
#include <cuda_runtime_api.h>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/plane_link.hpp"

namespace onda::cuda {

/// A GPU among all that NCCL could connect: two processes on one GPU have no link, unless NCCL is told by NCCL_HOSTID
/// that they are on different hosts.
std::string link_place(const std::string& bus_id);

/// A new id of an NcclLink, for both its ends. \throws Error
std::vector<std::byte> make_nccl_id();

/// A communicator of two GPUs.
class NcclLink final : public PlaneLink {
public:
    /// Joins the current device of the calling thread, as one end. \throws Error
    NcclLink(std::span<const std::byte> id, int end);
    ~NcclLink() override;

    /// Queues: `out` goes to the other end, and as many bytes come from there to `in`. \throws Error
    void exchange(std::span<const std::byte> out, std::span<std::byte> in, cudaStream_t stream) const;

private:
    void* communicator_ = nullptr;
    int other_;
};

}  // namespace onda::cuda
