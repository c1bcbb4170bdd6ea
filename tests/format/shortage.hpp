// Lets memory run out: operator new fails when a test wants it to.
#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <limits>
#include <type_traits>

#include "fugu/error.hpp"
#include "support/many_cases.hpp"

namespace fugu::test {

enum class Shortage { passing, lasting };  // one allocation fails, or all from that one on

// Lets allocations fail after `allocations` more of all threads.
void begin_shortage(long allocations, Shortage shortage);

// Returns how many more allocations would have succeeded; below 0 if one has failed.
long end_shortage() noexcept;

inline constexpr long kAll = std::numeric_limits<long>::max();

// Returns the result of the call, or true if it has none.
template <class Call>
auto result_of(const Call& call) {
  if constexpr (std::is_void_v<decltype(call())>) {
    call();
    return true;
  } else {
    return call();
  }
}

// Returns whether an allocation failed. In this case the call must throw Error{memory} or return `right`.
template <class Call, class Result>
bool expect_error_only(const Call& call, const Result& right, long allocations, Shortage shortage) {
  bool failed = true;
  try {
    begin_shortage(allocations, shortage);
    const Result result = result_of(call);
    failed = end_shortage() < 0;
    EXPECT_TRUE(result == right) << "allocation " << allocations;
  } catch (const Error& error) {
    end_shortage();
    EXPECT_EQ(error.code(), Errc::memory) << "allocation " << allocations << ": " << error.text();
  } catch (const std::exception& other) {
    end_shortage();
    ADD_FAILURE() << "allocation " << allocations << ": " << other.what();
  }
  return failed;
}

inline constexpr long kUsualShortages = kSanitized ? 30 : kAll;

// Lets the call's allocations fail one after the other, all of them or about `about` of them.
template <class Call>
void expect_errors_only(const Call& call, long about = kUsualShortages) {
  const auto right = result_of(call);
  begin_shortage(kAll, Shortage::passing);
  result_of(call);
  const long step = (kAll - end_shortage()) / about + 1;
  for (const Shortage shortage : {Shortage::passing, Shortage::lasting}) {
    for (long failing = 0; expect_error_only(call, right, failing, shortage);) failing += step;
  }
  EXPECT_TRUE(result_of(call) == right);
}

}  // namespace fugu::test
