// The errors of calls: the text of a usage error, and that of work which is asked to stop.
#pragma once

#include "fugu/error.hpp"
#include "support/testing.hpp"

namespace fugu::spectral::test {

template <class Call>
std::string usage_error(Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::usage);
    return error.text();
  }
  return "no error";
}

template <class Call>
void expect_interrupted(Call call) {
  try {
    call();
    ADD_FAILURE() << "the work went on to its end";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::interrupted);
  }
}

}  // namespace fugu::spectral::test

namespace fugu::spectral {
using namespace test;  // NOLINT(google-global-names-in-headers): fugu::spectral::test
}
