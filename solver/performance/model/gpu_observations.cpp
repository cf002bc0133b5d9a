#include "solver/performance/model/gpu_observations.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>
#include <sstream>
#include <tuple>

#include "io/files/input_file.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/performance/measurement.hpp"
#include "solver/performance/model/log_fit.hpp"

namespace onda {
namespace {

using cuda::Resources;
using cuda::StepFacts;

/// A column of the file: how its cell is written and read.
struct Column {
    std::string_view name;
    std::string (*write)(const GpuObservation&);
    /// Whether the cell is as it should be.
    bool (*read)(GpuObservation&, std::string_view cell);
};

template <typename Number>
bool read_number(Number& value, std::string_view cell) {
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc() || end != cell.data() + cell.size()) return false;
    if constexpr (std::is_floating_point_v<Number>)
        return std::isfinite(value) && value >= 0.;
    else
        return value >= 0;
}

template <std::string KernelCase::*Member>
constexpr Column word(std::string_view name) {
    return {name, [](const GpuObservation& o) { return o.what.*Member; },
            [](GpuObservation& o, std::string_view cell) {
                o.what.*Member = cell;
                return cell.size() < 64;
            }};
}
template <auto Part, auto Member>
constexpr Column number(std::string_view name) {
    return {name, [](const GpuObservation& o) { return fmt::format("{}", o.*Part.*Member); },
            [](GpuObservation& o, std::string_view cell) { return read_number(o.*Part.*Member, cell); }};
}
template <auto Member>
constexpr Column compiled(std::string_view name) {
    return {name, [](const GpuObservation& o) { return fmt::format("{}", o.facts.compiled.*Member); },
            [](GpuObservation& o, std::string_view cell) { return read_number(o.facts.compiled.*Member, cell); }};
}
constexpr auto kWhat = &GpuObservation::what;
constexpr auto kFacts = &GpuObservation::facts;

constexpr std::array kColumns{
    word<&KernelCase::kernel>("kernel"),
    number<kWhat, &KernelCase::order>("space_order"),
    word<&KernelCase::tile>("tile"),
    word<&KernelCase::copy>("copy"),
    word<&KernelCase::equation>("operator"),
    word<&KernelCase::precision>("precision"),
    word<&KernelCase::boundary>("boundary"),
    word<&KernelCase::stepping>("stepping"),
    word<&KernelCase::storage>("storage"),
    number<kWhat, &KernelCase::dimensions>("dimensions"),
    number<kWhat, &KernelCase::nx>("nx"),
    number<kWhat, &KernelCase::ny>("ny"),
    number<kWhat, &KernelCase::nz>("nz"),
    number<kWhat, &KernelCase::shots>("shots"),
    Column{"fitted", [](const GpuObservation& o) { return std::string(o.fitted ? "1" : "0"); },
           [](GpuObservation& o, std::string_view cell) {
               o.fitted = cell == "1";
               return cell == "0" || cell == "1";
           }},
    Column{"step_s", [](const GpuObservation& o) { return fmt::format("{}", o.seconds); },
           [](GpuObservation& o, std::string_view cell) { return read_number(o.seconds, cell) && o.seconds > 0.; }},
    compiled<&Resources::threads>("threads"),
    compiled<&Resources::registers>("registers"),
    compiled<&Resources::shared_bytes>("shared_bytes"),
    compiled<&Resources::spilled_bytes>("spilled_bytes"),
    compiled<&Resources::blocks_per_multiprocessor>("blocks_per_multiprocessor"),
    number<kFacts, &StepFacts::launches>("launches"),
    number<kFacts, &StepFacts::blocks>("blocks"),
    number<kFacts, &StepFacts::planes>("planes"),
    number<kFacts, &StepFacts::short_blocks>("short_blocks"),
    number<kFacts, &StepFacts::short_planes>("short_planes"),
    Column{"overlaps", [](const GpuObservation& o) { return std::string(o.facts.overlaps ? "1" : "0"); },
           [](GpuObservation& o, std::string_view cell) {
               o.facts.overlaps = cell == "1";
               return cell == "0" || cell == "1";
           }},
    number<kFacts, &StepFacts::element_bytes>("element_bytes"),
    number<kFacts, &StepFacts::points>("points"),
    number<kFacts, &StepFacts::stream_bytes>("stream_bytes"),
    number<kFacts, &StepFacts::footprint_bytes>("footprint_bytes"),
    number<kFacts, &StepFacts::l2_bytes>("l2_bytes"),
    number<kFacts, &StepFacts::window_bytes>("window_bytes"),
    number<kFacts, &StepFacts::refetch_bytes>("refetch_bytes"),
    number<kFacts, &StepFacts::engine_lines>("engine_lines"),
    number<kFacts, &StepFacts::shared_bytes>("shared_traffic_bytes"),
    number<kFacts, &StepFacts::instructions>("instructions"),
    number<kFacts, &StepFacts::operations>("operations"),
    number<kFacts, &StepFacts::side_launches>("side_launches"),
    number<kFacts, &StepFacts::side_planes>("side_planes"),
    number<kFacts, &StepFacts::side_bytes>("side_bytes"),
};
constexpr std::string_view kMultiprocessors = "multiprocessors", kDevice = "device";

std::vector<std::string_view> split(std::string_view text, char at) {
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t end = text.find(at);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

std::string header() {
    std::vector<std::string_view> names;
    for (const Column& column : kColumns) names.push_back(column.name);
    names.insert(names.end(), {kMultiprocessors, kDevice});
    return fmt::format("{}", fmt::join(names, ","));
}

[[noreturn]] void refuse(const std::string& name, std::size_t line, const std::string& fault) {
    throw Error(ExitCode::bad_data, fmt::format("{}:{}: {}", printable_whole(name), line, fault));
}

GpuObservation read_line(std::string_view line, const std::string& name, std::size_t number, GpuObservations& of) {
    const std::vector<std::string_view> cells = split(line, ',');
    if (cells.size() != kColumns.size() + 2)
        refuse(name, number, fmt::format("{} cells; the heading has {} columns", cells.size(), kColumns.size() + 2));
    GpuObservation observation;
    const auto fault = [&](std::string_view column, std::string_view cell) {
        refuse(name, number, fmt::format("column {}: '{}' is none of its values", column, printable(cell)));
    };
    for (std::size_t i = 0; i < kColumns.size(); ++i)
        if (!kColumns[i].read(observation, cells[i])) fault(kColumns[i].name, cells[i]);
    const std::string_view count = cells[kColumns.size()], device = cells.back();
    if (!read_number(of.multiprocessors, count) || of.multiprocessors < 1) fault(kMultiprocessors, count);
    if (device.empty() || (!of.device.empty() && of.device != device)) fault(kDevice, device);
    of.device = device;
    const StepFacts& facts = observation.facts;
    if (facts.blocks < 1 || facts.launches < 1 || facts.planes < 1. || facts.short_blocks > facts.blocks ||
        (facts.short_blocks > 0 && facts.short_planes < 1.))
        refuse(name, number, "a step of no launch, block or plane");
    return observation;
}

/// The constants of a calibration in the order of a fit: rates, then those of each family.
struct ConstantsOfFit {
    explicit ConstantsOfFit(GpuCalibration& fitted) : calibration(fitted) {}
    GpuCalibration& calibration;

    template <typename Body>
    void for_each(const Body& body) {
        for (const auto& rate : kGpuRates) body(calibration.rates.*rate.value, rate.spread);
        for (auto& [family, constants] : calibration.kernels)
            for (const auto& constant : kKernelConstants) body(constants.*constant.value, constant.spread);
    }
    std::vector<LogPrior> priors() {
        std::vector<LogPrior> list;
        for_each([&list](double value, double spread) { list.push_back({value, spread}); });
        return list;
    }
    void set(std::span<const double> values) {
        std::size_t i = 0;
        for_each([&](double& value, double) { value = values[i++]; });
    }
};

/// Predictions of the same steps from one set of constants after another. Most sets differ from the one before in a
/// constant or two, of kernels that few of the steps have: the others keep what was predicted.
class PredictedAgain {
public:
    PredictedAgain(const GpuCalibration& calibration, std::span<const GpuObservation> observations)
        : calibration_(calibration), observations_(observations), predicted_(observations.size()) {
        for (const GpuObservation& each : observations) {
            const auto place = [&](const std::string& family) {
                return std::distance(calibration.kernels.begin(), calibration.kernels.find(family));
            };
            families_.push_back({static_cast<std::size_t>(place(each.what.family())),
                                 static_cast<std::size_t>(place(each.what.strips()))});
        }
    }
    void operator()(ConstantsOfFit& constants, std::span<const double> values, std::span<double> predicted) {
        constants.set(values);
        const bool first = before_.empty();
        bool all = first;
        std::vector<bool> changed(calibration_.kernels.size() + 1, false);
        for (std::size_t i = 0; i < values.size() && !first; ++i) {
            if (values[i] == before_[i]) continue;
            if (i < kGpuRates.size())
                all = true;
            else
                changed[(i - kGpuRates.size()) / kKernelConstants.size()] = true;
        }
        before_.assign(values.begin(), values.end());
        for (std::size_t i = 0; i < observations_.size(); ++i)
            if (all || changed[families_[i][0]] || changed[families_[i][1]])
                predicted_[i] = predict(calibration_, observations_[i].what, observations_[i].facts).seconds;
        std::ranges::copy(predicted_, predicted.begin());
    }

private:
    const GpuCalibration& calibration_;
    std::span<const GpuObservation> observations_;
    std::vector<std::array<std::size_t, 2>> families_;  ///< of each step's kernel and strips, in their order
    std::vector<double> before_, predicted_;
};

}  // namespace

std::string KernelCase::family() const {
    return kernel_family(kernel, copy, equation, dimensions, storage);
}

std::string KernelCase::strips() const {
    return strip_family(boundary, equation, dimensions, stepping);
}

std::string KernelCase::text() const {
    const std::string grid = dimensions == 2 ? fmt::format("{} x {}", nx, nz) : fmt::format("{} x {} x {}", nx, ny, nz);
    std::string line = fmt::format("{}{}{}{}{}, {}, order {}, {}", kernel, tile.empty() ? "" : " ", tile,
                                   copy.empty() ? "" : " ", copy, grid, order, precision);
    if (equation != "star") line += ", " + equation;
    if (stepping != "single" && !kernel.starts_with(stepping)) line += ", " + stepping;
    if (storage != "float") line += ", " + storage;
    if (boundary != "none") line += ", " + boundary;
    if (shots > 1) line += fmt::format(", {} shots", shots);
    return line;
}

KernelCase case_of(const Setup& setup, int shots, const std::string& boundary) {
    KernelCase what;
    what.kernel = setup.kernel;
    what.tile = setup.tile;
    what.copy = setup.copy;
    what.equation = name(setup.scheme.equation);
    what.precision = setup.precision == Precision::float32 ? "float" : "double";
    what.boundary = boundary;
    what.stepping = setup.stepping == Stepping::leap ? "leap" : "single";
    what.storage = name(setup.medium.storage);
    what.order = setup.scheme.space_order;
    what.dimensions = setup.grid.dimensions;
    std::tie(what.nx, what.ny, what.nz) = std::tuple(setup.grid.nx(), setup.grid.ny(), setup.grid.nz());
    what.shots = shots;
    return what;
}

Setup setup_of(const KernelCase& what) {
    const auto row = std::ranges::find(equations(), what.equation, [](const Equation& each) { return each->name; });
    if (row == equations().end()) throw std::invalid_argument("there is no operator " + printable(what.equation));
    Setup setup;
    setup.grid = {what.dimensions, {what.nx, what.dimensions == 3 ? what.ny : 1, what.nz}, {10., 10., 10.}, {}};
    setup.scheme = make_scheme(*row, what.order);
    setup.precision = what.precision == "double" ? Precision::float64 : Precision::float32;
    setup.stepping = what.stepping == "leap" ? Stepping::leap : Stepping::single;
    for (const Storage storage : {Storage::codes, Storage::table})
        if (what.storage == name(storage)) store_medium(setup, storage);
    setup.kernel = what.kernel;
    setup.tile = what.tile;
    setup.copy = what.copy;
    if (what.boundary != "none") put_on_every_face(setup, what.boundary);
    return setup;
}

std::string observations_csv(const GpuObservations& observations) {
    std::string text = header() + "\n";
    for (const GpuObservation& step : observations.steps) {
        for (const Column& column : kColumns) text += column.write(step) + ",";
        text += fmt::format("{},{}\n", observations.multiprocessors, observations.device);
    }
    return text;
}

GpuObservations parse_observations(std::string_view text, const std::string& name) {
    GpuObservations read;
    std::vector<std::string_view> lines = split(text, '\n');
    if (lines.back().empty()) lines.pop_back();
    if (lines.empty() || lines.front() != header())
        refuse(name, 1,
               "this is not a table of measured steps with their facts: `onda bench calibrate gpu --validate --csv "
               "FILE` writes one, and the first line names its columns, from kernel to device");
    for (std::size_t i = 1; i < lines.size(); ++i) read.steps.push_back(read_line(lines[i], name, i + 1, read));
    return read;
}

GpuObservations read_observations(const std::filesystem::path& file) {
    constexpr std::uintmax_t most = 64 << 20;
    if (input_file_size(file) > most)
        throw Error(ExitCode::bad_data,
                    fmt::format("{}: has more than 64 MiB, too many for a table of measured steps", shown(file)));
    std::ostringstream text;
    text << open_input_file(file).rdbuf();
    return parse_observations(text.str(), file.string());
}

GpuStepTime predict(const GpuCalibration& calibration, const KernelCase& what, const cuda::StepFacts& facts) {
    return gpu_step_time(facts, calibration.multiprocessors, calibration.rates, calibration.of(what.family()),
                         calibration.of_strips(what.strips()));
}

ErrorSummary summarise(std::span<const double> predicted, std::span<const double> measured) {
    std::vector<double> errors;
    for (std::size_t i = 0; i < predicted.size(); ++i) errors.push_back(std::abs(predicted[i] / measured[i] - 1.));
    ErrorSummary summary;
    summary.count = errors.size();
    if (errors.empty()) return summary;
    const Sample sample(errors);
    summary.median = sample.median();
    summary.worst = sample.max();
    summary.within_10 = static_cast<std::size_t>(std::ranges::count_if(errors, [](double e) { return e <= 0.10; }));
    summary.within_25 = static_cast<std::size_t>(std::ranges::count_if(errors, [](double e) { return e <= 0.25; }));
    return summary;
}

GpuCalibration fit_gpu(GpuCalibration probed, std::span<const GpuObservation> observations) {
    GpuCalibration fitted = std::move(probed);
    for (const GpuObservation& observation : observations) {
        fitted.kernels.try_emplace(observation.what.family());
        if (observation.facts.side_launches > 0 && observation.what.boundary != "none")
            fitted.kernels.try_emplace(observation.what.strips(), kUsualStrips);
    }
    ConstantsOfFit constants(fitted);
    const std::vector<LogPrior> priors = constants.priors();
    std::vector<double> measured;
    for (const GpuObservation& observation : observations) measured.push_back(observation.seconds);
    PredictedAgain predictions(fitted, observations);
    constants.set(fit_logs(priors, measured, [&](std::span<const double> values, std::span<double> predicted) {
        predictions(constants, values, predicted);
    }));
    return fitted;
}

}  // namespace onda
