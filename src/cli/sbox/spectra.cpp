// Which table is asked for, and the spectra of tables.
#include <fmt/format.h>

#include <algorithm>

#include "cli/picture/picture.hpp"
#include "cli/process/console.hpp"
#include "cli/process/json.hpp"
#include "cli/sbox/engine.hpp"
#include "cli/sbox/operations.hpp"
#include "cli/sbox/write.hpp"
#include "cli/spectral/work.hpp"
#include "fugu/error.hpp"

namespace fugu::cli {
namespace {

using spectral::Histogram;

constexpr Choice<TableName> kTables[] = {
    {"ddt", TableName::ddt},   {"lat", TableName::lat},  {"act", TableName::act},
    {"dlct", TableName::dlct}, {"bct", TableName::bct},  {"fbct", TableName::fbct},
    {"dbct", TableName::dbct}, {"sac", TableName::sac},  {"ubct", TableName::ubct},
    {"lbct", TableName::lbct}, {"ebct", TableName::ebct}};

constexpr Choice<Scale> kScales[] = {
    {"walsh", Scale::walsh}, {"bias", Scale::bias}, {"correlation", Scale::correlation}};

std::string table_names() {
  std::string names;
  for (const auto& choice : kTables)
    names += fmt::format("{}{}",
                         names.empty()                      ? ""
                         : &choice == std::end(kTables) - 1 ? " or "
                                                            : ", ",
                         choice.word);
  return names;
}

}  // namespace

std::vector<std::string_view> table_words() {
  std::vector<std::string_view> words;
  for (const auto& choice : kTables) words.push_back(choice.word);
  return words;
}

namespace {

Histogram halved(const Histogram& histogram) {
  Histogram halved;
  for (const auto& [value, count] : histogram) halved[value / 2] = count;
  return halved;
}

Histogram changes_of(spectral::lab::Box& box) {
  Histogram changes;
  for (const std::uint64_t value : box.avalanche().changes) ++changes[static_cast<std::int64_t>(value)];
  return changes;
}

// The property of boxes that is the spectrum of a table, but for the SAC's.
std::string property_of(TableName table, const std::string& name) {
  if (table == TableName::lat) return "walsh_histogram";
  return table == TableName::dlct ? "act_histogram" : name + "_histogram";
}

Histogram spectrum_of(const TableRequest& request) {
  const BoxEngine engine(request.arguments);
  spectral::lab::Box box = engine.box(request.named.box);
  if (request.table == TableName::sac) return changes_of(box);
  const std::string name = property_of(request.table, request.arguments.operands()[1]);
  const auto& property = *find_property(spectral::lab::box_properties(), name);
  require_asked(request.arguments, "the entries of the table", box.seconds(property.computation));
  const spectral::lab::Value value = property.value(box);
  const auto* const found = std::get_if<Histogram>(&value);
  if (found == nullptr) return boomerang_family(box.values()).ubct;  // throws what says why there is none
  return request.table == TableName::dlct || request.scale == Scale::bias ? halved(*found) : *found;
}

}  // namespace

TableRequest table_request(const Arguments& arguments) {
  const auto& operands = arguments.operands();
  if (operands.size() < 2)
    throw Error(Errc::usage, fmt::format("{} needs a table: {}", operands[0], table_names()));
  const TableName table = choice_of(operands[0], operands[1], kTables);
  const Scale scale = choice_value(arguments, "scale", kScales).value_or(Scale::walsh);
  if (scale != Scale::walsh && table != TableName::lat) throw Error(Errc::usage, "--scale is for the lat");
  return {arguments, table, scale, read_only_box(arguments, 2), thread_count(arguments)};
}

std::string title_of(const TableRequest& request) {
  std::string name = request.arguments.operands()[1];
  std::ranges::transform(name, name.begin(), [](char c) { return c >= 'a' && c <= 'z' ? char(c - 32) : c; });
  return fmt::format("{} of {}", name, printable(request.named.name));
}

void run_spectrum(const Arguments& arguments) {
  const TableRequest request = table_request(arguments);
  const Histogram histogram = spectrum_of(request);
  if (arguments.has("plot")) {
    return plot(arguments, request.named.file,
                Bars{"spectrum of the " + title_of(request), "value", "entries", histogram});
  }
  const bool fractions = request.scale == Scale::correlation;
  const int bits = request.named.box.inputs();
  std::string text;
  if (arguments.has("json")) {
    auto pairs = nlohmann::ordered_json::array();
    for (const auto& [value, count] : histogram) {
      fractions ? pairs.push_back({fraction(value, bits), count}) : pairs.push_back({value, count});
    }
    text = json_text({{"version", kJsonVersion},
                      {"name", request.named.name},
                      {"table", arguments.operands()[1]},
                      {"spectrum", pairs},
                      {"scale", arguments.value("scale").value_or("walsh")},
                      {"conventions", 1}});
  } else {
    for (const auto& [value, count] : histogram)
      text += fmt::format("{}:{}\n", fractions ? fraction(value, bits) : std::to_string(value), count);
  }
  write_text(arguments, request.named.file, text);
}

}  // namespace fugu::cli
