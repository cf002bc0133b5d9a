// Gathers as Madagascar RSF: header and numbers in one file, which may be moved, with a table of its traces beside it.
#include <algorithm>

#include "io/results/gather_writers.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"

namespace onda {
namespace {

/// A value in quotes, in which there is no way to write one.
std::string in_quotes(const std::string& text) {
    std::string value = printable(text);
    std::ranges::replace(value, '"', '\'');
    return "\"" + value + "\"";
}

std::string axis_words(int number, std::int64_t count, const GatherAxis& axis) {
    const std::string n = std::to_string(number);
    return "\tn" + n + "=" + std::to_string(count) + " o" + n + "=" + shortest(axis.first) + " d" + n + "=" +
           shortest(axis.step) + " label" + n + "=" + in_quotes(axis.label) + " unit" + n + "=" + in_quotes(axis.unit) +
           "\n";
}

}  // namespace

std::string rsf_header(const GatherContents& contents) {
    std::string header = printable(contents.program) + "\n";
    header += axis_words(1, contents.samples, {"Time", "s", 0., contents.dt_s});
    if (contents.is_even())
        header +=
            axis_words(2, contents.most_receivers, contents.receiver) + axis_words(3, contents.shots, contents.shot);
    else
        header += axis_words(2, contents.traces, {"Trace", ""});
    std::string label(contents.quantity->long_name);
    label.front() = static_cast<char>(label.front() - 'a' + 'A');
    header += "\tlabel=\"" + label + "\" unit=\"" + std::string(contents.quantity->unit) +
              "\" title=" + in_quotes(contents.title) + "\n";
    header += "\tdata_format=\"native_float\" esize=4 in=\"stdin\"\n";
    return header + "\x0c\x0c\x04";  // Madagascar's sign that the numbers follow
}

std::unique_ptr<GatherFile> open_rsf(const GatherTarget& target, const GatherContents& contents) {
    return std::make_unique<NumbersWithTable>(target, contents, rsf_header(contents));
}

}  // namespace onda
