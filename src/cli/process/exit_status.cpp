#include "cli/process/exit_status.hpp"

#include <algorithm>
#include <iterator>

namespace fugu::cli {

int exit_status(Errc code) noexcept {
  constexpr int kStatus[] = {1, 2, 3, 4, 5, 6, 6, 7, 130, 2, kUndecided};  // in the order of Errc
  static_assert(std::size(kStatus) == static_cast<std::size_t>(Errc::undecided) + 1);
  return kStatus[static_cast<std::size_t>(code)];
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
