#include "fugu/format/detail/look_alikes.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

#include "fugu/format/detail/message.hpp"
#include "fugu/format/detail/plausibility.hpp"

namespace fugu::format {
namespace {

using core::kBlockBytes;

// The evidence of the padding; 0 without any, and for a last block of zeros, which several modes share.
double bits_of_end(const Tried& tried) {
  const TailPadding padding = tried.recipe.padding;
  const bool is_zero = padding == TailPadding::zero || padding == TailPadding::always_zero;
  if (tried.padding_bytes == 0 || (is_zero && tried.padding_bytes == kBlockBytes)) return 0;
  return bits_of_padding(padding, tried.padding_bytes);
}

class LookAlikes {
 public:
  LookAlikes(engine::Engine& engine, std::span<const std::byte> head)
      : engine_(engine), head_(head.first(head.size() - head.size() % kBlockBytes)) {}

  void weigh(std::vector<Tried>& all) {
    doubt_beside_cut_files(all);
    std::vector<double> bits;
    for (const Tried& tried : all) bits.push_back(tried.bits);
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = 0; j < all.size(); ++j) {
        if (bits[i] <= 0 || !is_possible(all[i]) || !is_possible(all[j])) continue;
        if (!are_rivals(all[i], all[j])) continue;
        const double lead = lead_of(all[i], all[j]);
        if (lead <= 0) all[i].bits = std::min(all[i].bits, bits[j] + lead);
      }
    }
  }

 private:
  // Not sufficient, and enough for the message to name a rival within the needed lead.
  static constexpr double kDoubtedBits = kWeakMatchBits + kNeededLeadBits;

  // A recipe whose padding is wrong may still be right about a file that was cut or continued.
  void doubt_beside_cut_files(std::vector<Tried>& all) {
    std::vector<Tried*> refuted;
    for (Tried& tried : all) {
      for (const Tried& cut : all) {
        if (tried.bits <= 0 || !is_possible(tried) || is_possible(cut) || !are_rivals(tried, cut)) continue;
        const double lead = lead_of(tried, cut);
        if (lead <= -kNeededLeadBits) {
          refuted.push_back(&tried);
        } else if (lead < kNeededLeadBits) {
          tried.bits = std::min(tried.bits, kDoubtedBits);
        }
      }
    }
    for (Tried* const tried : refuted) tried->padding = PaddingState::invalid;
  }

  static bool are_rivals(const Tried& a, const Tried& b) {
    return have_one_key_and_iv(a, b) && !have_one_plaintext(a, b);
  }

  // By how many bits `a` is more likely than `b`, not counting what they have in common.
  double lead_of(const Tried& a, const Tried& b) {
    return lead_of_content(a, b) + bits_of_end(a) - bits_of_end(b) +
           std::log2(a.recipe.prior / b.recipe.prior);
  }

  double lead_of_content(const Tried& a, const Tried& b) {
    core::WipedBytes in_a;  // the blocks that count
    core::WipedBytes in_b;
    const bool sums = are_sums(a, b);
    const core::WipedBytes& all_of_a = plaintext_of(a);
    const core::WipedBytes& all_of_b = plaintext_of(b);
    for (std::size_t at = 0; at < head_.size(); at += kBlockBytes) {
      const auto of_a = std::span(all_of_a).subspan(at, kBlockBytes);
      const auto of_b = std::span(all_of_b).subspan(at, kBlockBytes);
      if (std::ranges::equal(of_a, of_b) || (sums && (is_zero(of_a) || is_zero(of_b)))) continue;
      in_a.insert(in_a.end(), of_a.begin(), of_a.end());
      in_b.insert(in_b.end(), of_b.begin(), of_b.end());
    }
    const double bits_of_a = plausibility_bits(in_a);
    const double bits_of_b = plausibility_bits(in_b);
    if (sums && std::min(bits_of_a, bits_of_b) > kNeededLeadBits) return text_bits(in_a) - text_bits(in_b);
    return bits_of_a - bits_of_b;
  }

  static bool are_sums(const Tried& a, const Tried& b) {
    return (a.recipe.mode == mode::Mode::pcbc) != (b.recipe.mode == mode::Mode::pcbc);
  }

  const core::WipedBytes& plaintext_of(const Tried& tried) {
    const auto is_known = [&](const auto& known) { return have_one_plaintext(*known.first, tried); };
    const auto known = std::ranges::find_if(plaintexts_, is_known);
    if (known != plaintexts_.end()) return known->second;
    return plaintexts_
        .emplace_back(&tried, decrypted(engine_, schedule_of(tried.key.span()), tried, head_, tried.iv))
        .second;
  }

  engine::Engine& engine_;
  std::span<const std::byte> head_;  // whole blocks
  std::deque<std::pair<const Tried*, core::WipedBytes>> plaintexts_;
};

}  // namespace

void weigh_look_alikes(engine::Engine& engine, std::span<const std::byte> head, std::vector<Tried>& all) {
  LookAlikes(engine, head).weigh(all);
}

}  // namespace fugu::format
