// Runs Python scripts of the project with whichever interpreter has the modules they need.
#pragma once

#include <cstdlib>
#include <string>
#include <sys/wait.h>

/// Exit status of a shell command; -1 if it did not end by itself.
inline int exit_status(const std::string& command) {
    const int status = std::system(command.c_str());
    return status != -1 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// The text as one word of a shell command; it holds no quotes itself.
inline std::string shell_quoted(const std::string& text) {
    std::string word(1, '\'');
    word.append(text).append(1, '\'');
    return word;
}

/// An interpreter that runs `statement` ("import numpy, h5py") without an error; empty if there is none.
/// ONDA_PYTHON is tried first, then the one on the path, then the system's.
inline std::string python_with(const std::string& statement) {
    const char* wanted = std::getenv("ONDA_PYTHON");
    for (const std::string& python :
         {std::string(wanted ? wanted : ""), std::string("python3"), std::string("/usr/bin/python3")})
        if (!python.empty() &&
            exit_status(shell_quoted(python) + " -c " + shell_quoted(statement) + " >/dev/null 2>&1") == 0)
            return python;
    return "";
}

/// What CTest shows as skipped.
inline constexpr int kSkipped = 77;
