// fugu formats: the table of formats, for people and as JSON.
#include "cli/help/help.hpp"

#include <fmt/ranges.h>

#include <deque>

#include "cli/commands.hpp"
#include "cli/process/json.hpp"
#include "cli/table/subcommands.hpp"

namespace fugu::cli {
namespace {

using format::Ability;
using format::Codec;
using format::OptionRow;
using format::SecretKind;

struct AbilityName {
  Ability ability;
  std::string_view key;  // in JSON
  std::string_view command;
};
constexpr AbilityName kAbilities[] = {{Ability::open, "open", "decrypt"},
                                      {Ability::seal, "seal", "encrypt"},
                                      {Ability::range, "range", "decrypt --range"},
                                      {Ability::salvage, "salvage", "decrypt --salvage"},
                                      {Ability::rekey, "rekey", "rekey"},
                                      {Ability::watch, "verify --openssl", "verify --openssl"},
                                      {Ability::tree, "open directories", "decrypt directories"}};

std::vector<std::string_view> ability_names(const Codec& codec, std::string_view AbilityName::*name) {
  std::vector<std::string_view> names;
  for (const AbilityName& row : kAbilities)
    if (codec.can(row.ability)) names.push_back(row.*name);
  return names;
}

std::vector<std::string> secret_names(const Codec& codec) {
  std::vector<std::string> names;
  if (!codec.needs_secret()) names.emplace_back("no secret");
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

// The table's text about a format, without its options.
std::string text(const Codec& codec) {
  std::string lines = fmt::format("{}: {}\n", codec.name, codec.summary);
  const auto add = [&](std::string_view label, const auto& items, std::string_view separator) {
    const std::string joined = fmt::format("{}", fmt::join(items, separator));
    if (!joined.empty()) lines += fmt::format("  {}: {}\n", label, joined);
  };
  add("made by", std::initializer_list<std::string_view>{codec.made_by}, "");
  add("can", ability_names(codec, &AbilityName::command), ", ");
  add("cannot salvage", std::initializer_list<std::string_view>{codec.no_salvage}, "");
  add("opened with", secret_names(codec), " or ");
  add("a wrong one is revealed by", std::initializer_list<std::string_view>{codec.wrong_secret}, "");
  const std::string_view recognised = codec.recognise != nullptr ? "by its beginning"
                                      : codec.opens != nullptr
                                          ? "by its extension, or by trying a passphrase that is not typed"
                                          : "no; give --format";
  add("recognised", std::initializer_list<std::string_view>{recognised}, "");
  return lines;
}

std::string short_text(const Codec& codec) {
  const std::vector<std::string> options = option_texts(codec);
  return text(codec) + (options.empty() ? "" : fmt::format("  options: {}\n", fmt::join(options, ", ")));
}

constexpr std::string_view kAboutList =
    "The file formats that fugu knows; 'fugu formats NAME' explains the options of one.\n";

// Says so where an option is for one direction only.
std::vector<OptionSpec> option_specs(const Codec& codec, std::deque<std::string>& texts) {
  std::vector<OptionSpec> specs;
  for (const OptionRow& row : codec.options) {
    OptionSpec& spec = specs.emplace_back(option_spec(row));
    if (!codec.can(Ability::seal) || row.use == format::OptionUse::both) continue;
    const char* only = row.use == format::OptionUse::open ? "decryption" : "encryption";
    spec.help = texts.emplace_back(fmt::format("{} For {} only.", row.help, only));
  }
  return specs;
}

std::string whole_text(const Codec& codec) {
  std::deque<std::string> texts;
  return format_text(codec, option_specs(codec, texts));
}

nlohmann::ordered_json json(const OptionRow& row) {
  nlohmann::ordered_json option{{"name", row.name}, {"value", row.value}, {"help", row.help}};
  if (!row.words.empty()) option["words"] = std::vector<std::string>(row.words.begin(), row.words.end());
  return option;
}

nlohmann::ordered_json json(const Codec& codec) {
  nlohmann::ordered_json row{{"name", codec.name},
                             {"summary", codec.summary},
                             {"extension", codec.extensions.empty() ? "" : codec.extensions.front()},
                             {"made_by", codec.made_by},
                             {"details", codec.details},
                             {"wrong_secret", codec.wrong_secret},
                             {"no_salvage", codec.no_salvage},
                             {"recognised", codec.recognise != nullptr},
                             {"abilities", ability_names(codec, &AbilityName::key)}};
  row["passphrase"] = codec.takes(SecretKind::passphrase);
  row["max_key_bytes"] = codec.takes(SecretKind::key) ? codec.max_key_bytes : 0;
  row["options"] = nlohmann::ordered_json::array();
  for (const OptionRow& option : codec.options) row["options"].push_back(json(option));
  return row;
}

// The named formats, or all.
std::vector<const Codec*> chosen(const std::vector<std::string>& names) {
  std::vector<const Codec*> codecs;
  for (const std::string& name : names) codecs.push_back(&codec_named(name));
  if (names.empty()) codecs.assign(format::codecs().begin(), format::codecs().end());
  return codecs;
}

}  // namespace

std::vector<std::string_view> format_names() {
  std::vector<std::string_view> names;
  for (const Codec* codec : format::codecs()) names.push_back(codec->name);
  return names;
}

const Codec& codec_named(std::string_view name) {
  if (const Codec* codec = format::find_codec(name)) return *codec;
  const std::vector<std::string_view> names = format_names();
  refuse("no format '{}'{}; choose from {}", name, did_you_mean(name, names), fmt::join(names, ", "));
}

std::string format_text(const Codec& codec, std::span<const OptionSpec> options) {
  std::string lines = text(codec);
  if (!codec.details.empty()) lines += fmt::format("\n{}", wrapped_text(codec.details));
  return lines + fmt::format("\nFormat {}:\n{}", codec.name,
                             options.empty() ? "  no options of its own\n" : options_text(options));
}

int run_formats(const Arguments& arguments) {
  auto rows = nlohmann::ordered_json::array();
  const auto& names = arguments.operands();
  const bool is_json = arguments.has("json");
  if (names.empty() && !is_json) write_text(kAboutList);
  for (const Codec* codec : chosen(names)) {
    if (is_json) {
      rows.push_back(json(*codec));
    } else {
      write_text(names.empty() && !is_verbose() ? short_text(*codec) : whole_text(*codec));
    }
  }
  if (is_json) write_result(json_text({{"version", kJsonVersion}, {"formats", std::move(rows)}}));
  return kSuccess;
}

}  // namespace fugu::cli
