/// \file
/// Images of a grid that processes share: each member sums and keeps those of its slabs; they come to the leader once,
/// when it asks for them.
#pragma once

#include <functional>
#include <map>
#include <memory>

#include "kernels/imaging/correlation.hpp"
#include "kernels/imaging/flux_correlation.hpp"
#include "solver/ranks/member.hpp"

namespace onda {

/// The fields of another process, which knows their wavefield by a number.
class NumberedFields : public FieldSet {
public:
    NumberedFields(const Problem& problem, int number) : FieldSet(problem), number_(number) {}
    [[nodiscard]] int number() const { return number_; }

private:
    int number_;
};

// The leader's side: what NumberedFields make.

/// FieldSet::make_correlation() and make_flux_correlation() of the fields with a number. \param member about the
/// images. \throws Error: what the member met.
std::unique_ptr<Correlation> make_remote_correlation(Member member, int number, std::int64_t slots, Correlated what,
                                                     const OffsetLines& lines);
std::unique_ptr<FluxCorrelation> make_remote_flux_correlation(Member member, int number, std::int64_t slots);

// The member's side.

/// The images of this process, by the numbers that the leader has given them.
class ServedImages {
public:
    /// \param fields_of gives the fields of a wavefield by its number; it and the team live as long as this.
    ServedImages(Team& team, std::function<FieldSet&(int)> fields_of) : team_(team), fields_of_(std::move(fields_of)) {}

    /// Carries out an order about images that nobody waits for.
    void carry_out(Order order, Incoming& message);
    /// Makes images of levels, or of fluxes.
    void make(Order order, Incoming& message, Outgoing& reply);
    /// The state of the images with a number; null for a number that no images have.
    [[nodiscard]] ShotState* state_of(int number);
    /// Sends an image, piece by piece.
    void send(Incoming& message, Outgoing& reply) const;

private:
    /// One of both.
    struct Images {
        std::unique_ptr<Correlation> levels;
        std::unique_ptr<FluxCorrelation> fluxes;
    };

    Team& team_;
    std::function<FieldSet&(int)> fields_of_;
    std::map<int, Images> images_;
};

}  // namespace onda
