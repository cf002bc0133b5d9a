/// \file
/// Values at all nodes of a grid, in arrays that are as large as fields.
#pragma once

#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace onda {

/// An allocator whose vectors do not zero new elements: pages are first touched by the threads that fill them, which
/// takes a fraction of the time that one thread takes to zero them.
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

/// A value of every node, [z][y][x], x fastest; undefined until it is set.
using NodeValues = std::vector<double, UnsetAllocator<double>>;

}  // namespace onda
