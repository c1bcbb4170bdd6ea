// The device manager: what it does with a GPU (label gpu), and what it says without one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "fugu/device/buffer.hpp"
#include "fugu/device/context.hpp"
#include "fugu/device/device.hpp"
#include "fugu/error.hpp"
#include "support/gpu.hpp"

namespace fugu::device {
namespace {

TEST(Inventory, has_devices_or_a_reason) {
  const Inventory found = inventory();
  EXPECT_EQ(found.devices.empty(), !found.reason.empty());
}

TEST(Inventory, refuses_a_device_that_is_not_there) {
  const int beyond = static_cast<int>(inventory().devices.size());
  for (const int index : {-1, beyond, beyond + 7}) {
    try {
      const Context context(index);
      FAIL() << "device " << index;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::no_device);
      EXPECT_FALSE(error.text().empty());
    }
  }
}

TEST(DeviceGpu, copies_there_and_back) {
  FUGU_NEED_GPU(1);
  Context context(0);
  Stream stream(context);
  for (const std::size_t count : {std::size_t{1}, std::size_t{1000}, std::size_t{1} << 20}) {
    PinnedBuffer<std::uint32_t> host(context, count);
    std::iota(host.data(), host.data() + count, 7u);
    Buffer<std::uint32_t> first(stream, count);
    Buffer<std::uint32_t> second(stream, count, Contents::open);
    copy_to_device(first.span(), host.span(), stream);
    copy_on_device(second.span(), first.span(), stream);
    std::vector<std::uint32_t> back(count);
    copy_to_host(std::span<std::uint32_t>(back), second.span(), stream);
    stream.synchronize();
    EXPECT_TRUE(std::equal(back.begin(), back.end(), host.data()));
  }
  stream.synchronize();
  EXPECT_EQ(context.stats().live_device_bytes, 0u);
  EXPECT_EQ(context.stats().live_pinned_bytes, 0u);
  EXPECT_GE(context.stats().peak_device_bytes, 8u << 20);
}

// The pool hands the same address out again: what the next owner reads there must be zeros.
TEST(DeviceGpu, secret_memory_is_zero_when_it_comes_back) {
  FUGU_NEED_GPU(1);
  Context context(0);
  Stream stream(context);
  const std::size_t count = 1 << 20;
  const std::vector<std::byte> secret(count, std::byte{0xa5});
  const std::byte* where = nullptr;
  {
    Buffer<std::byte> buffer(stream, count);
    where = buffer.data();
    copy_to_device(buffer.span(), std::span<const std::byte>(secret), stream);
    stream.synchronize();
  }
  Buffer<std::byte> again(stream, count);
  ASSERT_EQ(again.data(), where) << "the pool gave other memory: this test would prove nothing";
  std::vector<std::byte> seen(count, std::byte{1});
  copy_to_host(std::span<std::byte>(seen), again.span(), stream);
  stream.synchronize();
  EXPECT_EQ(seen, std::vector<std::byte>(count));
}

TEST(DeviceGpu, tells_pinned_memory_from_pageable) {
  FUGU_NEED_GPU(1);
  const Context context(0);
  const PinnedBuffer<std::byte> pinned(context, 4096);
  const std::vector<std::byte> pageable(4096);
  EXPECT_TRUE(is_pinned(context, pinned.data(), 4096));
  EXPECT_TRUE(is_pinned(context, pinned.data() + 100, 8));
  EXPECT_FALSE(is_pinned(context, pageable.data(), 4096));
}

TEST(DeviceGpu, reports_too_large_an_allocation_and_goes_on) {
  FUGU_NEED_GPU(1);
  Context context(0);
  Stream stream(context);
  try {
    const Buffer<std::byte> buffer(stream, std::size_t{1} << 50);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::engine);
    EXPECT_NE(error.text().find("cudaErrorMemoryAllocation"), std::string::npos) << error.text();
    EXPECT_NE(error.text().find("buffer.cpp:"), std::string::npos) << error.text();
  }
  const Buffer<std::byte> small(stream, 16);
  stream.synchronize();
  EXPECT_EQ(context.stats().live_device_bytes, 16u);
}

// The copy takes milliseconds: without the wait the host would still see its own bytes.
TEST(DeviceGpu, a_stream_that_dies_leaves_nothing_queued) {
  FUGU_NEED_GPU(1);
  Context context(0);
  const std::size_t count = std::size_t{256} << 20;
  PinnedBuffer<std::byte> host(context, count);
  std::fill_n(host.data(), count, std::byte{1});
  {
    Stream stream(context);
    const Buffer<std::byte> buffer(stream, count);
    wipe(buffer.span(), stream);
    copy_to_host(host.span(), buffer.span(), stream);
  }
  EXPECT_EQ(host.data()[count - 1], std::byte{0});
}

TEST(DeviceGpu, events_order_streams_and_measure) {
  FUGU_NEED_GPU(1);
  Context context(0);
  Stream writer(context);
  Stream reader(context);
  Event start(context, EventKind::timing);
  Event stop(context, EventKind::timing);
  Event written(context, EventKind::order);
  const std::size_t count = std::size_t{64} << 20;
  Buffer<std::byte> buffer(writer, count, Contents::open);
  start.record(writer);
  wipe(buffer.span(), writer);
  stop.record(writer);
  written.record(writer);
  reader.wait(written);
  std::vector<std::byte> tail(8, std::byte{1});
  copy_to_host(std::span<std::byte>(tail), buffer.span().subspan(count - 8, 8), reader);
  reader.synchronize();
  EXPECT_EQ(tail, std::vector<std::byte>(8));
  EXPECT_GT(Event::milliseconds(start, stop), 0.0f);
}

}  // namespace
}  // namespace fugu::device
