#include "solver/survey.hpp"

namespace onda {

std::vector<double> sample_wavelet(const Wavelet& wavelet, const TimeAxis& time) {
    std::vector<double> signal;
    signal.reserve(time.steps + 1);
    for (std::int64_t n = 0; n <= time.steps; ++n) signal.push_back(wavelet.value(static_cast<double>(n) * time.dt_s));
    return signal;
}

}  // namespace onda
