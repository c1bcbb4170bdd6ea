// fugu formats: the table of formats, for people and as JSON.
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/process/console.hpp"
#include "cli/process/exit_status.hpp"
#include "cli/process/json.hpp"
#include "fugu/format/codec.hpp"

namespace fugu::cli {
namespace {

using format::Ability;
using format::Codec;
using format::OptionRow;
using format::SecretKind;

struct AbilityName {
  Ability ability;
  std::string_view name;
};
constexpr AbilityName kAbilities[] = {{Ability::open, "open"},
                                      {Ability::seal, "seal"},
                                      {Ability::range, "range"},
                                      {Ability::salvage, "salvage"},
                                      {Ability::rekey, "rekey"},
                                      {Ability::watch, "verify --openssl"},
                                      {Ability::tree, "open directories"}};

std::vector<std::string_view> ability_names(const Codec& codec) {
  std::vector<std::string_view> names;
  for (const AbilityName& row : kAbilities) {
    if (codec.can(row.ability)) names.push_back(row.name);
  }
  return names;
}

std::vector<std::string> secret_names(const Codec& codec) {
  std::vector<std::string> names;
  if (codec.takes(SecretKind::passphrase)) names.emplace_back("passphrase");
  if (codec.takes(SecretKind::key))
    names.push_back(fmt::format("key of at most {} bytes", codec.max_key_bytes));
  return names;
}

std::string option_text(const OptionRow& row) {
  return fmt::format("--{}{}{}", row.name, row.value.empty() ? "" : " ", row.value);
}

std::vector<std::string> option_texts(const Codec& codec) {
  std::vector<std::string> texts;
  for (const OptionRow& row : codec.options) texts.push_back(option_text(row));
  return texts;
}

std::string text(const Codec& codec) {
  std::string lines = fmt::format("{}: {}\n", codec.name, codec.summary);
  const auto add = [&](std::string_view label, const auto& items, std::string_view separator) {
    std::string joined;
    for (const auto& item : items) joined += fmt::format("{}{}", joined.empty() ? "" : separator, item);
    if (!joined.empty()) lines += fmt::format("  {}: {}\n", label, joined);
  };
  add("made by", std::initializer_list<std::string_view>{codec.made_by}, "");
  add("can", ability_names(codec), ", ");
  add("opened with", secret_names(codec), " or ");
  add("a wrong one is told by", std::initializer_list<std::string_view>{codec.wrong_secret}, "");
  add("recognised",
      std::initializer_list<std::string_view>{codec.recognise != nullptr ? "by its beginning"
                                                                         : "not: give --format"},
      "");
  add("options", option_texts(codec), ", ");
  return lines;
}

nlohmann::ordered_json json(const OptionRow& row) {
  nlohmann::ordered_json option{{"name", row.name}, {"value", row.value}, {"help", row.help}};
  if (!row.words.empty()) option["words"] = std::vector<std::string>(row.words.begin(), row.words.end());
  return option;
}

nlohmann::ordered_json json(const Codec& codec) {
  nlohmann::ordered_json row{{"name", codec.name},
                             {"summary", codec.summary},
                             {"extension", codec.extension},
                             {"made_by", codec.made_by},
                             {"wrong_secret", codec.wrong_secret},
                             {"recognised", codec.recognise != nullptr},
                             {"abilities", ability_names(codec)}};
  row["passphrase"] = codec.takes(SecretKind::passphrase);
  row["max_key_bytes"] = codec.takes(SecretKind::key) ? codec.max_key_bytes : 0;
  row["options"] = nlohmann::ordered_json::array();
  for (const OptionRow& option : codec.options) row["options"].push_back(json(option));
  return row;
}

}  // namespace

int run_formats(const Arguments& arguments) {
  auto rows = nlohmann::ordered_json::array();
  for (const Codec* codec : format::codecs()) {
    if (arguments.has("json")) {
      rows.push_back(json(*codec));
    } else {
      write_text(text(*codec));
    }
  }
  if (arguments.has("json"))
    write_result(json_text({{"version", kJsonVersion}, {"formats", std::move(rows)}}));
  return kSuccess;
}

}  // namespace fugu::cli
