// Gathers as an array of NumPy's (numpy.lib.format, version 1.0), with a table of its traces beside it.
#include <bit>

#include "io/results/gather_writers.hpp"

namespace onda {

std::string npy_header(const GatherContents& contents) {
    const std::string samples = std::to_string(contents.samples);
    const std::string shape = contents.is_even() ? std::to_string(contents.shots) + ", " +
                                                       std::to_string(contents.most_receivers) + ", " + samples
                                                 : std::to_string(contents.traces) + ", " + samples;
    std::string words = std::string("{'descr': '") + (std::endian::native == std::endian::little ? '<' : '>') +
                        "f4', 'fortran_order': False, 'shape': (" + shape + "), }";
    constexpr std::size_t before = 10, multiple = 64;  // NumPy maps numbers that begin there
    words.resize((before + words.size() + 1 + multiple - 1) / multiple * multiple - before, ' ');
    words.back() = '\n';
    std::string header("\x93NUMPY\x01\x00", 8);
    header += static_cast<char>(words.size() % 256);
    header += static_cast<char>(words.size() / 256);
    return header + words;
}

std::unique_ptr<GatherFile> open_npy(const GatherTarget& target, const GatherContents& contents) {
    return std::make_unique<NumbersWithTable>(target, contents, npy_header(contents));
}

}  // namespace onda
