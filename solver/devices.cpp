#include "solver/devices.hpp"

#include <algorithm>
#include <array>

#include "io/error.hpp"

namespace onda {

std::span<const Device> devices() {
    static constexpr std::array table{
        Device{"cpu", "all cores of this machine, through OpenMP", cpu::make_backend, cpu::predicted_bytes,
               cpu::best_kernel, cpu::isa_names, cpu::best_isa},
    };
    return table;
}

const Device& choose_device(const Config& config) {
    const auto table = devices();
    if (config.backend.name == "auto") return table.front();
    const auto device = std::ranges::find(table, config.backend.name, &Device::name);
    if (device == table.end())
        throw_config_fault(config, "backend.name", "there is no backend '" + config.backend.name + "'");
    return *device;
}

}  // namespace onda
