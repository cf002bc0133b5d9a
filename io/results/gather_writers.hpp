/// \file
/// What the formats of gather_file.hpp share. For io/results/gather_*.cpp alone.
#pragma once

#include <memory>
#include <string>

#include "io/files/atomic_stream.hpp"
#include "io/results/gather_file.hpp"

namespace onda {

std::unique_ptr<GatherFile> open_segy(const GatherTarget& target, const GatherContents& contents);
std::unique_ptr<GatherFile> open_su(const GatherTarget& target, const GatherContents& contents);
std::unique_ptr<GatherFile> open_rsf(const GatherTarget& target, const GatherContents& contents);
std::unique_ptr<GatherFile> open_npy(const GatherTarget& target, const GatherContents& contents);
std::unique_ptr<GatherFile> open_csv(const GatherTarget& target, const GatherContents& contents);

/// The bytes of an array of NumPy's before its numbers, for these contents.
std::string npy_header(const GatherContents& contents);
/// The header of an RSF file, up to where its numbers begin.
std::string rsf_header(const GatherContents& contents);

/// The columns of a table with a line for each trace: "trace,shot,receiver,source_x_m,…".
class TraceColumns {
public:
    explicit TraceColumns(const GatherContents& contents) : contents_(contents) {}
    /// The names, without an end of line. Units are at their ends.
    [[nodiscard]] std::string names() const;
    void begin_shot(const ShotGather& header);
    /// The line of the shot's next trace, without an end of line.
    [[nodiscard]] std::string next_line();

private:
    const GatherContents& contents_;
    ShotGather shot_;
    std::vector<double> offsets_m_;
    std::vector<const CarriedColumn*> carried_;  ///< of each of the contents' columns; null: this shot has none
    std::size_t receiver_ = 0;
    std::int64_t trace_ = 0;
};

/// Numbers in the byte order of this machine, beside a table of their traces: a format tells its header, and where its
/// numbers lie.
class NumbersWithTable : public GatherFile {
public:
    /// \param header the bytes before the numbers.
    NumbersWithTable(const GatherTarget& target, const GatherContents& contents, const std::string& header);
    void begin_shot(const ShotGather& header) override;
    void put(std::span<const float> pressure) override;
    [[nodiscard]] std::vector<AtomicFile> finish() override;

private:
    GatherContents contents_;
    TraceColumns columns_;
    AtomicStream numbers_, table_;
};

}  // namespace onda
