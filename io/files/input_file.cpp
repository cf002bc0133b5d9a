#include "io/files/input_file.hpp"

#include <cerrno>
#include <cstring>
#include <system_error>
#include <unistd.h>

#include "io/text/error.hpp"
#include "io/text/printable.hpp"

namespace onda {

std::uintmax_t input_file_size(const std::filesystem::path& file) {
    const auto refuse = [&](const std::string& why) -> std::uintmax_t {
        throw Error(ExitCode::missing_input, shown(file) + ": " + why);
    };
    std::error_code error;
    const auto status = std::filesystem::status(file, error);
    if (status.type() == std::filesystem::file_type::not_found) return refuse("no such file");
    if (error) return refuse(error.message());
    if (!std::filesystem::is_regular_file(status)) return refuse("not a plain file");
    if (::access(file.c_str(), R_OK) != 0) return refuse(std::strerror(errno));
    const auto size = std::filesystem::file_size(file, error);
    return error ? refuse(error.message()) : size;
}

std::ifstream open_input_file(const std::filesystem::path& file) {
    input_file_size(file);
    std::ifstream in(file, std::ios::binary);
    if (!in) throw Error(ExitCode::missing_input, shown(file) + ": cannot open it for reading");
    return in;
}

}  // namespace onda
