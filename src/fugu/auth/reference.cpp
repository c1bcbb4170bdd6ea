#include "fugu/auth/reference.hpp"

#include <algorithm>

#include "fugu/auth/detail/openssl_handle.hpp"

namespace fugu::auth {
namespace {

constexpr std::size_t kMaxReferenceKeyBytes = 72;
constexpr std::size_t kReferenceBlockBytes = 8;

const char* cipher_name(ReferenceMode mode) {
  constexpr const char* kNames[] = {"BF-ECB", "BF-CBC", "BF-CFB", "BF-OFB"};
  return kNames[static_cast<std::size_t>(mode)];
}

bool takes_whole_blocks(ReferenceMode mode) {
  return mode == ReferenceMode::ecb || mode == ReferenceMode::cbc;
}

}  // namespace

struct ReferenceBlowfish::State {
  ReferenceMode mode;
  // The first call: legacy_library() starts OpenSSL.
  CipherHandle cipher{EVP_CIPHER_fetch(legacy_library(), cipher_name(mode), nullptr)};
  CipherContextHandle context{EVP_CIPHER_CTX_new()};
};

// The key length must be set after choosing the cipher and before giving the key.
ReferenceBlowfish::ReferenceBlowfish(ReferenceMode mode, bool encrypt, std::span<const std::byte> key,
                                     std::array<std::byte, 8> iv)
    : state_(new State{mode}) {
  if (key.empty() || key.size() > kMaxReferenceKeyBytes) throw Error(Errc::usage, "a key has 1 to 72 bytes");
  const CipherHandle& cipher = state_->cipher;
  EVP_CIPHER_CTX* const context = state_->context.get();
  const int direction = encrypt ? 1 : 0;
  if (!cipher || context == nullptr ||
      EVP_CipherInit_ex2(context, cipher.get(), nullptr, nullptr, direction, nullptr) != 1 ||
      EVP_CIPHER_CTX_set_key_length(context, static_cast<int>(key.size())) != 1 ||
      EVP_CipherInit_ex2(context, nullptr, octets(key.data()), octets(iv.data()), direction, nullptr) != 1 ||
      EVP_CIPHER_CTX_set_padding(context, 0) != 1) {
    openssl_failed(Errc::engine, std::string("OpenSSL cannot set up ") + cipher_name(mode));
  }
}

ReferenceBlowfish::ReferenceBlowfish(ReferenceBlowfish&&) noexcept = default;
ReferenceBlowfish& ReferenceBlowfish::operator=(ReferenceBlowfish&&) noexcept = default;
ReferenceBlowfish::~ReferenceBlowfish() = default;

void ReferenceBlowfish::restart(std::array<std::byte, 8> iv) {
  if (EVP_CipherInit_ex2(state_->context.get(), nullptr, nullptr, octets(iv.data()), -1, nullptr) != 1)
    openssl_failed(Errc::engine, "OpenSSL's Blowfish cannot be restarted");
}

void ReferenceBlowfish::update(std::span<const std::byte> in, std::span<std::byte> out) {
  if (in.size() != out.size() ||
      (takes_whole_blocks(state_->mode) && in.size() % kReferenceBlockBytes != 0)) {
    throw Error(Errc::usage, "OpenSSL's Blowfish was given the wrong number of bytes");
  }
  constexpr std::size_t kPieceBytes = std::size_t{1} << 30;  // OpenSSL counts in int
  while (!in.empty()) {
    const std::size_t bytes = std::min(in.size(), kPieceBytes);
    int written = 0;
    if (EVP_CipherUpdate(state_->context.get(), octets(out.data()), &written, octets(in.data()),
                         static_cast<int>(bytes)) != 1 ||
        static_cast<std::size_t>(written) != bytes) {
      openssl_failed(Errc::engine, "OpenSSL's Blowfish failed");
    }
    in = in.subspan(bytes);
    out = out.subspan(bytes);
  }
}

}  // namespace fugu::auth
