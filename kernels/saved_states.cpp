#include "kernels/saved_states.hpp"

#include <cstddef>
#include <cstring>
#include <map>
#include <span>
#include <vector>

#include "kernels/wavefield.hpp"

namespace onda {
namespace {

class HostStates final : public SavedStates {
public:
    explicit HostStates(Wavefield& wavefield) : wavefield_(wavefield) {}

    void save(std::int64_t number) override {
        State& state = states_[number];
        state.clear();
        for (int shot = 0; shot < wavefield_.shots(); ++shot)
            for (const StatePart& part : wavefield_.state_parts()) {
                std::vector<std::byte>& bytes = state.emplace_back();
                wavefield_.read_state(shot, part,
                                      [&](const StatePart&, std::int64_t, std::span<const std::byte> planes) {
                                          bytes.insert(bytes.end(), planes.begin(), planes.end());
                                      });
            }
    }
    void restore(std::int64_t number) override {
        auto saved = states_.at(number).begin();
        for (int shot = 0; shot < wavefield_.shots(); ++shot)
            for (const StatePart& part : wavefield_.state_parts()) {
                const std::byte* from = saved++->data();
                wavefield_.write_state(shot, part, [&](const StatePart&, std::int64_t, std::span<std::byte> planes) {
                    std::memcpy(planes.data(), from, planes.size());
                    from += planes.size();
                });
            }
    }
    void discard(std::int64_t number) override { states_.erase(number); }

private:
    using State = std::vector<std::vector<std::byte>>;  ///< every part of every shot

    Wavefield& wavefield_;
    std::map<std::int64_t, State> states_;
};

}  // namespace

std::unique_ptr<SavedStates> make_host_states(Wavefield& wavefield) {
    return std::make_unique<HostStates>(wavefield);
}

}  // namespace onda
