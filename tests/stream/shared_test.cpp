// Reads and writes that several threads share give the same bytes as others.
#include "stream/shared.hpp"
#include "fugu/stream/posix/temporaries.hpp"
#include "fugu/threads/thread_pool.hpp"

namespace fugu::stream {
namespace {

using Shared = SharedTransfer;

TEST_F(Shared, WritesGiveTheSameFile) {
  const Bytes bytes = pattern(60 * kMiB + 77);
  for (const std::size_t reserved : {std::size_t{0}, bytes.size(), bytes.size() + 12345}) {
    OutputFile file(path_, {.replace = true, .threads = kThreads});
    file.reserve(reserved);
    write_in_steps(file, bytes);
    file.commit();
    EXPECT_TRUE(same_bytes(read_file(path_), bytes));
  }
}

TEST_F(Shared, WritesLeaveHolesForZeros) {
  Bytes bytes = pattern(60 * kMiB + 77);
  std::fill(bytes.begin() + 20 * kMiB, bytes.begin() + 51 * kMiB, std::byte{0});
  for (const std::size_t size : {bytes.size(), 40 * kMiB + 1}) {
    OutputFile file(path_, {.replace = true, .threads = kThreads});
    write_in_steps(file, std::span(bytes).first(size));
    file.commit();
    EXPECT_TRUE(same_bytes(read_file(path_), std::span(bytes).first(size)));
    EXPECT_LT(status_of_path(path_).st_blocks * 512, static_cast<off_t>(30 * kMiB));
  }
}

// Writes parts of every size, which begin and end anywhere in pages and blocks.
template <class Byte>
std::vector<std::span<Byte>> cut(std::span<Byte> bytes) {
  constexpr std::size_t kSizes[] = {kMiB, 5, 0, 4096, kMiB - 3, 2 * kMiB + 1};
  std::vector<std::span<Byte>> parts;
  for (std::size_t i = 0; !bytes.empty(); ++i) {
    parts.push_back(bytes.first(std::min(bytes.size(), kSizes[i % std::size(kSizes)])));
    bytes = bytes.subspan(parts.back().size());
  }
  return parts;
}

// Several processes write, in pieces of several lengths.
TEST_F(Shared, PartsOfSeveralProcessesMakeOneFile) {
  const Bytes bytes = pattern(60 * kMiB + 77);
  const std::size_t borders[] = {0, 148, 13 * kMiB + 5, 14 * kMiB, 40 * kMiB - 1, bytes.size()};
  for (const std::size_t piece : {4 * kMiB + 64, kMiB, kMiB - 4096}) {
    const std::filesystem::path temporary = shared_temporary_path(path_);
    OutputFile file(path_, {.replace = true, .threads = 1, .shared_as = temporary});
    const Descriptor shared(::open(temporary.c_str(), O_RDWR | O_CLOEXEC));
    // Writes the last part first. The later writes do not overwrite it, and later parts do not cut it off.
    for (std::size_t i = std::size(borders) - 1; i-- > 0;) {
      OutputPart part(shared.get(), borders[i], borders[i + 1]);
      EXPECT_EQ(part.is_in_memory(), in_memory());
      const auto mine = std::span(bytes).subspan(borders[i], borders[i + 1] - borders[i]);
      for (std::size_t at = 0; at < mine.size(); at += piece) {
        const auto bytes_of_piece = mine.subspan(at, std::min(piece, mine.size() - at));
        if (at / piece % 2 == 0)
          part.write(bytes_of_piece);
        else
          part.write_parts(cut(bytes_of_piece));
      }
    }
    file.set_shared_bytes(bytes.size());
    file.commit();
    EXPECT_TRUE(same_bytes(read_file(path_), bytes)) << "pieces of " << piece;
  }
}

// Threads write parts that begin anywhere, in writes of any length, and holes.
TEST_F(Shared, PartsOfSeveralThreadsMakeOneFile) {
  if (!in_memory()) GTEST_SKIP() << "no file system in memory here";
  Bytes longest = pattern(61 * kMiB + 77);
  std::fill(longest.begin() + 11 * kMiB, longest.begin() + 17 * kMiB, std::byte{0});
  threads::ThreadPool pool(4);
  for (const std::size_t part : {kMiB + 16, 2 * kMiB, 2 * kMiB + 32, 5 * kMiB - 1}) {
    const std::span<const std::byte> all =
        std::span(longest).first(part > 4 * kMiB ? longest.size() : 25 * kMiB + 77);
    for (const std::size_t lead : {std::size_t{0}, std::size_t{148}, 3 * kMiB + 1}) {
      for (const bool expected : {true, false}) {
        OutputFile file(path_, {.replace = true, .threads = kThreads});
        file.reserve(expected ? all.size() : 0);
        file.write(all.first(lead));
        const std::size_t parts = (all.size() - lead) / part - 1;
        ASSERT_TRUE(file.begin_parts(parts * part));
        pool.for_each(parts, [&](std::size_t i) {
          const std::unique_ptr<Sink> sink = file.part(i * part);
          std::span<const std::byte> mine = all.subspan(lead + i * part, part);
          while (!mine.empty()) {
            const std::size_t step = std::min(mine.size(), i % 3 == 0 ? part : 300'000 + i);
            sink->write(mine.first(step));
            mine = mine.subspan(step);
          }
        });
        file.advance(parts * part);
        file.write(all.subspan(lead + parts * part));
        file.commit();
        ASSERT_TRUE(same_bytes(read_file(path_), all)) << part << " after " << lead;
      }
    }
  }
}

// A part is written, with a hole, before the one that it follows.
TEST_F(Shared, PartsAreWrittenInAnyOrder) {
  if (!in_memory()) GTEST_SKIP() << "no file system in memory here";
  Bytes bytes = pattern(4 * kMiB);
  std::fill(bytes.begin() + kMiB, bytes.begin() + kMiB + kMiB / 2, std::byte{0});
  const std::span<const std::byte> all = bytes;
  OutputFile file(path_, {.threads = kThreads});
  file.part(kMiB)->write(all.subspan(kMiB, kMiB));
  file.part(0)->write(all.first(kMiB));
  file.part(2 * kMiB)->write(all.subspan(2 * kMiB));
  file.advance(bytes.size());
  file.commit();
  EXPECT_TRUE(same_bytes(read_file(path_), bytes));
}

TEST_F(Shared, APartThatIsNotWrittenIsAnError) {
  if (!in_memory()) GTEST_SKIP() << "no file system in memory here";
  OutputFile file(path_, {.threads = kThreads});
  file.part(0)->write(pattern(kMiB));
  EXPECT_EQ(error_of([&] { file.commit(); }).text(), "is incomplete: a write failed");
  EXPECT_EQ(error_of([&] { file.advance(2 * kMiB); }).code(), Errc::io);
  EXPECT_EQ(scratch_.names().size(), 0u);
}

TEST_F(Shared, PartsGoWhereTheirBytesWould) {
  Bytes bytes = pattern(30 * kMiB + 77);
  std::fill(bytes.begin() + 11 * kMiB, bytes.begin() + 17 * kMiB, std::byte{0});
  const std::span<const std::byte> all = bytes;
  for (const unsigned threads : {1u, kThreads}) {
    OutputFile file(path_, {.replace = true, .threads = threads});
    file.write(all.first(8));
    file.write_parts(cut(all.subspan(8)));
    file.commit();
    EXPECT_TRUE(same_bytes(read_file(path_), bytes));
    Bytes got(bytes.size() + 100);
    EXPECT_EQ(open_file(path_, threads)->read(got), bytes.size());
    EXPECT_TRUE(same_bytes(std::span(got).first(bytes.size()), bytes));
  }
}

TEST_F(Shared, WritesTakeNoMoreThanTheirBytes) {
  for (const std::size_t size : {10 * kMiB, 9 * kMiB + 1, 4 * kMiB + 5000, std::size_t{10}}) {
    OutputFile file(path_, {.replace = true, .threads = kThreads});
    file.write(pattern(7));
    file.write(pattern(size - 7));
    file.commit();
    const struct stat status = status_of_path(path_);
    EXPECT_EQ(status.st_size, static_cast<off_t>(size));
    EXPECT_LT(status.st_blocks * 512, status.st_size + 2 * status.st_blksize);
  }
}

TEST_F(Shared, ReadsGiveTheSameBytes) {
  const Bytes bytes = pattern(60 * kMiB + 77);
  write_file(path_, bytes);
  const std::unique_ptr<Source> source = open_file(path_, kThreads);
  Bytes got;
  for (std::size_t i = 0;; ++i) {
    Bytes step(kSteps[i % std::size(kSteps)]);
    step.resize(source->read(step));
    if (step.empty()) break;
    got.insert(got.end(), step.begin(), step.end());
  }
  EXPECT_TRUE(same_bytes(got, bytes));
}

TEST_F(Shared, ReadsBeginWhereTheDescriptorStandsAndLeaveItBehindThem) {
  write_file(path_, pattern(9 * kMiB));
  const int descriptor = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::lseek(descriptor, 251 * 40, SEEK_SET), 251 * 40);
  Bytes got(5 * kMiB + 3);
  EXPECT_EQ(from_descriptor(descriptor, kThreads)->read(got), got.size());
  EXPECT_TRUE(got == pattern(got.size()));
  EXPECT_EQ(::lseek(descriptor, 0, SEEK_CUR), static_cast<off_t>(251 * 40 + got.size()));
  ::close(descriptor);
}

TEST_F(Shared, ReadsFollowFilesThatChange) {
  for (const std::size_t becomes : {std::size_t{0}, 5 * kMiB + 3, 20 * kMiB}) {
    write_file(path_, pattern(9 * kMiB));
    const std::unique_ptr<Source> source = open_file(path_, kThreads);
    std::filesystem::resize_file(path_, becomes);
    Bytes got(30 * kMiB);
    got.resize(source->read(got));
    Bytes wanted = pattern(9 * kMiB);
    wanted.resize(becomes);
    EXPECT_TRUE(got == wanted) << becomes;
  }
}

}  // namespace
}  // namespace fugu::stream
