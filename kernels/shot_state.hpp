/// \file
/// What can be saved of shots, part by part, and given back: the state of a wavefield, of sums over its levels, or of
/// several of them together.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/fields/field_set.hpp"

namespace onda {

/// Something that shots have a state of.
class ShotState {
public:
    virtual ~ShotState() = default;

    /// The parts of the state of each shot. Halos are none of them; they follow from the state.
    [[nodiscard]] virtual std::vector<StatePart> state_parts() const = 0;
    /// Shows one part of a shot's state to `take`, some planes at a time.
    virtual void read_state(int shot, const StatePart& part, const StateVisitor& take) const = 0;
    /// Replaces one part of a shot's state by what `fill` writes. Sources, receivers and recorded samples stay.
    virtual void write_state(int shot, const StatePart& part, const StateVisitor& fill) = 0;

    /// Shows the state of a shot, part by part, always in the same order: the one way to save, hash and compare it.
    void visit(int shot, const StateVisitor& take) const {
        for (const StatePart& part : state_parts()) read_state(shot, part, take);
    }
    /// Replaces the state of a shot by what `fill` writes, in the order of visit().
    void restore(int shot, const StateVisitor& fill) {
        for (const StatePart& part : state_parts()) write_state(shot, part, fill);
    }
};

/// The states of several things as that of one: each part has the name of its thing before its own.
class JoinedStates final : public ShotState {
public:
    /// \param name without a '/'. \param state outlives this.
    void add(std::string name, ShotState& state) { states_.emplace_back(std::move(name), &state); }

    [[nodiscard]] std::vector<StatePart> state_parts() const override {
        std::vector<StatePart> parts;
        for (const auto& [name, state] : states_)
            for (StatePart part : state->state_parts()) {
                part.name.insert(0, name + "/");
                parts.push_back(std::move(part));
            }
        return parts;
    }
    void read_state(int shot, const StatePart& part, const StateVisitor& take) const override {
        for (const auto& [name, state] : states_)
            if (const StatePart own = part_of(name, part); !own.name.empty()) state->read_state(shot, own, take);
    }
    void write_state(int shot, const StatePart& part, const StateVisitor& fill) override {
        for (const auto& [name, state] : states_)
            if (const StatePart own = part_of(name, part); !own.name.empty()) state->write_state(shot, own, fill);
    }

private:
    /// A part as a thing names it; without a name unless it is one of the thing's.
    static StatePart part_of(std::string_view name, StatePart part) {
        const bool is_own = part.name.starts_with(name) && part.name.substr(name.size()).starts_with('/');
        part.name = is_own ? part.name.substr(name.size() + 1) : std::string();
        return part;
    }

    std::vector<std::pair<std::string, ShotState*>> states_;
};

}  // namespace onda
