#include "fugu/format/detail/text_watch.hpp"

#include "fugu/format/detail/message.hpp"

namespace fugu::format {
namespace {

constexpr std::size_t kGroupBytes = 64;

// Beyond kWholeBytes, one page in kPagesPerLook is looked at: to look at all of a text in UTF-8 would take
// twice as long as to decrypt it.
constexpr std::uint64_t kWholeBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kPageBytes = 4096;
constexpr std::uint64_t kPagesPerLook = 256;

constexpr std::uint64_t kGap = 8;            // between two blocks of noise stands no text
constexpr std::size_t kMaxPatches = 8;       // with more it is no text
constexpr std::uint64_t kLongestPatch = 64;  // in bytes
constexpr std::uint64_t kEdgeBytes = 16;     // marks in front, and paddings behind
constexpr std::uint64_t kTextPerNoise = 16;
constexpr std::size_t kHigh = 0x80, kLatin = 0xa0;
constexpr std::size_t kMinOdd = 3;  // different ones: 8 random bytes have 5 on average

// BEL to CR, and ESC, which terminals get.
constexpr bool is_plain(std::uint8_t byte) {
  return (byte >= 0x20 && byte < 0x7f) || (byte >= 7 && byte <= 13) || byte == 27;
}

bool has_any(const std::bitset<256>& bytes, std::size_t first, std::size_t last) {
  for (std::size_t byte = first; byte < last; ++byte) {
    if (bytes[byte]) return true;
  }
  return false;
}

// A loop without branches, for the compiler.
bool are_plain(std::span<const std::byte, kGroupBytes> group) {
  using Byte = std::uint8_t;
  Byte others = 0;
  for (const std::byte one : group) {
    const auto byte = std::to_integer<Byte>(one);
    const auto from_bel = static_cast<Byte>(byte - 7);
    others |=
        static_cast<Byte>(Byte{byte >= 0x7f} | (Byte{byte < 0x20} & Byte{from_bel > 6} & Byte{byte != 27}));
  }
  return others == 0;
}

// RFC 3629, 3.
unsigned followers_of(std::uint8_t lead) {
  if (lead >= 0xc2 && lead <= 0xdf) return 1;
  if (lead >= 0xe0 && lead <= 0xef) return 2;
  return lead >= 0xf0 && lead <= 0xf4 ? 3 : 0;
}

}  // namespace

void TextWatch::write(std::span<const std::byte> from) {
  inner_.write(from);
  const bool is_pdf = position_ == 0 && starts_with(from, "%PDF-");  // text with compressed data inside
  may_be_text_ = may_be_text_ && !is_pdf;
  while (may_be_text_ && !from.empty()) {
    if (const std::uint64_t bytes = bytes_to_next_look(); bytes != 0) {
      const auto passed = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, from.size()));
      end_look();
      begin_ = position_ += passed;
      lead_ = kUnseen;
      followers_ = 3;
      from = from.subspan(passed);
      continue;
    }
    if (followers_ == 0 && from.size() >= kGroupBytes && are_plain(from.first<kGroupBytes>())) {
      position_ += kGroupBytes;
      from = from.subspan(kGroupBytes);
      continue;
    }
    const auto group = first_of(from, kGroupBytes);
    for (const std::byte byte : group) look(byte);
    from = from.subspan(group.size());
  }
}

std::uint64_t TextWatch::bytes_to_next_look() const {
  constexpr std::uint64_t kLook = kPagesPerLook * kPageBytes;
  const bool is_looked_at = position_ < kWholeBytes || position_ % kLook < kPageBytes;
  return is_looked_at ? 0 : kLook - position_ % kLook;
}

// A patch at the edge may go on beyond it, and then shows nothing.
void TextWatch::end_look() {
  for (Patch& patch : patches_) patch.is_edge |= patch.last + kEdgeBytes >= position_;
}

bool TextWatch::begin_parts(std::uint64_t bytes) {
  const bool has_parts = inner_.begin_parts(bytes);
  may_be_text_ = may_be_text_ && !has_parts;
  return has_parts;
}

void TextWatch::look(std::byte next) {
  const auto byte = std::to_integer<std::uint8_t>(next);
  if (followers_ != 0) {
    if ((byte & 0xc0U) == 0x80) {
      --followers_;
      ++position_;
      return;
    }
    if (lead_ != kUnseen) add_odd(position_ - 1, lead_);
  }
  followers_ = followers_of(byte);
  lead_ = next;
  if (followers_ == 0 && !is_plain(byte)) add_odd(position_, next);
  ++position_;
}

void TextWatch::add_odd(std::uint64_t at, std::byte byte) {
  if (patches_.empty() || at > patches_.back().last + kGap)
    patches_.push_back({.first = at, .last = at, .is_edge = at < begin_ + kEdgeBytes});
  Patch& patch = patches_.back();
  patch.last = std::max(patch.last, at);
  patch.odd.set(std::to_integer<std::size_t>(byte));
  may_be_text_ = patches_.size() <= kMaxPatches && patch.last - patch.first < kLongestPatch;
}

std::string what_shows(const TextWatch::Noise& noise) {
  return "the plaintext is text, but for noise at about byte " + std::to_string(noise.at) +
         (noise.is_sure ? ": the file was changed there" : ": perhaps the file was changed there");
}

std::optional<TextWatch::Noise> TextWatch::noise() {
  end_look();
  std::uint64_t noisy = 0;
  std::optional<Noise> found;
  for (const Patch& patch : patches_) {
    noisy += patch.last - patch.first + 1;
    if (patch.is_edge || patch.odd.count() < kMinOdd) continue;
    // Eight bytes of noise have both kinds; a text may hold control characters of its own.
    const bool is_sure = has_any(patch.odd, 0, kHigh) && has_any(patch.odd, kHigh, patch.odd.size());
    // ISO 8859 has none of these, and Windows' code pages have quotation marks there.
    if (!is_sure && !has_any(patch.odd, kHigh, kLatin)) continue;
    if (!found || (is_sure && !found->is_sure)) found = {patch.first, is_sure};
  }
  return may_be_text_ && position_ >= kTextPerNoise * noisy ? found : std::nullopt;
}

}  // namespace fugu::format
