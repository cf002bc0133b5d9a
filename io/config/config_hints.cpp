#include "io/config/config_hints.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "io/text/nearest_name.hpp"
#include "io/text/printable.hpp"

namespace onda {
namespace {

std::string in_quotes(std::string_view word) {
    return "'" + std::string(word) + "'";
}

std::string lower(std::string_view word) {
    std::string text(word);
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

/// Words of Devito, JUDI, Madagascar, Deepwave, SWEEP, SeisCL, SOFI3D, k-Wave, simwave and Stride: what they are here.
struct ForeignWord {
    std::string_view words, meaning;
};
constexpr ForeignWord kForeignKeys[] = {
    {"n nx ny nz n1 n2 n3 dims dimensions size grid_size", "grid.shape"},
    {"d h dh dx dy dz d1 d2 d3 ds grid_spacing", "grid.spacing_m"},
    {"o o1 o2 o3 ox oy oz origin", "grid.origin_m"},
    {"vp v c c0 velocity vel", "model.vp_m_s"},
    {"file_name filename model_file path", "model.file"},
    {"dt timestep time_step", "time.dt_s"},
    {"nt nsteps n_steps steps tn tmax t_max t_end total_time duration ntt", "time.duration_s (in seconds)"},
    {"cfl courant cfl_number dt_scale", "time.cfl_fraction"},
    {"so order fdorder accuracy spatial_order", "scheme.space_order"},
    {"dtype", "scheme.precision"},
    {"nbl nab abcn npml n_pml pml_width pml_size fw absorb_width absorbing_width damping_width nbpml",
     "boundary.cpml_width (in nodes)"},
    {"fs freesurface free_surf free_surface", "boundary.z_min: free_surface"},
    {"f0 f fc fm fpeak f_peak freq frequency peak_freq dominant_frequency", "wavelet.peak_frequency_hz"},
    {"t0 peak_time delay", "wavelet.t0_s"},
    {"src srcs source shot shots source_locations src_coordinates sourcefile", "sources"},
    {"rec recs receiver geophones stations receiver_locations rec_coordinates", "receivers"},
    {"near_offset near_offset_m min_offset min_offset_m offset_min", "first_m: [offset, z] with relative_to: source"},
    {"far_offset far_offset_m max_offset max_offset_m offset_max", "last_m: [offset, z] with relative_to: source"},
    {"location locations coordinates position xyz", "position_m"},
    {"saving_stride tsnapinc snapshot_interval every", "output.snapshots.every_steps"},
    {"snapshots snapshot snap", "output.snapshots"},
    {"seismograms traces gather", "output.seismograms"},
    {"nthreads num_threads n_threads omp_num_threads", "backend.threads"},
    {"device platform", "backend.name"},
    {"density densities", "rho_kg_m3 (of the model, a layer or a body)"},
    {"qp quality quality_factor", "q (of the model, a layer or a body)"},
    {"vti thomsen thomsen_epsilon thomsen_delta", "epsilon and delta (of the model, a layer or a body)"},
    {"theta tilt tti vtt", "theta_deg (of the model)"},
    {"phi", "phi_deg (of the model)"},
    {"attenuation absorption", "model.q (how it is fitted: section attenuation)"},
    {"alpha_power power_law power_exponent", "attenuation.frequency_power"},
};
constexpr std::string_view kOtherPhysics = "equation physics rheology wave_equation vs qs alpha alpha_coeff";

constexpr ForeignWord kForeignValues[] = {
    {"free freesurface free-surface dirichlet null_dirichlet pressure_free", "free_surface"},
    {"wall hard neumann null_neumann reflecting", "rigid"},
    {"pml c-pml absorbing absorb abc none", "cpml"},
    {"damping cerjan taper", "sponge"},
    {"float32 single f32 fp32", "float"},
    {"float64 f64 fp64", "double"},
    {"homogeneous uniform", "constant"},
    {"h5 hdf5 rsf segy npy numpy", "file"},
    {"vonkarman von-karman random", "von_karman"},
    {"ball circle", "sphere"},
    {"cube rectangle", "box"},
    {"gpu nvidia", "cuda"},
    {"host processor openmp", "cpu"},
};

const ForeignWord* find_foreign(std::span<const ForeignWord> table, std::string_view word) {
    const auto found = std::find_if(table.begin(), table.end(),
                                    [&](const ForeignWord& row) { return has_word(row.words, lower(word)); });
    return found == table.end() ? nullptr : &*found;
}

/// spacing_km -> spacing: the name without its unit.
std::string_view stem(std::string_view name) {
    static constexpr std::array<std::string_view, 24> kSuffixes{
        "_kg_m3",   "_g_cm3", "_g_cc", "_km_s", "_m_s", "_per_s", "_per_m", "_percent",
        "_degrees", "_khz",   "_mhz",  "_hz",   "_rad", "_deg",   "_km",    "_cm",
        "_mm",      "_ft",    "_ms",   "_us",   "_ns",  "_m",     "_s",     "_nodes"};
    for (const auto suffix : kSuffixes)
        if (name.size() > suffix.size() && name.ends_with(suffix)) return name.substr(0, name.size() - suffix.size());
    return name;
}

/// The nearest name, if it is near enough to be a slip; empty if not.
std::string nearest(std::string_view typed, std::span<const std::string> names) {
    constexpr std::size_t longest_name = 64;  // the comparison costs the product of the lengths
    return typed.size() > longest_name ? "" : nearest_name(lower(typed), names).value_or("");
}

/// Dotted name of the first parameter of that name in the whole table.
std::string find_elsewhere(std::string_view key, std::span<const Parameter> rows, const std::string& path) {
    for (const Parameter& row : rows)
        if (row.name == key || has_word(row.aliases, key)) return path + std::string(row.name);
    for (const Parameter& row : rows) {
        const auto found = find_elsewhere(key, row.rows, path + std::string(row.name) + ".");
        if (!found.empty()) return found;
    }
    return {};
}

/// The row that "grid.spacing_m" or "boundary.cpml_width (in nodes)" ends in; empty if it is not among these.
std::string_view row_of_path(std::string_view path, std::span<const Parameter> rows) {
    path = path.substr(0, path.find_first_of(": "));
    if (const auto dot = path.rfind('.'); dot != std::string_view::npos) path.remove_prefix(dot + 1);
    for (const Parameter& row : rows)
        if (row.name == path) return row.name;
    return {};
}

struct UnitFactor {
    std::string_view typed, unit;
    double factor;
};
constexpr UnitFactor kUnits[] = {
    {"km", "m", 1e3},        {"cm", "m", 1e-2},       {"mm", "m", 1e-3},      {"ft", "m", 0.3048},
    {"ms", "s", 1e-3},       {"us", "s", 1e-6},       {"ns", "s", 1e-9},      {"min", "s", 60.},
    {"khz", "Hz", 1e3},      {"mhz", "Hz", 1e6},      {"km/s", "m/s", 1e3},   {"kmps", "m/s", 1e3},
    {"ft/s", "m/s", 0.3048}, {"g/cm3", "kg/m3", 1e3}, {"g/cc", "kg/m3", 1e3}, {"t/m3", "kg/m3", 1e3},
};

/// A product rounded to 15 digits, so that 1 ms is 0.001 and not 0.0010000000000000002.
std::string converted(double value, double factor) {
    const double product = value * factor;
    for (const double scale : {1e0, 1e3, 1e6, 1e9, 1e12}) {
        const double rounded = static_cast<double>(static_cast<std::int64_t>(
                                   std::clamp(product * scale + (product < 0. ? -0.5 : 0.5), -9e18, 9e18))) /
                               scale;
        if (rounded != 0. && std::max(rounded / product, product / rounded) < 1. + 1e-12) return number_text(rounded);
    }
    return number_text(product);
}

std::string unit_hint(double value, std::string_view text, std::string_view unit) {
    if (unit.empty()) return "; write the number alone";
    std::string typed = lower(text);
    std::erase(typed, '^');  // kg/m^3
    for (const UnitFactor& row : kUnits)
        if (row.typed == typed && row.unit == unit)
            return "; write " + converted(value, row.factor) + ": the unit is " + std::string(unit);
    if (typed == lower(unit))
        return "; write " + number_text(value) + " alone: the unit is always " + std::string(unit);
    return "; write the number alone: the unit is " + std::string(unit);
}

bool are_digits(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Whether a comma between two items of a list, without a space, may be the decimal sign of one number: 1,5 or -0,25.
bool is_decimal_comma(const YamlNode& whole, const YamlNode& fraction) {
    const auto digits = std::string_view(whole.scalar).substr(whole.scalar.starts_with('-') ? 1 : 0);
    return are_digits(digits) && are_digits(fraction.scalar) && whole.place.line == fraction.place.line &&
           fraction.place.column == whole.place.column + static_cast<int>(whole.scalar.size()) + 1;
}

/// The hint for a quotient or product of two numbers, with its value; empty if the text is none.
std::string arithmetic_hint(std::string_view text) {
    const auto sign = text.find_first_of("/*");
    if (sign == std::string_view::npos) return "";
    const auto left = parse_number(text.substr(0, sign)), right = parse_number(text.substr(sign + 1));
    if (!left || !right) return "";
    const double factor = text[sign] == '/' ? 1. / *right : *right;
    return std::isfinite(*left * factor) ? "; write the result, " + converted(*left, factor) : "";
}

/// The hint for a number with Fortran's exponent, 1d3 or 1D3; empty if the text is none.
std::string fortran_hint(std::string_view text) {
    std::string number = lower(text);
    const auto exponent = number.find('d');
    if (exponent == std::string::npos) return "";
    number[exponent] = 'e';
    return parse_number(number) ? "; write " + number + ": the exponent begins with e" : "";
}

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Whether this can be a unit: letters, and behind a slash the powers of what is divided by.
bool looks_like_unit(std::string_view word) {
    const auto letter = [](char c) { return is_letter(c) || c == '/' || c == '%'; };
    const auto slash = std::min(word.find('/'), word.size());
    const auto power = [](char c) { return (c >= '1' && c <= '9') || c == '^'; };
    return !word.empty() && std::all_of(word.begin(), word.begin() + slash, letter) &&
           std::all_of(word.begin() + slash, word.end(), [&](char c) { return letter(c) || power(c); });
}

/// The parameter with a unit beside `path` whose name, without the unit, is that of `path`: model.rho_kg_m3 for
/// model.rho; empty if there is none.
std::string same_with_unit(std::string_view path) {
    std::span<const Parameter> rows = config_rows();
    std::string_view name = path;
    for (auto dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.')) {
        const auto section = std::find_if(rows.begin(), rows.end(),
                                          [&](const Parameter& row) { return row.name == name.substr(0, dot); });
        if (section == rows.end()) return {};
        rows = section->rows;
        name.remove_prefix(dot + 1);
    }
    for (const Parameter& row : rows)
        if (!row.unit.empty() && stem(row.name) == name)
            return std::string(path.substr(0, path.size() - name.size())) + std::string(row.name);
    return {};
}

}  // namespace

KeyHint unknown_key_hint(std::string_view key, std::span<const Parameter> rows) {
    for (const Parameter& row : rows)
        if (!row.unit.empty() && stem(row.name) == stem(lower(key)))
            return {"; did you mean " + in_quotes(row.name) + "? The unit is " + std::string(row.unit), row.name};
    if (const auto* foreign = find_foreign(kForeignKeys, key))
        return {"; here that is " + std::string(foreign->meaning), row_of_path(foreign->meaning, rows)};
    std::vector<std::string> names;
    for (const Parameter& row : rows) {
        names.emplace_back(row.name);
        for (const auto alias : split_words(row.aliases)) names.emplace_back(alias);
    }
    if (const auto near = nearest(key, names); !near.empty())
        return {"; did you mean " + in_quotes(near) + "?", row_of_path(near, rows)};
    const auto elsewhere = find_elsewhere(key, config_rows(), "");
    if (!elsewhere.empty()) return {"; it belongs elsewhere: " + elsewhere, {}};
    if (has_word(kOtherPhysics, lower(key)))
        return {
            "; the equation solved is the acoustic one, that of a fluid: vp, rho, q, epsilon, delta and the angles of "
            "their axis alone",
            {}};
    std::string keys;
    for (const Parameter& row : rows) keys += (keys.empty() ? "" : ", ") + std::string(row.name);
    return {"; there are " + keys, {}};
}

std::string unknown_value_hint(std::string_view value, std::string_view values, std::span<const AllowedValue> allowed) {
    std::vector<std::string> names;
    for (const AllowedValue& one : allowed) names.push_back(one.name);
    std::string meant = nearest(value, names);
    const auto* foreign = find_foreign(kForeignValues, value);
    if (foreign != nullptr && std::find(names.begin(), names.end(), foreign->meaning) != names.end())
        meant = foreign->meaning;
    if (!meant.empty()) return "; did you mean " + in_quotes(meant) + "?";
    if (values == "boundary.kind" && !boolean_hint(value).empty())
        return "; say what the face does: free_surface where the medium ends, cpml where waves leave";
    if (const std::string as_boolean = boolean_hint(value); values == "output.seismograms.segy" && !as_boolean.empty())
        return as_boolean.ends_with("true") ? "; write ieee, or ibm for programs that read no other floats"
                                            : "; write none";
    const std::string beside = parse_number(value) ? same_with_unit(values) : "";
    return beside.empty() ? "" : "; a number is what " + beside + " takes";
}

std::string number_hint(std::string_view text, std::string_view unit) {
    if (text.size() > 64) return "";
    for (const auto& hint : {arithmetic_hint(text), fortran_hint(text)})
        if (!hint.empty()) return hint;
    std::size_t end = text.size();
    while (end > 0 && !parse_number(text.substr(0, end))) --end;
    if (end > 0 && end < text.size()) {
        auto typed = text.substr(end);
        typed.remove_prefix(std::min(typed.find_first_not_of(' '), typed.size()));
        if (looks_like_unit(typed)) return unit_hint(*parse_number(text.substr(0, end)), typed, unit);
    }
    const auto digits = text.substr(text.starts_with('-') || text.starts_with('+') ? 1 : 0);
    if (lower(digits).starts_with("0x")) return "; hexadecimal is not accepted";
    if (digits.size() > 1 && digits.front() == '0') return "; leading zeros are not accepted";
    if (text.find('_') != std::string_view::npos) return "; underscores are not accepted in numbers";
    if (text.find(',') != std::string_view::npos) return "; the decimal sign is a point";
    return "";
}

std::string comma_hint(const YamlNode& list, std::size_t wanted) {
    if (list.items.size() <= wanted || list.items.size() > 2 * wanted) return "";
    std::string meant;
    std::size_t size = 0;
    for (std::size_t i = 0; i < list.items.size(); ++i, ++size) {
        meant += (i > 0 ? ", " : "") + list.items[i].scalar;
        if (i + 1 == list.items.size() || !is_decimal_comma(list.items[i], list.items[i + 1])) continue;
        meant += "." + list.items[++i].scalar;
        // Three numbers without a space between them are three numbers as likely as two.
        if (i + 1 < list.items.size() && is_decimal_comma(list.items[i], list.items[i + 1])) return "";
    }
    return size == wanted ? "; the decimal sign is a point: write [" + meant + "]" : "";
}

std::string colon_hint(std::string_view text, std::span<const Parameter> rows) {
    const auto end = std::min(text.find_first_of(" \t="), text.size());
    const auto word = text.substr(0, end);
    const auto value = text.substr(std::min(text.find_first_not_of(" \t=", end), text.size()));
    const bool is_key = std::any_of(rows.begin(), rows.end(), [word](const Parameter& row) {
        return row.name == word || has_word(row.aliases, word);
    });
    if (!is_key || value.empty() || value.size() > 40) return "";
    return "; a ':' is missing: write " + std::string(word) + ": " + printable(value);
}

std::string shell_hint(std::string_view path) {
    if (path == "~" || path.starts_with("~/")) return "; only a shell knows what ~ stands for: write the path in full";
    for (std::size_t begin = 0; begin < path.size(); begin = std::min(path.find('/', begin), path.size()) + 1) {
        const auto part = path.substr(begin, path.find('/', begin) - begin);
        if (part.size() < 2 || part[0] != '$' || !(part[1] == '{' || part[1] == '_' || is_letter(part[1]))) continue;
        return "; only a shell knows what " + printable(part) + " stands for: write the path in full";
    }
    return "";
}

std::string boolean_hint(std::string_view text) {
    const std::string word = lower(text);
    if (has_word("yes on true 1 y", word)) return "; write true";
    if (has_word("no off false 0 n", word)) return "; write false";
    return "";
}

}  // namespace onda
