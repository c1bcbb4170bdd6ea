#include "fugu/core/wipe.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fugu/core/block.hpp"
#include "fugu/core/hadamard_base.hpp"
#include "fugu/core/half.hpp"
#include "support/testing.hpp"

namespace {

bool nothing_is_resident = false;

const void* watched = nullptr;
std::size_t watched_bytes = 0;
bool frees_zeros = false;

void free_seen(void* memory) noexcept {
  const auto* const bytes = static_cast<const std::byte*>(memory);
  if (memory != nullptr && memory == watched)
    frees_zeros =
        std::all_of(bytes, bytes + watched_bytes, [](std::byte byte) { return byte == std::byte{0}; });
  std::free(memory);
}

std::size_t pages_in(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page;
}

}  // namespace

void* operator new(std::size_t bytes) {
  if (void* const memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
// AddressSanitizer has its own, whose memory free_seen() could not free.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return std::malloc(bytes);
}
void operator delete(void* memory) noexcept {
  free_seen(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  free_seen(memory);
}

// The system's, or one that reports what it reports of pages that were swapped out.
extern "C" int mincore(void* memory, std::size_t bytes, unsigned char* resident) noexcept {
  const long failed = ::syscall(SYS_mincore, memory, bytes, resident);
  if (failed == 0 && nothing_is_resident)
    std::fill_n(resident, pages_in(bytes), static_cast<unsigned char>(0));
  return static_cast<int>(failed);
}

namespace fugu::core {
namespace {

constexpr std::byte kSecret{0xa5};

// Memory of whole pages, none of which has been touched yet.
class Pages {
 public:
  explicit Pages(std::size_t count) : bytes_(count * kPageBytes) {
    void* mapped = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    ::madvise(mapped, bytes_, MADV_NOHUGEPAGE);
    begin_ = static_cast<std::byte*>(mapped);
  }
  ~Pages() { ::munmap(begin_, bytes_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  std::span<std::byte> span() const { return {begin_, bytes_}; }
  std::span<std::byte> page(std::size_t index) const {
    return span().subspan(index * kPageBytes, kPageBytes);
  }

  std::vector<std::size_t> touched() const {
    std::vector<unsigned char> resident(bytes_ / kPageBytes);
    EXPECT_EQ(::mincore(begin_, bytes_, resident.data()), 0);
    std::vector<std::size_t> pages;
    for (std::size_t i = 0; i < resident.size(); ++i)
      if ((resident[i] & 1) != 0) pages.push_back(i);
    return pages;
  }

 private:
  static inline const auto kPageBytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::size_t bytes_;
  std::byte* begin_;
};

bool is_all(std::span<const std::byte> bytes, std::byte value) {
  return std::ranges::all_of(bytes, [value](std::byte byte) { return byte == value; });
}

TEST(WipeTouched, WipesWhatWasTouchedAndFetchesNothing) {
  const Pages pages(5000);
  const std::vector<std::size_t> touched{0, 7, 1023, 1024, 4999};
  for (const std::size_t i : touched) std::ranges::fill(pages.page(i), kSecret);
  if (pages.touched() != touched) GTEST_SKIP() << "this system does not say which pages were touched";
  wipe_touched(pages.span().data(), pages.span().size());
  EXPECT_EQ(pages.touched(), touched);
  EXPECT_TRUE(is_all(pages.span(), std::byte{0}));
}

TEST(WipeTouched, BeginsAndEndsAnywhere) {
  const Pages pages(3);
  const std::span<std::byte> all = pages.span();
  const std::size_t page = all.size() / 3;
  for (const std::size_t begin : {std::size_t{0}, std::size_t{1}, page - 1, page, page + 1}) {
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, page - 1, page, page + 1, 2 * page - 1}) {
      std::ranges::fill(all, kSecret);
      wipe_touched(all.subspan(begin).data(), bytes);
      EXPECT_TRUE(is_all(all.first(begin), kSecret)) << begin << ' ' << bytes;
      EXPECT_TRUE(is_all(all.subspan(begin, bytes), std::byte{0})) << begin << ' ' << bytes;
      EXPECT_TRUE(is_all(all.subspan(begin + bytes), kSecret)) << begin << ' ' << bytes;
    }
  }
}

TEST(WipeTouched, WipesWhatWasSwappedOut) {
  const Pages pages(2000);
  const std::span<std::byte> all = pages.span();
  std::ranges::fill(all, kSecret);
  nothing_is_resident = true;
  wipe_touched(all.data() + 1, all.size() - 2);
  nothing_is_resident = false;
  EXPECT_TRUE(is_all(all.subspan(1, all.size() - 2), std::byte{0}));
  EXPECT_EQ(all.front(), kSecret);
  EXPECT_EQ(all.back(), kSecret);
}

TEST(WipedBytes, AreWipedWhereverTheyAreFreed) {
  WipedBytes bytes(1000, kSecret);
  const auto is_wiped_by = [&](const auto& work) {
    watched = bytes.data();
    watched_bytes = bytes.capacity();
    frees_zeros = false;
    work();
    watched = nullptr;
    return frees_zeros;
  };
  EXPECT_TRUE(is_wiped_by([&] { bytes.resize(2000, kSecret); }));
  bytes.resize(10);
  EXPECT_TRUE(is_wiped_by([&] { bytes = WipedBytes(100'000, kSecret); }));
  EXPECT_TRUE(is_wiped_by([&] {
    try {
      const WipedBytes inner = std::move(bytes);
      throw 1;
    } catch (int) {
    }
  }));
}

TEST(WipeTouched, WipesMoreThanItAsksAboutAtOnce) {
  std::vector<std::byte> bytes(std::size_t{9} << 20, kSecret);
  wipe_touched(bytes.data() + 1, bytes.size() - 2);
  EXPECT_TRUE(is_all(std::span(bytes).subspan(1, bytes.size() - 2), std::byte{0}));
  EXPECT_EQ(bytes.front(), kSecret);
  EXPECT_EQ(bytes.back(), kSecret);
}

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

// 16-bit floats by their definition: sign, exponent and fraction, and the nearest value, ties to even.

template <class Half, int exponent_bits, int fraction_bits>
struct Layout {
  using Type = Half;
  static constexpr int kBias = (1 << (exponent_bits - 1)) - 1;
  static constexpr std::uint16_t kInfinity = ((1 << exponent_bits) - 1) << fraction_bits;

  // The value of bits below kInfinity.
  static double value(std::uint16_t bits) {
    const int exponent = bits >> fraction_bits;
    const int fraction = bits & ((1 << fraction_bits) - 1);
    if (exponent == 0) return std::ldexp(fraction, 1 - kBias - fraction_bits);
    return std::ldexp((1 << fraction_bits) + fraction, exponent - kBias - fraction_bits);
  }
};

template <class L>
struct HalfOf : testing::Test {};
using Layouts = testing::Types<Layout<Float16, 5, 10>, Layout<Bfloat16, 8, 7>>;
TYPED_TEST_SUITE(HalfOf, Layouts);

TYPED_TEST(HalfOf, EveryValueIsThatOfItsBits) {
  using Half = typename TypeParam::Type;
  for (std::uint32_t bits = 0; bits <= TypeParam::kInfinity; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const double expected =
        half == TypeParam::kInfinity ? std::numeric_limits<double>::infinity() : TypeParam::value(half);
    ASSERT_EQ(to_float(Half{half}), expected) << bits;
    ASSERT_EQ(to_float(Half{static_cast<std::uint16_t>(half | 0x8000)}), -expected) << bits;
    ASSERT_EQ(rounded<Half>(static_cast<float>(expected)).bits, half);
    ASSERT_EQ(rounded<Half>(static_cast<float>(-expected)).bits, half | 0x8000);
  }
  EXPECT_TRUE(std::isnan(to_float(Half{static_cast<std::uint16_t>(TypeParam::kInfinity + 1)})));
  EXPECT_GT(rounded<Half>(std::numeric_limits<float>::quiet_NaN()).bits & 0x7fff, TypeParam::kInfinity);
}

// The middle between two neighbours is a float; beyond the largest value, infinity begins in the middle to
// the next power of two.
TYPED_TEST(HalfOf, RoundsToTheNearestAndTiesToEven) {
  using Half = typename TypeParam::Type;
  for (std::uint32_t bits = 0; bits < TypeParam::kInfinity; ++bits) {
    const auto low = static_cast<std::uint16_t>(bits);
    const double step = bits + 1 < TypeParam::kInfinity
                            ? TypeParam::value(static_cast<std::uint16_t>(low + 1)) - TypeParam::value(low)
                            : TypeParam::value(low) - TypeParam::value(static_cast<std::uint16_t>(low - 1));
    const auto middle = static_cast<float>(TypeParam::value(low) + step / 2);
    ASSERT_EQ(rounded<Half>(middle).bits, low + (low & 1)) << bits;
    ASSERT_EQ(rounded<Half>(std::nextafter(middle, 0.0f)).bits, low) << bits;
    ASSERT_EQ(rounded<Half>(std::nextafter(middle, std::numeric_limits<float>::infinity())).bits, low + 1);
  }
}

// The matrices of m rows against those that Dao-AILab/fast-hadamard-transform 1.1 lists (had_12_paley,
// had_20_will, had_28_will and had_40_tpal of csrc/code_gen.py), a row per line.

constexpr std::string_view kOf12[] = {
    "+-++++++++++", "--+-+-+-+-+-", "+++-++----++", "+---+--+-++-", "+++++-++----", "+-+---+--+-+",
    "++--+++-++--", "+--++---+--+", "++----+++-++", "+--+-++---+-", "++++----+++-", "+-+--+-++---",
};
constexpr std::string_view kOf20[] = {
    "+----+----++--++-++-", "-+----+---+++---+-++", "--+----+---+++-+-+-+", "---+----+---+++++-+-",
    "----+----++--++-++-+", "-+++++-----+--+++--+", "+-+++-+---+-+--+++--", "++-++--+---+-+--+++-",
    "+++-+---+---+-+--+++", "++++-----++--+-+--++", "--++-+-++-+-----++++", "---++-+-++-+---+-+++",
    "+---++-+-+--+--++-++", "++---++-+----+-+++-+", "-++---++-+----+++++-", "-+--+--++-+----+----",
    "+-+-----++-+----+---", "-+-+-+---+--+----+--", "--+-+++------+----+-", "+--+--++------+----+",
};
constexpr std::string_view kOf28[] = {
    "+------++----++-+--+-+--++--", "-+-----+++-----+-+--+-+--++-", "--+-----+++---+-+-+----+--++",
    "---+-----+++---+-+-+-+--+--+", "----+-----+++---+-+-+++--+--", "-----+-----++++--+-+--++--+-",
    "------++----++-+--+-+--++--+", "--++++-+-------++--+++-+--+-", "---++++-+-----+-++--+-+-+--+",
    "+---+++--+----++-++--+-+-+--", "++---++---+----++-++--+-+-+-", "+++---+----+----++-++--+-+-+",
    "++++--------+-+--++-++--+-+-", "-++++--------+++--++--+--+-+", "-+-++-++--++--+--------++++-",
    "+-+-++--+--++--+--------++++", "-+-+-++--+--++--+----+---+++", "+-+-+-++--+--+---+---++---++",
    "++-+-+-++--+------+--+++---+", "-++-+-+-++--+------+-++++---", "+-++-+---++--+------+-++++--",
    "-++--++-+-++-+++----++------", "+-++--++-+-++-+++-----+-----", "++-++---+-+-++-+++-----+----",
    "-++-++-+-+-+-+--+++-----+---", "--++-++++-+-+----+++-----+--", "+--++-+-++-+-+----+++-----+-",
    "++--++-+-++-+-+----++------+",
};
constexpr std::string_view kOf40[] = {
    "+-------------------+-------------------", "++-++----+-+-++++--+++-++----+-+-++++--+",
    "+++-++----+-+-++++--+++-++----+-+-++++--", "+-++-++----+-+-++++-+-++-++----+-+-++++-",
    "+--++-++----+-+-+++++--++-++----+-+-++++", "++--++-++----+-+-+++++--++-++----+-+-+++",
    "+++--++-++----+-+-+++++--++-++----+-+-++", "++++--++-++----+-+-+++++--++-++----+-+-+",
    "+++++--++-++----+-+-+++++--++-++----+-+-", "+-++++--++-++----+-++-++++--++-++----+-+",
    "++-++++--++-++----+-++-++++--++-++----+-", "+-+-++++--++-++----++-+-++++--++-++----+",
    "++-+-++++--++-++----++-+-++++--++-++----", "+-+-+-++++--++-++---+-+-+-++++--++-++---",
    "+--+-+-++++--++-++--+--+-+-++++--++-++--", "+---+-+-++++--++-++-+---+-+-++++--++-++-",
    "+----+-+-++++--++-+++----+-+-++++--++-++", "++----+-+-++++--++-+++----+-+-++++--++-+",
    "+++----+-+-++++--++-+++----+-+-++++--++-", "+-++----+-+-++++--+++-++----+-+-++++--++",
    "+--------------------+++++++++++++++++++", "++-++----+-+-++++--+--+--++++-+-+----++-",
    "+++-++----+-+-++++-----+--++++-+-+----++", "+-++-++----+-+-++++--+--+--++++-+-+----+",
    "+--++-++----+-+-++++-++--+--++++-+-+----", "++--++-++----+-+-+++--++--+--++++-+-+---",
    "+++--++-++----+-+-++---++--+--++++-+-+--", "++++--++-++----+-+-+----++--+--++++-+-+-",
    "+++++--++-++----+-+------++--+--++++-+-+", "+-++++--++-++----+-+-+----++--+--++++-+-",
    "++-++++--++-++----+---+----++--+--++++-+", "+-+-++++--++-++----+-+-+----++--+--++++-",
    "++-+-++++--++-++------+-+----++--+--++++", "+-+-+-++++--++-++----+-+-+----++--+--+++",
    "+--+-+-++++--++-++---++-+-+----++--+--++", "+---+-+-++++--++-++--+++-+-+----++--+--+",
    "+----+-+-++++--++-++-++++-+-+----++--+--", "++----+-+-++++--++-+--++++-+-+----++--+-",
    "+++----+-+-++++--++----++++-+-+----++--+", "+-++----+-+-++++--++-+--++++-+-+----++--",
};

void expect_rows(std::span<const std::string_view> rows) {
  const auto m = static_cast<int>(rows.size());
  ASSERT_TRUE(has_hadamard_base(m));
  for (int row = 0; row < m; ++row) {
    const std::string_view listed = rows[static_cast<std::size_t>(row)];
    for (int column = 0; column < m; ++column) {
      const int entry = listed[static_cast<std::size_t>(column)] == '+' ? 1 : -1;
      ASSERT_EQ(hadamard_base(m, row, column), entry) << m << ", row " << row << ", column " << column;
    }
  }
}

TEST(HadamardBase, IsThePublishedMatrix) {
  expect_rows(kOf12);
  expect_rows(kOf20);
  expect_rows(kOf28);
  expect_rows(kOf40);
  for (const int other : {1, 2, 4, 8, 16, 24, 36, 172}) EXPECT_FALSE(has_hadamard_base(other));
}

}  // namespace
}  // namespace fugu::core
