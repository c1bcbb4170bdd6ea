#include "fugu/spectral/lab/model.hpp"

#include <algorithm>
#include <bit>
#include <queue>
#include <set>
#include <utility>

#include "fugu/spectral/detail/check_rows.hpp"
#include "fugu/spectral/detail/parallel.hpp"

namespace fugu::spectral::lab {
namespace {

// By point a + N b.
std::vector<std::int64_t> magnitudes_of(const BoxTable& table, const SBox& box, const SBoxOptions& options) {
  const TableRows rows = rows_of(table, box, options);
  std::vector<std::int64_t> magnitudes(rows.rows * rows.columns);
  std::vector<std::int32_t> row(rows.columns);
  for (std::uint32_t a = 0; a < rows.rows; ++a) {
    rows.fill(a, row);
    for (std::size_t b = 0; b < row.size(); ++b) magnitudes[a + b * rows.rows] = std::abs(row[b]);
  }
  return magnitudes;
}

void add_names(std::vector<std::string>& names, std::string_view letter, std::size_t first,
               std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) names.push_back(std::string(letter) + std::to_string(first + i));
}

void require_variables(std::size_t variables) {
  spectral::detail::require_at_most(kMaxModelVariables, static_cast<int>(variables), "a model", "variables");
}

// visit(point) for the points that a clause excludes, until it returns false.
template <class Visit>
bool for_each_excluded(Clause clause, std::uint32_t last_point, Visit visit) {
  const std::uint32_t free = last_point & ~clause.mask;
  for (std::uint32_t part = free;; part = (part - 1) & free) {
    if (!visit(part | clause.value)) return false;
    if (part == 0) return true;
  }
}

// A cube of points, counted up: digit i is 0 or 1 for a fixed variable i, 2 for a free one.
class Cubes {
 public:
  explicit Cubes(std::size_t variables) {
    for (std::size_t power = 1; powers_.size() <= variables; power *= 3) powers_.push_back(power);
  }

  std::size_t size() const { return powers_.back(); }
  std::size_t power(std::size_t i) const { return powers_[i]; }
  std::uint32_t free() const { return free_; }
  std::uint32_t value() const { return value_; }

  void advance() {
    for (std::uint32_t bit = 1; bit != 0; bit <<= 1) {
      if ((free_ & bit) != 0) {
        free_ ^= bit;
        continue;
      }
      ((value_ & bit) != 0 ? free_ : value_) |= bit;
      value_ &= ~free_;
      return;
    }
  }

 private:
  std::vector<std::size_t> powers_;
  std::uint32_t free_ = 0;
  std::uint32_t value_ = 0;
};

// By cube, whether all of its points are impossible.
std::vector<std::uint8_t> impossible_cubes(const Transitions& of, const SBoxOptions& options) {
  Cubes cubes(of.variables.size());
  std::vector<std::uint8_t> impossible(cubes.size());
  for (std::size_t i = 0; i < cubes.size(); ++i, cubes.advance()) {
    if (i % (std::size_t{1} << 20) == 0) spectral::detail::throw_if_stopped(options.stop);
    if (cubes.free() == 0) {
      impossible[i] = !of.possible[cubes.value()];
      continue;
    }
    const std::size_t half = cubes.power(static_cast<std::size_t>(std::countr_zero(cubes.free())));
    impossible[i] = impossible[i - half] & impossible[i - 2 * half];
  }
  return impossible;
}

std::vector<Clause> without_unneeded(const std::vector<Clause>& chosen, std::uint32_t last_point) {
  std::vector<std::uint32_t> times(std::size_t{last_point} + 1);
  const auto add = [&](Clause clause, std::uint32_t change) {
    for_each_excluded(clause, last_point, [&](std::uint32_t point) {
      times[point] += change;
      return true;
    });
  };
  for (const Clause clause : chosen) add(clause, 1);
  std::vector<Clause> needed;
  for (const Clause clause : chosen) {
    const bool is_needed =
        !for_each_excluded(clause, last_point, [&](std::uint32_t point) { return times[point] > 1; });
    is_needed ? needed.push_back(clause) : add(clause, ~std::uint32_t{0});
  }
  return needed;
}

// How a form writes a model.
struct ModelForm {
  std::string_view name;
  std::string_view comment;  // begins a line of remarks
  std::string (*before)(const Transitions&, std::size_t inequalities);
  std::string (*line)(const Transitions&, const Inequality&, std::size_t number);
  std::string (*after)(const Transitions&);
};

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : between).append(word);
  return text;
}

std::string literals(const Transitions&, const Inequality& inequality, std::size_t) {
  std::string text;
  std::int64_t least = 1;
  bool is_clause = true;
  for (std::size_t i = 0; i < inequality.coefficients.size(); ++i) {
    const std::int64_t sign = inequality.coefficients[i];
    is_clause = is_clause && std::abs(sign) <= 1;
    if (sign < 0) --least;
    if (sign != 0) text += std::to_string(sign * static_cast<std::int64_t>(i + 1)) + " ";
  }
  if (!is_clause || least != inequality.least)
    throw Error(Errc::usage, "dimacs is for clauses, not for other inequalities");
  return text + "0\n";
}

// "a0 - 2 b1 >= -1"; `times` is between a coefficient and its variable.
std::string comparison(const Transitions& of, const Inequality& inequality, std::string_view times) {
  std::string text;
  for (std::size_t i = 0; i < inequality.coefficients.size(); ++i) {
    const std::int64_t coefficient = inequality.coefficients[i];
    if (coefficient == 0) continue;
    text += coefficient < 0 ? (text.empty() ? "-" : " - ") : (text.empty() ? "" : " + ");
    if (std::abs(coefficient) != 1) text.append(std::to_string(std::abs(coefficient))).append(times);
    text += of.variables[i];
  }
  return text + " >= " + std::to_string(inequality.least);
}

constexpr ModelForm kForms[] = {
    {"dimacs", "c ",
     [](const Transitions& of, std::size_t clauses) {
       return "c variables 1, 2, ...: " + joined(of.variables, " ") + "\np cnf " +
              std::to_string(of.variables.size()) + " " + std::to_string(clauses) + "\n";
     },
     literals, [](const Transitions&) { return std::string(); }},
    {"lp", "\\ ",
     [](const Transitions& of, std::size_t) {
       return "Minimize\n obj: 0 " + of.variables[0] + "\nSubject To\n";
     },
     [](const Transitions& of, const Inequality& inequality, std::size_t number) {
       return " c" + std::to_string(number) + ": " + comparison(of, inequality, " ") + "\n";
     },
     [](const Transitions& of) { return "Binary\n " + joined(of.variables, " ") + "\nEnd\n"; }},
    {"minizinc", "% ",
     [](const Transitions& of, std::size_t) {
       return "var 0..1: " + joined(of.variables, ";\nvar 0..1: ") + ";\n";
     },
     [](const Transitions& of, const Inequality& inequality, std::size_t) {
       return "constraint " + comparison(of, inequality, " * ") + ";\n";
     },
     [](const Transitions&) { return std::string("solve satisfy;\n"); }},
    {"python", "# ",
     [](const Transitions& of, std::size_t) {
       return "variables = [\"" + joined(of.variables, "\", \"") +
              "\"]\n# (coefficients, least): the sum of coefficients times variables is at least that\n"
              "inequalities = [\n";
     },
     [](const Transitions&, const Inequality& inequality, std::size_t) {
       std::vector<std::string> numbers;
       for (const std::int64_t number : inequality.coefficients) numbers.push_back(std::to_string(number));
       return "    ([" + joined(numbers, ", ") + "], " + std::to_string(inequality.least) + "),\n";
     },
     [](const Transitions&) { return std::string("]\n"); }}};

// Takes out the points for which it does not hold. Consecutive points of a Gray code differ in one variable.
void keep_where_true(const Inequality& inequality, std::vector<std::uint8_t>& points) {
  std::int64_t sum = 0;
  std::size_t point = 0;
  for (std::size_t step = 1;; ++step) {
    if (sum < inequality.least) points[point] = 0;
    if (step == points.size()) return;
    const auto variable = static_cast<std::size_t>(std::countr_zero(step));
    point ^= std::size_t{1} << variable;
    const std::int64_t coefficient = inequality.coefficients[variable];
    sum += (point >> variable & 1) != 0 ? coefficient : -coefficient;
  }
}

void check(const Transitions& of, std::span<const Inequality> inequalities) {
  std::vector<std::uint8_t> left(of.possible.size(), 1);
  for (const Inequality& inequality : inequalities) {
    if (inequality.coefficients.size() != of.variables.size())
      throw Error(Errc::usage, "an inequality does not have one coefficient per variable");
    keep_where_true(inequality, left);
  }
  if (!std::ranges::equal(left, of.possible))
    throw Error(Errc::mismatch,
                "the possible transitions are not exactly the points for which all inequalities hold");
}

}  // namespace

Transitions transitions(const BoxTable& table, const SBox& box, bool with_weights,
                        const SBoxOptions& options) {
  if (!has_model(table))
    throw Error(Errc::usage,
                "the " + std::string(table.name) + " has no model: it is not a table of a and b");
  Transitions of{table.name, {}, {}, {}};
  add_names(of.variables, "a", 0, static_cast<std::size_t>(box.inputs()));
  add_names(of.variables, "b", 0, static_cast<std::size_t>(box.outputs()));
  require_variables(of.variables.size());
  const std::vector<std::int64_t> magnitudes = magnitudes_of(table, box, options);
  if (with_weights) {
    std::set<std::int64_t, std::greater<>> levels(magnitudes.begin(), magnitudes.end());
    levels.erase(0);
    of.levels.assign(levels.begin(), levels.end());
    add_names(of.variables, "w", 1, of.levels.empty() ? 0 : of.levels.size() - 1);
    require_variables(of.variables.size());
  }
  of.possible.resize(std::size_t{1} << of.variables.size());
  for (std::size_t point = 0; point < magnitudes.size(); ++point) {
    if (magnitudes[point] == 0) continue;
    const auto level = std::ranges::find(of.levels, magnitudes[point]) - of.levels.begin();
    const std::size_t weights = with_weights ? (std::size_t{1} << level) - 1 : 0;
    of.possible[point + weights * magnitudes.size()] = true;
  }
  return of;
}

std::vector<Clause> prime_clauses(const Transitions& of, const SBoxOptions& options) {
  const std::vector<std::uint8_t> impossible = impossible_cubes(of, options);
  const auto all = static_cast<std::uint32_t>(of.possible.size() - 1);
  Cubes cubes(of.variables.size());
  std::vector<Clause> clauses;
  for (std::size_t i = 0; i < cubes.size(); ++i, cubes.advance()) {
    if (impossible[i] == 0) continue;
    const std::uint32_t fixed = all & ~cubes.free();
    bool is_prime = true;
    for (std::uint32_t rest = fixed; rest != 0 && is_prime; rest &= rest - 1) {
      const bool is_one = (cubes.value() & rest & -rest) != 0;
      is_prime =
          impossible[i + cubes.power(static_cast<std::size_t>(std::countr_zero(rest))) * (is_one ? 1 : 2)] ==
          0;
    }
    if (is_prime) clauses.push_back({fixed, cubes.value()});
  }
  return clauses;
}

// Each choice leaves fewer points for the others to exclude, so a count from before is an upper bound.
std::vector<Clause> few_clauses(const Transitions& of, std::span<const Clause> clauses,
                                const SBoxOptions& options) {
  const auto last_point = static_cast<std::uint32_t>(of.possible.size() - 1);
  std::vector<bool> done = of.possible;
  using Bound = std::pair<std::uint32_t, std::ptrdiff_t>;  // the bound of the clause with the number -second
  std::priority_queue<Bound> bounds;
  for (std::size_t i = 0; i < clauses.size(); ++i) {
    bounds.emplace(std::uint32_t{1} << std::popcount(last_point & ~clauses[i].mask),
                   -static_cast<std::ptrdiff_t>(i));
  }
  std::vector<Clause> chosen;
  while (!bounds.empty()) {
    spectral::detail::throw_if_stopped(options.stop);
    const auto [bound, place] = bounds.top();
    bounds.pop();
    const Clause clause = clauses[static_cast<std::size_t>(-place)];
    std::uint32_t found = 0;
    for_each_excluded(clause, last_point, [&](std::uint32_t point) {
      found += done[point] ? 0u : 1u;
      return true;
    });
    if (found == 0) continue;
    if (found < bound) {
      bounds.emplace(found, place);
      continue;
    }
    chosen.push_back(clause);
    for_each_excluded(clause, last_point, [&](std::uint32_t point) {
      done[point] = true;
      return true;
    });
  }
  return without_unneeded(chosen, last_point);
}

Inequality inequality_of(Clause clause, std::size_t variables) {
  Inequality inequality{std::vector<std::int64_t>(variables), 1 - std::popcount(clause.value)};
  for (std::size_t i = 0; i < variables; ++i)
    if ((clause.mask >> i & 1) != 0) inequality.coefficients[i] = (clause.value >> i & 1) != 0 ? -1 : 1;
  return inequality;
}

std::vector<std::string_view> model_forms() {
  std::vector<std::string_view> names;
  for (const ModelForm& form : kForms) names.push_back(form.name);
  return names;
}

std::string model_text(const Transitions& of, std::span<const Inequality> inequalities, std::string_view form,
                       std::string_view claim) {
  const auto* const row = std::ranges::find(kForms, form, &ModelForm::name);
  if (row == std::end(kForms)) throw Error(Errc::usage, "no model form '" + std::string(form) + "'");
  check(of, inequalities);
  const auto count = std::ranges::count(of.possible, true);
  std::string text = std::string(row->comment)
                         .append(of.table)
                         .append(": ")
                         .append(std::to_string(count))
                         .append(" possible of ")
                         .append(std::to_string(of.possible.size()))
                         .append("; ")
                         .append(std::to_string(inequalities.size()))
                         .append(" inequalities: ")
                         .append(claim)
                         .append("\n");
  for (std::size_t k = 1; k < of.levels.size(); ++k) {
    text.append(row->comment).append("w" + std::to_string(k) + " is 1 where |T(a,b)| <= ");
    text.append(std::to_string(of.levels[k]))
        .append("; the largest is " + std::to_string(of.levels[0]) + "\n");
  }
  text += row->before(of, inequalities.size());
  for (std::size_t i = 0; i < inequalities.size(); ++i) text += row->line(of, inequalities[i], i + 1);
  return text + row->after(of);
}

}  // namespace fugu::spectral::lab
