// fugu sbox: the S-box laboratory from the shell.

#include "cli/commands.hpp"
#include "cli/picture/picture.hpp"
#include "cli/sbox/operations.hpp"
#include "fugu/spectral/lab/box_tables.hpp"
#include "fugu/spectral/named/named.hpp"

namespace fugu::cli {
namespace {

std::uint32_t mask_operand(const Arguments& arguments, std::string_view what, int bits) {
  if (arguments.operands().size() < 2) refuse("{} needs {}", arguments.operands()[0], what);
  if (const auto value = word_of(arguments.operands()[1], bits)) return *value;
  refuse("'{}' is not {} of {} bits", printable(arguments.operands()[1]), what, bits);
}

void run_inverse(const Arguments& arguments) {
  const NamedBox named = read_only_box(arguments, 1);
  try {
    write_box(arguments, named.file, inverse(named.box));
  } catch (Error& error) {
    if (error.code() == Errc::usage && named.file) error.add_context(printable(named.name));
    throw;
  }
}

void run_derivative(const Arguments& arguments) {
  const NamedBox named = read_only_box(arguments, 2);
  const std::uint32_t a = mask_operand(arguments, "a difference", named.box.inputs());
  write_box(arguments, named.file, derivative(named.box, a));
}

void run_component(const Arguments& arguments) {
  const NamedBox named = read_only_box(arguments, 2);
  const std::uint32_t b = mask_operand(arguments, "a mask", named.box.outputs());
  const spectral::TruthTable function = component(named.box, b);
  std::vector<std::uint32_t> values(function.size());
  for (std::size_t x = 0; x < values.size(); ++x) values[x] = function[x] ? 1u : 0u;
  write_box(arguments, named.file, {named.box.inputs(), 1, std::move(values)});
}

int degree_operand(const Arguments& arguments) {
  const auto degree = arguments.operands().size() < 2 ? std::nullopt : word_of(arguments.operands()[1], 2);
  if (degree && *degree >= 1) return static_cast<int>(*degree);
  refuse("equations takes a degree, 1 to 3, and a box");
}

void run_equations(const Arguments& arguments) {
  const NamedBox named = read_only_box(arguments, 2);
  const int degree = degree_operand(arguments);
  if (!has_equations(named.box, degree))
    refuse("degree {} takes at most {} inputs and outputs together, not {} and {}", degree,
           degree == 2 ? 24 : 20, named.box.inputs(), named.box.outputs());
  std::string text;
  for (const auto& equation : equation_basis(named.box, degree, {thread_count(arguments)}))
    text += spectral::equation_text(equation, named.box.inputs()) + "\n";
  write_text(arguments, named.file, text);
}

void run_make(const Arguments& arguments) {
  const NamedBox named = read_only_box(arguments, 1);
  write_box(arguments, named.file, named.box);
}

void run_list(const Arguments& arguments) {
  refuse_more_operands(arguments, 1);
  write_report(arguments, std::nullopt, box_list(arguments.has("json")));
}

// An operation, the options that apply to it beside those of every operation, and the number of operands
// before the boxes.
struct Operation {
  std::string_view name;
  std::string_view options;
  std::size_t first_box;         // 0: it reads none
  int (*run)(const Arguments&);  // returns the exit status
  bool on_gpus = false;          // some of its work
  bool says_engine = false;      // run() says it
};

// The options that every operation takes that reads boxes.
constexpr std::string_view kInputOptions = "from inputs outputs bit-order key";

template <void (*work)(const Arguments&)>
int done(const Arguments& arguments) {
  work(arguments);
  return kSuccess;
}

constexpr Operation kOperations[] = {
    {"report", "batch json csv only exhaustive field", 1, done<run_report>, true, true},
    {"spectrum", "json scale plot exhaustive", 2, done<run_spectrum>, true},
    {"table", "to scale rows columns plot signed exhaustive json csv", 2, done<run_table>},
    {"model", "to weights", 2, done<run_model>},
    {"components", "to csv masks plot", 1, done<run_components>, true},
    {"anf", "to masks exhaustive", 1, done<run_box_anf>},
    {"equations", "", 2, done<run_equations>},
    {"invariants", "exhaustive", 1, done<run_invariants>},
    {"compare", "exhaustive relation json", 1, run_compare},
    {"canonical", "exhaustive relation to", 1, run_canonical},
    {"class", "batch exhaustive json", 1, run_class},
    {"spaces", "exhaustive", 1, run_spaces},
    {"permutation", "exhaustive to", 1, run_permutation},
    {"classes", "exhaustive", 1, run_classes},
    {"tu", "exhaustive", 2, run_tu},
    {"inverse", "to", 1, done<run_inverse>},
    {"derivative", "to", 2, done<run_derivative>},
    {"component", "to", 2, done<run_component>},
    {"make", "to", 1, done<run_make>},
    {"list", "json", 0, done<run_list>}};

// An option that turns one operation into another, with options of its own.
struct Variant {
  std::string_view of;
  std::string_view option;
  std::string_view options;
  bool reads_box = true;
};
constexpr Variant kVariants[] = {{"report", "weak-keys", "weak-keys", false},
                                 {"report", "random-keys", "random-keys seed csv exhaustive", false},
                                 {"components", "exhaustive", "json exhaustive plot"},
                                 {"anf", "field", "field"}};

// Whether an option makes this variant of its operation.
bool is_chosen(const Variant& variant, const Arguments& arguments) {
  if (!arguments.has(variant.option)) return false;
  return variant.option != "field" || prints_univariate(arguments);
}

void refuse_unused(const Operation& operation, const Arguments& arguments) {
  std::string name(operation.name);
  std::string options(operation.options);
  bool reads_box = operation.first_box != 0;
  for (const Variant& variant : kVariants) {
    if (variant.of != operation.name || !is_chosen(variant, arguments)) continue;
    name += fmt::format(" --{}", variant.option);
    options = variant.options;
    reads_box = variant.reads_box;
    break;
  }
  if (reads_box) options.append(options.empty() ? "" : " ").append(kInputOptions);
  if (arguments.value("from") == kUnivariate) options += " field";
  refuse_unused_options(arguments, name, options);
}

// A box alone is reported.
Arguments with_operation(const Arguments& arguments) {
  const auto& operands = arguments.operands();
  const bool is_operation = operands.empty() || std::ranges::find(kOperations, operands[0],
                                                                  &Operation::name) != std::end(kOperations);
  if (is_operation || is_box(operands[0]))
    return is_operation ? arguments : arguments.with_first_operand("report");
  for (const spectral::lab::BoxTable& table : spectral::lab::box_tables())
    if (table.name == operands[0])
      refuse("'{}' is a table: use {} sbox table {}", table.name, program_name(), fmt::join(operands, " "));
  return arguments;
}

int run(const Operation& operation, const Arguments& arguments) {
  refuse_unused(operation, arguments);
  const bool names_gpu = spectral_engine(arguments).device.has_value();
  if (names_gpu && !operation.on_gpus)
    throw Error(Errc::no_device, "this runs only on the CPU; use --engine cpu");
  if (arguments.has("plot")) {
    for (const std::string_view other : {"output", "to", "json", "csv"})
      refuse_together(arguments, {"plot", other});
    (void)is_png(arguments);  // refuses a wrong name before the work
  }
  check_box_options(arguments, box_operands(arguments, std::max<std::size_t>(operation.first_box, 1)));
  const int status = operation.run(arguments);
  if (!operation.says_engine && !arguments.has("exhaustive") && !names_gpu)
    say_engine(operation.name, std::nullopt, thread_count(arguments));
  return status;
}

constexpr std::string_view kConventions =
    R"(conventions 1: S from n to m bits, N = 2^n
bits                  x is an integer, bit i is x_i, x_0 the least significant; y_j is bit j of S(x).
                      --bit-order msb reverses both sides. Masks are renamed; no invariant changes.
component b           b.S(x) = parity(b & S(x)), b != 0.
LAT scale             walsh: W; bias: W/2 (Sage's default); correlation: W/N.
maxima                of the DDT over a != 0 and all b, including 0; of the act and the BCT over a, b != 0; of
                      the FBCT over a, b != 0, a != b.
degree                that of the function 0 is -1, that of 1 is 0.
correlation immunity  largest t with W(a) = 0 for all 1 <= wt(a) <= t; n for constants.
branch numbers        Sage's linear one admits a = 0, which matters for boxes that are not balanced.
equivalence           of S and T. linear, affine: T(x) = B(S(A(x))), A and B permutations; EA: T(x) = B(S(A(x)))
                      + C(x), C affine; CCZ: L maps every (x, S(x)) to a (y, T(y)), L an affine permutation. M
                      is printed by rows, that of bit 0 first, each from the column of bit 0 on.
histograms            value:count, ascending, including zeros.
* in a report         before a value: none better is known for a box of this size.
hex truth table       f(0) is the most significant bit of the first digit; --bit-order sage: the least
                      significant bit of the last digit.
)";

}  // namespace

std::vector<std::string_view> sbox_operations() {
  return names_in(kOperations);
}

std::vector<std::string_view> sbox_words() {
  std::vector<std::string_view> words = spectral::lab::table_names();
  for (const spectral::BoxName& row : spectral::box_names())
    if (row.name.find_first_of(": ") == std::string_view::npos) words.push_back(row.name);
  return words;
}

int run_sbox(const Arguments& arguments) {
  if (arguments.has("conventions")) {
    refuse_unused_options(arguments, "--conventions", "conventions");
    write_report(arguments, std::nullopt, std::string(kConventions) + property_list());
    return kSuccess;
  }
  try {
    const Arguments complete = with_operation(arguments);
    return run(operation_of(complete, "sbox", kOperations), complete);
  } catch (...) {
    if (current_failure().code() != Errc::memory) throw;
    throw Error(Errc::io, "not enough memory for this box");
  }
}

}  // namespace fugu::cli
