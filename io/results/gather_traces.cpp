// SEG-Y and SU as formats of gathers.
#include "io/results/gather_writers.hpp"
#include "io/results/trace_file.hpp"

namespace onda {
namespace {

class TracesOfSurvey : public GatherFile {
public:
    TracesOfSurvey(const GatherTarget& target, const GatherContents& contents, TraceFormat format)
        : writer_(target.file,
                  {.format = format,
                   .program = contents.program,
                   .title = contents.title,
                   .dimensions = contents.dimensions,
                   .dt_s = contents.dt_s,
                   .samples = contents.samples,
                   .most_receivers = contents.most_receivers,
                   .parts = coordinate_parts(contents.farthest_m),
                   .grid = contents.grid,
                   .quantity = contents.quantity},
                  target.overwrite) {}

    void begin_shot(const ShotGather& header) override { writer_.begin_shot(header); }
    void put(std::span<const float> pressure) override { writer_.write_traces(pressure); }
    [[nodiscard]] std::vector<AtomicFile> finish() override {
        std::vector<AtomicFile> files;
        files.push_back(writer_.finish());
        return files;
    }

private:
    TraceFileWriter writer_;
};

}  // namespace

std::unique_ptr<GatherFile> open_segy(const GatherTarget& target, const GatherContents& contents) {
    const TraceFormat format = target.samples == "ibm" ? TraceFormat::segy_ibm : TraceFormat::segy_ieee;
    return std::make_unique<TracesOfSurvey>(target, contents, format);
}

std::unique_ptr<GatherFile> open_su(const GatherTarget& target, const GatherContents& contents) {
    return std::make_unique<TracesOfSurvey>(target, contents, TraceFormat::su);
}

}  // namespace onda
