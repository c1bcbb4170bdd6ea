#include "fugu/threads/pieces.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace fugu::threads {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

TEST(Pieces, CoverEveryByteOnce) {
  ThreadPool pool(3);
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, kMiB - 1, kMiB, kMiB + 1, 5 * kMiB + 77}) {
    std::vector<unsigned char> touched(bytes);
    for_each_piece(pool, bytes, [&](std::size_t offset, std::size_t size_bytes) {
      for (std::size_t i = 0; i < size_bytes; ++i) ++touched.at(offset + i);
    });
    EXPECT_EQ(touched, std::vector<unsigned char>(bytes, 1)) << bytes;
  }
}

TEST(Pieces, HandOnAnException) {
  ThreadPool pool(3);
  const auto fail_in_the_last = [](std::size_t offset, std::size_t) {
    if (offset == 4 * kMiB) throw std::out_of_range("the last piece");
  };
  EXPECT_THROW(for_each_piece(pool, 4 * kMiB + 1, fail_in_the_last), std::out_of_range);
  EXPECT_NO_THROW(for_each_piece(pool, 4 * kMiB, fail_in_the_last));
}

}  // namespace
}  // namespace fugu::threads
