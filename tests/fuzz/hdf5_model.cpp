// HDF5 files of other programs: models, positions and wavelets.
#include <algorithm>
#include <vector>

#include "io/models/model_file.hpp"
#include "io/models/points_file.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace onda;

namespace {

const Quantity kDensity{"rho", {{"kg/m3"}, {"g/cm3", 1000.}}, 1e-3, 50'000.};

/// Reads a corner of a model, which may claim more nodes than any memory holds.
void read_model(const std::filesystem::path& file) {
    const ModelFile model(file, fuzz::tight_limits());
    auto count = model.geometry().shape;
    for (auto& nodes : count) nodes = std::min<std::int64_t>(nodes, 16);
    std::vector<float> values(static_cast<std::size_t>(count[0] * count[1] * count[2]));
    model.read({0, 0, 0}, count, values);
    static_cast<void>(model.stored_range());
    if (model.has(kDensity)) model.read(kDensity, {0, 0, 0}, count, values);
    for (const std::string& note : model.notes())
        if (printable_lines(note) != note) fuzz::report_finding("the note cannot be shown as it is: " + note);
}

}  // namespace

void fuzz::read_input(std::string_view input) {
    const auto file = file_with(input, "file.h5");
    if (answers([&] { read_model(file); })) return;
    answers([&] { read_sources(file); });
    answers([&] { read_wavelet(file); });
}
