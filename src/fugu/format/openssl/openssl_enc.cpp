#include "fugu/format/openssl/openssl_enc.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "fugu/auth/random.hpp"
#include "fugu/error.hpp"
#include "fugu/format/detail/crypt_cbc.hpp"
#include "fugu/format/detail/lookahead.hpp"
#include "fugu/format/openssl/detail/parameters.hpp"

namespace fugu::format {
namespace {

using core::kBlockBytes;

mode::Settings settings_of(const OpensslParameters& parameters, const mode::Iv& iv) {
  return {.mode = parameters.mode,
          .padding = parameters.padded ? mode::Padding::pkcs7 : mode::Padding::none,
          .iv = iv};
}

std::span<const std::byte> bytes_of(const std::optional<Salt>& salt) {
  return salt ? std::span<const std::byte>(*salt) : std::span<const std::byte>{};
}

std::optional<Salt> salt_to_encrypt(const OpensslEncryptRequest& request) {
  if (request.salt_place == SaltPlace::none) {
    if (request.salt) throw Error(Errc::usage, "a salt and no salt cannot be combined");
    return std::nullopt;
  }
  if (request.salt) return request.salt;
  if (request.salt_place == SaltPlace::given) throw Error(Errc::usage, "the salt is missing");
  Salt salt;
  auth::random_bytes(salt);
  return salt;
}

Salt parse_header(std::span<const std::byte> header) {
  const std::string_view text(reinterpret_cast<const char*>(header.data()), header.size());
  const std::string_view magic(kSaltedMagic.data(), kSaltedMagic.size());
  if (text.starts_with("U2FsdGVkX1")) throw Error(Errc::unknown_format, "this is base64: give -a");
  if (text.empty()) throw Error(Errc::damaged, "the input is empty");
  if (!text.starts_with(magic.substr(0, text.size()))) {
    throw Error(
        Errc::unknown_format,
        "no 'Salted__' at the beginning: not written by openssl enc with a salt; if it was written without a "
        "header, give --nosalt or --salt");
  }
  if (header.size() < kSaltedHeaderBytes) throw Error(Errc::damaged, "the input ends inside the salt");
  Salt salt;
  std::ranges::copy(header.last(salt.size()), salt.begin());
  return salt;
}

std::optional<Salt> salt_to_decrypt(const Job& job, Lookahead& source, const OpensslDecryptRequest& request) {
  if (request.salt && request.salt_place != SaltPlace::given) {
    throw Error(Errc::usage,
                "a given salt and " +
                    std::string(request.salt_place == SaltPlace::none ? "no salt" : "a salt in the header") +
                    " cannot be combined");
  }
  if (request.salt_place == SaltPlace::none) return std::nullopt;
  if (request.salt_place == SaltPlace::given) {
    if (!request.salt) throw Error(Errc::usage, "the salt is missing");
    return request.salt;
  }
  const Salt salt = parse_header(source.peek(kSaltedHeaderBytes));
  source.skip(kSaltedHeaderBytes);
  source.expect_no_more({kSaltedMagic.data(), kSaltedMagic.size()});
  count_read(job, kSaltedHeaderBytes);
  return salt;
}

OpensslDecryption decryption_of(const Tried& found, bool by_trial) {
  OpensslDecryption decryption;
  decryption.description = describe_salted(found.recipe);
  decryption.parameters = parameters_of(found.recipe);
  decryption.by_trial = by_trial;
  decryption.evidence_bits = std::max(0.0, found.bits);
  if (!found.recipe.is_crypt_cbc) {
    // A guess at a mode without padding keeps the input: nothing shows the end of the data.
    decryption.all_content = !by_trial || mode::is_padded(found.recipe.mode);
    return decryption;
  }
  decryption.all_content = crypt_cbc_keeps_all(found, false);
  decryption.notes = crypt_cbc_notes(found, false);
  return decryption;
}

// For callers other than run_recipe(), which alone implements the other paddings.
void require_openssl_padding(const Tried& found, const char* who) {
  if (found.recipe.is_crypt_cbc && found.recipe.padding != TailPadding::pkcs7)
    throw Error(Errc::usage, std::string(who) + " knows nothing of the paddings of Crypt::CBC");
}

void run_found(const Job& job, const Tried& found) {
  if (found.recipe.is_crypt_cbc && job.watcher == nullptr) return run_recipe(job, found);
  require_openssl_padding(found, "--openssl");
  const mode::Settings settings = settings_of(parameters_of(found.recipe), found.iv);
  run_cipher(job, found.key.span(), settings, core::Direction::decrypt);
}

std::string joined(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : "; ") + name;
  return text;
}

// "bf-cbc; bf-ecb, each under EVP_BytesToKey with SHA256; ...": in a fixed order, whichever came nearest.
std::string what_was_tried(const std::vector<Tried>& all) {
  std::set<std::string> ciphers;
  std::set<std::string> derivations;
  for (const Tried& tried : all) {
    if (tried.recipe.is_crypt_cbc) continue;
    ciphers.insert(cipher_name(tried.recipe.mode));
    derivations.insert(derivation_name(parameters_of(tried.recipe)));
  }
  return joined(ciphers) + ", each under " + joined(derivations);
}

// Blowfish has blocks of 8 bytes, AES and most other ciphers of 16.
std::string_view what_the_length_says(const Lookahead& source) {
  const auto bytes = source.bytes_left();
  if (!bytes) return "";
  if (*bytes % kBlockBytes != 0) return "; bf-cbc and bf-ecb cannot have this length";
  return *bytes % (2 * kBlockBytes) == 0 ? "; perhaps AES or another cipher" : "";
}

// The options that add untried parameters, or leave nothing to try.
std::string what_decides(const std::vector<Tried>& all) {
  std::string text = "--cipher, --md and --pbkdf2, --iter or --no-pbkdf2";
  if (std::ranges::any_of(all, [](const Tried& tried) { return tried.recipe.is_crypt_cbc; }))
    text +=
        ", or where Perl's Crypt::CBC wrote it --format cryptcbc and --pbkdf, --md, --iter, --key-bytes, "
        "--mode and --pad";
  return text;
}

[[noreturn]] void nothing_matches(const std::vector<Tried>& all, const Lookahead& source) {
  if (source.bytes_left() == std::uint64_t{0}) {
    throw Error(Errc::unknown_format,
                "nothing stands after the salt: truncated, or written of nothing in a mode without padding; "
                "give " +
                    what_decides(all));
  }
  const std::string tried = "tried " + what_was_tried(all);
  const bool is_padded = std::ranges::any_of(all, [](const Tried& t) {
    return mode::is_padded(t.recipe.mode) && t.recipe.padding == TailPadding::pkcs7;
  });
  if (is_padded && !source.bytes_left()) {
    throw Error(
        Errc::unknown_format,
        "the beginning does not tell whether passphrase and parameters are right, and a pipe's end cannot be "
        "seen in advance (" +
            tried + "); give a file, or " + what_decides(all));
  }
  throw Error(Errc::wrong_key, std::string("wrong passphrase, or parameters that were not tried (") + tried +
                                   std::string(what_the_length_says(source)) +
                                   "); if the passphrase is right, give " + what_decides(all));
}

// The element of `all`, the result of try_recipes(), to decrypt `source` with. `accepted` allows weak
// evidence.
Tried choose_salted(std::vector<Tried> all, const Lookahead& source, bool accepted) {
  if (!is_weak_match(all.front())) nothing_matches(all, source);
  return choose_recipe(std::move(all), accepted, {describe_salted, salted_flags});
}

// The only recipe, unless the padding rules it out.
Tried only_salted(std::vector<Tried> all) {
  if (all.front().padding == PaddingState::invalid)
    throw Error(Errc::wrong_key,
                "wrong passphrase, or not " + describe_salted(all.front().recipe) + ", or a damaged end");
  return std::move(all.front());
}

// Throws Error{damaged} if no recipe gives a ciphertext of this size.
void check_size(const std::vector<Recipe>& recipes, const Lookahead& source) {
  const auto bytes = source.bytes_left();
  if (!bytes ||
      std::ranges::any_of(recipes, [&](const Recipe& recipe) { return can_have_size(recipe, *bytes); }))
    return;
  throw Error(Errc::damaged, "the length is not one that " + cipher_name(recipes.front().mode) +
                                 " gives: truncated, or written in another mode");
}

struct Found {
  Tried tried;
  bool by_trial = false;
};

// Leaves `source` after the header.
Found find(const Job& job, Lookahead& source, const OpensslDecryptRequest& request, const AskSecret& ask) {
  const std::vector<Recipe> recipes = openssl_recipes(request);
  for (const Recipe& recipe : recipes) {
    if (!recipe.is_crypt_cbc) check(parameters_of(recipe));
  }
  const std::optional<Salt> salt = salt_to_decrypt(job, source, request);
  const auth::SecretBytes& passphrase = ask(SecretKind::passphrase);
  static_cast<void>(source.peek(kLookaheadBytes));
  check_size(recipes, source);

  RecipeInput input;
  if (salt) input.salt.assign(salt->begin(), salt->end());
  std::vector<Tried> tried = try_recipes(job.engine, recipes, passphrase, input, source);
  try {
    if (recipes.size() > 1)
      return {choose_salted(std::move(tried), source, request.accept_weak_evidence), true};
    return {only_salted(std::move(tried)), false};
  } catch (const Error&) {
    source.require_no_more();
    throw;
  }
}

}  // namespace

UnitPlan plan_encryption(const OpensslEncryptRequest& request, const auth::SecretBytes& passphrase) {
  const std::optional<Salt> salt = salt_to_encrypt(request);
  OpensslKey key = derive_openssl_key(request.parameters, passphrase, bytes_of(salt));
  UnitPlan plan{.direction = core::Direction::encrypt,
                .settings = settings_of(request.parameters, key.iv),
                .key = std::move(key.key)};
  if (request.salt_place != SaltPlace::header) return plan;
  const auto magic = std::as_bytes(std::span(kSaltedMagic));
  plan.header.assign(magic.begin(), magic.end());
  plan.header.insert(plan.header.end(), salt->begin(), salt->end());
  return plan;
}

void encrypt_openssl(const Job& job, const OpensslEncryptRequest& request,
                     const auth::SecretBytes& passphrase) {
  const UnitPlan plan = plan_encryption(request, passphrase);
  if (!plan.header.empty()) write_counted(job, plan.header);
  run_cipher(job, plan.key.span(), plan.settings, core::Direction::encrypt);
}

UnitPlan plan_decryption(const Job& job, const OpensslDecryptRequest& request, const AskSecret& ask,
                         OpensslDecryption& decryption) {
  Lookahead source(job.source);
  const auto head = source.peek(kSaltedHeaderBytes);
  std::vector<std::byte> header(head.begin(), head.end());
  const Found found = find(job, source, request, ask);
  require_openssl_padding(found.tried, "work in parts");
  source.require_no_more();  // the parts are not searched
  header.resize(static_cast<std::size_t>(source.position()));
  decryption = decryption_of(found.tried, found.by_trial);
  return {.direction = core::Direction::decrypt,
          .header = std::move(header),
          .settings = settings_of(decryption.parameters, found.tried.iv),
          .key = auth::SecretBytes(found.tried.key.span())};
}

OpensslDecryption decrypt_openssl(const Job& job, const OpensslDecryptRequest& request,
                                  const auth::SecretBytes& passphrase) {
  return decrypt_openssl(job, request, AskSecret(SecretKind::passphrase, passphrase));
}

OpensslDecryption decrypt_openssl(const Job& job, const OpensslDecryptRequest& request,
                                  const AskSecret& ask) {
  Lookahead source(job.source);
  const Found found = find(job, source, request, ask);
  run_found({job.engine, source, job.sink, job.chunk_bytes, job.counters, job.watcher, job.stop},
            found.tried);
  return decryption_of(found.tried, found.by_trial);
}

}  // namespace fugu::format
