#include "fugu/format/judge/story.hpp"

#include <algorithm>

#include "fugu/auth/digest.hpp"
#include "fugu/auth/kdf.hpp"
#include "fugu/format/detail/message.hpp"

namespace fugu::format {
namespace {

auth::SecretBytes md5_chain(std::span<const std::byte> passphrase, std::size_t bytes) {
  auth::Digest md5("md5");
  auth::SecretBytes chain(bytes + md5.size());
  md5.update(passphrase).finish(chain.span());
  for (std::size_t at = md5.size(); at < bytes; at += md5.size())
    md5.update(chain.span().first(at)).finish(chain.span().subspan(at));
  return chain;
}

}  // namespace

auth::SecretBytes derive(const Recipe& recipe, const auth::SecretBytes& secret, const RecipeInput& input,
                         std::size_t bytes) {
  switch (recipe.derivation) {
    case Derivation::bytes_to_key:
      return auth::bytes_to_key(recipe.digest, secret, input.salt, bytes, recipe.iterations);
    case Derivation::pbkdf2:
      return auth::pbkdf2(recipe.digest, secret, input.salt, recipe.iterations, bytes);
    case Derivation::md5_chain:
      return md5_chain(secret.span(), bytes);
    case Derivation::md5_chain_of_cut:
      return md5_chain(first_of(secret.span(), recipe.key_bytes), bytes);
    case Derivation::literal:
      break;
  }
  return auth::SecretBytes(secret.span());
}

mode::Padding end_of(const Recipe& recipe) {
  return mode::keeps_length(recipe.padding) ? recipe.padding : mode::Padding::none;
}

bool decrypt_alike(const Recipe& a, const Recipe& b) {
  return end_of(a) == end_of(b) && a.mode == b.mode && a.words == b.words && a.counter == b.counter;
}

Tried cut(const Recipe& recipe, const std::shared_ptr<const auth::SecretBytes>& stream,
          const RecipeInput& input) {
  Tried made;
  made.recipe = recipe;
  const bool is_literal = recipe.derivation == Derivation::literal;
  made.key =
      is_literal ? stream : std::make_shared<const auth::SecretBytes>(stream->span().first(recipe.key_bytes));
  if (input.iv || !is_literal)
    made.iv = input.iv ? *input.iv : iv_of(stream->span().subspan(recipe.key_bytes));
  return made;
}

Tried keyed(const Recipe& recipe, const auth::SecretBytes& secret, const RecipeInput& input) {
  auth::SecretBytes stream = derive(recipe, secret, input, recipe.key_bytes + core::kBlockBytes);
  return cut(recipe, std::make_shared<const auth::SecretBytes>(std::move(stream)), input);
}

mode::Settings settings_of(const Tried& tried) {
  return {.mode = tried.recipe.mode,
          .padding = end_of(tried.recipe),
          .iv = tried.iv,
          .words = tried.recipe.words,
          .counter = tried.recipe.counter};
}

bool can_have_size(const Recipe& recipe, std::uint64_t bytes) {
  const bool is_any = !mode::is_padded(recipe.mode) && !mode::always_pads(recipe.padding);
  if (mode::steals(recipe.padding)) return bytes >= core::kBlockBytes;
  if (mode::keeps_length(recipe.padding) || is_any) return true;
  return bytes % core::kBlockBytes == 0 && (bytes != 0 || !mode::always_pads(recipe.padding));
}

bool have_one_plaintext(const Tried& a, const Tried& b) {
  return decrypt_alike(a.recipe, b.recipe) && a.iv == b.iv &&
         (a.key == b.key || std::ranges::equal(a.key->span(), b.key->span()));
}

std::span<const std::byte> content_of(const Seen& seen) {
  return std::span(seen.reading->beginning).first(seen.reading->beginning.size() - *seen.taken);
}

bool is_seen_whole(const Tried& tried) {
  return std::ranges::all_of(tried.seen,
                             [](const Seen& seen) { return seen.reading->is_whole && seen.taken; });
}

bool gives_same(const Tried& a, const Tried& b) {
  if (a.is_damaged != b.is_damaged || a.seen.size() != b.seen.size()) return false;
  if (is_seen_whole(a) && is_seen_whole(b))
    return std::ranges::equal(a.seen, b.seen, [](const Seen& x, const Seen& y) {
      return std::ranges::equal(content_of(x), content_of(y));
    });
  return have_one_plaintext(a, b) && std::ranges::equal(a.seen, b.seen, {}, &Seen::taken, &Seen::taken);
}

double lead_of(const Tried& a, const Tried& b) {
  constexpr double kSumsBits = 20, kSumsShare = 0.16;
  const auto sees_end = [](const Tried& one) { return one.seen.front().reading->end.has_value(); };
  const double lead = sees_end(a) == sees_end(b) ? a.bits.all - b.bits.all : a.before_end - b.before_end;
  const bool are_sums = (a.recipe.mode == mode::Mode::pcbc) != (b.recipe.mode == mode::Mode::pcbc);
  return are_sums ? lead - kSumsBits - kSumsShare * std::max(0.0, b.bits.all) : lead;
}

}  // namespace fugu::format
