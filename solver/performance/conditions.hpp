/// \file
/// The circumstances of a measurement: clocks, temperature and power of what computes, and what else the machine did.
#pragma once

#include <chrono>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "solver/performance/nvml.hpp"
#include "solver/propagation/devices.hpp"

namespace onda {

/// The smallest, middle and largest of what was read.
struct Spread {
    double least = 0., median = 0., most = 0.;
};

/// What was seen while something was timed.
struct Conditions {
    double seconds = 0.;
    int processors = 1;
    double load_before = 0.;        ///< the system's average of the minute before
    std::optional<double> others;   ///< processors that other processes kept busy meanwhile, on average
    std::optional<Spread> cpu_mhz;  ///< of the processors that the process may use
    std::string governor;           ///< of their frequency; empty if unknown
    bool on_gpu = false;
    std::optional<Spread> sm_mhz, memory_mhz, temperature_c, power_w;  ///< of the GPU, or the temperature of the CPU
    std::optional<double> most_sm_mhz, most_memory_mhz, most_power_w;
    int looks = 0;
    std::map<std::string, int> held_down;  ///< looks at which a reason held the GPU's clocks down

    /// One line: what a table of results should say.
    [[nodiscard]] std::string text() const;
    /// What makes the numbers doubtful, a sentence each: others at work, clocks held down.
    [[nodiscard]] std::vector<std::string> warnings() const;
    [[nodiscard]] nlohmann::ordered_json json() const;
};

/// Watches while something is timed.
class ConditionsWatch {
public:
    /// \param ordinal which one, of a device of which there are several.
    explicit ConditionsWatch(const Device& device, int ordinal = 0);
    /// One look at clocks and temperatures, for a few milliseconds: to be called between rounds, right after the device
    /// has worked. Calls that follow another within 50 ms do nothing.
    void look();
    [[nodiscard]] Conditions conditions() const;

private:
    /// Seconds that processors were busy, all together, since the system was started.
    struct Busy {
        double all = 0., own = 0.;
    };
    static std::optional<Busy> read_busy();

    using Clock = std::chrono::steady_clock;
    Clock::time_point begin_ = Clock::now();
    std::optional<Clock::time_point> last_look_;
    std::optional<Busy> busy_;
    std::string bus_id_;  ///< empty: the device is the CPU
    Conditions state_;
    std::vector<double> cpu_mhz_, sm_mhz_, memory_mhz_, temperature_c_, power_w_;
};

}  // namespace onda
