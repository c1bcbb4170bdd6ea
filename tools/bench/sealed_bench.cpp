// Sealed against plain CTR, host memory to host memory, through the pump like a file: the difference is keys,
// schedules and tags. Argument: threads (0: all).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

#include "fugu/engine/registry.hpp"
#include "fugu/format/raw/raw.hpp"
#include "fugu/format/sealed/sealed.hpp"
#include "fugu/stream/memory.hpp"

namespace fugu {
namespace {

constexpr std::size_t kBytes = std::size_t{512} << 20;

// A MemorySink would time its growth.
class Store final : public stream::Sink {
 public:
  explicit Store(std::span<std::byte> into) : left_(into) {}
  void write(std::span<const std::byte> from) override {
    std::ranges::copy(from, left_.begin());
    left_ = left_.subspan(from.size());
  }

 private:
  std::span<std::byte> left_;
};

struct Bench {
  explicit Bench(const benchmark::State& state)
      : engine(engine::make("auto", {.threads = static_cast<unsigned>(state.range(0))})),
        plain(kBytes, std::byte{1}),
        out(kBytes + (std::size_t{1} << 20), std::byte{2}) {}

  template <class Run>
  void time(benchmark::State& state, std::span<const std::byte> input, Run run) {
    for (auto _ : state) {
      stream::MemorySource source(input);
      Store sink(out);
      run(format::Job{*engine, source, sink, 0, nullptr, {}});
    }
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                            static_cast<std::int64_t>(kBytes));
  }

  std::unique_ptr<engine::Engine> engine;
  std::vector<std::byte> plain;
  std::vector<std::byte> out;
};

void plain_ctr(benchmark::State& state) {
  Bench bench(state);
  const auth::SecretBytes key(32);
  format::RawParameters parameters;
  parameters.settings.mode = mode::Mode::ctr;
  bench.time(state, bench.plain, [&](const format::Job& job) { format::encrypt_raw(job, parameters, key); });
}

void sealed_encrypt(benchmark::State& state) {
  Bench bench(state);
  const auth::SecretBytes key(32);
  const format::SealedSecret secret{format::SealedSlot::key, key};
  bench.time(state, bench.plain, [&](const format::Job& job) { format::encrypt_sealed(job, secret); });
}

void sealed_decrypt(benchmark::State& state) {
  Bench bench(state);
  const auth::SecretBytes key(32);
  const format::SealedSecret secret{format::SealedSlot::key, key};
  std::vector<std::byte> file(kBytes + (std::size_t{1} << 20));
  {
    stream::MemorySource source(bench.plain);
    Store sink(file);
    format::encrypt_sealed({*bench.engine, source, sink, 0, nullptr, {}}, secret);
    file.resize(format::sealed_file_bytes(format::parse_sealed_header(file), kBytes));
  }
  bench.time(state, file, [&](const format::Job& job) {
    const format::SealedHeader header = format::read_sealed_header(job.source);
    format::decrypt_sealed(job, header, format::unlock_sealed(header, secret));
  });
}

BENCHMARK(plain_ctr)->Arg(1)->Arg(0)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(sealed_encrypt)->Arg(1)->Arg(0)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(sealed_decrypt)->Arg(1)->Arg(0)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fugu

BENCHMARK_MAIN();
