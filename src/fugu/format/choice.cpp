#include "fugu/format/detail/choice.hpp"

#include "fugu/error.hpp"
#include "fugu/format/evidence.hpp"

namespace fugu::format {

bool is_weak_match(const Tried& tried) {
  return tried.padding != PaddingState::invalid && tried.bits >= kWeakMatchBits;
}

bool is_sufficient_match(const Tried& tried) {
  return tried.padding != PaddingState::invalid && is_sufficient({.certain = false, .bits = tried.bits});
}

Tried choose_recipe(std::vector<Tried> all, bool accepted, const RecipeNames& names) {
  Tried& best = all.front();
  const auto named = [&](const Tried& tried) { return names.describe(tried.recipe); };
  for (std::size_t i = 1; i < all.size(); ++i) {
    const Tried& other = all[i];
    if (best.bits - other.bits >= kNeededLeadBits || !is_weak_match(other)) break;
    if (gives_same(best, other)) continue;
    throw Error(Errc::unknown_format, "the passphrase fits " + named(best) + " and also " + named(other) +
                                          "; give " + names.flags(best.recipe) + ", or " +
                                          names.flags(other.recipe));
  }
  require_evidence({.certain = false, .bits = best.bits}, false, accepted, named(best),
                   names.flags(best.recipe));
  return std::move(best);
}

}  // namespace fugu::format
