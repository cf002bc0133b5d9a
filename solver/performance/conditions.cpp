#include "solver/performance/conditions.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sched.h>
#include <spdlog/fmt/fmt.h>
#include <sstream>
#include <sys/times.h>
#include <unistd.h>

#include "solver/program/build.hpp"

namespace onda {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProcessors = "/sys/devices/system/cpu/cpu";

std::optional<double> number_in(const fs::path& file) {
    std::ifstream in(file);
    double value = 0.;
    if (!(in >> value)) return std::nullopt;
    return value;
}

std::string word_in(const fs::path& file) {
    std::ifstream in(file);
    std::string word;
    in >> word;
    return word;
}

/// The processors that this process may use, by number.
std::vector<int> allowed_processors() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    std::vector<int> numbers;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        for (int i = 0; i < CPU_SETSIZE; ++i)
            if (CPU_ISSET(i, &allowed)) numbers.push_back(i);
    return numbers;
}

/// The clocks of some processors, since each may take the system milliseconds to tell: from the driver of frequencies,
/// or, where a virtual machine has none, what the kernel lists.
std::vector<double> processor_mhz() {
    constexpr std::size_t most = 8;
    const std::vector<int> allowed = allowed_processors();
    std::vector<double> mhz;
    for (std::size_t i = 0; i < std::min(most, allowed.size()); ++i)
        if (const auto khz =
                number_in(kProcessors + std::to_string(allowed[i * allowed.size() / std::min(most, allowed.size())]) +
                          "/cpufreq/scaling_cur_freq"))
            mhz.push_back(1e-3 * *khz);
    if (!mhz.empty()) return mhz;
    std::ifstream in("/proc/cpuinfo");
    for (std::string line; std::getline(in, line);)
        if (line.starts_with("cpu MHz"))
            if (const double value = std::strtod(line.c_str() + line.find(':') + 1, nullptr); value > 0.)
                mhz.push_back(value);
    return mhz;
}

/// Temperature of the processor's package, where the system tells.
std::optional<double> package_temperature_c() {
    for (int zone = 0; zone < 64; ++zone) {
        const fs::path folder = "/sys/class/thermal/thermal_zone" + std::to_string(zone);
        const std::string type = word_in(folder / "type");
        if (type.empty()) break;
        if (type != "x86_pkg_temp") continue;
        if (const auto thousandths = number_in(folder / "temp")) return 1e-3 * *thousandths;
    }
    return std::nullopt;
}

std::optional<Spread> spread_of(std::vector<double> values) {
    if (values.empty()) return std::nullopt;
    std::ranges::sort(values);
    return Spread{values.front(), values[values.size() / 2], values.back()};
}

void keep(std::vector<double>& values, const std::optional<double>& value) {
    if (value) values.push_back(*value);
}

std::string range_text(const Spread& spread) {
    return spread.most - spread.least < 0.5 ? fmt::format("{:.0f}", spread.median)
                                            : fmt::format("{:.0f} … {:.0f}", spread.least, spread.most);
}

std::string of_most(const std::optional<double>& most) {
    return most ? fmt::format(" of {:.0f}", *most) : std::string();
}

}  // namespace

ConditionsWatch::ConditionsWatch(const Device& device, int ordinal) : busy_(read_busy()) {
    state_.processors = host().processors;
    state_.load_before = number_in("/proc/loadavg").value_or(0.);
    const std::vector<int> allowed = allowed_processors();
    if (!allowed.empty())
        state_.governor = word_in(kProcessors + std::to_string(allowed.front()) + "/cpufreq/scaling_governor");
    state_.on_gpu = device.has_own_memory();
    if (state_.on_gpu) bus_id_ = cuda::platform().gpus.at(static_cast<std::size_t>(ordinal)).bus_id;
}

std::optional<ConditionsWatch::Busy> ConditionsWatch::read_busy() {
    std::ifstream in("/proc/stat");
    std::string name;
    std::int64_t user = 0, nice = 0, system = 0, idle = 0, wait = 0, interrupts = 0, soft = 0, stolen = 0;
    if (!(in >> name >> user >> nice >> system >> idle >> wait >> interrupts >> soft >> stolen) || name != "cpu")
        return std::nullopt;
    tms own{};
    times(&own);
    const double tick = 1. / static_cast<double>(sysconf(_SC_CLK_TCK));
    return Busy{tick * static_cast<double>(user + nice + system + interrupts + soft + stolen),
                tick * static_cast<double>(own.tms_utime + own.tms_stime)};
}

void ConditionsWatch::look() {
    const auto now = Clock::now();
    if (last_look_ && now - *last_look_ < std::chrono::milliseconds(50)) return;
    ++state_.looks;
    if (!state_.on_gpu) {
        for (const double mhz : processor_mhz()) cpu_mhz_.push_back(mhz);
        keep(temperature_c_, package_temperature_c());
    } else if (const auto gpu = read_gpu(bus_id_)) {
        keep(sm_mhz_, gpu->sm_mhz);
        keep(memory_mhz_, gpu->memory_mhz);
        keep(temperature_c_, gpu->temperature_c);
        keep(power_w_, gpu->power_w);
        state_.most_sm_mhz = gpu->most_sm_mhz;
        state_.most_memory_mhz = gpu->most_memory_mhz;
        state_.most_power_w = gpu->most_power_w;
        for (const std::string& reason : gpu->held_down_by) ++state_.held_down[reason];
    }
    last_look_ = Clock::now();
}

Conditions ConditionsWatch::conditions() const {
    Conditions result = state_;
    result.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    if (const auto busy = read_busy(); busy && busy_ && result.seconds > 0.)
        result.others = std::max(0., (busy->all - busy_->all) - (busy->own - busy_->own)) / result.seconds;
    result.cpu_mhz = spread_of(cpu_mhz_);
    result.sm_mhz = spread_of(sm_mhz_);
    result.memory_mhz = spread_of(memory_mhz_);
    result.temperature_c = spread_of(temperature_c_);
    result.power_w = spread_of(power_w_);
    return result;
}

std::string Conditions::text() const {
    std::string text = fmt::format("load average before {:.2f}", load_before);
    if (others) text += fmt::format(", other processes used {:.2f} of {} processors", *others, processors);
    if (!governor.empty()) text += ", governor " + governor;
    if (cpu_mhz) text += ", CPU " + range_text(*cpu_mhz) + " MHz";
    if (sm_mhz) text += ", SM " + range_text(*sm_mhz) + of_most(most_sm_mhz) + " MHz";
    if (memory_mhz) text += ", memory " + range_text(*memory_mhz) + of_most(most_memory_mhz) + " MHz";
    if (temperature_c) text += ", " + range_text(*temperature_c) + " °C";
    if (power_w) text += ", " + range_text(*power_w) + of_most(most_power_w) + " W";
    return text;
}

std::vector<std::string> Conditions::warnings() const {
    std::vector<std::string> all;
    // A GPU is fed by one thread, which a few others do not disturb.
    const double most_others = on_gpu ? 0.5 * processors : std::max(0.1, 0.02 * processors);
    if (others && *others > most_others)
        all.push_back(fmt::format("other processes used {:.1f} of {} processors: measure on an idle machine", *others,
                                  processors));
    for (const auto& [reason, times] : held_down)
        all.push_back(fmt::format("the clocks of the GPU were reduced in {} of {} samples: {}", times, looks, reason));
    return all;
}

nlohmann::ordered_json Conditions::json() const {
    nlohmann::ordered_json json{{"seconds", seconds}, {"processors", processors}, {"load_before", load_before}};
    const auto put = [&json](const char* name, const std::optional<double>& value) {
        if (value) json[name] = *value;
    };
    const auto put_spread = [&json](const char* name, const std::optional<Spread>& value) {
        if (value) json[name] = {{"min", value->least}, {"median", value->median}, {"max", value->most}};
    };
    put("busy_processors_of_others", others);
    if (!governor.empty()) json["governor"] = governor;
    put_spread("cpu_mhz", cpu_mhz);
    put_spread("sm_mhz", sm_mhz);
    put("most_sm_mhz", most_sm_mhz);
    put_spread("memory_mhz", memory_mhz);
    put("most_memory_mhz", most_memory_mhz);
    put_spread("temperature_c", temperature_c);
    put_spread("power_w", power_w);
    put("most_power_w", most_power_w);
    json["looks"] = looks;
    json["clocks_held_down"] = nlohmann::ordered_json::object();
    for (const auto& [reason, times] : held_down) json["clocks_held_down"][reason] = times;
    json["warnings"] = warnings();
    return json;
}

}  // namespace onda
