#include "solver/tasks/shot_media.hpp"

#include <algorithm>
#include <utility>

#include "solver/plan/plan.hpp"
#include "solver/plan/slab_plan.hpp"
#include "solver/program/host_memory.hpp"

namespace onda {

void add_model_memory(Allocations& list, const Experiment& experiment, const Computation& computation) {
    std::string quantities;
    for (const MediumParameter& parameter : computation.setup.scheme.equation->parameters)
        quantities += (quantities.empty() ? "" : " and ") + std::string(parameter.quantity);
    const auto add = [&](std::string name, Owner stretch) {
        list.add(host_row(std::move(name), stretch, experiment.domain.grid.points(), sizeof(float),
                          std::ssize(computation.setup.scheme.equation->parameters)));
    };
    add(quantities + " of the model, until copied to the backend", held::model);
    list.add(host_row("temporary, to build the model", held::model, experiment.model.extra_bytes, 1));
    if (experiment.domain.aperture)
        add("model, from which the apertures are cut", held::survey);
    else if (experiment.imaging)
        add("model, for gradients", held::survey);
}

ShotMedia::ShotMedia(const Plan& plan, std::shared_ptr<const Model> model, Team* team) : team_(team) {
    make(plan.domain.aperture ? plan_of_shot(plan, 0) : plan, *model);
    if (plan.domain.aperture || plan.imaging) model_ = std::move(model);
}

Medium& ShotMedia::of(const Plan& of_shot) {
    if (!holds(of_shot.domain.part)) make(of_shot, *model_);
    return *medium_;
}

void ShotMedia::make(const Plan& of_shot, const Model& model) {
    medium_.reset();  // first: two parts need not share the memory
    medium_ = make_medium(of_shot, medium_readers(model, of_shot.domain.computed, of_shot.domain.part), team_);
    part_ = of_shot.domain.part;
    description_ = medium_->description();
    allocated_bytes_ = std::max(allocated_bytes_, medium_->allocated_bytes());
}

}  // namespace onda
