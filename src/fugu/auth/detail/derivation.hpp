// Counts the slow key derivations while they run, and delays those for which memory is short.
#pragma once

#include <cstdint>

namespace fugu::auth {

// Throws Error{interrupted} after a stop request to this thread's StoppableDerivations.
void throw_if_stopped();

class Derivation {
 public:
  // Waits as set_derivation_memory() says.
  explicit Derivation(std::uint64_t memory_bytes = 0);
  ~Derivation();
  Derivation(const Derivation&) = delete;
  Derivation& operator=(const Derivation&) = delete;

 private:
  std::uint64_t memory_bytes_;
};

}  // namespace fugu::auth
