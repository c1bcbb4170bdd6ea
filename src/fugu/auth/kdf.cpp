#include "fugu/auth/kdf.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <initializer_list>
#include <limits>
#include <mutex>
#include <utility>

#include "fugu/auth/detail/derivation.hpp"
#include "fugu/auth/detail/openssl_handle.hpp"
#include "fugu/auth/digest.hpp"
#include "fugu/error.hpp"

namespace fugu::auth {
namespace {

std::atomic<unsigned> under_way = 0;

// The memory of all memory-hard derivations together.
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

// The token of this thread's innermost StoppableDerivations; null if there is none.
thread_local const std::stop_token* stop_of_thread = nullptr;

constexpr std::byte kInnerPad{0x36};
constexpr std::byte kOuterPad{0x5c};

// HMAC of many messages under one key: copies the states after the key's two blocks for each message.
class Prf {
 public:
  Prf(const std::string& name, std::span<const std::byte> key) : digest_(require_digest(name)) {
    if ((EVP_MD_get_flags(digest_.get()) & EVP_MD_FLAG_XOF) != 0)
      throw Error(Errc::usage, "PBKDF2 cannot use digest '" + name + "'");
    SecretBytes block(static_cast<std::size_t>(EVP_MD_get_block_size(digest_.get())));
    if (key.size() <= block.size()) {
      std::ranges::copy(key, block.data());
    } else {
      Digest(name).update(key).finish(block.span());
    }
    begin(inner_, block.span(), kInnerPad);
    begin(outer_, block.span(), kOuterPad);
  }

  std::size_t size() const { return static_cast<std::size_t>(EVP_MD_get_size(digest_.get())); }

  // Writes the HMAC of the concatenated parts to `out`: size() bytes, which may be one of the parts.
  void compute(std::initializer_list<std::span<const std::byte>> parts, std::span<std::byte> out) {
    hash(inner_, parts, out);
    hash(outer_, {out}, out);
  }

 private:
  void begin(const DigestContextHandle& context, std::span<const std::byte> block, std::byte pad) const {
    SecretBytes padded(block);
    for (std::byte& byte : padded.span()) byte ^= pad;
    require(context && EVP_DigestInit_ex2(context.get(), digest_.get(), nullptr) == 1 &&
                EVP_DigestUpdate(context.get(), octets(padded.data()), padded.size()) == 1,
            "PBKDF2");
  }

  void hash(const DigestContextHandle& from, std::initializer_list<std::span<const std::byte>> parts,
            std::span<std::byte> out) {
    bool ok = work_ && EVP_MD_CTX_copy_ex(work_.get(), from.get()) == 1;
    for (const auto part : parts) ok = ok && EVP_DigestUpdate(work_.get(), input_of(part), part.size()) == 1;
    require(ok && EVP_DigestFinal_ex(work_.get(), octets(out.data()), nullptr) == 1, "PBKDF2");
  }

  DigestHandle digest_;
  DigestContextHandle inner_{EVP_MD_CTX_new()};
  DigestContextHandle outer_{EVP_MD_CTX_new()};
  DigestContextHandle work_{EVP_MD_CTX_new()};
};

// Block `number`, from 1, of PBKDF2's output; `u` and `sum` have the PRF's size.
void derive_block(Prf& prf, std::span<const std::byte> salt, std::uint32_t number, std::uint32_t iterations,
                  std::span<std::byte> u, std::span<std::byte> sum) {
  const std::array<std::byte, 4> counter{static_cast<std::byte>(number >> 24),
                                         static_cast<std::byte>(number >> 16),
                                         static_cast<std::byte>(number >> 8), static_cast<std::byte>(number)};
  throw_if_stopped();
  prf.compute({salt, counter}, u);
  std::ranges::copy(u, sum.begin());
  for (std::uint32_t i = 1; i < iterations; ++i) {
    throw_if_stopped();
    prf.compute({u}, u);
    for (std::size_t k = 0; k < u.size(); ++k) sum[k] ^= u[k];
  }
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

void throw_if_stopped() {
  if (stop_of_thread != nullptr && stop_of_thread->stop_requested())
    throw Error(Errc::interrupted, "interrupted");
}

StoppableDerivations::StoppableDerivations(std::stop_token stop)
    : stop_(std::move(stop)), outer_(std::exchange(stop_of_thread, &stop_)) {}

StoppableDerivations::~StoppableDerivations() {
  stop_of_thread = outer_;
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
  } catch (const Error&) {
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
                   std::uint32_t iterations, std::size_t bytes) {
  if (iterations == 0) throw Error(Errc::usage, "PBKDF2 needs at least one iteration");
  if (iterations > static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max()))
    throw Error(Errc::usage, "the number of iterations is too large");
  Prf prf(digest, passphrase.span());
  SecretBytes key(bytes);
  SecretBytes u(prf.size());
  SecretBytes sum(prf.size());
  const Derivation counted;
  std::uint32_t number = 0;
  for (std::span<std::byte> rest = key.span(); !rest.empty();) {
    derive_block(prf, salt, ++number, iterations, u.span(), sum.span());
    const std::size_t take = std::min(rest.size(), sum.size());
    std::ranges::copy(sum.span().first(take), rest.begin());
    rest = rest.subspan(take);
  }
  return key;
}

}  // namespace fugu::auth
