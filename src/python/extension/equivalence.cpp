// Invariants of S-boxes, the comparison of two boxes by them, and the search for equivalence.

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <tuple>
#include <variant>

#include "fugu/spectral/equivalence/canonical.hpp"
#include "fugu/spectral/equivalence/walsh_zeros.hpp"
#include "python/extension/bind.hpp"
#include "python/extension/long_work.hpp"

namespace fugu::python {
namespace {

using spectral::SBox;

// A digest is a number here, like a rank.
using NumberOrHistogram = std::variant<std::uint64_t, spectral::Histogram>;
using InvariantTuple = std::tuple<std::string_view, std::string_view, std::optional<NumberOrHistogram>>;

NumberOrHistogram plain(const spectral::InvariantValue& value) {
  if (const auto* const histogram = std::get_if<spectral::Histogram>(&value)) return *histogram;
  if (const auto* const digest = std::get_if<spectral::Digest>(&value)) return digest->value;
  return std::get<std::uint64_t>(value);
}

std::optional<NumberOrHistogram> plain(const std::optional<spectral::InvariantValue>& value) {
  return value ? std::optional(plain(*value)) : std::nullopt;
}

spectral::InvariantOptions invariant_options(const SBox& box, unsigned boxes, const std::stop_token& stop,
                                             bool slow_ranks) {
  spectral::InvariantOptions options{.work = {.stop = stop}, .slow_ranks = slow_ranks};
  const double seconds = boxes * invariant_seconds(box, options);
  options.work.begin = [seconds](std::uint64_t steps) {
    return begin_steps("the invariants", steps, seconds);
  };
  return options;
}

std::function<void(std::uint64_t)> guesses_at(spectral::Equivalence relation) {
  return begin_steps("guesses at maps of " + std::string(to_string(relation)) + "-equivalence", 0, 0);
}

// Equivalence, name and value.
std::vector<InvariantTuple> invariants(const SBox& box, bool slow_ranks) {
  const auto all = result_of(kShortValues + 1, [&](const std::stop_token& stop) {
    return spectral::invariants(box, invariant_options(box, 1, stop, slow_ranks));
  });
  std::vector<InvariantTuple> tuples;
  for (const spectral::Invariant& invariant : all)
    tuples.emplace_back(to_string(invariant.equivalence), invariant.name, plain(invariant.value));
  return tuples;
}

using DifferenceTuple = std::tuple<std::string_view, std::string_view, std::optional<NumberOrHistogram>,
                                   std::optional<NumberOrHistogram>>;

std::optional<DifferenceTuple> plain(const std::optional<spectral::Difference>& difference) {
  if (!difference) return std::nullopt;
  return DifferenceTuple(to_string(difference->equivalence), difference->name, plain(difference->first),
                         plain(difference->second));
}

// The names of the equal ones, and the first that differs.
std::pair<std::vector<std::string_view>, std::optional<DifferenceTuple>> compare(const SBox& first,
                                                                                 const SBox& second,
                                                                                 bool slow_ranks) {
  const auto [agreements, difference] = result_of(kShortValues + 1, [&](const std::stop_token& stop) {
    spectral::InvariantOptions options = invariant_options(first, 2, stop, slow_ranks);
    options.relation = spectral::Equivalence::ea;
    return spectral::compare(first, second, options);
  });
  std::vector<std::string_view> equal;
  for (const spectral::Agreement& agreement : agreements) equal.push_back(agreement.name);
  return {std::move(equal), plain(difference)};
}

// The columns, the constant and the number of outputs.
using MapTuple = std::tuple<std::vector<std::uint32_t>, std::uint32_t, int>;

MapTuple plain(const spectral::AffineMap& map) {
  return {map.columns, map.constant, map.outputs};
}

// The relation, whether it holds, what decided it, what excludes it, the guesses, and A, B, C and L.
using AnswerTuple =
    std::tuple<std::string_view, std::optional<bool>, std::string_view, std::optional<DifferenceTuple>,
               std::uint64_t, std::optional<std::vector<MapTuple>>>;

AnswerTuple plain(const spectral::Answer& answer) {
  std::optional<bool> holds;
  if (answer.verdict != spectral::Verdict::undecided) holds = answer.verdict == spectral::Verdict::equivalent;
  std::optional<std::vector<MapTuple>> maps;
  if (answer.witness) {
    const auto& [relation, a, b, c, l] = *answer.witness;
    maps = std::vector{plain(a), plain(b), plain(c), plain(l)};
  }
  return {to_string(answer.relation), holds,        answer.by,
          plain(answer.difference),   answer.steps, std::move(maps)};
}

// From the relation `strongest` to `weakest`, by their positions in the order of strength.
std::vector<AnswerTuple> decide(const SBox& first, const SBox& second, int strongest, int weakest,
                                double seconds) {
  const auto answers = result_of(kShortValues + 1, [&](const std::stop_token& stop) {
    std::map<spectral::Equivalence, spectral::Progress> counted;
    const auto done = [&](spectral::Equivalence relation, std::uint64_t steps) {
      const auto [found, is_new] = counted.try_emplace(relation);
      if (is_new) found->second = guesses_at(relation);
      if (found->second) found->second(steps);
    };
    return spectral::decide(
        first, second, static_cast<spectral::Equivalence>(strongest),
        static_cast<spectral::Equivalence>(weakest),
        {.invariants = invariant_options(first, 2, stop, false), .seconds = seconds, .done = done});
  });
  std::vector<AnswerTuple> tuples;
  for (const spectral::Answer& answer : answers) tuples.push_back(plain(answer));
  return tuples;
}

std::optional<std::string> self_equivalences(const SBox& box, bool affine, double seconds) {
  const auto relation = affine ? spectral::Equivalence::affine : spectral::Equivalence::linear;
  return result_of(kShortValues + 1, [&](const std::stop_token& stop) {
    return spectral::self_equivalences(
        box, relation,
        {.stop = stop, .deadline = spectral::deadline_after(seconds), .done = guesses_at(relation)});
  });
}

// R, A and B.
using CanonicalTuple = std::tuple<SBox, MapTuple, MapTuple>;

std::optional<CanonicalTuple> canonical(const SBox& box, bool affine, double seconds) {
  const auto relation = affine ? spectral::Equivalence::affine : spectral::Equivalence::linear;
  const auto least = result_of(kShortValues + 1, [&](const std::stop_token& stop) {
    return spectral::canonical(box, relation,
                               {.stop = stop,
                                .deadline = spectral::deadline_after(seconds),
                                .done = begin_steps("guesses at the least representative", 0, 0)});
  });
  if (!least) return std::nullopt;
  return CanonicalTuple(least->box, plain(least->witness.a), plain(least->witness.b));
}

// The list, the number of its classes, the first and the box's number, the relation, what decided, the
// origin.
using ClassTuple =
    std::tuple<std::string_view, int, int, int, std::string_view, std::string_view, std::string_view>;

std::optional<std::vector<ClassTuple>> classes_of(const SBox& box, double seconds) {
  const auto classes = result_of(kShortValues + 1, [&](const std::stop_token& stop) {
    return spectral::classes_of(box, {.stop = stop, .deadline = spectral::deadline_after(seconds)});
  });
  if (!classes) return std::nullopt;
  std::vector<ClassTuple> tuples;
  for (const spectral::ListedClass& found : *classes)
    tuples.emplace_back(found.list, found.classes, found.first, found.number, to_string(found.relation),
                        found.by, found.origin);
  return tuples;
}

// Whether all Walsh-zero spaces were found in that time, and what `use` makes of those that were, with the
// options for what goes on until the same time.
template <class Use>
auto with_spaces(const SBox& box, double seconds, Use use) {
  return result_of(kShortValues + 1, [&](const std::stop_token& stop) {
    const spectral::SearchOptions until{.stop = stop, .deadline = spectral::deadline_after(seconds)};
    spectral::SearchOptions search = until;
    search.done = begin_steps("steps to Walsh-zero spaces", 0, 0);
    const spectral::WalshZeroSpaces found = spectral::walsh_zero_spaces(box, search);
    return std::pair(found.complete, use(found.spaces, until));
  });
}

using Spaces = std::vector<spectral::WalshZeroSpace>;
using SpaceTuple = std::tuple<std::vector<std::uint32_t>, int>;

std::pair<bool, std::vector<SpaceTuple>> walsh_zero_spaces(const SBox& box, double seconds) {
  return with_spaces(box, seconds, [](const Spaces& spaces, const spectral::SearchOptions&) {
    std::vector<SpaceTuple> tuples;
    for (const auto& [basis, thickness] : spaces) tuples.emplace_back(basis, thickness);
    return tuples;
  });
}

std::pair<bool, std::optional<SBox>> ccz_permutation(const SBox& box, double seconds) {
  return with_spaces(box, seconds, [&](const Spaces& spaces, const spectral::SearchOptions& until) {
    const auto image =
        permutation_of(box, spaces, {.stop = until.stop, .begin = counted("pairs of Walsh-zero spaces")});
    return image ? std::optional(image->box) : std::nullopt;
  });
}

std::pair<bool, std::optional<std::vector<SBox>>> ccz_classes(const SBox& box, double seconds) {
  return with_spaces(
      box, seconds,
      [&](const Spaces& spaces, const spectral::SearchOptions& until) -> std::optional<std::vector<SBox>> {
        const auto classes = spectral::ea_classes(
            box, spaces, until, begin_steps("functions of Walsh-zero spaces", spaces.size(), 0));
        if (!classes) return std::nullopt;
        std::vector<SBox> boxes;
        for (const spectral::Image& image : *classes) boxes.push_back(image.box);
        return boxes;
      });
}

using TuTuple = std::tuple<SBox, MapTuple, MapTuple, MapTuple>;

std::pair<bool, std::optional<TuTuple>> tu_decomposition(const SBox& box, int t, double seconds) {
  return with_spaces(
      box, seconds, [&](const Spaces& spaces, const spectral::SearchOptions&) -> std::optional<TuTuple> {
        const auto tu = spectral::tu_decomposition(box, spaces, t);
        if (!tu) return std::nullopt;
        return TuTuple(tu->box, plain(tu->witness.a), plain(tu->witness.b), plain(tu->witness.c));
      });
}

}  // namespace

void bind_equivalence(nb::module_& module) {
  using namespace nb::literals;
  module.def("invariants", invariants, "box"_a, "slow_ranks"_a);
  module.def("decide", decide, "first"_a, "second"_a, "strongest"_a, "weakest"_a, "seconds"_a);
  module.def("self_equivalences", self_equivalences, "box"_a, "affine"_a, "seconds"_a);
  module.def("canonical", canonical, "box"_a, "affine"_a, "seconds"_a);
  module.def("classes_of", classes_of, "box"_a, "seconds"_a);
  module.def("walsh_zero_spaces", walsh_zero_spaces, "box"_a, "seconds"_a);
  module.def("ccz_permutation", ccz_permutation, "box"_a, "seconds"_a);
  module.def("ea_classes", ccz_classes, "box"_a, "seconds"_a);
  module.def("tu_decomposition", tu_decomposition, "box"_a, "t"_a, "seconds"_a);
  module.def("compare", compare, "first"_a, "second"_a, "slow_ranks"_a);
}

}  // namespace fugu::python
