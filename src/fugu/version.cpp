#include "fugu/version.hpp"

namespace fugu {

std::string_view version() noexcept {
  return FUGU_VERSION_STRING;
}

}  // namespace fugu
