#include "fugu/auth/kdf.hpp"

#include <openssl/core_names.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <limits>
#include <mutex>

#include "fugu/auth/detail/derivation.hpp"
#include "fugu/auth/detail/openssl_handle.hpp"
#include "fugu/auth/digest.hpp"
#include "fugu/error.hpp"

namespace fugu::auth {
namespace {

std::atomic<unsigned> under_way = 0;

// The memory of all derivations that need much.
struct Memory {
  std::mutex mutex;
  std::condition_variable given_back;
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t used = 0;
};

Memory& memory() {
  static Memory one;
  return one;
}

using KdfHandle = std::unique_ptr<EVP_KDF, OpensslDelete<EVP_KDF_free>>;
using KdfContextHandle = std::unique_ptr<EVP_KDF_CTX, OpensslDelete<EVP_KDF_CTX_free>>;

// Parameters take pointers to what they only read. A null one would mean that there is none.
OSSL_PARAM octets_parameter(const char* name, std::span<const std::byte> bytes) {
  static std::byte empty{};
  std::byte* const data = bytes.empty() ? &empty : const_cast<std::byte*>(bytes.data());
  return OSSL_PARAM_construct_octet_string(name, data, bytes.size());
}

}  // namespace

Derivation::Derivation(std::uint64_t memory_bytes) : memory_bytes_(memory_bytes) {
  if (memory_bytes_ != 0) {
    std::unique_lock lock(memory().mutex);
    memory().given_back.wait(lock, [this] {
      const Memory& now = memory();
      return now.used == 0 || (memory_bytes_ <= now.most && now.used <= now.most - memory_bytes_);
    });
    memory().used += memory_bytes_;
  }
  ++under_way;
}

Derivation::~Derivation() {
  --under_way;
  if (memory_bytes_ == 0) return;
  {
    const std::lock_guard lock(memory().mutex);
    memory().used -= memory_bytes_;
  }
  memory().given_back.notify_all();
}

void set_derivation_memory(std::uint64_t bytes) {
  const std::lock_guard lock(memory().mutex);
  memory().most = bytes;
}

unsigned key_derivations_under_way() noexcept {
  return under_way;
}

bool digest_exists(const std::string& digest) {
  try {
    return require_digest(digest) != nullptr;
  } catch (const Error& error) {
    if (error.code() == Errc::memory) throw;
    return false;
  }
}

SecretBytes bytes_to_key(const std::string& digest, const SecretBytes& passphrase,
                         std::span<const std::byte> salt, std::size_t bytes) {
  if (bytes > kMaxBytesToKeyBytes)
    throw Error(Errc::usage, "EVP_BytesToKey gives at most 64 bytes of key and iv here");
  if (!salt.empty() && salt.size() != PKCS5_SALT_LEN) throw Error(Errc::usage, "a salt is 8 bytes");
  Digest hash(digest);
  SecretBytes stream(bytes + hash.size());  // whole digests
  std::span<const std::byte> before;
  for (std::size_t at = 0; at < bytes; at += hash.size()) {
    hash.update(before).update(passphrase.span()).update(salt).finish(stream.span().subspan(at));
    before = std::as_const(stream).span().subspan(at, hash.size());
  }
  return SecretBytes(std::as_const(stream).span().first(bytes));
}

SecretBytes pbkdf2(const std::string& digest, const SecretBytes& passphrase, std::span<const std::byte> salt,
                   std::uint32_t iterations, std::size_t bytes) try {
  if (iterations == 0) throw Error(Errc::usage, "PBKDF2 needs at least one iteration");
  if (iterations > static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max()))
    throw Error(Errc::usage, "the number of iterations is too large");
  if ((EVP_MD_get_flags(require_digest(digest).get()) & EVP_MD_FLAG_XOF) != 0)
    throw Error(Errc::usage, "PBKDF2 cannot use digest '" + digest + "'");
  std::string name = digest;
  std::uint64_t rounds = iterations;
  int any_sizes = 1;  // without the lower bounds of SP 800-132, as PKCS5_PBKDF2_HMAC() does
  const std::array parameters{OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, name.data(), 0),
                              octets_parameter(OSSL_KDF_PARAM_PASSWORD, passphrase.span()),
                              octets_parameter(OSSL_KDF_PARAM_SALT, salt),
                              OSSL_PARAM_construct_uint64(OSSL_KDF_PARAM_ITER, &rounds),
                              OSSL_PARAM_construct_int(OSSL_KDF_PARAM_PKCS5, &any_sizes),
                              OSSL_PARAM_construct_end()};
  const KdfHandle kdf(EVP_KDF_fetch(default_library(), "PBKDF2", nullptr));
  const KdfContextHandle context(kdf ? EVP_KDF_CTX_new(kdf.get()) : nullptr);
  SecretBytes key(bytes);
  const Derivation counted;
  require(context && EVP_KDF_derive(context.get(), octets(key.data()), key.size(), parameters.data()) == 1,
          "PBKDF2");
  return key;
} catch (...) {
  rethrow_as_error();
}

}  // namespace fugu::auth
