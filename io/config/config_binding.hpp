/// \file
/// The way from a pointer to member to a Slot: the type of the member decides how it is read and written.
#pragma once

#include <type_traits>

#include "io/config/config_table.hpp"

namespace onda {

template <typename T>
struct GroupOf;  // not a group

template <typename T>
concept Plain = std::is_constructible_v<Slot, T*>;

template <typename Item>
struct GroupOf<std::vector<Item>> {
    static Group make(std::vector<Item>& list) {
        using List = std::vector<Item>;
        return {Group::Kind::list, &list, [](void* owner) { return static_cast<List*>(owner)->size(); },
                [](void* owner, std::size_t i) -> void* { return &(*static_cast<List*>(owner))[i]; },
                [](void* owner) -> void* { return &static_cast<List*>(owner)->emplace_back(); }};
    }
};

template <typename Item>
struct GroupOf<std::optional<Item>> {
    static Group make(std::optional<Item>& item) {
        using Optional = std::optional<Item>;
        return {Group::Kind::optional_section, &item,
                [](void* owner) { return std::size_t{static_cast<Optional*>(owner)->has_value() ? 1u : 0u}; },
                [](void* owner, std::size_t) -> void* { return &**static_cast<Optional*>(owner); },
                [](void* owner) -> void* { return &static_cast<Optional*>(owner)->emplace(); }};
    }
};

template <typename T>
Slot slot_of(T& value) {
    if constexpr (Plain<T>)
        return &value;
    else if constexpr (requires { GroupOf<T>::make(value); })
        return GroupOf<T>::make(value);
    else
        return Group{Group::Kind::section, &value, [](void*) { return std::size_t{1}; },
                     [](void* owner, std::size_t) { return owner; }, [](void* owner) { return owner; }};
}

template <typename Owner, typename T>
Owner owner_of(T Owner::*);

/// The slot of a member, given the address of its struct.
template <auto Member>
Slot bind(void* owner) {
    using Owner = decltype(owner_of(Member));
    return slot_of(static_cast<Owner*>(owner)->*Member);
}

}  // namespace onda
