#include "fugu/spectral/equivalence/decision.hpp"

#include <utility>

namespace fugu::spectral {
namespace {

Answer search(const SBox& s, const SBox& t, Equivalence relation, const DecisionOptions& options) {
  if (!has_search(s, relation)) return {relation, Verdict::undecided};
  SearchOptions search{.stop = options.invariants.work.stop,
                       .most_steps = steps_within(options.seconds, step_seconds(s, relation))};
  if (options.done) search.done = [&](std::uint64_t steps) { options.done(relation, steps); };
  Search found = find_equivalence(s, t, relation, search);
  return {relation, found.verdict, std::nullopt, found.steps, std::move(found.witness)};
}

}  // namespace

std::vector<Answer> decide(const SBox& s, const SBox& t, Equivalence strongest, Equivalence weakest,
                           const DecisionOptions& options) {
  InvariantOptions invariants = options.invariants;
  invariants.relation = strongest;
  const std::optional<Difference> difference = compare(s, t, invariants).difference;
  std::vector<Answer> answers;
  for (int i = static_cast<int>(strongest); i <= static_cast<int>(weakest); ++i) {
    const auto relation = static_cast<Equivalence>(i);
    if (difference && relation <= difference->equivalence)
      answers.push_back({relation, Verdict::inequivalent, difference});
    else
      answers.push_back(search(s, t, relation, options));
    if (answers.back().verdict == Verdict::equivalent) break;
  }
  return answers;
}

}  // namespace fugu::spectral
