// The table itself: complete, well named, documented, and not to be passed by a NaN.
// Takes less than a second.
#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>

#include "solver/verify/verify.hpp"

using namespace onda;

TEST_CASE("every promise has its own name, a limit and a method") {
    std::set<std::string> names;
    std::string id_before;
    for (const PromiseGroup& group : verification_table()) {
        CHECK(id_before < group.id);  // in their order, none twice
        id_before = group.id;
        CHECK(!group.method.empty());
        CHECK(std::any_of(group.promises.begin(), group.promises.end(), [](const Promise& p) { return p.quick; }));
        for (const Promise& promise : group.promises) {
            CHECK_MESSAGE(names.insert(group.id + promise.name).second, promise.name);
            CHECK(std::isfinite(promise.limit));
        }
    }
}

TEST_CASE("a promise is kept up to its limit, broken above it, and never kept by a NaN") {
    const auto kept = [](double value) {
        return check_promise({"", 1., false,
                              [value](const VerifyOptions&) {
                                  return Measurement{value, ""};
                              }},
                             {})
            .kept;
    };
    CHECK(kept(0.5));
    CHECK(kept(1.));
    CHECK(!kept(1.0001));
    CHECK(!kept(std::numeric_limits<double>::quiet_NaN()));
}

TEST_CASE("docs/validation.md shows every promise") {
    std::ifstream file(std::string(ONDA_SOURCE_DIR) + "/docs/validation.md");
    REQUIRE(file);
    std::ostringstream text;
    text << file.rdbuf();
    for (const PromiseGroup& group : verification_table()) {
        CHECK_MESSAGE(text.str().find(group.method) != std::string::npos, group.id);
        for (const Promise& promise : group.promises)
            CHECK_MESSAGE(text.str().find("| " + promise.name + " |") != std::string::npos, promise.name);
    }
}
