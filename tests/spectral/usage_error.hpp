// Returns the text of a call's usage error.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "fugu/error.hpp"

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

}  // namespace fugu::spectral::test
