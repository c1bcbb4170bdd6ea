// fugu sbox report: values of boxes, row by row of the table of properties.
#include "cli/sbox/operations.hpp"
#include "fugu/spectral/lab/anomalies.hpp"

namespace fugu::cli {
namespace {

using spectral::lab::Box;
using spectral::lab::BoxProperty;
using spectral::lab::Group;
using spectral::lab::Value;

const BoxProperty* column_named(std::string_view name) {
  const std::span rows = spectral::lab::box_properties();
  const auto found = std::ranges::find(rows, name, &BoxProperty::column);
  return name.empty() || found == rows.end() ? nullptr : &*found;
}

Group group_of(std::string_view word) {
  std::vector<std::string_view> words;
  for (const auto& [group, name] : spectral::lab::kGroups) {
    if (name == word) return group;
    words.push_back(name);
  }
  refuse("--only takes {}, or names of fields, not '{}'", fmt::join(words, ", "), printable(word));
}

// The estimated seconds of the group's longest computation.
double seconds_of(Group group, Box& box) {
  double seconds = 0;
  for (const BoxProperty& row : spectral::lab::box_properties())
    if (row.group == group && !row.column.empty() && box.has(row.computation))
      seconds = std::max(seconds, box.seconds(row.computation));
  return seconds;
}

// The seconds of the groups that are left out.
std::map<Group, double> left_out(Box& box, const ReportOptions& options) {
  std::map<Group, double> found;
  for (const Group group : options.groups) {
    const double seconds = options.exhaustive ? 0 : seconds_of(group, box);
    if (seconds > kAskedSeconds) found[group] = seconds;
  }
  return found;
}

Value value_in(Box& box, const BoxProperty& row, const ReportOptions& options) {
  const bool possible =
      box.has(row.computation) && (options.exhaustive || box.seconds(row.computation) <= kAskedSeconds);
  return possible ? row.value(box) : Value();
}

std::string csv_header(const ReportOptions& options) {
  std::string line = "name,n,m";
  for (const BoxProperty* const row : options.columns) line += fmt::format(",{}", row->column);
  return line + "\n";
}

void run_keys(const Arguments& arguments) {
  refuse_more_operands(arguments, 1);
  if (arguments.has("weak-keys")) return run_weak_keys(arguments);
  if (spectral_engine(arguments).device && !arguments.has("exhaustive"))
    throw Error(Errc::no_device, "without --exhaustive, random keys are tried on the CPU; use --engine cpu");
  run_key_statistics(arguments);
  if (!arguments.has("exhaustive")) say_engine("report", std::nullopt, thread_count(arguments));
}

constexpr std::size_t kMaxListedStructures = 4096;

std::string line(std::string_view group, std::string_view text) {
  return fmt::format("{:<14}{}\n", group, text);
}

// The mark, which --conventions explains, before a value that none better is known than for a box of this
// size.
template <class T>
std::string_view mark(T value, std::optional<T> best) {
  return best && value <= *best ? "*" : "";
}

// "2 27 59": each cycle's length, or the lengths with their numbers.
std::string cycles_text(const spectral::Histogram& lengths) {
  std::string text;
  for (const auto& [length, count] : lengths)
    text += count == 1 ? fmt::format(" {}", length) : fmt::format(" {}:{}", length, count);
  return text;
}

// log2 of the probability that a random box of this size has a collision.
double log2_collision(const Box& box) {
  double log_none = 0;
  for (double i = 0; i < std::exp2(box.inputs()); ++i) log_none += std::log1p(-i * std::exp2(-box.outputs()));
  return std::log2(-std::expm1(log_none));
}

std::string basic_text(Box& box) {
  const spectral::Basic& basic = box.basic();
  std::string text;
  if (basic.cycles) {
    text = fmt::format("permutation, {}{}", basic.cycles->odd ? "odd" : "even",
                       basic.cycles->involution ? ", involution" : "");
  } else if (basic.collisions == 0) {
    text = fmt::format("injective; collisions 0 (a random box has one with probability 2^{:.1f})",
                       log2_collision(box));
  } else {
    text = fmt::format("{}; image {}, collisions {}", basic.balanced ? "balanced" : "not balanced",
                       basic.image, basic.collisions);
  }
  if (basic.fixed) text += fmt::format("; fixed points {}, opposite {}", *basic.fixed, *basic.antifixed);
  if (basic.cycles)
    text += fmt::format("; cycles{}, order {}", cycles_text(basic.cycles->lengths), basic.cycles->order);
  return text;
}

std::string differential_text(Box& box) {
  const spectral::Differential& d = box.differential();
  const auto best = spectral::best_known_uniformity(box.inputs(), box.outputs(), box.basic().permutation);
  return fmt::format("{}uniformity {}, {} entries of it{}; DDT {}; 1-bit to 1-bit {}; branch number {}",
                     mark(d.uniformity, best), d.uniformity, d.attained, d.apn ? ", APN" : "",
                     histogram_text(d.ddt), d.one_bit_to_one, d.branch_number);
}

std::string hex(std::uint64_t value, int bits) {
  return fmt::format("0x{:0{}x}", value, (bits + 3) / 4);
}

std::string coordinates_text(Box& box) {
  const auto [least, most] = std::ranges::minmax(box.coordinates());
  std::string text =
      fmt::format("coordinates: nonlinearity {}..{}; all 2^{}-1 components: ", least, most, box.outputs());
  if (!box.has(spectral::lab::Computation::all_components)) return text + "only with --exhaustive";
  return text + fmt::format("linearity {}, nonlinearity {} (--exhaustive)", box.all_linearity(),
                            box.all_nonlinearity());
}

std::string linear_text(Box& box) {
  if (!box.has_components()) return coordinates_text(box);
  const spectral::Linear& l = box.linear();
  return fmt::format(
      "{}linearity {}, nonlinearity {}{}; largest {} entries, first W({},{}) = {}; "
      "1-bit to 1-bit {}; branch number {}",
      mark(l.linearity, spectral::best_known_linearity(box.inputs(), box.outputs())), l.linearity,
      l.nonlinearity, l.almost_bent ? ", AB" : "", l.attained, hex(l.first_a, box.inputs()),
      hex(l.first_b, box.outputs()), l.first_value, l.one_bit_to_one,
      l.branch_number ? std::to_string(*l.branch_number) : "none");
}

// Columns by name.
std::string text_of(Box& box, std::string_view column) {
  return value_text(find_property(spectral::lab::box_properties(), column)->value(box));
}

std::string components_text(Box& box) {
  if (!box.has_components()) return "";
  const std::string least = text_of(box, "ssi_min");
  const std::string most = text_of(box, "ssi_max");
  return fmt::format(
      "nonlinearity {}; degree {}; absolute indicator {}; sum of squares {}; plateaued {}, bent {}",
      text_of(box, "nl_dist"), text_of(box, "deg_dist"), text_of(box, "ac_dist"),
      least == most ? least : fmt::format("{}..{}", least, most), box.linear().plateaued, box.linear().bent);
}

std::string algebra_text(Box& box) {
  std::string text = fmt::format("degree {}", box.degree());
  if (box.basic().permutation) text += fmt::format(", of the inverse {}", text_of(box, "deg_inv"));
  std::vector<int> degrees;
  std::vector<std::string> counts;
  for (int degree = 1; degree <= spectral::kMaxEquationDegree; ++degree) {
    if (!has_equations(box.values(), degree)) continue;
    degrees.push_back(degree);
    counts.push_back(text_of(box, fmt::format("eq{}", degree)));
  }
  text += fmt::format("; equations of degree {}: {}", fmt::join(degrees, ", "), fmt::join(counts, ", "));
  if (box.has(spectral::lab::Computation::immunities))
    text += fmt::format("; component immunity {}", text_of(box, "ai_dist"));
  return text;
}

std::string boomerang_text(Box& box) {
  const spectral::Boomerang& b = box.boomerang();
  const auto best =
      box.basic().permutation ? spectral::best_known_boomerang_uniformity(box.inputs()) : std::nullopt;
  std::string text =
      fmt::format("{}uniformity {}; BCT {}", mark(b.uniformity, best), b.uniformity, histogram_text(b.bct));
  if (b.feistel_uniformity)
    text += fmt::format("; Feistel {}, FBCT {}", *b.feistel_uniformity, histogram_text(b.fbct));
  return text;
}

std::string avalanche_text(Box& box) {
  const spectral::Avalanche& a = box.avalanche();
  std::string text =
      fmt::format("SAC {}..{} of {}, sum {}", a.least_change, a.most_change, box.size() / 2, a.changes_sum);
  if (box.outputs() > 1)
    text += fmt::format("; BIC nonlinearity {}, BIC-SAC {}", text_of(box, "bic_nl_min"), a.pair_changes_sum);
  if (box.has_components()) {
    text += fmt::format("; correlation immunity {}, resiliency {}", box.linear().correlation_immunity,
                        box.linear().resiliency);
  }
  return text;
}

std::string structure_text(Box& box) {
  const auto& [positive, negative] = box.structures();
  std::string text = fmt::format("linear structures {}", positive + negative);
  if (positive + negative != 0) text += fmt::format(", {} of them with r = -N", negative);
  return text;
}

std::string structure_lines(Box& box) {
  std::string text;
  const auto listed = list_linear_structures(box.values(), kMaxListedStructures);
  for (const spectral::LinearStructure& found : listed) {
    text += line("", fmt::format("r({},{}) = {}{}", hex(found.a, box.inputs()), hex(found.b, box.outputs()),
                                 found.negative ? "-" : "", box.size()));
  }
  const std::uint64_t unlisted = box.structures().positive + box.structures().negative - listed.size();
  if (!listed.empty() && unlisted != 0) text += line("", fmt::format("and {} more", unlisted));
  return text;
}

std::string ccz_text(Box& box) {
  std::string text;
  if (box.has(spectral::lab::Computation::ranks))
    text = fmt::format("Gamma rank {}, Delta rank {}", box.gamma_rank(), box.delta_rank());
  if (box.ortho_derivative() != nullptr) {
    text += fmt::format("{}ortho-derivative: DDT {}, Walsh {}", text.empty() ? "" : "; ",
                        text_of(box, "ortho_ddt"), text_of(box, "ortho_walsh"));
  }
  return text.empty() ? "no values for boxes of this size" : text;
}

// The values for c = 0 and 1, and the range of those for all others.
std::string extended_text(Box& box) {
  if (!box.has(spectral::lab::Computation::c_differential)) return "";
  const spectral::lab::Numbers found = box.c_differential();
  std::string text = fmt::format("c-differential uniformity {} for c = 0, {} for 1", found[0], found[1]);
  if (found.size() == 2) return text;
  const auto [least, most] = std::minmax_element(found.begin() + 2, found.end());
  return text + fmt::format(", {}..{} for others", *least, *most);
}

// By group; null: only the values of rows with a label, which follow the others too.
constexpr std::string (*kTexts[])(Box&) = {basic_text,     differential_text, linear_text,    components_text,
                                           boomerang_text, algebra_text,      avalanche_text, structure_text,
                                           nullptr,        ccz_text,          extended_text};
static_assert(std::size(kTexts) == std::size(spectral::lab::kGroups));

// The line of a group on a sheet; empty if the box has nothing to say there.
std::string sheet_line(Group group, Box& box, bool lists_structures) {
  const auto text_of_group = kTexts[static_cast<std::size_t>(group)];
  std::string text = text_of_group == nullptr ? "" : text_of_group(box);
  for (const auto& row : spectral::lab::box_properties()) {
    if (row.group != group || row.label.empty() || !box.has(row.computation)) continue;
    const spectral::lab::Value value = row.value(box);
    if (std::holds_alternative<std::monostate>(value)) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", row.label, value_text(value, 3));
  }
  if (text.empty()) return "";
  text = line(group_name(group), text);
  return group == Group::structure && lists_structures ? text + structure_lines(box) : text;
}

}  // namespace

ReportOptions report_options(const Arguments& arguments) {
  const bool json = arguments.has("json");
  const bool batch = arguments.has("batch");
  ReportOptions options{.groups = {},
                        .columns = {},
                        .single = {},
                        .csv = arguments.has("csv") || (batch && !json),
                        .json = json,
                        .batch = batch,
                        .lists_structures = loudness_of(arguments) == Loudness::verbose,
                        .exhaustive = arguments.has("exhaustive"),
                        .engine = BoxEngine(arguments)};
  std::set<Group> whole;
  std::set<const BoxProperty*> singles;
  for (const std::string& item : list_value(arguments, "only")) {
    const BoxProperty* const row = column_named(item);
    if (row == nullptr) {
      whole.insert(group_of(item));
    } else if (singles.insert(row).second && (options.single.empty() || item < options.single)) {
      options.single = item;
    }
  }
  if (whole.empty() && singles.empty())
    for (const auto& [group, name] : spectral::lab::kGroups)
      if (!is_on_demand(group)) whole.insert(group);
  for (const auto& [group, name] : spectral::lab::kGroups) {
    for (const BoxProperty& row : spectral::lab::box_properties()) {
      if (row.group != group || row.column.empty() || (!whole.contains(group) && !singles.contains(&row)))
        continue;
      options.columns.push_back(&row);
      options.groups.insert(group);
    }
  }
  return options;
}

std::string columns_text(const std::string& name, const spectral::SBox& box, const ReportOptions& options,
                         const ValueOf& value_of) {
  if (options.csv) {
    std::string line = fmt::format("{},{},{}", csv_cell(printable(name)), box.inputs(), box.outputs());
    for (const BoxProperty* const row : options.columns)
      line += fmt::format(",{}", value_text(value_of(*row)));
    return line + "\n";
  }
  nlohmann::ordered_json object{
      {"version", kJsonVersion}, {"name", name}, {"n", box.inputs()}, {"m", box.outputs()}};
  for (const BoxProperty* const row : options.columns)
    object[std::string(row->column)] = value_json(value_of(*row));
  object["scale"] = "walsh";
  object["conventions"] = 1;
  return options.batch ? json_line(object) : json_text(object);
}

std::string report_text(const std::string& name, Box box, const ReportOptions& options) {
  // A GPU counts both tables in the time of one.
  if (options.groups.contains(Group::components) && options.groups.contains(Group::differential) &&
      box.on_gpu())
    box.autocorrelation();
  const std::map<Group, double> without = left_out(box, options);
  if (options.csv || options.json) {
    return columns_text(name, box.values(), options,
                        [&](const BoxProperty& row) { return value_in(box, row, options); });
  }
  std::string text = fmt::format("{}, {} inputs, {} outputs\n", printable(name), box.inputs(), box.outputs());
  for (const Group group : options.groups) {
    const auto seconds = without.find(group);
    text += seconds == without.end()
                ? sheet_line(group, box, options.lists_structures)
                : line(group_name(group), fmt::format("takes {} on one core; only with --exhaustive",
                                                      estimate_text(seconds->second)));
  }
  return text;
}

void run_report(const Arguments& arguments) {
  if (arguments.has("weak-keys") || arguments.has("random-keys")) return run_keys(arguments);
  refuse_together(arguments, {"json", "csv"});
  ReportOptions options = report_options(arguments);
  if (!options.csv && !options.json && !options.single.empty())
    refuse("--only {}: single fields are for --csv, --json and --batch", options.single);
  std::string text = options.csv ? csv_header(options) : "";
  std::optional<stream::FileId> input;
  bool on_cpu = false;
  std::deque<Boxes> all;
  for (const std::string& operand : box_operands(arguments, 1)) {
    expect_gpu(operand, options);
    const Boxes& boxes = all.emplace_back(operand, arguments);
    input = boxes.file();
    if (!options.batch) {
      const spectral::SBox box = boxes.read(0, 1)[0]->box;
      const std::vector<Group> groups(options.groups.begin(), options.groups.end());
      options.engine.choose(spectral::lab::core_seconds(box.inputs(), box.outputs(), groups));
    }
    const BatchLines lines = batch_lines(boxes, options, arguments);
    text += lines.text;
    on_cpu = on_cpu || !lines.on_gpu;
  }
  if (on_cpu && options.engine.gpu() == nullptr && !options.exhaustive)
    say_engine("report", std::nullopt, options.engine.threads());
  options.csv || options.json ? write_text(arguments, input, text) : write_report(arguments, input, text);
  for (const Boxes& boxes : all) boxes.report_refused();
}

}  // namespace fugu::cli
