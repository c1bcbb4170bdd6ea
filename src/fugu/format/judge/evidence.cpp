#include "fugu/format/judge/evidence.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <numbers>
#include <string_view>

#include "fugu/core/block.hpp"
#include "fugu/core/wipe.hpp"
#include "fugu/format/detail/beginnings.hpp"
#include "fugu/format/detail/message.hpp"

namespace fugu::format {
namespace {

using namespace std::string_view_literals;

// A member's prediction: 256 times the probability of a byte, so that noise predicts 1.
using Ratios = std::array<double, 256>;

// Bytes first..last, equally likely, with a total probability of `share`.
struct LikelyBytes {
  unsigned first;
  unsigned last;
  double share;
};

// Ranges are disjoint; bytes outside them share the rest of the probability.
constexpr Ratios ratios(std::initializer_list<LikelyBytes> ranges) {
  double left = 1;
  unsigned others = 256;
  for (const LikelyBytes& range : ranges) {
    left -= range.share;
    others -= range.last - range.first + 1;
  }
  Ratios made{};
  made.fill(256 * left / others);
  for (const LikelyBytes& range : ranges) {
    for (unsigned byte = range.first; byte <= range.last; ++byte)
      made[byte] = 256 * range.share / (range.last - range.first + 1);
  }
  return made;
}

// Control characters hardly ever: in a text, one byte of padding shows.
constexpr Ratios kText = ratios({{'a', 'z', 0.55},
                                 {' ', ' ', 0.13},
                                 {'0', '9', 0.08},
                                 {'A', 'Z', 0.06},
                                 {'!', '/', 0.05},
                                 {':', '@', 0.02},
                                 {'[', '`', 0.01},
                                 {'{', '~', 0.01},
                                 {'\n', '\n', 0.03},
                                 {'\r', '\r', 0.012},
                                 {'\t', '\t', 0.01298},
                                 {0x80, 0xff, 0.035}});

constexpr double kBeginningsShare = 0.18;

// Each takes its share of what the rows above it leave.
struct End {
  std::string_view bytes;             // as above
  double share;                       // of the contents
  std::string_view beginning = ""sv;  // that begin so
};
constexpr std::array kEnds{
    End{"PK\x05\x06\0\0\0\0?\0?\0??\0\0???\0\0\0"sv, 0.6, "PK\x03\x04"sv},  // zip, of few files
    End{"PK\x05\x06????????????????\0\0"sv, 0.8, "PK\x03\x04"sv},
    End{"\0\0\0\0IEND\xae\x42\x60\x82"sv, 0.9, "\x89PNG"sv},
    End{"\xff\xd9"sv, 0.9, "\xff\xd8\xff"sv},  // jpeg
    End{"%%EOF\n"sv, 0.8, "%PDF-"sv},
    End{"\x04YZ"sv, 0.9, "\3757zXZ"sv},  // xz
    End{"\0;"sv, 0.9, "GIF8"sv},
    End{"\n"sv, 0.2},
    End{"\0"sv, 0.05},
    End{">"sv, 0.03},  // xml
    End{"}"sv, 0.03},  // json
};
constexpr std::string_view kGzip = "\x1f\x8b\x08"sv;
constexpr double kGzipSizeShare = 0.9;

// So many contents end in zeros, in kLeastZeros or more: in n of them a part kLeastZeros / (n * (n + 1)).
constexpr double kZerosShare = 0.1;
constexpr std::size_t kLeastZeros = 8;
constexpr std::size_t kLongestEnd =
    std::ranges::max(kEnds, {}, [](const End& end) { return end.bytes.size(); }).bytes.size();

// The bytes of the content that End rows leave, behind any padding.
constexpr std::size_t kKept = kMaxTaken + kLongestEnd + 1;
constexpr std::size_t kBeforeZeros = kKept;
// [n]: without the last n bytes; [kBeforeZeros]: without all zeros that they end in.
using LastBits = std::array<Bits, kKept + 1>;

constexpr double kNever = -std::numeric_limits<double>::infinity();

// A byte as often as it was seen, and before that as `base` says: Krichevsky and Trofimov's estimator, whose
// prior counts have the sum `weight`.
double estimate(double seen, double all, double weight, double base) {
  return (256 * seen + weight * base) / (all + weight);
}

// How often each byte, or what is made of it, was seen at the places that come in turn.
template <std::size_t places>
struct Counts {
  std::array<std::array<std::uint32_t, 256>, places> seen = {};

  double predict(std::size_t at, std::uint32_t next, double weight, double base) {
    return estimate(seen[at % places][next & 0xff]++, static_cast<double>(at / places), weight, base);
  }
};

// The byte that followed a context, and how often in a row.
struct Run {
  std::uint16_t context = 0;
  std::uint8_t byte = 0;
  std::uint8_t count = 0;

  double predict(std::uint32_t in, std::uint32_t next, double weight, double base) {
    const bool is_known = count != 0 && context == in;
    const bool is_same = is_known && byte == next;
    const double ratio = is_known ? estimate(is_same ? count : 0, count, weight, base) : base;
    if (!is_same) *this = {static_cast<std::uint16_t>(in), static_cast<std::uint8_t>(next), 0};
    if (count != 0xff) ++count;
    return ratio;
  }
};

// Predicts one byte after the other.
class Sequence {
 public:
  explicit Sequence(std::size_t bytes) : after_two_(std::bit_ceil(std::min(2 * bytes + 1, kMaxContexts))) {}

  Bits bits() const { return {bits_.all + std::log2(product_.all), bits_.sure + std::log2(product_.sure)}; }

  void add(std::byte next, bool is_fresh) {
    const auto byte = std::to_integer<std::uint32_t>(next);
    const std::array<double, kMembers> said{1,
                                            kText[byte],
                                            utf8(byte),
                                            columns_.predict(at_, byte, 8, (kText[byte] + 1) / 2),
                                            repeat(byte),
                                            steps_.predict(at_, byte - last_, 16, 1),
                                            rows_.predict(at_, byte ^ block_[at_ % block_.size()], 16, 1)};
    double sum = 0;
    for (std::size_t i = 0; i < kMembers; ++i) sum += weights_[i] *= said[i];
    product_.all *= sum;
    if (is_fresh) product_.sure *= sum;
    for (std::size_t i = 0; i < kMembers; ++i)
      weights_[i] = (1 - kSwitch) * weights_[i] / sum + kSwitch * kShares[i];
    if (at_ % 32 == 0) {  // before it overflows
      bits_ = bits();
      product_ = {1, 1};
    }
    block_[at_ % block_.size()] = static_cast<std::uint8_t>(byte);
    before_ = last_;
    last_ = byte;
    ++at_;
  }

 private:
  static constexpr std::size_t kMembers = 7;
  static constexpr std::size_t kMaxContexts = 8192;  // a later one takes the place of an earlier one
  static constexpr double kSwitch = 1.0 / 1024;
  static constexpr std::array<double, kMembers> kShares{0.05, 0.45, 0.13, 0.07, 0.2, 0.05, 0.05};

  // A model of characters: an ASCII character as in text, or a lead byte and the followers that it announces
  // (RFC 3629), each equally likely. For text in other scripts, including mixed ones.
  double utf8(std::uint32_t byte) {
    struct Lead {
      unsigned first;
      unsigned last;
      int followers;
      double share;
    };
    constexpr std::array kLeads{Lead{0xc2, 0xdf, 1, 0.2}, Lead{0xe0, 0xef, 2, 0.19},
                                Lead{0xf0, 0xf4, 3, 0.01}};
    constexpr double kAsciiShare = 0.6;
    if (followers_ != 0) {
      --followers_;
      const bool follows = byte >= 0x80 && byte <= 0xbf;
      if (!follows) followers_ = 0;
      return follows ? 256.0 / 64 : 0;
    }
    if (byte < 0x80) return kAsciiShare * kText[byte];
    for (const Lead& lead : kLeads) {
      if (byte < lead.first || byte > lead.last) continue;
      followers_ = lead.followers;
      return 256 * lead.share / (lead.last - lead.first + 1);
    }
    return 0;
  }

  double repeat(std::uint32_t byte) {
    double ratio = bytes_.predict(at_, byte, 16, 1);
    if (at_ > 0) ratio = after_one_[last_].predict(last_, byte, 2, ratio);
    const std::uint32_t context = before_ << 8 | last_;
    if (at_ > 1)
      ratio = after_two_[(context * 0x9e3779b1U >> 16) % after_two_.size()].predict(context, byte, 1, ratio);
    return ratio;
  }

  Bits bits_ = {};
  Bits product_ = {1, 1};
  std::array<double, kMembers> weights_ = kShares;
  int followers_ = 0;
  std::uint32_t last_ = 0;
  std::uint32_t before_ = 0;
  std::size_t at_ = 0;
  Counts<1> bytes_;
  Counts<1> steps_;
  Counts<2> columns_;
  Counts<core::kBlockBytes> rows_;
  std::array<std::uint8_t, core::kBlockBytes> block_{};  // the last bytes, by their places
  std::array<Run, 256> after_one_{};
  core::WipedVector<Run> after_two_;
};

Bits sum_of(const Bits& a, const Bits& b) {
  return {log2_sum(a.all, b.all), log2_sum(a.sure, b.sure)};
}

// A member of a mixture, with its weight.
Bits weighted(double weight, const Bits& bits) {
  return bits + Bits{std::log2(weight), std::log2(weight)};
}

std::size_t zeros_behind(std::span<const std::byte> bytes) {
  const auto behind =
      std::ranges::find_if(bytes.rbegin(), bytes.rend(), [](std::byte byte) { return byte != std::byte{0}; });
  return static_cast<std::size_t>(behind - bytes.rbegin());
}

LastBits bits_of_sequence(std::span<const std::byte> bytes, std::span<const std::uint8_t> fresh,
                          std::size_t zeros) {
  LastBits last;
  last.fill({kNever, kNever});
  const auto keep = [&](std::size_t left, const Sequence& sequence) {
    if (left >= kKept && left != zeros) return;
    const Bits bits = weighted(0.5, sum_of({}, sequence.bits()));
    if (left < kKept) last[left] = bits;
    if (left == zeros) last[kBeforeZeros] = bits;
  };
  Sequence sequence(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    keep(bytes.size() - i, sequence);
    sequence.add(bytes[i], fresh.empty() || fresh[i] != 0);
  }
  keep(0, sequence);
  return last;
}

Bits bits_of_row(std::string_view row) {
  const double bits =
      8.0 * static_cast<double>(row.size() - static_cast<std::size_t>(std::ranges::count(row, '?')));
  return {bits, bits};
}

void add_beginnings(std::span<const std::byte> bytes, std::span<const std::uint8_t> fresh, std::size_t zeros,
                    LastBits& last) {
  for (Bits& bits : last) bits = weighted(1 - kBeginningsShare, bits);
  for (const auto& [row, says] : kBeginnings) {
    if (!begins_as(row, bytes)) continue;
    const LastBits behind =
        bits_of_sequence(bytes.subspan(row.size()), fresh.empty() ? fresh : fresh.subspan(row.size()), zeros);
    const Bits bits = weighted(kBeginningsShare / std::size(kBeginnings), bits_of_row(row));
    for (std::size_t n = 0; n < last.size(); ++n) last[n] = sum_of(last[n], bits + behind[n]);
  }
}

// RFC 1952, 2.3.1: the last four bytes are the size of what was compressed, which is here taken to be half to
// 64 times that of the content, every order of magnitude as likely.
double bits_of_gzip_size(std::span<const std::byte> last, std::uint64_t content_bytes) {
  constexpr double kLeast = 0.5, kMost = 64;
  const auto size = static_cast<double>(load_little(last));
  const auto content = static_cast<double>(content_bytes);
  if (size < kLeast * content || size > kMost * content) return kNever;
  return 32 - std::log2(size * std::log(kMost / kLeast));
}

double bits_of_zeros(std::size_t count) {
  const auto n = static_cast<double>(count);
  return 8 * n + std::log2(static_cast<double>(kLeastZeros) / (n * (n + 1)));
}

// The end adds nothing against a wrong secret: it may repeat what stands before.
Bits bits_of_end(std::span<const std::byte> bytes, const LastBits& last, std::size_t taken, std::size_t zeros,
                 const Before& before) {
  const auto beginning = before.bytes == 0 ? bytes : before.beginning;
  double others = 1;
  double bits = kNever;
  const auto add = [&](double share, double of_end, std::size_t left) {
    bits = log2_sum(bits, std::log2(others * share) + of_end + last[left].all);
    others *= 1 - share;
  };
  if (begins_as(kGzip, beginning) && bytes.size() >= taken + sizeof(std::uint32_t))
    add(kGzipSizeShare,
        bits_of_gzip_size(bytes.last(taken + sizeof(std::uint32_t)).first(sizeof(std::uint32_t)),
                          before.bytes + bytes.size() - taken),
        taken + sizeof(std::uint32_t));
  add(kZerosShare, zeros >= taken + kLeastZeros ? bits_of_zeros(zeros - taken) : kNever, kBeforeZeros);
  for (const End& end : kEnds) {
    if (!begins_as(end.beginning, beginning)) continue;
    const std::size_t behind = taken + end.bytes.size();
    const bool is_there = bytes.size() >= behind && begins_as(end.bytes, bytes.last(behind));
    add(end.share, is_there ? bits_of_row(end.bytes).all : kNever, behind);
  }
  return {log2_sum(bits, std::log2(others) + last[taken].all), last[taken].sure};
}

// Stirling's series. std::lgamma writes a global, which threads would share.
double log_factorial(std::uint64_t n) {
  if (n < 2) return 0;
  const auto x = static_cast<double>(n);
  return x * std::log(x) - x + std::log(2 * std::numbers::pi * x) / 2 + 1 / (12 * x);
}

}  // namespace

double log2_sum(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == kNever ? a : a + std::log2(1 + std::exp2(b - a));
}

double log2_choices(std::uint64_t of, std::uint64_t chosen) {
  return (log_factorial(of) - log_factorial(chosen) - log_factorial(of - chosen)) / std::numbers::ln2;
}

EvidenceBits evidence_of(std::span<const std::byte> bytes, std::span<const std::uint8_t> fresh,
                         const Before& before) {
  const std::size_t zeros = zeros_behind(bytes);
  LastBits last = bits_of_sequence(bytes, fresh, zeros);
  if (before.bytes == 0) add_beginnings(bytes, fresh, zeros, last);
  EvidenceBits found;
  for (std::size_t taken = 0; taken < found.ending.size(); ++taken) {
    found.going_on[taken] = last[taken];
    found.ending[taken] = bits_of_end(bytes, last, taken, zeros, before);
  }
  return found;
}

double evidence_bits(std::span<const std::byte> beginning) {
  return evidence_of(beginning.first(std::min(beginning.size(), kBeginningBytes))).going_on[0].sure;
}

}  // namespace fugu::format
