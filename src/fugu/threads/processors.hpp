// How much can run at a time.
#pragma once

namespace fugu::threads {

// The processors this process may run on, at least 1.
unsigned usable_processors() noexcept;

}  // namespace fugu::threads
