// The model of a step's time follows from what was counted of the step and a few constants; the constants are found
// again from times that were made with them; tables and calibrations are read as they were written, and nothing else
// is.
// Takes less than a second.
#include <cmath>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <set>

#include "io/text/error.hpp"
#include "kernels/cuda/step_facts.hpp"
#include "solver/model/random_numbers.hpp"
#include "solver/performance/model/calibration.hpp"
#include "solver/performance/model/cpu_step_model.hpp"
#include "solver/performance/model/gpu_observations.hpp"
#include "solver/performance/model/gpu_step_model.hpp"
#include "solver/performance/model/log_fit.hpp"
#include "solver/performance/model/step_cases.hpp"
#include "solver/propagation/devices.hpp"

using namespace onda;

namespace {

constexpr int kMultiprocessors = 100;

/// A launch of a marching kernel that keeps all multiprocessors busy for some waves.
cuda::StepFacts step_facts(double waves, double planes = 100.) {
    cuda::StepFacts facts;
    facts.compiled.threads = 256;
    facts.compiled.blocks_per_multiprocessor = 2;
    facts.blocks = static_cast<std::int64_t>(std::llround(waves * 2 * kMultiprocessors));
    facts.planes = planes;
    const double work = static_cast<double>(facts.blocks) * planes;
    facts.points = work * 2048.;
    facts.stream_bytes = 16. * facts.points;
    facts.footprint_bytes = 12. * facts.points;
    facts.window_bytes = facts.footprint_bytes;
    facts.l2_bytes = 17. * facts.points;
    facts.shared_bytes = 30. * facts.points;
    facts.instructions = 40. * facts.points;
    facts.operations = 27. * facts.points;
    return facts;
}

double seconds(const cuda::StepFacts& facts, const GpuRates& rates = {}, const KernelConstants& kernel = {}) {
    return gpu_step_time(facts, kMultiprocessors, rates, kernel).seconds;
}

/// Observations of some kernels on some grids, as a GPU with these rates and constants would give them.
std::vector<GpuObservation> made_up(const GpuCalibration& truth) {
    std::vector<GpuObservation> list;
    std::uint64_t next = 0;
    const auto random = [&next](double low, double high) { return RandomStream(7, next++).uniform(low, high); };
    for (const auto& [family, constants] : truth.kernels)
        for (int i = 0; i < 14; ++i) {
            GpuObservation o;
            o.what.kernel = family.substr(0, family.find(','));
            o.what.order = 2 + 2 * (i % 8);
            o.facts = step_facts(std::exp(random(-2., 3.)), random(4., 200.));
            o.facts.instructions *= random(0.3, 4.);
            o.facts.shared_bytes *= random(0.3, 2.);
            if (i % 2 == 0) o.facts.stream_bytes /= 4.;
            if (i % 3 == 0) o.facts.footprint_bytes = random(1e6, 1e8);
            o.seconds = predict(truth, o.what, o.facts).seconds;
            list.push_back(o);
        }
    return list;
}

}  // namespace

TEST_CASE("what is much larger than all else is the time of a step") {
    cuda::StepFacts facts = step_facts(10.);
    facts.stream_bytes *= 100.;
    const GpuStepTime far = gpu_step_time(facts, kMultiprocessors, {}, {});
    CHECK(far.bound == "DRAM");
    CHECK(far.seconds == doctest::Approx(facts.stream_bytes / GpuRates{}.dram_bytes_s).epsilon(0.02));

    facts = step_facts(10.);
    facts.instructions *= 100.;
    const GpuStepTime busy = gpu_step_time(facts, kMultiprocessors, {}, {});
    CHECK(busy.bound == "issue");
    CHECK(busy.seconds == doctest::Approx(facts.instructions / GpuRates{}.instructions_s).epsilon(0.02));

    facts = step_facts(10.);
    facts.l2_bytes *= 100.;
    CHECK(gpu_step_time(facts, kMultiprocessors, {}, {}).bound == "L2");

    cuda::StepFacts tiny = step_facts(0.01, 1.);
    tiny.launches = 1;
    CHECK(gpu_step_time(tiny, kMultiprocessors, {}, {}).bound == "launch");
    tiny.overlaps = true;
    GpuRates quick;
    quick.overlapped_launch_s = 0.1 * quick.launch_s;
    CHECK(seconds(tiny, quick) < seconds(tiny));
}

TEST_CASE("arrays that the L2 cache keeps do not come from DRAM, and their planes come sooner") {
    cuda::StepFacts near = step_facts(2.), far = near;
    near.footprint_bytes = 1e6;
    CHECK(gpu_step_time(near, kMultiprocessors, {}, {}).dram_s <
          1e-6 * gpu_step_time(far, kMultiprocessors, {}, {}).dram_s);
    CHECK(seconds(near) < seconds(far));
    // What lies between forgets little by little.
    cuda::StepFacts between = near;
    between.footprint_bytes = 1.2 * GpuRates{}.kept_bytes;
    CHECK(seconds(between) > seconds(near));
    CHECK(seconds(between) < seconds(far));
    // A window that the cache does not keep is fetched again.
    far.refetch_bytes = 4. * far.points;
    far.window_bytes = 1e9;
    cuda::StepFacts narrow = far;
    narrow.window_bytes = 1e6;
    CHECK(seconds(far) > seconds(narrow));
}

TEST_CASE("one block more than fits begins another wave") {
    cuda::StepFacts full = step_facts(1.);
    full.stream_bytes = full.l2_bytes = 0.;
    full.instructions *= 3.;
    cuda::StepFacts more = full;
    more.blocks += 1;
    const double step = seconds(full) - GpuRates{}.launch_s;
    // The last wave is one block, which has its multiprocessor for itself.
    CHECK(seconds(more) - GpuRates{}.launch_s > 1.3 * step);
    CHECK(seconds(more) - GpuRates{}.launch_s < 2.1 * step);
}

TEST_CASE("short blocks at the end of a launch fill the places that long ones leave") {
    // 200 places. Of 300 long blocks 100 come late; 200 blocks of half the length fill what the others leave, so that
    // all places end together, after two long blocks.
    cuda::StepFacts filled = step_facts(1.5);
    filled.stream_bytes = filled.l2_bytes = 0.;
    filled.instructions *= 3.;
    filled.blocks = 500;
    filled.short_blocks = 200;
    filled.short_planes = 50.;
    CHECK(filled.planes_of_blocks() == 40'000.);
    cuda::StepFacts equal = filled;
    equal.blocks = 400;
    equal.short_blocks = 0;
    CHECK(seconds(filled) == doctest::Approx(seconds(equal)).epsilon(1e-9));
    // One long block more, and the rest of its work done by nobody: a place ends late.
    cuda::StepFacts late = filled;
    late.blocks = 501;
    CHECK(seconds(late) > 1.1 * seconds(filled));
}

TEST_CASE("constants are found again from the times they make") {
    GpuCalibration truth;
    truth.multiprocessors = kMultiprocessors;
    truth.rates.dram_bytes_s *= 1.04;
    truth.rates.launch_s = 1.6e-6;
    truth.kernels["direct, 3-D"] = {1.6, 0.25e-6, 0.9e-6};
    truth.kernels["march25d, 3-D"] = {0.8, 0.7e-6, 1.5e-6};
    truth.kernels["inplane-full, 3-D"] = {1., 0.3e-6, 0.4e-6};
    std::vector<GpuObservation> steps = made_up(truth);
    GpuCalibration before;
    before.multiprocessors = kMultiprocessors;
    const auto errors = [&steps](const GpuCalibration& calibration) {
        std::vector<double> predicted, measured;
        for (const GpuObservation& step : steps) {
            predicted.push_back(predict(calibration, step.what, step.facts).seconds);
            measured.push_back(step.seconds);
        }
        return summarise(predicted, measured);
    };
    CHECK(errors(before).median > 0.02);
    const GpuCalibration fitted = fit_gpu(before, steps);
    CHECK(errors(fitted).median < 0.01);
    CHECK(errors(fitted).worst < 0.12);
    CHECK(fitted.kernels.size() == 3);
    CHECK(fitted.of("march25d, 3-D").latency_s == doctest::Approx(0.7e-6).epsilon(0.25));
    CHECK(fitted.of("direct, 3-D").work == doctest::Approx(1.6).epsilon(0.15));
    // A relative stands for what was not measured.
    CHECK(fitted.of("direct, 3-D, compact27").work == fitted.of("direct, 3-D").work);

    // Some that no constants explain do not rule the others.
    for (std::size_t i = 0; i < steps.size(); i += 11) steps[i].seconds *= 3.;
    CHECK(errors(fit_gpu(before, steps)).median < 0.03);
}

TEST_CASE("fit_logs minimises what it says") {
    // a x^b through exact values, from far away.
    const std::vector<double> x{1., 2., 3., 5., 8.};
    std::vector<double> y;
    for (const double each : x) y.push_back(3. * std::pow(each, 1.7));
    const LogModel model = [&x](std::span<const double> c, std::span<double> predicted) {
        for (std::size_t i = 0; i < x.size(); ++i) predicted[i] = c[0] * std::pow(x[i], c[1]);
    };
    const std::vector<LogPrior> priors{{0.5, 3.}, {0.6, 3.}};
    const std::vector<double> found = fit_logs(priors, y, model, 0.01);
    CHECK(found[0] == doctest::Approx(3.).epsilon(1e-3));
    CHECK(found[1] == doctest::Approx(1.7).epsilon(1e-3));
    // Priors that are sure of themselves stay.
    const std::vector<LogPrior> sure{{0.5, 1e-9}, {0.6, 1e-9}};
    CHECK(fit_logs(sure, y, model, 0.01)[0] == doctest::Approx(0.5).epsilon(1e-6));
}

TEST_CASE("tables of steps are read as they were written") {
    GpuObservations all{"NVIDIA Test", kMultiprocessors, {}};
    GpuObservation step;
    step.what.kernel = "inplane-full";
    step.what.tile = "128x32r4";
    step.what.copy = "tma";
    step.facts = step_facts(1.3);
    step.facts.engine_lines = 12345.678;
    step.seconds = 1.25e-4;
    step.fitted = true;
    all.steps = {step, step};
    all.steps[1].what.shots = 4;
    all.steps[1].facts.overlaps = true;
    const std::string text = observations_csv(all);
    const GpuObservations read = parse_observations(text, "steps.csv");
    CHECK(read.device == "NVIDIA Test");
    CHECK(read.multiprocessors == kMultiprocessors);
    REQUIRE(read.steps.size() == 2);
    CHECK(read.steps[0].what == all.steps[0].what);
    CHECK(read.steps[1].what.shots == 4);
    CHECK(read.steps[0].fitted);
    CHECK(read.steps[0].seconds == 1.25e-4);
    CHECK(read.steps[0].facts.engine_lines == 12345.678);
    CHECK(observations_csv(read) == text);

    const auto fault_of = [](const std::string& table) {
        try {
            parse_observations(table, "steps.csv");
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    CHECK(fault_of("kernel,order\n").find("steps.csv:1: this is not a table of measured steps") != std::string::npos);
    std::string broken = text;
    broken.replace(broken.find("0.000125"), 8, "-1");
    CHECK(fault_of(broken) == "steps.csv:2: column step_s: '-1' is none of its values");
    CHECK(fault_of(text + "direct\n").find("steps.csv:4: 1 cells; the heading has") != std::string::npos);
    broken = text;
    broken.replace(broken.rfind("NVIDIA Test"), 11, "NVIDIA Rest");
    CHECK(fault_of(broken) == "steps.csv:3: column device: 'NVIDIA Rest' is none of its values");
}

TEST_CASE("calibrations are read as they were written, and only those") {
    GpuCalibration gpu;
    gpu.device = "NVIDIA Test";
    gpu.source = "made up";
    gpu.multiprocessors = 7;
    gpu.kernels["direct, 2-D"] = {1.5, 1e-7, 2e-7};
    const nlohmann::json json = calibration_json(gpu);
    const GpuCalibration read = gpu_calibration_from(json);
    CHECK(calibration_json(read) == calibration_json(gpu));
    nlohmann::json broken = json;
    broken["rates"]["launch_s"] = -1;
    CHECK_THROWS_WITH(gpu_calibration_from(broken), "launch_s is not a positive number");
    broken = json;
    broken.erase("kernels");
    CHECK_THROWS_WITH(gpu_calibration_from(broken), "kernels is missing");
    broken = json;
    broken["kernels"]["direct, 2-D"].erase("work");
    CHECK_THROWS_AS(gpu_calibration_from(broken), std::invalid_argument);
    broken = json;
    broken["device"] = 3;
    CHECK_THROWS_WITH(gpu_calibration_from(broken), "device is not a text");
    broken = json;
    broken["multiprocessors"] = 1e300;
    CHECK_THROWS_WITH(gpu_calibration_from(broken), "multiprocessors is more than any device has");

    CpuCalibration cpu;
    cpu.device = "A CPU";
    cpu.kernels["vectorised, 3-D, x86-64-v4"] = {};
    CHECK(calibration_json(cpu_calibration_from(calibration_json(cpu))) == calibration_json(cpu));
}

TEST_CASE("every calibration that ships can be read, and has constants of all kernels it names") {
    const auto h200 = shipped_gpu_calibration("NVIDIA H200");
    REQUIRE(h200);
    CHECK(h200->multiprocessors == 132);
    CHECK(h200->rates.dram_bytes_s > 3e12);
    CHECK(h200->rates.dram_bytes_s < 4.8e12);
    CHECK(h200->kernels.count("inplane-vertical, 3-D") == 1);
    CHECK(h200->kernels.count("cpml strips, 2-D") == 1);
    CHECK(!shipped_gpu_calibration("NVIDIA of nobody"));
}

TEST_CASE("the constants that ship predict steps to which none was fitted") {
    struct Case {
        const char *device, *steps;
        std::size_t least;
        double median;
    };
    for (const Case& of : {Case{"NVIDIA H200", "h200_steps.csv", 500, 0.06},  // of another day
                           Case{"NVIDIA H100 80GB HBM3", "h100_drawn_steps.csv", 200, 0.07}}) {
        CAPTURE(of.device);
        const auto calibration = shipped_gpu_calibration(of.device);
        REQUIRE(calibration);
        const GpuObservations table = read_observations(std::string(ONDA_SOURCE_DIR) + "/tests/solver/" + of.steps);
        std::vector<double> predicted, measured;
        for (const GpuObservation& step : table.steps) {
            predicted.push_back(predict(*calibration, step.what, step.facts).seconds);
            measured.push_back(step.seconds);
        }
        const ErrorSummary errors = summarise(predicted, measured);
        CHECK(errors.count >= of.least);
        CHECK(errors.median < of.median);
        CHECK(static_cast<double>(errors.within_25) > 0.95 * static_cast<double>(errors.count));
    }
}

TEST_CASE("strips take bytes, a launch each, and walks from plane to plane") {
    cuda::StepFacts facts = step_facts(2.);
    facts.side_launches = 3;
    facts.side_planes = 84.;
    facts.footprint_bytes = 1e6;
    GpuCalibration calibration;
    calibration.kernels["cpml strips, 3-D"] = {1., 9e-7, 1e-7};
    CHECK(calibration.of_strips(strip_family("cpml", "variable_density", 3)).latency_s == 9e-7);
    CHECK(calibration.of_strips(strip_family("sponge", "star", 3)).latency_s == kUsualStrips.latency_s);
    CHECK(strip_family("none", "star", 3).empty());
    // A sponge tapers p, whatever made it; layers differentiate as the operator does.
    CHECK(strip_family("sponge", "variable_density", 3) == strip_family("sponge", "star", 3));
    CHECK(strip_family("cpml", "variable_density", 3) != strip_family("cpml", "star", 3));
    const auto with = [&](double latency_s, double work) {
        return gpu_step_time(facts, kMultiprocessors, {}, {}, {work, latency_s, 1e-7}).sides_s;
    };
    CHECK(with(9e-7, 1.) - with(1e-7, 1.) == doctest::Approx(84 * 8e-7).epsilon(1e-6));
    facts.side_bytes = 1e9;
    CHECK(with(1e-7, 2.) - with(1e-7, 1.) == doctest::Approx(1e9 / GpuRates{}.l2_bytes_s).epsilon(1e-3));
}

TEST_CASE("few threads take as long as their instructions, however many multiprocessors there are") {
    cuda::StepFacts facts = step_facts(0.1, 1.);
    facts.stream_bytes = facts.l2_bytes = facts.shared_bytes = 0.;
    facts.launches = 1;
    const double wide = seconds(facts);
    facts.compiled.threads /= 4;  // each with four times the instructions
    const double of_thread = facts.instructions / (0.1 * 2 * kMultiprocessors) / facts.compiled.threads;
    CHECK(seconds(facts) > wide);
    CHECK(seconds(facts) > of_thread * GpuRates{}.thread_instruction_s);
}

TEST_CASE("the steps that a calibration of a CPU times can be computed, and are told apart") {
    std::set<std::string> seen;
    std::set<std::string> families;
    for (const CpuCase& what : cpu_calibration_cases(2)) {
        CAPTURE(text_of(what));
        CHECK_NOTHROW(check_setup(usable_device("cpu"), what.setup));
        CHECK(seen.insert(text_of(what)).second);
        families.insert(cpu_step_facts(what.setup, what.shots).family);
    }
    CHECK(std::ranges::any_of(families, [](const std::string& family) { return family.ends_with(", leap"); }));
    CHECK(std::ranges::any_of(families, [](const std::string& family) { return family.ends_with(", leap, table"); }));
}

TEST_CASE("the model of the CPU: memory, arithmetic, and threads that wait") {
    Setup setup;
    setup.grid = {3, {256, 256, 256}, {10., 10., 10.}, {}};
    setup.kernel = "vectorised";
    setup.isa = "x86-64-v4";
    setup.threads = 2;
    const CpuStepFacts facts = cpu_step_facts(setup, 1);
    CHECK(facts.points == 256. * 256. * 256.);
    CHECK(facts.stream_bytes == 16. * facts.points);
    CHECK(facts.family == "vectorised, 3-D, x86-64-v4");
    const CpuRates rates;
    CpuKernelConstants quick, slow;
    quick.node_s = quick.radius_s = 1e-13;
    slow.node_s = 1e-7;
    CHECK(cpu_step_time(facts, rates, quick).bound == "DRAM");
    CHECK(cpu_step_time(facts, rates, slow).bound == "arithmetic");
    CHECK(cpu_step_time(facts, rates, slow).seconds ==
          doctest::Approx(facts.points * (slow.node_s + 4. * slow.radius_s) / 2.).epsilon(0.02));

    CpuCalibration truth;
    truth.rates.memory_bytes_s = 4e10;
    truth.rates.thread_bytes_s = 2.5e10;
    truth.kernels[facts.family] = {0.3e-9, 0.06e-9, 1.3, 2.1};
    std::vector<CpuObservation> observations;
    for (const std::int64_t n : {32, 64, 96, 160, 256})
        for (const int order : {2, 8, 14})
            for (const int threads : {1, 2, 4}) {
                setup.grid.n = {n, n, n};
                setup.scheme = make_scheme(Equation::star, order);
                setup.threads = threads;
                setup.precision = order == 8 && n == 96 ? Precision::float64 : Precision::float32;
                CpuObservation o{cpu_step_facts(setup, 1)};
                o.seconds = cpu_step_time(o.facts, truth.rates, truth.kernels[o.facts.family]).seconds;
                observations.push_back(o);
            }
    const CpuCalibration fitted = fit_cpu({}, observations);
    std::vector<double> predicted, measured;
    for (const CpuObservation& o : observations) {
        predicted.push_back(cpu_step_time(o.facts, fitted.rates, fitted.kernels.at(o.facts.family)).seconds);
        measured.push_back(o.seconds);
    }
    CHECK(summarise(predicted, measured).median < 0.02);
    CHECK(summarise(predicted, measured).worst < 0.15);
}
