#include "solver/report/report.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <spdlog/fmt/fmt.h>

#include "io/text/printable.hpp"
#include "solver/pictures/gather_picture.hpp"
#include "solver/program/printable_json.hpp"
#include "solver/report/page_files.hpp"

namespace onda {
namespace {

using Json = nlohmann::ordered_json;

// Together with the page itself, base64 of what deflate cannot shorten stays below 15 MB (the test `report`).
constexpr std::size_t kGatherBytes = 4'200'000, kMovieCharacters = 4'800'000;
constexpr std::size_t kSamplesOfPlace = 18;  ///< as long as position, offset and peak of a trace
constexpr std::size_t kMovieBytes = 4'000'000, kMovieBytesOfSeveral = 2'400'000;  ///< of one shot, in memory
constexpr std::size_t kMostTextBytes = 400'000;  ///< of the configuration, and of the summary
constexpr std::size_t kFewestGathers = 3, kMostGathers = 24, kMostMovies = 3;
constexpr std::size_t kMostWaveletSamples = 4000, kMostWavelets = 4, kMostShotSources = 200, kMostLines = 200;

/// JSON that may stand in a script element: nothing in it ends the element or begins a comment.
/// Texts in it are shown as the log shows them.
std::string element_text(Json json) {
    make_texts_printable(json, [](const std::string& text) { return printable_lines(text); });
    const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    std::string safe;
    safe.reserve(text.size());
    for (const char c : text) safe += c == '<' ? std::string("\\u003c") : std::string(1, c);
    return safe;
}

std::string html_text(std::string_view text) {
    std::string safe;
    for (const char c : printable_lines(text)) {
        if (c == '<')
            safe += "&lt;";
        else if (c == '&')
            safe += "&amp;";
        else
            safe += c;
    }
    return safe;
}

/// Blocks beside the JSON that refers to them: it is short, and they are never in memory as a whole.
class Blocks {
public:
    explicit Blocks(std::string prefix) : prefix_(std::move(prefix)) {}

    template <typename T>
    Json refer_to(std::string_view type, std::span<const T> values) {
        blocks_.push_back(std::as_bytes(values));
        return {{"block", id(blocks_.size() - 1)}, {"type", type}, {"count", values.size()}};
    }
    void put(const PutText& put) const {
        for (std::size_t i = 0; i < blocks_.size(); ++i) {
            put(fmt::format("<script type=\"text/plain\" id=\"{}\">", id(i)));
            put_block(blocks_[i], put);
            put("</script>\n");
        }
    }

private:
    [[nodiscard]] std::string id(std::size_t block) const { return fmt::format("{}-{}", prefix_, block); }

    std::string prefix_;
    std::vector<std::span<const std::byte>> blocks_;
};

Json json_of(const ReportAxis& axis) {
    return {{"name", axis.name}, {"first_m", axis.first_m}, {"spacing_m", axis.spacing_m}, {"count", axis.count}};
}

Json json_of(const ReportPlane& plane, Blocks& blocks) {
    Json json{{"name", plane.name},
              {"horizontal", json_of(plane.horizontal)},
              {"vertical", json_of(plane.vertical)},
              {"across", plane.across},
              {"at_m", plane.at_m},
              {"thinning", plane.thinning},
              {"sides", Json::array()},
              {"parameters", Json::array()}};
    for (const ReportSide& side : plane.sides)
        json["sides"].push_back({{"kind", side.kind}, {"beyond_m", side.beyond_m}, {"inside_m", side.inside_m}});
    for (const ReportParameter& parameter : plane.parameters)
        json["parameters"].push_back({{"name", parameter.name},
                                      {"image", parameter.is_image},
                                      {"quantity", parameter.quantity},
                                      {"unit", parameter.unit},
                                      {"min", parameter.range.min},
                                      {"max", parameter.range.max},
                                      {"values", blocks.refer_to("uint16", std::span(parameter.values))}});
    return json;
}

/// Whether the traces kept of a line are too unlike for anything to be drawn between them.
bool needs_columns(const ReportGather& gather, const ReportLine& line) {
    const auto samples = static_cast<std::size_t>(gather.samples);
    std::vector<float> trace(samples), before(samples);
    Likeness likeness;
    for (std::size_t i = line.first; i < line.first + line.count; ++i) {
        for (std::size_t n = 0; n < samples; ++n)
            trace[n] = gather.peaks[i] * static_cast<float>(gather.traces[i * samples + n]);
        if (i > line.first) likeness.add(before, trace);
        std::swap(before, trace);
    }
    return likeness.is_aliased();
}

Json json_of_lines(const ReportGather& gather) {
    Json lines = Json::array();
    for (const ReportLine& line : gather.lines)
        lines.push_back({{"first", line.first},
                         {"count", line.count},
                         {"axis", line.axis},
                         {"at", line.at},
                         {"wiggles", has_room_for_wiggles(static_cast<std::int64_t>(line.count))},
                         {"columns", needs_columns(gather, line)}});
    return lines;
}

Json json_of(const ReportGather& gather, Blocks& blocks) {
    return {{"positions", blocks.refer_to("float64", std::span(gather.positions_m))},
            {"numbers", blocks.refer_to("uint32", std::span(gather.numbers))},
            {"lines", json_of_lines(gather)},
            {"shown", gather.shown},
            {"by_offset", gather.by_offset},
            {"every_line", gather.every_line},
            {"offsets", blocks.refer_to("float64", std::span(gather.offsets_m))},
            {"receivers", gather.receivers},
            {"every_receiver", gather.every_receiver},
            {"samples", gather.samples},
            {"every_sample", gather.every_sample},
            {"dt_s", gather.dt_s},
            {"end_s", gather.end_s},
            {"peaks", blocks.refer_to("float32", std::span(gather.peaks))},
            {"traces", blocks.refer_to("int16", std::span(gather.traces))}};
}

template <typename T>
std::vector<T> thinned_list(std::span<const T> list, std::size_t most) {
    const Thinning thin = thinned(list.size(), most);
    std::vector<T> kept;
    for (std::size_t i = 0; i < thin.count; ++i) kept.push_back(list[i * thin.step]);
    return kept;
}

std::size_t characters_of(const std::vector<ReportMovie>& movies) {
    std::size_t characters = 0;
    for (const ReportMovie& movie : movies) characters += block_characters(std::as_bytes(std::span(movie.frames)));
    return characters;
}

/// A text that is too long is cut, and says so.
std::string cut(const std::string& text, std::string_view what) {
    if (text.size() <= kMostTextBytes) return text;
    return text.substr(0, kMostTextBytes) + fmt::format("\n… the rest of {} is left out here\n", what);
}

/// The summary without what makes that of a large survey long.
Json short_summary(const std::string& text, std::vector<std::string>& notes) {
    Json summary = Json::parse(text);
    if (text.size() <= kMostTextBytes) return summary;
    if (summary.contains("hashes")) summary["hashes"].erase("shots");
    for (const char* list : {"warnings", "notes", "files"}) {
        constexpr std::size_t most = 200;
        if (!summary.contains(list) || summary[list].size() <= most) continue;
        notes.push_back(fmt::format("{} of {} {} are listed", most, summary[list].size(), list));
        summary[list].get_ref<Json::array_t&>().resize(most);
    }
    return summary;
}

}  // namespace

bool ReportChoice::shows(std::size_t shot) const {
    return std::ranges::binary_search(shots, shot);
}
bool ReportChoice::shows_wavefield(std::size_t shot) const {
    return std::ranges::binary_search(movies, shot);
}

ReportChoice choose_for_report(std::size_t shots, std::int64_t most_receivers, std::int64_t samples) {
    const double whole = 2. * static_cast<double>(std::max<std::int64_t>(most_receivers, 1)) *
                         (static_cast<double>(std::max<std::int64_t>(samples, 1)) + kSamplesOfPlace);
    const double fitting = std::floor(static_cast<double>(kGatherBytes) / whole);
    const auto count =
        static_cast<std::size_t>(std::clamp(fitting, static_cast<double>(kFewestGathers), double{kMostGathers}));
    ReportChoice choice;
    choice.shots = spread_over(shots, count);
    for (const std::size_t i : spread_over(choice.shots.size(), kMostMovies)) choice.movies.push_back(choice.shots[i]);
    choice.gather_bytes = kGatherBytes / std::max<std::size_t>(choice.shots.size(), 1);
    choice.movie_bytes = choice.movies.size() > 1 ? kMovieBytesOfSeveral : kMovieBytes;
    choice.movie_characters = kMovieCharacters / std::max<std::size_t>(choice.movies.size(), 1);
    return choice;
}

void ReportMovie::add(double time_s, std::span<const float> p) {
    const std::size_t before = frames.size();
    frames.resize(before + p.size());
    peaks.push_back(quantise_wavefield(p, std::span(frames).subspan(before)));
    times_s.push_back(time_s);
}

void ReportMovie::halve() {
    const std::size_t kept = (times_s.size() + 1) / 2, points = plane.points();
    for (std::size_t i = 0; i < kept; ++i) {
        // The last frame stays: what is left at the end of a run is what many look for.
        const std::size_t from = times_s.size() - 1 - 2 * (kept - 1 - i);
        times_s[i] = times_s[from];
        peaks[i] = peaks[from];
        std::copy_n(frames.begin() + static_cast<std::ptrdiff_t>(from * points), points,
                    frames.begin() + static_cast<std::ptrdiff_t>(i * points));
    }
    times_s.resize(kept);
    peaks.resize(kept);
    frames.resize(kept * points);
}

namespace {

/// The receivers of every so many lines, of which the one shown is one, ascending.
std::vector<std::uint32_t> receivers_of(const std::vector<ReceiverLine>& lines, std::size_t shown, std::size_t every) {
    std::vector<std::uint32_t> numbers;
    for (std::size_t l = shown % every; l < lines.size(); l += every)
        for (std::size_t i = 0; i < lines[l].count; ++i)
            numbers.push_back(static_cast<std::uint32_t>(lines[l].first + i));
    return numbers;
}

/// Chooses the receivers that are kept, and tells on which lines they lie.
void choose_receivers(const ShotGather& gather, std::size_t most, ReportGather& kept) {
    const std::vector<ReceiverLine> lines = receiver_lines(gather.receivers_m);
    const std::size_t shown = shown_line(lines, gather.receivers_m, gather.sources_m);
    kept.numbers.resize(kept.receivers);
    std::iota(kept.numbers.begin(), kept.numbers.end(), 0U);
    const auto are_too_many = [&] { return kept.numbers.size() > most || lines.size() / kept.every_line > kMostLines; };
    for (; are_too_many() && kept.every_line < lines.size(); ++kept.every_line)
        kept.numbers = receivers_of(lines, shown, kept.every_line + 1);
    const Thinning traces = thinned(kept.numbers.size(), most);
    for (std::size_t i = 0; i < traces.count; ++i) kept.numbers[i] = kept.numbers[i * traces.step];
    kept.numbers.resize(traces.count);
    kept.every_receiver = traces.step;
    for (const ReceiverLine& line : lines) {
        const auto begin = std::ranges::lower_bound(kept.numbers, line.first),
                   end = std::ranges::lower_bound(kept.numbers, line.first + line.count);
        if (begin == end) continue;
        if (&line == &lines[shown]) kept.shown = kept.lines.size();
        kept.lines.push_back({static_cast<std::size_t>(begin - kept.numbers.begin()),
                              static_cast<std::size_t>(end - begin), line.axis.title, line.at});
    }
}

}  // namespace

ReportGather begin_gather(const ShotGather& gather, std::size_t most_bytes, double highest_frequency_hz) {
    const auto samples = static_cast<std::size_t>(gather.samples);
    const std::size_t receivers = gather.receivers_m.size();
    // In samples; what else is kept of a trace, its position, offset and peak, counts as some more.
    const std::size_t most = std::max<std::size_t>(most_bytes / 2, kSamplesOfPlace + 1);
    ReportGather kept;
    if (receivers == 0 || samples == 0) return kept;
    // A quarter more than two samples in a period of the highest frequency.
    const double longest = 0.4 / std::max(highest_frequency_hz, 1e-300) / gather.dt_s;
    const auto allowed = static_cast<std::size_t>(std::clamp(std::floor(longest), 1., static_cast<double>(samples)));
    const std::size_t share = most / receivers;
    const std::size_t wanted = thinned(samples, share > kSamplesOfPlace ? share - kSamplesOfPlace : 1).step;
    // A record that is too long by itself loses samples, whatever becomes of its band.
    const std::size_t every = std::max(std::min(allowed, wanted), thinned(samples, most - kSamplesOfPlace).step);
    const std::size_t of_trace = (samples - 1) / every + 1;
    kept.receivers = receivers;
    choose_receivers(gather, most / (of_trace + kSamplesOfPlace), kept);
    kept.samples = static_cast<std::int64_t>(of_trace);
    kept.every_sample = static_cast<std::int64_t>(every);
    kept.dt_s = gather.dt_s * static_cast<double>(every);
    kept.end_s = record_end_s(gather.samples, gather.dt_s);
    kept.peaks.resize(kept.numbers.size());
    kept.traces.resize(kept.numbers.size() * of_trace);
    const std::vector<double> offsets = offsets_m(gather);
    for (const std::uint32_t receiver : kept.numbers) {
        const auto& position = gather.receivers_m[receiver];
        kept.positions_m.insert(kept.positions_m.end(), position.begin(), position.end());
        kept.offsets_m.push_back(offsets[receiver]);
    }
    return kept;
}

void add_traces(ReportGather& kept, std::size_t first, std::span<const float> pressure, std::int64_t samples) {
    const auto all = static_cast<std::size_t>(samples), of_trace = static_cast<std::size_t>(kept.samples);
    const auto begin = std::ranges::lower_bound(kept.numbers, first);
    for (auto i = static_cast<std::size_t>(begin - kept.numbers.begin()); i < kept.numbers.size(); ++i) {
        const std::size_t at = (kept.numbers[i] - first) * all;
        if (at >= pressure.size()) break;
        kept.peaks[i] = quantise_trace(pressure.subspan(at, all), static_cast<std::size_t>(kept.every_sample),
                                       std::span(kept.traces).subspan(i * of_trace, of_trace));
    }
}

ReportGather thin_gather(const ShotGather& gather, std::size_t most_bytes, double highest_frequency_hz) {
    ReportGather kept = begin_gather(gather, most_bytes, highest_frequency_hz);
    if (!kept.peaks.empty()) add_traces(kept, 0, gather.pressure, gather.samples);
    return kept;
}

std::vector<ReportWavelet> wavelets_of(const ShotGather& gather) {
    std::vector<ReportWavelet> wavelets;
    const SourceWavelets& all = gather.wavelets;
    const std::size_t count = all.type.size();
    const std::size_t samples = count == 0 ? 0 : all.signal.size() / count;
    for (std::size_t w = 0; w < std::min(count, kMostWavelets); ++w) {
        const auto signal = std::span(all.signal).subspan(w * samples, samples);
        ReportWavelet wavelet{all.type[w], all.dt_s, all.peak_frequency_hz[w], {}};
        for (const double value : signal.first(std::min(samples, kMostWaveletSamples)))
            wavelet.signal.push_back(static_cast<float>(value));
        wavelets.push_back(std::move(wavelet));
    }
    return wavelets;
}

void put_report_shot(ReportShot& shot, const ReportChoice& choice, const PutText& put) {
    while (characters_of(shot.movies) > choice.movie_characters && shot.movies.front().times_s.size() > 1)
        for (ReportMovie& movie : shot.movies) movie.halve();
    Blocks blocks(fmt::format("shot{}", shot.shot));
    Json json{{"shot", shot.shot},
              {"sources_m", thinned_list(std::span<const std::array<double, 3>>(shot.sources_m), kMostShotSources)},
              {"sources", shot.sources_m.size()},
              {"movies", Json::array()},
              {"wavelets", Json::array()}};
    for (const ReportMovie& movie : shot.movies)
        json["movies"].push_back({{"plane", json_of(movie.plane, blocks)},
                                  {"times_s", movie.times_s},
                                  {"peaks", blocks.refer_to("float32", std::span(movie.peaks))},
                                  {"frames", blocks.refer_to("int8", std::span(movie.frames))}});
    if (!shot.gather.peaks.empty()) json["gather"] = json_of(shot.gather, blocks);
    for (const ReportWavelet& wavelet : shot.wavelets)
        json["wavelets"].push_back({{"type", wavelet.type},
                                    {"dt_s", wavelet.dt_s},
                                    {"peak_frequency_hz", wavelet.peak_frequency_hz},
                                    {"signal", blocks.refer_to("float32", std::span(wavelet.signal))}});
    put("<script type=\"application/json\" class=\"shot\">");
    put(element_text(json));
    put("</script>\n");
    blocks.put(put);
}

namespace {

/// Along an axis as its coordinates, else from the first bin on.
Json json_of(const Fold& line) {
    const std::string axis = line.along[1] == 0. ? "x" : line.along[0] == 0. ? "y" : "";
    return {{"axis", axis},
            {"first_m", axis.empty() ? 0. : line.origin_m[axis == "x" ? 0 : 1]},
            {"bin_m", line.bin_m},
            {"traces", line.traces}};
}

Json facts_of(const Report& report, Blocks& blocks) {
    std::vector<std::string> notes = report.notes;
    Json json{{"format", "onda-report"}, {"format_version", 1}};
    json["summary"] = short_summary(report.summary, notes);
    json["config_yaml"] = cut(report.config_yaml, "the configuration");
    json["planes"] = Json::array();
    for (const ReportPlane& plane : report.planes) json["planes"].push_back(json_of(plane, blocks));
    json["survey"] = {
        {"shots", report.survey_shots}, {"sources_m", report.sources_m}, {"receivers_m", report.receivers_m}};
    if (!report.fold.traces.empty()) json["fold"] = json_of(report.fold);
    json["notes"] = notes;
    json["licence"] = page_file("dygraphs_licence.txt");
    return json;
}

std::string title_of(const std::string& summary) {
    const Json json = Json::parse(summary);
    const std::string title = json.value("title", "");
    return html_text(title.empty() ? std::string("Onda run") : title);
}

}  // namespace

void put_report(const Report& report, std::span<const PutShot> shots, const PutText& put) {
    Blocks blocks("model");
    const std::string facts = element_text(facts_of(report, blocks));
    std::string_view page = page_file("page.html");
    const auto up_to = [&](std::string_view marker) {
        const std::size_t at = page.find(marker);
        put(page.substr(0, at));
        page.remove_prefix(at + marker.size());
    };
    up_to("{{title}}");
    put(title_of(report.summary));
    up_to("{{style}}");
    put(page_file("dygraph.css"));
    put(page_file("style.css"));
    up_to("{{data}}");
    put("<script type=\"application/json\" id=\"report\">");
    put(facts);
    put("</script>\n");
    blocks.put(put);
    for (const PutShot& shot : shots) shot(put);
    up_to("{{library}}");
    put(page_file("dygraph.js"));
    up_to("{{script}}");
    put(page_file("page.js"));
    put(page);
}

}  // namespace onda
