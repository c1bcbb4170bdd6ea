// Models of tables for solvers: which (a, b) have T(a,b) != 0, as clauses or inequalities over the bits of a
// and b (Sun et al. 2014; Abdelkhalek, Sasaki, Todo, Tolba and Youssef 2017).
#pragma once

#include "fugu/spectral/lab/box_tables.hpp"

namespace fugu::spectral::lab {

inline constexpr int kMaxModelVariables = 16;

// Points are numbers: bit i is a_i, bit n + j is b_j, and, with weights, bit n + m + k - 1 is w_k.
struct Transitions {
  std::string_view table;              // its name
  std::vector<std::string> variables;  // "a0", ..., "b0", ..., "w1", ...
  std::vector<std::int64_t> levels;    // with weights: the |T(a,b)| besides 0, the largest first; w_k is 1
                                       // where |T(a,b)| <= levels[k]
  std::vector<bool> possible;          // by point
};

// Whether it is a table of a and b.
inline bool has_model(const BoxTable& table) {
  return table.shape == TableShape::by_output;
}

// Throws Error{usage} for a box that lacks the table, and above kMaxModelVariables variables.
FUGU_EXPORT Transitions transitions(const BoxTable& table, const SBox& box, bool with_weights,
                                    const SBoxOptions& options = {});

// Excludes the points p with (p & mask) = value: one of these bits must differ.
struct Clause {
  std::uint32_t mask;
  std::uint32_t value;
};

// The clauses that exclude no possible point and become untrue of one without any of their bits: the prime
// implicants of the impossible points (Quine and McCluskey), by all 3^v cubes of v variables.
FUGU_EXPORT std::vector<Clause> prime_clauses(const Transitions& of, const SBoxOptions& options = {});

// Some of them that exclude all impossible points: always the one that excludes most of the rest, then
// without those that are not needed. Seldom the fewest.
FUGU_EXPORT std::vector<Clause> few_clauses(const Transitions& of, std::span<const Clause> clauses,
                                            const SBoxOptions& options = {});

// The sum of coefficients[i] times variable i is at least `least`.
struct Inequality {
  std::vector<std::int64_t> coefficients;
  std::int64_t least;
};

FUGU_EXPORT Inequality inequality_of(Clause clause, std::size_t variables);

// "dimacs", "lp", "minizinc", "python"
FUGU_EXPORT std::vector<std::string_view> model_forms();

// A file of that form, with what `claim` says of the inequalities: "the fewest". Throws Error{mismatch}
// unless they hold for the possible points and no others, Error{usage} for another form and for inequalities
// that are not clauses, for DIMACS.
FUGU_EXPORT std::string model_text(const Transitions& of, std::span<const Inequality> inequalities,
                                   std::string_view form, std::string_view claim);

}  // namespace fugu::spectral::lab
