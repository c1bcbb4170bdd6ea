#include "fugu/format/guess/guess.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "fugu/engine/local_engine.hpp"
#include "fugu/error.hpp"
#include "fugu/format/detail/message.hpp"
#include "fugu/format/detail/plausibility.hpp"
#include "fugu/format/guess/detail/axes.hpp"
#include "fugu/format/raw/raw.hpp"
#include "fugu/stream/memory.hpp"

namespace fugu::format {
namespace {

using core::kBlockBytes;

// Five characters per byte: \x41 and line ends.
constexpr std::size_t kTextBytes = 5 * kGuessBytes;
constexpr std::size_t kMostGuesses = 10;
constexpr double kTextBits = 8;
constexpr std::array kWords{std::pair{core::ByteOrder::big, 0.85}, std::pair{core::ByteOrder::little, 0.15}};

// A recipe that may be the one.
struct Candidate {
  Tried tried;
  Fit guess;
  std::size_t input = 0;  // which input it was tried on
};

// The beginning of longer data: where they end is not known.
class Beginning final : public stream::Source {
 public:
  explicit Beginning(std::span<const std::byte> data) : data_(data) {}
  std::size_t read(std::span<std::byte> into) override { return data_.read(into); }

 private:
  stream::MemorySource data_;
};

// Whether the ciphertext itself comes out, as from a register of zeros whose encryption begins with one: if
// that is text, it proves nothing.
bool shows(const Tried& tried, std::span<const std::byte> ciphertext) {
  const std::size_t bytes = std::min({tried.beginning.size(), ciphertext.size(), kBlockBytes});
  return bytes != 0 && std::ranges::equal(std::span(tried.beginning).first(bytes), ciphertext.first(bytes));
}

// Tries recipes and collects those that are possible.
class Trials {
 public:
  explicit Trials(const GuessGiven& given) : given_(given) {}

  void with_key(const Spelled& spelled, const std::vector<GuessedKey>& keys) {
    for (const GuessedIv& origin : ivs(given_.iv)) {
      for (const GuessedKey& key : keys) {
        for (const auto& [words, prior] : kWords) try_raw(spelled, origin, key, words, prior);
      }
      ++input_;
    }
  }

  void with_passphrase(const Spelled& spelled, const auth::SecretBytes& passphrase) {
    for (const GuessedSalt& salt : salts(spelled.data, given_.salt)) {
      std::vector<Recipe> recipes = salt.recipes;
      for (Recipe& recipe : recipes) recipe.prior *= spelled.prior;
      run(spelled, salt.header_bytes, recipes, passphrase, salt.input, [&](const Tried& tried) {
        return fit(joined(spelled.options, passphrase_options(tried.recipe, salt)));
      });
      ++input_;
    }
  }

  std::size_t tried() const { return tried_; }
  std::vector<Candidate> take() { return std::move(candidates_); }

 private:
  static Fit fit(std::string options, std::string key_prefix = {}, std::string remark = {}) {
    Fit one;
    one.options = std::move(options);
    one.key_prefix = std::move(key_prefix);
    one.remark = std::move(remark);
    return one;
  }

  static std::string joined(const std::string& a, const std::string& b) {
    return a.empty() || b.empty() ? a + b : a + " " + b;
  }

  void try_raw(const Spelled& spelled, const GuessedIv& origin, const GuessedKey& key, core::ByteOrder words,
               double prior) {
    const std::size_t before = origin.origin == IvOrigin::prefix ? kBlockBytes : 0;
    if (spelled.data.size() <= before) return;
    RecipeInput input{.salt = {}, .iv = origin.iv};
    if (before != 0) std::copy_n(spelled.data.begin(), before, input.iv->begin());
    if (origin.origin == IvOrigin::encrypted_zero) input.iv = raw_encrypted_zero(key.key, words);
    prior *= spelled.prior * key.prior * origin.prior;
    const auto recipes = raw_recipes(origin.origin, words, spelled.data.size() - before, prior);
    run(spelled, before, recipes, key.key, input, [&](const Tried& tried) {
      const std::string options = joined(joined(spelled.options, raw_options(tried.recipe)), key.options) +
                                  origin.options + part_options();
      return fit(options, key.prefix, remark(tried, key, origin));
    });
  }

  std::string part_options() const {
    return (given_.skip != 0 ? " --skip " + std::to_string(given_.skip) : "") +
           (given_.length ? " --length " + std::to_string(*given_.length) : "");
  }

  // Under another IV only the first block of some modes is noise.
  std::string remark(const Tried& tried, const GuessedKey& key, const GuessedIv& origin) const {
    const bool is_chained = tried.recipe.mode == mode::Mode::cbc || tried.recipe.mode == mode::Mode::cfb64;
    const std::span<const std::byte> seen(tried.beginning);
    if (!is_chained || !given_.iv.empty() || seen.size() <= kBlockBytes || origin.origin == IvOrigin::none)
      return key.remark;
    const bool is_other = plausibility_bits(seen.first(kBlockBytes)) <= 0 &&
                          plausibility_bits(seen.subspan(kBlockBytes)) > kTextBits;
    return is_other ? "the first 8 bytes are noise: the iv is another one, for --iv" : key.remark;
  }

  template <class Describe>
  void run(const Spelled& spelled, std::size_t before, const std::vector<Recipe>& recipes,
           const auth::SecretBytes& secret, const RecipeInput& input, Describe describe) {
    const auto data = std::span(spelled.data).subspan(before);
    stream::MemorySource whole(data);
    Beginning beginning(data);
    Lookahead source(spelled.is_all ? static_cast<stream::Source&>(whole) : beginning);
    tried_ += recipes.size();
    for (Tried& tried : try_recipes(engine::local_engine(), recipes, secret, input, source)) {
      if (tried.padding == PaddingState::invalid || tried.bits <= kLeastBits || shows(tried, data)) continue;
      Fit guess = describe(tried);
      guess.bits = tried.bits;
      guess.padding_bytes = tried.padding_bytes;
      if (spelled.is_all) guess.plaintext_bytes = data.size() - tried.padding_bytes;
      candidates_.push_back({.tried = std::move(tried), .guess = std::move(guess), .input = input_});
    }
  }

  static constexpr double kLeastBits = -4;  // worth adding to others that give the same

  const GuessGiven& given_;
  std::vector<Candidate> candidates_;
  std::size_t tried_ = 0;
  std::size_t input_ = 0;
};

bool is_same(const Candidate& a, const Candidate& b) {
  const bool are_all = a.tried.is_all && b.tried.is_all;
  return (are_all || a.input == b.input) && gives_same(a.tried, b.tried);
}

// Joins recipes with the same plaintext: the chance that one of them comes up is the sum of theirs.
std::vector<Fit> grouped(std::vector<Candidate> all) {
  std::ranges::stable_sort(
      all, [](const Candidate& a, const Candidate& b) { return a.guess.bits > b.guess.bits; });
  std::vector<Candidate> groups;
  for (Candidate& candidate : all) {
    const auto same =
        std::ranges::find_if(groups, [&](const Candidate& one) { return is_same(one, candidate); });
    if (same == groups.end()) {
      groups.push_back(std::move(candidate));
    } else {
      same->guess.same.push_back(candidate.guess.options);
      same->guess.bits = std::log2(std::exp2(same->guess.bits) + std::exp2(candidate.guess.bits));
    }
  }
  std::ranges::stable_sort(
      groups, [](const Candidate& a, const Candidate& b) { return a.guess.bits > b.guess.bits; });
  std::vector<Fit> best;
  for (Candidate& group : groups) {
    if (group.guess.bits > 0 && best.size() < kMostGuesses) best.push_back(std::move(group.guess));
  }
  return best;
}

std::vector<std::string> left_out(SecretKind kind, const GuessGiven& given, bool is_all) {
  std::vector<std::string> not_tried;
  if (!is_all) not_tried.push_back("paddings, since only the first 64 KiB were read");
  if (kind == SecretKind::passphrase) {
    not_tried.push_back("the passphrase as a key (--key), and other iteration counts");
    if (given.salt.empty()) not_tried.push_back("salts that are not in front (--salt)");
    return not_tried;
  }
  if (given.iv.empty()) not_tried.push_back("ivs other than zero, in front and encrypted-zero (--iv)");
  if (given.skip == 0) not_tried.push_back("a header in clear (--skip)");
  not_tried.push_back("keys derived from a passphrase (--pass), or the 32 digits of its MD5");
  return not_tried;
}

std::vector<std::byte> take_beginning(stream::Source& source) {
  std::vector<std::byte> text(kTextBytes + 1);
  text.resize(source.read(text));
  return text;
}

// As raw's options of the same names: false if nothing is left.
bool cut(Spelled& spelled, const GuessGiven& given) {
  if (spelled.data.size() <= given.skip) return false;
  spelled.data.erase(spelled.data.begin(), spelled.data.begin() + static_cast<std::ptrdiff_t>(given.skip));
  if (given.length && *given.length <= spelled.data.size()) {
    spelled.data.resize(static_cast<std::size_t>(*given.length));
    spelled.is_all = true;
  }
  return !spelled.data.empty();
}

}  // namespace

Fits guess(stream::Source& source, SecretKind kind, const auth::SecretBytes& secret,
           const GuessGiven& given) {
  const std::vector<std::byte> text = take_beginning(source);
  const bool is_key = kind == SecretKind::key;
  const std::vector<GuessedKey> tried_keys =
      is_key ? keys(secret, given.key_is_decoded) : std::vector<GuessedKey>();
  Trials trials(given);
  bool is_all = true;
  for (Spelled& spelled : spellings(text, text.size() <= kTextBytes)) {
    if (!cut(spelled, given)) continue;
    is_all = is_all && spelled.is_all;
    if (is_key) {
      trials.with_key(spelled, tried_keys);
    } else {
      trials.with_passphrase(spelled, secret);
    }
  }
  Fits result;
  result.best = grouped(trials.take());
  result.tried = trials.tried();
  result.not_tried = left_out(kind, given, is_all);
  return result;
}

}  // namespace fugu::format
