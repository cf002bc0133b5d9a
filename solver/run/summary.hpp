/// \file
/// The account that a run gives of itself: summary.json, and the provenance in every HDF5 file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "io/results/provenance.hpp"
#include "solver/run/run_folder.hpp"
#include "solver/shots/shot_ledger.hpp"

namespace onda {

struct Computation;
struct Experiment;
struct Plan;

struct RunFacts {
    std::filesystem::path folder;
    std::string run_id;  ///< 32 hexadecimal digits; no other run has it
    std::string command_line, started_utc, finished_utc;
    std::string backend;  ///< Medium::description()
    std::string model;    ///< Model::description
    std::vector<std::pair<std::string, double>> phase_s;
    double gpt_per_s = 0.;                                           ///< of the time steps alone
    double largest_observed_pressure = 0.;                           ///< of all shots: see ShotRecord
    std::int64_t predicted_memory_bytes = 0, peak_memory_bytes = 0;  ///< of the host
    std::int64_t predicted_device_bytes = 0, device_bytes = 0;       ///< of a device with memory of its own
    std::string model_fingerprint;
    std::string identity;               ///< hash_of(Identity): what the results follow from
    std::vector<ShotRecord> shots;      ///< finished shots, by number
    bool complete = false;              ///< whether the results are in place
    std::vector<double> residuals;      ///< of iterations, as parts of the data, from none on; empty: there are none
    std::vector<std::string> warnings;  ///< of the run; those of the plan are the plan's
    std::vector<FileRecord> files;
};

/// The summary as pretty-printed JSON with a trailing newline, without the seal. Format: docs/command_line.md. Numbers
/// that are not finite are null; bytes that are no UTF-8 become U+FFFD.
std::string summary_json(const Plan& plan, const RunFacts& facts, const FileList& files);

Provenance make_provenance(const Experiment& experiment, const Computation& computation, const RunFacts& facts);

}  // namespace onda
