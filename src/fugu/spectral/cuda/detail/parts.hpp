// Splits a call into parts between which it can be stopped. Internal.
#pragma once

#include <stop_token>
#include <utility>

#include "fugu/device/context.hpp"
#include "fugu/error.hpp"

namespace fugu::spectral::cuda {

class Parts {
 public:
  // At most `most` parts are queued before a wait for the stream; together they take at most some tenths of a
  // second.
  Parts(const device::Stream& stream, std::stop_token stop, unsigned most)
      : stream_(stream), stop_(std::move(stop)), most_(most) {}

  // Call before each part is queued. Returns whether all earlier parts are done. Throws Error{interrupted}
  // when a stop was requested.
  bool next() {
    const bool waits = queued_ == most_;
    if (waits) stream_.synchronize();
    queued_ = waits ? 1 : queued_ + 1;
    if (stop_.stop_requested()) throw Error(Errc::interrupted, "interrupted");
    return waits;
  }

 private:
  const device::Stream& stream_;
  std::stop_token stop_;
  unsigned most_;
  unsigned queued_ = 0;
};

}  // namespace fugu::spectral::cuda
