// The pump: every size around the chunk borders, order, `last`, and errors from every side at every place.
#include "fugu/stream/pump.hpp"

#include "stream/scratch.hpp"

namespace fugu::stream {
namespace {

constexpr std::size_t kChunkBytes = 64;
constexpr std::size_t kReserveBytes = 8;

class Ring {
 public:
  explicit Ring(std::size_t chunks, std::size_t chunk_bytes = kChunkBytes,
                std::size_t reserve = kReserveBytes)
      : memory_(chunks, Bytes(chunk_bytes + reserve)) {
    for (Bytes& chunk : memory_) spans_.emplace_back(chunk);
  }
  std::span<const std::span<std::byte>> spans() const { return spans_; }

 private:
  std::vector<Bytes> memory_;
  std::vector<std::span<std::byte>> spans_;
};

const PumpOptions kOptions{.reserve_bytes = kReserveBytes, .counters = nullptr};

std::size_t unchanged(std::span<std::byte>, std::size_t bytes, bool) {
  return bytes;
}

// Complements each byte, and appends kReserveBytes of 0xaa to the last chunk.
std::size_t complement(std::span<std::byte> chunk, std::size_t bytes, bool last) {
  for (std::byte& b : chunk.first(bytes)) b = ~b;
  if (!last) return bytes;
  std::fill_n(chunk.begin() + static_cast<std::ptrdiff_t>(bytes), kReserveBytes, std::byte{0xaa});
  return bytes + kReserveBytes;
}

TEST(Pump, EverySizeAroundTheChunkBorders) {
  for (const std::size_t chunks : std::initializer_list<std::size_t>{2, 3, 4, 6}) {
    for (std::size_t k = 0; k <= 9; ++k) {
      for (const int off : {-9, -8, -1, 0, 1, 8, 9}) {
        const std::ptrdiff_t bytes = static_cast<std::ptrdiff_t>(k * kChunkBytes) + off;
        if (bytes < 0) continue;
        Bytes expected = pattern(static_cast<std::size_t>(bytes));
        FaultySource source(expected);
        for (std::byte& b : expected) b = ~b;
        expected.insert(expected.end(), kReserveBytes, std::byte{0xaa});
        BytesSink sink;
        pump(source, sink, Ring(chunks).spans(), complement, kOptions);
        ASSERT_EQ(sink.bytes, expected) << chunks << " chunks, " << bytes << " bytes";
        ASSERT_EQ(sink.finished, 1);
      }
    }
  }
}

class Sized final : public Source {
 public:
  Sized(Bytes bytes, std::optional<std::uint64_t> claimed) : inner_(std::move(bytes)), claimed_(claimed) {}

  std::size_t read(std::span<std::byte> into) override { return inner_.read(into); }
  std::optional<std::uint64_t> size_bytes() const override { return claimed_; }

 private:
  FaultySource inner_;
  std::optional<std::uint64_t> claimed_;
};

const PumpOptions kAlone{.reserve_bytes = kReserveBytes, .alone = true};

TEST(Pump, AloneEverySizeGoesThroughOneChunkOnThisThread) {
  const std::thread::id here = std::this_thread::get_id();
  for (std::size_t bytes = 1; bytes <= 3 * kChunkBytes + 1; ++bytes) {
    Bytes expected = pattern(bytes);
    Sized source(expected, bytes);
    for (std::byte& b : expected) b = ~b;
    expected.insert(expected.end(), kReserveBytes, std::byte{0xaa});
    BytesSink sink;
    sink.before_write = [&] { EXPECT_EQ(std::this_thread::get_id(), here); };
    pump(source, sink, Ring(1).spans(), complement, kAlone);
    ASSERT_EQ(sink.bytes, expected) << bytes;
    ASSERT_EQ(sink.finished, 1);
  }
}

TEST(Pump, AloneItNeedsTheSizeAndAllOfTheInput) {
  const auto failure = [&](std::optional<std::uint64_t> claimed) {
    Sized source(pattern(100), claimed);
    BytesSink sink;
    return error_of([&] { pump(source, sink, Ring(1).spans(), unchanged, kAlone); });
  };
  EXPECT_EQ(failure(std::nullopt).code(), Errc::usage);
  EXPECT_EQ(failure(0).code(), Errc::usage);
  EXPECT_EQ(failure(101).code(), Errc::io);
}

TEST(Pump, ChunksAreFullAndOneIsLast) {
  for (std::size_t bytes = 0; bytes <= 5 * kChunkBytes; ++bytes) {
    FaultySource source(pattern(bytes));
    BytesSink sink;
    std::vector<std::size_t> sizes;
    int lasts = 0;
    bool last_was_last = false;
    pump(
        source, sink, Ring(3).spans(),
        [&](std::span<std::byte> chunk, std::size_t size, bool last) {
          EXPECT_EQ(chunk.size(), kChunkBytes + kReserveBytes);
          sizes.push_back(size);
          lasts += last ? 1 : 0;
          last_was_last = last;
          return size;
        },
        kOptions);
    std::vector<std::size_t> expected(bytes / kChunkBytes, kChunkBytes);
    if (bytes % kChunkBytes != 0 || bytes == 0) expected.push_back(bytes % kChunkBytes);
    ASSERT_EQ(sizes, expected) << bytes;
    ASSERT_EQ(lasts, 1) << bytes;
    ASSERT_TRUE(last_was_last) << bytes;
  }
}

TEST(Pump, CountsBytes) {
  PumpCounters counters;
  FaultySource source(pattern(1000));
  BytesSink sink;
  pump(source, sink, Ring(3).spans(), complement, {.reserve_bytes = kReserveBytes, .counters = &counters});
  EXPECT_EQ(counters.bytes_read, 1000u);
  EXPECT_EQ(counters.bytes_written, 1000u + kReserveBytes);
}

TEST(Pump, SlowSidesKeepTheOrder) {
  const auto dawdle = [] { std::this_thread::sleep_for(std::chrono::microseconds(300)); };
  const Bytes bytes = pattern(50 * kChunkBytes + 5);
  for (int slow = 0; slow < 3; ++slow) {
    FaultySource source(bytes);
    BytesSink sink;
    if (slow == 0) source.before_read = dawdle;
    if (slow == 2) sink.before_write = dawdle;
    pump(
        source, sink, Ring(4).spans(),
        [&](std::span<std::byte>, std::size_t size, bool) {
          if (slow == 1) dawdle();
          return size;
        },
        kOptions);
    EXPECT_EQ(sink.bytes, bytes) << slow;
  }
}

// A worker of its own prepares each chunk. The ordered stage follows.
TEST(Pump, WorkersPrepareChunksSeveralAtATime) {
  for (const unsigned workers : {1u, 2u, 3u, 5u}) {
    for (std::size_t bytes = 0; bytes <= 9 * kChunkBytes; bytes += kChunkBytes / 2) {
      const Bytes plain = pattern(bytes);
      Bytes expected = plain;
      for (std::byte& b : expected) b = ~b;
      FaultySource source(plain);
      BytesSink sink;
      std::size_t worked = 0;
      std::atomic<std::uint64_t> prepared = 0;
      PumpOptions options = kOptions;
      options.workers = workers;
      options.parallel = [&](std::span<std::byte> chunk, std::size_t size, std::uint64_t index, bool last) {
        EXPECT_EQ(last, index == (bytes == 0 ? 0 : (bytes - 1) / kChunkBytes));
        for (std::byte& b : chunk.first(size)) b = ~b;
        ++prepared;
      };
      const auto work = [&](std::span<std::byte> chunk, std::size_t size, bool) {
        if (size != 0) {
          EXPECT_EQ(~chunk[0], plain[worked * kChunkBytes]);
        }
        ++worked;
        return size;
      };
      pump(source, sink, Ring(3 + workers).spans(), work, options);
      EXPECT_EQ(sink.bytes, expected) << workers << " workers, " << bytes << " bytes";
      EXPECT_EQ(prepared, worked);
    }
  }
}

// Chunk 3 fails before chunk 2 does, but the error is that of chunk 2.
TEST(Pump, ParallelStagesFailInTheOrderOfTheChunks) {
  for (const unsigned workers : {1u, 2u, 3u}) {
    FaultySource source(pattern(20 * kChunkBytes));
    BytesSink sink;
    PumpOptions options = kOptions;
    options.workers = workers;
    options.parallel = [&](std::span<std::byte>, std::size_t, std::uint64_t index, bool) {
      if (index == 2) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      if (index >= 2) throw Error(Errc::damaged, "chunk " + std::to_string(index));
    };
    const Error error = error_of([&] { pump(source, sink, Ring(6).spans(), unchanged, options); });
    EXPECT_EQ(error.text(), "chunk 2");
    EXPECT_LE(sink.bytes.size(), 2 * kChunkBytes);
    EXPECT_EQ(sink.finished, 0);
  }
}

// Faults occur in the first chunk, in one in the middle, and in the last.
constexpr std::uint64_t kPlaces[] = {0, 5 * kChunkBytes + 3, 10 * kChunkBytes};
constexpr std::size_t kFaultyBytes = 10 * kChunkBytes + 1;

TEST(Pump, ErrorsOfEachStageComeOut) {
  for (const std::string stage : {"read", "work", "write"}) {
    for (const std::uint64_t place : kPlaces) {
      FaultySource source(pattern(kFaultyBytes), stage == "read" ? place : kNever);
      BytesSink sink(stage == "write" ? place : kNever);
      std::uint64_t at = 0;
      const auto work = [&](std::span<std::byte>, std::size_t size, bool) {
        if (stage == "work" && place >= at && place < at + size) throw Error(Errc::damaged, "work fault");
        at += size;
        return size;
      };
      const Error error = error_of([&] { pump(source, sink, Ring(3).spans(), work, kOptions); });
      EXPECT_EQ(error.text(), stage + " fault") << place;
      EXPECT_EQ(error.code(), stage == "work" ? Errc::damaged : Errc::io);
      EXPECT_EQ(sink.finished, 0);
      EXPECT_LE(sink.bytes.size(), place);
    }
  }
}

TEST(Pump, FinishErrorsComeOut) {
  for (const std::size_t bytes : std::initializer_list<std::size_t>{0, 1, kChunkBytes, 10 * kChunkBytes}) {
    FaultySource source(pattern(bytes));
    BytesSink sink;
    sink.fails_in_finish = true;
    const Error error = error_of([&] { pump(source, sink, Ring(3).spans(), unchanged, kOptions); });
    EXPECT_EQ(error.text(), "finish fault") << bytes;
  }
}

TEST(Pump, OtherExceptionsPassUnchanged) {
  FaultySource source(pattern(kFaultyBytes));
  source.before_read = [] { throw std::range_error("of the caller"); };
  BytesSink sink;
  EXPECT_THROW(pump(source, sink, Ring(3).spans(), unchanged, kOptions), std::range_error);
}

TEST(Pump, ConcurrentErrorsGiveOneOfThem) {
  for (int i = 0; i < 200; ++i) {
    FaultySource source(pattern(kFaultyBytes), 6 * kChunkBytes);
    BytesSink sink(3 * kChunkBytes);
    int chunk = 0;
    const auto work = [&](std::span<std::byte>, std::size_t size, bool) {
      if (++chunk == 4) throw Error(Errc::damaged, "work fault");
      return size;
    };
    const Error error = error_of([&] { pump(source, sink, Ring(4).spans(), work, kOptions); });
    EXPECT_TRUE(error.text() == "work fault" || error.text() == "write fault" || error.text() == "read fault")
        << error.text();
  }
}

TEST(Pump, WorkThatOverflowsItsChunkIsRefused) {
  for (const std::size_t bytes : std::initializer_list<std::size_t>{1, kFaultyBytes}) {
    FaultySource source(pattern(bytes));
    BytesSink sink;
    const auto work = [](std::span<std::byte> chunk, std::size_t, bool) { return chunk.size() + 1; };
    EXPECT_EQ(error_of([&] { pump(source, sink, Ring(3).spans(), work, kOptions); }).code(), Errc::usage);
    EXPECT_TRUE(sink.bytes.empty());
  }
}

TEST(Pump, RingsThatCannotWorkAreRefused) {
  FaultySource source(pattern(10));
  BytesSink sink;
  const auto code = [&](const Ring& ring) {
    return error_of([&] { pump(source, sink, ring.spans(), unchanged, kOptions); }).code();
  };
  EXPECT_EQ(code(Ring(1)), Errc::usage);
  EXPECT_EQ(code(Ring(3, 0)), Errc::usage);
  EXPECT_EQ(code(Ring(3, 63)), Errc::usage);
  Bytes small(64);
  Bytes large(72);
  const std::span<std::byte> uneven[] = {small, large};
  EXPECT_EQ(error_of([&] { pump(source, sink, uneven, unchanged, kOptions); }).code(), Errc::usage);
  EXPECT_TRUE(sink.bytes.empty());
}

// Someone holds a pipe open without writing, so the reader waits in it when the other side fails.
TEST(Pump, IdleInputDoesNotHoldAnErrorBack) {
  const Pipe idle;
  const Bytes bytes = pattern(5 * kChunkBytes);
  ASSERT_EQ(::write(idle.write_end(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  const std::unique_ptr<Source> source = from_descriptor(idle.read_end());
  BytesSink broken(0);
  EXPECT_EQ(error_of([&] { pump(*source, broken, Ring(8).spans(), unchanged, kOptions); }).text(),
            "write fault");
  EXPECT_EQ(error_of([&] {
              Bytes more(1);
              source->read(more);
            }).code(),
            Errc::interrupted);
}

// Announces when it is about to wait.
class AnnouncedSource final : public Source {
 public:
  explicit AnnouncedSource(std::unique_ptr<Source> inner) : inner_(std::move(inner)) {}
  std::size_t read(std::span<std::byte> into) override {
    reading = true;
    return inner_->read(into);
  }
  void cancel() noexcept override { inner_->cancel(); }

  std::atomic<bool> reading = false;

 private:
  std::unique_ptr<Source> inner_;
};

TEST(Pump, IdleComparisonDoesNotHoldAnErrorBack) {
  const Pipe idle;
  auto expected = std::make_unique<AnnouncedSource>(from_descriptor(idle.read_end()));
  AnnouncedSource& announced = *expected;
  const std::unique_ptr<Sink> sink = compare_with(std::move(expected));
  FaultySource broken(pattern(kFaultyBytes), 5 * kChunkBytes);
  int chunk = 0;
  broken.before_read = [&] {
    if (++chunk <= 5) return;
    while (!announced.reading) std::this_thread::yield();
  };
  const Error error = error_of([&] { pump(broken, *sink, Ring(12).spans(), unchanged, kOptions); });
  EXPECT_EQ(error.text(), "read fault");
}

TEST(Pump, ThroughPipesThatGiveAndTakeAsTheyLike) {
  Pipe in;
  Pipe out;
  const Bytes bytes = pattern(1'000'003);
  std::thread feeder([&] {
    to_descriptor(in.write_end())->write(bytes);
    in.close_write_end();
  });
  std::thread middle([&] {
    const std::unique_ptr<Source> source = from_descriptor(in.read_end());
    const std::unique_ptr<Sink> sink = to_descriptor(out.write_end());
    pump(*source, *sink, Ring(4, 4096).spans(), unchanged, kOptions);
    out.close_write_end();
  });
  EXPECT_EQ(read_all(*from_descriptor(out.read_end()), 777), bytes);
  feeder.join();
  middle.join();
}

}  // namespace
}  // namespace fugu::stream
