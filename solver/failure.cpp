#include "solver/failure.hpp"

#include <filesystem>
#include <new>

#include "kernels/backend.hpp"

namespace onda {

Failure describe_failure(const std::exception_ptr& exception) {
    try {
        std::rethrow_exception(exception);
    } catch (const Error& error) {
        return {error.code(), error.what()};
    } catch (const cuda::Error& error) {
        return {error.out_of_memory ? ExitCode::out_of_memory : ExitCode::no_device,
                std::string("the GPU failed: ") + error.what() +
                    "\n  nothing of the run that was under way is kept; `onda info` says whether "
                    "the GPU is there, and backend.name: cpu computes without it"};
    } catch (const std::bad_alloc&) {
        return {
            ExitCode::out_of_memory,
            "out of memory\n  `onda check CONFIG` lists what a run needs; use a smaller grid, fewer receivers, or a "
            "machine with more memory"};
    } catch (const std::invalid_argument& error) {
        return {ExitCode::config, error.what()};
    } catch (const std::filesystem::filesystem_error& error) {
        return {ExitCode::io_error, error.what()};
    } catch (const std::exception& error) {
        return {ExitCode::internal,
                std::string("internal fault: ") + error.what() + "\n  please report it with the output of `onda info`"};
    } catch (...) {
        return {ExitCode::internal, "internal fault\n  please report it with the output of `onda info`"};
    }
}

}  // namespace onda
