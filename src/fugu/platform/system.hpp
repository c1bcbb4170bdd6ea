// What the library needs of the system besides files and wiped memory, which are in stream and core. The
// folders beside this header have one implementation per system.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace fugu::platform {

// Keeps memory out of swap until the process ends. Best effort: the system may refuse.
void lock_memory(const void* memory, std::size_t bytes) noexcept;

inline constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;  // on x86-64

// A hint for memory that is aligned to kHugePageBytes.
void use_huge_pages(void* memory, std::size_t bytes) noexcept;

// Fills `out` from the generator of the system. Throws Error{io}.
void system_random(std::span<std::byte> out);

// Whether std::thread can start any.
bool has_threads() noexcept;

// Calls start(). The threads that it starts block all signals but those of their own faults.
void start_without_signals(const std::function<void()>& start);

// The number of processors this process may run on, at least 1.
unsigned usable_processors() noexcept;

}  // namespace fugu::platform
