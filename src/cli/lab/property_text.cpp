#include "cli/lab/work.hpp"

#include <charconv>

#include "fugu/spectral/lab/box_tables.hpp"

namespace fugu::cli {
namespace {

namespace lab = spectral::lab;
using Json = nlohmann::ordered_json;

struct Text {
  std::string operator()(std::monostate) const { return {'-'}; }
  std::string operator()(bool value) const { return {value ? '1' : '0'}; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(std::uint64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return fmt::format("{:.{}f}", value, digits); }
  std::string operator()(const lab::BigNumber& value) const { return value.digits; }
  std::string operator()(const spectral::Histogram& value) const { return histogram_text(value); }
  std::string operator()(const lab::Numbers& value) const { return fmt::format("{}", fmt::join(value, " ")); }
  std::string operator()(lab::Pair value) const { return fmt::format("{} {}", value.first, value.second); }
  std::string operator()(spectral::Annihilators value) const {
    return fmt::format("{}:{}", value.degree, value.dimension);
  }

  int digits;
};

struct JsonOf {
  Json operator()(std::monostate) const { return nullptr; }
  Json operator()(const lab::BigNumber& value) const {
    std::uint64_t small = 0;
    const char* const end = value.digits.data() + value.digits.size();
    const bool fits = std::from_chars(value.digits.data(), end, small).ec == std::errc();
    return fits ? Json(small) : Json(value.digits);
  }
  Json operator()(const spectral::Histogram& value) const {
    Json pairs = Json::array();
    for (const auto& [v, count] : value) pairs.push_back({v, count});
    return pairs;
  }
  Json operator()(lab::Pair value) const { return {value.first, value.second}; }
  Json operator()(spectral::Annihilators value) const { return {value.degree, value.dimension}; }
  template <class T>
  Json operator()(const T& value) const {
    return value;
  }
};

template <class Rows>
std::string list_of(std::string_view title, Rows rows) {
  std::string text = fmt::format("\n{}\n", title);
  for (const auto& row : rows) {
    if (row.column.empty()) continue;
    text += fmt::format("{:<22}{}{}\n", row.column, definition(row),
                        row.attribute.empty() || row.attribute == row.column
                            ? "."
                            : fmt::format("; in Python {}.", row.attribute));
  }
  return text;
}

}  // namespace

std::string histogram_text(const spectral::Histogram& histogram) {
  std::string text;
  for (const auto& [value, count] : histogram)
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", value, count);
  return text;
}

std::string value_text(const lab::Value& value, int digits) {
  return std::visit(Text{digits}, value);
}

Json value_json(const lab::Value& value) {
  return std::visit(JsonOf{}, value);
}

std::string property_list() {
  std::string tables = "\ntables, for fugu sbox table and fugu sbox spectrum\n";
  for (const auto& table : lab::box_tables())
    tables += fmt::format("{:<22}{}.\n", table.name, definition(table));
  return tables + list_of("fields of fugu sbox report, as --only names them", lab::box_properties()) +
         list_of("columns of fugu spectral properties, for f in n variables", lab::function_properties());
}

}  // namespace fugu::cli
