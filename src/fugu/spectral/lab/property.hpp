// The properties of S-boxes and of Boolean functions: one table of rows for each.
//
// The program's reports, its options, help and manual, and the Python package's attributes, docstrings and
// types all iterate over the rows. A new property is a row, and a function that computes it.
#pragma once

#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "fugu/spectral/sbox/algebra.hpp"

namespace fugu::spectral::lab {

class Box;
class Function;

// Work of more than this deserves an estimate before it, and progress.
inline constexpr double kLongSeconds = 2;

// Properties that are requested together, in the order of reports.
enum class Group : std::uint8_t {
  basic,
  differential,
  linear,
  components,
  boomerang,
  algebra,
  avalanche,
  structure,
  sidechannel,
  ccz,  // this and all that follow: on demand only
  extended,
};

struct GroupName {
  Group group;
  std::string_view name;
};
inline constexpr GroupName kGroups[] = {{Group::basic, "basic"},
                                        {Group::differential, "differential"},
                                        {Group::linear, "linear"},
                                        {Group::components, "components"},
                                        {Group::boomerang, "boomerang"},
                                        {Group::algebra, "algebra"},
                                        {Group::avalanche, "avalanche"},
                                        {Group::structure, "structure"},
                                        {Group::sidechannel, "sidechannel"},
                                        {Group::ccz, "ccz"},
                                        {Group::extended, "extended"}};

constexpr bool is_on_demand(Group group) {
  return group >= Group::ccz;
}

constexpr std::string_view group_name(Group group) {
  return kGroups[static_cast<std::size_t>(group)].name;
}

// What a property is read from: made once per subject, where it exists and at the same cost for each of
// its properties.
enum class Computation : std::uint8_t {
  values,        // cheap, and of every subject
  differential,  // for every box, as are all computations without a comment
  linear,        // up to kMaxOutputsOfAll outputs, as the next two
  autocorrelation,
  component_degrees,
  all_components,     // as linear; above that many outputs, exhaustive() where it is allowed
  single_components,  // for every box; estimated as linear is, since they are requested with it
  boomerang,
  algebra,     // rows are linear algebra
  immunities,  // of the components, for up to kMaxImmunityBits inputs and outputs
  exhaustive,
  family,                // n = m, up to kMaxFamilyBits
  transparency,          // up to kMaxTransparencyOutputs outputs
  revised_transparency,  // as that; above kMaxQuickRevisedBits inputs and outputs with `exhaustive` only
  ranks,                 // n = m, up to kMaxRankInputs
  ortho_derivative,      // of every box; estimated as the ranks are
  products,              // n + m up to kMaxProductBits
  nonlinear_invariants,  // n = m
  second_order,          // as linear, or of a function: up to kMaxSecondOrderVariables inputs
  c_differential,        // n = m, up to kMaxCDifferentialBits
  spectrum,              // of a function, as is all that follows
  spectra,               // up to kMaxPropertyVariables variables
  annihilators,
};

// Whether it may take minutes for some subjects.
constexpr bool may_be_long(Computation computation) {
  using enum Computation;
  return computation == boomerang || computation == family || computation == algebra ||
         computation == immunities || computation == exhaustive || computation == revised_transparency ||
         computation == ranks || computation == second_order || computation == annihilators;
}

// Whether a GPU computes it: for boxes with up to kMaxOutputsOfAll outputs, of shapes that have kernels.
constexpr bool has_kernels(Computation computation) {
  using enum Computation;
  return computation == differential || computation == linear || computation == autocorrelation ||
         computation == component_degrees || computation == all_components || computation == boomerang ||
         computation == exhaustive || computation == transparency || computation == spectrum;
}

struct BigNumber {
  std::string digits;  // decimal
};
using Numbers = std::vector<std::uint64_t>;
using Pair = std::pair<std::uint32_t, std::uint32_t>;

// monostate: this subject has no such value.
using Value = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, BigNumber, Histogram,
                           Numbers, Pair, Annihilators>;

enum class Type : std::uint8_t { truth, integer, real, histogram, numbers, pair };

template <class Subject>
struct Property {
  std::string_view column;     // its name in CSV, JSON and --only; empty: it is not there
  std::string_view attribute;  // its name in Python; empty: it is not there
  Group group;
  Computation computation;
  std::string_view formula;  // what it is, in one phrase
  std::string_view source;   // where it is defined; may be empty
  Type type;
  bool may_lack;                // Value may be monostate
  bool is_long;                 // may take minutes for some subjects
  bool on_gpu;                  // a GPU computes it, from values that lie there
  Value (*value)(Subject&);     // throws Error{usage} for a subject that lacks the computation
  std::string_view label = {};  // precedes the value in its group's line, unless that line's text has it
};

using BoxProperty = Property<Box>;
using FunctionProperty = Property<Function>;

// The tables, in the order of columns.
FUGU_EXPORT std::span<const BoxProperty> box_properties();
FUGU_EXPORT std::span<const FunctionProperty> function_properties();

// "max delta(a,b), a != 0, all b (Nyberg 1993)"
template <class Subject>
std::string definition(const Property<Subject>& property) {
  std::string text(property.formula);
  if (!property.source.empty()) text.append(" (").append(property.source).append(")");
  return text;
}

// The names of groups and columns of boxes.
FUGU_EXPORT std::vector<std::string_view> report_names();

// The columns of boxes that a GPU computes: "linear (not anomaly_l), components, deg, ...".
FUGU_EXPORT std::string names_on_gpu();

// The row of a column or attribute, or null.
template <class Subject>
const Property<Subject>* find_property(std::span<const Property<Subject>> rows, std::string_view name) {
  for (const Property<Subject>& row : rows)
    if (!name.empty() && (row.column == name || row.attribute == name)) return &row;
  return nullptr;
}

namespace detail {

// `known`, which is computed first if it is empty.
template <class T, class Compute>
const T& once(std::optional<T>& known, Compute compute) {
  if (!known) known.emplace(compute());
  return *known;
}

template <class T>
constexpr Type type_of() {
  if constexpr (std::is_same_v<T, bool>)
    return Type::truth;
  else if constexpr (std::is_integral_v<T> || std::is_same_v<T, BigNumber>)
    return Type::integer;
  else if constexpr (std::is_floating_point_v<T>)
    return Type::real;
  else if constexpr (std::is_same_v<T, Histogram>)
    return Type::histogram;
  else if constexpr (std::is_same_v<T, Numbers>)
    return Type::numbers;
  else
    return Type::pair;
}

template <class T>
struct MayLack : std::false_type {
  using Held = T;
};
template <class T>
struct MayLack<std::optional<T>> : std::true_type {
  using Held = T;
};

template <class T>
Value value_of(const T& found) {
  if constexpr (MayLack<T>::value)
    return found ? value_of(*found) : Value();
  else if constexpr (std::is_same_v<T, bool>)
    return found;
  else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
    return std::int64_t{found};
  else if constexpr (std::is_integral_v<T>)
    return std::uint64_t{found};
  else
    return found;
}

}  // namespace detail

// A row whose value is get(subject): a number, histogram, ... or an optional of one.
template <class Subject, class Get>
constexpr Property<Subject> property(std::string_view column, std::string_view attribute, Group group,
                                     Computation computation, std::string_view formula,
                                     std::string_view source, Get /*get*/, std::string_view label = {}) {
  using Found = std::remove_cvref_t<std::invoke_result_t<Get, Subject&>>;
  return {column,
          attribute,
          group,
          computation,
          formula,
          source,
          detail::type_of<typename detail::MayLack<Found>::Held>(),
          detail::MayLack<Found>::value,
          may_be_long(computation),
          has_kernels(computation),
          [](Subject& subject) { return detail::value_of<Found>(Get{}(subject)); },
          label};
}

// A row whose place is not that of its computation.
template <class Subject>
constexpr Property<Subject> on_gpu(Property<Subject> row) {
  row.on_gpu = true;
  return row;
}
template <class Subject>
constexpr Property<Subject> on_host(Property<Subject> row) {
  row.on_gpu = false;
  return row;
}

}  // namespace fugu::spectral::lab
