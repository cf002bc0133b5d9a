// Whatever call of CUDA fails, as it does when a GPU is lost, its memory has an error that cannot be corrected, a
// kernel traps or memory is short: a run ends with the documented code, says what happened to which GPU and how to go
// on, and hangs nowhere; its checkpoints are whole, and the same command, on the GPU or on a CPU, leaves the files of a
// run without a fault. Takes 25 s.
#include <algorithm>
#include <doctest/doctest.h>
#include <map>

#include "io/results/image_file.hpp"
#include "solver/tasks/checkpoint_file.hpp"
#include "tests/surveys/kept_steps.hpp"
#include "tests/surveys/result_bytes.hpp"
#include "tests/surveys/survey_place.hpp"

using namespace onda;

namespace {

/// Two shots of a hundred steps.
const std::string kTwoShots = R"(schema_version: 1
grid: {shape: [33, 25], spacing_m: 10}
model: {type: layered, layers: [{top_m: 0, vp_m_s: 1500}, {top_m: 120, vp_m_s: 2200}]}
time: {duration_s: 0.3}
boundary: {cpml_width: 4, placement: inside}
scheme: {space_order: 2}
wavelet: {type: ricker, peak_frequency_hz: 15}
sources: [{type: line, first_m: [100, 55], last_m: [200, 55], count: 2}]
receivers: [{type: line, first_m: [50, 54], last_m: [250, 54], count: 9}]
output: {snapshots: {every_s: 0.1}, pictures: false, report: false}
backend: {threads: 1}
)";
constexpr std::int64_t kTwo = 2;

/// A fault as CUDA names it, its code, and what the message says of it.
struct GpuFault {
    std::string name;
    int code;
    std::vector<std::string> words;
};
const std::vector<GpuFault> kGpuFaults{
    {"cudaErrorDevicesUnavailable", 69, {"busy or unavailable", "the GPU was lost", "dmesg | grep Xid"}},
    {"cudaErrorECCUncorrectable", 69, {"uncorrectable ECC error", "nvidia-smi -q -d ECC"}},
    {"cudaErrorIllegalAddress", 69, {"an illegal memory access", "a kernel failed"}},
    {"cudaErrorLaunchFailure", 69, {"unspecified launch failure", "a kernel failed"}},
    {"cudaErrorNvlinkUncorrectable", 69, {"uncorrectable NVLink error", "backend.exchange: host"}},
    {"cudaErrorMemoryAllocation", 71, {"out of memory"}},
};

/// Two shots of a few steps in 3-D, which can be cut into slabs.
const std::string kTwoVolumes = R"(schema_version: 1
grid: {shape: [14, 12, 34], spacing_m: 10}
model: {type: layered, layers: [{top_m: 0, vp_m_s: 1500}, {top_m: 170, vp_m_s: 2200}]}
time: {duration_s: 0.06}
boundary: {cpml_width: 3, placement: inside}
scheme: {space_order: 2}
wavelet: {type: ricker, peak_frequency_hz: 15}
sources: [{type: line, first_m: [60, 55, 140], last_m: [70, 65, 190], count: 2}]
receivers: [{type: line, first_m: [50, 54, 60], last_m: [80, 54, 290], count: 9}]
output: {snapshots: {every_steps: 5}, pictures: false, report: false}
backend: {threads: 1}
)";

/// What is computed on which GPUs.
struct GpuRun {
    const std::string* config;
    std::vector<std::string> where;
};
/// A worker on one GPU, one on each of two, and slabs of a grid on both.
const std::vector<GpuRun> kGpuRuns{{&kTwoShots, {"--set", "backend.devices=[0]"}},
                                   {&kTwoShots, {"--set", "backend.devices=[0,1]"}},
                                   {&kTwoVolumes, {"--set", "backend.devices=[0,1]", "--set", "backend.slabs=2"}}};

/// The environment and the program in whose place `onda` is run with GPUs on the host.
std::string with_gpus(const std::string& environment) {
    return "timeout -s KILL 120 env OMP_NUM_THREADS=1 " + environment +
           " ONDA_IN_ITS_PLACE=" + quoted(ONDA_PROGRAM_ON_HOST_GPUS) + R"( sh -c 'exec "$ONDA_IN_ITS_PLACE" "$@"')";
}

const std::string kEveryStep = "checkpoint.every_minutes=0.00001";

std::vector<std::string> on_gpus(std::vector<std::string> more) {
    more.insert(more.end(), {"--set", "backend.name=cuda", "--set", kEveryStep});
    return more;
}

std::string fault_at(const GpuFault& fault, long call) {
    return "ONDA_GPU_FAULT=" + fault.name + "@" + std::to_string(call);
}

long calls_of(const SurveyPlace& place, const std::vector<std::string>& arguments) {
    const auto told = place.folder.path() / "calls";
    const Outcome whole = run_onda(arguments, "true", with_gpus("ONDA_GPU_CALLS=" + quoted(told)));
    CAPTURE(whole.err);
    REQUIRE(whole.code == 0);
    return std::stol(text_of(told));
}

const LeftOfRun& without_a_fault(const std::string& config) {
    static std::map<std::string, LeftOfRun> known;
    if (const auto found = known.find(config); found != known.end()) return found->second;
    const SurveyPlace place(config);
    REQUIRE(place.run().code == 0);
    return known.emplace(config, left_in(place.out(), kTwo)).first->second;
}

/// From one call that is tried to the next: with ONDA_EVERY_CALL=1 all are, with 10 every tenth.
long stride_of(long calls, long tried) {
    const char* const every = std::getenv("ONDA_EVERY_CALL");
    return every != nullptr ? std::max(1L, std::atol(every)) : calls / tried + 1;
}

/// The last step of each shot that has a checkpoint; all of them are whole.
std::map<std::int64_t, std::int64_t> whole_checkpoints(const SurveyPlace& place) {
    std::map<std::int64_t, std::int64_t> steps;
    for (std::int64_t shot = 1; shot <= kTwo; ++shot)
        for (const std::string& name : {earlier_checkpoint_name(shot), checkpoint_name(shot)}) {
            if (!std::filesystem::exists(place.unfinished() / name)) continue;
            const CheckpointReader reader(place.unfinished() / name);
            CHECK_NOTHROW(reader.verify());
            CHECK(reader.record().step > steps[shot]);
            steps[shot] = reader.record().step;
        }
    return steps;
}

void check_message(const GpuFault& fault, const std::string& message) {
    for (const std::string& words : fault.words) CHECK_MESSAGE(contains(message, words), words);
    CHECK(!contains(message, "internal error"));
    // Before the first kernel there is no telling which one.
    if (fault.code == 69 && contains(message, "the GPU failed")) CHECK(contains(message, "on GPU "));
}

/// \returns the exit code.
int check_gpu_fault(const GpuFault& fault, long call, const GpuRun& run, bool on_gpu_later) {
    const auto& where = run.where;
    const SurveyPlace place(*run.config);
    const Outcome met = place.run(on_gpus(where), "out", with_gpus(fault_at(fault, call)));
    INFO(fault.name << " at call " << call << " of " << where.back() << ", exit code " << met.code << "\n" << met.err);
    CHECK((met.code == fault.code || met.code == 0));
    if (met.code != 0) {
        const std::size_t error = met.err.find("error: ");
        REQUIRE(error != std::string::npos);
        const std::string message = met.err.substr(error);
        check_message(fault, message);
        const auto kept = whole_checkpoints(place);
        for (const auto& [shot, step] : kept)
            CHECK(contains(message, "shot " + std::to_string(shot) + " goes on from the checkpoint after step " +
                                        std::to_string(step)));
        if (contains(met.err, "the same command"))
            CHECK(contains(text_of(place.out() / "onda.log"), "the same command"));
        CHECK(partial_files(place.folder.path()).empty());
        const Outcome later = place.run(on_gpu_later ? on_gpus(where) : std::vector<std::string>{}, "out",
                                        on_gpu_later ? with_gpus("") : "");
        CAPTURE(later.err);
        CHECK(later.code == 0);
        CHECK(contains(later.err, "going on  shot") == !kept.empty());
        CHECK(!contains(later.err, "not used"));
    }
    CHECK(left_in(place.out(), kTwo) == without_a_fault(*run.config));
    CHECK(!std::filesystem::exists(place.unfinished()));
    return met.code;
}

void tell_codes(const std::map<int, int>& codes) {
    std::string text;
    for (const auto& [code, times] : codes) text += " " + std::to_string(times) + " x " + std::to_string(code);
    MESSAGE("calls that failed, by exit code:", text);
}

}  // namespace

TEST_CASE("each call of CUDA that fails ends a run with its reason, and the run completes later") {
    std::map<int, int> codes;
    for (const GpuRun& run : kGpuRuns) {
        const SurveyPlace whole(*run.config);
        const long calls = calls_of(whole, whole.command(on_gpus(run.where))), stride = stride_of(calls, 9);
        REQUIRE(calls > 1000);
        for (long call = 1; call <= calls; call += stride) {
            const auto turn = static_cast<std::size_t>(call / stride);
            ++codes[check_gpu_fault(kGpuFaults[turn % kGpuFaults.size()], call, run, turn % 2 == 0)];
        }
    }
    tell_codes(codes);
    CHECK(codes[69] > 10);
}

namespace {

/// A run that is stopped on a CPU and goes on with a longer record on GPUs, or the other way round.
void check_longer_record(const GpuRun& gpus, bool ends_on_gpus, const std::string& shorter, const std::string& longer) {
    CAPTURE(gpus.where.back());
    CAPTURE(ends_on_gpus);
    const auto arguments = [&](bool on_them, const std::string& duration_s) {
        std::vector<std::string> all = on_them ? gpus.where : std::vector<std::string>{};
        all.insert(all.end(), {"--set", "time.duration_s=" + duration_s, "--set", kEveryStep});
        return on_them ? on_gpus(all) : all;
    };
    const SurveyPlace place(*gpus.config);
    const std::vector<std::string> last = arguments(ends_on_gpus, longer);
    const std::string under = ends_on_gpus ? with_gpus("") : "";
    REQUIRE(place.run(last, "out", under).code == 0);
    const Contents whole = results_in(place.out());
    std::filesystem::remove_all(place.out());
    const std::vector<std::string> stopped = arguments(!ends_on_gpus, shorter);
    if (ends_on_gpus) {
        // A record with a finished shot grows no longer: again, where the signal came after one.
        bool is_stopped = false;
        for (int tries = 0; tries < 20 && !is_stopped; ++tries) {
            std::filesystem::remove_all(place.out());
            is_stopped = stop_on_the_way(place, stopped, SIGTERM) && !shot_is_finished(place);
        }
        REQUIRE(is_stopped);
    } else {
        const long calls = calls_of(place, place.command(stopped, "counted"));
        REQUIRE(place.run(stopped, "out", with_gpus(fault_at(kGpuFaults[0], calls / 2))).code == 69);
    }
    const Outcome met = place.run(last, "out", under);
    CAPTURE(met.err);
    CHECK(met.code == 0);
    CHECK(contains(met.err, "the record is longer than that of the run before"));
    CHECK(contains(met.err, "going on  shot"));
    CHECK(!contains(met.err, "not used"));
    CHECK(results_in(place.out()) == whole);
}

}  // namespace

TEST_CASE("what a CPU has kept goes on with a longer record on GPUs, and the other way round, byte for byte") {
    for (const bool ends_on_gpus : {true, false}) {
        check_longer_record(kGpuRuns[0], ends_on_gpus, "0.6", "0.9");
        check_longer_record(kGpuRuns[2], ends_on_gpus, "0.3", "0.45");
    }
}

TEST_CASE("where one of two GPUs fails, the shot on the other one is kept") {
    const SurveyPlace place(kTwoShots);
    const std::vector<std::string> arguments{"--set", "backend.name=cuda",          "--set", "backend.devices=[0,1]",
                                             "--set", "checkpoint.every_minutes=30"};
    const long calls = calls_of(place, place.command(arguments, "whole"));
    const Outcome met = place.run(arguments, "out", with_gpus(fault_at(kGpuFaults[1], calls / 2)));
    CAPTURE(met.err);
    CHECK(met.code == 69);
    CHECK((whole_checkpoints(place).size() == 1 || contains(met.err, "1 shot is finished")));
    CHECK(place.run().code == 0);
    CHECK(left_in(place.out(), kTwo) == without_a_fault(kTwoShots));
}

TEST_CASE("each call that fails ends a gradient so, too") {
    const SurveyPlace place(kTwoShots);
    REQUIRE(place.run({"--set", "model.layers[0].vp_m_s=1600"}, "observed").code == 0);
    const auto command = [&](const std::string& name) {
        std::vector<std::string> arguments =
            place.command(on_gpus({"--set", "imaging.observed=" + (place.out("observed") / "seismograms.h5").string(),
                                   "--set", "backend.devices=[0]", "--set", "output.snapshots=null"}),
                          name);
        arguments.front() = "gradient";
        return arguments;
    };
    const auto image = [&](const std::string& name) {
        return read_image(place.out(name) / "gradient.h5", kVpGradient, {0, 0, 0}, {33, 1, 25});
    };
    const long calls = calls_of(place, command("whole"));
    std::map<int, int> codes;
    const long stride = stride_of(calls, 5);
    for (long call = 1; call <= calls; call += stride) {
        const GpuFault& fault = kGpuFaults[static_cast<std::size_t>(call / stride) % kGpuFaults.size()];
        const std::string name = "fault-" + std::to_string(call);
        const Outcome met = run_onda(command(name), "true", with_gpus(fault_at(fault, call)));
        INFO(fault.name << " at call " << call << ", exit code " << met.code << "\n" << met.err);
        CHECK((met.code == fault.code || met.code == 0));
        if (met.code != 0) check_message(fault, met.err.substr(met.err.find("error: ")));
        const Outcome later = run_onda(command(name), "true", with_gpus(""));
        CAPTURE(later.err);
        CHECK(later.code == 0);
        CHECK(image(name) == image("whole"));
        ++codes[met.code];
    }
    tell_codes(codes);
}
