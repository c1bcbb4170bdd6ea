// fugu bench --sealed
#include <fmt/format.h>

#include <array>

#include "cli/bench/plan.hpp"
#include "fugu/auth/reference.hpp"
#include "fugu/auth/secret.hpp"
#include "fugu/cipher/schedule.hpp"
#include "fugu/engine/engine.hpp"
#include "fugu/engine/registry.hpp"
#include "fugu/error.hpp"
#include "fugu/format/codec.hpp"
#include "fugu/stream/memory.hpp"

namespace fugu::cli::bench {
namespace {

constexpr std::size_t kKeyBytes = 56;
constexpr std::size_t kKeys = 256;  // keys per sample

Row sealed_row(std::string engine, unsigned threads, std::string mode, std::string direction,
               std::uint64_t bytes) {
  return {Scope::sealed,        std::move(engine), threads, std::move(mode),
          std::move(direction), "host memory",     bytes};
}

// Memory to memory under a raw key, header and tags included. The sealed data is opened to check it.
void measure_format(const std::string& name, unsigned threads, std::span<const std::byte> plaintext,
                    ThreadPool& pool, Sampler& sampler) {
  const auto engine = engine::make(name, {.threads = threads});
  const format::Codec& codec = format::default_codec();
  const format::OptionValues options{codec.options};
  const auth::SecretBytes key = auth::random_secret(32);
  std::unique_ptr<stream::MemorySink> output;
  const auto renew_output = [&] {
    output = std::make_unique<stream::MemorySink>();
    output->reserve(plaintext.size() + plaintext.size() / 1024 + 4096);  // tags and header
  };
  const auto seal = [&] {
    stream::MemorySource source(plaintext);
    codec.seal({*engine, source, *output}, {options, {format::SecretKind::key, key}});
  };
  const auto open = [&](std::span<const std::byte> sealed) {
    stream::MemorySource source(sealed);
    codec.open({*engine, source, *output}, {options, {format::SecretKind::key, key}});
  };
  const auto check_opened = [&] { require_same(plaintext, output->bytes(), pool); };
  const auto check_sealed = [&] {
    const std::vector<std::byte> sealed = output->take();
    open(sealed);
    check_opened();
  };
  const unsigned shown = is_gpu(name) ? 0 : threads;
  sampler.take(sealed_row(name, shown, "sealed", "encrypt", plaintext.size()),
               {.run = timed(seal), .spoil = renew_output, .check = check_sealed});
  renew_output();
  seal();
  const std::vector<std::byte> sealed = output->take();
  sampler.take(sealed_row(name, shown, "sealed", "decrypt", plaintext.size()),
               {.run = timed([&] { open(sealed); }), .spoil = renew_output, .check = check_opened});
}

using Block = std::array<std::byte, core::kBlockBytes>;

Block block_of(const cipher::Schedule& schedule) {
  Block block{};
  const engine::Segment segment{.schedule = &schedule, .in = block, .out = block};
  engine::local_engine().run(engine::Op::ecb_encrypt, {&segment, 1});
  return block;
}

Block block_of(auth::ReferenceBlowfish& reference) {
  Block block{};
  reference.update(block, block);
  return block;
}

// Expands many keys, each of which then encrypts a block: by OpenSSL, and by fugu.
void measure_schedules(Sampler& sampler) {
  const auth::SecretBytes secret = auth::random_secret(kKeys * kKeyBytes);
  std::vector<std::span<const std::byte>> keys;
  for (std::size_t i = 0; i < kKeys; ++i) keys.push_back(secret.span().subspan(i * kKeyBytes, kKeyBytes));
  std::vector<cipher::Schedule> schedules;
  std::vector<auth::ReferenceBlowfish> references;
  const auto spoil = [&] {
    schedules = std::vector<cipher::Schedule>(kKeys);
    references.clear();
  };
  const auto expand = [&] { cipher::expand(keys, schedules); };
  const auto expand_by_openssl = [&] {
    for (const std::span<const std::byte> key : keys)
      references.emplace_back(auth::ReferenceMode::ecb, true, key);
  };
  const auto compare = [&] {
    for (std::size_t i = 0; i < kKeys; ++i)
      if (block_of(schedules[i]) != block_of(references[i]))
        throw Error(Errc::mismatch, fmt::format("the tables of key {} are wrong", i));
  };
  const auto take = [&](std::string engine, std::function<void()> work, std::function<void()> other) {
    sampler.take(sealed_row(std::move(engine), 1, "key schedule", "", kKeys * sizeof(cipher::Schedule)),
                 {.run = timed(work), .spoil = spoil, .check = [&] {
                    other();
                    compare();
                  }});
  };
  take(openssl_name(), expand_by_openssl, expand);
  take("cpu/scalar", expand, expand_by_openssl);
}

}  // namespace

void measure_sealed(const Plan& plan, Sampler& sampler) {
  ThreadPool pool(plan.threads);
  for (const std::uint64_t size : plan.host_sizes) {
    Bytes plaintext(to_size(size));
    fill_random(plaintext.span(), pool);
    for (const std::string& name : plan.engines) {
      if (!is_gpu(name) && plan.threads > 1) measure_format(name, 1, plaintext.span(), pool, sampler);
      measure_format(name, plan.threads, plaintext.span(), pool, sampler);
    }
  }
  measure_schedules(sampler);
}

}  // namespace fugu::cli::bench
