#include "io/files/atomic_stream.hpp"

#include <cerrno>
#include <fcntl.h>
#include <utility>

namespace onda {

AtomicStream::AtomicStream(const std::filesystem::path& path, bool overwrite, std::string tried)
    : target_(path, overwrite),
      tried_(std::move(tried)),
      file_(::open(target_.temporary().c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC)) {
    if (file_.id() < 0) fail(errno);
}

void AtomicStream::fail(int error) const {
    throw_system_fault(ExitCode::io_error, target_.path(), tried_, error);
}

void AtomicStream::flush() {
    if (const int error = write_all(file_, buffer_)) fail(error);
    buffer_.clear();
}

void AtomicStream::put(std::string_view bytes) {
    constexpr std::size_t buffered = 1 << 16;
    if (bytes.size() >= buffered) {  // not copied: it may be half of the memory
        flush();
        if (const int error = write_all(file_, bytes)) fail(error);
        return;
    }
    buffer_ += bytes;
    if (buffer_.size() >= buffered) flush();
}

AtomicFile AtomicStream::finish() {
    flush();
    if (!file_.close()) fail(errno);
    target_.finish();
    return std::move(target_);
}

}  // namespace onda
