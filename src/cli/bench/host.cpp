#include "cli/bench/host.hpp"

#include "measure/guard.hpp"
#include "measure/openssl_stream.hpp"

namespace fugu::cli::bench {

void HostTrial::spoil() {
  copy_bytes(case_.input, buffer_, pool_);
}

void HostTrial::check() {
  require_same(case_.expected, buffer_, pool_);
}

double OpensslTrial::run() {
  OpensslThreads openssl(case_.settings, case_.work.direction, case_.key.span(), workers_);
  return wall_seconds([&] { openssl.process(buffer_); });
}

double EngineTrial::run() {
  mode::CipherStream stream(engine_, case_.schedule, case_.settings, case_.work.direction);
  return wall_seconds([&] { stream.process(buffer_, buffer_.size(), true); });
}

}  // namespace fugu::cli::bench
