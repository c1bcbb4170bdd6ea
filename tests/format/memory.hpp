// Jobs over memory, for tests of formats.
#pragma once

#include "fugu/engine/registry.hpp"
#include "fugu/format/job.hpp"
#include "support/memory.hpp"
#include "support/testing.hpp"

namespace fugu::format::testing {

using test::Bytes;
using test::bytes_of;
using test::bytes_of_hex;
using test::BytesSink;
using test::BytesSource;
using test::code_of;
using test::error_of;
using test::expect_error;
using test::flipped;
using test::joined;
using test::little_endian;
using test::operator+;
using test::Seekable;
using test::slice;
using test::text_of;

inline engine::Engine& scalar_engine() {
  static const auto engine = engine::make("cpu/scalar", {.threads = 1});
  return *engine;
}

// Runs `work` on a job over `input` and returns its output.
inline Bytes run_job(std::span<const std::byte> input, const std::function<void(const Job&)>& work,
                     Seekable seekable = Seekable::yes, std::size_t chunk_bytes = 0) {
  BytesSource source(input, seekable);
  BytesSink sink;
  work(Job{scalar_engine(), source, sink, chunk_bytes, nullptr, {}});
  if (sink.finished != 1) throw std::logic_error("the sink was not finished once");
  return std::move(sink.bytes);
}

}  // namespace fugu::format::testing

namespace fugu::format {
using namespace testing;  // NOLINT(google-global-names-in-headers): fugu::format::testing
}
