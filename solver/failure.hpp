/// \file
/// One place decides which exit code and message a failure becomes.
#pragma once

#include <exception>
#include <string>

#include "io/error.hpp"

namespace onda {

struct Failure {
    ExitCode code = ExitCode::internal;
    std::string message;
};

/// Error keeps its own code; cuda::Error is no_device; std::bad_alloc is out_of_memory with advice;
/// std::invalid_argument (the kernels refuse a setup) is config; std::filesystem::filesystem_error is io_error;
/// anything else is a fault in Onda.
Failure describe_failure(const std::exception_ptr& exception);

}  // namespace onda
