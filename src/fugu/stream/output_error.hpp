// Failures of an output, distinguished so that a message names the output and not the input.
#pragma once

#include "fugu/error.hpp"

namespace fugu::stream {

class OutputError : public Error {
 public:
  using Error::Error;
};

// Runs `step`, turning its errors into OutputErrors.
template <class Step>
auto as_output(Step step) {
  try {
    return step();
  } catch (const OutputError&) {
    throw;
  } catch (const Error& error) {
    throw OutputError(error.code(), error.text());
  }
}

}  // namespace fugu::stream
