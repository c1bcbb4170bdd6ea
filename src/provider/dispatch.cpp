// From C to CipherContext: no exception passes this file.

#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/proverr.h>

#include <algorithm>

#include "fugu/error.hpp"
#include "provider/cipher_context.hpp"

namespace fugu::provider {
namespace {

using core::Direction;
using mode::Mode;

// Names, aliases and OID are those of OpenSSL's legacy provider.
constexpr char kProperties[] = "provider=fugu";

CipherContext& context_of(void* context) {
  return *static_cast<CipherContext*>(context);
}

// The reason for the current exception: the engine and memory can fail, in theory.
int reason_of_failure() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return ERR_R_MALLOC_FAILURE;
  } catch (...) {
    return PROV_R_CIPHER_OPERATION_FAILED;
  }
}

template <class Work>
int guarded(const CipherContext& context, Work work) noexcept {
  try {
    return work() ? 1 : 0;
  } catch (...) {
    context.fail(reason_of_failure());
    return 0;
  }
}

template <Mode mode>
void* new_context(void* provider) noexcept {
  try {
    return new CipherContext(*static_cast<const Core*>(provider), mode);
  } catch (...) {
    static_cast<const Core*>(provider)->raise(reason_of_failure());
    return nullptr;
  }
}

void free_context(void* context) noexcept {
  delete static_cast<CipherContext*>(context);
}

void* copy_of_context(void* context) noexcept {
  const CipherContext& original = context_of(context);
  try {
    return new CipherContext(original);
  } catch (...) {
    original.fail(reason_of_failure());
    return nullptr;
  }
}

template <Direction direction>
int init(void* context, const unsigned char* key, std::size_t key_bytes, const unsigned char* iv,
         std::size_t iv_bytes, const OSSL_PARAM* params) noexcept {
  CipherContext& c = context_of(context);
  return guarded(c, [&] { return c.init({key, key_bytes}, {iv, iv_bytes}, params, direction); });
}

int update(void* context, unsigned char* out, std::size_t* out_bytes, std::size_t out_size,
           const unsigned char* in, std::size_t in_bytes) noexcept {
  CipherContext& c = context_of(context);
  return guarded(c, [&] { return c.update({out, out_size}, *out_bytes, {in, in_bytes}); });
}

int finish(void* context, unsigned char* out, std::size_t* out_bytes, std::size_t out_size) noexcept {
  CipherContext& c = context_of(context);
  return guarded(c, [&] { return c.finish({out, out_size}, *out_bytes); });
}

int cipher(void* context, unsigned char* out, std::size_t* out_bytes, std::size_t out_size,
           const unsigned char* in, std::size_t in_bytes) noexcept {
  CipherContext& c = context_of(context);
  return guarded(c, [&] { return c.cipher({out, out_size}, *out_bytes, {in, in_bytes}); });
}

int get_context_params(void* context, OSSL_PARAM* params) noexcept {
  return context_of(context).get(params) ? 1 : 0;
}

int set_context_params(void* context, const OSSL_PARAM* params) noexcept {
  return context_of(context).set(params) ? 1 : 0;
}

// `evp_mode` is EVP's number of the mode.
template <Mode mode, unsigned evp_mode>
int get_params(OSSL_PARAM* params) noexcept {
  // Flags that are 0 for every Blowfish cipher.
  constexpr const char* kAbsent[] = {OSSL_CIPHER_PARAM_AEAD, OSSL_CIPHER_PARAM_CUSTOM_IV,
                                     OSSL_CIPHER_PARAM_CTS, OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK,
                                     OSSL_CIPHER_PARAM_HAS_RAND_KEY};
  const bool done =
      put(params, OSSL_CIPHER_PARAM_MODE, OSSL_PARAM_set_uint, evp_mode) &&
      put(params, OSSL_CIPHER_PARAM_KEYLEN, OSSL_PARAM_set_size_t, kUsualKeyBytes) &&
      put(params, OSSL_CIPHER_PARAM_BLOCK_SIZE, OSSL_PARAM_set_size_t, block_bytes(mode)) &&
      put(params, OSSL_CIPHER_PARAM_IVLEN, OSSL_PARAM_set_size_t, iv_bytes(mode)) &&
      std::ranges::all_of(kAbsent, [params](auto* name) { return put(params, name, OSSL_PARAM_set_int, 0); });
  return done ? 1 : 0;
}

const OSSL_PARAM* gettable_params(void*) noexcept {
  static const OSSL_PARAM list[] = {OSSL_PARAM_uint(OSSL_CIPHER_PARAM_MODE, nullptr),
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, nullptr),
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, nullptr),
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_BLOCK_SIZE, nullptr),
                                    OSSL_PARAM_int(OSSL_CIPHER_PARAM_AEAD, nullptr),
                                    OSSL_PARAM_int(OSSL_CIPHER_PARAM_CUSTOM_IV, nullptr),
                                    OSSL_PARAM_int(OSSL_CIPHER_PARAM_CTS, nullptr),
                                    OSSL_PARAM_int(OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK, nullptr),
                                    OSSL_PARAM_int(OSSL_CIPHER_PARAM_HAS_RAND_KEY, nullptr),
                                    OSSL_PARAM_END};
  return list;
}

const OSSL_PARAM* gettable_context_params(void*, void*) noexcept {
  static const OSSL_PARAM list[] = {OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, nullptr),
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, nullptr),
                                    OSSL_PARAM_uint(OSSL_CIPHER_PARAM_PADDING, nullptr),
                                    OSSL_PARAM_uint(OSSL_CIPHER_PARAM_NUM, nullptr),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_IV, nullptr, 0),
                                    OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_UPDATED_IV, nullptr, 0),
                                    OSSL_PARAM_octet_ptr(OSSL_CIPHER_PARAM_TLS_MAC, nullptr, 0),
                                    OSSL_PARAM_END};
  return list;
}

const OSSL_PARAM* settable_context_params(void*, void*) noexcept {
  static const OSSL_PARAM list[] = {OSSL_PARAM_uint(OSSL_CIPHER_PARAM_PADDING, nullptr),
                                    OSSL_PARAM_uint(OSSL_CIPHER_PARAM_NUM, nullptr),
                                    OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, nullptr), OSSL_PARAM_END};
  return list;
}

template <Mode mode, unsigned evp_mode>
const OSSL_DISPATCH* functions() noexcept {
  static const OSSL_DISPATCH table[] = {
      entry<OSSL_FUNC_cipher_newctx_fn>(OSSL_FUNC_CIPHER_NEWCTX, new_context<mode>),
      entry<OSSL_FUNC_cipher_freectx_fn>(OSSL_FUNC_CIPHER_FREECTX, free_context),
      entry<OSSL_FUNC_cipher_dupctx_fn>(OSSL_FUNC_CIPHER_DUPCTX, copy_of_context),
      entry<OSSL_FUNC_cipher_encrypt_init_fn>(OSSL_FUNC_CIPHER_ENCRYPT_INIT, init<Direction::encrypt>),
      entry<OSSL_FUNC_cipher_decrypt_init_fn>(OSSL_FUNC_CIPHER_DECRYPT_INIT, init<Direction::decrypt>),
      entry<OSSL_FUNC_cipher_update_fn>(OSSL_FUNC_CIPHER_UPDATE, update),
      entry<OSSL_FUNC_cipher_final_fn>(OSSL_FUNC_CIPHER_FINAL, finish),
      entry<OSSL_FUNC_cipher_cipher_fn>(OSSL_FUNC_CIPHER_CIPHER, cipher),
      entry<OSSL_FUNC_cipher_get_params_fn>(OSSL_FUNC_CIPHER_GET_PARAMS, get_params<mode, evp_mode>),
      entry<OSSL_FUNC_cipher_get_ctx_params_fn>(OSSL_FUNC_CIPHER_GET_CTX_PARAMS, get_context_params),
      entry<OSSL_FUNC_cipher_set_ctx_params_fn>(OSSL_FUNC_CIPHER_SET_CTX_PARAMS, set_context_params),
      entry<OSSL_FUNC_cipher_gettable_params_fn>(OSSL_FUNC_CIPHER_GETTABLE_PARAMS, gettable_params),
      entry<OSSL_FUNC_cipher_gettable_ctx_params_fn>(OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS,
                                                     gettable_context_params),
      entry<OSSL_FUNC_cipher_settable_ctx_params_fn>(OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS,
                                                     settable_context_params),
      {0, nullptr}};
  return table;
}

template <Mode mode, unsigned evp_mode>
OSSL_ALGORITHM algorithm(const char* names) noexcept {
  return {names, kProperties, functions<mode, evp_mode>(), "Blowfish"};
}

}  // namespace

const OSSL_ALGORITHM* ciphers() noexcept {
  static const OSSL_ALGORITHM table[] = {
      algorithm<Mode::ecb, EVP_CIPH_ECB_MODE>("BF-ECB"),
      algorithm<Mode::cbc, EVP_CIPH_CBC_MODE>("BF-CBC:BF:BLOWFISH:1.3.6.1.4.1.3029.1.2"),
      algorithm<Mode::cfb64, EVP_CIPH_CFB_MODE>("BF-CFB"),
      algorithm<Mode::ofb, EVP_CIPH_OFB_MODE>("BF-OFB"),
      algorithm<Mode::ctr, EVP_CIPH_CTR_MODE>("BF-CTR"),
      algorithm<Mode::cfb8, EVP_CIPH_CFB_MODE>("BF-CFB8"),
      {nullptr, nullptr, nullptr, nullptr}};
  return table;
}

}  // namespace fugu::provider
