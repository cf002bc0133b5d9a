// The list of tasks.
#include "solver/tasks/task.hpp"

#include <array>

#include "solver/tasks/forward_task.hpp"
#include "solver/tasks/gradient_task.hpp"

namespace onda {

std::span<const TaskRow* const> tasks() {
    static constexpr std::array list{&kForwardTask, &kGradientTask, &kMigrationTask};
    return list;
}

}  // namespace onda
