// Raises errors through the core: the module may not share the caller's libcrypto.
#include "provider/core.hpp"

#include <openssl/err.h>

#include <cstdarg>

namespace fugu::provider {

Core::Core(const OSSL_CORE_HANDLE* handle, const OSSL_DISPATCH* functions) noexcept : handle_(handle) {
  for (; functions->function_id != 0; ++functions) {
    if (functions->function_id == OSSL_FUNC_CORE_NEW_ERROR) new_error_ = OSSL_FUNC_core_new_error(functions);
    if (functions->function_id == OSSL_FUNC_CORE_VSET_ERROR)
      vset_error_ = OSSL_FUNC_core_vset_error(functions);
  }
}

void Core::raise(int reason) const noexcept {
  if (new_error_ == nullptr || vset_error_ == nullptr) return;
  new_error_(handle_);
  set_error(static_cast<std::uint32_t>(ERR_PACK(ERR_LIB_PROV, 0, reason)));
}

// The core expects the arguments of a text as a va_list; these texts have none.
void Core::set_error(std::uint32_t reason, ...) const noexcept {
  std::va_list none;
  va_start(none, reason);
  vset_error_(handle_, reason, nullptr, none);
  va_end(none);
}

}  // namespace fugu::provider
