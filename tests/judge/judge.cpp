// onda_judge, a program for those who work on Onda: how near its predictions and its choice of kernels come. It is
// built with the tests, and neither installed nor packaged.
#include "tests/judge/judge.hpp"

#include <iostream>
#include <malloc.h>

#include "io/files/interruption.hpp"
#include "io/text/printable.hpp"
#include "solver/commands/numbers.hpp"
#include "solver/program/failure.hpp"

namespace {

using namespace onda;

int run(int argc, char** argv) {
    CLI::App app("How near the predictions of `onda check` and the choice of `backend.kernel: auto` come",
                 "onda_judge");
    const Command chosen = add_commands(app, {add_judge_check, add_judge_forecast, add_judge_auto});
    check_numbers(app);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : static_cast<int>(ExitCode::usage);
    }
    return chosen();
}

}  // namespace

int main(int argc, char** argv) {
    // As in `onda`, whose memory is judged.
    mallopt(M_MMAP_THRESHOLD, 1 << 18);
    watch_signals();
    try {
        return run(argc, argv);
    } catch (const Interrupted& interrupted) {
        die_of(interrupted.signal);
    } catch (...) {
        const Failure failure = describe_failure(std::current_exception());
        std::cerr << "error: " << printable_lines(failure.message) << '\n';
        return static_cast<int>(failure.code);
    }
}
