// Gathers as a table for spreadsheets and scripts: a line for each trace.
#include <charconv>

#include "io/results/gather_writers.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"

namespace onda {
namespace {

class TableOfTraces : public GatherFile {
public:
    TableOfTraces(const GatherTarget& target, const GatherContents& contents)
        : contents_(contents), columns_(contents_), table_(target.file, target.overwrite) {
        table_.put("# " + printable(contents_.program) + (contents_.title.empty() ? "" : ": ") +
                   printable(contents_.title) + "\n");
        table_.put(
            "# a line for each trace; positions in m, z positive down; offset_m: of the receiver from the first "
            "source\n");
        table_.put("# from the column 0 on: " + std::string(contents.quantity->long_name) + " in " +
                   std::string(contents.quantity->unit) + "; the name of a column is its time in s\n");
        table_.put(columns_.names());
        for (std::int64_t n = 0; n < contents_.samples; ++n)
            table_.put("," + shortest(static_cast<double>(n) * contents_.dt_s));
        table_.put("\n");
    }

    void begin_shot(const ShotGather& header) override { columns_.begin_shot(header); }
    void put(std::span<const float> pressure) override {
        const auto samples = static_cast<std::size_t>(contents_.samples);
        for (std::size_t at = 0; at < pressure.size(); at += samples) {
            table_.put(columns_.next_line());
            for (const float value : pressure.subspan(at, samples)) put_number(value);
            table_.put("\n");
        }
    }
    [[nodiscard]] std::vector<AtomicFile> finish() override {
        std::vector<AtomicFile> files;
        files.push_back(table_.finish());
        return files;
    }

private:
    /// The shortest text that reads back as the same float.
    void put_number(float value) {
        char text[32] = ",";
        const char* const end = std::to_chars(text + 1, text + sizeof text, value).ptr;
        table_.put({text, static_cast<std::size_t>(end - text)});
    }

    GatherContents contents_;
    TraceColumns columns_;
    AtomicStream table_;
};

}  // namespace

std::unique_ptr<GatherFile> open_csv(const GatherTarget& target, const GatherContents& contents) {
    return std::make_unique<TableOfTraces>(target, contents);
}

}  // namespace onda
