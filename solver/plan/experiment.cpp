#include "solver/plan/experiment.hpp"

namespace onda {

Window part_of_shot(const Experiment& experiment, std::size_t shot) {
    const Domain& domain = experiment.domain;
    return domain.aperture ? domain.aperture->part(experiment.survey.shots.spread(shot)) : domain.part;
}

Domain domain_of_part(const Domain& domain, const Window& part) {
    if (!domain.aperture) return domain;
    Domain of_part = domain;
    of_part.part = part;
    of_part.grid = grid_of_part(domain.grid, part);
    of_part.computed = domain.computed.around(of_part.grid);
    return of_part;
}

Domain domain_of_shot(const Experiment& experiment, std::size_t shot) {
    return domain_of_part(experiment.domain, part_of_shot(experiment, shot));
}

}  // namespace onda
