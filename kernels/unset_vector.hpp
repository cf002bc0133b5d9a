/// \file
/// Vectors whose elements are not zeroed when they are made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <sys/mman.h>
#include <utility>
#include <vector>

namespace onda {

/// An allocator whose vectors leave new elements undefined: pages are first touched by the threads that fill them,
/// which takes a fraction of the time that one thread takes to zero them. Large arrays ask the system for large pages,
/// which it hands out in a fraction of the time of small ones, where it has them.
template <typename T>
struct UnsetAllocator : std::allocator<T> {
    template <typename U>
    struct rebind {
        using other = UnsetAllocator<U>;
    };
    /// \throws std::bad_alloc.
    T* allocate(std::size_t count) {
        if (count > SIZE_MAX / sizeof(T) - kLargePage) throw std::bad_array_new_length();
        const std::size_t bytes = count * sizeof(T);
        if (bytes < kLargeArray) return std::allocator<T>::allocate(count);
        const std::size_t whole = (bytes + kLargePage - 1) / kLargePage * kLargePage;
        void* const memory = std::aligned_alloc(kLargePage, whole);
        if (memory == nullptr) throw std::bad_alloc();
        static_cast<void>(madvise(memory, bytes, MADV_HUGEPAGE));  // a wish
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t count) {
        if (count * sizeof(T) < kLargeArray)
            std::allocator<T>::deallocate(memory, count);
        else
            std::free(memory);
    }
    template <typename U>
    void construct(U* place) {
        ::new (static_cast<void*>(place)) U;
    }
    template <typename U, typename... Arguments>
    void construct(U* place, Arguments&&... arguments) {
        ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
    }

private:
    static constexpr std::size_t kLargePage = std::size_t{2} << 20, kLargeArray = 4 * kLargePage;  ///< bytes
};

/// A vector for large arrays that are filled by all threads.
template <typename T>
using UnsetVector = std::vector<T, UnsetAllocator<T>>;

}  // namespace onda

// Compiled once, with loops optimised: elsewhere such a vector would visit each of its elements when it comes and when
// it goes, to do nothing, which takes a second for a grid of 512^3 nodes, and six for the state of 1000^3.
extern template class std::vector<char, onda::UnsetAllocator<char>>;
extern template class std::vector<float, onda::UnsetAllocator<float>>;
extern template class std::vector<double, onda::UnsetAllocator<double>>;
