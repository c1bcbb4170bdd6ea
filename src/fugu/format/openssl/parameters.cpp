#include "fugu/format/openssl/detail/parameters.hpp"

#include <algorithm>
#include <cctype>

#include "fugu/error.hpp"
#include "fugu/format/detail/crypt_cbc.hpp"
#include "fugu/format/detail/message.hpp"

namespace fugu::format {
namespace {

using mode::Mode;

constexpr std::size_t kUsualKeyBytes = 16;
constexpr std::size_t kShortKeyBytes = 8;

// For files that begin with "Salted__".
constexpr double kOpensslPrior = 0.8;

struct DerivationGuess {
  std::string digest;
  std::uint32_t pbkdf2_iterations;
  double prior;            // among those of openssl enc
  double crypt_cbc_prior;  // among those of Crypt::CBC
};

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

// The usual ones first: the defaults of OpenSSL since 1.1.0, of OpenSSL before, and of -pbkdf2; then explicit
// choices. Crypt::CBC has EVP_BytesToKey with MD5 and SHA-256 only.
std::vector<DerivationGuess> derivations(const OpensslDecryptRequest& request) {
  const std::optional<std::uint32_t> iterations = request.pbkdf2_iterations;
  const std::string digest = request.digest.value_or("sha256");
  const bool has_bytes_to_key = digest == "sha256" || digest == "md5";
  if (request.digest && iterations)
    return {{digest, *iterations, 1, *iterations != 0 || has_bytes_to_key ? 1.0 : 0.0}};
  if (request.digest) {
    const double share = has_bytes_to_key ? 0.5 : 0;
    return {{digest, 0, 0.5, share}, {digest, kDefaultPbkdf2Iterations, 0.5, 1 - share}};
  }
  if (iterations == 0u)
    return {{"sha256", 0, 0.45, 0.25}, {"md5", 0, 0.45, 0.75}, {"sha1", 0, 0.05, 0}, {"sha512", 0, 0.05, 0}};
  if (iterations) return {{"sha256", *iterations, 1, 1}};
  return {{"sha256", 0, 0.28, 0.13},
          {"md5", 0, 0.28, 0.45},
          {"sha256", kDefaultPbkdf2Iterations, 0.28, 0.3},
          {"sha1", 0, 0.04, 0},
          {"sha512", 0, 0.04, 0},
          {"sha1", kDefaultPbkdf2Iterations, 0, 0.04},
          {"sha256", 1'000, 0.03, 0.03},
          {"sha256", 100'000, 0.03, 0.03},
          {"sha256", 600'000, 0.02, 0.02}};
}

std::vector<Guess<Mode>> modes(const OpensslDecryptRequest& request) {
  if (request.mode) return {{*request.mode, 1}};
  return {{Mode::cbc, 0.6}, {Mode::ecb, 0.1}, {Mode::cfb64, 0.15}, {Mode::ofb, 0.15}};
}

// When all parameters of `openssl enc` are given, nothing else is tried.
std::vector<Guess<std::size_t>> key_sizes(const OpensslDecryptRequest& request, Mode mode) {
  if (request.key_bytes) return {{*request.key_bytes, 1}};
  if (request.mode && derivations(request).size() == 1) return {{kUsualKeyBytes, 1}};
  if (mode::is_padded(mode)) return {{kUsualKeyBytes, 1}};
  return {{kUsualKeyBytes, 0.75}, {kShortKeyBytes, 0.25}};
}

// A user who names a cipher of openssl, or leaves out salt or padding, means openssl.
bool may_be_crypt_cbc(const OpensslDecryptRequest& request) {
  return !request.mode && request.padded && request.salt_place == SaltPlace::header;
}

void add_openssl_recipes(const OpensslDecryptRequest& request, const Recipe& derivation,
                         std::vector<Recipe>& into) {
  Recipe recipe = derivation;
  for (const auto& mode : modes(request)) {
    for (const auto& key_bytes : key_sizes(request, mode.value)) {
      recipe.mode = mode.value;
      recipe.padding = request.padded && mode::is_padded(mode.value) ? TailPadding::pkcs7 : TailPadding::none;
      recipe.key_bytes = key_bytes.value;
      recipe.prior = derivation.prior * mode.prior * key_bytes.prior;
      into.push_back(recipe);
    }
  }
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
  if (parameters.pbkdf2_iterations == 0) {
    const std::uint32_t count = parameters.bytes_to_key_count;
    return "EVP_BytesToKey with " + upper(parameters.digest) +
           (count == 1 ? "" : ", " + std::to_string(count) + " iterations");
  }
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

std::vector<Recipe> openssl_recipes(const OpensslDecryptRequest& request) {
  const double openssl_prior = may_be_crypt_cbc(request) ? kOpensslPrior : 1;
  std::vector<Recipe> all;
  for (const DerivationGuess& guess : derivations(request)) {
    Recipe recipe{
        .derivation = guess.pbkdf2_iterations == 0 ? Derivation::bytes_to_key : Derivation::pbkdf2,
        .digest = guess.digest,
        .iterations = guess.pbkdf2_iterations == 0 ? request.bytes_to_key_count : guess.pbkdf2_iterations,
        .prior = guess.prior * openssl_prior};
    if (guess.prior != 0) add_openssl_recipes(request, recipe, all);
    recipe.prior = guess.crypt_cbc_prior * (1 - openssl_prior);
    if (recipe.prior != 0) add_crypt_cbc_recipes(recipe, {.key_bytes = request.key_bytes}, all);
  }
  return all;
}

OpensslParameters parameters_of(const Recipe& recipe) {
  const bool is_pbkdf2 = recipe.derivation == Derivation::pbkdf2;
  return {.mode = recipe.mode,
          .digest = recipe.digest,
          .pbkdf2_iterations = is_pbkdf2 ? recipe.iterations : 0,
          .key_bytes = recipe.key_bytes,
          .padded = recipe.padding == TailPadding::pkcs7 || !mode::is_padded(recipe.mode),
          .bytes_to_key_count = is_pbkdf2 ? 1 : recipe.iterations};
}

std::string describe_salted(const Recipe& recipe) {
  return recipe.is_crypt_cbc ? describe_crypt_cbc(recipe) : parameters_of(recipe).describe();
}

std::string salted_flags(const Recipe& recipe) {
  return recipe.is_crypt_cbc ? crypt_cbc_flags(recipe) : parameters_of(recipe).flags();
}

std::string OpensslParameters::describe() const {
  std::string text = cipher_name(mode) + ", " + derivation_name(*this);
  if (key_bytes != kUsualKeyBytes) text += ", key of " + std::to_string(key_bytes) + " bytes";
  if (!padded && mode::is_padded(mode)) text += ", no padding";
  return text;
}

std::string OpensslParameters::flags() const {
  std::string text = "--cipher " + cipher_name(mode) + " --md " + digest;
  if (pbkdf2_iterations == 0) text += " --no-pbkdf2";
  if (pbkdf2_iterations != 0 || bytes_to_key_count != 1)
    text += " --iter " + std::to_string(pbkdf2_iterations != 0 ? pbkdf2_iterations : bytes_to_key_count);
  if (key_bytes != kUsualKeyBytes) text += " --key-bytes " + std::to_string(key_bytes);
  if (!padded && mode::is_padded(mode)) text += " --nopad";
  return text;
}

OpensslKey derive_openssl_key(const OpensslParameters& parameters, const auth::SecretBytes& passphrase,
                              std::span<const std::byte> salt) {
  check(parameters);
  const std::size_t bytes = parameters.key_bytes + core::kBlockBytes;
  const auth::SecretBytes stream =
      parameters.pbkdf2_iterations == 0
          ? auth::bytes_to_key(parameters.digest, passphrase, salt, bytes, parameters.bytes_to_key_count)
          : auth::pbkdf2(parameters.digest, passphrase, salt, parameters.pbkdf2_iterations, bytes);
  return {auth::SecretBytes(stream.span().first(parameters.key_bytes)),
          iv_of(stream.span().subspan(parameters.key_bytes))};
}

}  // namespace fugu::format
