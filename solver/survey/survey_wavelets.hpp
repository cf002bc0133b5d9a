/// \file
/// The wavelets of the sources of a survey, made from what its configuration says of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "io/config/config.hpp"
#include "solver/signal/wavelet.hpp"

namespace onda {

/// Makes wavelets, each once: a signal of the configuration is one wavelet, or one for each shot where a file of its
/// own has it (io/files/file_by_shot.hpp). Refers to the configuration.
class SurveyWavelets {
public:
    SurveyWavelets(const WaveletConfig& common, const ConfigOrigin& origin) : common_(common), origin_(origin) {}

    /// The number of the signal of a source entry. \throws Error(config | missing_input | bad_data).
    std::size_t signal_of(const SourceConfig& source, std::size_t entry);
    /// The index among the wavelets of what a signal is in a shot. \throws Error(missing_input | bad_data), naming the
    /// shot.
    std::size_t in_shot(std::size_t signal, std::int64_t shot);

    /// \throws Error(config) for a t0_s that was given and lies beyond the run.
    void check_centres(double duration_s) const;

    /// Those that were made.
    [[nodiscard]] std::vector<Wavelet> take() && { return std::move(wavelets_); }
    /// What each signal is, in words: one line for all shots.
    [[nodiscard]] std::vector<std::string> descriptions() const;
    /// What is doubtful in each signal; of one that shots have their own files of, in the first of these.
    [[nodiscard]] std::vector<std::string> warnings(double duration_s) const;

private:
    struct Signal {
        const WaveletConfig* config;
        std::string key;
        bool is_by_shot = false;
        std::vector<std::size_t> wavelets{};  ///< indices, of shots in the order in which they were asked for
        std::unordered_map<std::int64_t, std::size_t> of_shot{};
    };

    [[nodiscard]] Wavelet make_in_shot(const Signal& signal, std::int64_t shot) const;
    void check_length(const std::string& key);

    const WaveletConfig& common_;
    const ConfigOrigin& origin_;
    std::vector<Wavelet> wavelets_;
    std::vector<Signal> signals_;
    double periods_ = 0.;  ///< of Ormsby wavelets
};

}  // namespace onda
