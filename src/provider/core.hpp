// The functions of OpenSSL's core that the provider uses to put errors into the caller's queue.
#pragma once

#include <openssl/core.h>
#include <openssl/core_dispatch.h>

#include <cstdint>

namespace fugu::provider {

// The provider's context: one per library context that loads it.
class Core {
 public:
  Core(const OSSL_CORE_HANDLE* handle, const OSSL_DISPATCH* functions) noexcept;

  // Puts `reason`, a PROV_R_ constant, into the calling thread's error queue, with the text that OpenSSL's
  // own providers have for it.
  void raise(int reason) const noexcept;

 private:
  void set_error(std::uint32_t reason, ...) const noexcept;

  const OSSL_CORE_HANDLE* handle_;
  OSSL_FUNC_core_new_error_fn* new_error_ = nullptr;
  OSSL_FUNC_core_vset_error_fn* vset_error_ = nullptr;
};

}  // namespace fugu::provider
