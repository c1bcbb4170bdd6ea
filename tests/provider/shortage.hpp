// Lets memory run out: operator new fails when a test wants it to.
#pragma once

#include <limits>

namespace fugu::test {

enum class Shortage { passing, lasting };  // one allocation fails, or all from that one on

// Lets allocations fail after `allocations` more of all threads.
void begin_shortage(long allocations, Shortage shortage);

// Returns how many more allocations would have succeeded; below 0 if one has failed.
long end_shortage() noexcept;

inline constexpr long kAll = std::numeric_limits<long>::max();

}  // namespace fugu::test
