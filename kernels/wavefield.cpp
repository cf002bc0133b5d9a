#include "kernels/wavefield.hpp"

namespace onda {

void Wavefield::enqueue(std::int64_t first, std::int64_t count) {
    for (std::int64_t n = first; n < first + count; ++n) {
        fill_halos();
        step();
        absorb();
        inject(n);
        swap();
        record(n + 1);
    }
}

}  // namespace onda
