// The relations as searches of maps that fix 0: a point of S is fixed, each point of T tried as its image.
#include "fugu/spectral/equivalence/equivalence.hpp"

#include <utility>

#include "fugu/spectral/equivalence/detail/searches.hpp"
#include "fugu/spectral/equivalence/walsh_zeros.hpp"

namespace fugu::spectral {
namespace {

using detail::Budget;
using detail::Labels;
using detail::LinearSearch;
using Found = std::optional<Witness>;

void check(const SBox& box, Equivalence relation) {
  if (has_search(box, relation)) return;
  const bool graph = relation >= Equivalence::ea;
  throw Error(Errc::usage, "a search for " + std::string(to_string(relation)) + "-equivalence: at most " +
                               std::to_string(graph ? kMaxGraphBits : kMaxAffineBits) +
                               (graph ? " inputs and outputs together" : " inputs and outputs each") +
                               " are possible");
}

// x -> map(x + shift)
AffineMap after_sum(AffineMap map, std::uint32_t shift) {
  map.constant = map(shift);
  return map;
}

AffineMap plus(AffineMap map, std::uint32_t constant) {
  map.constant ^= constant;
  return map;
}

// A of a difference keeps its label, A(x) = y of points with base p -> q also those of x + p and y + q.
std::vector<std::uint64_t> labels_around(const Labels& labels, std::uint32_t point) {
  std::vector<std::uint64_t> around(labels.points.size());
  for (std::size_t v = 0; v < around.size(); ++v)
    around[v] = detail::mixed(labels.differences[v] + detail::mixed(labels.points[v ^ point]));
  return around;
}

bool keep(Found& found, Witness witness, const SBox& s, const SBox& t) {
  if (!holds(witness, s, t)) return false;
  found = std::move(witness);
  return true;
}

// The searches of linear, affine and EA look for maps from T to S, since S(A(x)) = B^-1(T(x)).
Found linear_witness(const SBox& s, const SBox& t, Budget& budget) {
  const std::vector<std::uint64_t> s_labels = labels_around(detail::labels_of(s, budget), 0);
  Found found;
  LinearSearch(t, labels_around(detail::labels_of(t, budget), 0), s, s_labels, budget)
      .run([&](const AffineMap& a, const AffineMap& b) {
        return keep(found, {.relation = Equivalence::linear, .a = a, .b = inverse(b)}, s, t);
      });
  return found;
}

// attempt(q) for each point q of a box that may be the image of a point with this label.
template <class Attempt>
Found try_images(const std::vector<std::uint64_t>& labels, std::uint64_t label, Attempt attempt) {
  for (std::uint32_t q = 0; q < labels.size(); ++q) {
    if (labels[q] != label) continue;
    if (Found found = attempt(q)) return found;
  }
  return std::nullopt;
}

Found affine_witness(const SBox& s, const SBox& t, Budget& budget) {
  const Labels s_labels = detail::labels_of(s, budget);
  const Labels t_labels = detail::labels_of(t, budget);
  const std::uint32_t p = detail::rarest(t_labels.points);
  const SBox t_moved = detail::moved(t, p);
  return try_images(s_labels.points, t_labels.points[p], [&](std::uint32_t q) {
    const SBox s_moved = detail::moved(s, q);
    const std::vector<std::uint64_t> around_q = labels_around(s_labels, q);
    Found found;
    LinearSearch(t_moved, labels_around(t_labels, p), s_moved, around_q, budget)
        .run([&](const AffineMap& a, const AffineMap& b) {
          return keep(found,
                      {.relation = Equivalence::affine,
                       .a = plus(after_sum(a, p), q),
                       .b = plus(after_sum(inverse(b), s[q]), t[p])},
                      s, t);
        });
    return found;
  });
}

// L maps (x, y) to (A(x), D(x) + E(y)), so that S'(A(x)) = D(x) + E(T'(x)) with T' = T around p, S' = S
// around q.
Witness ea_witness_of(const AffineMap& l, const SBox& s, std::uint32_t q, const SBox& t, std::uint32_t p) {
  const auto m = static_cast<std::size_t>(s.outputs());
  AffineMap a{s.inputs(), {}, 0};
  AffineMap d{s.outputs(), {}, 0};
  const AffineMap e{s.outputs(), {l.columns.begin(), l.columns.begin() + s.outputs()}, 0};
  const AffineMap b = inverse(e);
  for (std::size_t i = m; i < l.columns.size(); ++i) {
    a.columns.push_back(l.columns[i] >> m);
    d.columns.push_back(b(l.columns[i] & s.last_mask()));
  }
  return {.relation = Equivalence::ea,
          .a = plus(after_sum(a, p), q),
          .b = b,
          .c = plus(after_sum(d, p), b(s[q]) ^ t[p])};
}

Witness ccz_witness_of(const AffineMap& l, const SBox& s, std::uint32_t p, const SBox& t, std::uint32_t q) {
  return {.relation = Equivalence::ccz,
          .l = plus(after_sum(l, p << s.outputs() | s[p]), q << s.outputs() | t[q])};
}

std::uint32_t last_of(const std::vector<std::uint64_t>& labels, std::uint64_t label) {
  return static_cast<std::uint32_t>(std::ranges::find(labels.rbegin(), labels.rend(), label).base() -
                                    labels.begin() - 1);
}

// Maps graph to graph: of T to S for EA, of S to T for CCZ. Of points with one label, a point in a large
// orbit of self-equivalences has more images, and distinguishes more of the others.
Found graph_witness(const SBox& s, const SBox& t, Equivalence relation, Budget& budget) {
  const bool is_ea = relation == Equivalence::ea;
  const SBox& from = is_ea ? t : s;
  const SBox& to = is_ea ? s : t;
  const std::vector<std::uint64_t> from_labels = detail::labels_of(from, budget).points;
  const std::uint32_t first = detail::rarest(from_labels);
  const std::uint32_t last = last_of(from_labels, from_labels[first]);
  detail::GraphSearch from_first(detail::moved(from, first), is_ea, budget);
  detail::GraphSearch from_last(detail::moved(from, last), is_ea, budget);
  const bool is_last = from_last.classes() > from_first.classes();
  const std::uint32_t p = is_last ? last : first;
  detail::GraphSearch& search = is_last ? from_last : from_first;
  return try_images(detail::labels_of(to, budget).points, from_labels[p], [&](std::uint32_t q) {
    Found found;
    search.run(detail::moved(to, q), [&](const AffineMap& l) {
      return keep(found, is_ea ? ea_witness_of(l, s, q, t, p) : ccz_witness_of(l, s, p, t, q), s, t);
    });
    return found;
  });
}

// With C(x) = T(x) + B(S(A(x))) at 0 and the unit vectors; where that is not affine, the witness does not
// hold.
Witness extended_witness(const AffineMap& a, const AffineMap& b, const SBox& s, const SBox& t) {
  const auto c = [&](std::uint32_t x) { return t[x] ^ b(s[a(x)]); };
  Witness witness{.relation = Equivalence::ea, .a = a, .b = b, .c = {s.outputs(), {}, c(0)}};
  for (int j = 0; j < s.inputs(); ++j) witness.c.columns.push_back(c(std::uint32_t{1} << j) ^ c(0));
  return witness;
}

// (x, y) -> (A^-1(x), B(y) + C(A^-1(x)))
Witness as_ccz(const Witness& ea) {
  const int m = ea.b.outputs;
  const AffineMap back = inverse(ea.a);
  Witness witness{.relation = Equivalence::ccz, .l = {back.outputs + m, ea.b.columns, 0}};
  const auto image = [&](std::uint32_t x) { return back(x) << m | ea.c(back(x)); };
  for (int j = 0; j < back.inputs(); ++j)
    witness.l.columns.push_back(image(std::uint32_t{1} << j) ^ image(0));
  witness.l.constant = image(0) ^ ea.b.constant;
  return witness;
}

// pi_S and pi_T, the ortho-derivatives, fulfil B^T(pi_T(x)) = pi_S(A(x)) for the linear part of A, and a
// shift of x changes a quadratic S by an affine map only. CCZ-equivalent quadratic APN functions are
// EA-equivalent (Yoshiara, J. Algebraic Combin. 35, 2012).
template <class Accept>
void try_quadratic(const SBox& s, const SBox& pi_s, const SBox& t, const SBox& pi_t, Budget& budget,
                   Accept accept) {
  const std::vector<std::uint64_t> s_labels = labels_around(detail::labels_of(pi_s, budget), 0);
  LinearSearch(pi_t, labels_around(detail::labels_of(pi_t, budget), 0), pi_s, s_labels, budget)
      .run([&](const AffineMap& a, const AffineMap& b) {
        return accept(extended_witness(a, detail::transposed(b), s, t));
      });
}

Found quadratic_witness(const SBox& s, const SBox& pi_s, const SBox& t, const SBox& pi_t,
                        Equivalence relation, Budget& budget) {
  Found found;
  try_quadratic(s, pi_s, t, pi_t, budget, [&](const Witness& witness) {
    return keep(found, relation == Equivalence::ccz ? as_ccz(witness) : witness, s, t);
  });
  return found;
}

constexpr std::string_view kByExponents = "exponents of power maps (Dempwolff 2018)";
constexpr std::string_view kBySpaces = "Walsh-zero spaces (Canteaut, Perrin 2019)";
constexpr std::string_view kByGuesses = "guesses at maps (Biryukov, De Canniere, Braeken, Preneel 2003)";
constexpr std::string_view kByCodes = "maps of linear codes (Edel, Pott 2009)";
constexpr std::string_view kByOrtho = "maps of ortho-derivatives (Canteaut, Couvreur, Perrin 2022)";
constexpr std::string_view kByYoshiara =
    "maps of ortho-derivatives (Canteaut, Couvreur, Perrin 2022), CCZ-equivalent quadratic APN functions "
    "being "
    "EA-equivalent (Yoshiara 2012)";

// `by`: set before the search begins.
Found witness_of(const SBox& s, const SBox& t, Equivalence relation, Budget& budget, std::string_view& by) {
  by = kByGuesses;
  if (relation == Equivalence::linear) return linear_witness(s, t, budget);
  if (relation == Equivalence::affine) return affine_witness(s, t, budget);
  const std::optional<SBox> pi_s = ortho_derivative(s);
  const std::optional<SBox> pi_t = ortho_derivative(t);
  by = !pi_s || !pi_t ? kByCodes : relation == Equivalence::ea ? kByOrtho : kByYoshiara;
  if (pi_s && pi_t) return quadratic_witness(s, *pi_s, t, *pi_t, relation, budget);
  return graph_witness(s, t, relation, budget);
}

// With the witness of a stronger relation.
Answer shown(const Witness& strongest, Equivalence relation, const SBox& s, const SBox& t) {
  Witness witness = strongest;
  if (strongest.relation == Equivalence::linear && relation >= Equivalence::ea)
    witness = extended_witness(strongest.a, strongest.b, s, t);
  if (witness.relation == Equivalence::ea && relation == Equivalence::ccz) witness = as_ccz(witness);
  witness.relation = relation;
  return {relation, Verdict::equivalent, kByExponents, std::nullopt, 0, std::move(witness)};
}

// Of boxes that have few outputs and inputs, in a part of the time.
constexpr int kQuickSpaceBits = 16;
constexpr std::chrono::milliseconds kSpacesTime{500};

std::optional<Difference> difference_of_spaces(const SBox& s, const SBox& t, SearchOptions options) {
  if (s.inputs() + s.outputs() > kQuickSpaceBits) return std::nullopt;
  const Deadline now = options.clock();
  options.deadline = std::min(options.deadline, now + kSpacesTime);
  const WalshZeroSpaces first = walsh_zero_spaces(s, options);
  if (!first.complete) return std::nullopt;
  const WalshZeroSpaces second = walsh_zero_spaces(t, options);
  if (!second.complete || first.spaces.size() == second.spaces.size()) return std::nullopt;
  return Difference{Equivalence::ccz, "number of Walsh-zero spaces", kBySpaces,
                    std::uint64_t{first.spaces.size()}, std::uint64_t{second.spaces.size()}};
}

Answer search(const SBox& s, const SBox& t, Equivalence relation, Deadline deadline,
              const DecisionOptions& options) {
  if (!has_search(s, relation)) return {relation, Verdict::undecided, ""};
  SearchOptions search{.stop = options.invariants.work.stop, .deadline = deadline, .clock = options.clock};
  if (options.done) search.done = [&](std::uint64_t steps) { options.done(relation, steps); };
  if (relation == Equivalence::ccz && !(ortho_derivative(s) && ortho_derivative(t)))
    if (auto difference = difference_of_spaces(s, t, search))
      return {relation, Verdict::inequivalent, difference->by, std::move(difference)};
  Search found = find_equivalence(s, t, relation, search);
  return {relation, found.verdict, found.by, std::nullopt, found.steps, std::move(found.witness)};
}

// Undecided, none, from the deadline on.
std::optional<Difference> difference_of(const SBox& s, const SBox& t, InvariantOptions options,
                                        Deadline deadline, Clock clock) {
  options.work.begin = [shown = options.work.begin, deadline, clock](std::uint64_t steps) -> Progress {
    return [done = shown ? shown(steps) : Progress(), deadline, clock](std::uint64_t count) {
      detail::throw_if_late(deadline, clock);
      if (done) done(count);
    };
  };
  try {
    return compare(s, t, options).difference;
  } catch (const detail::OutOfTime&) {
    return std::nullopt;
  }
}

Deadline share_until(Deadline deadline, int searches, Clock clock) {
  const Deadline now = clock();
  return deadline == kNoDeadline ? deadline : now + (deadline - now) / searches;
}

bool is_linear(const AffineMap& map) {
  return map.constant == 0;
}

bool maps_graph(const AffineMap& l, const SBox& s, const SBox& t) {
  if (!is_permutation(l)) return false;
  for (std::uint32_t x = 0; x < s.size(); ++x) {
    const std::uint32_t image = l(x << s.outputs() | s[x]);
    if (t[image >> s.outputs()] != (image & s.last_mask())) return false;
  }
  return true;
}

std::string self_equivalences(const SBox& box, Equivalence relation, Budget& budget) {
  const Labels labels = detail::labels_of(box, budget);
  const std::uint32_t p = relation == Equivalence::linear ? 0 : detail::rarest(labels.points);
  const SBox from = relation == Equivalence::linear ? box : detail::moved(box, p);
  const std::vector<std::uint64_t> around_p = labels_around(labels, p);
  detail::Decimal product;
  LinearSearch(from, around_p, from, around_p, budget).count(product);
  if (relation == Equivalence::affine) {
    std::uint64_t orbit = 0;
    (void)try_images(labels.points, labels.points[p], [&](std::uint32_t q) -> Found {
      const SBox to = detail::moved(box, q);
      const std::vector<std::uint64_t> around_q = labels_around(labels, q);
      if (LinearSearch(from, around_p, to, around_q, budget).run([](const auto&...) { return true; }))
        ++orbit;
      return std::nullopt;
    });
    product.multiply(orbit);
  }
  return product.text();
}

}  // namespace

namespace detail {

AffineMap transposed(const AffineMap& map) {
  AffineMap result{map.inputs(), std::vector<std::uint32_t>(static_cast<std::size_t>(map.outputs)), 0};
  for (std::size_t i = 0; i < result.columns.size(); ++i)
    for (std::size_t j = 0; j < map.columns.size(); ++j) result.columns[i] |= (map.columns[j] >> i & 1) << j;
  return result;
}

std::vector<AffineMap> quadratic_automorphisms(const SBox& box, const SBox& pi, Budget& budget) {
  std::vector<AffineMap> found;
  const int m = box.outputs();
  for (std::uint32_t a = 1; a < box.size(); a *= 2) {
    AffineMap shear{box.inputs() + m, {}, 0};
    for (int i = 0; i < m; ++i) shear.columns.push_back(std::uint32_t{1} << i);
    for (std::uint32_t x = 1; x < box.size(); x *= 2)
      shear.columns.push_back(x << m | (box[x ^ a] ^ box[x] ^ box[a] ^ box[0]));
    found.push_back(std::move(shear));
  }
  try_quadratic(box, pi, box, pi, budget, [&](const Witness& witness) {
    if (holds(witness, box, box)) found.push_back(as_ccz(witness).l);
    return false;
  });
  return found;
}

}  // namespace detail

bool has_search(const SBox& box, Equivalence relation) {
  if (relation >= Equivalence::ea) return box.inputs() + box.outputs() <= kMaxGraphBits;
  return box.inputs() <= kMaxAffineBits && box.outputs() <= kMaxAffineBits;
}

bool holds(const Witness& witness, const SBox& s, const SBox& t) {
  if (witness.relation == Equivalence::ccz) return maps_graph(witness.l, s, t);
  const auto& [relation, a, b, c, l] = witness;
  if (!is_permutation(a) || !is_permutation(b)) return false;
  if (relation == Equivalence::linear && !(is_linear(a) && is_linear(b))) return false;
  for (std::uint32_t x = 0; x < s.size(); ++x) {
    const std::uint32_t sum = relation == Equivalence::ea ? c(x) : 0;
    if (t[x] != (b(s[a(x)]) ^ sum)) return false;
  }
  return true;
}

Search find_equivalence(const SBox& s, const SBox& t, Equivalence relation, const SearchOptions& options) {
  check_same_size(s, t);
  check(s, relation);
  Budget budget(options);
  std::string_view by;
  try {
    Found found = witness_of(s, t, relation, budget, by);
    return {found ? Verdict::equivalent : Verdict::inequivalent, by, budget.steps(), std::move(found)};
  } catch (const detail::OutOfTime&) {
    return {Verdict::undecided, by, budget.steps()};
  }
}

Deadline deadline_after(double seconds, Clock clock) {
  constexpr double kYears = 1e9;  // more would not fit the clock
  if (!(seconds >= 0)) throw Error(Errc::usage, "the time limit must be 0 seconds, for none, or more");
  if (seconds == 0 || seconds > kYears) return kNoDeadline;
  return clock() + std::chrono::ceil<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds));
}

std::optional<std::string> self_equivalences(const SBox& box, Equivalence relation,
                                             const SearchOptions& options) {
  check(box, relation);
  if (relation >= Equivalence::ea)
    throw Error(Errc::usage, "only linear and affine self-equivalences are counted");
  Budget budget(options);
  try {
    return self_equivalences(box, relation, budget);
  } catch (const detail::OutOfTime&) {
    return std::nullopt;
  }
}

std::vector<Answer> decide(const SBox& s, const SBox& t, Equivalence strongest, Equivalence weakest,
                           const DecisionOptions& options) {
  check_same_size(s, t);
  InvariantOptions invariants = options.invariants;
  invariants.relation = strongest;
  const Deadline deadline = deadline_after(options.seconds, options.clock);
  std::optional<Difference> difference;
  const std::optional<detail::PowerPair> powers = detail::power_pair(s, t);
  if (powers && powers->k != powers->l) {
    difference = {Equivalence::ccz, "least exponents 2^i k and 2^i / k of the power maps", kByExponents,
                  std::uint64_t{powers->k}, std::uint64_t{powers->l}};
  } else if (!powers || !powers->witness || powers->witness->relation > strongest) {
    difference = difference_of(s, t, invariants, deadline, options.clock);
  }
  std::vector<Answer> answers;
  for (int i = static_cast<int>(strongest); i <= static_cast<int>(weakest); ++i) {
    const auto relation = static_cast<Equivalence>(i);
    if (difference && relation <= difference->equivalence)
      answers.push_back({relation, Verdict::inequivalent, difference->by, difference});
    else if (powers && powers->witness && powers->witness->relation <= relation)
      answers.push_back(shown(*powers->witness, relation, s, t));
    else
      answers.push_back(search(
          s, t, relation, share_until(deadline, static_cast<int>(weakest) - i + 1, options.clock), options));
    if (answers.back().verdict == Verdict::equivalent) break;
  }
  return answers;
}

}  // namespace fugu::spectral
