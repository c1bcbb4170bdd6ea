// Files that threads process in units, in any order: the bytes, and the errors, are those of one thread.
#include "fugu/format/units.hpp"

#include <mutex>

#include "fugu/auth/reference.hpp"
#include "memory.hpp"
#include "sealed_support.hpp"
#include "support/made_engine.hpp"

namespace fugu::format {
namespace {

using auth::ReferenceBlowfish;
using auth::ReferenceMode;
using core::Direction;
using mode::Mode;

constexpr std::size_t kUnit = kAloneChunkBytes;  // of files that are not long
using test::kNever;

// Memory that is written at several places at a time.
class PartsSink final : public stream::Sink {
 public:
  // The part that begins at byte `fails_at` throws Error{io, "write fault"}.
  explicit PartsSink(std::uint64_t fails_at = kNever) : fails_at_(fails_at) {}

  void write(std::span<const std::byte> from) override { at_ += put(at_, from); }
  bool begin_parts(std::uint64_t) override { return true; }
  std::unique_ptr<Sink> part(std::uint64_t offset) override {
    ++parts;
    if (at_ + offset == fails_at_) throw Error(Errc::io, "write fault");
    return std::make_unique<Part>(*this, at_ + offset);
  }
  void advance(std::uint64_t by) override { at_ += by; }

  Bytes bytes;
  std::atomic<int> parts = 0;

 private:
  class Part final : public stream::Sink {
   public:
    Part(PartsSink& whole, std::uint64_t at) : whole_(whole), at_(at) {}
    void write(std::span<const std::byte> from) override { at_ += whole_.put(at_, from); }

   private:
    PartsSink& whole_;
    std::uint64_t at_;
  };

  std::size_t put(std::uint64_t at, std::span<const std::byte> from) {
    const std::lock_guard lock(mutex_);
    bytes.resize(std::max<std::size_t>(bytes.size(), at + from.size()));
    std::ranges::copy(from, bytes.begin() + static_cast<std::ptrdiff_t>(at));
    return from.size();
  }

  std::uint64_t fails_at_;
  std::mutex mutex_;
  std::uint64_t at_ = 0;
};

std::shared_ptr<engine::Engine> shared_four_threads() {
  static const std::shared_ptr<engine::Engine> engine = engine::make("cpu/scalar", {.threads = 4});
  return engine;
}

engine::Engine& four_threads() {
  return *shared_four_threads();
}

struct Result {
  Bytes bytes;
  int parts = 0;
};

Result in_units(std::span<const std::byte> input, const std::function<void(const Job&)>& work,
                engine::Engine& engine = four_threads()) {
  test::BytesSource source(input);
  PartsSink sink;
  work({engine, source, sink});
  return {std::move(sink.bytes), sink.parts};
}

const Bytes& key() {
  static const Bytes bytes = test::pattern(16);
  return bytes;
}

Bytes xored(Bytes bytes, std::span<const std::byte> with) {
  std::ranges::transform(bytes, with, bytes.begin(), [](std::byte a, std::byte b) { return a ^ b; });
  return bytes;
}

// What OpenSSL makes of it. It has no CTR mode of Blowfish: its ECB encrypts the counters.
Bytes reference(Mode mode, const Bytes& plaintext, const mode::Iv& iv) {
  if (mode == Mode::ctr) {
    Bytes stream((plaintext.size() + 7) / 8 * 8);
    for (std::size_t i = 0; i < stream.size(); i += 8)
      core::store_u64_big(stream.data() + i, core::load_u64_big(iv.data()) + i / 8);
    ReferenceBlowfish(ReferenceMode::ecb, true, key()).update(stream, stream);
    return xored(plaintext, stream);
  }
  const ReferenceMode theirs = mode == Mode::ecb   ? ReferenceMode::ecb
                               : mode == Mode::cbc ? ReferenceMode::cbc
                                                   : ReferenceMode::cfb64;
  Bytes padded = plaintext;
  if (mode::is_padded(mode))
    padded.insert(padded.end(), 8 - plaintext.size() % 8, std::byte(8 - plaintext.size() % 8));
  ReferenceBlowfish(theirs, true, key(), mode == Mode::ecb ? mode::Iv{} : iv).update(padded, padded);
  return padded;
}

void encrypt_ctr(engine::Engine& engine, stream::Source& source, stream::Sink& sink,
                 const std::stop_token& stop = {}) {
  run_cipher({engine, source, sink, 0, nullptr, nullptr, stop}, key(), {.mode = Mode::ctr, .iv = mode::Iv{}},
             Direction::encrypt);
}

Error failure_of(engine::Engine& engine, stream::Source& source, stream::Sink& sink,
                 const std::stop_token& stop = {}) {
  return error_of([&] { encrypt_ctr(engine, source, sink, stop); }).value();
}

TEST(Units, EveryModeAndSizeGivesOpensslsBytes) {
  mode::Iv iv;
  iv.fill(std::byte{0xff});  // the counter wraps
  for (const Mode mode : {Mode::ecb, Mode::cbc, Mode::cfb64, Mode::ctr}) {
    mode::Settings settings{.mode = mode};
    if (mode != Mode::ecb) settings.iv = iv;
    for (const std::size_t bytes : {2 * kUnit - 1, 2 * kUnit, 2 * kUnit + 1, 5 * kUnit, 5 * kUnit + 12345}) {
      const Bytes plaintext = test::pattern(bytes);
      const Bytes ciphertext = reference(mode, plaintext, iv);
      const auto with = [&](Direction direction) {
        return [&, direction](const Job& job) { run_cipher(job, key(), settings, direction); };
      };
      const Result encrypted = in_units(plaintext, with(Direction::encrypt));
      const Result decrypted = in_units(ciphertext, with(Direction::decrypt));
      EXPECT_TRUE(encrypted.bytes == ciphertext) << mode::name_of(mode) << " of " << bytes;
      EXPECT_TRUE(decrypted.bytes == plaintext) << mode::name_of(mode) << " of " << bytes;
      const bool chained = mode == Mode::cbc || mode == Mode::cfb64;
      EXPECT_EQ(encrypted.parts != 0, !chained && bytes > 2 * kUnit)
          << mode::name_of(mode) << " of " << bytes;
      EXPECT_EQ(decrypted.parts != 0, ciphertext.size() > 2 * kUnit)
          << mode::name_of(mode) << " of " << bytes;
    }
  }
}

TEST(Units, BeginWhereTheInputStands) {
  const Bytes plaintext = test::pattern(4 * kUnit + 100);
  mode::Settings settings{.mode = Mode::cbc, .iv = mode::Iv{}};
  const Bytes file = joined({test::pattern(12), reference(Mode::cbc, plaintext, {})});
  const Result result = in_units(file, [&](const Job& job) {
    Bytes head(12);
    ASSERT_EQ(job.source.read(head), head.size());
    job.sink.write(head);
    run_cipher(job, key(), settings, Direction::decrypt);
  });
  EXPECT_NE(result.parts, 0);
  EXPECT_TRUE(result.bytes == joined({test::pattern(12), plaintext}));
}

TEST(Units, AreNotUsedWhereOrderMatters) {
  const Bytes plaintext = test::pattern(5 * kUnit);
  const mode::Settings settings{.mode = Mode::ctr, .iv = mode::Iv{}};
  const auto parts = [&](Job job) {
    const auto& sink = dynamic_cast<PartsSink&>(job.sink);
    run_cipher(job, key(), settings, Direction::decrypt);
    EXPECT_TRUE(sink.bytes == reference(Mode::ctr, plaintext, {}));
    return sink.parts.load();
  };
  struct Deaf final : Watcher {
    void begin(const mode::Settings&, std::span<const std::byte>) override {}
    void chunk(std::span<const std::byte>, std::span<const std::byte>) override {}
  } watcher;
  for (const test::Seekable seekable : {test::Seekable::no, test::Seekable::yes}) {
    test::BytesSource source(plaintext, seekable);
    PartsSink sink;
    EXPECT_EQ(parts({four_threads(), source, sink}) != 0, seekable == test::Seekable::yes);
  }
  test::BytesSource watched(plaintext), in_chunks(plaintext), on_one_thread(plaintext), by_gpu(plaintext);
  PartsSink sinks[4];
  EXPECT_EQ(parts({four_threads(), watched, sinks[0], 0, nullptr, &watcher}), 0);
  EXPECT_EQ(parts({four_threads(), in_chunks, sinks[1], 64}), 0);
  EXPECT_EQ(parts({scalar_engine(), on_one_thread, sinks[2]}), 0);
  // It prefers calls that are too large for a thread's chunk, as a GPU does.
  test::MadeEngine gpu([](engine::Engine& good, engine::Op op, auto segments) { good.run(op, segments); },
                       shared_four_threads(), std::size_t{16} << 20);
  EXPECT_EQ(parts({gpu, by_gpu, sinks[3]}), 0);
}

TEST(Units, AreCounted) {
  const Bytes plaintext = test::pattern(5 * kUnit + 1);
  stream::PumpCounters counters;
  in_units(plaintext, [&](Job job) {
    job.counters = &counters;
    run_cipher(job, key(), {.mode = Mode::cbc, .iv = mode::Iv{}}, Direction::encrypt);
  });
  EXPECT_EQ(counters.bytes_read, plaintext.size());
  EXPECT_EQ(counters.bytes_written, plaintext.size() + 7);
}

TEST(Units, TheFirstErrorInTheFileComesOut) {
  const SealedSecret sealed_by = test::key();
  test::SealedBench bench(engine::make("cpu/scalar", {.threads = 1}));
  const Bytes plain = test::pattern(40 * kUnit);
  const Bytes file = bench.seal(plain, sealed_by, {.segment_log2 = 16});
  const auto open = [&](const Job& job) {
    const SealedHeader header = read_sealed_header(job.source);
    decrypt_sealed(job, header, unlock_sealed(header, sealed_by));
  };
  const Result whole = in_units(file, open);
  EXPECT_NE(whole.parts, 0);
  EXPECT_TRUE(whole.bytes == plain);
  const std::size_t header_bytes = file.size() - plain.size() - 16 * (plain.size() / 65536 + 1);
  for (const std::size_t first : {0u, 7u, 60u, 130u}) {
    Bytes damaged = file;
    for (std::size_t segment = first; segment < 160; segment += 3)
      damaged[header_bytes + segment * (65536 + 16)] ^= std::byte{1};
    const auto error = error_of([&] { in_units(damaged, open); });
    expect_error(Errc::damaged, "", error);
    EXPECT_EQ(error->text().find("segment " + std::to_string(first) + " ("), 0u) << error->text();
  }
  for (const std::size_t cut : {std::size_t{1}, std::size_t{16}, 20 * kUnit}) {
    const Bytes short_file = slice(file, 0, file.size() - cut);
    EXPECT_EQ(code_of([&] { in_units(short_file, open); }), Errc::damaged) << cut;
  }
}

// Every part fails, that of the file's beginning last.
class BeginningFailsLast final : public stream::Sink {
 public:
  void write(std::span<const std::byte>) override {}
  bool begin_parts(std::uint64_t) override { return true; }
  std::unique_ptr<stream::Sink> part(std::uint64_t offset) override {
    if (offset != 0) {
      failed_ = true;
      failed_.notify_all();
      throw Error(Errc::io, "later");
    }
    failed_.wait(false);
    throw Error(Errc::io, "beginning");
  }

 private:
  std::atomic<bool> failed_ = false;
};

TEST(Units, TheFirstErrorInTheFileComesOutThoughItIsTheLastInTime) {
  const Bytes plaintext = test::pattern(4 * kUnit);
  for (int run = 0; run < 20; ++run) {
    test::BytesSource source(plaintext);
    BeginningFailsLast sink;
    EXPECT_EQ(failure_of(four_threads(), source, sink).text(), "beginning");
  }
}

TEST(Units, SealedFilesAreThoseOfOneThread) {
  const SealedSecret sealed_by = test::key();
  test::SealedBench bench(engine::make("cpu/scalar", {.threads = 1}));
  for (const unsigned segment_log2 : {16u, 17u, 20u, 21u, 22u}) {
    if (test::kSanitized && (segment_log2 == 17 || segment_log2 == 20)) continue;
    for (const std::size_t bytes : {12 * kUnit, 12 * kUnit + 1, 33 * kUnit - 1}) {
      if (test::kSanitized && bytes == 12 * kUnit) continue;
      const Bytes plain = test::pattern(bytes);
      const Result sealed = in_units(
          plain, [&](const Job& job) { encrypt_sealed(job, sealed_by, {.segment_log2 = segment_log2}); });
      EXPECT_EQ(sealed.parts != 0, bytes >> segment_log2 >= 3 && segment_log2 < 22)
          << segment_log2 << ' ' << bytes;
      const test::Opened opened = bench.open(sealed.bytes, sealed_by);
      ASSERT_TRUE(opened.ok()) << opened.error->text();
      EXPECT_TRUE(opened.released == plain);
    }
  }
}

TEST(Units, AFailureToWriteComesOut) {
  const Bytes plaintext = test::pattern(6 * kUnit);
  test::BytesSource source(plaintext);
  PartsSink sink(3 * kUnit);
  EXPECT_EQ(failure_of(four_threads(), source, sink).text(), "write fault");
}

TEST(Units, EndSoonAfterARequestToStop) {
  const Bytes plaintext = test::pattern(100 * kUnit);
  std::stop_source stop;
  std::atomic<int> calls = 0;
  test::MadeEngine engine(
      [&](engine::Engine& good, engine::Op op, auto segments) {
        if (++calls == 3) stop.request_stop();
        good.run(op, segments);
      },
      shared_four_threads(), std::size_t{1} << 20);
  test::BytesSource source(plaintext);
  PartsSink sink;
  EXPECT_EQ(failure_of(engine, source, sink, stop.get_token()).code(), Errc::interrupted);
  EXPECT_LT(sink.parts, 50);
}

// A file whose size changes while it is read.
class Changing final : public stream::Source {
 public:
  Changing(std::span<const std::byte> bytes, std::uint64_t claimed) : inner_(bytes), claimed_(claimed) {}

  std::size_t read(std::span<std::byte> into) override { return inner_.read(into); }
  std::optional<std::uint64_t> size_bytes() const override { return claimed_; }
  bool read_at(std::span<std::byte> into, std::uint64_t offset) override {
    return inner_.read_at(into, offset);
  }
  std::optional<std::uint64_t> offset() override { return inner_.offset(); }
  void advance(std::uint64_t bytes) override { inner_.advance(bytes); }

 private:
  stream::MemorySource inner_;
  std::uint64_t claimed_;
};

TEST(Units, GrownFilesAreReadToTheirEndAndShrunkOnesAreErrors) {
  const Bytes plaintext = test::pattern(6 * kUnit + 5);
  Changing longer(plaintext, 4 * kUnit), shorter(plaintext, 9 * kUnit);
  PartsSink grown, shrunk;
  encrypt_ctr(four_threads(), longer, grown);
  EXPECT_NE(grown.parts, 0);
  EXPECT_TRUE(grown.bytes == reference(Mode::ctr, plaintext, {}));
  const Error error = failure_of(four_threads(), shorter, shrunk);
  EXPECT_EQ(error.code(), Errc::io);
  EXPECT_EQ(error.text(), "became shorter while it was read");
}

}  // namespace
}  // namespace fugu::format
