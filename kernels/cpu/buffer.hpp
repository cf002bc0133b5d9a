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
        const std::size_t wanted = static_cast<std::size_t>(size) * sizeof(T);
        const std::size_t alignment = wanted >= kHugePage ? kHugePage : kPage;
        const std::size_t bytes = (wanted + alignment - 1) / alignment * alignment;
        memory_.reset(static_cast<T*>(std::aligned_alloc(alignment, bytes)));
        if (!memory_) throw std::bad_alloc();
        if (alignment == kHugePage) madvise(memory_.get(), bytes, MADV_HUGEPAGE);  // a hint: refusal costs speed only
    }

    [[nodiscard]] T* data() const { return memory_.get(); }
    [[nodiscard]] std::int64_t bytes() const { return size_ * static_cast<std::int64_t>(sizeof(T)); }

private:
    static constexpr std::size_t kPage = 4096, kHugePage = std::size_t{2} << 20;
    struct Free {
        void operator()(T* memory) const { std::free(memory); }
    };
    std::unique_ptr<T[], Free> memory_;
    std::int64_t size_ = 0;
};

}  // namespace onda::cpu
