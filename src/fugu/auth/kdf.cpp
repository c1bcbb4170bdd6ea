#include "fugu/auth/kdf.hpp"

#include <openssl/core_names.h>
#include <openssl/params.h>

#include <atomic>
#include <limits>
#include <utility>

#include "fugu/auth/derived_keys.hpp"
#include "fugu/auth/detail/openssl_handle.hpp"
#include "fugu/auth/digest.hpp"

namespace fugu::auth {
namespace {

std::atomic<unsigned> under_way = 0;

// Those of this thread's innermost RuledDerivations; null if there is none.
thread_local const DerivationRules* rules_of_thread = nullptr;

void throw_if_stopped() {
  if (rules_of_thread != nullptr && rules_of_thread->stop.stop_requested())
    throw Error(Errc::interrupted, "interrupted");
}

// Counts a slow derivation while it runs, and delays it until there is memory for it.
class Derivation {
 public:
  explicit Derivation(std::uint64_t memory_bytes = 0)
      : memory_(memory_bytes != 0 && rules_of_thread != nullptr ? rules_of_thread->memory : nullptr),
        memory_bytes_(memory_bytes) {
    if (memory_ != nullptr) memory_->take(memory_bytes_);
    ++under_way;
  }
  Derivation(const Derivation&) = delete;
  Derivation& operator=(const Derivation&) = delete;
  ~Derivation() {
    --under_way;
    if (memory_ != nullptr) memory_->give_back(memory_bytes_);
  }

 private:
  DerivationMemory* memory_;
  std::uint64_t memory_bytes_;
};

OSSL_PARAM bytes_parameter(const char* name, std::span<const std::byte> bytes) {
  return OSSL_PARAM_construct_octet_string(name, const_cast<unsigned char*>(input_of(bytes)), bytes.size());
}

// False when OpenSSL failed. Throws Error{interrupted}.
bool derive(const char* function, const OSSL_PARAM* parameters, std::span<std::byte> out) {
  throw_if_stopped();
  const KdfHandle kdf(EVP_KDF_fetch(default_library(), function, nullptr));
  const KdfContextHandle context(kdf ? EVP_KDF_CTX_new(kdf.get()) : nullptr);
  const bool done = context && EVP_KDF_derive(context.get(), octets(out.data()), out.size(), parameters) == 1;
  throw_if_stopped();
  return done;
}

// The bounds of RFC 7914, 2 and 6.
void check(const ScryptCost& cost) {
  constexpr unsigned kMaxRp = (1u << 30) - 1;
  const bool in_bounds = cost.r != 0 && cost.p != 0 && cost.p <= kMaxRp / cost.r && cost.log2_n >= 1 &&
                         cost.log2_n <= 63 && cost.log2_n < std::uint64_t{16} * cost.r;
  if (!in_bounds) throw Error(Errc::usage, "scrypt cost is out of bounds");
}

// 128 N r, or what no process has.
std::uint64_t memory_of(const ScryptCost& cost) {
  constexpr std::uint64_t kMaxBytes = std::numeric_limits<std::size_t>::max() / 2;
  const std::uint64_t step = std::uint64_t{128} * cost.r;
  return step > (kMaxBytes >> cost.log2_n) ? kMaxBytes : step << cost.log2_n;
}

[[noreturn]] void refuse_memory(std::uint64_t bytes) {
  ERR_clear_error();
  throw Error(Errc::memory, "the key derivation needs " + std::to_string((bytes + (1 << 20) - 1) >> 20) +
                                " MiB of memory, which is not available");
}

}  // namespace

void DerivationMemory::take(std::uint64_t bytes) {
  std::unique_lock lock(mutex_);
  given_back_.wait(lock, [&] { return used_ == 0 || (bytes <= most_ && used_ <= most_ - bytes); });
  used_ += bytes;
}

void DerivationMemory::give_back(std::uint64_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    used_ -= bytes;
  }
  given_back_.notify_all();
}

RuledDerivations::RuledDerivations(DerivationRules rules)
    : rules_(std::move(rules)), outer_(std::exchange(rules_of_thread, &rules_)) {}

RuledDerivations::~RuledDerivations() {
  rules_of_thread = outer_;
}

unsigned key_derivations_under_way() noexcept {
  return under_way;
}

bool digest_exists(const std::string& digest) {
  try {
    return require_digest(digest) != nullptr;
  } catch (const Error&) {
    return false;
  }
}

SecretBytes bytes_to_key(const std::string& digest, const SecretBytes& passphrase,
                         std::span<const std::byte> salt, std::size_t bytes, std::uint32_t count) {
  if (count == 0) throw Error(Errc::usage, "EVP_BytesToKey hashes at least once");
  if (bytes > kMaxBytesToKeyBytes)
    throw Error(Errc::usage, "EVP_BytesToKey is limited to 64 bytes of key and IV here");
  if (!salt.empty() && salt.size() != PKCS5_SALT_LEN) throw Error(Errc::usage, "a salt has 8 bytes");
  Digest hash(digest);
  SecretBytes stream(bytes + hash.size());  // whole digests
  std::span<const std::byte> before;
  for (std::size_t at = 0; at < bytes; at += hash.size()) {
    const auto next = stream.span().subspan(at, hash.size());
    hash.update(before).update(passphrase.span()).update(salt).finish(next);
    for (std::uint32_t i = 1; i < count; ++i) hash.update(next).finish(next);
    before = next;
  }
  return SecretBytes(std::as_const(stream).span().first(bytes));
}

SecretBytes pbkdf2(const std::string& digest, const SecretBytes& passphrase, std::span<const std::byte> salt,
                   std::uint32_t iterations, std::size_t bytes) {
  if (iterations == 0) throw Error(Errc::usage, "PBKDF2 needs at least one iteration");
  if (iterations > static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max()))
    throw Error(Errc::usage, "the number of iterations is too large");
  if ((EVP_MD_get_flags(require_digest(digest).get()) & EVP_MD_FLAG_XOF) != 0)
    throw Error(Errc::usage, "PBKDF2 cannot use digest '" + digest + "'");
  SecretBytes key(bytes);
  const FastPbkdf2 fast = rules_of_thread != nullptr ? rules_of_thread->fast_pbkdf2 : nullptr;
  if (bytes == 0 || (fast && fast(digest, passphrase, salt, iterations, key.span()))) return key;
  std::string name = digest;
  int unbounded = 1;  // SP 800-132 has bounds that the formats here exceed
  const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, name.data(), 0),
                                   bytes_parameter(OSSL_KDF_PARAM_PASSWORD, passphrase.span()),
                                   bytes_parameter(OSSL_KDF_PARAM_SALT, salt),
                                   OSSL_PARAM_construct_uint32(OSSL_KDF_PARAM_ITER, &iterations),
                                   OSSL_PARAM_construct_int(OSSL_KDF_PARAM_PKCS5, &unbounded),
                                   OSSL_PARAM_construct_end()};
  const Derivation counted;
  require(derive("PBKDF2", parameters, key.span()), "PBKDF2");
  return key;
}

SecretBytes scrypt(const SecretBytes& passphrase, std::span<const std::byte> salt, const ScryptCost& cost,
                   std::size_t bytes) {
  check(cost);
  const std::uint64_t memory_bytes = memory_of(cost);
  std::uint64_t n = std::uint64_t{1} << cost.log2_n;
  unsigned r = cost.r;
  unsigned p = cost.p;
  std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();
  const OSSL_PARAM parameters[] = {bytes_parameter(OSSL_KDF_PARAM_PASSWORD, passphrase.span()),
                                   bytes_parameter(OSSL_KDF_PARAM_SALT, salt),
                                   OSSL_PARAM_construct_uint64(OSSL_KDF_PARAM_SCRYPT_N, &n),
                                   OSSL_PARAM_construct_uint(OSSL_KDF_PARAM_SCRYPT_R, &r),
                                   OSSL_PARAM_construct_uint(OSSL_KDF_PARAM_SCRYPT_P, &p),
                                   OSSL_PARAM_construct_uint64(OSSL_KDF_PARAM_SCRYPT_MAXMEM, &no_limit),
                                   OSSL_PARAM_construct_end()};
  SecretBytes key(bytes);
  const Derivation counted(memory_bytes);
  if (!derive("SCRYPT", parameters, key.span())) refuse_memory(memory_bytes);  // memory alone can be missing
  return key;
}

DerivedKeys::DerivedKeys(bool new_files_share) : new_files_share_(new_files_share) {
  if (new_files_share) random_bytes(new_salt_);
}

SecretBytes DerivedKeys::scrypt(const SecretBytes& passphrase, const Salt& salt, const ScryptCost& cost) {
  Key* key = nullptr;
  {
    const std::lock_guard lock(mutex_);
    key = &keys_[{salt, cost.log2_n, cost.r, cost.p}];  // a map's elements stay in place
  }
  const std::lock_guard lock(key->mutex);
  if (key->bytes.empty() || !equal_constant_time(key->passphrase.span(), passphrase.span())) {
    key->bytes = auth::scrypt(passphrase, salt, cost, kSha256Bytes);
    key->passphrase = SecretBytes(passphrase.span());
  }
  return SecretBytes(std::as_const(key->bytes).span());
}

}  // namespace fugu::auth
