// Allowed names, and values as text.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <type_traits>

#include "io/config/config_table.hpp"
#include "io/files/file_uri.hpp"
#include "io/text/printable.hpp"

namespace onda {
namespace {

/// The names to which io/ itself gives a meaning.
const Vocabulary& own_names() {
    static const Vocabulary names{
        {"model.interfaces",
         {{"averaged",
           "each node has the mean of its cell: interfaces keep their position, and dipping ones are smooth; those of "
           "the "
           "density alone are of first order"},
          {"sampled", "each node has the value at its position: dipping interfaces become staircases"}}},
        {"model.rho",
         {{"auto", "rho_kg_m3 of layers and inclusions, /rho of the model file; constant where there is none"},
          {"none", "constant, whatever the model gives"},
          {"gardner", "310 vp^0.25, the mean of sedimentary rocks (Gardner et al. 1974)"}}},
        {"model.q_rule",
         {{"auto",
           "q of the model, of layers and inclusions, /q or /alpha of the model file; none where there is none"},
          {"none", "nowhere: nothing absorbs, whatever the model gives"},
          {"li", "3.516e-6 vp^2.2, a mean of sediments (Li 1993); too low for water"}}},
        {"attenuation.method",
         {{"relaxation", "mechanisms that nodes remember: Q, or a power of the frequency, over a band"},
          {"drag",
           "a damping without memory, exact at the reference frequency alone: elsewhere 1/Q goes as 1/f. It is "
           "faster"}}},
        {"model.anisotropy",
         {{"auto",
           "epsilon and delta of the model, of layers and inclusions, /epsilon and /delta of the model file; none "
           "where "
           "there is neither"},
          {"none", "nowhere: velocities are the same in all directions, whatever the model gives"},
          {"shales",
           "0.2 and 0.1 where vp is 2200 to 3200 m/s, as in shales, 0 below 1600 m/s (water) and above 4000 m/s "
           "(salt), "
           "linear in between: for experiments with models that have neither"}}},
        {"model.storage",
         {{"float", "every velocity in full"},
          {"16bit", "65535 velocities between the lowest and the highest; `onda check` says by how much they change"},
          {"table", "exact, for models of at most 255 different velocities, in 8 bits"},
          {"auto", "table where the model and the kernel allow it, otherwise float: the same results"}}},
        {"backend.isa",
         {{"auto", "the best this machine has"},
          {"generic", "what every machine of the architecture has"},
          {"x86-64-v3", "AVX2 and FMA"},
          {"x86-64-v4", "AVX-512"}}},
        {"backend.tuning",
         {{"cache", "what onda tune measured and kept for this grid, order and machine, if there is any"},
          {"off", "as if nothing had been measured"}}},
        {"backend.devices",
         {{"auto",
           "as many of the GPUs that can be used as the shots keep busy; that of backend.device where it is given"},
          {"all", "all GPUs that can be used"}}},
        {"backend.slabs", {{"auto", "as many as the memory of one device, or its time, asks for; the log says why"}}},
        {"backend.split",
         {{"equal", "numbers of planes that differ by one at most"},
          {"measured", "steps that take equally long, as measured on each device before the run"}}},
        {"backend.exchange",
         {{"auto", "from GPU to GPU where both processes find NCCL, otherwise through the host"},
          {"host", "through the memory of the host"}}},
        {"scheme.coefficients",
         {{"taylor", "most accurate for long wavelengths and long paths"},
          {"optimised", "phase velocity within 0.01 % over the widest band: fewer points per wavelength"}}},
        {"time.stepping",
         {{"single", "every time step is computed everywhere"},
          {"leap", "two time steps at once wherever nothing but the wave equation acts"},
          {"auto", "leap where it is faster and everything requested allows it"}}},
        {"scheme.precision", {{"float", "32 bits"}, {"double", "64 bits: twice the memory and traffic"}}},
        {"model.inclusions.shape", {{"sphere", "a circle in 2-D"}, {"box", "a rectangle in 2-D"}}},
        {"boundary.placement",
         {{"outside",
           "outside the grid, where the model continues with its values at the face; the whole grid is available for "
           "sources, receivers and results"},
          {"inside", "on the outermost nodes of the grid itself"}}},
        {"imaging.band_pass.phase",
         {{"zero", "none moves: a symmetric filter"},
          {"minimum", "none becomes earlier: the causal filter, as recorders have it"}}},
        {"imaging.parameters",
         {{"vp", "velocity"},
          {"vp_and_rho", "velocity and density, where the model has densities: twice the memory of the forward field"},
          {"vp_and_q", "velocity and quality factor, where the model has one"},
          {"vp_epsilon_and_delta", "velocity and anisotropy, where the model is VTI"}}},
        {"imaging.image.normalise",
         {{"none", "nothing"},
          {"source", "the illumination by the forward fields"},
          {"receiver", "that by the adjoint fields"},
          {"both", "the square root of the product of both"}}},
        {"imaging.image.direct_wave",
         {{"keep", "they are part of the observed data"},
          {"subtract", "the seismograms of the model are subtracted from the observed ones"}}},
        {"imaging.image.offset_gathers.along", {{"x", "x"}, {"y", "y"}}},
        {"imaging.storage",
         {{"auto",
           "full where memory_gib allows it, otherwise ring, where it can and has room on the device, unless "
           "checkpoints "
           "compute clearly fewer steps"},
          {"full", "every step that is correlated stays in memory"},
          {"ring",
           "a few planes along the absorbing zones stay of every step, from which the field is computed backward: "
           "exact to rounding, with cpml, sponges or neither, on grids that processes do not share"},
          {"checkpoints", "states of some steps stay in memory, from which the others are computed again"}}},
        {"imaging.ring",
         {{"auto",
           "that of the device where it has the room, otherwise the host's, otherwise ring_folder if it is given"},
          {"device", "that of the device"},
          {"host", "the host's; planes come and go beside the steps"},
          {"disk", "a file in ring_folder"}}},
        {"imaging.ring_values",
         {{"full", "the precision of the run"},
          {"16bit",
           "16 bits, in blocks of 256 nodes with a unit of their own: half the memory of single precision, with an "
           "error of 1.6e-5 of the largest value of a block"}}},
        {"imaging.ring_every",
         {{"auto",
           "as many as change gradients by less than 1e-5 of their largest value: 0.12 periods of the highest "
           "frequency of the wavelets"}}},
        {"imaging.every", {{"auto", "as many as the highest frequency of the wavelets allows"}}},
        {"inversion.density",
         {{"fixed", "they stay"},
          {"gardner", "310 vp^0.25 of the velocities as they change, but where these are held"},
          {"inverted", "they are changed beside the velocities: steps are taken in both"}}},
        {"inversion.anisotropy",
         {{"fixed", "they stay"},
          {"inverted",
           "they are changed beside the velocities, but around sources and at free surfaces: steps are taken in vp, "
           "epsilon and epsilon - delta"}}},
        {"inversion.precondition",
         {{"none", "nothing"},
          {"illumination", "the illumination by the forward fields, about the diagonal of the Hessian"}}},
        {"inversion.method",
         {{"lbfgs", "the projected method of Broyden, Fletcher, Goldfarb and Shanno with limited memory"},
          {"conjugate_gradients", "that of Polak and Ribiere"},
          {"steepest_descent", "the preconditioned gradient alone"}}},
        {"inversion.wavelet",
         {{"given", "nothing"},
          {"reported", "the filter that fits the seismograms of the model to the observed ones is estimated and told"},
          {"estimated", "what this filter makes of it is the source signal of the stage"}}},
        {"inversion.wavelet_of",
         {{"survey", "one signal, by the traces of all shots"}, {"shot", "one for each shot, by its own traces"}}},
        {"output.seismograms.segy",
         {{"none", "no SEG-Y"},
          {"ieee", "format 5, IEEE floats: the very numbers of seismograms.h5"},
          {"ibm", "format 1, IBM floats: 21 to 24 bits of each number, for programs that read no others"}}},
        {"output.seismograms.unfit_dt",
         {{"refuse", "reject the run, and report the nearest sample interval that fits"},
          {"resample", "resample all seismograms to the nearest sample interval that fits, without aliasing"}}},
        {"sources.type",
         {{"point", "one source"},
          {"line", "shots with one source each, evenly spaced between two ends"},
          {"grid", "such shots, evenly spaced along each axis, numbered along x first, then y, then z"},
          {"file", "a table of sources"}}},
        {"receivers.type",
         {{"point", "one receiver"},
          {"line", "evenly spaced between two ends"},
          {"grid", "evenly spaced along each axis"},
          {"file", "a table of receivers"}}},
        {"receivers.relative_to",
         {{"grid", "positions in the grid"},
          {"source",
           "offsets from the source of the shot, as for a streamer; from the first, in the order of the configuration, "
           "if a shot has several"}}},
    };
    return names;
}

template <typename T>
std::string plain_text(T value) {
    if constexpr (std::is_floating_point_v<T>)
        return number_text(value);
    else
        return std::to_string(value);
}

template <typename T>
std::optional<std::string> list_text(const std::vector<T>& values) {
    if (values.empty()) return std::nullopt;
    std::string text = "[";
    for (const T value : values) text += (text.size() > 1 ? ", " : "") + plain_text(value);
    return text + "]";
}

/// \xNN or \uNNNN, as double-quoted YAML escapes characters that are not printable.
std::string yaml_escape(char32_t code) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text = code < 0x100 ? "\\x" : "\\u";
    for (int shift = code < 0x100 ? 4 : 12; shift >= 0; shift -= 4) text += kDigits[code >> shift & 15];
    return text;
}

/// Double-quoted YAML; a quoted scalar is never taken for a number, a boolean or null.
/// \param value well-formed UTF-8, as all text of a configuration is.
std::optional<std::string> quoted_text(std::string_view value) {
    if (value.empty()) return std::nullopt;
    std::string text = "\"";
    while (!value.empty()) {
        const std::string_view character = value.substr(0, std::max<std::size_t>(1, utf8_length(value)));
        if (character == "\"" || character == "\\")
            (text += '\\') += character;
        else
            text += is_hidden(character) ? yaml_escape(code_point(character)) : std::string(character);
        value.remove_prefix(character.size());
    }
    return text + "\"";
}

bool is_word(const std::string& value) {
    const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-'; };
    return !value.empty() && value.front() >= 'a' && value.front() <= 'z' &&
           std::all_of(value.begin(), value.end(), plain) && value != "true" && value != "false" && value != "null" &&
           value != "yes" && value != "no" && value != "on" && value != "off";
}

struct ToText {
    using Result = std::optional<std::string>;
    Result operator()(const bool* value) const { return *value ? "true" : "false"; }
    Result operator()(const std::int64_t* value) const { return std::to_string(*value); }
    Result operator()(const double* value) const { return number_text(*value); }
    Result operator()(const std::string* value) const { return is_word(*value) ? *value : quoted_text(*value); }
    Result operator()(const std::filesystem::path* value) const { return quoted_text(path_text(*value)); }
    /// One path is written as such, so that it can be read as one.
    Result operator()(const std::vector<std::filesystem::path>* value) const {
        if (value->size() < 2) return value->empty() ? std::nullopt : (*this)(&value->front());
        std::string text = "[";
        for (const std::filesystem::path& path : *value) text += (text.size() > 1 ? ", " : "") + *(*this)(&path);
        return text + "]";
    }
    Result operator()(const std::vector<std::string>* value) const {
        if (value->empty()) return std::nullopt;
        std::string text = "[";
        for (const std::string& name : *value) text += (text.size() > 1 ? ", " : "") + *(*this)(&name);
        return text + "]";
    }
    Result operator()(const std::optional<std::int64_t>* value) const {
        return value->has_value() ? Result(std::to_string(**value)) : std::nullopt;
    }
    Result operator()(const std::optional<double>* value) const {
        return value->has_value() ? Result(number_text(**value)) : std::nullopt;
    }
    Result operator()(const std::vector<std::int64_t>* value) const { return list_text(*value); }
    Result operator()(const std::vector<double>* value) const { return list_text(*value); }
    Result operator()(const NameOrIntegers* value) const {
        return value->integers.empty() ? value->name : list_text(value->integers);
    }
    Result operator()(const NumberSelection* value) const { return quoted_text(value->text()); }
    Result operator()(const Group&) const { return std::nullopt; }
};

/// "a number", "a list of 2 or 3 integers", …
std::string describe_list(const Parameter& row, const std::string& one, const std::string& many) {
    const Count& count = row.count;
    if (count.axes && count.single) return one + ", or a list of one " + one.substr(one.find(' ') + 1) + " per axis";
    if (count.axes) return "a list of " + many + ", one per axis";
    if (count.single) return one + " or a list of " + many;
    if (count.min == count.max) return "a list of " + std::to_string(count.min) + " " + many;
    if (count.max == count.min + 1)
        return "a list of " + std::to_string(count.min) + " or " + std::to_string(count.max) + " " + many;
    return "a list of " + many;
}

std::span<const AllowedValue> all_values(const Vocabulary& vocabulary, std::string_view values) {
    if (values.empty()) return {};
    for (const Vocabulary* names : {&own_names(), &vocabulary})
        if (const auto found = names->find(values); found != names->end()) return found->second;
    throw std::logic_error("nobody says which names " + std::string(values) + " accepts");
}

}  // namespace

std::vector<AllowedValue> allowed_values(const Vocabulary& vocabulary, std::string_view values) {
    std::vector<AllowedValue> listed;
    std::ranges::copy_if(all_values(vocabulary, values), std::back_inserter(listed), &AllowedValue::listed);
    return listed;
}

bool is_allowed(const Vocabulary& vocabulary, std::string_view values, std::string_view name) {
    const auto all = all_values(vocabulary, values);
    return std::ranges::find(all, name, &AllowedValue::name) != all.end();
}

std::vector<std::string_view> split_words(std::string_view words) {
    std::vector<std::string_view> list;
    while (!words.empty()) {
        const auto space = std::min(words.find(' '), words.size());
        if (space > 0) list.push_back(words.substr(0, space));
        words.remove_prefix(std::min(space + 1, words.size()));
    }
    return list;
}

bool has_word(std::string_view words, std::string_view word) {
    const auto list = split_words(words);
    return std::find(list.begin(), list.end(), word) != list.end();
}

std::string condition_value(const Parameter& row, std::span<const Parameter> rows, void* owner) {
    for (const Parameter& other : rows)
        if (other.name == row.when.key) return *std::get<std::string*>(other.slot(owner));
    throw std::logic_error(std::string(row.name) + " depends on a parameter that is not there");
}

bool applies(const Parameter& row, std::span<const Parameter> rows, void* owner) {
    return row.when.key.empty() || has_word(row.when.values, condition_value(row, rows, owner));
}

std::optional<std::string> value_text(const Slot& slot) {
    return std::visit(ToText{}, slot);
}

bool is_resolved(void* owner, std::span<const Parameter> rows, const Parameter& row, const Config& config) {
    if (!applies(row, rows, owner) || (row.only_3d && config.grid.dimensions() == 2)) return false;
    if (row.needs != nullptr && !row.needs->holds(config)) return false;
    const auto has_value = [&](std::string_view name) {
        const auto rival = std::ranges::find(rows, name, &Parameter::name);
        return rival != rows.end() && value_text(rival->slot(owner)).has_value();
    };
    return std::ranges::none_of(split_words(row.excludes), has_value);
}

std::string describe_range(const Range& range) {
    const auto limit_text = [](double value) {
        const double size = std::fabs(value);
        if (value == 0. || (size >= 1e-4 && size < 1e7)) return number_text(value);
        char digits[32];
        return std::string(digits,
                           std::to_chars(digits, digits + sizeof digits, value, std::chars_format::general).ptr);
    };
    std::string text;
    const bool has_min = range.min > -std::numeric_limits<double>::infinity();
    const bool has_max = range.max < std::numeric_limits<double>::infinity();
    if (range.multiple_of != 1) text = "a multiple of " + std::to_string(range.multiple_of) + " ";
    if (has_min && range.min == range.max) return text + limit_text(range.min);
    if (has_min && has_max)
        return text + "in " + (range.open_min ? "(" : "[") + limit_text(range.min) + ", " + limit_text(range.max) +
               (range.open_max ? ")" : "]");
    if (has_min)
        return text + (range.open_min ? "more than " : "at least ") + limit_text(range.min) +
               (range.infinite ? ", or .inf" : "");
    if (has_max) return text + (range.open_max ? "less than " : "at most ") + limit_text(range.max);
    return text;
}

std::string describe_type(const Parameter& row, const Slot& slot) {
    struct Describe {
        const Parameter& row;
        std::string operator()(const bool*) const { return "true or false"; }
        std::string operator()(const std::int64_t*) const { return "an integer"; }
        std::string operator()(const double*) const { return "a number"; }
        std::string operator()(const std::string*) const { return row.values.empty() ? "text" : "a name"; }
        std::string operator()(const std::filesystem::path*) const { return "a path"; }
        std::string operator()(const std::vector<std::filesystem::path>*) const { return "a path or a list of paths"; }
        std::string operator()(const std::vector<std::string>*) const { return "a list of names"; }
        std::string operator()(const std::optional<std::int64_t>*) const { return "an integer"; }
        std::string operator()(const std::optional<double>*) const { return "a number"; }
        std::string operator()(const std::vector<std::int64_t>*) const {
            return describe_list(row, "an integer", "integers");
        }
        std::string operator()(const std::vector<double>*) const { return describe_list(row, "a number", "numbers"); }
        std::string operator()(const NameOrIntegers*) const {
            std::string text;
            for (const AllowedValue& value : allowed_values({}, row.values)) text += value.name + ", ";
            return text + (row.count.max == 1 ? "or an integer" : "or a list of integers");
        }
        std::string operator()(const NumberSelection*) const {
            return "numbers and ranges, such as 3-7,12 or 1-99:2, or a list of them";
        }
        std::string operator()(const Group& group) const {
            return group.kind == Group::Kind::list ? "a list of sections, each beginning with '- '"
                                                   : "a section of keys";
        }
    };
    return std::visit(Describe{row}, slot);
}

}  // namespace onda
