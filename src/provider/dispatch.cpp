// From C to CipherContext: no exception passes this file.
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/proverr.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>

#include "fugu/cipher/schedule.hpp"
#include "fugu/error.hpp"
#include "fugu/mode/chain.hpp"
#include "provider/core.hpp"

namespace fugu::provider {
namespace {

using Octets = std::span<const unsigned char>;

constexpr std::size_t kUsualKeyBytes = 16;

// EVP's block size: 1 for modes that take any number of bytes.
constexpr std::size_t block_bytes(mode::Mode mode) {
  return mode == mode::Mode::ecb || mode == mode::Mode::cbc ? core::kBlockBytes : 1;
}
constexpr std::size_t iv_bytes(mode::Mode mode) {
  return mode == mode::Mode::ecb ? 0 : core::kBlockBytes;
}

// One EVP_CIPHER_CTX of this provider: Blowfish with the behaviour of OpenSSL's legacy provider.
//
// All that a caller can observe (results, parameters, reasons of errors, the state after an error) follows
// providers/implementations/ciphers/ciphercommon.c of OpenSSL 3.0; tests/provider compares the two call by
// call. Differences: a key of 0 bytes, EVP_Cipher() of a partial block in ECB or CBC and a num of 8 or more
// are refused, where legacy reads out of bounds; output that overlaps input in any way is correct.
class CipherContext {
 public:
  CipherContext(const Core& core, mode::Mode mode);

  // Each returns false with an error in the caller's queue. Null pointers in spans mean "not given".
  bool init(Octets key, Octets iv, const OSSL_PARAM* params, core::Direction direction);
  bool update(std::span<unsigned char> out, std::size_t& out_bytes, Octets in);
  bool finish(std::span<unsigned char> out, std::size_t& out_bytes);
  bool cipher(std::span<unsigned char> out, std::size_t& out_bytes, Octets in);
  bool get(OSSL_PARAM* params) const;
  bool set(const OSSL_PARAM* params);

  bool fail(int reason) const noexcept;

 private:
  mode::Mode mode() const noexcept { return chain_.chain().mode(); }
  bool set_iv(Octets iv);
  bool set_key(Octets key);
  bool set_padding(const OSSL_PARAM& param);
  bool set_num(const OSSL_PARAM& param);
  bool set_key_bytes(const OSSL_PARAM& param);

  const Core* core_;
  mode::BufferedChain chain_;
  cipher::Schedule schedule_{};
  mode::Iv original_iv_{};
  std::size_t key_bytes_ = kUsualKeyBytes;
  unsigned block_num_ = 0;  // "num" of ecb and cbc: stored without effect
  bool key_set_ = false;
  bool iv_set_ = false;
};

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

using core::Direction;
using mode::Mode;
using mode::Padding;

// EVP's default IV of zeros, for callers that give none.
mode::Settings initial_settings(Mode mode) {
  return {mode, Padding::pkcs7, mode::Iv{}, {}, {}};
}

// In these modes OpenSSL 1.1.1 restarted from the IV whenever it was given none.
bool returns_to_its_iv(Mode mode) {
  return mode == Mode::cbc || mode == Mode::cfb64 || mode == Mode::cfb8 || mode == Mode::ofb;
}

// "num" is below this.
unsigned nums(Mode mode) {
  return mode == Mode::ctr || mode == Mode::cfb8 ? 1 : unsigned{core::kBlockBytes};
}

std::span<const std::byte> bytes(Octets octets) {
  return std::as_bytes(octets);
}

std::byte* bytes(std::span<unsigned char> octets) {
  return std::as_writable_bytes(octets).data();
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

CipherContext::CipherContext(const Core& core, Mode mode)
    : core_(&core), chain_(initial_settings(mode), Direction::decrypt) {}

bool CipherContext::fail(int reason) const noexcept {
  core_->raise(reason);
  return false;
}

bool CipherContext::init(Octets key, Octets iv, const OSSL_PARAM* params, Direction direction) {
  chain_.restart(chain_.chain().iv(), direction);
  block_num_ = 0;
  if (!set_iv(iv)) return false;
  if (key.data() != nullptr && !set_key(key)) return false;
  return set(params);
}

bool CipherContext::set_iv(Octets iv) {
  if (iv.data() == nullptr) {
    if (iv_set_ && returns_to_its_iv(mode())) chain_.restart(original_iv_, chain_.chain().direction());
    return true;
  }
  if (mode() == Mode::ecb) return true;
  if (iv.size() != original_iv_.size()) return fail(PROV_R_INVALID_IV_LENGTH);
  std::ranges::copy(bytes(iv), original_iv_.begin());
  chain_.restart(original_iv_, chain_.chain().direction());
  iv_set_ = true;
  return true;
}

// OpenSSL's key schedule uses the first 72 bytes of a longer key.
bool CipherContext::set_key(Octets key) {
  key_bytes_ = key.size();
  if (key.empty() || key.size() > std::numeric_limits<int>::max()) return fail(PROV_R_INVALID_KEY_LENGTH);
  cipher::expand(bytes(key.first(std::min(key.size(), cipher::kMaxClassicKeyBytes))), schedule_);
  key_set_ = true;
  return true;
}

bool CipherContext::update(std::span<unsigned char> out, std::size_t& out_bytes, Octets in) {
  if (!key_set_) return fail(PROV_R_NO_KEY_SET);
  if (out.size() < chain_.update_bytes(in.size())) return fail(PROV_R_OUTPUT_BUFFER_TOO_SMALL);
  out_bytes = chain_.update(engine::local_engine(), schedule_, bytes(in), bytes(out));
  return true;
}

bool CipherContext::finish(std::span<unsigned char> out, std::size_t& out_bytes) {
  if (!key_set_) return fail(PROV_R_NO_KEY_SET);
  try {
    std::array<std::byte, core::kBlockBytes> last;
    const std::size_t last_bytes = chain_.finish(engine::local_engine(), schedule_, last.data());
    if (out.size() < last_bytes) return fail(PROV_R_OUTPUT_BUFFER_TOO_SMALL);
    std::copy_n(last.begin(), last_bytes, bytes(out));
    core::wipe(last.data(), last.size());
    out_bytes = last_bytes;
    return true;
  } catch (const Error& error) {
    if (error.code() == Errc::wrong_key) return fail(PROV_R_BAD_DECRYPT);
    if (error.code() == Errc::engine) throw;
    return fail(PROV_R_WRONG_FINAL_BLOCK_LENGTH);
  }
}

// EVP_Cipher(): whole blocks, bypassing held bytes.
bool CipherContext::cipher(std::span<unsigned char> out, std::size_t& out_bytes, Octets in) {
  if (!key_set_) return fail(PROV_R_NO_KEY_SET);
  if (out.size() < in.size()) return fail(PROV_R_OUTPUT_BUFFER_TOO_SMALL);
  if (in.size() % block_bytes(mode()) != 0) return fail(PROV_R_CIPHER_OPERATION_FAILED);
  chain_.chain().transform(engine::local_engine(), schedule_, bytes(in), bytes(out));
  out_bytes = in.size();
  return true;
}

bool CipherContext::get(OSSL_PARAM* params) const {
  const std::size_t iv_size = iv_bytes(mode());
  const auto set_iv_of = [iv_size](OSSL_PARAM* param, const std::byte* iv) {
    return OSSL_PARAM_set_octet_ptr(param, iv, iv_size) == 1 ||
           OSSL_PARAM_set_octet_string(param, iv, iv_size) == 1;
  };
  const bool done =
      put(params, OSSL_CIPHER_PARAM_IVLEN, OSSL_PARAM_set_size_t, iv_size) &&
      put(params, OSSL_CIPHER_PARAM_PADDING, OSSL_PARAM_set_uint,
          chain_.padding() == Padding::none ? 0U : 1U) &&
      put(params, OSSL_CIPHER_PARAM_IV, set_iv_of, original_iv_.data()) &&
      put(params, OSSL_CIPHER_PARAM_UPDATED_IV, set_iv_of, chain_.chain().iv().data()) &&
      put(params, OSSL_CIPHER_PARAM_NUM, OSSL_PARAM_set_uint, block_num_ + chain_.chain().used()) &&
      put(params, OSSL_CIPHER_PARAM_KEYLEN, OSSL_PARAM_set_size_t, key_bytes_) &&
      put(params, OSSL_CIPHER_PARAM_TLS_MAC, OSSL_PARAM_set_octet_ptr, nullptr, std::size_t{0});
  return done || fail(PROV_R_FAILED_TO_SET_PARAMETER);
}

bool CipherContext::set(const OSSL_PARAM* params) {
  if (params == nullptr) return true;
  const auto take = [&](const char* name, auto read) {
    const OSSL_PARAM* const param = OSSL_PARAM_locate_const(params, name);
    return param == nullptr || (this->*read)(*param) || fail(PROV_R_FAILED_TO_GET_PARAMETER);
  };
  return take(OSSL_CIPHER_PARAM_PADDING, &CipherContext::set_padding) &&
         take(OSSL_CIPHER_PARAM_NUM, &CipherContext::set_num) &&
         take(OSSL_CIPHER_PARAM_KEYLEN, &CipherContext::set_key_bytes);
}

bool CipherContext::set_padding(const OSSL_PARAM& param) {
  unsigned value = 0;
  if (OSSL_PARAM_get_uint(&param, &value) != 1) return false;
  chain_.set_padding(value != 0 ? Padding::pkcs7 : Padding::none);
  return true;
}

// The legacy provider accepts any number, and beyond a block CFB and OFB then read past their IV.
bool CipherContext::set_num(const OSSL_PARAM& param) {
  unsigned value = 0;
  if (OSSL_PARAM_get_uint(&param, &value) != 1 || value >= nums(mode())) return false;
  if (mode() == Mode::cfb64 || mode() == Mode::ofb) {
    chain_.chain().restart(chain_.chain().iv(), chain_.chain().direction(), value);
  } else {
    block_num_ = value;
  }
  return true;
}

bool CipherContext::set_key_bytes(const OSSL_PARAM& param) {
  std::size_t value = 0;
  if (OSSL_PARAM_get_size_t(&param, &value) != 1) return false;
  if (value != key_bytes_) key_set_ = false;
  key_bytes_ = value;
  return true;
}

}  // namespace fugu::provider
