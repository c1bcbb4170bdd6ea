// Secrets are sent to all ranks: they arrive, or all ranks report why not.
#include "fugu/distributed/secret.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "distributed/support.hpp"
#include "fugu/auth/kdf.hpp"
#include "fugu/distributed/files.hpp"
#include "fugu/engine/registry.hpp"
#include "fugu/format/sealed/sealed.hpp"
#include "fugu/stream/memory.hpp"
#include "fugu/stream/posix/descriptor.hpp"
#include "support/files.hpp"

namespace fugu::distributed {
namespace {

using auth::SecretBytes;
using format::SecretKind;
using Bytes = std::vector<std::byte>;

// What MPI does to the bytes of the last rank.
enum class Damage { none, of_message, of_public_key };
Damage damage = Damage::none;

}  // namespace
}  // namespace fugu::distributed

// MPI's profiling interface lets a program define these functions in place of the library's own.
extern "C" int MPI_Scatter(const void* from, int count, MPI_Datatype type, void* to, int to_count,
                           MPI_Datatype to_type, int root, MPI_Comm comm) {
  const int result = PMPI_Scatter(from, count, type, to, to_count, to_type, root, comm);
  using namespace fugu::distributed;
  if (damage == Damage::of_message && world().rank() == world().size() - 1) static_cast<char*>(to)[0] ^= 1;
  return result;
}

extern "C" int MPI_Allgather(const void* from, int count, MPI_Datatype type, void* to, int to_count,
                             MPI_Datatype to_type, MPI_Comm comm) {
  const int result = PMPI_Allgather(from, count, type, to, to_count, to_type, comm);
  using namespace fugu::distributed;
  if (damage == Damage::of_public_key && world().is_root())
    std::fill_n(static_cast<char*>(to) + (world().size() - 1) * to_count, to_count, '\0');
  return result;
}

namespace fugu::distributed {
namespace {

bool is_secret(const SecretBytes& bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i)
    if (bytes.span()[i] != secret_byte(i)) return false;
  return true;
}

// ---- arrival ----

TEST(Secret, ArrivesAtEveryRank) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{56}, std::size_t{1} << 16}) {
    SecretBytes here = world().is_root() ? secret(size) : SecretBytes();
    broadcast(world(), here);
    EXPECT_EQ(here.size(), size);
    EXPECT_TRUE(is_secret(here)) << size;
  }
}

std::string failure_with(std::size_t size, Damage done) {
  damage = done;
  const std::string text = failure_of([&] {
    SecretBytes here = world().is_root() ? secret(size) : SecretBytes();
    broadcast(world(), here);
  });
  damage = Damage::none;
  return text;
}

TEST(Secret, WhatMpiDamagesIsToldByEveryRank) {
  if (world().size() == 1) GTEST_SKIP() << "one rank sends nothing";
  const std::string last = std::to_string(world().size() - 1);
  EXPECT_EQ(failure_with(56, Damage::of_message),
            expected(Errc::io, "MPI damaged the secret on its way to rank " + last));
  EXPECT_EQ(failure_with(56, Damage::of_public_key),
            expected(Errc::io, "MPI damaged a public key of rank " + last));
  EXPECT_EQ(failure_with(56, Damage::none), "");
}

TEST(Secret, OneThatIsTooLongIsRefused) {
  EXPECT_EQ(failure_with((1 << 16) + 1, Damage::none),
            expected(Errc::usage, "a secret for all ranks has more than 64 KiB"));
}

// ---- After run_file() has ended, no rank's memory holds its secrets, not even MPI's own buffers. ----

constexpr std::size_t kRunBytes = 16;  // longer than chance repetitions
constexpr std::byte kMask{0xa5};       // so that a search does not find its own patterns

std::byte masked(std::byte byte) {
  return byte ^ kMask;
}

// Searches this process's memory for parts of secrets.
class Search {
 public:
  void add(const SecretBytes& secret) {
    for (std::size_t i = 0; i + kRunBytes <= secret.size(); i += 8) {
      auto& run = runs_.emplace_back();
      for (std::size_t j = 0; j < kRunBytes; ++j) run[j] = masked(secret.span()[i + j]);
    }
  }

  // Collective: every rank searches for the secrets of rank 0.
  void share() {
    std::size_t count = runs_.size();
    broadcast(world(), std::as_writable_bytes(std::span(&count, 1)));
    runs_.resize(count);
    broadcast(world(), std::as_writable_bytes(std::span(runs_)));
  }

  // Throws if it finds one.
  void look() {
    for (const auto& run : runs_) begins_[std::to_integer<std::size_t>(run[0])] = true;
    const stream::Descriptor memory(::open("/proc/self/mem", O_RDONLY | O_CLOEXEC));
    std::ifstream maps("/proc/self/maps");
    for (std::string region; std::getline(maps, region);) look_in(memory.get(), region);
    if (bytes_ < std::size_t{1} << 20) throw Error(Errc::io, "no memory was read");
  }

 private:
  // `region` is a line "BEGIN-END PERMISSIONS ..." of maps.
  void look_in(int memory, const std::string& region) {
    std::size_t at = 0;
    std::size_t end = 0;
    const char* const after = region.data() + region.size();
    const auto dash = std::from_chars(region.data(), after, at, 16);
    const auto space = std::from_chars(dash.ptr + 1, after, end, 16);
    if (space.ptr[1] != 'r') return;
    while (end - at >= kRunBytes) {
      const ssize_t got =
          ::pread(memory, piece_.data(), std::min(piece_.size(), end - at), static_cast<off_t>(at));
      if (got < static_cast<ssize_t>(kRunBytes)) return;  // the kernel's own pages
      look_through(std::span(piece_).first(static_cast<std::size_t>(got)), region);
      bytes_ += static_cast<std::size_t>(got);
      at += static_cast<std::size_t>(got) - kRunBytes + 1;
    }
  }

  void look_through(std::span<const std::byte> piece, const std::string& region) const {
    for (std::size_t i = 0; i + kRunBytes <= piece.size(); ++i) {
      if (!begins_[std::to_integer<std::size_t>(masked(piece[i]))]) continue;
      for (std::size_t j = 0; j < runs_.size(); ++j)
        if (std::ranges::equal(runs_[j], piece.subspan(i, kRunBytes), {}, {}, masked))
          throw Error(Errc::engine, "run " + std::to_string(j) + " on rank " +
                                        std::to_string(world().rank()) + " in " + region);
    }
  }

  std::vector<std::array<std::byte, kRunBytes>> runs_;
  std::array<bool, 256> begins_{};
  Bytes piece_ = Bytes(std::size_t{1} << 20);
  std::size_t bytes_ = 0;
};

constexpr std::size_t kSecretBytes = 56;

// One format with its options. The secret is made when it is needed.
struct Way {
  const format::Codec& codec;
  format::OptionValues options;
  SecretKind kind;

  Way(const char* name, SecretKind of, std::initializer_list<std::pair<const char*, const char*>> values)
      : codec(*format::find_codec(name)), options(codec.options), kind(of) {
    for (const auto& [option, value] : values) options.set(option, value);
  }
};

void by_all_ranks(const Way& way, core::Direction direction, const Directory& directory) {
  const auto engine = engine::make("cpu", {.threads = 1});
  const FileJob job{.engine = *engine, .input = directory.file("in"), .output = directory.file("out")};
  run_file(world(), job, [&]() -> FilePlan {
    const SecretBytes given = secret(kSecretBytes);
    const format::AskSecret ask(way.kind, given);
    const auto source = stream::open_file(job.input);
    const format::Units& units = *way.codec.units;
    if (direction == core::Direction::encrypt)
      return {&way.codec, units.plan_seal(source->size_bytes().value(), {way.options, ask})};
    const auto nowhere = stream::discard();
    format::Opened opened;
    return {&way.codec, units.plan_open({*engine, *source, *nowhere}, {way.options, ask, true}, opened)};
  });
}

void write_encrypted(const Way& way, const std::string& file) {
  const auto engine = engine::make("cpu", {.threads = 1});
  const Bytes plain = test::pattern(100'000);
  const SecretBytes given = secret(kSecretBytes);
  stream::MemorySource source(plain);
  stream::MemorySink sink;
  way.codec.seal({*engine, source, sink}, {way.options, {way.kind, given}});
  test::write_file(file, sink.take());
}

// On rank 0, `add` adds the secrets that it knows.
void expect_nothing_left(const std::function<void(Search&)>& add) {
  Search search;
  at_root(world(), [&] {
    search.add(secret(kSecretBytes));
    add(search);
  });
  search.share();
  EXPECT_EQ(failure_of([&] { together(world(), [&] { search.look(); }); }), "");
}

class Memory : public testing::Test {
 protected:
  void SetUp() override {
#ifdef FUGU_SANITIZED
    GTEST_SKIP() << "sanitizers keep what was freed, and map terabytes";
#endif
  }
};

TEST_F(Memory, HoldsNoRawKey) {
  const Directory directory;
  if (world().is_root()) test::write_file(directory.file("in"), test::pattern(3 << 20));
  by_all_ranks({"raw", SecretKind::key, {{"mode", "ctr"}, {"iv", "prefix"}}}, core::Direction::encrypt,
               directory);
  expect_nothing_left([](Search&) {});
}

TEST_F(Memory, HoldsNoKeyOfASealedFile) {
  const Directory directory;
  if (world().is_root()) test::write_file(directory.file("in"), test::pattern(3 << 20));
  by_all_ranks({"sealed", SecretKind::key, {}}, core::Direction::encrypt, directory);
  expect_nothing_left([&](Search& search) {
    const format::SealedHeader header = format::parse_sealed_header(test::read_file(directory.file("out")));
    const SecretBytes given = secret(kSecretBytes);
    const format::SealedKeys keys = format::unlock_sealed(header, {format::SealedSlot::key, given});
    search.add(keys.prk);
  });
}

TEST_F(Memory, HoldsNoPassphraseAndNothingDerivedFromIt) {
  const Directory directory;
  const Way way("openssl", SecretKind::passphrase,
                {{"cipher", "bf-cbc"}, {"md", "sha256"}, {"no-pbkdf2", ""}});
  if (world().is_root()) write_encrypted(way, directory.file("in"));
  by_all_ranks(way, core::Direction::decrypt, directory);
  expect_nothing_left([&](Search& search) {
    const Bytes head = test::read_file(directory.file("in"));
    search.add(auth::bytes_to_key("sha256", secret(kSecretBytes), std::span(head).subspan(8, 8), 24));
  });
}

}  // namespace
}  // namespace fugu::distributed
