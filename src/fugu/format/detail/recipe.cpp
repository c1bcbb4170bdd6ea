#include "fugu/format/detail/recipe.hpp"

#include <algorithm>
#include <cmath>

#include "fugu/auth/digest.hpp"
#include "fugu/auth/kdf.hpp"
#include "fugu/error.hpp"
#include "fugu/format/codec.hpp"
#include "fugu/format/detail/filters.hpp"
#include "fugu/format/detail/look_alikes.hpp"
#include "fugu/format/detail/message.hpp"
#include "fugu/format/detail/plausibility.hpp"

namespace fugu::format {
namespace {

using core::kBlockBytes;
using mode::Direction;

// The part of a ciphertext that is readable before all of it is decrypted.
struct View {
  std::span<const std::byte> head;
  bool whole = false;  // head is all of it
  std::optional<std::uint64_t> size_bytes;
  std::optional<std::array<std::byte, 2 * kBlockBytes>> last_two;  // its last two blocks
};

View look_at(Lookahead& source) {
  View view;
  std::array<std::byte, 2 * kBlockBytes> last_two;
  view.head = source.peek(kLookaheadBytes);
  view.size_bytes = source.bytes_left();
  view.whole = view.size_bytes == view.head.size();
  if (source.peek_end(last_two)) view.last_two = last_two;
  return view;
}

auth::SecretBytes md5_chain(const auth::SecretBytes& passphrase, std::size_t bytes) {
  auth::Digest md5("md5");
  auth::SecretBytes chain(bytes + md5.size());
  md5.update(passphrase.span()).finish(chain.span());
  for (std::size_t at = md5.size(); at < bytes; at += md5.size())
    md5.update(chain.span().first(at)).finish(chain.span().subspan(at));
  return chain;
}

// The bytes from which the key and then the IV are cut. A shorter stream is a prefix of a longer one.
auth::SecretBytes derive(const Recipe& recipe, const auth::SecretBytes& secret, const RecipeInput& input,
                         std::size_t bytes) {
  switch (recipe.derivation) {
    case Derivation::bytes_to_key:
      return auth::bytes_to_key(recipe.digest, secret, input.salt, bytes, recipe.iterations);
    case Derivation::pbkdf2:
      return auth::pbkdf2(recipe.digest, secret, input.salt, recipe.iterations, bytes);
    case Derivation::md5_chain:
      return md5_chain(secret, bytes);
    case Derivation::md5_chain_of_cut:
      return md5_chain(auth::SecretBytes(secret.span().first(std::min(secret.size(), recipe.key_bytes))),
                       bytes);
    case Derivation::literal:
      break;
  }
  return auth::SecretBytes(secret.span());
}

bool same_derivation(const Recipe& a, const Recipe& b) {
  const bool same_cut = a.derivation != Derivation::md5_chain_of_cut || a.key_bytes == b.key_bytes;
  return a.derivation == b.derivation && a.digest == b.digest && a.iterations == b.iterations && same_cut;
}

// Whether the last block is evidence. In modes that need no padding, a padding that may be absent is hardly
// any.
bool shows_padding(const Recipe& recipe) {
  return mode::is_padded(recipe.mode) || mode::always_pads(recipe.padding);
}

// Whether the plaintext of two recipes of one key and IV is the same but for its padding.
bool decrypt_alike(const Recipe& a, const Recipe& b) {
  return a.mode == b.mode && a.words == b.words && a.counter == b.counter;
}

// Whether the last block can only be decrypted with all data before it. Noise is not worth that but in pcbc:
// a pcbc file may look right in cbc, and its padding shows the truth.
bool is_known_from_begin(mode::Mode mode) {
  using mode::Mode;
  return mode == Mode::pcbc || mode == Mode::ofb || mode == Mode::ofb8 || mode == Mode::ctr;
}

// Judges the recipes of one key, which differ in mode and padding.
class Judge {
 public:
  Judge(engine::Engine& engine, const View& view, const auth::SecretBytes& key)
      : engine_(engine), view_(view), schedule_(schedule_of(key.span())) {}

  void operator()(Tried& tried) {
    tried.bits = std::log2(tried.recipe.prior);
    const bool is_decrypted = judged_ && decrypt_alike(*judged_, tried.recipe) &&
                              shows_padding(*judged_) == shows_padding(tried.recipe);
    if (!is_decrypted) decrypt_ends(tried);
    judge_padding(tried);
    if (view_.size_bytes && !can_have_size(tried.recipe, *view_.size_bytes))
      tried.padding = PaddingState::invalid;
    tried.beginning = beginning_;
    tried.is_all = view_.whole && view_.head.size() <= kPlausibilityBytes;
    if (tried.is_all && tried.padding == PaddingState::valid)
      tried.beginning.resize(tried.beginning.size() - tried.padding_bytes);
    tried.bits += plausibility_bits(tried.beginning);
  }

 private:
  void decrypt_ends(const Tried& tried) {
    judged_ = tried.recipe;
    const bool is_padded = mode::is_padded(tried.recipe.mode);
    std::size_t bytes = std::min(view_.head.size(), kPlausibilityBytes);
    if (is_padded) bytes -= bytes % kBlockBytes;
    beginning_ = decrypt(tried, view_.head.first(bytes), tried.iv);
    const bool is_whole = view_.size_bytes.value_or(0) % kBlockBytes == 0;
    last_block_ = shows_padding(tried.recipe) && is_whole ? last_block(tried) : std::nullopt;
  }

  void judge_padding(Tried& tried) const {
    if (!last_block_) return;
    const std::optional<std::size_t> bytes = padding_bytes(tried.recipe.padding, *last_block_);
    tried.padding = bytes ? PaddingState::valid : PaddingState::invalid;
    tried.padding_bytes = bytes.value_or(0);
    tried.bits += bits_of_padding(tried.recipe.padding, tried.padding_bytes);
  }

  // The last block's plaintext; nullopt if it is not readable, empty if there is no block.
  std::optional<core::WipedBytes> last_block(const Tried& tried) const {
    const bool takes_all = is_known_from_begin(tried.recipe.mode);
    const bool is_noise = view_.head.size() > kPlausibilityBytes && plausibility_bits(beginning_) < 1;
    if (takes_all && is_noise && tried.recipe.mode != mode::Mode::pcbc) return std::nullopt;
    if (view_.whole && (takes_all || view_.head.size() < 2 * kBlockBytes)) {
      core::WipedBytes all = decrypt(tried, view_.head, tried.iv);
      const std::size_t before = all.size() - std::min(all.size(), kBlockBytes);
      all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(before));
      return all;
    }
    if (!view_.last_two || takes_all) return std::nullopt;
    return decrypt(tried, std::span(*view_.last_two).last(kBlockBytes), iv_of(*view_.last_two));
  }

  core::WipedBytes decrypt(const Tried& tried, std::span<const std::byte> ciphertext,
                           const mode::Iv& iv) const {
    return decrypted(engine_, schedule_, tried, ciphertext, iv);
  }

  engine::Engine& engine_;
  const View& view_;
  cipher::Schedule schedule_;
  std::optional<Recipe> judged_;  // the one with which the two below were decrypted
  core::WipedBytes beginning_;
  std::optional<core::WipedBytes> last_block_;
};

// Enough to decrypt without asking the user.
bool is_sufficient_match(const Tried& tried) {
  return is_possible(tried) && is_sufficient({.certain = false, .bits = tried.bits});
}

// Whether the secret may be right: the recipe is possible and its bits are worth a hint.
bool is_weak_match(const Tried& tried) {
  return is_possible(tried) && tried.bits >= kWeakMatchBits;
}

// Where the content looks like noise, one byte of padding may be the only sign of the right secret.
bool fits_by_padding(const Tried& tried) {
  return tried.padding == PaddingState::valid && mode::always_pads(tried.recipe.padding) &&
         tried.bits >= kUsualRecipeBits;
}

void cut(const auth::SecretBytes& stream, const RecipeInput& input, Tried& tried) {
  const std::size_t key_bytes =
      tried.recipe.derivation == Derivation::literal ? stream.size() : tried.recipe.key_bytes;
  tried.key = auth::SecretBytes(stream.span().first(key_bytes));
  if (input.iv) {
    tried.iv = *input.iv;
  } else if (tried.recipe.derivation != Derivation::literal) {
    tried.iv = iv_of(stream.span().subspan(key_bytes));
  }
}

}  // namespace

mode::Settings settings_of(const Tried& tried) {
  return {.mode = tried.recipe.mode,
          .padding = mode::Padding::none,
          .iv = tried.iv,
          .words = tried.recipe.words,
          .counter = tried.recipe.counter};
}

bool is_possible(const Tried& tried) {
  return tried.padding != PaddingState::invalid;
}

bool have_one_key_and_iv(const Tried& a, const Tried& b) {
  return a.iv == b.iv && std::ranges::equal(a.key.span(), b.key.span());
}

bool have_one_plaintext(const Tried& a, const Tried& b) {
  return decrypt_alike(a.recipe, b.recipe) && have_one_key_and_iv(a, b);
}

double bits_of_padding(TailPadding padding, std::size_t bytes) {
  if (padding == TailPadding::none || padding == TailPadding::residual) return 0;
  return 8.0 * static_cast<double>(padding == TailPadding::iso10126 ? 1 : bytes) - 3;
}

core::WipedBytes decrypted(engine::Engine& engine, const cipher::Schedule& schedule, const Tried& tried,
                           std::span<const std::byte> ciphertext, const mode::Iv& iv) {
  mode::Settings settings = settings_of(tried);
  settings.iv = iv;
  core::WipedBytes bytes(ciphertext.begin(), ciphertext.end());
  transform(engine, schedule, settings, Direction::decrypt, bytes);
  return bytes;
}

bool can_have_size(const Recipe& recipe, std::uint64_t bytes) {
  if (recipe.padding == TailPadding::residual || !shows_padding(recipe)) return true;
  return bytes % kBlockBytes == 0 && (bytes != 0 || !mode::always_pads(recipe.padding));
}

std::vector<Tried> try_in_order(engine::Engine& engine, const std::vector<Recipe>& recipes,
                                const auth::SecretBytes& secret, const RecipeInput& input,
                                Lookahead& source) {
  const View view = look_at(source);
  std::size_t longest_key = 0;
  for (const Recipe& recipe : recipes) longest_key = std::max(longest_key, recipe.key_bytes);
  std::vector<Tried> all;
  auth::SecretBytes stream;  // PBKDF2 is slow on purpose: once for all recipes that share it
  std::optional<Judge> judge;
  for (const Recipe& recipe : recipes) {
    const bool is_derived = !all.empty() && same_derivation(all.back().recipe, recipe);
    if (!is_derived) {
      if (recipe.iterations > kDearIterations && std::ranges::any_of(all, is_sufficient_match)) break;
      stream = derive(recipe, secret, input, longest_key + kBlockBytes);
    }
    Tried tried;
    tried.recipe = recipe;
    cut(stream, input, tried);
    if (!is_derived || all.back().recipe.key_bytes != recipe.key_bytes)
      judge.emplace(engine, view, tried.key);
    (*judge)(tried);
    all.push_back(std::move(tried));
  }
  weigh_look_alikes(engine, view.head, all);
  return all;
}

std::vector<Tried> try_recipes(engine::Engine& engine, const std::vector<Recipe>& recipes,
                               const auth::SecretBytes& secret, const RecipeInput& input, Lookahead& source) {
  std::vector<Tried> all = try_in_order(engine, recipes, secret, input, source);
  std::ranges::stable_sort(all, is_better);
  return all;
}

Tried keyed(const Recipe& recipe, const auth::SecretBytes& secret, const RecipeInput& input) {
  Tried made;
  made.recipe = recipe;
  cut(derive(recipe, secret, input, recipe.key_bytes + kBlockBytes), input, made);
  return made;
}

bool is_better(const Tried& a, const Tried& b) {
  return is_possible(a) != is_possible(b) ? is_possible(a) : a.bits > b.bits;
}

bool gives_same(const Tried& a, const Tried& b) {
  if (a.is_all && b.is_all) return a.beginning == b.beginning;
  return have_one_plaintext(a, b) && a.padding == b.padding && a.padding_bytes == b.padding_bytes;
}

void seal_recipe(const Job& job, const Recipe& recipe, const auth::SecretBytes& secret,
                 const RecipeInput& input) {
  const Tried made = keyed(recipe, secret, input);
  mode::Settings settings = settings_of(made);
  settings.padding = mode::Padding::pkcs7;
  run_cipher(job, made.key.span(), settings, Direction::encrypt);
}

void run_recipe(const Job& job, const Tried& found) {
  const TailPadding padding = found.recipe.padding;
  const auto sink = hold_back(job.sink, kBlockBytes, [padding](std::span<const std::byte> tail) {
    const std::optional<std::size_t> bytes = padding_bytes(padding, tail);
    if (!bytes) throw Error(Errc::wrong_key, "the padding is not valid: wrong passphrase, or damaged data");
    return tail.size() - *bytes;
  });
  const bool takes_off = padding != TailPadding::none;
  run_cipher(with_sink(job, takes_off ? *sink : job.sink), found.key.span(), settings_of(found),
             Direction::decrypt);
}

bool may_fit(const std::vector<Tried>& all) {
  return is_weak_match(all.front()) || std::ranges::any_of(all, fits_by_padding);
}

Tried choose_recipe(std::vector<Tried> all, bool accepted, const RecipeNames& names) {
  const bool shows_more = is_weak_match(all.front());
  std::erase_if(all,
                [&](const Tried& tried) { return !(shows_more ? is_weak_match : fits_by_padding)(tried); });
  Tried& best = all.front();
  const auto named = [&](const Tried& tried) {
    return names.describe(tried.recipe) + (shows_more ? "" : " by its padding alone");
  };
  for (std::size_t i = 1; i < all.size(); ++i) {
    const Tried& other = all[i];
    if (best.bits - other.bits >= kNeededLeadBits) break;
    if (gives_same(best, other)) continue;
    throw Error(Errc::unknown_format, "the passphrase fits " + named(best) + " and also " + named(other) +
                                          "; give " + names.flags(best.recipe) + ", or " +
                                          names.flags(other.recipe));
  }
  if (!is_sufficient({.certain = false, .bits = best.bits}) && !accepted)
    throw Error(Errc::unknown_format,
                "the passphrase fits " + named(best) +
                    ", but a wrong one could by chance; if these are the parameters, give " +
                    names.flags(best.recipe) + ", or --yes");
  return std::move(best);
}

}  // namespace fugu::format
