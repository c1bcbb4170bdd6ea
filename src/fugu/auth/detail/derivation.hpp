// Counts the slow key derivations while they run.
#pragma once

namespace fugu::auth {

class Derivation {
 public:
  Derivation() noexcept;
  ~Derivation();
  Derivation(const Derivation&) = delete;
  Derivation& operator=(const Derivation&) = delete;
};

}  // namespace fugu::auth
