/// \file
/// Runs the rows of the verification table as tests.
#pragma once

#include <doctest/doctest.h>
#include <stdexcept>
#include <string>

#include "solver/verify/verify.hpp"
#include "tests/sanitized.hpp"

namespace onda {

/// The group with this id. \throws std::out_of_range if there is none.
inline PromiseGroup verification_group(const std::string& id) {
    for (PromiseGroup& group : verification_table())
        if (group.id == id) return group;
    throw std::out_of_range("no group of promises is called '" + id + "'");
}

/// Measures every promise of a group, but those that take long, with the kernel a run would take.
inline void check_promises(const std::string& group_id, const VerifyOptions& options = {}) {
    const PromiseGroup group = verification_group(group_id);
    REQUIRE(!group.promises.empty());
    for (const Promise& promise : group.promises) {
        // Sanitizers slow the measurements down by an order of magnitude: there the quick rows must do.
        if (promise.takes_long || (test::kSanitized && !promise.quick)) continue;
        const Verdict verdict = check_promise(promise, options);
        INFO(group.id, " ", group.title, ": ", promise.name, " ", verdict.measured.detail);
        CHECK(verdict.measured.value <= promise.limit);
    }
}

}  // namespace onda
