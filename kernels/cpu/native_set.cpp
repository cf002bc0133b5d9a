// Run when a build is configured with ONDA_ISAS=native: prints the best instruction set of this machine, by its name in
// kernels/CMakeLists.txt.
#include <cstdio>

#include "kernels/cpu/usable_sets.hpp"

int main() {
    const char* name = "generic";
#if defined(__x86_64__)
    if (onda::cpu::has_x86_64_v3()) name = "x86_64_v3";
    if (onda::cpu::has_x86_64_v4()) name = "x86_64_v4";
#endif
    std::puts(name);
}
