#include "fugu/core/block.hpp"

#include "support/testing.hpp"

namespace fugu::core {
namespace {

constexpr std::array<std::byte, 8> kBytes{std::byte{0x01}, std::byte{0x23}, std::byte{0x45}, std::byte{0x67},
                                          std::byte{0x89}, std::byte{0xab}, std::byte{0xcd}, std::byte{0xef}};

TEST(Block, WordsAreLoadedInTheOrderAsked) {
  const std::uint64_t image = load_u64_big(kBytes.data());
  EXPECT_EQ(image, 0x0123456789abcdefu);
  EXPECT_EQ(to_block<ByteOrder::big>(image), (Block{0x01234567u, 0x89abcdefu}));
  EXPECT_EQ(to_block<ByteOrder::little>(image), (Block{0x67452301u, 0xefcdab89u}));
}

TEST(Block, StoreUndoesLoad) {
  std::array<std::byte, 8> out{};
  store_u64_big(out.data(), load_u64_big(kBytes.data()));
  EXPECT_EQ(out, kBytes);
  EXPECT_EQ(from_block<ByteOrder::big>({0x01234567u, 0x89abcdefu}), 0x0123456789abcdefu);
  EXPECT_EQ(from_block<ByteOrder::little>({0x67452301u, 0xefcdab89u}), 0x0123456789abcdefu);
}

TEST(Block, CounterIsOneNumberInEitherOrder) {
  EXPECT_EQ(counter_bytes(1, ByteOrder::big), 0x0000000000000001u);
  EXPECT_EQ(counter_bytes(1, ByteOrder::little), 0x0100000000000000u);
}

}  // namespace
}  // namespace fugu::core
