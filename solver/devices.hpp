/// \file
/// The devices a run can be computed on: one row each.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/config.hpp"
#include "kernels/backend.hpp"

namespace onda {

struct Device {
    std::string_view name;
    std::string_view help;
    std::unique_ptr<Backend> (*make)(const BackendSetup&);
    std::int64_t (*predicted_bytes)(const BackendSetup&);
    std::string (*best_kernel)(const BackendSetup&);
    std::vector<std::string> (*isa_names)();
    std::string (*best_isa)();
};
std::span<const Device> devices();

/// The device of backend.name; "auto" is the first that there is. \throws Error(config) for an unknown name.
const Device& choose_device(const Config& config);

}  // namespace onda
