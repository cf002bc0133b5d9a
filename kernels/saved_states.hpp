/// \file
/// States of a wavefield that are gone back to: of all its shots, in memory of the host that computes them.
#pragma once

#include <cstdint>
#include <memory>

namespace onda {

class Wavefield;

/// The states that were saved of one wavefield, by numbers of the caller's choice. Must not outlive it.
class SavedStates {
public:
    virtual ~SavedStates() = default;
    /// Saves the state of all shots as it is now. \throws std::bad_alloc.
    virtual void save(std::int64_t number) = 0;
    /// Gives the wavefield a state that was saved, which stays. Sources, receivers and recorded samples stay, too.
    virtual void restore(std::int64_t number) = 0;
    virtual void discard(std::int64_t number) = 0;
};

/// States in the memory of this process.
std::unique_ptr<SavedStates> make_host_states(Wavefield& wavefield);

}  // namespace onda
