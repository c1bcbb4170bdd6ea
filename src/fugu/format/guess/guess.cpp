#include "fugu/format/guess/guess.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "fugu/engine/local_engine.hpp"
#include "fugu/error.hpp"
#include "fugu/format/detail/message.hpp"
#include "fugu/format/judge/messages.hpp"
#include "fugu/format/guess/detail/axes.hpp"
#include "fugu/format/raw/raw.hpp"
#include "fugu/stream/memory.hpp"

namespace fugu::format {
namespace {

using core::kBlockBytes;

// Five characters per byte: \x41 and line ends.
constexpr std::size_t kTextBytes = 5 * kGuessBytes;
constexpr std::size_t kMostGuesses = 10;
constexpr std::array kWords{std::pair{core::ByteOrder::big, 0.85}, std::pair{core::ByteOrder::little, 0.15}};

// A recipe that may be the one.
struct Candidate {
  Tried tried;
  Fit guess;
  std::size_t input = 0;     // which input it was tried on
  bool lacks_first = false;  // as under an unknown IV
};

// Whether the ciphertext itself comes out, as from a register of zeros whose encryption begins with one: if
// that is text, it proves nothing.
bool shows(const Tried& tried, std::span<const std::byte> ciphertext) {
  const core::WipedBytes& beginning = tried.seen.front().reading->beginning;
  const std::size_t bytes = std::min({beginning.size(), ciphertext.size(), kBlockBytes});
  return bytes != 0 && std::ranges::equal(std::span(beginning).first(bytes), ciphertext.first(bytes));
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
    for (const GuessedSalt& salt : salts(spelled.messages.front(), given_.salt)) {
      std::vector<Recipe> recipes = salt.recipes;
      for (Recipe& recipe : recipes) recipe.prior *= spelled.prior;
      run(spelled, salted(spelled, salt), std::move(recipes), passphrase, [&](const Tried& tried) {
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

  // The messages that begin as the salt's place says.
  std::vector<TrialMessage> salted(const Spelled& spelled, const GuessedSalt& as) const {
    std::vector<TrialMessage> messages;
    for (const auto& message : spelled.messages) {
      GuessedSalt salt = std::move(salts(message, given_.salt).front());
      if (salt.header_bytes != as.header_bytes) continue;
      messages.push_back({std::span(message).subspan(salt.header_bytes), std::move(salt.input)});
    }
    return messages;
  }

  // Under an unknown IV as if it were in front: what follows the first 8 bytes is the same.
  static std::vector<TrialMessage> with_iv(const Spelled& spelled, const GuessedIv& origin,
                                           const GuessedKey& key, core::ByteOrder words) {
    const bool is_in_front = origin.origin == IvOrigin::prefix || origin.origin == IvOrigin::unknown;
    std::vector<TrialMessage> messages;
    for (const auto& message : spelled.messages) {
      if (is_in_front && message.size() <= kBlockBytes) continue;
      RecipeInput input{.salt = {}, .iv = origin.iv};
      if (is_in_front) input.iv = iv_of(message);
      if (origin.origin == IvOrigin::encrypted_zero) input.iv = raw_encrypted_zero(key.key, words);
      messages.push_back({std::span(message).subspan(is_in_front ? kBlockBytes : 0), std::move(input)});
    }
    return messages;
  }

  void try_raw(const Spelled& spelled, const GuessedIv& origin, const GuessedKey& key, core::ByteOrder words,
               double prior) {
    const std::vector<TrialMessage> messages = with_iv(spelled, origin, key, words);
    if (messages.empty()) return;
    prior *= spelled.prior * key.prior * origin.prior;
    lacks_first_ = origin.origin == IvOrigin::unknown;
    const char* const remark =
        lacks_first_ ? "the first 8 bytes are noise: the iv is another one, for --iv" : key.remark.c_str();
    run(spelled, messages, raw_recipes(origin.origin, words, messages.front().ciphertext.size(), prior),
        key.key, [&](const Tried& tried) {
          const std::string options =
              joined(joined(spelled.options, raw_options(tried.recipe)), key.options) + origin.options +
              part_options();
          return fit(options, key.prefix, remark);
        });
  }

  std::string part_options() const {
    return (given_.skip != 0 ? " --skip " + std::to_string(given_.skip) : "") +
           (given_.length ? " --length " + std::to_string(*given_.length) : "");
  }

  // Best first.
  static std::vector<Tried> try_all(const Spelled& spelled, std::vector<Recipe> recipes,
                                    const auth::SecretBytes& secret,
                                    const std::vector<TrialMessage>& messages) {
    engine::Engine& engine = engine::local_engine();
    if (spelled.are_lines) return try_recipes(engine, std::move(recipes), secret, messages, false);
    stream::MemorySource data(messages.front().ciphertext);
    Lookahead source(data, spelled.is_all);
    return try_recipes(engine, recipes, secret, messages.front().input, source);
  }

  template <class Describe>
  void run(const Spelled& spelled, const std::vector<TrialMessage>& messages, std::vector<Recipe> recipes,
           const auth::SecretBytes& secret, Describe describe) {
    std::erase_if(recipes, [&](const Recipe& recipe) {
      if (spelled.may_be_wrapped) return fits_parts(recipe);
      return mode::is_padded(recipe.mode) ? spelled.is_refused_in_blocks : spelled.is_refused_in_streams;
    });
    if (messages.empty() || recipes.empty()) return;
    tried_ += recipes.size();
    const auto data = messages.front().ciphertext;
    for (Tried& tried : try_all(spelled, std::move(recipes), secret, messages)) {
      if (tried.is_damaged || tried.bits <= kLeastBits || shows(tried, data)) continue;
      Fit guess = describe(tried);
      guess.bits = tried.bits;
      guess.padding_bytes = tried.taken();
      const std::size_t lost = lacks_first_ ? kBlockBytes : 0;
      if (spelled.is_all && !spelled.are_lines)
        guess.plaintext_bytes = lost + data.size() - tried.taken();
      candidates_.push_back({std::move(tried), std::move(guess), input_, lacks_first_});
    }
  }

  static constexpr double kLeastBits = -4;  // worth adding to others that give the same

  const GuessGiven& given_;
  std::vector<Candidate> candidates_;
  std::size_t tried_ = 0;
  std::size_t input_ = 0;
  bool lacks_first_ = false;
};

bool is_same(const Candidate& a, const Candidate& b) {
  const bool are_all = is_seen_whole(a.tried) && is_seen_whole(b.tried);
  return (are_all || a.input == b.input) && a.lacks_first == b.lacks_first && gives_same(a.tried, b.tried);
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
    const auto is_this = [&](const Fit& one) {
      return one.options == group.guess.options && one.key_prefix == group.guess.key_prefix;
    };
    if (group.guess.bits > 0 && best.size() < kMostGuesses && std::ranges::none_of(best, is_this))
      best.push_back(std::move(group.guess));
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

// As raw's options of the same names: empty messages are left out.
void cut(Spelled& spelled, const GuessGiven& given) {
  for (auto& message : spelled.messages) {
    const auto skipped = std::min<std::uint64_t>(given.skip, message.size());
    message.erase(message.begin(), message.begin() + static_cast<std::ptrdiff_t>(skipped));
    if (!given.length || *given.length > message.size()) continue;
    message.resize(static_cast<std::size_t>(*given.length));
    spelled.is_all = true;
  }
  std::erase_if(spelled.messages, [](const auto& message) { return message.empty(); });
}

}  // namespace

Fits guess(stream::Source& source, SecretKind kind, const auth::SecretBytes& secret,
           const GuessGiven& given) {
  const std::vector<std::byte> text = take_beginning(source);
  if (trimmed(text_of(text)).empty()) throw Error(Errc::damaged, "the input is empty");
  const bool is_key = kind == SecretKind::key;
  const std::vector<GuessedKey> tried_keys =
      is_key ? keys(secret, given.key_is_decoded) : std::vector<GuessedKey>();
  Trials trials(given);
  bool is_all = true;
  for (Spelled& spelled : spellings(text, text.size() <= kTextBytes)) {
    cut(spelled, given);
    if (spelled.messages.empty()) continue;
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
