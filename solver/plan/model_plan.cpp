#include "solver/plan/model_plan.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

namespace onda {

std::string describe_medium(const ModelPlan& model, const Equation& equation) {
    const MediumParameter& vp = equation->parameters.front();
    std::string text =
        fmt::format("{:<9} {:g} to {:g} {}{}\n", vp.quantity, model.velocity.min_m_s, model.velocity.max_m_s, vp.unit,
                    model.velocity.exact ? "" : " (estimated without building the model)");
    for (std::size_t i = 0; i < model.further.size(); ++i) {
        const MediumParameter& parameter = equation->parameters[i + 1];
        text += model.further[i] ? fmt::format("{:<9} {:g} to {:g}{}\n", parameter.quantity, model.further[i]->min,
                                               model.further[i]->max, unit_after_number(parameter))
                                 : fmt::format("{:<9} variable\n", parameter.quantity);
    }
    for (const MediumParameter& parameter : equation->constants)
        text += fmt::format("{:<9} constant\n", parameter.quantity);
    return text;
}

nlohmann::ordered_json medium_json(const ModelPlan& model, const Equation& equation) {
    nlohmann::ordered_json json;
    const auto add = [&json](const MediumParameter& parameter, double min, double max) {
        std::string unit = parameter.unit.empty() ? std::string() : "_" + std::string(parameter.unit);
        std::ranges::replace(unit, '/', '_');
        json[std::string(parameter.quantity)] = {{"min" + unit, min}, {"max" + unit, max}};
    };
    add(equation->parameters.front(), model.velocity.min_m_s, model.velocity.max_m_s);
    for (std::size_t i = 0; i < model.further.size(); ++i)
        if (const auto& range = model.further[i]) add(equation->parameters[i + 1], range->min, range->max);
    return json;
}

}  // namespace onda
