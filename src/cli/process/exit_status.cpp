#include "cli/process/console.hpp"

#include <algorithm>

namespace fugu::cli {

int exit_status(Errc code) noexcept {
  switch (code) {
    case Errc::usage:
      return 1;
    case Errc::io:
    case Errc::memory:
      return 2;
    case Errc::wrong_key:
      return 3;
    case Errc::damaged:
      return 4;
    case Errc::unknown_format:
      return 5;
    case Errc::engine:
    case Errc::no_device:
      return 6;
    case Errc::mismatch:
      return 7;
    case Errc::undecided:
      return kUndecided;
    case Errc::interrupted:
      return 130;
  }
  return 2;
}

Error current_failure() {
  try {
    throw;
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return Error(Errc::memory, "not enough memory; a smaller --chunk or fewer threads (-T) need less");
  } catch (const std::exception& error) {
    return Error(Errc::engine, std::string("unexpected failure: ") + error.what());
  } catch (...) {
    return Error(Errc::engine, "unexpected failure");
  }
}

int worse(int a, int b) noexcept {
  return std::max(a, b);
}

}  // namespace fugu::cli
