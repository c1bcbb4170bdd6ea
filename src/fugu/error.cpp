#include "fugu/error.hpp"

#include <new>
#include <system_error>

namespace fugu {

void Error::add_context(std::string_view outer) {
  text_.insert(0, ": ");
  text_.insert(0, outer);
}

Error system_error(std::string_view what, int errno_value) {
  std::string text(what);
  text += ": ";
  text += std::generic_category().message(errno_value);
  return Error(Errc::io, std::move(text));
}

FUGU_EXPORT void rethrow_as_error() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    throw Error(Errc::io, "not enough memory");
  } catch (const std::system_error& error) {
    throw Error(Errc::io, error.code().message());
  }
}

}  // namespace fugu
