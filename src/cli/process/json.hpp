// JSON as the subcommands print it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace fugu::cli {

// A version adds keys; a change of what they mean is a new version.
inline constexpr int kJsonVersion = 1;

// All but ASCII is escaped: names may hold what drives a terminal. File names that are no UTF-8 get
// replacement characters: a name is no reason to print nothing.
inline std::string json_text(const nlohmann::ordered_json& value, int indent = 2) {
  return value.dump(indent, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

// The same on one line.
inline std::string json_line(const nlohmann::ordered_json& value) {
  return json_text(value, -1);
}

}  // namespace fugu::cli
