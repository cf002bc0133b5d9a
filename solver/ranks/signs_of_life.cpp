#include "solver/ranks/signs_of_life.hpp"

#include <algorithm>
#include <atomic>
#include <fcntl.h>
#include <new>
#include <spdlog/fmt/fmt.h>
#include <unistd.h>
#include <utility>

#include "io/files/plain_file.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"

namespace onda {
namespace {

constexpr std::string_view kPrefix = "rank_", kSuffix = ".alive";

std::atomic<int> silent{-1};
std::string complaint;  // written before `silent`, read after it

/// What a file says; empty if it is not there.
std::string short_text_of(const std::filesystem::path& file) {
    const Descriptor of(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    std::string text(32, '\0');
    const ssize_t bytes = of.id() < 0 ? 0 : ::read(of.id(), text.data(), text.size());
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, bytes)));
    return text;
}

}  // namespace

bool is_sign_of_life(std::string_view name) {
    if (name.size() <= kPrefix.size() + kSuffix.size() || !name.starts_with(kPrefix) || !name.ends_with(kSuffix))
        return false;
    name.remove_prefix(kPrefix.size());
    name.remove_suffix(kSuffix.size());
    return name.find_first_not_of("0123456789") == std::string_view::npos;
}

SignsOfLife::SignsOfLife(std::filesystem::path folder, std::string survey, int rank, int size,
                         std::chrono::duration<double> timeout)
    : folder_(std::move(folder)), survey_(std::move(survey)), rank_(rank), timeout_(timeout) {
    remove_own_file();  // of a run that was killed
    for (int other = 0; other < size; ++other)
        if (other != rank) others_.push_back({other, {}, 0});
    thread_ = std::thread([this] { live(); });
}

SignsOfLife::~SignsOfLife() {
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
    }
    ended_.notify_all();
    thread_.join();
    remove_own_file();
}

void SignsOfLife::remove_own_file() const {
    std::error_code ignored;
    std::filesystem::remove(file_of(rank_), ignored);
}

void SignsOfLife::live() {
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, timeout_ / kBeats, [this] { return ends_; })) {
        lock.unlock();
        try {
            if (beat()) look();
        } catch (const std::bad_alloc&) {  // without memory nobody is looked for
        }
        lock.lock();
    }
}

/// Closed each time, so that other hosts see it, and nothing of it is open when the folder goes. Made only as long as a
/// survey is there.
bool SignsOfLife::beat() {
    std::error_code unknown;
    const int create = std::filesystem::exists(folder_ / survey_, unknown) ? O_CREAT : 0;
    Descriptor file(::open(file_of(rank_).c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | create, 0666));
    const std::string number = std::to_string(++beats_);
    return file.id() >= 0 && ::pwrite(file.id(), number.data(), number.size(), 0) == std::ssize(number) && file.close();
}

void SignsOfLife::look() {
    for (Other& other : others_) {
        std::string now = short_text_of(file_of(other.rank));
        if (now.empty() || now != other.last) {
            other.last = std::move(now);
            other.unchanged = 0;
        } else if (++other.unchanged == kBeats && silent < 0) {
            complaint = fmt::format(
                "rank {} has given no sign of life for {:.3g} s (backend.rank_timeout_s): it or its host stands still, "
                "or does not see {}",
                other.rank, timeout_.count(), shown(file_of(rank_)));
            silent = other.rank;
        }
    }
}

std::filesystem::path SignsOfLife::file_of(int rank) const {
    return folder_ / (std::string(kPrefix) + std::to_string(rank) + std::string(kSuffix));
}

void throw_if_one_is_silent() {
    if (silent >= 0) throw Error(ExitCode::no_device, complaint);
}

int silent_rank() {
    return silent;
}

}  // namespace onda
