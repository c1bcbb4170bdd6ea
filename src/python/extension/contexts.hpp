// The module's device contexts.
#pragma once

#include "fugu/device/context.hpp"

namespace fugu::python {

// The context of a GPU, the same for every call: to make one takes longer than most calls. Throws as
// device::Context does. Any thread, with or without the GIL.
const device::Context& context_of(int device);

}  // namespace fugu::python
