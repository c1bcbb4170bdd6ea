// The functions of OpenSSL's core that the provider uses to put errors into the caller's queue, and what its
// tables and parameters need.
#pragma once

#include <openssl/core.h>
#include <openssl/core_dispatch.h>
#include <openssl/params.h>

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

// Sets a parameter if the caller has asked for it. Returns false when it does not take the value.
template <class Set, class... Value>
bool put(OSSL_PARAM* params, const char* name, Set set, Value... value) {
  OSSL_PARAM* const param = OSSL_PARAM_locate(params, name);
  return param == nullptr || set(param, value...) == 1;
}

// A table entry for `id`: its typed function, stored untyped.
template <class Type>
OSSL_DISPATCH entry(int id, Type* function) {
  return {id, reinterpret_cast<void (*)()>(function)};
}

// Ends with an entry without names.
const OSSL_ALGORITHM* ciphers() noexcept;

}  // namespace fugu::provider
