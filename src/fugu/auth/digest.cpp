#include "fugu/auth/digest.hpp"

#include <openssl/core_names.h>
#include <openssl/params.h>

#include <array>

#include "fugu/auth/detail/openssl_handle.hpp"

namespace fugu::auth {

namespace {

DigestHandle fetched(const char* name) {
  return DigestHandle(EVP_MD_fetch(default_library(), name, nullptr));
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

struct Hmac::State {
  MacContextHandle context;
};

Hmac::Hmac(const std::string& digest, std::span<const std::byte> key) {
  static_cast<void>(require_digest(digest));
  const MacHandle mac(EVP_MAC_fetch(default_library(), "HMAC", nullptr));
  state_ = std::make_unique<State>(State{MacContextHandle(mac ? EVP_MAC_CTX_new(mac.get()) : nullptr)});
  std::string name = digest;
  const std::array parameters{OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name.data(), 0),
                              OSSL_PARAM_construct_end()};
  require(state_->context &&
              EVP_MAC_init(state_->context.get(), input_of(key), key.size(), parameters.data()) == 1,
          "an HMAC");
}

Hmac::~Hmac() = default;

Hmac& Hmac::update(std::span<const std::byte> data) {
  require(EVP_MAC_update(state_->context.get(), input_of(data), data.size()) == 1, "an HMAC");
  return *this;
}

void Hmac::finish(std::span<std::byte> out) {
  EVP_MAC_CTX* const context = state_->context.get();
  std::size_t written = 0;
  if (out.size() != EVP_MAC_CTX_get_mac_size(context)) throw Error(Errc::usage, "no room for an HMAC");
  const bool done = EVP_MAC_final(context, octets(out.data()), &written, out.size()) == 1;
  require(done && EVP_MAC_init(context, nullptr, 0, nullptr) == 1, "an HMAC");
}

}  // namespace fugu::auth
