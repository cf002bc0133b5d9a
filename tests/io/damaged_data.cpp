// The files that once ended `onda check` by SIGSEGV, or never ended it, are refused. Skipped without them.
// Takes 6 s.
#include "tests/program/program.hpp"

TEST_CASE("files with one changed byte in the global heap are refused") {
    for (const char* name : {"early-signal-1-624.h5", "latest-signal-1-386.h5", "hang_heap.h5"}) {
        CAPTURE(name);
        const auto damaged = data_file("damaged");
        const TemporaryFolder folder;
        std::filesystem::copy_file(damaged / name, folder.path() / "in.h5");
        std::filesystem::copy_file(damaged / "latest.yaml", folder.path() / "latest.yaml");
        const auto outcome = run_onda({"check", (folder.path() / "latest.yaml").string()});
        CAPTURE(outcome.err);
        CHECK(outcome.code == 65);
        CHECK(contains(outcome.err, "in.h5: damaged: HDF5 "));
    }
}
