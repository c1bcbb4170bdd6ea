#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "fugu/engine/engine.hpp"
#include "fugu/format/detail/message.hpp"
#include "fugu/format/detail/recipes.hpp"
#include "fugu/mode/settings.hpp"
#include "fugu/stream/memory.hpp"

namespace fugu::format {
namespace {

using core::kBlockBytes;

// Under a wrong secret the ratio below has mean 1 as that of one message does (story.hpp), so that sums of
// bits mean the same.
constexpr double kDamagedShare = 1.0 / 64;

Tried nothing_seen(const Recipe& recipe) {
  Tried all;
  all.recipe = recipe;
  all.bits = {std::log2(recipe.prior), std::log2(recipe.prior)};
  all.is_damaged = true;
  return all;
}

// What opens again as it did before is no new evidence.
void add(Tried& all, Tried&& one, bool is_repeated) {
  const auto or_damaged = [&](double bits) {
    bits = one.is_damaged ? -INFINITY : bits - std::log2(one.recipe.prior);
    return log2_sum(std::log2(1 - kDamagedShare) + bits, std::log2(kDamagedShare));
  };
  if (!is_repeated || one.is_damaged)
    all.bits = all.bits + Bits{or_damaged(one.bits.all), or_damaged(one.bits.sure)};
  if (one.is_damaged) return;
  all.seen.push_back(std::move(one.seen.front()));
  if (!std::exchange(all.is_damaged, false)) return;
  all.key = std::move(one.key);
  all.iv = one.iv;
}

// All that modes with one key may give to the cipher: blocks, registers of cfb8, and what fresh_of() calls
// the blocks of a keystream.
void add_inputs(const TrialMessage& message, std::span<const Tried> tried, std::set<std::uint64_t>& known) {
  const std::span<const std::byte> data = message.ciphertext;
  const bool is_shifted =
      std::ranges::any_of(tried, [](const Tried& one) { return one.recipe.mode == mode::Mode::cfb8; });
  for (std::size_t at = 0; at < data.size(); at += is_shifted ? 1 : kBlockBytes)
    known.insert(load_big(data.subspan(at, std::min(kBlockBytes, data.size() - at))));
  std::set<mode::Iv> ivs;
  for (const Tried& one : tried) ivs.insert(one.iv);
  for (const mode::Iv& iv : ivs) {
    for (std::size_t block = 0; block * kBlockBytes < data.size(); ++block)
      known.insert(load_big(iv) + block);
    mode::Iv shifted = iv;
    for (std::size_t at = 0; at < std::min(kBlockBytes, data.size()); ++at) {
      std::rotate(shifted.begin(), shifted.begin() + 1, shifted.end());
      shifted.back() = data[at];
      known.insert(load_big(shifted));
    }
  }
}

// Where several are read anyway, they decide more than one has to: equal paddings add up.
bool is_decided(const std::vector<Tried>& all) {
  const Tried& best =
      *std::ranges::max_element(all, [](const Tried& a, const Tried& b) { return is_better(b, a); });
  return is_sufficient({.certain = false, .bits = best.bits.sure}) &&
         std::ranges::none_of(all, [&](const Tried& other) {
           return best.bits.all - other.bits.all < kSufficientEvidenceBits && !gives_same(best, other);
         });
}

// Those that begin as the format's do. If there are none, throws the error of the first.
std::vector<TrialMessage> readable(std::span<const core::WipedBytes> some,
                                   const std::function<RecipeInput(Lookahead&)>& read_input) {
  std::vector<TrialMessage> messages;
  std::exception_ptr failure;
  for (const core::WipedBytes& message : some) {
    stream::MemorySource memory(message);
    Lookahead source(memory);
    try {
      RecipeInput input = read_input(source);
      const auto header_bytes = static_cast<std::size_t>(source.position());
      messages.push_back({std::span(message).subspan(header_bytes), std::move(input)});
    } catch (const Error& error) {
      if (!concerns_input(error)) throw;
      if (!failure) failure = std::current_exception();
    }
  }
  if (messages.empty() && failure) std::rethrow_exception(failure);
  return messages;
}

Verdict choose(std::vector<Tried> all, Lookahead& source, const RecipesOfFormat& how) {
  try {
    if (all.size() == 1) return only_recipe(std::move(all), recipe_name(all.front().recipe), source);
    if (!may_fit(all)) how.refuse(all, source);
    return choose_recipe(std::move(all), how.accepted);
  } catch (const Error&) {
    source.require_no_more();
    throw;
  }
}

class RecipeMessages final : public MessageCipher {
 public:
  RecipeMessages(RecipesOfFormat how, const auth::SecretBytes& secret, std::span<const core::WipedBytes> some)
      : how_(std::move(how)), secret_(secret.span()), recipe_(how_.recipes.front()) {
    if (how_.recipes.size() == 1) return;
    const std::vector<TrialMessage> messages = readable(some, how_.read_input);
    if (messages.empty()) return;
    std::vector<Tried> tried =
        try_recipes(engine::local_engine(), how_.recipes, secret_, messages, /*until_decided=*/true);
    stream::MemorySource memory(messages.front().ciphertext);
    Lookahead first(memory);
    recipe_ = choose(std::move(tried), first, how_).found.recipe;
    found_ = recipe_name(recipe_);
  }

  MessageFindings run(core::WipedBytes& message) const override {
    stream::MemorySource memory(message);
    Lookahead source(memory);
    Tried found = keyed(recipe_, secret_, how_.read_input(source));
    const bool is_independent = source.position() != 0 || mode::is_padded(recipe_.mode);
    message.erase(message.begin(), message.begin() + static_cast<std::ptrdiff_t>(source.position()));
    transform(engine::local_engine(), found.key->span(), settings_of(found), mode::Direction::decrypt,
              message);
    const auto end = std::span(message).last(std::min(message.size(), kBlockBytes));
    const auto bytes = padding_bytes(recipe_.padding, end);
    if (!bytes) throw mode::WrongPadding(mode::Padding::pkcs7);
    found.seen.push_back({nullptr, *bytes});
    message.resize(message.size() - *bytes);
    return {padding_bits(recipe_.padding, *bytes), keeps_all(found, how_.padding_given), is_independent};
  }

  bool has_whole_blocks() const override { return mode::is_padded(recipe_.mode); }
  bool derives_keys() const override { return recipe_.derivation != Derivation::literal; }
  std::string found() const override { return found_; }

 private:
  RecipesOfFormat how_;
  auth::SecretBytes secret_;
  Recipe recipe_;
  std::string found_;
};

}  // namespace

std::vector<Tried> try_recipes(engine::Engine& engine, std::vector<Recipe> recipes,
                               const auth::SecretBytes& secret, std::span<const TrialMessage> messages,
                               bool until_decided) {
  std::vector<Tried> all;
  for (const Recipe& recipe : recipes) all.push_back(nothing_seen(recipe));
  std::map<std::vector<std::byte>, std::set<std::uint64_t>> known_of_salt;  // each gives another key
  for (const TrialMessage& message : messages) {
    stream::MemorySource memory(message.ciphertext);
    Lookahead source(memory);
    RecipeInput input = message.input;
    std::set<std::uint64_t>& known = known_of_salt[input.salt];
    input.known = &known;
    std::vector<Tried> tried = try_in_order(engine, recipes, secret, input, source);
    add_inputs(message, tried, known);
    recipes.resize(tried.size());
    all.resize(tried.size());
    const auto is_this = [&](const TrialMessage& one) {
      return std::ranges::equal(one.ciphertext, message.ciphertext) && one.input.iv == message.input.iv &&
             one.input.salt == message.input.salt;
    };
    const bool is_repeated = &*std::ranges::find_if(messages, is_this) != &message;
    for (std::size_t i = 0; i < all.size(); ++i) add(all[i], std::move(tried[i]), is_repeated);
    if (until_decided && is_decided(all)) break;
  }
  std::erase_if(all, [](const Tried& one) { return one.is_damaged; });  // opens none of the messages
  sort_stories(all);
  return all;
}

Verdict find_recipe(const Job& job, const RecipesOfFormat& how, const RecipeInput& input,
                    const auth::SecretBytes& secret, Lookahead& source) {
  if (job.salvage != nullptr) source.expect_no_more({});
  count_read(job, static_cast<std::size_t>(source.position()));
  return fitting(
      job, [&] { return choose(try_recipes(job.engine, how.recipes, secret, input, source), source, how); });
}

std::unique_ptr<MessageCipher> recipe_messages(RecipesOfFormat how, const auth::SecretBytes& secret,
                                               std::span<const core::WipedBytes> some) {
  return std::make_unique<RecipeMessages>(std::move(how), secret, some);
}

}  // namespace fugu::format
