#include "solver/performance/model/calibration.hpp"

#include <cctype>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>
#include <stdexcept>

#include "solver/performance/cache_folder.hpp"
#include "solver/performance/reference_files.hpp"

namespace onda {
namespace {

/// Version of the layout of the files, and of what the constants mean: a model of another form is calibrated anew.
constexpr int kVersion = 2;

double positive(const nlohmann::json& object, std::string_view key) {
    const auto found = object.find(std::string(key));
    const double value = found != object.end() && found->is_number() ? found->get<double>() : 0.;
    if (!(value > 0.) || !std::isfinite(value))
        throw std::invalid_argument(fmt::format("{} is not a positive number", key));
    return value;
}

const nlohmann::json& object_in(const nlohmann::json& json, const char* key) {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_object()) throw std::invalid_argument(fmt::format("{} is missing", key));
    return *found;
}

/// A text, empty where there is none.
std::string text_in(const nlohmann::json& json, const char* key) {
    const auto found = json.find(key);
    if (found == json.end()) return "";
    if (!found->is_string()) throw std::invalid_argument(fmt::format("{} is not a text", key));
    return found->get<std::string>();
}

template <typename Calibration, typename Rates, typename Constants>
nlohmann::ordered_json json_of(const Calibration& calibration, const Rates& rates, const Constants& constants) {
    nlohmann::ordered_json json{{"device", calibration.device}, {"source", calibration.source}};
    for (const auto& rate : rates) json["rates"][std::string(rate.name)] = calibration.rates.*rate.value;
    json["kernels"] = nlohmann::ordered_json::object();
    for (const auto& [family, values] : calibration.kernels)
        for (const auto& constant : constants)
            json["kernels"][family][std::string(constant.name)] = values.*constant.value;
    return json;
}

template <typename Calibration, typename Rates, typename Constants>
void read_json(Calibration& calibration, const nlohmann::json& json, const Rates& rates, const Constants& constants) {
    if (!json.is_object()) throw std::invalid_argument("it is not an object");
    calibration.device = text_in(json, "device");
    calibration.source = text_in(json, "source");
    for (const auto& rate : rates) calibration.rates.*rate.value = positive(object_in(json, "rates"), rate.name);
    for (const auto& [family, values] : object_in(json, "kernels").items())
        for (const auto& constant : constants)
            calibration.kernels[family].*constant.value = positive(values, constant.name);
}

/// "calibration-nvidia-h200".
std::string cache_name(std::string_view device) {
    std::string name = "calibration";
    bool apart = true;
    for (const char c : device) {
        const auto letter = static_cast<unsigned char>(c);
        if (std::isalnum(letter) == 0 || letter > 127) {
            apart = true;
            continue;
        }
        if (apart) name += '-';
        apart = false;
        name += static_cast<char>(std::tolower(letter));
    }
    return name;
}

/// What is kept for a device; nothing where its file is damaged beyond what read_cache() sees.
template <typename Read>
auto kept(std::string_view device, const Read& read) -> std::optional<decltype(read(nlohmann::json()))> {
    const auto json = read_cache(cache_name(device), kVersion);
    if (!json) return {};
    try {
        return read(*json);
    } catch (const std::exception&) {
        return {};
    }
}

}  // namespace

nlohmann::ordered_json calibration_json(const GpuCalibration& calibration) {
    nlohmann::ordered_json json = json_of(calibration, kGpuRates, kKernelConstants);
    json["multiprocessors"] = calibration.multiprocessors;
    return json;
}

nlohmann::ordered_json calibration_json(const CpuCalibration& calibration) {
    return json_of(calibration, kCpuRates, kCpuKernelConstants);
}

GpuCalibration gpu_calibration_from(const nlohmann::json& json) {
    GpuCalibration calibration;
    read_json(calibration, json, kGpuRates, kKernelConstants);
    const double multiprocessors = positive(json, "multiprocessors");
    if (multiprocessors > std::numeric_limits<int>::max())
        throw std::invalid_argument("multiprocessors is more than any device has");
    calibration.multiprocessors = static_cast<int>(multiprocessors);
    return calibration;
}

CpuCalibration cpu_calibration_from(const nlohmann::json& json) {
    CpuCalibration calibration;
    read_json(calibration, json, kCpuRates, kCpuKernelConstants);
    return calibration;
}

std::string keep_calibration(const GpuCalibration& calibration) {
    return write_cache(cache_name(calibration.device), kVersion, nlohmann::json(calibration_json(calibration)))
        .string();
}

std::string keep_calibration(const CpuCalibration& calibration) {
    return write_cache(cache_name(calibration.device), kVersion, nlohmann::json(calibration_json(calibration)))
        .string();
}

std::optional<GpuCalibration> shipped_gpu_calibration(std::string_view device_name) {
    for (const EmbeddedFile& file : reference_files()) {
        if (!file.name.starts_with("calibrations/")) continue;
        GpuCalibration calibration = gpu_calibration_from(nlohmann::json::parse(file.text));
        if (calibration.device == device_name) return calibration;
    }
    return {};
}

std::optional<GpuCalibration> gpu_calibration(std::string_view device_name) {
    if (auto found = kept(device_name, gpu_calibration_from)) return found;
    return shipped_gpu_calibration(device_name);
}

std::optional<CpuCalibration> cpu_calibration(std::string_view device_name) {
    return kept(device_name, cpu_calibration_from);
}

}  // namespace onda
