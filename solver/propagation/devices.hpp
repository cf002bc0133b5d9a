/// \file
/// The devices a run can be computed on: one row each.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/config/config.hpp"
#include "kernels/cpu/cpu.hpp"
#include "kernels/cuda/cuda.hpp"
#include "kernels/plan/allocations.hpp"
#include "kernels/wavefield.hpp"

namespace onda {

/// One kind of device: a row of what the program must know of it.
struct Device {
    std::string_view name;
    std::string_view help;
    /// Keys of `backend` that this device alone understands, separated by spaces.
    std::string_view own_settings;
    /// Why the device cannot be used here, and what to do; empty if it can. \param ordinal which one, if there are
    /// several.
    std::string (*problem)(int ordinal);
    /// Whether the problem is that its memory is short, which may pass.
    bool (*memory_is_short)(int ordinal);
    /// Whether the program was compiled with the device: then a problem is worth a note.
    bool (*compiled_in)();
    std::span<const KernelInfo> (*kernel_names)();
    /// The values of a setting, "kernel" or one of own_settings, beside "auto".
    std::vector<std::string> (*values)(const Setup&, std::string_view key);
    /// Checks a set-up. \throws SetupFault; std::invalid_argument for an unknown order.
    void (*check_setup)(const Setup&);
    /// Puts names in place of "auto". The set-up must have passed check_setup.
    void (*resolve)(Setup&);
    /// Every choice of kernel and settings that gives the same bits and leaves what the set-up names, the kernel that
    /// resolve() takes first, with its variants, fastest known first. The set-up must have passed check_setup.
    std::vector<KernelChoice> (*choices)(const Setup&);
    std::shared_ptr<Medium> (*make_medium)(const Setup&, const MediumReaders&, double dt_s);
    /// Hardware and instruction set of a resolved set-up: "NVIDIA H200", "sm_90".
    std::string (*hardware)(const Setup&);
    std::string (*instruction_set)(const Setup&);
    /// What else its speed depends on: the versions of driver and run-time library, the number of processors.
    std::string (*circumstances)();
    /// Shots that one wavefield can hold, memory aside.
    int (*most_shots)(const Setup&);
    /// What a medium and a wavefield of so many shots of a size will allocate, before anything is.
    Allocations (*allocations)(const Setup&, int shots, const ShotSize&);
    /// What the correlation of a wavefield of so many shots will allocate, which keeps so many levels, and perhaps sums
    /// illuminations, and products on lines at an offset (FieldSet::make_correlation).
    Allocations (*correlation_allocations)(const Setup&, int shots, std::int64_t slots, Correlated what,
                                           const OffsetLines& lines);
    /// What the scattering between two wavefields of so many shots will allocate (FieldSet::make_scattering).
    Allocations (*scattering_allocations)(const Setup&, int shots);
    /// The same for those of fluxes, with variable density (FieldSet::make_flux_correlation, make_flux_scattering).
    Allocations (*flux_correlation_allocations)(const Setup&, int shots, std::int64_t slots);
    Allocations (*flux_scattering_allocations)(const Setup&, int shots);
    /// What the rings of a wavefield of so many shots will allocate (FieldSet::make_ring).
    Allocations (*ring_allocations)(const Setup&, int shots, const RingSize&);

    /// How many devices of this kind there are; ordinals count them. The CPU is as many as anybody asks for.
    int (*count)();
    /// Which device this is, whatever its ordinal: other processes may count the same devices otherwise. Sorted by
    /// identity, devices are in the order of their places in the machine.
    std::string (*identity)(int ordinal);
    /// Lets two devices copy planes from one to the other directly. \returns whether they can, without the host.
    bool (*connect)(int one, int other);
    /// What takes planes between the memories of such devices in different processes; null where they have none of
    /// their own.
    const cuda::LinkLibrary& (*link_library)();
    /// The bytes that are free now in the memory of a device that has its own; null for devices that use the host's.
    std::int64_t (*available_bytes)(int ordinal);
    std::int64_t host_bytes;  ///< what its driver and libraries take of the host's memory

    [[nodiscard]] bool has_own_memory() const { return available_bytes != nullptr; }
    /// The memory that media and wavefields lie in.
    [[nodiscard]] Memory memory() const { return has_own_memory() ? Memory::device : Memory::host; }
    /// The bytes of a medium, and of fields and boundaries of so many shots, in memory().
    [[nodiscard]] std::int64_t predicted_bytes(const Setup& setup, int shots) const {
        return allocations(setup, shots, {}).bytes(memory());
    }
    [[nodiscard]] bool has_kernel(std::string_view kernel) const;
    [[nodiscard]] bool understands(std::string_view setting) const;
};
/// A wavefield of one shot on a medium of its own.
std::unique_ptr<Wavefield> make_wavefield(const Device& device, const Setup& setup, const MediumReaders& readers,
                                          double dt_s);

/// The list of devices, fastest first: "auto" takes the first that can be used.
std::span<const Device> devices();

/// The device of this name. \param ordinal which one, if there are several. \throws std::invalid_argument with the
/// names there are; Error(no_device) with the device's problem if it cannot be used here.
const Device& usable_device(const std::string& name, int ordinal = 0);

/// The devices with memory of their own that a backend may use, as a text that is the same in all processes that see
/// the same ones; empty where there are none. Looks at none that cannot be the backend's.
std::string devices_seen(const std::string& backend);

struct DeviceChoice {
    const Device* device = nullptr;
    std::vector<std::string> notes;  ///< why a faster device that Onda was compiled for is not taken
};
/// The device of backend.name; "auto" is the first that can be used and that has the kernel and the settings asked for.
/// \throws what usable_device throws.
DeviceChoice choose_device(const BackendConfig& config);

/// Checks a set-up as device.check_setup does, with advice: the nearest name, or the device that has what is asked for.
/// \throws what device.check_setup throws; SetupFault for a setting that the device does not have.
void check_setup(const Device& device, const Setup& setup);
/// Whether a device has the kernel, tile and whatever else a set-up names, and computes what it asks for: whether
/// check_setup() throws no SetupFault.
bool has_kernel_for(const Device& device, const Setup& setup);

/// One line about a resolved set-up: device, kernel, and what else distinguishes it.
std::string describe(const Device& device, const Setup& setup);

/// Whether a setup leaves this variant of its kernel: tile and copy are those it names, or it says "auto".
bool leaves(const Setup& setup, const cuda::Variant& variant);

}  // namespace onda
