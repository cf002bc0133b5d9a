// Gathers as an array of NumPy's, with a table of its traces beside it.
#include "io/files/npy_header.hpp"
#include "io/results/gather_writers.hpp"

namespace onda {

std::string npy_header(const GatherContents& contents) {
    if (contents.is_even()) return npy_header({contents.shots, contents.most_receivers, contents.samples});
    return npy_header({contents.traces, contents.samples});
}

std::unique_ptr<GatherFile> open_npy(const GatherTarget& target, const GatherContents& contents) {
    return std::make_unique<NumbersWithTable>(target, contents, npy_header(contents));
}

}  // namespace onda
