// A run in memory: a shot over two layers, and the largest pressure of each trace.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "solver/plan/names.hpp"
#include "solver/run/in_memory.hpp"

namespace {

constexpr const char* kConfig = R"(
schema_version: 1
grid: {shape: [161, 81], spacing_m: 10}
model: {type: layered, layers: [{top_m: 0, vp_m_s: 1500}, {top_m: 400, vp_m_s: 2500}]}
time: {duration_s: 0.6}
boundary: {top: free_surface}
wavelet: {type: ricker, peak_frequency_hz: 15}
sources: [{position_m: [800, 20]}]
receivers: [{type: line, first_m: [200, 20], last_m: [1400, 20], count: 7}]
)";

/// Says how far the run is.
class Percent : public onda::Progress {
public:
    void begin(std::int64_t shots, std::int64_t steps) override { all_ = shots * steps; }
    void update(std::int64_t done, std::int64_t together, std::int64_t step, double, double) override {
        std::fprintf(stderr, "\r%3.0f %%", 100. * double(done + together * step) / double(all_));
    }
    void clear() override { std::fputs("\n", stderr); }

private:
    std::int64_t all_ = 1;
};

}  // namespace

int main() {
    try {
        const onda::Config config = onda::read_config_text(kConfig, "two_layers", onda::vocabulary());
        onda::Log log;
        Percent percent;
        const onda::SurveyInMemory survey = onda::run_in_memory(config, {}, percent, log);
        const onda::ShotGather& gather = survey.shots.front().gather;
        const std::vector<double> offsets_m = onda::offsets_m(gather);
        for (std::size_t i = 0; i < offsets_m.size(); ++i) {
            float largest = 0.f;
            for (std::int64_t n = 0; n < gather.samples; ++n)
                largest =
                    std::max(largest, std::abs(gather.pressure[i * std::size_t(gather.samples) + std::size_t(n)]));
            std::printf("offset %5.0f m  max |p| %.3e Pa\n", offsets_m[i], double(largest));
        }
    } catch (const onda::Error& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return static_cast<int>(error.code());
    }
}
