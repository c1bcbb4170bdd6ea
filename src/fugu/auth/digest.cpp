#include "fugu/auth/digest.hpp"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>

#include <algorithm>

#include "fugu/auth/detail/openssl_handle.hpp"

namespace fugu::auth {

// A code of any number of messages under one key. What OpenSSL refuses is of `name`.
struct Mac {
  MacContextHandle context;
  const char* name;

  void set_key(std::span<const std::byte> key, const OSSL_PARAM* parameters = nullptr) const {
    require(context && EVP_MAC_init(context.get(), input_of(key), key.size(), parameters) == 1, name);
  }
  const Mac& update(std::span<const std::byte> data) const {
    require(EVP_MAC_update(context.get(), input_of(data), data.size()) == 1, name);
    return *this;
  }
  void finish(std::span<std::byte> out) const {
    std::size_t written = 0;
    require(
        EVP_MAC_final(context.get(), octets(out.data()), &written, out.size()) == 1 && written == out.size(),
        name);
  }
  // Begins the next message under the same key.
  void restart() const { require(EVP_MAC_init(context.get(), nullptr, 0, nullptr) == 1, name); }
};

namespace {

DigestHandle fetched(const char* name) {
  return DigestHandle(EVP_MD_fetch(default_library(), name, nullptr));
}

// Fetched once per process: fetching walks the providers under a lock.
EVP_MAC* poly1305() {
  static const MacHandle fetched(EVP_MAC_fetch(default_library(), "POLY1305", nullptr));
  require(fetched != nullptr, "Poly1305");
  return fetched.get();
}

EVP_MD* sha256_digest() {
  static const DigestHandle fetched(EVP_MD_fetch(default_library(), "SHA256", nullptr));
  require(fetched != nullptr, "SHA-256");
  return fetched.get();
}

// An HMAC context with its digest set; a copy can be keyed without another lookup of the digest.
const EVP_MAC_CTX* hmac_prototype() {
  static const MacContextHandle prototype = [] {
    const MacHandle mac(EVP_MAC_fetch(default_library(), "HMAC", nullptr));
    MacContextHandle context(mac ? EVP_MAC_CTX_new(mac.get()) : nullptr);
    char digest[] = "SHA256";
    const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
                                     OSSL_PARAM_construct_end()};
    if (context && EVP_MAC_CTX_set_params(context.get(), parameters) != 1) context.reset();
    return context;
  }();
  require(prototype != nullptr, "HMAC-SHA256");
  return prototype.get();
}

Mac hmac_sha256_under(std::span<const std::byte> key) {
  Mac mac{MacContextHandle(EVP_MAC_CTX_dup(hmac_prototype())), "HMAC-SHA256"};
  mac.set_key(key);
  return mac;
}

}  // namespace

DigestHandle require_digest(const std::string& name) {
  DigestHandle found = fetched(name.c_str());
  if (!found && has_legacy_library()) found = fetched(name.c_str());
  if (!found && offers_digest(name)) throw std::bad_alloc();  // OpenSSL 3.6 then calls it unsupported
  const int bytes = found ? EVP_MD_get_size(found.get()) : 0;
  // OpenSSL 3.4 and newer report no size for extendable-output functions.
  if (bytes <= 0 || static_cast<std::size_t>(bytes) > kMaxDigestBytes)
    openssl_failed(Errc::usage, (found ? "cannot use digest '" : "unknown digest '") + name + "'");
  ERR_clear_error();
  return found;
}

struct Digest::State {
  DigestHandle algorithm;
  DigestContextHandle context{EVP_MD_CTX_new()};

  void begin() const {
    require(context && EVP_DigestInit_ex2(context.get(), algorithm.get(), nullptr) == 1, "a digest");
  }
};

Digest::Digest(const std::string& name) : state_(new State{require_digest(name)}) {
  state_->begin();
}

Digest::Digest(Digest&&) noexcept = default;
Digest& Digest::operator=(Digest&&) noexcept = default;
Digest::~Digest() = default;

std::size_t Digest::size() const {
  return static_cast<std::size_t>(EVP_MD_get_size(state_->algorithm.get()));
}

Digest& Digest::update(std::span<const std::byte> data) {
  require(EVP_DigestUpdate(state_->context.get(), input_of(data), data.size()) == 1, "a digest");
  return *this;
}

void Digest::finish(std::span<std::byte> out) {
  unsigned int written = 0;
  if (out.size() < size()) throw Error(Errc::usage, "no room for a digest");
  require(EVP_DigestFinal_ex(state_->context.get(), octets(out.data()), &written) == 1 && written == size(),
          "a digest");
  state_->begin();
}

SecretBytes digest(const std::string& name, std::initializer_list<std::span<const std::byte>> parts) {
  Digest hash(name);
  for (const auto part : parts) hash.update(part);
  SecretBytes out(hash.size());
  hash.finish(out.span());
  return out;
}

struct Hmac::State : Mac {};

Hmac::Hmac(const std::string& digest, std::span<const std::byte> key) {
  static_cast<void>(require_digest(digest));
  const MacHandle mac(EVP_MAC_fetch(default_library(), "HMAC", nullptr));
  state_ = std::make_unique<State>(
      State{{MacContextHandle(mac ? EVP_MAC_CTX_new(mac.get()) : nullptr), "an HMAC"}});
  std::string name = digest;
  const std::array parameters{OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name.data(), 0),
                              OSSL_PARAM_construct_end()};
  state_->set_key(key, parameters.data());
}

Hmac::~Hmac() = default;

Hmac& Hmac::update(std::span<const std::byte> data) {
  state_->update(data);
  return *this;
}

void Hmac::finish(std::span<std::byte> out) {
  if (out.size() != EVP_MAC_CTX_get_mac_size(state_->context.get()))
    throw Error(Errc::usage, "no room for an HMAC");
  state_->finish(out);
  state_->restart();
}

Sha256Digest sha256(std::span<const std::byte> data) {
  Sha256Digest out{};
  unsigned int written = 0;
  require(
      EVP_Digest(input_of(data), data.size(), octets(out.data()), &written, sha256_digest(), nullptr) == 1,
      "SHA-256");
  return out;
}

Sha256Digest hmac_sha256(std::span<const std::byte> key, std::span<const std::byte> data) {
  Sha256Digest out{};
  hmac_sha256_under(key).update(data).finish(out);
  return out;
}

SecretBytes hkdf_extract(std::span<const std::byte> salt, std::span<const std::byte> input) {
  SecretBytes prk(kSha256Bytes);
  hmac_sha256_under(salt).update(input).finish(prk.span());
  return prk;
}

void hkdf_expand(std::span<const std::byte> prk, std::span<const std::byte> info, std::span<std::byte> out) {
  if (out.size() > 255 * kSha256Bytes) throw Error(Errc::usage, "HKDF gives at most 8160 bytes");
  struct Block {
    std::array<std::byte, kSha256Bytes> bytes{};
    ~Block() { OPENSSL_cleanse(bytes.data(), bytes.size()); }
  } block;
  const Mac hmac = hmac_sha256_under(prk);
  for (std::byte counter{1}; !out.empty(); counter = std::byte(std::to_integer<unsigned>(counter) + 1)) {
    if (counter != std::byte{1}) {
      hmac.restart();
      hmac.update(block.bytes);
    }
    hmac.update(info).update({&counter, 1}).finish(block.bytes);
    const std::size_t take = std::min(out.size(), block.bytes.size());
    std::copy_n(block.bytes.begin(), take, out.begin());
    out = out.subspan(take);
  }
}

struct Poly1305::State : Mac {};

Poly1305::Poly1305(std::span<const std::byte, kPoly1305KeyBytes> key)
    : state_(std::make_unique<State>(State{{MacContextHandle(EVP_MAC_CTX_new(poly1305())), "Poly1305"}})) {
  state_->set_key(key);
}

Poly1305::Poly1305(const Poly1305& other)
    : state_(std::make_unique<State>(
          State{{MacContextHandle(EVP_MAC_CTX_dup(other.state_->context.get())), "Poly1305"}})) {
  require(state_->context != nullptr, state_->name);
}

Poly1305::~Poly1305() = default;

void Poly1305::update(std::span<const std::byte> data) {
  state_->update(data);
}

Poly1305Tag Poly1305::finish() {
  Poly1305Tag tag{};
  state_->finish(tag);
  return tag;
}

bool equal_constant_time(std::span<const std::byte> a, std::span<const std::byte> b) noexcept {
  return a.size() == b.size() && CRYPTO_memcmp(input_of(a), input_of(b), a.size()) == 0;
}

}  // namespace fugu::auth
