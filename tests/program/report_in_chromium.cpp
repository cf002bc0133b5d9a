// The report of a run works in a browser, from disk and without a network: no error on the console, the slider moves
// the wavefield, all of it by keyboard, light and dark, on a phone. Skipped where there is no Chromium.
// Takes 9 s.
#include <cstdio>
#include <cstdlib>
#include <doctest/doctest.h>

#include "tests/program/program.hpp"
#include "tests/program/python.hpp"
#include "tests/program/reported_run.hpp"

TEST_CASE("a reader uses the report of a run in Chromium") {
    const std::string python = python_with("import json");
    if (python.empty() || exit_status("command -v chromium chromium-browser google-chrome >/dev/null") != 0) {
        std::puts("skipped: there is no Chromium (chromium), or no Python");
        std::exit(kSkipped);
    }
    const TemporaryFolder folder, of_cables;
    const auto out = run_reported(folder.path()), cables = run_reported(of_cables.path(), {}, kThreeCables);
    const char* screenshots = std::getenv("ONDA_SCREENSHOTS");
    CHECK(exit_status(
              shell_quoted(python) + " " + shell_quoted(ONDA_SOURCE_DIR "/tests/program/report_in_chromium.py") + " " +
              shell_quoted((out / "report.html").string()) + " " + shell_quoted((cables / "report.html").string()) +
              (screenshots ? " " + shell_quoted(screenshots) : "")) == 0);
}
