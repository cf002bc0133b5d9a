/// \file
/// Connected processes that stop without ending, as where a host freezes: the others would wait for them until the
/// queue's time is over.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace onda {

/// Whether a file in the folder of an unfinished survey has this name: "rank_3.alive".
bool is_sign_of_life(std::string_view name);

/// Lets a process give signs of life, and look for those of the others, on a thread of its own: each writes a number
/// into a file of its own, and adds one again and again. A process whose number has stayed the same while this one has
/// written many is silent. Where this one cannot write, as on a disk that does not answer, nobody is. Once a process
/// has no file, it is not looked for: it has not begun, or has ended what the others wait for.
class SignsOfLife {
public:
    static constexpr int kBeats = 20;  ///< of this process in which those of a silent one have not changed

    /// \param folder that all processes see; it need not be there yet. \param survey a file in it: without it nobody
    /// has anything to do there. \param timeout for which one may be silent.
    SignsOfLife(std::filesystem::path folder, std::string survey, int rank, int size,
                std::chrono::duration<double> timeout);
    ~SignsOfLife();
    SignsOfLife(const SignsOfLife&) = delete;
    SignsOfLife& operator=(const SignsOfLife&) = delete;

private:
    struct Other {
        int rank = 0;
        std::string last;  ///< what its file said
        int unchanged = 0;
    };

    void live();
    [[nodiscard]] bool beat();
    void look();
    void remove_own_file() const;
    [[nodiscard]] std::filesystem::path file_of(int rank) const;

    std::filesystem::path folder_;
    std::string survey_;
    int rank_;
    std::chrono::duration<double> timeout_;
    std::vector<Other> others_;
    std::int64_t beats_ = 0;
    std::mutex mutex_;
    std::condition_variable ended_;
    bool ends_ = false;
    std::thread thread_;  ///< last: it uses all of this
};

/// Ends the waiting for other processes, of which one is silent. \throws Error(no_device).
void throw_if_one_is_silent();
/// The rank that is silent; -1: none is.
int silent_rank();

}  // namespace onda
