#include "fugu/core/wipe.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <new>

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

}  // namespace
}  // namespace fugu::core
