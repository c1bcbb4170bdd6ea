// JSON output of the subcommands.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "fugu/error.hpp"

namespace fugu::cli {

// New keys do not change the version; a change of their meaning does.
inline constexpr int kJsonVersion = 1;

// Texts of the library, in the program's words. Names that users gave stay.
inline void spell(nlohmann::ordered_json& value) {
  if (value.is_string()) value = spelled(value.get<std::string>(), Spelling::program);
  for (const auto& [key, part] : value.items()) {
    const bool is_name = key == "file" || key == "output" || key == "column" || key == "name";
    if (value.is_structured() && !is_name) spell(part);
  }
}

// Escapes everything but ASCII, since names may hold terminal controls. File names in invalid UTF-8 get
// replacement characters rather than an error.
inline std::string json_text(nlohmann::ordered_json value, int indent = 2) {
  spell(value);
  return value.dump(indent, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

// The same on one line.
inline std::string json_line(nlohmann::ordered_json value) {
  return json_text(std::move(value), -1);
}

// What `work` returns; the error that it throws is noted in the file's row.
template <class Work>
auto noting_error(nlohmann::ordered_json& row, Work work) {
  try {
    return work();
  } catch (const Error& error) {
    row["error"] = error.text();
    throw;
  }
}

}  // namespace fugu::cli
