#include "io/files/random_hex.hpp"

#include <cerrno>
#include <cstring>
#include <sys/random.h>
#include <vector>

#include "io/text/error.hpp"

namespace onda {

std::string random_hex(std::size_t bytes) {
    std::vector<unsigned char> values(bytes);
    for (std::size_t filled = 0; filled < bytes;) {
        const auto got = getrandom(values.data() + filled, bytes - filled, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw Error(ExitCode::internal, std::string("no random numbers: ") + std::strerror(errno));
        filled += static_cast<std::size_t>(got);
    }
    std::string text;
    for (const unsigned char value : values) {
        text += "0123456789abcdef"[value >> 4];
        text += "0123456789abcdef"[value & 15];
    }
    return text;
}

}  // namespace onda
