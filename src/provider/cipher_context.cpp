// The behaviour of an EVP_CIPHER_CTX, step by step that of the legacy provider.
#include "provider/cipher_context.hpp"

#include <openssl/core_names.h>
#include <openssl/proverr.h>

#include <algorithm>
#include <limits>

#include "fugu/error.hpp"

namespace fugu::provider {
namespace {

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
