/// \file
/// Owned memory for one padded array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <sys/mman.h>

namespace onda::cpu {

/// Uninitialised memory, page-aligned, so that the first thread that touches a page decides where it lives, and so that
/// huge pages can back it. \throws std::bad_alloc.
template <typename T>
class Buffer {
public:
    Buffer() = default;
    explicit Buffer(std::int64_t size) : size_(size) {
        if (size == 0) return;
        const std::size_t bytes = static_cast<std::size_t>(bytes_for(size));
        const std::size_t alignment = bytes >= kHugePage ? kHugePage : kPage;
        memory_.reset(static_cast<T*>(std::aligned_alloc(alignment, bytes)));
        if (!memory_) throw std::bad_alloc();
        if (alignment == kHugePage) madvise(memory_.get(), bytes, MADV_HUGEPAGE);  // a hint: refusal costs speed only
    }

    [[nodiscard]] T* data() const { return memory_.get(); }
    [[nodiscard]] std::int64_t bytes() const { return bytes_for(size_); }
    /// What `size` elements take: whole pages, huge ones from the first huge page on.
    [[nodiscard]] static std::int64_t bytes_for(std::int64_t size) {
        const auto wanted = static_cast<std::size_t>(size) * sizeof(T);
        const std::size_t page = wanted >= kHugePage ? kHugePage : kPage;
        return static_cast<std::int64_t>((wanted + page - 1) / page * page);
    }

private:
    static constexpr std::size_t kPage = 4096, kHugePage = std::size_t{2} << 20;
    struct Free {
        void operator()(T* memory) const { std::free(memory); }
    };
    std::unique_ptr<T[], Free> memory_;
    std::int64_t size_ = 0;
};

}  // namespace onda::cpu
