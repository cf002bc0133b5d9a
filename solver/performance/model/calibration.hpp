/// \file
/// What `onda bench calibrate` measured of a device: as JSON, kept in the user's cache folder, or as it ships.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "solver/performance/model/cpu_step_model.hpp"
#include "solver/performance/model/gpu_step_model.hpp"

namespace onda {

nlohmann::ordered_json calibration_json(const GpuCalibration& calibration);
nlohmann::ordered_json calibration_json(const CpuCalibration& calibration);
/// \throws std::invalid_argument that says which part is missing, or no text or positive number.
GpuCalibration gpu_calibration_from(const nlohmann::json& json);
CpuCalibration cpu_calibration_from(const nlohmann::json& json);

/// Keeps a calibration for this user. \returns where.
std::string keep_calibration(const GpuCalibration& calibration);
std::string keep_calibration(const CpuCalibration& calibration);

/// What was kept of the device of this name, or else what ships for it; no value where there is neither.
std::optional<GpuCalibration> gpu_calibration(std::string_view device_name);
std::optional<CpuCalibration> cpu_calibration(std::string_view device_name);
/// What ships.
std::optional<GpuCalibration> shipped_gpu_calibration(std::string_view device_name);

}  // namespace onda
