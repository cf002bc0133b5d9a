/// \file
/// What pictures of gathers show: traces side by side, as wiggles or in grey, and their amplitude spectra.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/pictures/picture.hpp"
#include "io/results/seismograms.hpp"
#include "solver/pictures/receiver_lines.hpp"

namespace onda {

/// How traces are shown.
struct TraceDisplay {
    double clip_pa = 0.;        ///< full colour, or one trace spacing of deflection, at this |value|; 0: by percentile
    double percentile = 0.;     ///< of all |values| that lie below; 0: 96 for colours, 99 for wiggles, 100 for a few
    double gain = 0.;           ///< traces times (t / record length) to this power
    double agc_s = 0.;          ///< traces over their root mean square in a window of this length; 0: not
    double reduction_m_s = 0.;  ///< shows t - |offset| / velocity; 0: t
    bool by_offset = false;     ///< along the axis lie offsets, where they tell the receivers apart
    enum class Style { automatic, wiggles, colours } style = Style::automatic;
    const ColourMap* map = &kGrey;
    bool is_pressure = true;             ///< or what the gather says; else amplitudes of which nothing is known
    std::optional<double> start_s = 0.;  ///< of the first samples; absent: traces differ, and times count from there
};

/// A panel and the values that it shows, which go with it.
struct GatherPanel {
    std::vector<float> values;
    double clip = 0.;
    std::string quantity;  ///< what the values are: "Pressure [Pa]"
    Panel panel;

    GatherPanel() = default;
    GatherPanel(GatherPanel&&) = default;  // a copy would show the values of the original
    GatherPanel& operator=(GatherPanel&&) = default;
};

/// What a gain by a power of time is called: " × (t / 3 s)²".
std::string time_power_text(double power, double record_s);
/// Where the time axis of a record ends: at the round number that lies less than a sample interval after its last
/// sample, if one does, which a record of that length has no sample at; else at that sample.
double record_end_s(std::int64_t samples, double dt_s);
/// Whether receivers have moved with the source from one shot to another: the same offsets in other places.
bool keep_offsets(const ShotGather& one, const ShotGather& other);

/// How much neighbouring traces differ.
class Likeness {
public:
    void add(std::span<const float> trace, std::span<const float> neighbour);
    /// So much that nothing can be drawn between them: on the whole they are less alike than waves a sixth of a period
    /// apart.
    [[nodiscard]] bool is_aliased() const { return together_ < 0.5 * energy_; }

private:
    double together_ = 0., energy_ = 0.;
};

/// Whether each trace of a line can be told from its neighbours as a wiggle.
bool has_room_for_wiggles(std::int64_t traces);
/// Receivers of a line as a panel: wiggles where there is room for each trace, else colours, in which a trace or sample
/// shares its pixel with others by their largest value, so that none vanishes.
/// \param gather of all receivers; \param most_samples of the panel's raster, each way.
GatherPanel gather_panel(const ShotGather& gather, const ReceiverLine& line, const TraceDisplay& display,
                         std::int64_t most_samples = 2400);
/// Gives panels the same clip, the largest of theirs.
void share_clip(std::vector<GatherPanel>& panels);
/// What wiggles, which have no bar of colours, are to be read by: "one trace spacing = 0.011 Pa". After share_clip().
std::string scale_of_wiggles(const GatherPanel& panel);
/// Titles a panel: what it is of, and of wiggles, which have no bar of colours, what one trace spacing is. After
/// share_clip().
void set_title(GatherPanel& panel, const std::string& name);

/// Amplitude spectrum of traces: the root of the mean of their squared amplitudes, at k / (n dt).
struct Spectrum {
    double step_hz = 0.;
    std::vector<double> amplitude;  ///< [Pa s], up to half the sampling rate
};
/// \param receivers numbers from 0. The last fifth of each trace is tapered to zero.
Spectrum amplitude_spectrum(const ShotGather& gather, const std::vector<std::size_t>& receivers);
/// A panel of spectra in dB, up to the frequency beyond which all stay below -60 dB. \param to_first whether they are
/// relative to the largest amplitude of the first, or of all.
Panel spectrum_panel(const std::vector<Spectrum>& spectra, const std::vector<std::string>& labels,
                     bool to_first = false);

}  // namespace onda
