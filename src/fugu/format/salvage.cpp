#include "fugu/format/salvage.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "fugu/format/detail/codecs.hpp"
#include "fugu/format/detail/filters.hpp"
#include "fugu/format/detail/lookahead.hpp"
#include "fugu/format/detail/message.hpp"
#include "fugu/format/detail/text_watch.hpp"
#include "fugu/format/judge/judge.hpp"
#include "fugu/stream/base64.hpp"
#include "fugu/stream/hex.hpp"
#include "fugu/stream/memory.hpp"

namespace fugu::format {
namespace {

class UpToDamage final : public Filter {
 public:
  UpToDamage(const Job& job, stream::Sink& parser) : Filter(parser), job_(job) {}

  void write(std::span<const std::byte> from) override {
    if (!ended_) ended_ = !holds(job_, [&] { inner_.write(from); });
  }
  void finish() override {
    if (!ended_) holds(job_, [&] { inner_.finish(); });
  }

 private:
  const Job& job_;
  bool ended_ = false;
};

class DamagedText final : public stream::Source {
 public:
  DamagedText(SalvageReport& report, std::unique_ptr<stream::Source> text, TextEncoding encoding)
      : report_(report), text_(std::move(text)), is_base64_(encoding == TextEncoding::base64) {}

  std::size_t read(std::span<std::byte> into) override {
    std::size_t filled = 0;
    while (filled < into.size()) {
      const int digit = next_digit();
      if (digit < 0) break;
      const unsigned more = is_base64_ ? 6 : 4;
      held_ = (held_ << more | static_cast<unsigned>(digit)) & 0xffffU;
      bits_ += more;
      if (bits_ < 8) continue;
      bits_ -= 8;
      into[filled++] = static_cast<std::byte>(held_ >> bits_ & 0xffU);
    }
    return filled;
  }
  void cancel() noexcept override { text_->cancel(); }

 private:
  // -1 at the end. An '=' before other digits was one of them.
  int next_digit() {
    while (owed_ == 0) {
      if (at_ == end_) end_ = text_->read(buffer_), at_ = 0;
      if (end_ == 0) return -1;
      const auto character = std::to_integer<char>(buffer_[at_++]);
      if (is_between_lines(character)) continue;
      ++owed_digits_;
      if (is_base64_ && character == '=') continue;
      const int digit = is_base64_ ? stream::base64_digit(character) : stream::hex_digit(character);
      if (digit < 0)
        note_damage(report_, "the text has characters that are not " + std::string(name_of(encoding())));
      ahead_ = std::max(digit, 0);
      owed_ = std::exchange(owed_digits_, 0);
    }
    return --owed_ == 0 ? ahead_ : 0;
  }
  // White space, and whatever stands where all lines end.
  bool is_between_lines(char character) {
    const bool ends = character == '\n';
    const bool is_space = stream::kTextSpace.find(character) != std::string_view::npos;
    if (ends && line_digits_ == 0) line_digits_ = digits_;
    const bool is_at_end = line_digits_ != 0 && digits_ == line_digits_;
    if (ends || (is_at_end && !is_space)) digits_ = 0;
    if (!is_space && !is_at_end) ++digits_;
    if (!is_space && is_at_end) note_damage(report_, "a line end in the text is damaged");
    return is_space || is_at_end;
  }
  TextEncoding encoding() const { return is_base64_ ? TextEncoding::base64 : TextEncoding::hex; }

  SalvageReport& report_;
  std::unique_ptr<stream::Source> text_;
  bool is_base64_;
  std::array<std::byte, std::size_t{16} << 10> buffer_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  std::size_t line_digits_ = 0;  // of the first line
  std::size_t digits_ = 0;       // of this one
  std::size_t owed_digits_ = 0;  // since the last digit
  std::size_t owed_ = 0;         // of which so many are to be returned, the last one `ahead_`
  int ahead_ = 0;
  unsigned held_ = 0;
  unsigned bits_ = 0;
};

// ---- what happened to a file on its way ----

using Bytes = std::vector<std::byte>;

// The whole input, as it may have been: `all` but for its end.
struct Mended {
  std::string how;
  std::shared_ptr<const Bytes> all;  // the input up to kMaxWholeBytes, shared by the stories of its end
  double bits = 0;                   // data that nothing happened to show its signs once in 2^bits
  std::uint64_t bytes_after_end = 0;
  bool fits = false;  // something tells that the secret is right

  std::span<const std::byte> bytes() const {
    return std::span(*all).first(all->size() - static_cast<std::size_t>(bytes_after_end));
  }
};

constexpr std::byte kLineFeed{'\n'}, kReturn{'\r'}, kBlank{' '};
constexpr std::uint64_t kShownBytes = kLookaheadBytes;  // read at both ends before all is read
constexpr double kByteBits = 8;

Bytes read_at(stream::Source& input, std::uint64_t offset, std::uint64_t bytes) {
  Bytes all(static_cast<std::size_t>(bytes));
  return input.read_at(all, offset) ? all : Bytes();
}

// Of a file in which every line feed stands behind a return: bits of those that end no line of text, of which
// noise has none so. Empty for any other file.
std::optional<double> bits_of_returns(std::span<const std::byte> bytes) {
  std::size_t lines = 0, in_noise = 0;
  bool is_noise = false;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const bool is_control = bytes[at] < kBlank && bytes[at] != std::byte{'\t'} && bytes[at] != kReturn;
    if (bytes[at] != kLineFeed) {
      is_noise = is_noise || is_control || bytes[at] > std::byte{'~'};
      continue;
    }
    if (at == 0 || bytes[at - 1] != kReturn) return std::nullopt;
    ++lines;
    in_noise += std::exchange(is_noise, false) ? 1U : 0U;
  }
  return lines == 0 ? std::nullopt : std::optional(kByteBits * static_cast<double>(in_noise));
}

Bytes with_line_feeds(const Bytes& converted) {
  Bytes bytes;
  for (std::size_t at = 0; at < converted.size(); ++at) {
    const bool goes = converted[at] == kReturn && at + 1 < converted.size() && converted[at + 1] == kLineFeed;
    if (!goes) bytes.push_back(converted[at]);
  }
  return bytes;
}

// In base64, a blank was a '+': forms and addresses of the web decode one so.
Bytes with_pluses(Bytes text) {
  std::ranges::replace(text, kBlank, std::byte{'+'});
  return text;
}

// Without the zeros, or the line end, at the end.
std::size_t size_without(std::byte last, std::span<const std::byte> bytes) {
  std::size_t size = bytes.size();
  if (last == std::byte{0}) {
    while (size != 0 && bytes[size - 1] == last) --size;
    return size;
  }
  if (size != 0 && bytes[size - 1] == kLineFeed) --size;
  return size - (size != 0 && bytes[size - 1] == kReturn ? 1 : 0);
}

struct Ends {
  Bytes head, tail;
};

Ends ends_of(stream::Source& input) {
  const std::uint64_t size = input.size_bytes().value_or(0);
  const std::uint64_t shown = std::min(size, kShownBytes);
  return {read_at(input, 0, shown), read_at(input, size - shown, shown)};
}

// All that the input may have been, if it shows signs of it.
std::vector<Mended> mended(stream::Source& input, TextEncoding encoding) {
  const auto [head, tail] = ends_of(input);
  const std::uint64_t size = input.size_bytes().value_or(0);
  if (tail.empty() || size > kMaxWholeBytes) return {};
  const std::byte last = tail.back();
  const bool is_text = encoding != TextEncoding::binary;
  const bool has_blanks = is_text && std::ranges::find(head, kBlank) != head.end();
  const bool has_lines =
      !is_text && (std::ranges::find(head, kLineFeed) == head.end() || bits_of_returns(head));
  const bool has_tail = !is_text && (last == std::byte{0} || last == kLineFeed || last == kReturn);
  if (!has_blanks && !has_lines && !has_tail) return {};
  const auto all = std::make_shared<const Bytes>(read_at(input, 0, size));
  const auto whole = [](Bytes bytes) { return std::make_shared<const Bytes>(std::move(bytes)); };
  std::vector<Mended> found;
  if (has_blanks) found.push_back({"every '+' became a blank", whole(with_pluses(*all))});
  if (const auto bits = is_text ? std::nullopt : bits_of_returns(*all))
    found.push_back({"it went through a text conversion: every line feed became CR LF",
                     whole(with_line_feeds(*all)), *bits});
  if (!has_tail) return found;
  constexpr std::size_t kMaxOwn = 2;  // at most so many zeros may be the data's own
  const std::size_t kept = size_without(last, *all);
  const bool is_zeros = last == std::byte{0};
  for (std::size_t own = 0; own <= (is_zeros ? kMaxOwn : 0) && kept + own < all->size(); ++own) {
    const std::size_t behind = all->size() - kept - own;
    found.push_back({"", all, is_zeros ? kByteBits * static_cast<double>(behind) : 0, behind});
  }
  return found;
}

// A file that opened whole, with the beginning of its plaintext.
struct Whole {
  Opened opened;
  core::WipedBytes beginning;
};

// Opens the source whole; the error that prevents it goes to `why`.
std::optional<Whole> opened_whole(const Codec& codec, const Job& job, const OpenRequest& request,
                                  stream::Source& source, std::string* why = nullptr) {
  Whole whole;
  whole.beginning.reserve(kLookaheadBytes);
  const auto nowhere = stream::discard();
  Watched sink(*nowhere, [&](std::span<const std::byte> from) {
    append(whole.beginning, first_of(from, kLookaheadBytes - whole.beginning.size()));
  });
  Job quiet{job.engine, source, sink};
  quiet.stop = job.stop;
  try {
    whole.opened = codec.open(quiet, request);
    return whole;
  } catch (const Error& error) {
    if (error.code() == Errc::interrupted) throw;
    if (why != nullptr) *why = error.text();
    return std::nullopt;
  }
}

std::unique_ptr<stream::Source> source_of(const Mended& one, TextEncoding encoding) {
  return decoded(std::make_unique<stream::MemorySource>(one.bytes()), encoding);
}

// By how many bits this, which opens as `mended`, is likelier than that nothing happened to the file, which
// then is `as_it_is`. Their contents are compared by as many bytes of each: of two openings one may have been
// read further.
double bits_ahead(const Mended& one, const Whole& mended, const Whole& as_it_is) {
  const double of_signs = one.bits + kDamageBits;
  const Opened& opened = as_it_is.opened;
  if (opened.authenticated || opened.checked) return -INFINITY;
  if (mended.opened.evidence.certain || opened.evidence.certain)
    return mended.opened.evidence.certain ? of_signs : -INFINITY;
  const std::size_t bytes = std::min(mended.beginning.size(), as_it_is.beginning.size());
  const auto bits_of = [&](const Whole& whole) {
    return evidence_of(std::span(whole.beginning).first(bytes)).going_on[0].all;
  };
  return of_signs + bits_of(mended) - bits_of(as_it_is);
}

// What opens whole, and not by chance, nor because a part of the input does that opens `as_it_is`. Where
// parameters are found by trial, a part of the file may seem a little likelier than all of it, so more
// evidence is asked.
std::optional<Mended> find_mended(const Codec& codec, const Job& job, const OpenRequest& request,
                                  stream::Source& input, TextEncoding encoding,
                                  const std::optional<Whole>& as_it_is) {
  constexpr double kTrialBits = 16;
  for (Mended& one : mended(input, encoding)) {
    const auto opens = opened_whole(codec, job, request, *source_of(one, encoding));
    if (!opens) continue;
    const Evidence& evidence = opens->opened.evidence;
    const double needed = kSufficientEvidenceBits + (opens->opened.by_trial ? kTrialBits : 0);
    one.fits = evidence.certain || evidence.bits > 0;
    const bool tells_nothing = !evidence.certain && evidence.bits == 0;  // in this format nothing ever tells
    const bool is_right =
        evidence.certain || evidence.bits >= needed ||
        (tells_nothing && one.bytes_after_end == 0 && one.bits + kDamageBits >= kNeededLeadBits);
    if (is_right && (!as_it_is || bits_ahead(one, *opens, *as_it_is) >= kNeededLeadBits))
      return std::move(one);
  }
  return std::nullopt;
}

// Whether it may open as it is in spite of what happened to it. An image may end in zeros of its own.
bool may_be_converted(const Codec& codec, TextEncoding encoding) {
  return encoding == TextEncoding::binary && !codec.is_text && !codec.can(Ability::range);
}

bool shows_signs(const Codec& codec, stream::Source& input, TextEncoding encoding) {
  const auto [head, tail] = ends_of(input);
  if (encoding == TextEncoding::base64) return std::ranges::find(head, kBlank) != head.end();
  if (!may_be_converted(codec, encoding)) return false;
  const auto zeros = static_cast<double>(tail.size() - size_without(std::byte{0}, tail));
  return bits_of_returns(head).value_or(0) > 0 || kByteBits * zeros + kDamageBits >= kNeededLeadBits;
}

std::string text_of_end(std::uint64_t bytes) {
  return counted(bytes, "byte") + (bytes == 1 ? " follows" : " follow") + " the end of the data";
}

// What happened to it.
std::string story_of(const Mended& one) {
  return (one.fits ? "the secret fits, and the file is whole, but " : "") +
         (one.how.empty() ? text_of_end(one.bytes_after_end) : one.how);
}

// Counts what passes, and is not finished by a codec.
class Kept final : public Filter {
 public:
  using Filter::Filter;
  void write(std::span<const std::byte> from) override {
    has_bytes_ = has_bytes_ || !from.empty();
    inner_.write(from);
  }
  void finish() override {}
  bool has_bytes() const { return has_bytes_; }

 private:
  bool has_bytes_ = false;
};

// What the codec saves of the job's source. `why` it does not open whole, if that is known.
Opened save(const Codec& codec, Job job, const OpenRequest& request, stream::Source* text,
            TextEncoding encoding, const std::string& why) {
  Opened opened;
  SalvageReport report;
  Kept kept(job.sink);
  const auto decoded =
      text != nullptr ? damaged_text(report, without_mark(stream::borrow(*text)), encoding) : nullptr;
  Job saving = with_sink(decoded ? with_source(job, *decoded) : job, kept);
  saving.salvage = &report;
  try {
    opened = codec.open(saving, request);
  } catch (const Error& error) {
    if (error.code() != Errc::damaged || !kept.has_bytes()) throw;
    opened.parameters = codec.name;
    note_damage(report, error.text());
  }
  SalvageReport& all = opened.salvage;
  if (report.damage.empty() && all.whole() && !why.empty()) report.damage.push_back(why);
  const bool vouched = report.damage.empty();
  all.damage.insert(all.damage.end(), report.damage.begin(), report.damage.end());
  opened.authenticated = opened.authenticated && vouched;
  opened.checked = opened.checked && vouched;
  opened.all_content = opened.all_content && all.whole();
  job.sink.finish();
  return opened;
}

// What the codec saves of an input that nothing mends.
Opened save_input(const Codec& codec, const Job& job, const OpenRequest& request, stream::Source& input,
                  TextEncoding encoding, const std::string& why) {
  PartSource raw(input, 0, input.size_bytes().value_or(0));
  if (encoding == TextEncoding::base64 || encoding == TextEncoding::hex)
    return save(codec, job, request, &raw, encoding, why);
  return save(codec, with_source(job, raw), request, nullptr, encoding, why);
}

Opened open_or_save(const Codec& codec, const Job& job, const OpenRequest& request, stream::Source& input,
                    TextEncoding encoding, bool salvages) {
  const std::uint64_t size = input.size_bytes().value_or(0);
  const bool is_seekable = !read_at(input, 0, std::min<std::uint64_t>(size, 1)).empty();
  Lookahead pipe(job.source);
  const Job piped = is_seekable ? job : with_source(job, pipe, job.watcher);
  if (!is_seekable && may_be_converted(codec, encoding)) {
    const std::span<const std::byte> head = pipe.peek(kLookaheadBytes);
    const bool is_small = !head.empty() && head.size() < kLookaheadBytes;
    if (is_small || bits_of_returns(head).value_or(0) > 0) {
      const core::WipedBytes all = take_all(pipe, "a pipe that went through a text conversion");
      stream::MemorySource memory(all), source(all);
      return open_or_save(codec, with_source(job, source, job.watcher), request, memory, encoding, salvages);
    }
  }
  const auto again = [&] { return std::make_unique<PartSource>(input, 0, size); };
  std::string why;
  std::optional<Whole> as_it_is;
  std::optional<Mended> whole;
  const bool may_deceive = is_seekable && shows_signs(codec, input, encoding);
  if (may_deceive || (is_seekable && salvages))
    as_it_is = opened_whole(codec, job, request, *decoded(again(), encoding), &why);
  if (may_deceive || (is_seekable && salvages && !as_it_is))
    whole = find_mended(codec, job, request, input, encoding, as_it_is);
  if (!salvages) {
    if (whole) throw Error(Errc::damaged, story_of(*whole));
    try {
      return codec.open(piped, request);
    } catch (const Error& error) {
      if (concerns_input(error)) whole = find_mended(codec, job, request, input, encoding, std::nullopt);
      if (whole) throw Error(Errc::damaged, story_of(*whole));
      throw;
    }
  }
  if (whole) {
    Opened opened = codec.open(with_source(job, *source_of(*whole, encoding)), request);
    if (!whole->how.empty()) opened.salvage.damage = {whole->how};
    opened.salvage.bytes_after_end = whole->bytes_after_end;
    opened.all_content = false;
    return opened;
  }
  if (as_it_is) return codec.open(with_source(job, *decoded(again(), encoding)), request);
  if (!is_seekable) return save(codec, piped, request, nullptr, encoding, {});
  return save_input(codec, job, request, input, encoding, why);
}

struct Came {};

}  // namespace

void note_damage(SalvageReport& report, const std::string& text) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (std::ranges::find(report.damage, text) == report.damage.end()) report.damage.push_back(text);
}

std::string what_is_lost(const SalvageReport& report) {
  std::string ranges;
  for (const ByteRange& range : report.lost)
    ranges += (ranges.empty() ? "bytes " : ", ") + std::to_string(range.first) + "-" +
              std::to_string(range.first + range.count - 1);
  std::vector<std::string> texts = report.damage;
  if (report.bytes_after_end != 0)
    texts.insert(texts.begin(), text_of_end(report.bytes_after_end) + " and " +
                                    (report.bytes_after_end == 1 ? "was" : "were") + " left out");
  if (report.end_lost) texts.insert(texts.begin(), "the end of the file is missing or damaged");
  if (!ranges.empty()) texts.insert(texts.begin(), ranges + " failed authentication");
  return joined(texts, "; ");
}

std::string what_came(const Opened& opened, std::uint64_t bytes) {
  const SalvageReport& report = opened.salvage;
  if (!opened.authenticated)
    return "has the " + counted(bytes, "byte") + " that were found, and nothing vouches for them";
  const std::string as_far = report.end_lost ? " as far as it goes" : "";
  return report.lost.empty() ? "is authentic" + as_far
                             : "has zeros there" + as_far + ", and is authentic elsewhere";
}

std::unique_ptr<stream::Sink> up_to_damage(const Job& job, stream::Sink& parser) {
  return std::make_unique<UpToDamage>(job, parser);
}

std::unique_ptr<stream::Source> damaged_text(SalvageReport& report, std::unique_ptr<stream::Source> text,
                                             TextEncoding encoding) {
  return std::make_unique<DamagedText>(report, std::move(text), encoding);
}

Opened open_input(const Codec& codec, const Job& job, const OpenRequest& request, stream::Source& input,
                  TextEncoding encoding, bool salvages) {
  if (job.watcher != nullptr) return open_or_save(codec, job, request, input, encoding, salvages);
  TextWatch watch(job.sink);
  Opened opened = open_or_save(codec, with_sink(job, watch), request, input, encoding, salvages);
  const auto noise = opened.authenticated || opened.checked ? std::nullopt : watch.noise();
  if (noise) {
    if (noise->is_sure && !salvages) throw Error(Errc::damaged, "the secret fits: " + what_shows(*noise));
    opened.all_content = false;
    (noise->is_sure ? opened.salvage.damage : opened.notes).push_back(what_shows(*noise));
  }
  job.sink.finish();
  return opened;
}

bool can_save(const Codec& codec, const Job& job, const OpenRequest& request, bool knows_secret,
              stream::Source& input, TextEncoding encoding) {
  const AskSecret nobody(request.secret.kind(), []() -> const auth::SecretBytes& { throw Came(); });
  const auto nowhere = stream::discard();
  Watched sink(*nowhere, [](std::span<const std::byte> from) {  // ends the work at the first byte not lost
    if (!is_zero(from)) throw Came();
  });
  Job trial{job.engine, job.source, sink};
  trial.stop = job.stop;
  try {
    save_input(codec, trial,
               {request.options, knows_secret ? request.secret : nobody, request.accept_weak_evidence}, input,
               encoding, {});
  } catch (const Came&) {
    return true;
  } catch (const Error& error) {
    if (error.code() == Errc::interrupted) throw;
  }
  return false;
}

}  // namespace fugu::format
