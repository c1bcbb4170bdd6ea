#include "fugu/error.hpp"

#include <new>
#include <system_error>

namespace fugu {

Error::Error(Errc code, const char* text) try : code_(code), text_(text) {
} catch (...) {
  rethrow_as_error();
}

void Error::add_context(std::string_view outer) try {
  text_.insert(0, std::string(outer) + ": ");
} catch (...) {
  rethrow_as_error();
}

Error system_error(std::string_view what, int errno_value) try {
  std::string text(what);
  text += ": ";
  text += std::generic_category().message(errno_value);
  return Error(Errc::io, std::move(text));
} catch (...) {
  rethrow_as_error();
}

// The text of Error{memory} needs no allocation: it fits the string's internal buffer.
FUGU_EXPORT void rethrow_as_error() {
  try {
    try {
      throw;
    } catch (const std::system_error& error) {
      throw Error(Errc::io, error.code().message());
    }
  } catch (const std::bad_alloc&) {
    throw Error(Errc::memory, std::string("out of memory"));
  }
}

}  // namespace fugu
