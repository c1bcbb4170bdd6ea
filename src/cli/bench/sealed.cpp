// fugu bench --sealed
#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include "cli/bench/scopes.hpp"
#include "cli/to_size.hpp"
#include "fugu/auth/kdf.hpp"
#include "fugu/auth/random.hpp"
#include "fugu/auth/reference.hpp"
#include "fugu/cipher/schedule.hpp"
#include "fugu/engine/local_engine.hpp"
#include "fugu/engine/registry.hpp"
#include "fugu/error.hpp"
#include "fugu/format/codec.hpp"
#include "fugu/stream/memory.hpp"
#include "measure/bytes.hpp"

namespace fugu::cli::bench {
namespace {

constexpr std::size_t kKeyBytes = 56;
constexpr std::size_t kKeys = 256;  // per sample

// RFC 7914, section 12: "pleaseletmein", "SodiumChloride", N = 16384, r = 8, p = 1.
constexpr auth::ScryptCost kPublishedCost{.log2_n = 14, .r = 8, .p = 1};
constexpr std::array<unsigned char, 16> kPublishedKey{0x70, 0x23, 0xbd, 0xcb, 0x3a, 0xfd, 0x73, 0x48,
                                                      0x46, 0x1c, 0x06, 0xcd, 0x81, 0xfd, 0x38, 0xeb};

// Memory to memory under a raw key, header and tags included. The sealed data is opened to check it.
class FormatTrial final : public Trial {
 public:
  FormatTrial(std::span<const std::byte> plaintext, core::Direction direction, engine::Engine& engine,
              ThreadPool& pool)
      : plaintext_(plaintext), direction_(direction), engine_(engine), pool_(pool) {
    spoil();
    seal();
    sealed_ = output_->take();
  }

  void spoil() override {
    output_ = std::make_unique<stream::MemorySink>();
    output_->reserve(plaintext_.size() + plaintext_.size() / 1024 + 4096);  // tags and header
  }

  double run() override {
    if (direction_ == core::Direction::encrypt) return wall_seconds([this] { seal(); });
    return wall_seconds([this] { open(sealed_); });
  }

  void check() override {
    if (direction_ == core::Direction::encrypt) {
      const std::vector<std::byte> sealed = output_->take();
      open(sealed);
    }
    if (output_->bytes().size() != plaintext_.size()) throw Error(Errc::mismatch, "another size comes out");
    require_same(plaintext_, output_->bytes(), pool_);
  }

 private:
  void seal() {
    stream::MemorySource source(plaintext_);
    codec_.seal({engine_, source, *output_}, {options_, {format::SecretKind::key, key_}});
  }

  void open(std::span<const std::byte> sealed) {
    stream::MemorySource source(sealed);
    codec_.open({engine_, source, *output_}, {options_, {format::SecretKind::key, key_}});
  }

  std::span<const std::byte> plaintext_;
  core::Direction direction_;
  engine::Engine& engine_;
  ThreadPool& pool_;
  const format::Codec& codec_ = format::default_codec();
  format::OptionValues options_{codec_.options};
  auth::SecretBytes key_ = auth::random_secret(32);
  std::unique_ptr<stream::MemorySink> output_;
  std::vector<std::byte> sealed_;
};

using Block = std::array<std::byte, core::kBlockBytes>;

// Expands many keys, each of which then encrypts a block: by fugu, and by OpenSSL.
class ScheduleTrial final : public Trial {
 public:
  explicit ScheduleTrial(bool by_openssl) : by_openssl_(by_openssl) {
    for (std::size_t i = 0; i < kKeys; ++i) keys_.push_back(secret_.span().subspan(i * kKeyBytes, kKeyBytes));
  }

  void spoil() override {
    schedules_ = std::vector<cipher::Schedule>(kKeys);
    references_.clear();
  }

  double run() override {
    if (!by_openssl_) return wall_seconds([this] { cipher::expand(keys_, schedules_); });
    return wall_seconds([this] { set_references(); });
  }

  void check() override {
    if (by_openssl_) cipher::expand(keys_, schedules_);
    if (!by_openssl_) set_references();
    for (std::size_t i = 0; i < kKeys; ++i) {
      if (block_of(schedules_[i]) != block_of(references_[i]))
        throw Error(Errc::mismatch, fmt::format("the tables of key {} are wrong", i));
    }
  }

 private:
  void set_references() {
    for (const std::span<const std::byte> key : keys_)
      references_.emplace_back(auth::ReferenceMode::ecb, true, key);
  }

  static Block block_of(const cipher::Schedule& schedule) {
    Block block{};
    const engine::Segment segment{.schedule = &schedule, .in = block, .out = block};
    engine::local_engine().run(engine::Op::ecb_encrypt, {&segment, 1});
    return block;
  }

  static Block block_of(auth::ReferenceBlowfish& reference) {
    Block block{};
    reference.update(block, block);
    return block;
  }

  bool by_openssl_;
  auth::SecretBytes secret_ = auth::random_secret(kKeys * kKeyBytes);
  std::vector<std::span<const std::byte>> keys_;
  std::vector<cipher::Schedule> schedules_;
  std::vector<auth::ReferenceBlowfish> references_;
};

// By fugu, and by OpenSSL.
class ScryptTrial final : public Trial {
 public:
  explicit ScryptTrial(bool by_openssl) : by_openssl_(by_openssl) {}

  static std::uint64_t bytes() { return std::uint64_t{128} * kPublishedCost.r << kPublishedCost.log2_n; }

  void spoil() override { key_ = auth::SecretBytes(kPublishedKey.size()); }

  double run() override {
    return wall_seconds([this] { by_openssl_ ? derive_by_openssl() : derive(); });
  }

  void check() override {
    if (!std::ranges::equal(key_.span(), std::as_bytes(std::span(kPublishedKey))))
      throw Error(Errc::mismatch, "not the key of RFC 7914");
  }

 private:
  static constexpr std::string_view kPassphrase = "pleaseletmein";
  static constexpr std::string_view kSalt = "SodiumChloride";

  void derive() {
    key_ = auth::scrypt(auth::SecretBytes(kPassphrase), std::as_bytes(std::span(kSalt)), kPublishedCost,
                        kPublishedKey.size());
  }

  void derive_by_openssl() {
    EVP_PBE_scrypt(kPassphrase.data(), kPassphrase.size(),
                   reinterpret_cast<const unsigned char*>(kSalt.data()), kSalt.size(),
                   std::uint64_t{1} << kPublishedCost.log2_n, kPublishedCost.r, kPublishedCost.p, 2 * bytes(),
                   reinterpret_cast<unsigned char*>(key_.data()), key_.size());
  }

  bool by_openssl_;
  auth::SecretBytes key_;
};

void measure_format(const std::string& name, unsigned threads, std::span<const std::byte> plaintext,
                    ThreadPool& pool, Sampler& sampler) {
  const auto engine = engine::make(name, {.threads = threads});
  for (const core::Direction direction : {core::Direction::encrypt, core::Direction::decrypt}) {
    FormatTrial trial(plaintext, direction, *engine, pool);
    sampler.take(
        {Scope::sealed, name, is_gpu(name) ? 0 : threads, "sealed",
         direction == core::Direction::encrypt ? "encrypt" : "decrypt", "host memory", plaintext.size()},
        trial);
  }
}

template <class KeyTrial>
void measure_keys(const char* mode, std::uint64_t bytes, const char* own_engine, Sampler& sampler) {
  for (const bool by_openssl : {true, false}) {
    KeyTrial trial(by_openssl);
    sampler.take({Scope::sealed, by_openssl ? openssl_name() : own_engine, 1, mode, "", "host memory", bytes},
                 trial);
  }
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
  measure_keys<ScheduleTrial>("key schedule", kKeys * sizeof(cipher::Schedule), "cpu/scalar", sampler);
  measure_keys<ScryptTrial>("scrypt", ScryptTrial::bytes(), "cpu", sampler);
}

}  // namespace fugu::cli::bench
