#include "solver/program/threads.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <omp.h>
#include <optional>
#include <pthread.h>
#include <spdlog/fmt/fmt.h>
#include <string>
#include <string_view>
#include <vector>

#include "io/text/error.hpp"

namespace onda {
namespace {

/// Where threads wait until all have been started.
struct Park {
    std::mutex mutex;
    std::condition_variable changed;
    bool open = false;

    static void* wait(void* park) {
        Park& self = *static_cast<Park*>(park);
        std::unique_lock lock(self.mutex);
        self.changed.wait(lock, [&self] { return self.open; });
        return nullptr;
    }
    void release() {
        {
            const std::lock_guard lock(mutex);
            open = true;
        }
        changed.notify_all();
    }
};

/// Bytes of "512", "512k", "16 M": in kB where no unit follows, as OpenMP has it.
std::optional<std::size_t> stack_bytes() {
    const char* const text = std::getenv("OMP_STACKSIZE");
    if (text == nullptr) return std::nullopt;
    std::string_view rest(text);
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    std::size_t number = 0;
    const auto [end, fault] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (fault != std::errc()) return std::nullopt;
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    int shift = 10;
    constexpr std::string_view units = "bkmg";
    if (!rest.empty())
        if (const auto unit = units.find(static_cast<char>(std::tolower(static_cast<unsigned char>(rest.front()))));
            unit != std::string_view::npos)
            shift = 10 * static_cast<int>(unit);
    return number > (SIZE_MAX >> shift) ? SIZE_MAX : number << shift;
}

/// Attributes of threads like those that the OpenMP library starts.
struct Attributes {
    pthread_attr_t value{};
    Attributes() {
        pthread_attr_init(&value);
        if (const auto bytes = stack_bytes()) pthread_attr_setstacksize(&value, *bytes);
    }
    ~Attributes() { pthread_attr_destroy(&value); }
    Attributes(const Attributes&) = delete;
    Attributes& operator=(const Attributes&) = delete;
};

}  // namespace

int startable_threads(int wanted) {
    const Attributes attributes;
    Park park;
    std::vector<pthread_t> threads;
    threads.reserve(static_cast<std::size_t>(std::max(0, wanted)));
    for (pthread_t thread{}; static_cast<int>(threads.size()) + 1 < wanted; threads.push_back(thread))
        if (pthread_create(&thread, &attributes.value, Park::wait, &park) != 0) break;
    park.release();
    for (const pthread_t thread : threads) pthread_join(thread, nullptr);
    return static_cast<int>(threads.size()) + 1;
}

namespace {

/// Why `threads` cannot be had, or empty.
std::string refusal(int threads) {
    if (threads > kMostThreads) return fmt::format("{} threads: the most is {}", threads, kMostThreads);
    const int startable = startable_threads(threads);
    if (startable >= threads) return {};
    return fmt::format(
        "{} threads: the system lets this program start {}; its limits are those of `ulimit -u`, "
        "`ulimit -v`, the control group, and OMP_STACKSIZE for each",
        threads, startable);
}

/// What decides how many threads there are where the user does not say.
const char* source_of_default() {
    return std::getenv("OMP_NUM_THREADS") != nullptr ? "OMP_NUM_THREADS" : "all processors";
}

}  // namespace

void share_processors(int processes) {
    if (processes <= 1 || std::getenv("OMP_NUM_THREADS") != nullptr) return;
    omp_set_num_threads(std::max(1, omp_get_max_threads() / processes));
}

void check_threads(const BackendConfig& config, const ConfigOrigin& origin) {
    const auto asked = static_cast<int>(config.threads);
    const std::string fault = refusal(asked > 0 ? asked : omp_get_max_threads());
    if (fault.empty()) return;
    origin.fault("backend.threads",
                 asked > 0 ? fault : fault + fmt::format(" (as many as {} ask for)", source_of_default()));
}

void check_threads(int threads, const char* option) {
    const std::string fault = refusal(threads > 0 ? threads : omp_get_max_threads());
    if (!fault.empty()) throw Error(ExitCode::usage, (threads > 0 ? option : source_of_default()) + (": " + fault));
}

}  // namespace onda
