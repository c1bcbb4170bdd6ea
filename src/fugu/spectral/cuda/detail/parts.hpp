// The parts of a call that can be stopped. Internal.
#pragma once

#include <stop_token>
#include <utility>

#include "fugu/device/context.hpp"
#include "fugu/error.hpp"

namespace fugu::spectral::cuda {

class Parts {
 public:
  // `most`: parts that are queued before the first of them is waited for; some tenths of a second at most.
  Parts(const device::Stream& stream, std::stop_token stop, unsigned most)
      : stream_(stream), stop_(std::move(stop)), most_(most) {}

  // Before each part is queued. Whether all before have been waited for. Throws Error{interrupted}.
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
