// A message opens under a wrong key once in 2^bits, by its padding. Of m messages k open; which k can be
// chosen in (m over k) ways, so that k lucky ones among many prove nothing. Where padding is no evidence, the
// look of the text is.
#include "fugu/format/lines/detail/parts.hpp"

#include <tuple>
#include <utility>

#include "fugu/error.hpp"
#include "fugu/format/detail/characters.hpp"
#include "fugu/format/judge/evidence.hpp"

namespace fugu::format {
namespace {

constexpr double kEnoughBits = 16;

}  // namespace

bool is_noise(std::span<const std::byte> plaintext) {
  return !is_utf8(plaintext) && evidence_bits(plaintext) < 1;
}

void Tally::add(const Tally& other) {
  messages += other.messages;
  tried += other.tried;
  opened += other.opened;
  left += other.left;
  others += other.others;
  noise += other.noise;
  not_utf8 += other.not_utf8;
  bits += other.bits;
  content_bits += other.content_bits;
  if (other.longest > longest) std::tie(longest, longest_bits) = std::pair(other.longest, other.longest_bits);
  all_content = all_content && other.all_content;
  if (first_reason.empty()) first_reason = other.first_reason;
  named.insert(named.end(), other.named.begin(), other.named.end());
}

void Tally::judge(std::span<const std::byte> plaintext) {
  ++opened;
  if (is_utf8(plaintext)) return;
  ++not_utf8;
  if (is_noise(plaintext)) ++noise;
}

void Tally::weigh(std::span<const std::byte> plaintext, bool is_independent) {
  if (!is_independent && plaintext.size() <= longest) return;
  const double of_content = evidence_bits(plaintext);
  if (is_independent) {
    content_bits += of_content;
  } else {
    longest = plaintext.size();
    longest_bits = of_content;
  }
}

double Tally::evidence() const {
  return bits + content_bits + longest_bits - log2_choices(tried, opened);
}

bool Tally::suffices() const {
  return evidence() >= kEnoughBits;
}

void Tally::require(const LinesOptions& options, bool has_secret, bool is_all) const {
  const char* const noun = options.noun();
  if (messages == 0) return;
  const std::string all = (is_all ? "" : "the first ") + counted(messages, noun);
  const std::string none = is_all && messages == 1 ? std::string("the only ") + noun + " does not open"
                                                   : "none of " + all + " opens";
  const std::string failed = "; " + first_reason;
  if (!has_secret) {
    if (opened == 0) throw Error(Errc::damaged, none + failed);
    return;
  }
  if (opened == 0) throw Error(Errc::wrong_key, none + ": wrong key, passphrase or parameters" + failed);
  if (options.accept_weak_evidence) return;
  if (opened < messages && !suffices())
    throw Error(Errc::wrong_key, "only " + std::to_string(opened) + " of " + all +
                                     (opened == 1 ? " opens" : " open") +
                                     ", as under a wrong key or passphrase some would" + failed);
  if (!suffices() && 2 * noise > opened)
    throw Error(Errc::wrong_key, "the plaintext is not text: wrong key, mode, IV or padding");
  if (options.may_hold_others() && bits < 1 && !suffices())
    throw Error(Errc::undecided, "the plaintext is too short to tell whether key and parameters are right: " +
                                     all + (messages == 1 ? " opens" : " open") +
                                     " under many wrong keys, too; if they are right, give ⟦yes⟧");
}

}  // namespace fugu::format
