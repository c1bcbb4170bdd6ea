#include "fugu/format/openssl/detail/trial.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "fugu/error.hpp"
#include "fugu/format/detail/recipe.hpp"
#include "fugu/format/openssl/detail/parameters.hpp"

namespace fugu::format {
namespace {

using core::kBlockBytes;

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

}  // namespace

Tried choose_salted(std::vector<Tried> all, const Lookahead& source, bool accepted) {
  if (!is_weak_match(all.front())) nothing_matches(all, source);
  return choose_recipe(std::move(all), accepted, {describe_salted, salted_flags});
}

Tried only_salted(std::vector<Tried> all) {
  if (all.front().padding == PaddingState::invalid)
    throw Error(Errc::wrong_key,
                "wrong passphrase, or not " + describe_salted(all.front().recipe) + ", or a damaged end");
  return std::move(all.front());
}

void check_size(const std::vector<Recipe>& recipes, const Lookahead& source) {
  const auto bytes = source.bytes_left();
  if (!bytes ||
      std::ranges::any_of(recipes, [&](const Recipe& recipe) { return can_have_size(recipe, *bytes); }))
    return;
  throw Error(Errc::damaged, "the length is not one that " + cipher_name(recipes.front().mode) +
                                 " gives: truncated, or written in another mode");
}

}  // namespace fugu::format
