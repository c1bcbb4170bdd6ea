// fugu sbox report: values of boxes, row by row of the table of properties.
#include "cli/sbox/operations.hpp"

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
  throw Error(Errc::usage, fmt::format("--only takes {}, or names of fields, not '{}'",
                                       fmt::join(words, ", "), printable(word)));
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
                : sheet_line(group, fmt::format("takes {} on one core; only with --exhaustive",
                                                estimate_text(seconds->second)));
  }
  return text;
}

void run_report(const Arguments& arguments) {
  if (arguments.has("weak-keys") || arguments.has("random-keys")) return run_keys(arguments);
  refuse_together(arguments, {"json", "csv"});
  ReportOptions options = report_options(arguments);
  if (!options.csv && !options.json && !options.single.empty()) {
    throw Error(Errc::usage,
                fmt::format("--only {}: single fields are for --csv, --json and --batch", options.single));
  }
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
