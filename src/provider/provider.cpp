// The module's one exported function, the provider it creates, and its errors, which it raises through the
// core: the module may not share the caller's libcrypto.
#include <openssl/core_names.h>
#include <openssl/err.h>

#include <cstdarg>
#include <new>

#include "provider/core.hpp"

namespace fugu::provider {
namespace {

void teardown(void* provider) noexcept {
  delete static_cast<Core*>(provider);
}

const OSSL_PARAM* gettable_params(void*) noexcept {
  static const OSSL_PARAM list[] = {OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_NAME, nullptr, 0),
                                    OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_VERSION, nullptr, 0),
                                    OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_BUILDINFO, nullptr, 0),
                                    OSSL_PARAM_int(OSSL_PROV_PARAM_STATUS, nullptr), OSSL_PARAM_END};
  return list;
}

int get_params(void*, OSSL_PARAM* params) noexcept {
  const bool done = put(params, OSSL_PROV_PARAM_NAME, OSSL_PARAM_set_utf8_ptr, "fugu Blowfish provider") &&
                    put(params, OSSL_PROV_PARAM_VERSION, OSSL_PARAM_set_utf8_ptr, FUGU_VERSION) &&
                    put(params, OSSL_PROV_PARAM_BUILDINFO, OSSL_PARAM_set_utf8_ptr, FUGU_VERSION) &&
                    put(params, OSSL_PROV_PARAM_STATUS, OSSL_PARAM_set_int, 1);
  return done ? 1 : 0;
}

const OSSL_ALGORITHM* query(void*, int operation, int* no_cache) noexcept {
  *no_cache = 0;
  return operation == OSSL_OP_CIPHER ? ciphers() : nullptr;
}

const OSSL_DISPATCH* functions() noexcept {
  static const OSSL_DISPATCH table[] = {
      entry<OSSL_FUNC_provider_teardown_fn>(OSSL_FUNC_PROVIDER_TEARDOWN, teardown),
      entry<OSSL_FUNC_provider_gettable_params_fn>(OSSL_FUNC_PROVIDER_GETTABLE_PARAMS, gettable_params),
      entry<OSSL_FUNC_provider_get_params_fn>(OSSL_FUNC_PROVIDER_GET_PARAMS, get_params),
      entry<OSSL_FUNC_provider_query_operation_fn>(OSSL_FUNC_PROVIDER_QUERY_OPERATION, query),
      {0, nullptr}};
  return table;
}

}  // namespace

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

extern "C" [[gnu::visibility("default")]] int OSSL_provider_init(const OSSL_CORE_HANDLE* handle,
                                                                 const OSSL_DISPATCH* in,
                                                                 const OSSL_DISPATCH** out, void** provider) {
  *provider = new (std::nothrow) fugu::provider::Core(handle, in);
  *out = fugu::provider::functions();
  return *provider != nullptr ? 1 : 0;
}
