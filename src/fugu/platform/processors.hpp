// The number of usable processors.
#pragma once

namespace fugu::platform {

// The number of processors this process may run on, at least 1.
unsigned usable_processors() noexcept;

}  // namespace fugu::platform
