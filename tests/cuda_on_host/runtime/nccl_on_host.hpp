/// \file
/// Stands in for NCCL between threads of this process that use different devices of cuda_runtime_api.h. The program
/// exports its functions, where kernels/cuda/links/nccl.cpp looks for them first.
#pragma once

namespace cuda_on_host {

/// What has been done so far.
struct NcclCounts {
    int communicators = 0, messages = 0;
};
NcclCounts nccl_counts();

/// What its functions return until it is set back to 0.
void let_nccl_fail(int result);

}  // namespace cuda_on_host
