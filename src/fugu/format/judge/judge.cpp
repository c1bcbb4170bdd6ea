#include "fugu/format/judge/judge.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

#include "fugu/error.hpp"
#include "fugu/format/codec.hpp"
#include "fugu/format/detail/filters.hpp"
#include "fugu/format/detail/message.hpp"
#include "fugu/format/judge/detail/derive.hpp"

namespace fugu::format {
namespace {

using core::kBlockBytes;
using mode::Direction;
using mode::Mode;

// Looked at first. The end of a ciphertext that is not longer than kSmallBytes is in its beginning.
constexpr std::size_t kFirstBytes = 512;
constexpr std::size_t kFirstEndBytes = 128;
constexpr std::size_t kSmallBytes = 1024;

// Looked at where that does not decide, in no more than kMostReadAgain readings.
constexpr std::size_t kEndBytes = 4096;
constexpr std::size_t kMostReadAgain = 12;

// Of what looks like noise so far less is read: text may follow it.
constexpr std::size_t kMostNoiseBytes = 8192;
constexpr std::size_t kMostNoiseReadAgain = 4;

// Blocks of text or of records, added up in pcbc, or subtracted in cbc, may be as regular as before: between
// these two modes a lead grows with the data.
constexpr double kSumBitsPerByte = 0.25;

// One file in 2^15 was cut or changed at its end, and one cut in eight leaves whole blocks.
constexpr double kDamageBits = -15;
constexpr double kWholeBlocksBits = -3;

// The part of a ciphertext that is readable before all of it is decrypted.
struct View {
  std::span<const std::byte> head;
  bool whole = false;  // head is all of it
  std::optional<std::uint64_t> size_bytes;
  std::vector<std::byte>
      tail;  // the last kEndBytes or some more, behind a block for the chain; empty: unseen
  std::size_t first_bytes = kFirstBytes;
  bool is_small = false;  // all is looked at
};

View look_at(Lookahead& source, const RecipeInput& input) {
  View view;
  view.head = source.peek(kLookaheadBytes);
  view.size_bytes = source.bytes_left();
  view.whole = view.size_bytes == view.head.size();
  view.first_bytes -= std::min(kFirstBytes, input.bytes_before);
  const std::uint64_t size = view.size_bytes.value_or(0);
  view.is_small = view.whole && size + input.bytes_before + input.bytes_behind <= kSmallBytes;
  if (view.is_small) return view;
  view.tail.resize(static_cast<std::size_t>(std::min<std::uint64_t>(size, kEndBytes + 2 * kBlockBytes)));
  if (!source.peek_end(view.tail)) view.tail.clear();
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
      : engine_(engine), view_(view), input_(input), schedule_(schedule_of(key.span())) {}

  // No more than the first `most` bytes, and the end.
  std::shared_ptr<const Reading> read(const Tried& tried, std::size_t most) const {
    Reading reading;
    const auto head = blocks(tried, view_.head);
    reading.is_whole = view_.is_small || (view_.whole && most >= head.size());
    const std::size_t end_bytes = most > kFirstBytes ? kEndBytes : kFirstEndBytes;
    const std::uint64_t size = view_.size_bytes.value_or(kLookaheadBytes + end_bytes);
    most = static_cast<std::size_t>(
        std::min<std::uint64_t>(most, size - std::min<std::uint64_t>(size, end_bytes)));
    reading.beginning = decrypted(
        tried, reading.is_whole ? head : blocks(tried, head.first(std::min(most, head.size()))), tried.iv);
    std::set<std::uint64_t> inputs;
    const auto fresh = fresh_of(tried, head.first(reading.beginning.size()), tried.iv, inputs);
    const EvidenceBits beginning = evidence_of(reading.beginning, Place::beginning, fresh);
    if (reading.is_whole) {
      reading.end = beginning;
      keep_last_block(reading, reading.beginning, fresh);
      return std::make_shared<Reading>(std::move(reading));
    }
    reading.bits = beginning.going_on[0];
    const core::WipedBytes end = end_of(tried, reading.bits.sure, end_bytes);
    if (!end.empty()) {
      const std::span<const std::byte> tail = view_.tail.empty() ? view_.head : view_.tail;
      const std::uint64_t rest =
          mode::is_padded(tried.recipe.mode) ? view_.size_bytes.value_or(0) % kBlockBytes : 0;
      const auto data = tail.first(tail.size() - static_cast<std::size_t>(rest));
      const auto end_fresh = fresh_of(tried, data.last(end.size()), iv_before(data, end.size()), inputs);
      reading.end = evidence_of(end, Place::inside, end_fresh);
      keep_last_block(reading, end, end_fresh);
    }
    return std::make_shared<Reading>(std::move(reading));
  }

 private:
  static std::span<const std::byte> blocks(const Tried& tried, std::span<const std::byte> data) {
    return mode::is_padded(tried.recipe.mode) ? data.first(data.size() - data.size() % kBlockBytes) : data;
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

  // Per byte, whether the cipher's input is new. Keystreams never repeat theirs.
  std::vector<std::uint8_t> fresh_of(const Tried& tried, std::span<const std::byte> ciphertext,
                                     const mode::Iv& before, std::set<std::uint64_t>& inputs) const {
    const Mode mode = tried.recipe.mode;
    std::vector<std::uint8_t> fresh(ciphertext.size(), 1);
    if (mode == Mode::ofb || mode == Mode::ofb8 || mode == Mode::ctr) return fresh;
    const auto is_new = [&](std::uint64_t input) {
      return !(input_.known != nullptr && input_.known->contains(input)) && inputs.insert(input).second;
    };
    std::uint64_t last = load_big(before);
    const std::size_t step = mode == Mode::cfb8 ? 1 : kBlockBytes;
    for (std::size_t at = 0; at < ciphertext.size(); at += step) {
      const auto part = ciphertext.subspan(at, std::min(step, ciphertext.size() - at));
      const std::uint64_t next = mode == Mode::cfb8 ? last << 8 | load_big(part) : load_big(part);
      const bool is_fresh = is_new(mode == Mode::cfb64 || mode == Mode::cfb8 ? last : next);
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
      core::WipedBytes all = decrypted(tried, blocks(tried, view_.head), tried.iv);
      const std::size_t kept = std::min(bytes - (view_.head.size() - all.size()), all.size());
      all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(kept));
      return all;
    }
    if (view_.tail.size() < bytes + kBlockBytes) return {};
    const auto tail = std::span(view_.tail).last(bytes + kBlockBytes);
    return decrypted(tried, blocks(tried, tail.subspan(kBlockBytes)), iv_of(tail));
  }

  core::WipedBytes decrypted(const Tried& tried, std::span<const std::byte> ciphertext,
                             const mode::Iv& iv) const {
    mode::Settings settings = settings_of(tried);
    settings.iv = iv;
    core::WipedBytes bytes(ciphertext.begin(), ciphertext.end());
    transform(engine_, schedule_, settings, Direction::decrypt, bytes);
    return bytes;
  }

  engine::Engine& engine_;
  const View& view_;
  const RecipeInput& input_;
  cipher::Schedule schedule_;
};

// In a mode without padding, one length in eight is whole blocks. Crypt::CBC fills them.
double bits_of_length(const Recipe& recipe, std::uint64_t size) {
  const bool is_stream = !mode::is_padded(recipe.mode) && recipe.padding == TailPadding::none;
  return is_stream && !recipe.is_crypt_cbc && size % kBlockBytes == 0 ? kWholeBlocksBits : 0;
}

void weigh(Tried& tried, const View& view) {
  const Recipe& recipe = tried.recipe;
  Seen& seen = tried.seen.front();
  const Reading& reading = *seen.reading;
  double of_story = std::log2(recipe.prior);
  const std::uint64_t size = view.size_bytes.value_or(0);
  const bool has_size = !view.size_bytes || can_have_size(recipe, size);
  if (has_size && reading.end) seen.taken = padding_bytes(recipe.padding, reading.last_block);
  tried.is_damaged = !has_size || (reading.end && !seen.taken);
  if (tried.is_damaged) {
    seen.taken = 0;
    of_story += kDamageBits + (size % kBlockBytes == 0 ? kWholeBlocksBits : 0);
  } else if (reading.end) {
    of_story += bits_of_length(recipe, size);
  }
  tried.bits = reading.bits + Bits{of_story, of_story};
  tried.before_end = tried.bits.all;
  if (!reading.end) return;
  if (tried.is_damaged) {  // the last block may be another one
    const auto& ends = reading.end->going_on;
    tried.bits = tried.bits + Bits{log2_sum(ends.front().all, ends.back().all) - 1, ends.front().sure};
    return;
  }
  const double padding = bits_of_padding(recipe.padding, *seen.taken);
  tried.before_end += padding;
  tried.bits =
      tried.bits + reading.end->ending[*seen.taken] + Bits{padding, reading.is_end_fresh ? padding : 0};
}

bool is_sufficient_match(const Tried& tried) {
  return !tried.is_damaged && is_sufficient({.certain = false, .bits = tried.bits.sure});
}

// Where the end of one is not seen, that of the other is no lead: behind zeros, cfb and ofb go on alike.
double lead_of(const Tried& a, const Tried& b) {
  const auto sees_end = [](const Tried& one) { return one.seen.front().reading->end.has_value(); };
  return sees_end(a) == sees_end(b) ? a.bits.all - b.bits.all : a.before_end - b.before_end;
}

// Tries the recipes of one ciphertext.
class Trials {
 public:
  Trials(engine::Engine& engine, const RecipeInput& input, Lookahead& source)
      : engine_(engine), input_(input), view_(look_at(source, input)) {}

  std::vector<Tried> run(const std::vector<Recipe>& recipes, const auth::SecretBytes& secret) {
    std::size_t longest_key = 0;
    for (const Recipe& recipe : recipes) longest_key = std::max(longest_key, recipe.key_bytes);
    auth::SecretBytes stream;  // PBKDF2 is slow on purpose: once for all recipes that share it
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
      const bool is_same_key = reader_ && std::ranges::equal(all_.back().key.span(), tried.key.span());
      if (!is_same_key) reader_.emplace(engine_, view_, input_, tried.key);
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
    const bool is_noise = best.sure < kWeakMatchBits;
    const std::size_t most = is_noise ? kMostNoiseReadAgain : kMostReadAgain;
    std::vector<Tried*> doubted;
    for (Tried* const tried : order) {
      const bool is_known = std::ranges::any_of(doubted, [&](const Tried* one) {
        return one->seen.front().reading == tried->seen.front().reading;
      });
      if (is_known || doubted.size() == most) continue;
      const bool is_behind = lead_of(*order.front(), *tried) > 2 * kNeededLeadBits;
      if (is_behind && is_sufficient({.certain = false, .bits = best.sure})) continue;
      doubted.push_back(tried);
    }
    if (doubted.size() == 1 && is_sufficient_match(*order.front())) return;
    for (const Tried* const tried : doubted) {
      const auto before = tried->seen.front().reading;
      const auto again =
          Reader(engine_, view_, input_, tried->key)
              .read(*tried, is_noise ? std::min(kMostNoiseBytes, view_.head.size()) : view_.head.size());
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

// Stories with the same content.
struct Content {
  const Tried* best;
  double bits;
};

// Those that anything may depend on, best first.
std::vector<Content> contents_of(const std::vector<Tried>& all) {
  std::vector<Content> contents;
  for (const Tried& tried : all) {
    if (lead_of(all.front(), tried) > kSureLeadBits + kNeededLeadBits) continue;
    const auto same =
        std::ranges::find_if(contents, [&](const Content& one) { return gives_same(*one.best, tried); });
    if (same == contents.end()) {
      contents.push_back({&tried, tried.bits.all});
    } else {
      same->bits = log2_sum(same->bits, tried.bits.all);
    }
  }
  std::ranges::stable_sort(contents, std::ranges::greater(), &Content::bits);
  return contents;
}

// Where the content looks like noise, one byte of padding may be the only sign of the right secret: a usual
// recipe reaches this.
constexpr double kUsualRecipeBits = -3;

bool fits_by_padding(const Tried& tried) {
  return !tried.is_damaged && tried.seen.front().taken && mode::always_pads(tried.recipe.padding) &&
         tried.bits.sure >= kUsualRecipeBits;
}

// What says that the padding of a program's default is one: with one byte, the priors have to.
constexpr double kUsualPaddingBits = 14;

std::string by_chance(double bits) {
  return " (a wrong one does once in 2^" + std::to_string(std::lround(std::min(bits, 100.0))) + ")";
}

// Decides among the contents.
class Choice {
 public:
  Choice(const std::vector<Tried>& all, const RecipeNames& names)
      : names_(names), contents_(contents_of(all)) {
    for (const Tried& tried : all) bits_ = log2_sum(bits_, tried.bits.sure);
    shows_more_ = bits_ >= kWeakMatchBits;
  }

  Verdict decide(bool accepted) {
    const auto shown = std::ranges::find_if(contents_, [&](const Content& one) { return is_shown(one); });
    const Content best = shown == contents_.end() ? contents_.front() : *shown;
    if (best.best->is_damaged) throw damaged(best);
    const Content chosen = with_its_end(best);
    Verdict verdict{.found = {}, .bits = bits_};
    for (const Content& other : contents_) {
      if (is_beside(other, chosen)) continue;
      const double lead = lead_between(best, other);
      if (lead < kNeededLeadBits && is_shown(other))
        throw Error(Errc::unknown_format, "the passphrase fits " + named(*best.best) + " and also " +
                                              named(*other.best) + "; give " +
                                              names_.flags(best.best->recipe) + ", or " +
                                              names_.flags(other.best->recipe));
      const double sure = kSureLeadBits - (are_sums(best, other) ? kNeededLeadBits : 0);
      if (lead < sure) doubt(verdict, lead, names_.describe(other.best->recipe) + " fits too");
    }
    if (!is_sufficient({.certain = false, .bits = bits_}) && !accepted)
      throw Error(Errc::unknown_format,
                  "the passphrase fits " + named(*chosen.best) +
                      ", but a wrong one could by chance; if these are the parameters, give " +
                      names_.flags(chosen.best->recipe) + ", or --yes");
    note_end(verdict, chosen);
    verdict.found = std::move(const_cast<Tried&>(*chosen.best));
    return verdict;
  }

 private:
  bool is_shown(const Content& one) const {
    return shows_more_ ? one.bits >= kWeakMatchBits : fits_by_padding(*one.best);
  }

  std::string named(const Tried& tried) const {
    return names_.describe(tried.recipe) + (tried.is_damaged ? ", cut or changed at its end" : "") +
           (shows_more_ ? "" : " by its padding alone");
  }

  // Whether they differ at the end alone.
  static bool is_beside(const Content& a, const Content& b) {
    if (have_one_plaintext(*a.best, *b.best)) return true;
    if (!is_seen_whole(*a.best) || !is_seen_whole(*b.best) || a.best->seen.size() != 1) return false;
    const auto in_a = content_of(a.best->seen.front());
    const auto in_b = content_of(b.best->seen.front());
    const std::size_t bytes = std::min(in_a.size(), in_b.size());
    return std::ranges::equal(in_a.first(bytes), in_b.first(bytes));
  }

  static bool are_sums(const Content& a, const Content& b) {
    return (a.best->recipe.mode == Mode::pcbc) != (b.best->recipe.mode == Mode::pcbc);
  }

  static double lead_between(const Content& a, const Content& b) {
    const double lead = std::min(a.bits - b.bits, lead_of(*a.best, *b.best));
    const auto bytes = static_cast<double>(a.best->seen.front().reading->beginning.size());
    return lead - (are_sums(a, b) ? kNeededLeadBits + kSumBitsPerByte * bytes : 0);
  }

  static double needed_to_take(const Tried& tried) {
    return tried.recipe.padding == TailPadding::pkcs7 ? kUsualPaddingBits : kSufficientEvidenceBits;
  }

  // Padding that does not say where it begins takes the data's own zeros or spaces off too.
  static bool may_end_in_filler(const Tried& tried) {
    constexpr double kUnlikelyBits = 8;
    const TailPadding padding = tried.recipe.padding;
    const bool is_filler = padding == TailPadding::zero || padding == TailPadding::always_zero ||
                           padding == TailPadding::space || padding == TailPadding::always_space;
    const Seen& seen = tried.seen.front();
    if (!is_filler || !seen.reading->end || seen.taken.value_or(0) == 0) return false;
    const auto& ends = seen.reading->end->going_on;
    return ends[*seen.taken - 1].all > ends[*seen.taken].all - kUnlikelyBits;
  }

  // The longest, unless what it has more is padding.
  Content with_its_end(const Content& best) const {
    std::vector<Content> ends;
    for (const Content& one : contents_) {
      if (is_beside(one, best) && !one.best->is_damaged) ends.push_back(one);
    }
    std::ranges::stable_sort(ends, {}, [](const Content& one) { return one.best->taken(); });
    Content chosen = ends.front();
    double longer = chosen.bits;
    for (const Content& one : ends) {
      if (one.best->taken() == chosen.best->taken()) continue;
      if (one.bits - longer >= needed_to_take(*one.best) && !may_end_in_filler(*one.best)) chosen = one;
      longer = log2_sum(longer, one.bits);
    }
    return chosen;
  }

  void note_end(Verdict& verdict, const Content& chosen) const {
    for (const Content& other : contents_) {
      if (!is_beside(other, chosen) || other.best->is_damaged || other.best == chosen.best) continue;
      const std::size_t taken = chosen.best->taken();
      const std::size_t others = other.best->taken();
      const std::string flags = names_.flags(other.best->recipe);
      const double lead = chosen.bits - other.bits;
      if (others > taken && lead < kNeededLeadBits)
        verdict.notes.push_back("the last " + counted(others - taken) + " may be padding, and " +
                                (others - taken == 1 ? "was" : "were") + " left: " + flags +
                                " takes off what is");
      // Data that another program padded are written under Crypt::CBC's padding none, and end the same way.
      const bool may_be_padded_data = chosen.best->recipe.is_crypt_cbc && taken == kBlockBytes;
      if (others >= taken || (lead >= kSufficientEvidenceBits && !may_be_padded_data)) continue;
      verdict.all_content = false;
      if (lead < kNeededLeadBits || may_be_padded_data)
        doubt(verdict, lead, "the last " + counted(taken) + " may be data: " + flags + " keeps them");
    }
  }

  static std::string counted(std::size_t bytes) {
    return bytes == 1 ? "byte" : std::to_string(bytes) + " bytes";
  }

  static void doubt(Verdict& verdict, double lead, const std::string& text) {
    verdict.all_content = false;
    verdict.notes.push_back(text + " (less likely by 2^" + std::to_string(std::lround(lead)) + ")");
  }

  Error damaged(const Content& best) const {
    std::string text = "the passphrase fits " + names_.describe(best.best->recipe) + by_chance(bits_) +
                       ", but the file does not end as it should: it was cut, or its end changed";
    for (const Content& other : contents_) {
      if (!is_beside(other, best) || other.best->is_damaged || best.bits - other.bits > kNeededLeadBits)
        continue;
      return {Errc::unknown_format,
              text + "; or it has no padding: then give " + names_.flags(other.best->recipe)};
    }
    return {is_sufficient({.certain = false, .bits = bits_}) ? Errc::damaged : Errc::unknown_format, text};
  }

  const RecipeNames& names_;
  std::vector<Content> contents_;
  double bits_ = -INFINITY;
  bool shows_more_;
};

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

bool may_fit(const std::vector<Tried>& all) {
  return std::ranges::any_of(all, [](const Tried& one) { return one.bits.sure >= kWeakMatchBits; }) ||
         std::ranges::any_of(all, fits_by_padding);
}

Verdict choose_recipe(std::vector<Tried> all, bool accepted, const RecipeNames& names) {
  return Choice(all, names).decide(accepted);
}

Verdict only_recipe(std::vector<Tried>&& all, const std::string& description) {
  Tried& only = all.front();
  if (only.is_damaged && is_sufficient({.certain = false, .bits = only.bits.sure}))
    throw Error(Errc::damaged, "the passphrase fits" + by_chance(only.bits.sure) +
                                   ", but the file does not end as it should: it was cut, or its end "
                                   "changed, or it is not " +
                                   description);
  if (only.is_damaged)
    throw Error(Errc::wrong_key, "wrong passphrase, or not " + description + ", or a damaged end");
  const double bits = only.bits.sure;
  return {std::move(only), bits};
}

void seal_recipe(const Job& job, const Recipe& recipe, const auth::SecretBytes& secret,
                 const RecipeInput& input) {
  const Tried made = keyed(recipe, secret, input);
  mode::Settings settings = settings_of(made);
  settings.padding = mode::Padding::pkcs7;
  run_cipher(job, made.key.span(), settings, Direction::encrypt);
}

void run_recipe(const Job& job, const Tried& found) {
  const auto sink = hold_back(job.sink, kBlockBytes, [&](std::span<const std::byte> tail) {
    const std::optional<std::size_t> seen = found.seen.empty() ? std::nullopt : found.seen.front().taken;
    const std::optional<std::size_t> bytes = seen ? seen : padding_bytes(found.recipe.padding, tail);
    if (!bytes || *bytes > tail.size())
      throw Error(Errc::wrong_key, "the padding is not valid: wrong passphrase, or damaged data");
    return tail.size() - *bytes;
  });
  const bool takes_off = found.recipe.padding != TailPadding::none;
  run_cipher(with_sink(job, takes_off ? *sink : job.sink), found.key.span(), settings_of(found),
             Direction::decrypt);
}

}  // namespace fugu::format
