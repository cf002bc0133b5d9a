/// \file
/// The promises on the Born operator, which are of the group of adjoint runs and gradients.
#pragma once

#include "solver/verify/verify.hpp"

namespace onda::verify {

void add_born_promises(PromiseGroup& group);

}  // namespace onda::verify
