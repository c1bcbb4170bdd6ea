// The border of the library where memory runs out: each allocation of a call fails once, and only fugu::Error
// comes out.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <new>

#include "fugu/engine/registry.hpp"
#include "fugu/error.hpp"
#include "fugu/format/recognition.hpp"
#include "fugu/fugu.hpp"
#include "fugu/spectral/walsh.hpp"
#include "fugu/stream/output_file.hpp"
#include "fugu/stream/source.hpp"
#include "fugu/stream/tree.hpp"

namespace {

std::atomic<long> allocations_left = -1;  // until one fails; below 0: none does

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (allocations_left >= 0 && allocations_left-- == 0) throw std::bad_alloc();
  const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  if (void* memory = std::aligned_alloc(alignment, rounded)) return memory;
  throw std::bad_alloc();
}

}  // namespace

// Not inlined: g++ would see free() of what `new` gave.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  return allocate(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
// AddressSanitizer's own do not call those above.
void* operator new[](std::size_t bytes) {
  return operator new(bytes);
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return operator new(bytes, alignment);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  operator delete(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  operator delete(memory);
}
void operator delete[](void* memory) noexcept {
  operator delete(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  operator delete(memory);
}

namespace fugu {
namespace {

// Whether the call came to its end although its allocation number `failing` failed, if it got there.
template <class Call>
bool survives(const Call& call, long failing) {
  try {
    allocations_left = failing;
    call();
    allocations_left = -1;
    return true;
  } catch (const Error& error) {
    allocations_left = -1;
    EXPECT_FALSE(error.text().empty());
  } catch (const std::exception& other) {
    allocations_left = -1;
    ADD_FAILURE() << "allocation " << failing << ": " << other.what();
  }
  return false;
}

// Until the call needs fewer allocations than that.
template <class Call>
void expect_errors_only(const Call& call, long most = 2000) {
  long failures = 0;
  for (long failing = 0; failing < most; ++failing) failures += survives(call, failing) ? 0 : 1;
  EXPECT_GT(failures, 0);
}

std::vector<std::byte> bytes(std::size_t count) {
  return std::vector<std::byte>(count, std::byte{0x5a});
}

TEST(Border, EnginesAreListedMadeAndCalibrated) {
  expect_errors_only([] { static_cast<void>(engine::list()); }, 30);
  expect_errors_only([] { static_cast<void>(engine::make("cpu/scalar", {.threads = 2})); }, 30);
  expect_errors_only([] { static_cast<void>(engine::make("auto", {.threads = 2})); }, 40);
  expect_errors_only([] { static_cast<void>(engine::calibrate({.threads = 1})); }, 6);
}

TEST(Border, EnginesWork) {
  cipher::Schedule schedule;
  cipher::expand(bytes(16), schedule);
  std::vector<std::byte> data = bytes(4096);
  std::vector<engine::Segment> segments(4);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    segments[i].schedule = &schedule;
    segments[i].in = segments[i].out = std::span(data).subspan(1024 * i, 1024);
  }
  for (const char* name : {"cpu/scalar", "cpu", "auto"}) {
    const auto engine = engine::make(name, {.threads = 2});
    const engine::SegmentHooks hooks{.before = [](std::size_t) { return true; }, .after = [](std::size_t) {}};
    expect_errors_only([&] { engine->run(engine::Op::ctr, segments); }, 20);
    expect_errors_only([&] { engine->run_with(engine::Op::ctr, segments, hooks); }, 20);
    expect_errors_only([&] { static_cast<void>(engine->allocate(1000)); }, 5);
  }
}

TEST(Border, FilesAreSealedOpenedAndRecognised) {
  const auto engine = engine::make("cpu/scalar", {.threads = 1});
  const std::vector<std::byte> key_bytes = bytes(32);
  const Secret key = Secret::key(key_bytes);
  const std::vector<std::byte> plain = bytes(100'000);
  const std::vector<std::byte> sealed = seal(plain, key, {.engine = engine.get()});
  expect_errors_only([&] { static_cast<void>(seal(plain, key, {.engine = engine.get()})); }, 400);
  expect_errors_only([&] { static_cast<void>(open(sealed, key, {.engine = engine.get()})); }, 400);
  expect_errors_only([&] { static_cast<void>(recognise(sealed)); }, 20);
  expect_errors_only([&] { static_cast<void>(Secret::key(key_bytes)); }, 4);
  EXPECT_EQ(open(sealed, key, {.engine = engine.get()}), plain);
}

// What may be called without the face.
TEST(Border, FilesAreOpenedAndRecognisedByTheirParts) {
  const std::vector<std::byte> sealed = bytes(5000);
  const std::string own = "/proc/self/exe";
  const std::string absent = "/a name that is too long for a short string";
  expect_errors_only([&] { stream::open_file(own); }, 10);
  expect_errors_only([&] { stream::open_regular_file(own); }, 10);
  expect_errors_only([&] { stream::open_tree("/proc/self/task"); }, 10);
  expect_errors_only([&] { stream::output_tree(absent, {}); }, 10);
  expect_errors_only([&] { format::recognise(stream::open_regular_file(own)); }, 20);
  expect_errors_only([&] { stream::prepend(sealed, stream::open_regular_file(own)); }, 10);
  const auto directory = stream::open_tree("/proc/self/task");
  expect_errors_only([&] { static_cast<void>(format::recognise(*directory)); }, 20);
  const format::Codec& codec = *format::find_codec("openssl");
  expect_errors_only(
      [&] {
        format::OptionValues values(codec.options);
        values.set("salt", "0011223344556677");
      },
      10);
}

TEST(Border, OutputFilesAreWritten) {
  const std::string path = ::testing::TempDir() + "fugu-border-test-" + std::to_string(::getpid());
  const std::vector<std::byte> data = bytes(200'000);
  for (const bool is_replaced : {false, true}) {
    const auto write = [&] {
      if (!is_replaced) ::unlink(path.c_str());
      stream::OutputFile file(path, {.replace = is_replaced, .threads = 2});
      file.write(data);
      file.commit();
    };
    expect_errors_only(write, 40);
    EXPECT_EQ(std::filesystem::file_size(path), data.size());
  }
  std::filesystem::remove(path);
}

TEST(Border, SpectraAreComputed) {
  std::vector<std::int32_t> values(std::size_t{1} << 16, 1);
  expect_errors_only([&] { spectral::walsh<std::int32_t>(values, 16, {.threads = 2}); }, 20);
  expect_errors_only([&] { spectral::inverse_walsh<std::int32_t>(values, 16, {.threads = 2}); }, 20);
}

}  // namespace
}  // namespace fugu
