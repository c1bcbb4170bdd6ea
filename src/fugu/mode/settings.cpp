// The properties of a mode that do not depend on the key: its names and requirements.
#include "fugu/mode/settings.hpp"

#include <algorithm>

namespace fugu::mode {
namespace {

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < std::size(kModeNames); ++i) {
    if (static_cast<std::size_t>(kModeNames[i].mode) != i) return false;
  }
  return true;
}
static_assert(is_in_order());

}  // namespace

std::string_view name_of(Mode mode) noexcept {
  return kModeNames[static_cast<std::size_t>(mode)].name;
}

std::optional<Mode> mode_named(std::string_view name) noexcept {
  const auto found = std::ranges::find_if(kModeNames, [name](const ModeName& row) {
    return !name.empty() && (row.name == name || row.alias == name);
  });
  if (found == kModeNames.end()) return std::nullopt;
  return found->mode;
}

bool is_serial(Mode mode, Direction direction) noexcept {
  const bool chained = mode == Mode::cbc || mode == Mode::cfb64 || mode == Mode::cfb8 || mode == Mode::pcbc;
  return mode == Mode::ofb || mode == Mode::ofb8 || (chained && direction == Direction::encrypt);
}

bool is_padded(Mode mode) noexcept {
  return mode == Mode::ecb || mode == Mode::cbc || mode == Mode::pcbc;
}

}  // namespace fugu::mode
