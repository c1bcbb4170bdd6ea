#include <algorithm>
#include <cmath>
#include <deque>

#include "fugu/format/detail/filters.hpp"
#include "fugu/format/detail/message.hpp"
#include "fugu/format/detail/recipes.hpp"

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

// Tries the recipes of one ciphertext.
class Trials {
 public:
  Trials(engine::Engine& engine, const RecipeInput& input, Lookahead& source)
      : engine_(engine), input_(input), view_(look_at(source, input)) {}

  std::vector<Tried> run(const std::vector<Recipe>& recipes, const auth::SecretBytes& secret) {
    std::size_t longest_key = 0;
    for (const Recipe& recipe : recipes) longest_key = std::max(longest_key, recipe.key_bytes);
    Stream stream;  // PBKDF2 is slow on purpose: once for all recipes that share it
    for (const Recipe& recipe : recipes) {
      if (all_.empty() || !have_one_derivation(all_.back().recipe, recipe)) {
        if (recipe.iterations > kDearIterations && std::ranges::any_of(all_, is_sufficient_match)) break;
        stream = derive(recipe, secret, input_, longest_key + kBlockBytes);
        first_of_derivation_ = all_.size();
        reader_.reset();
      }
      Tried tried;
      tried.recipe = recipe;
      cut(stream, input_, tried);
      add(std::move(tried));
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

// For an end that was not seen when the recipe was chosen.
Error wrong_end(const Tried& found, std::span<const std::byte> tail) {
  const auto taken = [&](const Recipe& other) { return padding_bytes(other.padding, tail).value_or(0); };
  const auto other = std::ranges::max_element(found.other_ends, {}, taken);
  const std::string text = ends_wrong("", found.bits.sure);
  if (other != found.other_ends.end() && taken(*other) != 0)
    return {Errc::unknown_format, text + "; or give " + recipe_options(*other)};
  const auto none = std::ranges::find(found.other_ends, TailPadding::none, &Recipe::padding);
  if (none == found.other_ends.end()) return {Errc::damaged, text + ", or it has another padding"};
  return {Errc::damaged, text + "; or it has no padding: then give " + recipe_options(*none)};
}

}  // namespace

bool is_better(const Tried& a, const Tried& b) {
  return a.bits.all > b.bits.all;
}

void sort_stories(std::vector<Tried>& all) {
  std::ranges::stable_sort(all, is_better);
}

std::vector<Tried> try_in_order(engine::Engine& engine, const std::vector<Recipe>& recipes,
                                const auth::SecretBytes& secret, const RecipeInput& input,
                                Lookahead& source) {
  return Trials(engine, input, source).run(recipes, secret);
}

std::vector<Tried> try_recipes(engine::Engine& engine, const std::vector<Recipe>& recipes,
                               const auth::SecretBytes& secret, const RecipeInput& input, Lookahead& source) {
  std::vector<Tried> all = try_in_order(engine, recipes, secret, input, source);
  sort_stories(all);
  return all;
}

void seal_recipe(const Job& job, const Recipe& recipe, const auth::SecretBytes& secret,
                 const RecipeInput& input) {
  const Tried made = keyed(recipe, secret, input);
  mode::Settings settings = settings_of(made);
  settings.padding = mode::Padding::pkcs7;
  run_cipher(job, made.key->span(), settings, Direction::encrypt);
}

void run_recipe(const Job& job, const Tried& found) {
  HoldBack sink(job.sink, kBlockBytes, [&](std::span<const std::byte> tail) {
    const std::optional<std::size_t> seen = found.seen.empty() ? std::nullopt : found.seen.front().taken;
    const std::optional<std::size_t> bytes = seen ? seen : padding_bytes(found.recipe.padding, tail);
    const bool is_valid = bytes && *bytes <= tail.size();
    if (!is_valid && job.salvage != nullptr) {
      note_damage(*job.salvage, kEndsWithoutPadding);
      return tail.size();
    }
    if (!is_valid && found.bits.sure >= kPlausibleBits) throw wrong_end(found, tail);
    if (!is_valid)
      throw Error(Errc::wrong_key, "the padding is not valid: wrong passphrase, or damaged data");
    return tail.size() - *bytes;
  });
  const bool takes_off = found.recipe.padding != TailPadding::none && !found.is_damaged;
  run_cipher(with_sink(job, takes_off ? sink : job.sink), found.key->span(), settings_of(found),
             Direction::decrypt);
}

}  // namespace fugu::format
