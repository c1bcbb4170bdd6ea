#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "fugu/format/detail/message.hpp"
#include "fugu/format/judge/judge.hpp"
#include "fugu/stream/memory.hpp"

namespace fugu::format {
namespace {

using core::kBlockBytes;
using mode::Direction;
using mode::Mode;

// Looked at first. The end of a ciphertext that is not longer than kSmallBytes is in its beginning.
constexpr std::size_t kFirstBytes = 512;
constexpr std::size_t kFirstEndBytes = 128;
constexpr std::size_t kGlanceBytes = 128;
constexpr std::size_t kSmallBytes = 1024;

// Looked at where that does not decide, in no more than kMaxReadAgain readings.
constexpr std::size_t kEndBytes = 4096;
constexpr std::size_t kMaxReadAgain = 12;
constexpr std::uint64_t kMiddles = 3;  // parts of kEndBytes, of what is longer than kLookaheadBytes

// One cut in eight leaves whole blocks.
constexpr double kWholeBlocksBits = -3;

// The part of a ciphertext that is readable before all of it is decrypted.
struct View {
  std::span<const std::byte> head;
  bool whole = false;  // head is all of it
  std::optional<std::uint64_t> size_bytes;
  std::vector<std::byte>
      tail;  // the last kEndBytes or some more, behind a block for the chain; empty: unseen
  std::vector<std::vector<std::byte>> middle;  // behind a block each
  std::size_t first_bytes = kFirstBytes;
  bool is_small = false;  // all is looked at
};

View look_at(Lookahead& source, const RecipeInput& input) {
  View view;
  const bool is_glance = input.depth == Depth::glance;
  view.head = source.peek(is_glance ? kGlanceBytes : kLookaheadBytes);
  view.size_bytes = source.bytes_left();
  view.whole = view.size_bytes == view.head.size();
  view.first_bytes -= std::min(kFirstBytes, input.bytes_before);
  const std::uint64_t size = view.size_bytes.value_or(0);
  view.is_small = view.whole && size + input.bytes_before + input.bytes_behind <= kSmallBytes;
  if (view.is_small) return view;
  view.tail.resize(static_cast<std::size_t>(std::min<std::uint64_t>(size, kEndBytes + 2 * kBlockBytes)));
  if (!source.peek_end(view.tail)) view.tail.clear();
  for (std::uint64_t i = 1; i <= kMiddles && !view.whole && !is_glance; ++i) {
    std::vector<std::byte> part(kBlockBytes + kEndBytes);
    if (source.peek_at(size * i / (kMiddles + 1) / kBlockBytes * kBlockBytes, part))
      view.middle.push_back(std::move(part));
  }
  return view;
}

// Whether a part can only be decrypted with all data before it.
bool is_known_from_begin(Mode mode) {
  return mode == Mode::pcbc || mode == Mode::ofb || mode == Mode::ofb8 || mode == Mode::ctr;
}

// Decrypts what the stories of one key look at.
class Reader {
 public:
  Reader(engine::Engine& engine, const View& view, const RecipeInput& input, const auth::SecretBytes& key)
      : engine_(engine),
        view_(view),
        input_(input),
        schedule_(input.schedule != nullptr ? *input.schedule : schedule_of(key.span())) {}

  // No more than the first `most` bytes, and the end.
  std::shared_ptr<const Reading> read(const Tried& tried, std::size_t most) const {
    Reading reading;
    const auto head = blocks(tried, view_.head, view_.whole);
    reading.is_whole = view_.is_small || (view_.whole && most >= head.size());
    const std::size_t end_bytes = most > kFirstBytes ? kEndBytes : kFirstEndBytes;
    const std::uint64_t size = view_.size_bytes.value_or(kLookaheadBytes + end_bytes);
    most = static_cast<std::size_t>(
        std::min<std::uint64_t>(most, size - std::min<std::uint64_t>(size, end_bytes)));
    const auto first = head.first(reading.is_whole ? head.size() : std::min(most, head.size()));
    reading.beginning = decrypted(tried, first, tried.iv, reading.is_whole);
    std::set<std::uint64_t> inputs;
    const auto fresh = fresh_of(tried, head.first(reading.beginning.size()), tried.iv, inputs);
    const EvidenceBits beginning = evidence_of(reading.beginning, fresh);
    if (reading.is_whole) {
      reading.end = beginning;
      keep_last_block(reading, reading.beginning, fresh);
      return std::make_shared<Reading>(std::move(reading));
    }
    reading.bits = beginning.going_on[0];
    const core::WipedBytes end = end_of(tried, reading.bits.sure, end_bytes);
    if (!end.empty()) {
      const std::span<const std::byte> tail = view_.tail.empty() ? view_.head : view_.tail;
      const bool has_rest = mode::is_padded(tried.recipe.mode) && !mode::keeps_length(tried.recipe.padding);
      const std::uint64_t rest = has_rest ? view_.size_bytes.value_or(0) % kBlockBytes : 0;
      const auto data = tail.first(tail.size() - static_cast<std::size_t>(rest));
      const auto end_fresh = fresh_of(tried, data.last(end.size()), iv_before(data, end.size()), inputs);
      reading.end = evidence_of(end, end_fresh,
                                {reading.beginning, std::max(size, end.size() + rest) - end.size() - rest});
      keep_last_block(reading, end, end_fresh);
    }
    if (most > kFirstBytes && !is_known_from_begin(tried.recipe.mode)) add_middle(tried, reading, inputs);
    return std::make_shared<Reading>(std::move(reading));
  }

 private:
  void add_middle(const Tried& tried, Reading& reading, std::set<std::uint64_t>& inputs) const {
    for (const std::span<const std::byte> part : view_.middle) {
      const auto data = part.subspan(kBlockBytes);
      const core::WipedBytes plaintext = decrypted(tried, data, iv_of(part), false);
      const auto fresh = fresh_of(tried, data, iv_of(part), inputs);
      reading.middle = reading.middle + evidence_of(plaintext, fresh, {reading.beginning, 1}).going_on[0];
    }
  }

  // Without a rest of a block that the story makes nothing of.
  static std::span<const std::byte> blocks(const Tried& tried, std::span<const std::byte> data, bool to_end) {
    const bool takes_all =
        !mode::is_padded(tried.recipe.mode) || (to_end && mode::keeps_length(tried.recipe.padding));
    return takes_all ? data : data.first(data.size() - data.size() % kBlockBytes);
  }

  static void keep_last_block(Reading& reading, std::span<const std::byte> plaintext,
                              std::span<const std::uint8_t> fresh) {
    const auto last = plaintext.last(std::min(plaintext.size(), kBlockBytes));
    reading.last_block.assign(last.begin(), last.end());
    reading.is_end_fresh = fresh.empty() || fresh.back() != 0;
  }

  static mode::Iv iv_before(std::span<const std::byte> data, std::size_t end_bytes) {
    return iv_of(data.subspan(data.size() - end_bytes - kBlockBytes));
  }

  // Per byte, whether the cipher's input is new. A keystream's are named by the IV and the number of the
  // block.
  std::vector<std::uint8_t> fresh_of(const Tried& tried, std::span<const std::byte> ciphertext,
                                     const mode::Iv& before, std::set<std::uint64_t>& inputs) const {
    const Mode mode = tried.recipe.mode;
    std::vector<std::uint8_t> fresh(ciphertext.size(), 1);
    const bool is_keystream = mode == Mode::ofb || mode == Mode::ofb8 || mode == Mode::ctr;
    const auto is_new = [&](std::uint64_t input) {
      return !(input_.known != nullptr && input_.known->contains(input)) && inputs.insert(input).second;
    };
    std::uint64_t last = load_big(before);
    const std::size_t step = mode == Mode::cfb8 ? 1 : kBlockBytes;
    for (std::size_t at = 0; at < ciphertext.size(); at += step) {
      const auto part = ciphertext.subspan(at, std::min(step, ciphertext.size() - at));
      const std::uint64_t next = mode == Mode::cfb8 ? last << 8 | load_big(part) : load_big(part);
      const bool is_fresh = is_new(is_keystream                                ? load_big(before) + at / step
                                   : mode == Mode::cfb64 || mode == Mode::cfb8 ? last
                                                                               : next);
      std::ranges::fill(std::span(fresh).subspan(at, part.size()), is_fresh ? 1 : 0);
      last = next;
    }
    return fresh;
  }

  // The last `bytes` and some more; empty if they cannot be decrypted. Noise is not worth all that stands
  // before it but in pcbc: a pcbc file may look right in cbc, and its end shows the truth.
  core::WipedBytes end_of(const Tried& tried, double bits_before, std::size_t bytes) const {
    const Mode mode = tried.recipe.mode;
    const auto size = static_cast<std::size_t>(view_.size_bytes.value_or(0));
    const std::size_t before =
        (size + input_.bytes_behind - std::min(bytes, size)) / kBlockBytes * kBlockBytes;
    if (before >= size) return {};
    bytes = size - before;
    if (is_known_from_begin(mode)) {
      if (!view_.whole || (bits_before < 1 && mode != Mode::pcbc)) return {};
      core::WipedBytes all = decrypted(tried, view_.head, tried.iv, true);
      const std::size_t kept = std::min(bytes - (view_.head.size() - all.size()), all.size());
      all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(kept));
      return all;
    }
    if (view_.tail.size() < bytes + kBlockBytes) return {};
    const auto tail = std::span(view_.tail).last(bytes + kBlockBytes);
    return decrypted(tried, tail.subspan(kBlockBytes), iv_of(tail), true);
  }

  // `to_end`: of all.
  core::WipedBytes decrypted(const Tried& tried, std::span<const std::byte> ciphertext, const mode::Iv& iv,
                             bool to_end) const {
    mode::Settings settings = settings_of(tried);
    settings.iv = iv;
    ciphertext = blocks(tried, ciphertext, to_end);
    if (!to_end || !can_have_size(tried.recipe, ciphertext.size())) settings.padding = mode::Padding::none;
    core::WipedBytes bytes(ciphertext.begin(), ciphertext.end());
    mode::CipherStream(engine_, schedule_, settings, Direction::decrypt).process(bytes, bytes.size(), true);
    return bytes;
  }

  engine::Engine& engine_;
  const View& view_;
  const RecipeInput& input_;
  cipher::Schedule schedule_;
};

// In a mode without padding, one length in eight is whole blocks. Crypt::CBC fills those of cfb.
double bits_of_length(const Recipe& recipe, std::uint64_t size) {
  const bool is_stream = !mode::is_padded(recipe.mode) && recipe.padding == TailPadding::none;
  const bool is_filled = recipe.is_crypt_cbc && recipe.mode == Mode::cfb64;
  return is_stream && !is_filled && size % kBlockBytes == 0 ? kWholeBlocksBits : 0;
}

// The evidence of a padding of so many bytes: none where it keeps the length, and of iso10126 only the last
// byte is known.
double bits_of_padding(TailPadding padding, std::size_t bytes) {
  if (padding == TailPadding::none || mode::keeps_length(padding)) return 0;
  return 8.0 * static_cast<double>(padding == TailPadding::iso10126 ? 1 : bytes) - 3;
}

void weigh(Tried& tried, const View& view) {
  const Recipe& recipe = tried.recipe;
  Seen& seen = tried.seen.front();
  const Reading& reading = *seen.reading;
  const std::uint64_t size = view.size_bytes.value_or(0);
  const bool has_size = !view.size_bytes || can_have_size(recipe, size);
  if (has_size && reading.end) seen.taken = padding_bytes(recipe.padding, reading.last_block);
  tried.is_damaged = !has_size || (reading.end && !seen.taken);
  tried.of_damage = tried.is_damaged ? kDamageBits + (size % kBlockBytes == 0 ? kWholeBlocksBits : 0) : 0;
  if (tried.is_damaged) seen.taken = 0;
  const bool ends = reading.end && !tried.is_damaged;
  const double of_story =
      std::log2(recipe.prior) + tried.of_damage + (ends ? bits_of_length(recipe, size) : 0);
  const double padding = ends ? bits_of_padding(recipe.padding, *seen.taken) : 0;
  tried.before_end = reading.bits.all + of_story + padding;
  tried.bits = reading.bits + reading.middle + Bits{of_story, of_story} +
               Bits{padding, reading.is_end_fresh ? padding : 0};
  if (!reading.end) return;
  const auto& [going_on, ending] = *reading.end;
  const double cut =
      log2_sum(going_on.front().all, going_on.back().all) - 1;  // the last block may be another
  tried.bits = tried.bits + (ends ? ending[*seen.taken] : Bits{cut, going_on.front().sure});
}

bool is_sufficient_match(const Tried& tried) {
  return !tried.is_damaged && is_sufficient({.certain = false, .bits = tried.bits.sure});
}

// Whether one stream serves both.
bool have_one_derivation(const Recipe& a, const Recipe& b) {
  const bool same_cut = a.derivation != Derivation::md5_chain_of_cut || a.key_bytes == b.key_bytes;
  return a.derivation == b.derivation && a.digest == b.digest && a.iterations == b.iterations && same_cut;
}

// Tries the recipes of one ciphertext.
class Trials {
 public:
  Trials(engine::Engine& engine, const RecipeInput& input, Lookahead& source)
      : engine_(engine), input_(input), view_(look_at(source, input)) {}

  // In the order of `recipes`, which ends before an expensive derivation if an earlier recipe suffices.
  std::vector<Tried> run(const std::vector<Recipe>& recipes, const auth::SecretBytes& secret) {
    std::size_t longest_key = 0;
    for (const Recipe& recipe : recipes) longest_key = std::max(longest_key, recipe.key_bytes);
    // PBKDF2 is slow on purpose: once for all recipes that share it.
    std::shared_ptr<const auth::SecretBytes> stream;
    for (const Recipe& recipe : recipes) {
      if (all_.empty() || !have_one_derivation(all_.back().recipe, recipe)) {
        if (recipe.iterations > kDearIterations && std::ranges::any_of(all_, is_sufficient_match)) break;
        stream = std::make_shared<const auth::SecretBytes>(
            derive(recipe, secret, input_, longest_key + kBlockBytes));
        first_of_derivation_ = all_.size();
        reader_.reset();
      }
      add(cut(recipe, stream, input_));
    }
    if (!view_.is_small && input_.depth == Depth::as_needed) read_again();
    return std::move(all_);
  }

 private:
  void add(Tried tried) {
    const auto of_derivation = std::span(all_).subspan(first_of_derivation_);
    const auto known =
        std::ranges::find_if(of_derivation, [&](const Tried& one) { return have_one_plaintext(one, tried); });
    if (known != of_derivation.end()) {
      tried.seen.push_back({known->seen.front().reading, {}});
    } else {
      const bool is_same_key = reader_ && std::ranges::equal(all_.back().key->span(), tried.key->span());
      if (!is_same_key) reader_.emplace(engine_, view_, input_, *tried.key);
      tried.seen.push_back(
          {reader_->read(tried, input_.depth == Depth::all ? view_.head.size() : view_.first_bytes), {}});
    }
    weigh(tried, view_);
    all_.push_back(std::move(tried));
  }

  // Those that the first bytes leave in doubt.
  void read_again() {
    std::vector<Tried*> order;
    for (Tried& tried : all_) order.push_back(&tried);
    std::ranges::stable_sort(order, [](const Tried* a, const Tried* b) { return is_better(*a, *b); });
    const Bits best = order.front()->bits;
    std::vector<Tried*> doubted;
    for (Tried* const tried : order) {
      const bool is_known = std::ranges::any_of(doubted, [&](const Tried* one) {
        return one->seen.front().reading == tried->seen.front().reading;
      });
      if (is_known || doubted.size() == kMaxReadAgain) continue;
      const bool is_behind = lead_of(*order.front(), *tried) > 2 * kNeededLeadBits;
      if (is_behind && is_sufficient({.certain = false, .bits = best.sure})) continue;
      doubted.push_back(tried);
    }
    if (doubted.size() == 1 && is_sufficient_match(*order.front())) return;
    for (const Tried* const tried : doubted) {
      const auto before = tried->seen.front().reading;
      const auto again = Reader(engine_, view_, input_, *tried->key).read(*tried, view_.head.size());
      for (Tried& one : all_) {
        if (one.seen.front().reading != before) continue;
        one.seen.front() = {again, {}};
        weigh(one, view_);
      }
    }
  }

  engine::Engine& engine_;
  const RecipeInput& input_;
  View view_;
  std::vector<Tried> all_;
  std::size_t first_of_derivation_ = 0;
  std::optional<Reader> reader_;
};

// Under a wrong secret the ratio below has mean 1 as that of one message does (story.hpp), so that sums of
// bits mean the same.
constexpr double kDamagedShare = 1.0 / 64;

// A message that has been opened before is no new evidence.
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

// Whether more messages need not be read. Of several, equal paddings add up to more than one message has to
// show.
bool is_decided(const std::vector<Tried>& all) {
  const Tried& best =
      *std::ranges::max_element(all, [](const Tried& a, const Tried& b) { return is_better(b, a); });
  return is_sufficient({.certain = false, .bits = best.bits.sure}) &&
         std::ranges::none_of(all, [&](const Tried& other) {
           return best.bits.all - other.bits.all < kSufficientEvidenceBits && !gives_same(best, other);
         });
}

}  // namespace

bool is_better(const Tried& a, const Tried& b) {
  return a.bits.all > b.bits.all;
}

void sort_stories(std::vector<Tried>& all) {
  std::ranges::stable_sort(all, is_better);
}

std::vector<Tried> try_recipes(engine::Engine& engine, const std::vector<Recipe>& recipes,
                               const auth::SecretBytes& secret, const RecipeInput& input, Lookahead& source) {
  std::vector<Tried> all = Trials(engine, input, source).run(recipes, secret);
  sort_stories(all);
  return all;
}

std::vector<Tried> try_recipes(engine::Engine& engine, std::vector<Recipe> recipes,
                               const auth::SecretBytes& secret, std::span<const TrialMessage> messages,
                               bool until_decided) {
  std::vector<Tried> all;
  for (const Recipe& recipe : recipes) {
    const double prior = std::log2(recipe.prior);
    all.push_back({.recipe = recipe, .bits = {prior, prior}, .is_damaged = true});
  }
  std::map<std::vector<std::byte>, std::set<std::uint64_t>> known_of_salt;  // each gives another key
  for (const TrialMessage& message : messages) {
    stream::MemorySource memory(message.ciphertext);
    Lookahead source(memory);
    RecipeInput input = message.input;
    std::set<std::uint64_t>& known = known_of_salt[input.salt];
    input.known = &known;
    std::vector<Tried> tried = Trials(engine, input, source).run(recipes, secret);
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

}  // namespace fugu::format
