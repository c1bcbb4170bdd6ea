// Compares files that all ranks write or read with those of one process: every format that works in parts,
// sizes around segments, and failures.
#include "fugu/distributed/files.hpp"

#include <fcntl.h>

#include "distributed/support.hpp"
#include "fugu/distributed/detail/shared_output.hpp"
#include "fugu/distributed/detail/watch.hpp"
#include "fugu/distributed/values.hpp"
#include "fugu/format/sealed/sealed.hpp"
#include "fugu/stream/memory.hpp"
#include "support/files.hpp"
#include "support/made_engine.hpp"

namespace fugu::distributed {
namespace {

namespace fs = std::filesystem;
using format::SecretKind;
using Bytes = std::vector<std::byte>;
using Options = std::vector<std::pair<std::string, std::string>>;

constexpr std::size_t kUnit = std::size_t{1} << 20;  // the segment size of all formats here
constexpr std::size_t kSizes[] = {0,         1,         8,         kUnit - 1,     kUnit,     kUnit + 1,
                                  2 * kUnit, 3 * kUnit, 4 * kUnit, 5 * kUnit - 8, 5 * kUnit, 5 * kUnit + 1};

using test::read_file;
using test::write_file;

// One way to write files.
struct Way {
  std::string codec;
  Options options;
  SecretKind kind = SecretKind::key;
};

// The engine and random numbers of one process.
class One {
 public:
  explicit One(const Way& way)
      : codec(*format::find_codec(way.codec)),
        engine(engine::make("cpu", {.threads = 1})),
        secret(std::as_bytes(std::span(std::string_view("a secret of 24 letters..")))),
        options(codec.options),
        ask(way.kind, secret) {
    for (const auto& [name, value] : way.options) options.set(name, value);
  }

  Bytes seal(std::span<const std::byte> plain) {
    stream::MemorySource source(plain);
    stream::MemorySink sink;
    codec.seal({*engine, source, sink}, {options, ask});
    return sink.take();
  }

  const format::Codec& codec;
  std::unique_ptr<engine::Engine> engine;
  auth::SecretBytes secret;
  format::OptionValues options;
  format::AskSecret ask;
};

FileJob job_of(One& one, const std::string& input, const std::string& output) {
  return {.engine = *one.engine, .input = input, .output = output, .processors = 2, .least_range_bytes = 1};
}

void encrypt_file(One& one, const std::string& input, const std::string& output) {
  run_file(world(), job_of(one, input, output), [&]() -> FilePlan {
    return {&one.codec, one.codec.units->plan_seal(fs::file_size(input), {one.options, one.ask})};
  });
}

void decrypt_file(One& one, const FileJob& job) {
  run_file(world(), job, [&]() -> FilePlan {
    const auto source = stream::open_file(job.input);
    const auto nowhere = stream::discard();
    format::Opened opened;
    format::UnitPlan plan =
        one.codec.units->plan_open({*one.engine, *source, *nowhere}, {one.options, one.ask, true}, opened);
    return {&one.codec, std::move(plan)};
  });
}

const std::string kIv = "0123456789abcdef";

// ---- encryption ----

Bytes sealed_by_one(One& one, std::span<const std::byte> made, std::span<const std::byte> plain) {
  const format::SealedHeader header = format::parse_sealed_header(made);
  const format::SealedKeys keys = format::unlock_sealed(header, {format::SealedSlot::key, one.secret});
  stream::MemorySource source(plain);
  stream::MemorySink sink;
  sink.write(header.bytes);
  format::run_all({*one.engine, source, sink}, format::sealed_work(core::Direction::encrypt, header, keys));
  return sink.take();
}

// Encrypts `plain` again by one process, with the random numbers at the beginning of `made`.
Bytes again(const Way& way, std::span<const std::byte> made, std::span<const std::byte> plain) {
  Way same = way;
  std::size_t header = 0;
  if (way.codec == "sealed") {
    One one(way);
    return sealed_by_one(one, made, plain);
  }
  if (way.codec == "openssl") {
    header = 16;
    same.options.push_back({"salt", test::hex_of(made.subspan(8, 8))});
  }
  for (auto& [name, value] : same.options) {
    if (name != "iv" || value != "prefix") continue;
    header = 8;
    value = test::hex_of(made.first(8));
  }
  Bytes whole(made.begin(), made.begin() + static_cast<std::ptrdiff_t>(header));
  const Bytes rest = One(same).seal(plain);
  whole.insert(whole.end(), rest.begin(), rest.end());
  return whole;
}

// Calls each(way, one, plain, directory) for all sizes of files.
template <class Each>
void for_each_size(std::span<const Way> ways, Each each) {
  const Directory directory;
  for (const Way& way : ways) {
    for (const std::size_t size : kSizes) {
      SCOPED_TRACE(way.codec + (way.options.empty() ? "" : " " + way.options.front().second) + ", " +
                   std::to_string(size) + " bytes");
      One one(way);
      each(way, one, test::pattern(size), directory);
      if (world().is_root()) fs::remove(directory.file("out"));
    }
  }
}

TEST(Files, EncryptionIsWhatOneProcessWrites) {
  const Way ways[] = {
      {"sealed", {}},
      {"raw", {{"mode", "ecb"}}},
      {"raw", {{"mode", "ecb"}, {"pad", "zero"}, {"words", "le"}}},
      {"raw", {{"mode", "ctr"}, {"iv", kIv}}},
      {"raw", {{"mode", "ctr"}, {"iv", "fffffffffffffffe"}, {"counter", "le"}}},
      {"raw", {{"mode", "ctr"}, {"iv", "prefix"}}},
      {"raw", {{"mode", "ctr"}, {"iv", kIv}, {"pad", "x923"}, {"key-hash", "sha1"}}},
      {"openssl", {{"cipher", "bf-ecb"}, {"no-pbkdf2", ""}}, SecretKind::passphrase},
  };
  for_each_size(ways, [](const Way& way, One& one, const Bytes& plain, const Directory& directory) {
    if (world().is_root()) write_file(directory.file("plain"), plain);
    EXPECT_EQ(failure_of([&] { encrypt_file(one, directory.file("plain"), directory.file("out")); }), "");
    if (!world().is_root()) return;
    const Bytes made = read_file(directory.file("out"));
    EXPECT_TRUE(made == again(way, made, plain));
  });
}

// ---- decryption ----

TEST(Files, DecryptionGivesThePlaintext) {
  const Way ways[] = {
      {"sealed", {}},
      {"raw", {{"mode", "ecb"}}},
      {"raw", {{"mode", "cbc"}, {"iv", kIv}}},
      {"raw", {{"mode", "cbc"}, {"iv", "prefix"}, {"words", "le"}}},
      {"raw", {{"mode", "cfb"}, {"iv", kIv}, {"pad", "pkcs7"}}},
      {"raw", {{"mode", "cbc"}, {"iv", "encrypted-zero"}, {"pad", "residual"}}},
      {"raw", {{"mode", "cfb"}, {"iv", kIv}}},
      {"raw", {{"mode", "ctr"}, {"iv", "prefix"}}},
      {"openssl", {{"cipher", "bf-cbc"}, {"md", "sha256"}, {"no-pbkdf2", ""}}, SecretKind::passphrase},
      {"openssl", {{"cipher", "bf-cfb"}, {"md", "sha256"}, {"no-pbkdf2", ""}}, SecretKind::passphrase},
      {"openssl",
       {{"cipher", "bf-ecb"}, {"md", "sha256"}, {"no-pbkdf2", ""}, {"nosalt", ""}},
       SecretKind::passphrase},
  };
  for_each_size(ways, [](const Way&, One& one, const Bytes& plain, const Directory& directory) {
    if (world().is_root()) write_file(directory.file("in"), one.seal(plain));
    const FileJob job = job_of(one, directory.file("in"), directory.file("out"));
    EXPECT_EQ(failure_of([&] { decrypt_file(one, job); }), "");
    if (world().is_root()) {
      EXPECT_TRUE(read_file(directory.file("out")) == plain);
    }
  });
}

TEST(Files, RangesMayHoldSeveralChunks) {
  const Directory directory;
  const Bytes plain = test::pattern(5 * kUnit + 1);
  One one({"raw", {{"mode", "ctr"}, {"iv", kIv}}});
  if (world().is_root()) write_file(directory.file("in"), one.seal(plain));
  FileJob job = job_of(one, directory.file("in"), directory.file("out"));
  job.chunk_bytes = std::size_t{64} << 10;
  EXPECT_EQ(failure_of([&] { decrypt_file(one, job); }), "");
  EXPECT_TRUE(read_file(directory.file("out")) == plain);
}

// ---- values ----

// Each rank writes two parts, of several pieces, and the later one first.
TEST(Values, PartsOfAnySizeAndOrderMakeOneFile) {
  constexpr std::size_t kPart = (std::size_t{4} << 20) + 5;
  const Directory directory;
  const auto ranks = static_cast<std::size_t>(world().size());
  const auto rank = static_cast<std::size_t>(world().rank());
  const Bytes all = test::pattern(2 * ranks * kPart);
  std::vector<FilePart> parts;
  for (const std::size_t part : {ranks + rank, rank})
    parts.push_back({part * kPart, std::span(all).subspan(part * kPart, kPart)});
  EXPECT_EQ(failure_of([&] { write_parts(world(), directory.file("out"), {}, parts); }), "");
  EXPECT_TRUE(read_file(directory.file("out")) == all);
  Bytes mine(kPart);
  EXPECT_EQ(failure_of([&] { read_part(world(), directory.file("out"), rank * kPart, mine); }), "");
  EXPECT_TRUE(std::ranges::equal(mine, std::span(all).subspan(rank * kPart, kPart)));
  EXPECT_EQ(failure_of([&] { read_part(world(), directory.file("out"), all.size() - 1, mine); }),
            expected(Errc::io, "became shorter while it was read"));
}

// ---- ranges ----

TEST(Ranges, HoldEachUnitOnce) {
  for (const unsigned ranks : {1u, 2u, 3u, 7u, 64u}) {
    for (const std::uint64_t units : {0u, 1u, 2u, 6u, 63u, 64u, 65u, 1000u, 4097u}) {
      for (const std::uint64_t least : {0u, 1u, 5u, 32u, 5000u}) {
        SCOPED_TRACE(std::to_string(units) + " units, " + std::to_string(ranks) + " ranks, at least " +
                     std::to_string(least));
        std::uint64_t next = 0;
        for (const UnitRange& range : ranges_of(units, least, ranks)) {
          EXPECT_EQ(range.first, next);
          EXPECT_TRUE(range.end > range.first || units == 0);
          next = range.end;
        }
        EXPECT_EQ(next, units);
      }
    }
  }
}

TEST(Ranges, AreAnEqualShareAtMost) {
  const auto sizes = [](std::uint64_t units, std::uint64_t least, unsigned ranks) {
    std::vector<std::uint64_t> found;
    for (const UnitRange& range : ranges_of(units, least, ranks)) found.push_back(range.end - range.first);
    return found;
  };
  using Sizes = std::vector<std::uint64_t>;
  EXPECT_EQ(sizes(6, 32, 4), (Sizes{2, 2, 1, 1}));
  EXPECT_EQ(sizes(256, 32, 2), (Sizes{64, 64, 32, 32, 32, 32}));
  EXPECT_EQ(sizes(100, 7, 3), (Sizes{16, 16, 16, 8, 8, 8, 7, 7, 7, 3, 2, 2}));
  EXPECT_EQ(sizes(1000, 1, 1), Sizes{1000});
}

// ---- failures ----

TEST(Agree, TheWorstFailureIsThatOfEveryRank) {
  const int last = world().size() - 1;
  const auto fail = [&](int rank, Errc code) {
    if (world().rank() == rank) throw Error(code, "rank " + std::to_string(rank));
  };
  const std::string said = failure_of([&] {
    together(world(), [&] {
      fail(last, Errc::damaged);  // status 4
      fail(0, Errc::io);          // status 2
    });
  });
  EXPECT_EQ(said, expected(Errc::damaged, "rank " + std::to_string(last)));
  const std::string first = failure_of([&] {
    together(world(), [&] {
      for (int rank = last; rank >= 0; --rank) fail(rank, Errc::io);
    });
  });
  EXPECT_EQ(first, expected(Errc::io, "rank 0"));
  EXPECT_EQ(failure_of([&] { together(world(), [] {}); }), "");
  EXPECT_FALSE(is_agreed(Error(Errc::io, "of one rank")));
}

// Expects that a decryption fails as `wanted` says on every rank, and compares what is in the directory then.
class Failing {
 public:
  Failing() : one_({"sealed", {}}) {
    if (world().is_root()) sealed_ = one_.seal(test::pattern(5 * kUnit + 1));
  }

  void expect(const std::string& wanted, const std::function<void(Bytes&)>& damage,
              const std::function<void(FileJob&)>& change = {}) {
    if (world().is_root()) {
      Bytes bytes = sealed_;
      damage(bytes);
      write_file(directory_.file("in"), bytes);
    }
    FileJob job = job_of(one_, directory_.file("in"), directory_.file("out"));
    if (change) change(job);
    EXPECT_EQ(failure_of([&] { decrypt_file(one_, job); }), wanted);
    MPI_Barrier(world().get());
    EXPECT_EQ(directory_.names(), names_);
    MPI_Barrier(world().get());
  }

  const Directory& directory() const { return directory_; }
  void allow(const std::string& name) { names_.push_back(name); }

 private:
  One one_;
  Directory directory_;
  Bytes sealed_;
  std::vector<std::string> names_{"in"};
};

TEST(Files, DamageIsToldAsOneProcessTellsIt) {
  constexpr std::size_t kStored = kUnit + 16;
  constexpr std::size_t kHeader = 148;
  Failing failing;
  failing.expect(expected(Errc::damaged, "segment 3 (bytes 3145728-4194303) failed authentication"),
                 [](Bytes& bytes) { bytes[kHeader + 3 * kStored + 5] ^= std::byte{1}; });
  failing.expect(expected(Errc::damaged, "segment 0 (bytes 0-1048575) failed authentication"),
                 [](Bytes& bytes) { bytes[kHeader] ^= std::byte{1}; });
  failing.expect(expected(Errc::damaged, "file ends early after segment 4: it was truncated"),
                 [](Bytes& bytes) { bytes.resize(kHeader + 5 * kStored); });
  failing.expect(expected(Errc::damaged, "file ends early, before its first segment: it was truncated"),
                 [](Bytes& bytes) { bytes.resize(kHeader); });
  failing.expect(expected(Errc::damaged, "the secret fits, but the header is damaged (tag)"),
                 [](Bytes& bytes) { bytes[kHeader - 1] ^= std::byte{1}; });
  failing.expect(expected(Errc::wrong_key, "wrong passphrase or key, or a damaged header"),
                 [](Bytes& bytes) { bytes[kHeader - 1] ^= std::byte{1}, bytes[kHeader] ^= std::byte{1}; });
}

TEST(Files, ARankThatCannotReadEndsAll) {
  Failing failing;
  failing.expect(
      expected(Errc::io, "cannot open: No such file or directory"), [](Bytes&) {},
      [](FileJob& job) {
        if (world().rank() == world().size() - 1) job.input += ".missing";
      });
}

TEST(Files, AnOutputThatExistsStays) {
  Failing failing;
  if (world().is_root()) write_file(failing.directory().file("out"), test::pattern(3));
  failing.allow("out");
  failing.expect("output " + expected(Errc::io, "exists; not overwritten (use ⟦f⟧)"), [](Bytes&) {});
  EXPECT_TRUE(read_file(failing.directory().file("out")) == test::pattern(3));
}

// Without a lock, NFS would write whole pages where the parts of two machines meet.
TEST(Files, EachRankLocksLessThanTheOutput) {
  const Directory directory;
  SharedOutput output(world(), directory.file("out"), {});
  MPI_Barrier(world().get());
  const std::string temporary = directory.file(directory.names().at(0));
  const stream::Descriptor file(::open(temporary.c_str(), O_RDWR | O_CLOEXEC));
  for (int rank = 0; rank <= world().size(); ++rank) {
    struct flock byte {};
    byte.l_type = F_WRLCK;
    byte.l_start = rank;
    byte.l_len = 1;
    ASSERT_EQ(::fcntl(file.get(), F_OFD_GETLK, &byte), 0);
    EXPECT_EQ(byte.l_type, rank < world().size() ? F_WRLCK : F_UNLCK) << rank;
  }
  MPI_Barrier(world().get());
  output.commit(0);
}

// The first call fails on one rank.
TEST(Files, ARankWhoseEngineFailsEndsAll) {
  for (int rank = 0; rank < world().size(); ++rank) {
    Failing failing;
    const std::shared_ptr<engine::Engine> inner = engine::make("cpu", {.threads = 1});
    // Only six ranks have segments. The engines of the others are never called.
    if (rank >= 6) break;
    test::MadeEngine broken([](auto&, auto, auto) { throw Error(Errc::engine, "broken on purpose"); }, inner);
    One one({"sealed", {}});
    if (world().is_root()) write_file(failing.directory().file("in"), one.seal(test::pattern(5 * kUnit + 1)));
    engine::Engine& mine = world().rank() == rank ? static_cast<engine::Engine&>(broken) : *inner;
    const FileJob job{
        .engine = mine, .input = failing.directory().file("in"), .output = failing.directory().file("out")};
    EXPECT_EQ(failure_of([&] { decrypt_file(one, job); }), expected(Errc::engine, "broken on purpose"));
    MPI_Barrier(world().get());
    EXPECT_EQ(failing.directory().names(), std::vector<std::string>{"in"});
  }
}

}  // namespace
}  // namespace fugu::distributed
