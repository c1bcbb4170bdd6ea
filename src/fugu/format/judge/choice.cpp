// Chooses among the stories that were tried: which content it is, where that ends, and what is said of both.
// Then opens files and messages by the story that was chosen.
#include <algorithm>
#include <cmath>

#include "fugu/format/detail/filters.hpp"
#include "fugu/format/detail/message.hpp"
#include "fugu/format/detail/recipes.hpp"
#include "fugu/stream/memory.hpp"

namespace fugu::format {
namespace {

using core::kBlockBytes;

// "the passphrase fits bf-cbc, ... (a wrong one does once in 2^40), but the file does not end as it should:
// it was cut, or its end changed". `name`: with a blank in front, or empty.
std::string ends_wrong(const std::string& name, double bits) {
  return "the passphrase fits" + name + " (a wrong one does once in 2^" +
         std::to_string(std::lround(std::min(bits, 100.0))) +
         "), but the file does not end as it should: it was cut, or its end changed";
}

// Stories with the same content.
struct Content {
  Tried* best;
  double bits;
};

// Those that anything may depend on, best first. Where a block was cut, what others make of its rest is no
// lead.
std::vector<Content> contents_of(std::vector<Tried>& all) {
  constexpr double kBlockBits = 8 * kBlockBytes;
  std::vector<Content> contents;
  for (Tried& tried : all) {
    const double most = kSureLeadBits + kNeededLeadBits + (tried.is_damaged ? kBlockBits : 0);
    if (lead_of(all.front(), tried) > most && !have_one_plaintext(all.front(), tried)) continue;
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

// Whether one of them is worth a hint: the secret may be right.
bool may_fit(const std::vector<Tried>& all) {
  return std::ranges::any_of(all, [](const Tried& one) {
    return one.bits.sure >= kWeakMatchBits || fits_by_padding(one) || fits_but_for_damage(one);
  });
}

// Decides among the contents.
class Choice {
 public:
  explicit Choice(std::vector<Tried>& all) : all_(all), contents_(contents_of(all)) {
    for (const Tried& tried : all) {
      bits_ = log2_sum(bits_, tried.bits.sure);
      // Each recipe counts twice, whole and damaged, at most.
      bits_of_secret_ = log2_sum(bits_of_secret_, tried.bits_of_secret() - 1);
    }
    shows_more_ = bits_ >= kWeakMatchBits || std::ranges::any_of(all, fits_but_for_damage);
  }

  Verdict decide(bool accepted) {
    const auto shown = std::ranges::find_if(contents_, [&](const Content& one) { return is_shown(one); });
    const Content best = shown == contents_.end() ? contents_.front() : *shown;
    if (best.best->is_damaged) throw damaged(best);
    const std::string name = recipe_name(best.best->recipe);
    const std::string flags = recipe_options(best.best->recipe);
    if (!shows_more_ && !accepted)
      throw Error(Errc::unknown_format,
                  "perhaps a wrong passphrase: the plaintext looks like noise, and only its end fits " +
                      name + ", which may be chance; if the passphrase is right, give " + flags);
    const Content chosen = with_its_end(best);
    Verdict verdict{.found = {}, .bits = bits_};
    double least_lead = kSureLeadBits;
    const Content* next = nullptr;
    for (const Content& other : contents_) {
      if (is_beside(other, chosen)) continue;
      const double lead = lead_between(best, other);
      if (lead < kNeededLeadBits && is_shown(other)) {
        const std::string text = "the passphrase fits " + name + " and also " +
                                 recipe_name(other.best->recipe) +
                                 (other.best->is_damaged ? ", cut or changed at its end" : "") + "; give " +
                                 flags + ", or " + recipe_options(other.best->recipe);
        // A caller that salvages has already said that the file is damaged.
        const bool is_other =
            other.best->is_damaged && best.bits - other.bits - bits_of_rest(best, other) + kDamageBits < 0;
        throw DamagedFit(Errc::unknown_format, text, std::move(*(is_other ? other : best).best), bits_);
      }
      if (lead < kSureLeadBits) verdict.all_content = false;
      if (lead >= least_lead || !is_shown(other)) continue;
      least_lead = lead;
      next = &other;
    }
    if (next != nullptr) doubt(verdict, least_lead, recipe_name(next->best->recipe) + " fits too");
    if (!is_sufficient({.certain = false, .bits = bits_}) && !accepted) {
      const std::string text = "the passphrase fits " + name +
                               ", but a wrong one could by chance; if these are the parameters, give " +
                               flags + ", or ⟦yes⟧";
      if (bits_of_secret_ < kPlausibleBits) throw Error(Errc::unknown_format, text);
      throw DamagedFit(Errc::unknown_format, text, std::move(*best.best), bits_of_secret_);
    }
    note_end(verdict, chosen);
    for (const Tried& other : all_) {
      if (!chosen.best->seen.front().taken && other.recipe.padding != chosen.best->recipe.padding &&
          have_one_plaintext(*chosen.best, other))
        chosen.best->other_ends.push_back(other.recipe);
    }
    verdict.found = std::move(*chosen.best);
    return verdict;
  }

 private:
  bool is_shown(const Content& one) const {
    if (!shows_more_) return fits_by_padding(*one.best);
    return one.bits >= kWeakMatchBits || fits_but_for_damage(*one.best);
  }

  // Whether they differ at the end alone.
  static bool is_beside(const Content& a, const Content& b) {
    if (have_one_plaintext(*a.best, *b.best)) return true;
    return is_seen_whole(*a.best) && is_seen_whole(*b.best) &&
           std::ranges::equal(a.best->seen, b.best->seen, [](const Seen& x, const Seen& y) {
             return std::ranges::equal(x.reading->beginning, y.reading->beginning);
           });
  }

  double lead_between(const Content& a, const Content& b) const {
    const double lead = std::min(a.bits - b.bits, lead_of(*a.best, *b.best)),
                 without = lead - bits_of_rest(a, b);
    return without < -b.best->of_damage - kWeakMatchBits ? without : lead;
  }

  // Where `b` explains the whole blocks better, and a block behind them was cut, it is no lead what `a` makes
  // of that rest and of the end: behind zeros, cfb goes on with zeros where cbc does.
  double bits_of_rest(const Content& a, const Content& b) const {
    const auto bytes = [](const Content& one) { return one.best->seen.front().reading->beginning.size(); };
    const bool is_cut = is_shown(b) && b.best->is_damaged && is_seen_whole(*a.best);
    if (!is_cut || bytes(a) <= bytes(b) || bytes(a) - bytes(b) >= kBlockBytes) return 0;
    const auto& [reading, taken] = a.best->seen.front();
    return 8.0 * static_cast<double>(bytes(a) - bytes(b)) + reading->end->ending[*taken].all -
           reading->end->going_on[*taken].all;
  }

  // The longest, unless what it has more is padding. Where there is padding in any case, as there is where
  // zeros follow a byte of 80, its mark needs less to be no data.
  Content with_its_end(const Content& best) const {
    constexpr double kMarkBits = 12;
    std::vector<Content> ends;
    for (const Content& one : contents_) {
      if (is_beside(one, best) && !one.best->is_damaged) ends.push_back(one);
    }
    std::ranges::stable_sort(ends, {}, [](const Content& one) { return one.best->taken(); });
    Content chosen = ends.front();
    double whole = -INFINITY;
    double padded = -INFINITY;
    for (const Content& one : ends) {
      const std::size_t taken = one.best->taken();
      const double needed = taken < kBlockBytes ? kMarkBits : kSufficientEvidenceBits;
      const bool is_padding = !is_filler(one.best->recipe.padding) &&
                              one.bits - whole >= kSufficientEvidenceBits && one.bits - padded >= needed;
      if (taken != chosen.best->taken() && is_padding) chosen = one;
      double& of_these = taken == 0 ? whole : padded;
      of_these = log2_sum(of_these, one.bits);
    }
    return chosen;
  }

  void note_end(Verdict& verdict, const Content& chosen) const {
    for (const Content& other : contents_) {
      if (!is_beside(other, chosen) || other.best->is_damaged || other.best == chosen.best) continue;
      const std::size_t taken = chosen.best->taken();
      const std::size_t others = other.best->taken();
      const std::string flags = recipe_options(other.best->recipe);
      const double lead = chosen.bits - other.bits;
      if (others > taken && lead < kNeededLeadBits)
        verdict.notes.push_back("the last " + counted(others - taken) + " may be padding, and " +
                                (others - taken == 1 ? "was" : "were") + " left: " + flags +
                                " takes off what is");
      // Data that another program padded are written under Crypt::CBC's padding none, and end the same way.
      const bool may_be_padded_data = chosen.best->recipe.is_crypt_cbc && taken == kBlockBytes;
      if (others >= taken || (lead >= kSureLeadBits && !may_be_padded_data)) continue;
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

  DamagedFit damaged(const Content& best) const {
    std::string text = ends_wrong(" " + recipe_name(best.best->recipe), bits_of_secret_);
    for (const Content& other : contents_) {
      if (!is_beside(other, best) || other.best->is_damaged || best.bits - other.bits > kNeededLeadBits)
        continue;
      text += "; or it has no padding: then give " + recipe_options(other.best->recipe);
      break;
    }
    return {Errc::damaged, text, std::move(*best.best), bits_of_secret_};
  }

  const std::vector<Tried>& all_;  // best first
  std::vector<Content> contents_;
  double bits_ = -INFINITY;
  double bits_of_secret_ = -INFINITY;
  bool shows_more_;
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
    if (all.size() == 1) return only_recipe(all.front(), recipe_name(all.front().recipe), source);
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

bool fits_but_for_damage(const Tried& tried) {
  return tried.is_damaged && tried.bits_of_secret() >= kPlausibleBits;
}

Verdict choose_recipe(std::vector<Tried> all, bool accepted) {
  // Under any key, blocks that repeat give a regular content.
  if (all.front().is_damaged || all.front().bits.sure < kPlausibleBits) {
    for (Tried& tried : all) tried.bits.all = tried.bits.sure;
    sort_stories(all);
  }
  return Choice(all).decide(accepted);
}

Verdict only_recipe(Tried only, const std::string& description, const Lookahead& source) {
  const double bits = only.bits_of_secret();
  if (!only.is_damaged) return {std::move(only), bits};
  const bool fits = bits >= kPlausibleBits;
  const bool has_size = can_have_size(only.recipe, source.bytes_left().value_or(0));
  const std::string text = fits       ? ends_wrong("", bits) + ", or it is not " + description
                           : has_size ? "wrong passphrase, or not " + description + ", or a damaged end"
                                      : "the length is not one that " + description +
                                            " gives: the file was cut, or is something else; nothing shows "
                                            "whether the passphrase fits";
  throw DamagedFit(fits || !has_size ? Errc::damaged : Errc::wrong_key, text, std::move(only), bits);
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
