// This file replaces the aligned array forms of new and delete, which chunks are made with, to see what a
// chunk leaves behind.
#include <new>

#include "fugu/engine/engine.hpp"
#include "support/testing.hpp"

namespace {

std::span<const std::byte> watched;
bool freed_as_zeros = false;

}  // namespace

void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  if (bytes > std::uint64_t{1} << 50) throw std::bad_alloc();  // sanitizers would end the process
  const auto step = static_cast<std::size_t>(alignment);
  void* memory = std::aligned_alloc(step, (bytes + step - 1) / step * step);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void operator delete[](void* memory, std::align_val_t) noexcept {
  if (memory == watched.data()) {
    freed_as_zeros = std::ranges::all_of(watched, [](std::byte b) { return b == std::byte{0}; });
  }
  std::free(memory);
}

namespace fugu::engine {
namespace {

class HostChunk : public testing::TestWithParam<std::size_t> {
 protected:
  HostChunk() : chunk_(allocate_host_chunk(GetParam())) {
    std::fill_n(chunk_.data(), chunk_.size(), std::byte{0x5a});
    watched = chunk_.span();
    freed_as_zeros = false;
  }
  ~HostChunk() override { watched = {}; }

  Chunk chunk_;
};

TEST_P(HostChunk, is_wiped_when_it_dies) {
  { const Chunk dies = std::move(chunk_); }
  EXPECT_TRUE(freed_as_zeros);
}

TEST_P(HostChunk, is_wiped_when_another_takes_its_place) {
  chunk_ = Chunk();
  EXPECT_TRUE(freed_as_zeros);
}

TEST(HostChunks, that_do_not_fit_are_no_memory) {
  EXPECT_THROW(static_cast<void>(allocate_host_chunk(std::numeric_limits<std::size_t>::max() / 4 * 3)),
               std::bad_alloc);
}

INSTANTIATE_TEST_SUITE_P(Sizes, HostChunk, testing::Values(1, 4096, (std::size_t{4} << 20) + 8));

}  // namespace
}  // namespace fugu::engine
