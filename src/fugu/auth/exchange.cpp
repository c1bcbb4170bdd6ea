#include "fugu/auth/exchange.hpp"

#include "fugu/auth/detail/openssl_handle.hpp"
#include "fugu/core/wipe.hpp"

namespace fugu::auth {
namespace {

using KeyHandle = std::unique_ptr<EVP_PKEY, OpensslDelete<EVP_PKEY_free>>;
using KeyContextHandle = std::unique_ptr<EVP_PKEY_CTX, OpensslDelete<EVP_PKEY_CTX_free>>;

KeyHandle private_key_of(const SecretBytes& bytes) {
  if (bytes.size() != kX25519Bytes) throw Error(Errc::usage, "an X25519 key has 32 bytes");
  KeyHandle key(EVP_PKEY_new_raw_private_key_ex(default_library(), "X25519", nullptr,
                                                octets(bytes.span().data()), bytes.size()));
  require(key != nullptr, "X25519");
  return key;
}

// Returns a context with its key, its nonce and the associated data.
CipherContextHandle aead(bool encrypts, const SecretBytes& key, const AeadNonce& nonce,
                         std::span<const std::byte> associated_data) {
  if (key.size() != kAeadKeyBytes) throw Error(Errc::usage, "a ChaCha20-Poly1305 key has 32 bytes");
  const CipherHandle cipher(EVP_CIPHER_fetch(default_library(), "ChaCha20-Poly1305", nullptr));
  CipherContextHandle context(cipher ? EVP_CIPHER_CTX_new() : nullptr);
  int written = 0;
  require(context &&
              EVP_CipherInit_ex2(context.get(), cipher.get(), octets(key.span().data()), octets(nonce.data()),
                                 encrypts ? 1 : 0, nullptr) == 1 &&
              EVP_CipherUpdate(context.get(), nullptr, &written, input_of(associated_data),
                               static_cast<int>(associated_data.size())) == 1,
          "ChaCha20-Poly1305");
  return context;
}

void require_sizes(std::size_t plain, std::size_t encrypted) {
  if (plain > std::size_t{1} << 30 || encrypted != plain + kAeadTagBytes)
    throw Error(Errc::usage, "ChaCha20-Poly1305 is limited to 1 GiB here, and adds 16 bytes");
}

}  // namespace

X25519PublicKey x25519_public_key(const SecretBytes& private_key) {
  X25519PublicKey out{};
  std::size_t written = out.size();
  require(EVP_PKEY_get_raw_public_key(private_key_of(private_key).get(), octets(out.data()), &written) == 1,
          "X25519");
  return out;
}

std::optional<SecretBytes> x25519(const SecretBytes& private_key, const X25519PublicKey& theirs) {
  const KeyHandle mine = private_key_of(private_key);
  const KeyHandle other(EVP_PKEY_new_raw_public_key_ex(default_library(), "X25519", nullptr,
                                                       octets(theirs.data()), theirs.size()));
  const KeyContextHandle context(EVP_PKEY_CTX_new_from_pkey(default_library(), mine.get(), nullptr));
  require(other && context && EVP_PKEY_derive_init(context.get()) == 1 &&
              EVP_PKEY_derive_set_peer(context.get(), other.get()) == 1,
          "X25519");
  SecretBytes shared(kX25519Bytes);
  std::size_t written = shared.size();
  if (EVP_PKEY_derive(context.get(), octets(shared.data()), &written) == 1) return shared;
  ERR_clear_error();
  return std::nullopt;
}

void chacha20_poly1305_encrypt(const SecretBytes& key, const AeadNonce& nonce,
                               std::span<const std::byte> associated_data, std::span<const std::byte> plain,
                               std::span<std::byte> out) {
  require_sizes(plain.size(), out.size());
  const CipherContextHandle context = aead(true, key, nonce, associated_data);
  int written = 0;
  require(EVP_EncryptUpdate(context.get(), octets(out.data()), &written, input_of(plain),
                            static_cast<int>(plain.size())) == 1 &&
              EVP_EncryptFinal_ex(context.get(), octets(out.data() + plain.size()), &written) == 1 &&
              EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, kAeadTagBytes,
                                  out.data() + plain.size()) == 1,
          "ChaCha20-Poly1305");
}

bool chacha20_poly1305_decrypt(const SecretBytes& key, const AeadNonce& nonce,
                               std::span<const std::byte> associated_data, std::span<const std::byte> in,
                               std::span<std::byte> plain) {
  require_sizes(plain.size(), in.size());
  const CipherContextHandle context = aead(false, key, nonce, associated_data);
  const std::span<const std::byte> tag = in.last(kAeadTagBytes);
  std::byte none{};  // a valid address for an empty plaintext
  std::byte* const begin = plain.empty() ? &none : plain.data();
  int written = 0;
  require(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_TAG, kAeadTagBytes,
                              const_cast<std::byte*>(tag.data())) == 1 &&
              EVP_DecryptUpdate(context.get(), octets(begin), &written, octets(in.data()),
                                static_cast<int>(plain.size())) == 1,
          "ChaCha20-Poly1305");
  if (EVP_DecryptFinal_ex(context.get(), octets(begin + plain.size()), &written) == 1) return true;
  ERR_clear_error();
  core::wipe(begin, plain.size());
  return false;
}

}  // namespace fugu::auth
