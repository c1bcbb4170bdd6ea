// Blowfish on the CPU: our engines and every installed peer, on the same 64 MiB in the same run.
//
// Every output is compared with OpenSSL's (CTR, which it lacks: with our scalar engine's) before anything is
// timed. Names are SUBJECT/THREADS/WORK. tools/peers runs it and keeps the raw samples.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <thread>
#include <vector>

#include "fugu/engine/registry.hpp"
#include "fugu/mode/mode.hpp"
#include "peer.hpp"

namespace fugu::bench {
namespace {

constexpr std::size_t kBytes = std::size_t{64} << 20;
constexpr std::size_t kCompareBytes = std::size_t{1} << 20;

const char* name_of(Work work) {
  constexpr const char* kNames[] = {"ecb_encrypt", "ecb_decrypt", "cbc_encrypt", "cbc_decrypt",
                                    "cfb_encrypt", "cfb_decrypt", "ofb",         "ctr"};
  return kNames[static_cast<std::size_t>(work)];
}

mode::Mode mode_of(Work work) {
  switch (work) {
    case Work::cbc_encrypt:
    case Work::cbc_decrypt:
      return mode::Mode::cbc;
    case Work::cfb_encrypt:
    case Work::cfb_decrypt:
      return mode::Mode::cfb64;
    case Work::ofb:
      return mode::Mode::ofb;
    case Work::ctr:
      return mode::Mode::ctr;
    default:
      return mode::Mode::ecb;
  }
}

// One of our engines, behind the modes of the library.
class Ours final : public Peer {
 public:
  Ours(const std::string& engine, unsigned threads, const Secrets& secrets)
      : engine_(engine::make(engine, {threads, core::detect_cpu_features()})) {
    cipher::expand(std::as_bytes(std::span(secrets.key)), schedule_);
    std::transform(secrets.iv.begin(), secrets.iv.end(), iv_.begin(),
                   [](unsigned char b) { return std::byte{b}; });
  }

  std::string name() const override { return "fugu-" + std::string(engine_->name()); }

  bool run(Work work, std::span<unsigned char> data) override {
    mode::Settings settings;
    settings.mode = mode_of(work);
    settings.padding = mode::Padding::none;
    settings.iv = iv_;
    mode::CipherStream stream(*engine_, schedule_, settings,
                              decrypts(work) ? mode::Direction::decrypt : mode::Direction::encrypt);
    return stream.process(std::as_writable_bytes(data), data.size(), true) == data.size();
  }

 private:
  std::unique_ptr<engine::Engine> engine_;
  cipher::Schedule schedule_;
  std::array<std::byte, 8> iv_{};
};

std::vector<unsigned char> input(std::size_t bytes) {
  std::vector<unsigned char> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<unsigned char>(i % 251);
  return data;
}

// Throws when a subject's output differs from the reference's.
bool same_as(Peer& reference, Peer& subject, Work work) {
  std::vector<unsigned char> expected = input(kCompareBytes);
  std::vector<unsigned char> got = expected;
  if (!subject.run(work, got)) return false;
  if (!reference.run(work, expected)) return true;
  if (expected != got) throw std::runtime_error(subject.name() + " differs in " + name_of(work));
  return true;
}

void add(Peer& subject, Peer& openssl, Peer& scalar, const std::string& threads) {
  for (std::size_t i = 0; i < kWorks; ++i) {
    const auto work = static_cast<Work>(i);
    if (threads == "all" && is_serial(work)) continue;
    if (!same_as(work == Work::ctr ? scalar : openssl, subject, work)) continue;
    const std::string name = subject.name() + "/" + threads + "/" + name_of(work);
    benchmark::RegisterBenchmark(
        name.c_str(),
        [&subject, work](benchmark::State& state) {
          static std::vector<unsigned char> data = input(kBytes);  // shared: one subject runs at a time
          for (auto _ : state) benchmark::DoNotOptimize(subject.run(work, data));
          state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kBytes));
        })
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
  }
}

void add_ours(std::vector<std::unique_ptr<Peer>>& subjects, unsigned threads, const Secrets& secrets) {
  for (const engine::EngineInfo& info : engine::list()) {
    if (info.available && info.name.starts_with("cpu/")) {
      subjects.push_back(std::make_unique<Ours>(info.name, threads, secrets));
    }
  }
}

int run(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  const Secrets secrets{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, {8, 7, 6, 5, 4, 3, 2, 1}};
  const auto openssl = openssl_peer(secrets);
  Ours scalar("cpu/scalar", 1, secrets);
  std::vector<std::unique_ptr<Peer>> one_core;
#if defined(FUGU_HAVE_LIBGCRYPT)
  one_core.push_back(libgcrypt_peer(secrets));
#endif
#if defined(FUGU_HAVE_BOTAN_2)
  one_core.push_back(botan_2_peer(secrets));
#endif
  add_ours(one_core, 1, secrets);
#if defined(FUGU_HAVE_NETTLE)
  one_core.push_back(nettle_peer(secrets));
#endif
#if defined(FUGU_HAVE_CRYPTOPP)
  one_core.push_back(cryptopp_peer(secrets));
#endif
  std::vector<std::unique_ptr<Peer>> all_cores;
  all_cores.push_back(parallel_openssl_peer(secrets));
  add_ours(all_cores, 0, secrets);
  add(*openssl, *openssl, scalar, "1");
  for (const auto& subject : one_core) add(*subject, *openssl, scalar, "1");
  for (const auto& subject : all_cores) add(*subject, *openssl, scalar, "all");
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace
}  // namespace fugu::bench

int main(int argc, char** argv) {
  try {
    return fugu::bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_cpu: %s\n", error.what());
    return 1;
  }
}
