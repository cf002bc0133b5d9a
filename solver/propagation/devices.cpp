#include "solver/propagation/devices.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include "io/text/error.hpp"
#include "io/text/nearest_name.hpp"
#include "io/text/printable.hpp"
#include "solver/program/build.hpp"

namespace onda {
namespace {

/// What the CUDA driver and its libraries hold of the host's memory once a GPU is in use: measured on an H200, 120 to
/// 155 MB.
constexpr std::int64_t kCudaHostBytes = 145'000'000;

std::vector<std::string> names_of(std::span<const KernelInfo> kernels) {
    std::vector<std::string> names;
    for (const KernelInfo& kernel : kernels) names.emplace_back(kernel.name);
    return names;
}

std::string& setting(Setup& setup, std::string_view key) {
    return key == "kernel" ? setup.kernel : key == "isa" ? setup.isa : key == "tile" ? setup.tile : setup.copy;
}
const std::string& setting(const Setup& setup, std::string_view key) {
    return setting(const_cast<Setup&>(setup), key);
}

/// Whether what was asked for leaves this name to be taken.
bool leaves(const std::string& wanted, const std::string& name) {
    return wanted == "auto" || wanted == name;
}

namespace on_cpu {

std::string problem(int) {
    return {};
}
bool memory_is_short(int) {
    return false;
}
bool compiled_in() {
    return true;
}
std::vector<std::string> values(const Setup& setup, std::string_view key) {
    return key == "isa" ? cpu::isa_names()
                        : cpu::kernels_of(setup.scheme.equation, setup.applications(), setup.medium.storage);
}
void resolve(Setup& setup) {
    if (setup.isa == "auto") setup.isa = cpu::best_isa();
    if (setup.kernel == "auto") setup.kernel = cpu::best_kernel(setup);
}
/// Threads are no choice: runs look for their number themselves, again and again. Instruction sets without a fused
/// multiply-add call a function for it, and are listed where there is no other.
std::vector<KernelChoice> choices(const Setup& setup) {
    std::vector<std::string> kernels = values(setup, "kernel"), sets = cpu::isa_names();
    if (setup.isa == "auto" && sets.size() > 1) std::erase(sets, "generic");
    std::ranges::reverse(sets);
    Setup best = setup;
    resolve(best);
    std::stable_partition(kernels.begin(), kernels.end(),
                          [](const std::string& kernel) { return kernel != "reference"; });
    std::stable_partition(kernels.begin(), kernels.end(),
                          [&best](const std::string& kernel) { return kernel == best.kernel; });
    std::vector<KernelChoice> list;
    for (const std::string& kernel : kernels)
        for (const std::string& isa : sets) {
            if (!leaves(setup.kernel, kernel) || !leaves(setup.isa, isa)) continue;
            KernelChoice& choice = list.emplace_back(setup);
            choice.kernel = kernel;
            choice.isa = isa;
        }
    return list;
}
int most_shots(const Setup&) {
    return std::numeric_limits<int>::max();
}
int count() {
    return 1;
}
std::string identity(int) {
    return "cpu";
}
bool connect(int, int) {
    return true;
}
std::string hardware(const Setup&) {
    return host().cpu;
}
std::string instruction_set(const Setup& setup) {
    return setup.isa;
}
std::string circumstances() {
    return fmt::format("{} processors", host().processors);
}

}  // namespace on_cpu

namespace on_gpu {

std::string problem(int ordinal) {
    return cuda::gpu_state(ordinal).problem;
}
bool memory_is_short(int ordinal) {
    return cuda::gpu_state(ordinal).memory_is_short;
}
bool compiled_in() {
    return cuda::platform().compiled_in;
}
const std::string& setting(const cuda::Variant& variant, std::string_view key) {
    return key == "kernel" ? variant.kernel : key == "tile" ? variant.tile : variant.copy;
}
std::vector<std::string> values(const Setup& setup, std::string_view key) {
    std::vector<std::string> names;
    for (const cuda::Variant& variant : cuda::variants(setup)) {
        const std::string& name = setting(variant, key);
        if (key == "kernel" ? name == "twin" : setup.kernel != "auto" && variant.kernel != setup.kernel) continue;
        if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    return names;
}
void resolve(Setup& setup) {
    if (setup.kernel != "auto" && cuda::variants(setup).empty()) return;  // check_setup() says why
    const cuda::Variant best = cuda::best_variant(setup);
    setup.kernel = best.kernel;
    setup.tile = best.tile;
    setup.copy = best.copy;
}
/// All but the thesis' kernels, which sum in an order of their own, and the twin.
std::vector<KernelChoice> choices(const Setup& setup) {
    Setup best = setup;
    resolve(best);
    std::vector<KernelChoice> list;
    for (const cuda::Variant& variant : cuda::variants(setup)) {
        const bool other_bits = variant.kernel == "twin" || variant.kernel.starts_with("thesis-");
        if ((other_bits && setup.kernel != variant.kernel) || !leaves(setup.kernel, variant.kernel) ||
            !leaves(setup.tile, variant.tile) || !leaves(setup.copy, variant.copy))
            continue;
        KernelChoice& choice = list.emplace_back(setup);
        choice.kernel = variant.kernel;
        choice.tile = variant.tile;
        choice.copy = variant.copy;
    }
    std::stable_partition(list.begin(), list.end(),
                          [&best](const KernelChoice& each) { return each.kernel == best.kernel; });
    return list;
}
std::string circumstances() {
    const cuda::Platform& platform = cuda::platform();
    return fmt::format("driver {}, run time {}", platform.driver_version, platform.runtime_version);
}
int count() {
    return static_cast<int>(cuda::platform().gpus.size());
}
std::string identity(int ordinal) {
    const cuda::Gpu& gpu = cuda::platform().gpus.at(static_cast<std::size_t>(ordinal));
    return gpu.bus_id + " " + gpu.uuid;
}
std::string hardware(const Setup& setup) {
    return cuda::platform().gpus.at(static_cast<std::size_t>(setup.ordinal)).name;
}
std::string instruction_set(const Setup& setup) {
    return cuda::platform().gpus.at(static_cast<std::size_t>(setup.ordinal)).architecture;
}

}  // namespace on_gpu

constexpr std::array kDevices{
    Device{.name = "cuda",
           .help = "NVIDIA GPUs of this machine: backend.devices says which",
           .own_settings = "device tile copy",
           .problem = on_gpu::problem,
           .memory_is_short = on_gpu::memory_is_short,
           .compiled_in = on_gpu::compiled_in,
           .kernel_names = cuda::kernel_names,
           .values = on_gpu::values,
           .check_setup = cuda::check_setup,
           .resolve = on_gpu::resolve,
           .choices = on_gpu::choices,
           .make_medium = cuda::make_medium,
           .hardware = on_gpu::hardware,
           .instruction_set = on_gpu::instruction_set,
           .circumstances = on_gpu::circumstances,
           .most_shots = cuda::most_shots,
           .allocations = cuda::allocations,
           .correlation_allocations = cuda::correlation_allocations,
           .scattering_allocations = cuda::scattering_allocations,
           .flux_correlation_allocations = cuda::flux_correlation_allocations,
           .flux_scattering_allocations = cuda::flux_scattering_allocations,
           .ring_allocations = cuda::ring_allocations,
           .count = on_gpu::count,
           .identity = on_gpu::identity,
           .connect = cuda::connect_gpus,
           .link_library = cuda::link_library,
           .available_bytes = cuda::available_bytes,
           .host_bytes = kCudaHostBytes},
    Device{.name = "cpu",
           .help = "all cores of this machine, through OpenMP",
           .own_settings = "isa",
           .problem = on_cpu::problem,
           .memory_is_short = on_cpu::memory_is_short,
           .compiled_in = on_cpu::compiled_in,
           .kernel_names = cpu::kernel_names,
           .values = on_cpu::values,
           .check_setup = cpu::check_setup,
           .resolve = on_cpu::resolve,
           .choices = on_cpu::choices,
           .make_medium = cpu::make_medium,
           .hardware = on_cpu::hardware,
           .instruction_set = on_cpu::instruction_set,
           .circumstances = on_cpu::circumstances,
           .most_shots = on_cpu::most_shots,
           .allocations = cpu::allocations,
           .correlation_allocations = cpu::correlation_allocations,
           .scattering_allocations = cpu::scattering_allocations,
           .flux_correlation_allocations = cpu::flux_correlation_allocations,
           .flux_scattering_allocations = cpu::flux_scattering_allocations,
           .ring_allocations = cpu::ring_allocations,
           .count = on_cpu::count,
           .identity = on_cpu::identity,
           .connect = on_cpu::connect,
           .link_library = nullptr,
           .available_bytes = nullptr,
           .host_bytes = 0},
};

/// Settings that not every device has.
constexpr std::array<std::string_view, 3> kOwnSettings{"isa", "tile", "copy"};

/// The names of all devices, or of those that can be used here.
std::string name_list(bool usable_only) {
    std::string names;
    for (const Device& device : kDevices)
        if (!usable_only || device.problem(0).empty()) names += (names.empty() ? "" : ", ") + std::string(device.name);
    return names;
}

bool offers(const Device& device, const BackendConfig& wanted) {
    const std::pair<std::string_view, const std::string&> settings[] = {
        {"isa", wanted.isa}, {"tile", wanted.tile}, {"copy", wanted.copy}};
    return (wanted.kernel == "auto" || device.has_kernel(wanted.kernel)) &&
           (wanted.device == 0 || device.understands("device")) &&
           std::ranges::all_of(settings, [&device](const auto& setting) {
               return setting.second == "auto" || device.understands(setting.first);
           });
}

std::string advice(const Device& device, const Setup& setup, const std::string& key) {
    const std::string& typed = setting(setup, key);
    for (const Device& other : kDevices)
        if (key == "kernel" && &other != &device && other.has_kernel(typed))
            return fmt::format("; it is a kernel of backend.name: {}", other.name);
    const auto name = nearest_name(typed, device.values(setup, key));
    return name ? fmt::format("; did you mean '{}'?", *name) : std::string();
}

}  // namespace

bool Device::has_kernel(std::string_view kernel) const {
    return std::ranges::find(kernel_names(), kernel, &KernelInfo::name) != kernel_names().end();
}

bool Device::understands(std::string_view setting) const {
    return own_settings.find(setting) != std::string_view::npos;
}

std::unique_ptr<Wavefield> make_wavefield(const Device& device, const Setup& setup, const MediumReaders& readers,
                                          double dt_s) {
    return device.make_medium(setup, readers, dt_s)->make_wavefield();
}

std::span<const Device> devices() {
    return kDevices;
}

std::string devices_seen(const std::string& backend) {
    std::set<std::string> seen;
    for (const Device& device : kDevices)
        if (device.has_own_memory() && (backend == "auto" || backend == device.name))
            for (int ordinal = 0; ordinal < device.count(); ++ordinal) seen.insert(device.identity(ordinal));
    return fmt::format("{}", fmt::join(seen, ","));
}

const Device& usable_device(const std::string& name, int ordinal) {
    const auto device = std::ranges::find(kDevices, name, &Device::name);
    if (device == kDevices.end())
        throw std::invalid_argument("there is no backend '" + printable(name) + "': use " + name_list(false));
    const std::string problem = device->problem(ordinal);
    if (!problem.empty())
        throw Error(device->memory_is_short(ordinal) ? ExitCode::out_of_memory : ExitCode::no_device,
                    fmt::format("backend '{}' cannot be used here: {}\n  there is {}; `onda info` lists devices and "
                                "their kernels",
                                name, problem, name_list(true)));
    return *device;
}

DeviceChoice choose_device(const BackendConfig& config) {
    const std::vector<std::int64_t>& listed = config.devices.integers;
    const auto ordinal = static_cast<int>(listed.empty() ? config.device : listed.front());
    if (config.name != "auto") return {&usable_device(config.name, ordinal), {}};
    DeviceChoice choice;
    const Device* first = nullptr;
    for (const Device& device : kDevices) {
        if (const std::string problem = device.problem(ordinal); !problem.empty()) {
            if (device.compiled_in())
                choice.notes.push_back(fmt::format("backend {} is not taken: {}", device.name, problem));
            continue;
        }
        if (first == nullptr) first = &device;
        if (offers(device, config)) {
            choice.device = &device;
            return choice;
        }
        choice.notes.push_back(fmt::format(
            "backend {} is not taken: it does not have the device, kernel, isa, tile or copy requested", device.name));
    }
    choice.device = first;  // whose complaint will name what there is
    return choice;
}

bool has_kernel_for(const Device& device, const Setup& setup) {
    try {
        check_setup(device, setup);
        return true;
    } catch (const SetupFault&) {
        return false;
    }
}

void check_setup(const Device& device, const Setup& setup) {
    if (setup.ordinal != 0 && !device.understands("device"))
        throw SetupFault("device", fmt::format("{}: the {} backend has no devices to choose from; leave it out or take "
                                               "backend.name: {}",
                                               setup.ordinal, device.name, kDevices.front().name));
    for (const std::string_view key : kOwnSettings) {
        const std::string& value = setting(setup, key);
        if (value == "auto" || device.understands(key)) continue;
        const auto other = std::ranges::find_if(kDevices, [key](const Device& row) { return row.understands(key); });
        throw SetupFault(std::string(key), fmt::format("'{}': the {} backend has no {}; leave it out or take "
                                                       "backend.name: {}",
                                                       printable(value), device.name, key, other->name));
    }
    try {
        device.check_setup(setup);
    } catch (const SetupFault& fault) {
        if (fault.key == "device") throw;  // a number, and the message says which there are
        throw SetupFault(fault.key, fault.what() + advice(device, setup, fault.key));
    }
    if (setup.kernel != "auto" && !device.has_kernel(setup.kernel))  // the twin, which computes no waves
        throw SetupFault("kernel", fmt::format("there is no kernel '{}': use auto, {}", setup.kernel,
                                               fmt::join(names_of(device.kernel_names()), ", ")));
}

std::string describe(const Device& device, const Setup& setup) {
    const std::string which = device.understands("device") ? fmt::format("GPU {}, ", setup.ordinal) : std::string();
    std::string text = fmt::format("{}, {}{}, {}, kernel {}", device.name, which, device.hardware(setup),
                                   device.instruction_set(setup), setup.kernel);
    if (device.understands("tile")) text += ", tile " + setup.tile + (setup.copy.empty() ? "" : ", copy " + setup.copy);
    if (!device.has_own_memory()) text += fmt::format(", {} thread{}", setup.threads, setup.threads == 1 ? "" : "s");
    return text;
}

bool leaves(const Setup& setup, const cuda::Variant& variant) {
    return setup.kernel == variant.kernel && leaves(setup.tile, variant.tile) && leaves(setup.copy, variant.copy);
}

}  // namespace onda
