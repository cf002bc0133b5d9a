#include "solver/tasks/checkpoint_file.hpp"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>
#include <utility>

#include "io/files/atomic_stream.hpp"
#include "io/files/interruption.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "io/text/saturating.hpp"
#include "kernels/fingerprint.hpp"

namespace onda {
namespace {

using CheckpointJson = nlohmann::ordered_json;

constexpr std::string_view kCheckpointMagic = "ondackp3", kLastMark = ".checkpoint",
                           kEarlierMark = ".checkpoint-before", kFramesMark = ".frames";
constexpr std::int64_t kMagicBytes = 8, kLengthBytes = 8, kHashBytes = 8;
constexpr std::int64_t kPieceBytes = 8 << 20;

std::string_view bytes_of_number(const std::uint64_t& number) {
    return {reinterpret_cast<const char*>(&number), sizeof(number)};
}

std::uint64_t number_of_bytes(std::string_view bytes) {
    std::uint64_t number = 0;
    std::memcpy(&number, bytes.data(), std::min(bytes.size(), sizeof(number)));
    return number;
}

bool is_number_with(std::string_view name, std::string_view mark) {
    return name.size() > mark.size() && name.ends_with(mark) &&
           name.find_first_not_of("0123456789") == name.size() - mark.size();
}

std::string header_of(const CheckpointRecord& record) {
    CheckpointJson json{{"identity", record.identity},
                        {"shot", record.shot},
                        {"step", record.step},
                        {"step_name", record.step_name},
                        {"largest_observed_pressure_pa", record.largest_observed_pressure},
                        {"frames", record.frames},
                        {"frames_xxh3", record.frames_hash},
                        {"samples", record.samples},
                        {"follows_from", record.follows_from},
                        {"wavefields", record.wavefields},
                        {"trace_values", record.traces.size()},
                        {"output_bytes", record.outputs.size()},
                        {"state", CheckpointJson::array()}};
    for (const StatePart& part : record.parts)
        json["state"].push_back(
            {{"name", part.name}, {"extents", part.extents}, {"element_bytes", part.element_bytes}});
    return json.dump();
}

/// \throws nlohmann::json::exception. \param values, bytes of the traces and of the outputs, which follow.
CheckpointRecord record_of_header(const std::string& text, std::int64_t& values, std::int64_t& bytes) {
    const CheckpointJson json = CheckpointJson::parse(text);
    CheckpointRecord record{json.at("identity"),
                            json.at("shot"),
                            json.at("step"),
                            json.at("step_name"),
                            json.at("largest_observed_pressure_pa"),
                            json.at("frames"),
                            json.at("frames_xxh3"),
                            json.at("samples")};
    record.follows_from = json.at("follows_from").get<std::map<std::string, std::string>>();
    record.wavefields = json.at("wavefields");
    values = json.at("trace_values");
    bytes = json.at("output_bytes");
    for (const CheckpointJson& part : json.at("state"))
        record.parts.push_back({part.at("name"), part.at("extents"), part.at("element_bytes")});
    return record;
}

}  // namespace

std::int64_t bytes_of(const StatePart& part) {
    if (std::ranges::any_of(part.extents, [](std::int64_t extent) { return extent < 0; }) || part.element_bytes < 0)
        return 0;
    return saturating_product(part.extents[0], part.extents[1], part.extents[2], part.element_bytes);
}

AtomicFile stage_checkpoint(const std::filesystem::path& path, const CheckpointRecord& record,
                            const StateSource& put_state) {
    AtomicStream file(path, true, "cannot write the checkpoint");
    Fingerprint hash;
    const auto put = [&](std::string_view bytes) {
        hash.add_bytes(bytes);
        file.put(bytes);
    };
    const std::string header = header_of(record);
    put(kCheckpointMagic);
    put(bytes_of_number(header.size()));
    put(header);
    put({reinterpret_cast<const char*>(record.traces.data()), record.traces.size() * sizeof(float)});
    put(record.outputs);
    put_state(put);
    const std::uint64_t sum = hash.value();
    file.put(bytes_of_number(sum));
    return file.finish();
}

CheckpointReader::CheckpointReader(const std::filesystem::path& path, Extent extent)
    : path_(path), file_(open_plain_file(path, O_RDONLY)), bytes_(bytes_of_file(file_, path)) {
    std::int64_t at = 0;
    const std::int64_t end = bytes_ - kHashBytes;
    const auto pass = [&](std::int64_t bytes) {
        if (bytes < 0 || bytes > end - at) fail("is shorter than it says");
        return std::exchange(at, at + bytes);
    };
    const auto next = [&](std::int64_t bytes) { return read_piece(file_, path_, pass(bytes), bytes); };
    if (next(kMagicBytes) != kCheckpointMagic) fail("is not a checkpoint of this version of Onda");
    const auto length = static_cast<std::int64_t>(number_of_bytes(next(kLengthBytes)));
    std::int64_t values = 0, of_outputs = 0;
    try {
        record_ = record_of_header(next(length), values, of_outputs);
    } catch (const nlohmann::json::exception&) {
        fail("is damaged: its header cannot be read");
    }
    if (values < 0 || values > end / std::int64_t{sizeof(float)}) fail("is shorter than it says");
    if (extent == Extent::all) {
        const std::string traces = next(values * std::int64_t{sizeof(float)});
        record_.traces.resize(static_cast<std::size_t>(values));
        if (!traces.empty()) std::memcpy(record_.traces.data(), traces.data(), traces.size());
        record_.outputs = next(of_outputs);
    } else {
        pass(values * std::int64_t{sizeof(float)});
        pass(of_outputs);
    }
    state_at_ = at;
    for (const StatePart& part : record_.parts) at = saturating_sum(at, bytes_of(part));
    if (at != end) fail("is not as long as it says");
}

void CheckpointReader::fail(const std::string& what) const {
    throw Error(ExitCode::bad_data, shown(path_) + ": " + what);
}

void CheckpointReader::verify() const {
    Fingerprint hash;
    const std::int64_t end = bytes_ - kHashBytes;
    for (std::int64_t at = 0; at < end; at += kPieceBytes) {
        throw_if_interrupted();
        hash.add_bytes(read_piece(file_, path_, at, std::min(kPieceBytes, end - at)));
    }
    if (number_of_bytes(read_piece(file_, path_, end, kHashBytes)) != hash.value())
        fail("is damaged: its hash is another than was written");
}

void CheckpointReader::restore(ShotState& state, int slot) const {
    if (state.state_parts() != record_.parts) fail("has the state of another grid or boundary");
    std::int64_t at = state_at_;
    state.restore(slot, [&](const StatePart&, std::int64_t, std::span<std::byte> planes) {
        const auto bytes = static_cast<std::int64_t>(planes.size());
        for (std::int64_t done = 0; done < bytes; done += kPieceBytes) {
            const std::int64_t count = std::min(kPieceBytes, bytes - done);
            const std::string piece = read_piece(file_, path_, at + done, count);
            if (std::ssize(piece) != count) fail("has become shorter");
            std::memcpy(planes.data() + done, piece.data(), piece.size());
        }
        at += bytes;
    });
}

std::string checkpoint_name(std::int64_t shot) {
    return fmt::format("{:05}{}", shot, kLastMark);
}

std::string earlier_checkpoint_name(std::int64_t shot) {
    return fmt::format("{:05}{}", shot, kEarlierMark);
}

std::string frames_name(std::int64_t shot) {
    return fmt::format("{:05}{}", shot, kFramesMark);
}

bool is_checkpoint(std::string_view name) {
    return is_number_with(name, kLastMark) || is_number_with(name, kEarlierMark);
}

bool is_checkpoint_name(std::string_view name) {
    return is_checkpoint(name) || is_number_with(name, kFramesMark);
}

}  // namespace onda
