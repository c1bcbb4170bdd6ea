#include "fugu/format/guess/guess.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

#include "fugu/engine/engine.hpp"
#include "fugu/error.hpp"
#include "fugu/format/detail/characters.hpp"
#include "fugu/format/detail/message.hpp"
#include "fugu/format/detail/text_watch.hpp"
#include "fugu/format/guess/detail/axes.hpp"
#include "fugu/format/judge/judge.hpp"
#include "fugu/format/raw/raw.hpp"
#include "fugu/stream/memory.hpp"

namespace fugu::format {
namespace {

using core::kBlockBytes;

// Five characters per byte: \x41 and line ends.
constexpr std::size_t kTextBytes = 5 * kGuessBytes;
constexpr std::size_t kMaxGuesses = 10;
constexpr std::size_t kMaxLines = 64;  // under a key: as many blocks as are looked at of one message
constexpr std::size_t kLinesAtAGlance = 8;
constexpr std::array kWords{std::pair{core::ByteOrder::big, 0.85}, std::pair{core::ByteOrder::little, 0.15}};

// Headers and trailers that are looked for where none is given.
constexpr std::array<std::size_t, 9> kStarts{2, 4, 8, 12, 16, 20, 32, 64, 256};
constexpr double kStartsPrior = 0.02;
constexpr std::size_t kMaxTrailer = 64;
constexpr double kTrailersPrior = 0.02;
constexpr std::size_t kMaxWithHeader = 2;  // of the keys
constexpr double kPromisingBits = 8;

// The chances of a byte's highest three bits where two characters of texts are combined.
constexpr std::array kTextsCombined{0.6, 0.06, 0.3, 0.03, 0.0025, 0.0025, 0.0025, 0.0025};

// Evidence of bytes by how often each is among the `others`, of which kBytesBehind are looked at.
constexpr std::size_t kBytesBehind = 512;
double bits_behind(std::span<const std::byte> bytes, std::span<const std::byte> others) {
  constexpr double kUnseen = 0.1;
  std::array<double, 256> counts;
  counts.fill(kUnseen);
  for (const std::byte byte : others) ++counts[std::to_integer<std::size_t>(byte)];
  double bits = 0;
  for (const std::byte byte : bytes)
    bits += std::log2(counts[std::to_integer<std::size_t>(byte)] /
                      (static_cast<double>(others.size()) / 256 + kUnseen));
  core::wipe(counts.data(), sizeof counts);
  return bits;
}

// A recipe that may be the one.
struct Candidate {
  Tried tried;
  Fit guess;
  const Spelled* spelled = nullptr;
  std::size_t input = 0;  // which input it was tried on, and this itself:
  std::vector<TrialMessage> messages;
  bool lacks_first = false;  // as under an unknown IV
  const SizeInFront* size = nullptr;
};

// The part of the input that is ciphertext.
struct Part {
  std::uint64_t skip = 0;
  std::optional<std::uint64_t> length = {};
  double prior = 1;

  std::string options() const {
    return (skip != 0 ? " ⟦skip " + std::to_string(skip) + "⟧" : "") +
           (length ? " ⟦length " + std::to_string(*length) + "⟧" : "");
  }

  std::span<const std::byte> of(std::span<const std::byte> message) const {
    message = message.subspan(first_of(message, skip).size());
    return first_of(message, length.value_or(message.size()));
  }
};

// What recipes of raw are tried with.
struct Attempt {
  const GuessedIv* origin = nullptr;
  const GuessedKey* key = nullptr;
  core::ByteOrder words = core::ByteOrder::big;
  double words_prior = 1;
  Part part = {};
  std::optional<mode::Mode> mode = {};  // empty: all

  // Of the best recipe, even if the file would have to be damaged.
  double bits = -INFINITY;
  mode::Mode best = mode::Mode::ecb;
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
  Trials(const GuessGiven& given, const auth::SecretBytes& secret) : given_(given), secret_(secret) {}

  void with_key(const Spelled& spelled, const std::vector<GuessedKey>& keys) {
    if (ivs_.empty()) ivs_ = ivs(given_.iv);
    std::vector<Attempt> all;
    const auto attempt = [&](Attempt one) {
      try_raw(spelled, one);
      all.push_back(one);
      return one.bits;
    };
    const Part part{given_.skip, given_.length};
    for (const GuessedKey& key : keys) {
      for (const auto& [words, prior] : kWords) {
        double under_unknown = -INFINITY;
        for (const GuessedIv& origin : ivs_) {
          if (!key.is_usual && !origin.is_usual && under_unknown < kPromisingBits) continue;
          const double bits = attempt({&origin, &key, words, prior, part});
          if (origin.is_unknown) under_unknown = bits;
        }
        if (given_.iv.empty() && !key.steps.empty()) attempt({&key.own_iv, &key, words, prior, part});
      }
    }
    if (given_.skip != 0 || given_.length || spelled.are_lines) return;
    for (const Attempt& one : with_headers(all)) attempt(one);
    for (const Attempt& one : with_trailers(*std::ranges::max_element(all, {}, &Attempt::bits), spelled))
      attempt(one);
  }

  void with_passphrase(const Spelled& spelled) {
    GuessedSalt salt = salt_of(spelled.messages.front(), given_);
    for (Recipe& recipe : salt.recipes) recipe.prior *= spelled.prior;
    run(spelled, salted(spelled, salt), std::move(salt.recipes), secret_, salt.options);
  }

  std::size_t tried() const { return tried_; }
  std::vector<Candidate> take() { return std::move(candidates_); }

 private:
  // A header of whole blocks hides little in most modes, so that its key is among the best already; any other
  // shifts all blocks.
  std::vector<Attempt> with_headers(std::vector<Attempt> without) const {
    std::ranges::stable_sort(without, std::ranges::greater(), &Attempt::bits);
    const bool is_found = without.front().bits >= kPromisingBits;
    std::vector<Attempt> keys;
    for (const Attempt& one : without) {
      const bool is_known = std::ranges::any_of(
          keys, [&](const Attempt& other) { return one.key == other.key && one.words == other.words; });
      if (!is_known && (is_found ? keys.size() < kMaxWithHeader : one.key->is_usual)) keys.push_back(one);
    }
    std::vector<Attempt> with;
    for (const std::size_t start : kStarts) {
      const bool is_whole = start % kBlockBytes == 0;
      if (!is_found && is_whole) continue;
      for (Attempt attempt : keys) {
        for (const GuessedIv& origin : ivs_) {
          if (is_whole && origin.is_none) continue;  // nothing is lost without: look_for_header()
          attempt.part = {start, {}, kStartsPrior / kStarts.size()};
          attempt.origin = &origin;
          with.push_back(attempt);
        }
      }
    }
    return with;
  }

  // Only where the length asks for one: what is left out anywhere else may be data.
  static std::vector<Attempt> with_trailers(Attempt best, const Spelled& spelled) {
    std::vector<Attempt> with;
    const std::size_t bytes = best.part.of(spelled.messages.front()).size();
    if (!spelled.is_all || bytes % kBlockBytes == 0 || !mode::is_padded(best.best)) return with;
    best.part.prior *= kTrailersPrior / kMaxTrailer;
    best.mode = best.best;
    for (std::size_t trailer = 1; trailer <= kMaxTrailer && trailer + kBlockBytes < bytes; ++trailer) {
      best.part.length = bytes - trailer;
      with.push_back(best);
    }
    return with;
  }

  // The messages that begin as the salt's place says.
  std::vector<TrialMessage> salted(const Spelled& spelled, const GuessedSalt& as) const {
    std::vector<TrialMessage> messages;
    for (const auto& message : spelled.messages) {
      GuessedSalt salt = salt_of(message, given_);
      if (salt.header_bytes != as.header_bytes) continue;
      salt.input.depth = Depth::first;
      messages.push_back({std::span(message).subspan(salt.header_bytes), std::move(salt.input)});
    }
    return messages;
  }

  // Under an unknown IV as if it were in front: what follows the first 8 bytes is the same.
  std::vector<TrialMessage> with_iv(const Spelled& spelled, const Attempt& attempt) const {
    const GuessedIv& origin = *attempt.origin;
    RawParameters how = origin.how;
    how.settings.words = attempt.words;
    if (origin.is_unknown) how.iv_place = IvPlace::prefix;
    const std::size_t iv_bytes = raw_header_bytes(how.iv_place);
    std::vector<TrialMessage> messages;
    for (const auto& message : spelled.messages) {
      const auto part = attempt.part.of(message);
      if (part.size() <= iv_bytes) continue;
      RecipeInput input;
      try {
        input.iv = raw_iv(how, secret_, attempt.key->schedule, part.first(iv_bytes));
      } catch (const Error&) {  // a short secret, or a header of another key
        continue;
      }
      const auto data = part.subspan(iv_bytes);
      input.bytes_before = static_cast<std::size_t>(data.data() - message.data());
      input.bytes_behind = message.size() - data.size() - input.bytes_before;
      const bool is_usual = attempt.key->is_usual && attempt.part.skip == given_.skip;
      input.depth = is_usual ? Depth::first : Depth::glance;
      input.schedule = &attempt.key->schedule;
      messages.push_back({data, std::move(input)});
    }
    return messages;
  }

  // What the first block of cbc says beyond the evidence, which weighs it as if nothing followed. Under an
  // unknown IV it may be a text combined with an IV that is one.
  static double first_block_bits(const Attempt& attempt, const TrialMessage& message) {
    const bool is_unknown = attempt.origin->is_unknown;
    const auto data = is_unknown ? std::span<const std::byte>(*message.input.iv) : message.ciphertext;
    if (data.size() < kBlockBytes) return 0;
    const auto blocks = data.first(std::min(data.size(), kBytesBehind) / kBlockBytes * kBlockBytes);
    core::WipedBytes text(blocks.begin(), blocks.end());
    transform(
        engine::local_engine(), attempt.key->schedule,
        {.mode = mode::Mode::cbc, .iv = is_unknown ? mode::Iv() : *message.input.iv, .words = attempt.words},
        core::Direction::decrypt, text);
    const auto first = std::span<const std::byte>(text).first(kBlockBytes);
    if (!is_unknown) return bits_behind(first, std::span(text).subspan(kBlockBytes)) - evidence_bits(first);
    double ratio = 1;
    for (const std::byte byte : first) ratio *= 8 * kTextsCombined[std::to_integer<std::size_t>(byte >> 5)];
    return std::log2((1 + ratio) / 2);
  }

  void try_raw(const Spelled& spelled, Attempt& attempt) {
    const GuessedKey& key = *attempt.key;
    const GuessedIv& origin = *attempt.origin;
    attempt.bits = -INFINITY;
    const std::vector<TrialMessage> messages = with_iv(spelled, attempt);
    if (messages.empty()) return;
    const double prior = attempt.words_prior * attempt.part.prior * spelled.prior * key.prior * origin.prior;
    const std::size_t data_bytes = spelled.is_all ? messages.front().ciphertext.size() : 0;
    std::vector<Recipe> recipes = raw_recipes(origin, attempt.words, data_bytes, prior);
    if (origin.is_unknown || origin.how.iv_place == IvPlace::of_key) {
      const double factor = std::exp2(first_block_bits(attempt, messages.front()));
      for (Recipe& one : recipes) one.prior *= one.mode == mode::Mode::cbc ? factor : 1;
    }
    // In ofb the second block under zeros, which may be data, is the first under encrypted zeros.
    const bool is_second = attempt.part.skip == kBlockBytes && given_.skip == 0 &&
                           origin.how.iv_place == IvPlace::encrypted_zero;
    if (is_second) std::erase_if(recipes, [](const Recipe& one) { return one.mode == mode::Mode::ofb; });
    if (attempt.mode) std::erase_if(recipes, [&](const Recipe& one) { return one.mode != *attempt.mode; });
    std::tie(attempt.bits, attempt.best) =
        run(spelled, messages, std::move(recipes), key.key,
            key.options() + origin.options + attempt.part.options(), origin.is_unknown);
  }

  // Best first. What a glance takes for noise is noise.
  static std::vector<Tried> stories_of(const Spelled& spelled, const std::vector<Recipe>& recipes,
                                       const auth::SecretBytes& secret, std::span<TrialMessage> messages) {
    engine::Engine& engine = engine::local_engine();
    const bool is_glance = messages.front().input.depth == Depth::glance;
    stream::MemorySource data(messages.front().ciphertext);
    Lookahead source(data, spelled.is_all);
    std::vector<Tried> all =
        spelled.are_lines
            ? try_recipes(engine, recipes, secret,
                          messages.first(std::min(messages.size(), is_glance ? kLinesAtAGlance : kMaxLines)),
                          false)
            : try_recipes(engine, recipes, secret, messages.front().input, source);
    const auto is_possible = [](const Tried& one) { return one.bits.sure > kMinBits; };
    if (!is_glance || std::ranges::none_of(all, is_possible)) return all;
    for (TrialMessage& message : messages) message.input.depth = Depth::first;
    return stories_of(spelled, recipes, secret, messages);
  }

  // `options`: besides those of the recipe. Returns the bits of the best story, and its mode.
  std::pair<double, mode::Mode> run(const Spelled& spelled, std::vector<TrialMessage> messages,
                                    std::vector<Recipe> recipes, const auth::SecretBytes& secret,
                                    const std::string& options, bool lacks_first = false) {
    ++input_;
    std::erase_if(recipes, [&](const Recipe& recipe) {
      if (spelled.may_be_wrapped) return fits_parts(recipe);
      return spelled.is_refused[mode::is_padded(recipe.mode)];
    });
    const std::size_t left_out = spelled.messages.size() - messages.size();
    if (messages.empty() || are_too_many(left_out, spelled.messages.size()) || recipes.empty())
      return {-INFINITY, mode::Mode::ecb};
    tried_ += recipes.size();
    const auto data = messages.front().ciphertext;
    std::vector<Tried> all = stories_of(spelled, recipes, secret, messages);
    if (all.empty()) return {-INFINITY, mode::Mode::ecb};
    const std::pair best{all.front().bits.all, all.front().recipe.mode};
    // Where cut data fit, the same data without padding may be whole.
    const auto may_be_whole = [&](const Tried& tried) {
      return std::ranges::any_of(
          all, [&](const Tried& cut) { return fits_but_for_damage(cut) && have_one_plaintext(cut, tried); });
    };
    for (const Tried& tried : all) {
      const bool is_unfit = tried.is_damaged && spelled.are_lines;
      const bool is_likely = tried.bits.sure > kMinBits || fits_but_for_damage(tried) || may_be_whole(tried);
      if (is_unfit || !is_likely || shows(tried, data)) continue;
      Fit guess{.options = spelled.options + options_of(tried.recipe) + options};
      if (lacks_first) guess.remark = "the first 8 bytes are noise: another IV is needed (⟦iv⟧)";
      if (tried.is_damaged) {
        guess.options += " ⟦salvage⟧";
        guess.remark += std::string(lacks_first ? "; " : "") + "the file was cut, or its end changed";
      }
      guess.bits = tried.bits_of_secret();
      guess.padding_bytes = tried.taken();
      const std::size_t lost = lacks_first ? kBlockBytes : 0;
      const std::size_t rest = tried.is_damaged ? data.size() % kBlockBytes : 0;
      if (spelled.is_all && !spelled.are_lines)
        guess.plaintext_bytes = lost + data.size() - rest - tried.taken();
      candidates_.push_back({tried, std::move(guess), &spelled, input_, messages, lacks_first});
    }
    return best;
  }

  static constexpr double kMinBits = -4;  // worth adding to others that give the same

  const GuessGiven& given_;
  const auth::SecretBytes& secret_;
  std::vector<GuessedIv> ivs_;  // under a key
  std::vector<Candidate> candidates_;
  std::size_t tried_ = 0;
  std::size_t input_ = 0;
};

bool is_same(const Candidate& a, const Candidate& b) {
  const bool are_all = is_seen_whole(a.tried) && is_seen_whole(b.tried);
  if (a.size != b.size || a.lacks_first != b.lacks_first) return false;
  if (a.size != nullptr && have_one_plaintext(a.tried, b.tried)) return true;
  return (are_all || a.input == b.input) && gives_same(a.tried, b.tried);
}

void sort(std::vector<Candidate>& all) {
  std::ranges::stable_sort(
      all, [](const Candidate& a, const Candidate& b) { return is_better(a.tried, b.tried); });
}

// Reads all of those that the first bytes leave in doubt. Lines are read whole anyway.
void read_again(std::vector<Candidate>& all) {
  constexpr std::size_t kMaxReadAgain = 24;
  constexpr double kDoubtBits = 3 * kNeededLeadBits;
  sort(all);
  const auto leads = [&](const Candidate& one) {
    return all.front().tried.bits.all - one.tried.bits.all > kDoubtBits;
  };
  all.erase(std::ranges::find_if(all, leads), all.end());
  all.resize(std::min(all.size(), kMaxReadAgain));
  for (Candidate& one : all) {
    if (one.messages.size() != 1 || one.tried.seen.front().reading->is_whole) continue;
    Recipe recipe = one.tried.recipe;
    recipe.derivation = Derivation::literal;  // of the key that was derived
    TrialMessage& message = one.messages.front();
    message.input.iv = one.tried.iv;
    message.input.depth = Depth::all;
    stream::MemorySource data(message.ciphertext);
    Lookahead source(data, one.spelled->is_all);
    Tried again =
        try_recipes(engine::local_engine(), {recipe}, *one.tried.key, message.input, source).front();
    again.recipe = std::move(one.tried.recipe);
    one.tried = std::move(again);
    one.guess.bits = one.tried.bits_of_secret();
  }
}

// Lines of which most end in a padding each are messages: what they give together as one is less than what
// each gives.
void leave_lines_alone(std::vector<Candidate>& all) {
  const auto are_padded = [](const Candidate& one) {
    return one.spelled->are_lines && is_sufficient({.certain = false, .bits = one.guess.bits}) &&
           one.tried.taken() >= one.tried.seen.size() && 2 * one.tried.seen.size() > one.messages.size();
  };
  if (std::ranges::any_of(all, are_padded))
    std::erase_if(all, [](const Candidate& one) { return !one.spelled->are_lines; });
}

// Whether zeros or spaces come off with the padding that are likelier the content's own, as in the size at
// the end of a gzip file.
bool takes_data(const Candidate& one) {
  const Seen& seen = one.tried.seen.front();
  if (one.spelled->are_lines || !is_filler(one.tried.recipe.padding) || !seen.taken || !seen.reading->end)
    return false;
  const auto of = [&](std::size_t taken) {
    return seen.reading->end->ending[taken].all + 8 * static_cast<double>(taken);
  };
  for (std::size_t taken = 0; taken < *seen.taken; ++taken) {
    if (of(taken) > of(*seen.taken)) return true;
  }
  return false;
}

// Of those that differ at the end alone, the longest that is nearly as likely as the best. Then what else is
// close to it, which is how many.
std::size_t put_in_front(std::vector<Candidate>& all) {
  constexpr double kDoubtfulEndBits = 2;
  const auto bits = [](const Candidate& one) { return one.tried.bits.all; };
  for (std::size_t i = 1; i < all.size(); ++i) {
    const bool is_longer = all[i].input == all[0].input && !all[i].spelled->are_lines &&
                           have_one_plaintext(all[i].tried, all[0].tried) &&
                           all[i].tried.taken() < all[0].tried.taken();
    if (is_longer && (bits(all[0]) - bits(all[i]) < kDoubtfulEndBits || takes_data(all[0])))
      std::swap(all[0], all[i]);
  }
  if (all.empty()) return 0;
  const auto behind = std::stable_partition(all.begin() + 1, all.end(), [&](const Candidate& one) {
    return lead_of(all.front().tried, one.tried) < kNeededLeadBits;
  });
  return static_cast<std::size_t>(behind - all.begin());
}

// By how many bits the content is likelier to begin with the length of a text than not.
double bits_of_size(const SizeInFront& size, std::span<const std::byte> content) {
  constexpr double kPriorBits = -6;
  const auto text = size.text_in(content);
  if (!text || text->empty()) return -INFINITY;
  const auto rest = content.subspan(size.bytes + text->size());
  const auto of = [](std::span<const std::byte> bytes) { return evidence_of(bytes).ending[0].all; };
  const double lengths = static_cast<double>(rest.size() < kBlockBytes ? kBlockBytes : content.size());
  return kPriorBits + 8.0 * static_cast<double>(size.bytes) - std::log2(2 * lengths) + of(*text) +
         (is_zero(rest) ? 8.0 * static_cast<double>(rest.size()) - 1 : 0) - of(content);
}

// Only contents that were seen whole. Where a length is read, padding is part of what follows the text.
void add_sized(std::vector<Candidate>& all) {
  const std::size_t before = all.size();
  for (std::size_t i = 0; i < before; ++i) {
    const Recipe& recipe = all[i].tried.recipe;
    const bool may_be = recipe.derivation == Derivation::literal && !all[i].spelled->are_lines &&
                        !all[i].lacks_first && !mode::keeps_length(recipe.padding);
    if (!may_be || !is_seen_whole(all[i].tried)) continue;
    const auto content = content_of(all[i].tried.seen.front());
    for (const SizeInFront& size : kSizesInFront) {
      const double gain = bits_of_size(size, content);
      if (gain <= 0) continue;
      Candidate one = all[i];
      one.size = &size;
      one.tried.bits.all += gain;
      one.guess.plaintext_bytes = size.text_in(content)->size();
      one.guess.remark = "its first " + std::to_string(size.bytes) + " bytes were its length";
      one.guess.padding_bytes = 0;
      std::string& options = one.guess.options;
      if (const std::size_t pad = options.find(" ⟦pad "); pad != std::string::npos)
        options.erase(pad, options.find(" ⟦", pad + 1) - pad);
      options += " ⟦sized " + std::string(size.name) + "⟧";
      all.push_back(std::move(one));
    }
  }
}

// As decrypt does, which then refuses the file.
void look_for_changes(Candidate& one) {
  if (one.spelled->are_lines || one.messages.size() != 1 || !is_seen_whole(one.tried)) return;
  const std::unique_ptr<stream::Sink> nowhere = stream::discard();
  TextWatch watch(*nowhere);
  watch.write(content_of(one.tried.seen.front()));
  const auto noise = watch.noise();
  if (!noise || !noise->is_sure) return;
  one.guess.options += " ⟦salvage⟧";
  one.guess.remark = what_shows(*noise);
}

// In ecb a header of whole blocks decrypts to noise.
void look_for_header(Candidate& one) {
  const bool is_ecb = one.tried.recipe.mode == mode::Mode::ecb && !one.spelled->are_lines;
  if (!is_ecb || !is_seen_whole(one.tried) || !one.guess.remark.empty()) return;
  const auto content = content_of(one.tried.seen.front());
  std::size_t header = 0;
  for (const std::size_t start : kStarts) {
    const bool may_be = start % kBlockBytes == 0 && start < content.size();
    if (may_be && evidence_bits(content.first(start)) <= 0 &&
        evidence_bits(content.subspan(start)) >= kPlausibleBits)
      header = start;
  }
  if (header == 0) return;
  const std::string bytes = std::to_string(header);
  one.guess.remark =
      "the first " + bytes + " bytes are noise: if they are a header, add ⟦skip " + bytes + "⟧";
}

// Joins recipes with the same plaintext: the chance that one of them comes up is the sum of theirs.
Fits grouped(std::vector<Candidate> all) {
  leave_lines_alone(all);
  read_again(all);
  add_sized(all);
  sort(all);
  std::vector<Candidate> groups;
  for (Candidate& candidate : all) {
    const auto explains_it = [&](const Candidate& one) {  // with other words of its end
      return one.tried.is_damaged != candidate.tried.is_damaged &&
             have_one_plaintext(one.tried, candidate.tried);
    };
    if (const auto other = std::ranges::find_if(groups, explains_it); other != groups.end()) {
      const bool is_close = is_better(other->tried, candidate.tried) &&
                            other->tried.bits.all - candidate.tried.bits.all < kNeededLeadBits;
      if (other->tried.is_damaged && is_close && candidate.tried.taken() == 0) {
        candidate.tried.bits = other->tried.bits;
        candidate.guess.bits = other->guess.bits;
        std::swap(*other, candidate);
      }
      other->guess.bits = std::max(other->guess.bits, candidate.guess.bits);
      const bool shows_end = other->tried.taken() != 0 || !mode::is_padded(other->tried.recipe.mode);
      if (candidate.tried.is_damaged && !shows_end && other->guess.remark.empty())
        other->guess.remark = "or the file was cut, or its end changed: " + candidate.guess.options;
      continue;
    }
    const auto same =
        std::ranges::find_if(groups, [&](const Candidate& one) { return is_same(one, candidate); });
    if (same == groups.end()) {
      groups.push_back(std::move(candidate));
    } else {
      same->guess.same.push_back(candidate.guess.options);
      same->guess.bits = log2_sum(same->guess.bits, candidate.guess.bits);
      same->tried.bits.all = log2_sum(same->tried.bits.all, candidate.tried.bits.all);
    }
  }
  sort(groups);
  const std::size_t close = put_in_front(groups);
  if (!groups.empty()) {
    look_for_header(groups.front());
    look_for_changes(groups.front());
  }
  Fits found;
  std::vector<Fit>& best = found.best;
  for (Candidate& group : groups) {
    const auto is_this = [&](const Fit& one) { return one.options == group.guess.options; };
    if (group.guess.bits <= 0 || best.size() == kMaxGuesses || std::ranges::any_of(best, is_this)) continue;
    found.close += static_cast<std::size_t>(&group - groups.data()) < close;
    best.push_back(std::move(group.guess));
  }
  return found;
}

std::vector<std::string> left_out(SecretKind kind, const GuessGiven& given, bool is_all) {
  std::vector<std::string> not_tried;
  if (!is_all) not_tried.push_back("paddings, since only the first 64 KiB were read");
  if (kind == SecretKind::passphrase) {
    not_tried.push_back("the passphrase as a key (⟦key⟧), and other iteration counts");
    if (given.salt.empty() && given.iv.empty())
      not_tried.push_back("salts that are not at the beginning (⟦salt⟧)");
    return not_tried;
  }
  if (given.iv.empty())
    not_tried.push_back("IVs other than zero, one at the beginning and one made of the key (⟦iv⟧)");
  if (given.skip == 0 && !given.length)
    not_tried.push_back(
        "an unencrypted header of other than 2, 4, 8, 12, 16, 20, 32, 64 and 256 bytes (⟦skip⟧); an "
        "unencrypted trailer, but for 1 to 64 bytes after whole blocks (⟦length⟧)");
  not_tried.push_back("keys derived from a passphrase (⟦pass⟧)");
  return not_tried;
}

}  // namespace

Fits guess(stream::Source& source, SecretKind kind, const auth::SecretBytes& secret,
           const GuessGiven& given) {
  std::vector<std::byte> text(kTextBytes + 1);
  text.resize(source.read(text));
  if (text.empty()) throw Error(Errc::damaged, "is empty");
  const bool is_key = kind == SecretKind::key;
  const std::vector<GuessedKey> tried_keys = is_key ? keys(secret) : std::vector<GuessedKey>();
  Trials trials(given, secret);
  bool is_all = true;
  std::vector<Spelled> all_spelled =
      spellings(text, text.size() <= kTextBytes, is_key ? kMaxLines : kTrialMessages);
  for (Spelled& spelled : all_spelled) {
    if (given.length && given.skip + *given.length <= spelled.messages.front().size()) spelled.is_all = true;
    is_all = is_all && spelled.is_all;
    if (is_key) {
      trials.with_key(spelled, tried_keys);
    } else {
      trials.with_passphrase(spelled);
    }
  }
  Fits result = grouped(trials.take());
  result.tried = trials.tried();
  result.not_tried = left_out(kind, given, is_all);
  if (all_spelled.size() == 1 && is_utf8(text))  // none but the bytes themselves
    result.not_tried.insert(
        result.not_tried.begin(),
        "values inside a text: put one alone into a file, then give decrypt ⟦csv⟧ ⟦column NAME⟧ "
        "or ⟦match REGEX⟧ as well");
  return result;
}

}  // namespace fugu::format
