#include "solver/performance/nvml.hpp"

#include <array>
#include <dlfcn.h>
#include <string_view>
#include <utility>

namespace onda {
namespace {

// The few functions that are called, as nvml.h of every driver since 2012 declares them: its header is not needed to
// build, and a function that an old driver lacks leaves its number out.
using Handle = void*;
using Value = unsigned;
constexpr int kSuccess = 0;
constexpr unsigned kSmClock = 1, kMemoryClock = 2, kGpuTemperature = 0;

/// NVML's reasons for which clocks are lower than they could be (nvmlClocksThrottleReasons…), but for idling.
constexpr std::array<std::pair<unsigned long long, std::string_view>, 8> kReasons{{{0x002, "clocks set by hand"},
                                                                                   {0x004, "power cap"},
                                                                                   {0x008, "hardware slowdown"},
                                                                                   {0x010, "sync boost"},
                                                                                   {0x020, "heat (driver)"},
                                                                                   {0x040, "heat (hardware)"},
                                                                                   {0x080, "power brake"},
                                                                                   {0x100, "display clocks"}}};

struct Nvml {
    Nvml() {
        void* const library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) return;
        const auto find = [library](auto& function, const char* name) {
            function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
        };
        int (*init)() = nullptr;
        find(init, "nvmlInit_v2");
        find(handle_of, "nvmlDeviceGetHandleByPciBusId_v2");
        find(clock, "nvmlDeviceGetClockInfo");
        find(most_clock, "nvmlDeviceGetMaxClockInfo");
        find(temperature, "nvmlDeviceGetTemperature");
        find(power, "nvmlDeviceGetPowerUsage");
        find(most_power, "nvmlDeviceGetEnforcedPowerLimit");
        find(reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
        usable = init != nullptr && handle_of != nullptr && init() == kSuccess;
    }

    bool usable = false;
    int (*handle_of)(const char* bus_id, Handle*) = nullptr;
    int (*clock)(Handle, unsigned kind, Value*) = nullptr;
    int (*most_clock)(Handle, unsigned kind, Value*) = nullptr;
    int (*temperature)(Handle, unsigned sensor, Value*) = nullptr;
    int (*power)(Handle, Value* milliwatts) = nullptr;
    int (*most_power)(Handle, Value* milliwatts) = nullptr;
    int (*reasons)(Handle, unsigned long long*) = nullptr;
};

/// What a function says, in a unit of the reading.
template <typename Function, typename... Arguments>
std::optional<double> ask(double unit, Function* function, Handle gpu, Arguments... arguments) {
    Value value = 0;
    if (function == nullptr || function(gpu, arguments..., &value) != kSuccess) return std::nullopt;
    return unit * value;
}

}  // namespace

std::optional<GpuReading> read_gpu(const std::string& bus_id) {
    static const Nvml nvml;
    Handle gpu = nullptr;
    if (!nvml.usable || nvml.handle_of(bus_id.c_str(), &gpu) != kSuccess) return std::nullopt;
    GpuReading reading;
    reading.sm_mhz = ask(1., nvml.clock, gpu, kSmClock);
    reading.memory_mhz = ask(1., nvml.clock, gpu, kMemoryClock);
    reading.most_sm_mhz = ask(1., nvml.most_clock, gpu, kSmClock);
    reading.most_memory_mhz = ask(1., nvml.most_clock, gpu, kMemoryClock);
    reading.temperature_c = ask(1., nvml.temperature, gpu, kGpuTemperature);
    reading.power_w = ask(1e-3, nvml.power, gpu);
    reading.most_power_w = ask(1e-3, nvml.most_power, gpu);
    unsigned long long reasons = 0;
    if (nvml.reasons != nullptr && nvml.reasons(gpu, &reasons) == kSuccess)
        for (const auto& [bit, name] : kReasons)
            if ((reasons & bit) != 0) reading.held_down_by.emplace_back(name);
    return reading;
}

}  // namespace onda
