// What the functions of fugu.hpp use when the caller gave no engine or no observer. Internal.
#pragma once

#include <cstdint>

#include "fugu/engine/engine.hpp"
#include "fugu/engine/registry.hpp"
#include "fugu/fugu.hpp"

namespace fugu {

// The caller's engine, or a new one for `bytes` of input; 0: not known.
class ChosenEngine {
 public:
  ChosenEngine(engine::Engine* given, std::uint64_t bytes) : given_(given) {
    if (given == nullptr) own_ = engine::make("auto", {.expected_bytes = bytes});
  }
  engine::Engine& operator*() const { return given_ != nullptr ? *given_ : *own_; }

 private:
  engine::Engine* given_;
  std::unique_ptr<engine::Engine> own_;
};

// A caller who knows the secret and needs to watch nothing but failed parts.
class KnownSecret final : public Observer {
 public:
  explicit KnownSecret(const Secret& secret, std::vector<FailedPart>* failed = nullptr)
      : secret_(secret), failed_(failed) {}

  format::SecretKind secret_kind() const override { return secret_.kind(); }
  const auth::SecretBytes& secret(const format::Codec&) override { return secret_.bytes(); }
  void failed(const std::string& part, const Error& reason) override {
    if (failed_ != nullptr) failed_->push_back({part, reason});
  }

 private:
  const Secret& secret_;
  std::vector<FailedPart>* failed_;
};

}  // namespace fugu
