// The resolved copy of a configuration gives the same configuration again, to the last bit of every number.
// Takes 2 s.
#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <fstream>
#include <limits>
#include <random>

#include "io/config/config.hpp"
#include "io/config/config_table.hpp"
#include "io/config/config_template.hpp"
#include "solver/plan/names.hpp"
#include "tests/io/files_support.hpp"

using namespace onda;

namespace {

/// The values alone, without where they came from.
Config values_of(Config config) {
    config.origin = {};
    return config;
}

/// Reads, resolves, reads again elsewhere, and with comments; checks that nothing changed. \return the resolved text.
std::string round_trip(const std::string& text, const std::filesystem::path& name) {
    const Config config = read_config_text(text, name, vocabulary());
    const std::string resolved = resolved_yaml(config);
    const Config again = read_config_text(resolved, "/elsewhere/config.yaml", vocabulary());
    CHECK_MESSAGE(values_of(again) == values_of(config), resolved);
    CHECK(resolved_yaml(again) == resolved);
    const std::string commented = config_like(config, "A test.", vocabulary());
    CHECK_MESSAGE(values_of(read_config_text(commented, "/elsewhere/like.yaml", vocabulary())) == values_of(config),
                  commented);
    return resolved;
}

const std::string kGrid2d =
    "grid: {shape: [301, 201], spacing_m: [7.5, 0.1], origin_m: [-0.30000000000000004, 1e-9]}\n";
const std::string kGrid3d = "grid: {shape: [301, 101, 201], spacing_m: 12.5}\n";
const std::string kTime = "time: {duration_s: 0.1}\n";
const std::string kRicker = "wavelet: {type: ricker, peak_frequency_hz: 33.333333333333336, t0_s: -0.01}\n";
const std::string kSource2d = "sources: [{position_m: [10, 1]}]\n";
const std::string kSource3d = "sources: [{position_m: [10, 20, 30.1]}]\n";
const std::string kSnapshots = "output: {snapshots: {every_steps: 7}}\n";

/// Configurations that use every parameter between them.
std::vector<std::string> samples() {
    const std::string layered =
        "model: {type: layered, layers: [{top_m: 0, vp_m_s: 1500}, {top_m: 12.3, vp_m_s: 2e3, rho_kg_m3: 2.1e3, q: "
        "40.5, epsilon: 0.25, delta: -0.125}], rho: none, rho_kg_m3: 1000.5, q: 1e5, epsilon: 0.5, delta: 0.1, "
        "theta_deg: -33.3, clip_delta: true, elliptical_radius: 7";
    const std::string attenuation =
        "attenuation: {reference_frequency_hz: 12.5, band_hz: [3, 40.5], mechanisms: 2, frequency_power: 1.25}\n";
    const std::string lossless =
        "model: {type: inclusions, vp_m_s: 2e3, q: .inf, inclusions: [{center_m: [1, 1], "
        "radius_m: 1, vp_m_s: 1500, q: Infinity}]}\n";
    const std::string rest2d = kTime + kRicker + kSource2d + kSnapshots;
    const std::string rest3d = kTime + kRicker + kSource3d + kSnapshots;
    return {
        kGrid2d + layered + ", dip_deg: -3.7}\n" + rest2d + attenuation + "title: \"a \\\"b\\\" \\\\ \\t \\x07 é\"\n",
        kGrid2d + lossless + rest2d + "attenuation: {method: drag}\n",
        kGrid3d + layered + ", dip_azimuth_deg: 90, phi_deg: 12.5}\n" + rest3d +
            "title: 'true'\nsurvey: {limit_m: 250.5}\n",
        kGrid2d +
            "model: {type: gradient, vp_m_s: 1500.5, gradient_per_s: -0.1, smooth_m: 12.5,"
            " smooth_wavelengths: 0.25, smooth_frequency_hz: 9.5}\n" +
            rest2d +
            "survey: {encoding: random, supershots: 3, seed: 9}\n"
            "imaging: {lsrtm: {redraw_every: 2}}\n",
        kGrid2d + "model: {type: constant, vp_m_s: 2000}\n" + rest2d + "survey: {encoding: file, codes: sources.csv}\n",
        kGrid2d +
            "model: {type: von_karman, vp_m_s: 2000, correlation_length_m: 33, hurst_exponent: 0.1,"
            " deviation_percent: 7, seed: 9007199254740991}\n" +
            rest2d,
        kGrid3d + "model: {type: geology}\n" + rest3d +
            "imaging: {image: {offset_gathers: {every_m: 200, half_offset_m: 30, along: y}}}\n",
        kGrid3d +
            "model: {type: inclusions, vp_m_s: 2000, inclusions: [{center_m: [1, 2, 3], radius_m: 4, vp_m_s: 60},"
            " {shape: box, center_m: [1, 2, 3], size_m: [4, 5, 6], vp_m_s: 70, q: 30, epsilon: 0.1, delta: 0.05}], "
            "q_rule: none, "
            "anisotropy: none}\n" +
            rest3d,
        kGrid3d + "model: {type: file, file: model.h5, resample: true, extrude: true}\n" +
            "time: {duration_s: 1, dt_s: 1.0e-3}\n"
            "scheme: {space_order: 16, precision: double, min_points_per_wavelength: 2.2}\n"
            "boundary: {left: cpml, right: zero, front: free_surface, back: rigid, top: free_surface, bottom: sponge,"
            " sponge_width: 7, sponge_reflection: 1e-6, cpml_width: 11, cpml_reflection: 1e-4, cpml_frequency_hz: "
            "4.5}\n"
            "wavelet: {type: ormsby, corner_frequencies_hz: [1, 2.5, 30, 40]}\n"
            "sources:\n"
            "  - {type: line, first_m: [10, 10, 10], last_m: [20, 20, 20], count: 3, amplitude: -1e-300}\n"
            "  - {type: line, first_m: [10, 10, 10], last_m: [20, 20, 20], spacing_m: 0.1}\n"
            "  - {type: grid, first_m: [10, 10, 10], last_m: [20, 20, 10], count: [3, 2, 1]}\n"
            "  - {type: file, file: sources.csv, depth_m: 6.5}\n"
            "  - {type: file, file: sources.csv, wavelet: {type: file, file: 'wavelet_{shot:03}.csv'}}\n"
            "  - {type: point, shot: 5, position_m: [1, 1, 1], wavelet: {type: gaussian, peak_frequency_hz: 10}}\n"
            "  - {position_m: [1, 1, 1], wavelet: {type: samples, dt_s: 0.0005, samples: [0, 1e-300, -0.3, 0.1]}}\n"
            "receivers:\n"
            "  - {type: point, position_m: [1, 1, 1]}\n"
            "  - {type: line, shot: 5, first_m: [0, 0, 0], last_m: [9, 9, 9], count: 4}\n"
            "  - {type: grid, first_m: [0, 0, 0], last_m: [9, 9, 0], count: [4, 5, 1]}\n"
            "  - {type: grid, first_m: [0, 0, 0], last_m: [9, 9, 0], spacing_m: [0.30000000000000004, 5, 1]}\n"
            "  - {type: line, first_m: [0, 0, 0], last_m: [-9, 9, 0], spacing_m: 2.5, relative_to: source}\n"
            "  - {type: file, file: receivers.h5}\n"
            "output:\n"
            "  directory: some where/else\n"
            "  seismograms: {dt_s: 0.002, segy: ibm, su: true, unfit_dt: resample, particle_motion: [velocity_y, "
            "acceleration_z], rho_kg_m3: 1025.5}\n"
            "  snapshots: {times_s: [0.1, 0.30000000000000004], window_min_m: [0, 0, 0], window_max_m: [5, 5, 5],"
            " decimation: [1, 2, 3]}\n"
            "  pictures: false\n"
            "checkpoint: {every_minutes: 12.5}\n"
            "backend: {name: cpu, kernel: inplane-full, isa: generic, threads: 3, device: 1, slabs: 3, split: [20, 30, "
            "40]}\n",
        kGrid2d + "model: {type: constant, vp_m_s: 2000}\n" + kTime + "output: {snapshots: {every_s: 0.1}}\n" +
            "sources: [{position_m: [1, 1], wavelet: {type: ricker, peak_frequency_hz: 10}}]\n",
        kGrid2d + "model: {type: constant, vp_m_s: 2000}\n" + rest2d +
            "imaging: {observed: [observed.h5, wavelet.csv], subtract: observed.h5, gain: {time_power: 0.25}, "
            "segy_bytes: {record: 1, source_x: 201, source_y: 205, receiver_x: 209, receiver_y: 213, source_depth: 0, "
            "source_elevation: 53, receiver_elevation: 57, coordinate_scaler: 0, elevation_scaler: 69, delay_ms: 105}, "
            "band_pass: "
            "{low_hz: 2.5, high_hz: 30, order: 6, phase: minimum}, misfit: huber, huber_threshold: "
            "0.30000000000000004, shots: [1-3, 7, 9-20:2], receivers: 5, offset_m: {min: "
            "0.1, max: 1e9}, time_window_s: {min: 0.01, max: 0.09, taper: 0.003}, top_mute: {t0_s: -0.1, velocity_m_s: "
            "1500.5, taper_s: 0.01}, bottom_mute: {picks: wavelet.csv}, storage: checkpoints, ring: disk, ring_folder: "
            "rings, "
            "ring_values: 16bit, ring_every: 3, every: 4, image: {condition: velocity, normalise: both, floor: 0.1, "
            "laplacian: true, longest_wavelength_m: 300.5, mute_depth_m: 20.5, mute_taper_m: 7.5, water_m_s: 1501, "
            "direct_wave: subtract, offset_gathers: {every_m: 100.5, half_offset_m: 40.5}}, lsrtm: "
            "{iterations: 7, residual: 0.25}, "
            "memory_gib: 0.5}\n",
        kGrid2d + "model: {type: constant, vp_m_s: 2000}\n" + rest2d + "imaging: {}\n",
        kGrid2d + "model: {type: constant, vp_m_s: 2000}\n" + rest2d +
            "survey: {seed: 3}\n"
            "inversion: {stages: [{iterations: 3, band_pass: {high_hz: 7.5}, offset_m: {max: 900.5}, time_window_s: "
            "{max: 0.05}, every_shot: 2, random_shots: 4, redraw_every: 5, spacing_m: 12.5, misfit: 0.1, "
            "misfit_change: 0.01}, {iterations: 1}], parameter: slowness, density: inverted, vp_m_s: {min: 1400.5, "
            "max: "
            "5000}, rho_kg_m3: {min: 900, max: 3000.5}, water_m_s: 1501, hold_depth_m: 20.5, mask: model.h5, "
            "precondition: "
            "illumination, floor: 0.02, smooth_wavelengths: 0.3, source_taper_m: 50.5, receiver_taper_m: 60, tikhonov: "
            "0.1, total_variation: 0.2, method: lbfgs, memory: 7, first_step: 0.02, trials: 4, every_trial_shot: 3, "
            "wavelet: estimated, wavelet_of: shot, true_model: model.h5, wells: [{position_m: [2.5], name: W 1, file: "
            "wavelet.csv}, {position_m: [3]}]}\n",
        // Every source has a wavelet of its own: there is no top-level one.
        kGrid2d + "model: {type: constant, vp_m_s: 2000}\n" + kTime + kSnapshots +
            "sources: [{position_m: [1, 1], wavelet: {type: ricker, peak_frequency_hz: 10}}]\n",
    };
}

bool names_every_row(std::span<const Parameter> rows, const std::string& text) {
    bool all = true;
    for (const Parameter& row : rows) {
        const bool there = contains(text, std::string(row.name) + ":");
        CHECK_MESSAGE(there, "no sample uses ", std::string(row.name));
        all = all && there && names_every_row(row.rows, text);
    }
    return all;
}

}  // namespace

TEST_CASE("every parameter survives the round trip") {
    const TemporaryFolder folder;
    for (const char* file :
         {"model.h5", "sources.csv", "wavelet.csv", "wavelet_007.csv", "receivers.h5", "observed.h5"})
        std::ofstream(folder.path() / file) << "x";
    std::string all;
    for (const std::string& sample : samples()) all += round_trip(sample, folder.path() / "run.yaml");
    CHECK(names_every_row(config_rows(), all));
    CHECK(contains(all, "file: \"" + (folder.path() / "model.h5").string() + "\""));
}

TEST_CASE("the template and the sample configurations survive it too") {
    round_trip(config_template(vocabulary()), "template.yaml");
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(ONDA_SOURCE_DIR "/configs")) {
        if (entry.path().extension() != ".yaml") continue;
        CAPTURE(entry.path());
        ++files;
        Config config;
        // The Marmousi model is not part of the project.
        const bool needs_file = entry.path().stem().string().rfind("marmousi", 0) == 0;
        const std::vector<std::string> constant{"model={type: constant, vp_m_s: 2000}"};
        REQUIRE_NOTHROW(
            config = read_config(entry.path(), vocabulary(), needs_file ? constant : std::vector<std::string>{}));
        round_trip(resolved_yaml(config), "again.yaml");
    }
    CHECK(files >= 5);
}

TEST_CASE("the section imaging is absent, or has a misfit") {
    const std::string text = config_template(vocabulary());
    const Config without = read_config_text(text, "template.yaml", vocabulary());
    CHECK_FALSE(without.imaging.has_value());
    CHECK_FALSE(contains(text, "imaging"));
    CHECK_FALSE(contains(resolved_yaml(without), "imaging"));
    const Vocabulary names = vocabulary();
    for (const AllowedValue& misfit : names.at("imaging.misfit")) {
        const Config config = read_config_text(text, "template.yaml", names, {"imaging={misfit: " + misfit.name + "}"});
        REQUIRE(config.imaging.has_value());
        CHECK(config.imaging->misfit == misfit.name);
        CHECK(contains(resolved_yaml(config), "imaging:\n  misfit: " + misfit.name));
        CHECK(contains(resolved_yaml(config), "huber_threshold") == (misfit.name == "huber"));
        round_trip(resolved_yaml(config), "again.yaml");
    }
}

TEST_CASE("numbers of every size keep their last bit") {
    std::mt19937_64 random(7);
    Config config = read_config_text(config_template(vocabulary()), "template.yaml", vocabulary());
    std::uniform_real_distribution<double> exponent(-300., 300.);
    for (int i = 0; i < 2000; ++i) {
        config.sources[0].amplitude = std::ldexp(1. + std::pow(2., -52.) * double(random() % (1ull << 52)),
                                                 static_cast<int>(exponent(random) * 3.3));
        const Config again = read_config_text(resolved_yaml(config), "again.yaml", vocabulary());
        REQUIRE(again.sources[0].amplitude == config.sources[0].amplitude);
    }
}

TEST_CASE("overrides change, add and remove keys") {
    const std::string text = config_template(vocabulary());
    const auto with = [&](const std::vector<std::string>& overrides) {
        return read_config_text(text, "template.yaml", vocabulary(), overrides);
    };
    CHECK(with({"time.duration_s=0.25", "time.duration_s=1.75"}).time.duration_s == 1.75);
    CHECK(with({"sources[0].position_m=[10, 20]"}).sources[0].position_m == std::vector<double>{10., 20.});
    CHECK(with({"sources[0].position_m[1]=30"}).sources[0].position_m[1] == 30.);
    CHECK(with({"scheme.space_order=4"}).scheme.space_order == 4);
    CHECK(with({"boundary.top=rigid"}).boundary.z_min == "rigid");
    CHECK(with({"title=\"a = b\""}).title == "a = b");
    CHECK(with({"model={type: constant, vp_m_s: 3000}"}).model.vp_m_s == 3000.);
    const Config every = with({"output.snapshots.times_s=null", "output.snapshots.every_steps=5"});
    CHECK(every.output.snapshots.times_s.empty());
    CHECK(every.output.snapshots.every_steps == 5);
}
