#include "fugu/format/openssl/detail/parameters.hpp"

#include <algorithm>
#include <cctype>

#include "fugu/error.hpp"

namespace fugu::format {
namespace {

using mode::Mode;

constexpr std::size_t kUsualKeyBytes = 16;
constexpr std::size_t kShortKeyBytes = 8;
constexpr std::size_t kCryptCbcKeyBytes = 56;  // Perl's Crypt::CBC writes the same header

template <class T>
struct Choice {
  T value;
  double prior;
};

struct Derivation {
  std::string digest;
  std::uint32_t pbkdf2_iterations;
};

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

// What is usual first: the defaults of OpenSSL from 1.1.0 on, of OpenSSL before, and of -pbkdf2. Then what
// people choose themselves.
std::vector<Choice<Derivation>> derivations(const OpensslDecryptRequest& request) {
  const std::optional<std::uint32_t> iterations = request.pbkdf2_iterations;
  if (request.digest && iterations) return {{{*request.digest, *iterations}, 1}};
  if (request.digest) {
    return {{{*request.digest, 0}, 0.5}, {{*request.digest, kDefaultPbkdf2Iterations}, 0.5}};
  }
  if (iterations == 0u) {
    return {{{"sha256", 0}, 0.45}, {{"md5", 0}, 0.45}, {{"sha1", 0}, 0.05}, {{"sha512", 0}, 0.05}};
  }
  if (iterations) return {{{"sha256", *iterations}, 1}};
  return {
      {{"sha256", 0}, 0.28},       {{"md5", 0}, 0.28},         {{"sha256", kDefaultPbkdf2Iterations}, 0.28},
      {{"sha1", 0}, 0.04},         {{"sha512", 0}, 0.04},      {{"sha256", 1'000}, 0.03},
      {{"sha256", 100'000}, 0.03}, {{"sha256", 600'000}, 0.02}};
}

std::vector<Choice<Mode>> modes(const OpensslDecryptRequest& request) {
  if (request.mode) return {{*request.mode, 1}};
  return {{Mode::cbc, 0.6}, {Mode::ecb, 0.1}, {Mode::cfb64, 0.15}, {Mode::ofb, 0.15}};
}

// Where all is given that `openssl enc` takes, nothing else is tried.
std::vector<Choice<std::size_t>> key_sizes(const OpensslDecryptRequest& request, Mode mode) {
  if (request.key_bytes) return {{*request.key_bytes, 1}};
  if (request.mode && derivations(request).size() == 1) return {{kUsualKeyBytes, 1}};
  // Who names a cipher of openssl means openssl.
  if (mode == Mode::cbc && !request.mode) return {{kUsualKeyBytes, 0.85}, {kCryptCbcKeyBytes, 0.15}};
  if (mode::is_padded(mode)) return {{kUsualKeyBytes, 1}};
  return {{kUsualKeyBytes, 0.75}, {kShortKeyBytes, 0.25}};
}

}  // namespace

std::string cipher_name(Mode mode) {
  switch (mode) {
    case Mode::ecb:
      return "bf-ecb";
    case Mode::cbc:
      return "bf-cbc";
    case Mode::cfb64:
      return "bf-cfb";
    case Mode::ofb:
      return "bf-ofb";
    case Mode::cfb8:
    case Mode::ctr:
    case Mode::ofb8:
    case Mode::pcbc:
      break;
  }
  throw Error(Errc::usage, "the openssl format has the modes ecb, cbc, cfb and ofb only");
}

std::string derivation_name(const OpensslParameters& parameters) {
  if (parameters.pbkdf2_iterations == 0) return "EVP_BytesToKey with " + upper(parameters.digest);
  return "PBKDF2-HMAC-" + upper(parameters.digest) + ", " + std::to_string(parameters.pbkdf2_iterations) +
         " iterations";
}

void check(const OpensslParameters& parameters) {
  static_cast<void>(cipher_name(parameters.mode));
  if (!auth::digest_exists(parameters.digest))
    throw Error(Errc::usage, "unknown digest '" + parameters.digest + "'");
  if (parameters.key_bytes == 0 || parameters.key_bytes > kMaxOpensslKeyBytes) {
    throw Error(Errc::usage,
                "the openssl format takes keys of 1 to " + std::to_string(kMaxOpensslKeyBytes) + " bytes");
  }
}

std::vector<Candidate> candidates(const OpensslDecryptRequest& request) {
  std::vector<Candidate> all;
  for (const auto& derivation : derivations(request)) {
    for (const auto& mode : modes(request)) {
      for (const auto& key_bytes : key_sizes(request, mode.value)) {
        all.push_back({{mode.value, derivation.value.digest, derivation.value.pbkdf2_iterations,
                        key_bytes.value, request.padded},
                       derivation.prior * mode.prior * key_bytes.prior});
      }
    }
  }
  return all;
}

std::string OpensslParameters::describe() const {
  std::string text = cipher_name(mode) + ", " + derivation_name(*this);
  if (key_bytes != kUsualKeyBytes) text += ", key of " + std::to_string(key_bytes) + " bytes";
  if (key_bytes == kCryptCbcKeyBytes) text += " (Crypt::CBC)";
  if (!padded && mode::is_padded(mode)) text += ", no padding";
  return text;
}

std::string OpensslParameters::flags() const {
  std::string text = "--cipher " + cipher_name(mode) + " --md " + digest;
  text += pbkdf2_iterations == 0 ? " --no-pbkdf2" : " --iter " + std::to_string(pbkdf2_iterations);
  if (key_bytes != kUsualKeyBytes) text += " --key-bytes " + std::to_string(key_bytes);
  if (!padded && mode::is_padded(mode)) text += " --nopad";
  return text;
}

auth::SecretBytes derive_stream(const OpensslParameters& parameters, const auth::SecretBytes& passphrase,
                                std::span<const std::byte> salt, std::size_t bytes) {
  return parameters.pbkdf2_iterations == 0
             ? auth::bytes_to_key(parameters.digest, passphrase, salt, bytes)
             : auth::pbkdf2(parameters.digest, passphrase, salt, parameters.pbkdf2_iterations, bytes);
}

OpensslKey cut_key(const auth::SecretBytes& stream, std::size_t key_bytes) {
  OpensslKey cut;
  cut.key = auth::SecretBytes(stream.span().first(key_bytes));
  std::ranges::copy(stream.span().subspan(key_bytes, cut.iv.size()), cut.iv.begin());
  return cut;
}

OpensslKey derive_openssl_key(const OpensslParameters& parameters, const auth::SecretBytes& passphrase,
                              std::span<const std::byte> salt) {
  check(parameters);
  return cut_key(derive_stream(parameters, passphrase, salt, parameters.key_bytes + core::kBlockBytes),
                 parameters.key_bytes);
}

}  // namespace fugu::format
