#include "kernels/medium.hpp"

#include <stdexcept>

namespace onda {

void check_readers(const Problem& problem, const MediumReaders& readers) {
    const auto& parameters = problem.scheme.equation->parameters;
    if (readers.size() == parameters.size()) return;
    std::string names;
    for (const MediumParameter& parameter : parameters)
        names += (names.empty() ? "" : ", ") + std::string(parameter.name);
    throw std::invalid_argument("the equation " + std::string(name(problem.scheme.equation)) + " takes " + names +
                                ": " + std::to_string(parameters.size()) + " readers, not " +
                                std::to_string(readers.size()));
}

}  // namespace onda
