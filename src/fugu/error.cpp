#include "fugu/error.hpp"

#include <system_error>

namespace fugu {

Error::Error(Errc code, const char* text) : code_(code), text_(text) {}

void Error::add_context(std::string_view outer) {
  text_.insert(0, std::string(outer) + ": ");
}

Error system_error(std::string_view what, int errno_value) {
  std::string text(what);
  text += ": ";
  text += std::generic_category().message(errno_value);
  return Error(Errc::io, std::move(text));
}

}  // namespace fugu
