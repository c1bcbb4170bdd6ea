// fugu info: describes a file without a key and without decrypting it.
#include <fmt/format.h>

#include "cli/cipher/run.hpp"
#include "cli/commands.hpp"
#include "cli/process/console.hpp"

namespace fugu::cli {
namespace {

using format::Description;
using format::DescriptionField;
using format::TextEncoding;

struct Info {
  const format::Codec* codec = nullptr;
  TextEncoding encoding = TextEncoding::binary;
  Description description;
};

Info describe_tree(const stream::WalkedDirectory& top) {
  const auto directory = stream::open_tree(top);
  const format::Codec* const codec = &identify(*directory);
  const auto head = format::open_tree_head(*directory, *codec);
  return {codec, TextEncoding::binary, codec->describe(*head, format::OptionValues(codec->options))};
}

Info describe(const Task& file) {
  if (file.problem) throw Error(*file.problem);
  if (file.is_tree) return describe_tree(*file.found_in);
  const Identified input = identified(file.input, open_input(file.input, 1, file.found_in));
  return {input.codec, input.encoding, input.codec->describe(*input.source, input.options)};
}

std::string text(const std::string& name, const Info& info) {
  const bool tells_encoding = info.description.often_text || info.encoding != TextEncoding::binary;
  // A file's own text may hold anything: it must not control the terminal.
  std::string lines =
      fmt::format("{}: {}{}\n", printable(input_title(name)), printable(info.description.title),
                  tells_encoding ? fmt::format(", {}", name_of(info.encoding)) : "");
  for (const DescriptionField& field : info.description.fields) {
    if (!field.label.empty()) lines += fmt::format("  {}: {}\n", field.label, printable(field.text));
  }
  return lines;
}

nlohmann::ordered_json json_value(const DescriptionField::Value& value) {
  return std::visit(
      [](const auto& held) -> nlohmann::ordered_json {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>) {
          return nullptr;
        } else {
          return held;
        }
      },
      value);
}

void add(nlohmann::ordered_json& row, const Info& info) {
  row["format"] = info.codec->name;
  row["encoding"] = name_of(info.encoding);
  for (const DescriptionField& field : info.description.fields) {
    if (!field.key.empty()) row[field.key] = json_value(field.value);
  }
}

}  // namespace

int run_info(const Arguments& arguments) {
  int status = kSuccess;
  const bool json = arguments.has("json");
  auto rows = nlohmann::ordered_json::array();
  for (const Task& file : encrypted_inputs(files_request(arguments))) {
    nlohmann::ordered_json row{{"file", file.input}};
    try {
      const Info info = describe(file);
      add(row, info);
      if (!json) write_text(text(file.input, info));
      say_detail(fmt::format("{}: {}: {}; fugu formats {} says more", input_title(file.input),
                             info.codec->name, info.codec->summary, info.codec->name));
    } catch (const ReaderGone&) {
      throw;
    } catch (const Error& error) {
      row["error"] = error.text();
      status = worse(status, say_failure(input_title(file.input), error));
    }
    rows.push_back(std::move(row));
  }
  if (json) write_result(json_text({{"version", kJsonVersion}, {"files", std::move(rows)}}));
  return status;
}

}  // namespace fugu::cli
