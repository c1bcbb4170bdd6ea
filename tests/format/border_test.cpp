// Memory runs out in calls of the library: each allocation of a call fails once, and only fugu::Error leaves
// the library.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>

#include "fugu/engine/calibration.hpp"
#include "fugu/engine/registry.hpp"
#include "fugu/error.hpp"
#include "fugu/format/recognition.hpp"
#include "fugu/fugu.hpp"
#include "fugu/stream/output_file.hpp"
#include "fugu/stream/source.hpp"
#include "fugu/stream/tree.hpp"
#include "shortage.hpp"

namespace fugu {
namespace {

using test::expect_errors_only;

std::vector<std::byte> bytes(std::size_t count) {
  return std::vector<std::byte>(count, std::byte{0x5a});
}

TEST(Border, EnginesAreListedMadeAndCalibrated) {
  expect_errors_only([] { static_cast<void>(engine::list()); });
  expect_errors_only([] { static_cast<void>(engine::make("cpu/scalar", {.threads = 2})); });
  expect_errors_only([] { static_cast<void>(engine::make("auto", {.threads = 2})); });
  const auto calibrate = [] { static_cast<void>(engine::calibrate({.threads = 1})); };
  for (long first = 0; first < 6; ++first)
    test::expect_error_only(calibrate, true, first, test::Shortage::passing);
}

TEST(Border, CalibrationsAreWrittenAndRead) {
  engine::Calibration calibration;
  calibration.machine = "a processor with a name that is longer than what a string holds in itself";
  calibration.cpu.fill({1e-9, 12345678901});
  calibration.gpu.fill({0.001, 1e12});
  calibration.gpu_ordinary.fill({0.25, 3e9});
  const std::string text = engine::to_text(calibration);
  expect_errors_only([&] { return engine::to_text(calibration); });
  const auto text_again = [](const std::optional<engine::Calibration>& read) {
    return read ? engine::to_text(*read) : "none";
  };
  EXPECT_EQ(text_again(engine::parse_calibration(text, calibration.machine)), text);
  expect_errors_only([&] { return text_again(engine::parse_calibration(text, calibration.machine)); });
  const std::string path = ::testing::TempDir() + "fugu_border_calibration";
  ASSERT_TRUE(engine::save_calibration(path, calibration));
  EXPECT_EQ(text_again(engine::load_calibration(path, calibration.machine)), text);
  expect_errors_only([&] { return text_again(engine::load_calibration(path, calibration.machine)); });
  std::filesystem::remove(path);
  EXPECT_FALSE(engine::load_calibration(path, calibration.machine));
  EXPECT_FALSE(engine::load_calibration(::testing::TempDir(), calibration.machine));
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
    expect_errors_only([&] { engine->run(engine::Op::ctr, segments); });
    expect_errors_only([&] { engine->run_with(engine::Op::ctr, segments, hooks); });
    expect_errors_only([&] { static_cast<void>(engine->allocate(1000)); });
  }
}

TEST(Border, FilesAreSealedOpenedAndRecognised) {
  const auto engine = engine::make("cpu/scalar", {.threads = 1});
  const std::vector<std::byte> key_bytes = bytes(32);
  const Secret key = Secret::key(key_bytes);
  const std::vector<std::byte> plain = bytes(100'000);
  const std::vector<std::byte> sealed = seal(plain, key, {.engine = engine.get()});
  expect_errors_only([&] { static_cast<void>(seal(plain, key, {.engine = engine.get()})); });
  expect_errors_only([&] { static_cast<void>(open(sealed, key, {.engine = engine.get()})); });
  expect_errors_only([&] { static_cast<void>(recognise(sealed)); });
  expect_errors_only([&] { static_cast<void>(Secret::key(key_bytes)); });
  EXPECT_EQ(open(sealed, key, {.engine = engine.get()}), plain);
}

// These functions may be called without the face.
TEST(Border, FilesAreOpenedAndRecognisedByTheirParts) {
  const std::vector<std::byte> sealed = bytes(5000);
  const std::string own = "/proc/self/exe";
  const std::string absent = "/a name that is too long for a short string";
  expect_errors_only([&] { stream::open_file(own); });
  expect_errors_only([&] { stream::open_regular_file(own); });
  expect_errors_only([&] { stream::open_tree("/proc/self/task"); });
  expect_errors_only([&] { stream::output_tree(absent, {}); });
  expect_errors_only([&] { format::recognise(stream::open_regular_file(own)); });
  expect_errors_only([&] { stream::prepend(sealed, stream::open_regular_file(own)); });
  const auto directory = stream::open_tree("/proc/self/task");
  expect_errors_only([&] { static_cast<void>(format::recognise(*directory)); });
  const format::Codec& codec = *format::find_codec("openssl");
  expect_errors_only([&] {
    format::OptionValues values(codec.options);
    values.set("salt", "0011223344556677");
  });
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
    expect_errors_only(write);
    EXPECT_EQ(std::filesystem::file_size(path), data.size());
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace fugu
