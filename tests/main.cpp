// doctest's main, shared by every test program. Exit code 77 tells ctest "skipped": see data_file() in
// tests/io/files_support.hpp.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
