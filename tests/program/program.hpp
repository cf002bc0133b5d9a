// Runs the onda program, as a user would, and keeps what it said.
#pragma once

#include <initializer_list>
#include <string>
#include <sys/wait.h>
#include <vector>

#include "tests/io/files_support.hpp"

/// What a program left: its exit code (128 + n if signal n ended it), stdout and stderr.
struct Outcome {
    int code = -1;
    std::string out, err;
};

inline std::string quoted(const std::string& argument) {
    std::string text = "'";
    for (const char c : argument) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

/// \param before shell commands that prepare the environment, such as "ulimit -f 100".
/// \param under a program that runs it, such as "timeout 1".
inline Outcome run_onda(const std::vector<std::string>& arguments, const std::string& before = "true",
                        const std::string& under = "") {
    const TemporaryFolder folder;
    const auto out = folder.path() / "out", err = folder.path() / "err";
    std::string command = before + "; exec " + under + " " + quoted(ONDA_PROGRAM);
    for (const std::string& argument : arguments) command += " " + quoted(argument);
    command = "( " + command + " ) >" + quoted(out.string()) + " 2>" + quoted(err.string()) + " </dev/null";
    const int status = std::system(command.c_str());
    Outcome outcome;
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    outcome.out = text_of(out);
    outcome.err = text_of(err);
    return outcome;
}
