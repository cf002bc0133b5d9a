/// \file
/// Vectors whose elements are not zeroed when they are made.
#pragma once

#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace onda {

/// An allocator whose vectors leave new elements undefined: pages are first touched by the threads that fill them,
/// which takes a fraction of the time that one thread takes to zero them.
template <typename T>
struct UnsetAllocator : std::allocator<T> {
    template <typename U>
    struct rebind {
        using other = UnsetAllocator<U>;
    };
    template <typename U>
    void construct(U* place) {
        ::new (static_cast<void*>(place)) U;
    }
    template <typename U, typename... Arguments>
    void construct(U* place, Arguments&&... arguments) {
        ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
    }
};

/// A vector for large arrays that are filled by all threads.
template <typename T>
using UnsetVector = std::vector<T, UnsetAllocator<T>>;

}  // namespace onda
