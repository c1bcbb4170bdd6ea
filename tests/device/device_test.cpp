// The device manager: what it does with a GPU (label gpu), and what it reports without one.
#include "fugu/device/device.hpp"
#include "fugu/cipher/schedule.hpp"
#include "fugu/device/buffer.hpp"
#include "fugu/device/context.hpp"
#include "fugu/device/detail/inspection.hpp"
#include "fugu/device/peer.hpp"
#include "fugu/engine/registry.hpp"
#include "support/gpu.hpp"
#include "support/testing.hpp"

namespace fugu::device {
namespace {

// The pool returns the same address again, and its next owner must read zeros there.
void expect_wiped_on_release(const Context& context) {
  const Stream stream(context);
  const std::size_t count = 1 << 20;
  const std::vector<std::byte> secret(count, std::byte{0xa5});
  const std::byte* where = nullptr;
  {
    const Buffer<std::byte> buffer(stream, count);
    where = buffer.data();
    copy_to_device(buffer.span(), std::span<const std::byte>(secret), stream);
    stream.synchronize();
  }
  const Buffer<std::byte> again(stream, count);
  ASSERT_EQ(again.data(), where) << "the pool gave other memory: this test would prove nothing";
  std::vector<std::byte> seen(count, std::byte{1});
  copy_to_host(std::span<std::byte>(seen), again.span(), stream);
  stream.synchronize();
  EXPECT_EQ(seen, std::vector<std::byte>(count));
  EXPECT_EQ(context.stats().failed_wipes, 0u);
}

std::vector<bool> started_devices() {
  std::vector<bool> started;
  for (const DeviceInfo& info : inventory().devices) started.push_back(has_primary_context(info.index));
  return started;
}

// Does a GPU's whole work: a cipher's kernels, copies, events, and secrets that are wiped.
void work_on(int index) {
  const auto engine = engine::make("cuda:" + std::to_string(index));
  cipher::Schedule schedule;
  cipher::expand(std::vector<std::byte>(16, std::byte{7}), schedule);
  std::vector<std::byte> data(std::size_t{1} << 20);
  engine::Segment segment;
  segment.schedule = &schedule;
  segment.in = data;
  segment.out = data;
  engine->run(engine::Op::ecb_encrypt, {&segment, 1});
  Context context(index);
  Stream stream(context);
  Event event(context, EventKind::order);
  Buffer<std::byte> buffer(stream, data.size());
  copy_to_device(buffer.span(), std::span<const std::byte>(data), stream);
  event.record(stream);
  stream.wait(event);
  stream.synchronize();
}

// Runs before all other tests, while the process has started no GPU: a context takes some 0.5 GB of its
// device.
TEST(DeviceTwoGpus, work_on_one_starts_nothing_on_the_other) {
  FUGU_NEED_GPU(2);
  const Context context(1);
  std::vector<bool> expected(inventory().devices.size(), false);
  expected[1] = true;
  if (started_devices() != expected) GTEST_SKIP() << "another test of this process has started a GPU";
  work_on(1);
  EXPECT_EQ(started_devices(), expected);
}

TEST(DeviceTwoGpus, the_callers_current_device_stays) {
  FUGU_NEED_GPU(2);
  for (const int caller : {0, 1}) {
    set_thread_device(caller);
    for (const int index : {0, 1}) {
      work_on(index);
      EXPECT_EQ(thread_device(), (ThreadDevice{caller, true})) << "after work on " << index;
    }
  }
  set_thread_device(0);
}

TEST(DeviceTwoGpus, secrets_are_wiped_while_another_device_is_current) {
  FUGU_NEED_GPU(2);
  const Context first(0);
  const Context second(1);
  for (const Context& context : {first, second}) {
    set_thread_device(1 - context.info().index);
    expect_wiped_on_release(context);
  }
  set_thread_device(0);
}

TEST(DeviceTwoGpus, a_stream_of_the_other_device_is_refused) {
  FUGU_NEED_GPU(2);
  const Context first(0);
  const Context second(1);
  const Stream stream(first);
  EXPECT_EQ(test::code_of([&] { static_cast<void>(Stream::adopt(second, stream.handle())); }), Errc::usage);
}

TEST(Inventory, has_devices_or_a_reason) {
  const Inventory found = inventory();
  EXPECT_EQ(found.devices.empty(), !found.reason.empty());
}

TEST(Inventory, refuses_a_device_that_is_not_there) {
  const int beyond = static_cast<int>(inventory().devices.size());
  for (const int index : {-1, beyond, beyond + 7}) {
    const Error error = test::error_of([&] { const Context context(index); }).value();
    EXPECT_EQ(error.code(), Errc::no_device) << index;
    EXPECT_FALSE(error.text().empty());
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

TEST(DeviceGpu, an_answer_that_never_came_is_none) {
  FUGU_NEED_GPU(1);
  const Context context(0);
  const Stream stream(context);
  auto& word = *reinterpret_cast<std::uint32_t*>(stream.answer_memory().data());
  word = Stream::kNoAnswer;
  EXPECT_THROW(stream.await_answer(word), Error);
  word = 7;
  EXPECT_NO_THROW(stream.await_answer(word));
}

TEST(DeviceGpu, secret_memory_is_zero_when_it_comes_back) {
  FUGU_NEED_GPU(1);
  expect_wiped_on_release(Context(0));
}

TEST(DeviceGpu, memory_that_cannot_be_wiped_is_reported_and_not_used_again) {
  FUGU_NEED_GPU(1);
  if (!fault_injection_built()) GTEST_SKIP() << "built without FUGU_FAULT_INJECTION";
  const Context context(0);
  const Stream stream(context);
  std::optional<Buffer<std::byte>> buffer(std::in_place, stream, std::size_t{1} << 20);
  inject_fault(1, Fault::launch_failure, false);
  buffer.reset();
  clear_fault();
  EXPECT_EQ(context.stats().failed_wipes, 1u);
  EXPECT_EQ(context.stats().live_device_bytes, 0u);
  EXPECT_THROW(stream.synchronize(), Error);
  EXPECT_NO_THROW(stream.synchronize()) << "the error is reported once";
  EXPECT_THROW(Buffer<std::byte>(stream, 1), Error);
  EXPECT_NO_THROW(Buffer<std::byte>(Stream(Context(0)), 1)) << "a new context has another pool";
}

TEST(DeviceGpu, work_on_an_adopted_stream_is_ordered_with_its_owners) {
  FUGU_NEED_GPU(1);
  Context context(0);
  const Stream theirs(context);
  const std::size_t count = std::size_t{256} << 20;
  PinnedBuffer<std::byte> host(context, count);
  std::fill_n(host.data(), count, std::byte{1});
  {
    const Stream ours = Stream::adopt(context, theirs.handle());
    EXPECT_EQ(ours.handle(), theirs.handle());
    EXPECT_EQ(ours.context().info().index, 0);
    EXPECT_EQ(context.stats().live_streams, 1u) << "only the owner's stream";
    const Buffer<std::byte> buffer(ours, count);
    wipe(buffer.span(), theirs);
    copy_to_host(host.span(), buffer.span(), ours);
  }
  theirs.synchronize();
  EXPECT_EQ(host.data()[count - 1], std::byte{0});
  EXPECT_EQ(context.stats().live_device_bytes, 0u);
}

TEST(DeviceGpu, the_null_stream_is_not_adopted) {
  FUGU_NEED_GPU(1);
  EXPECT_THROW(static_cast<void>(Stream::adopt(Context(0), nullptr)), Error);
}

TEST(DeviceGpu, tells_pinned_memory_from_pageable) {
  FUGU_NEED_GPU(1);
  const Context context(0);
  const PinnedBuffer<std::byte> pinned(context, 4096);
  const std::vector<std::byte> pageable(4096);
  EXPECT_TRUE(is_pinned(context, pinned.data(), 4096));
  EXPECT_TRUE(is_pinned(context, pinned.data() + 100, 8));
  EXPECT_FALSE(is_pinned(context, pageable.data(), 4096));
  EXPECT_TRUE(is_pinned(context, pageable.data(), 0));
}

// Two pages are registered, but not the page between them, so no copy could read all three.
TEST(DeviceGpu, pinned_ends_do_not_make_the_middle_pinned) {
  FUGU_NEED_GPU(1);
  const Context context(0);
  constexpr std::size_t kPage = 4096;
  const std::unique_ptr<std::byte, decltype(&std::free)> memory(
      static_cast<std::byte*>(std::aligned_alloc(kPage, 3 * kPage)), std::free);
  const PinnedRange first(context, memory.get(), kPage);
  const PinnedRange last(context, memory.get() + 2 * kPage, kPage);
  EXPECT_TRUE(is_pinned(context, memory.get(), kPage));
  EXPECT_TRUE(is_pinned(context, memory.get() + 2 * kPage, kPage));
  EXPECT_FALSE(is_pinned(context, memory.get(), 3 * kPage));
}

// In tests/distributed/gpu_test.cpp other processes copy into it.
TEST(DeviceGpu, exported_memory_is_zero_and_freed) {
  FUGU_NEED_GPU(1);
  const Context context(0);
  const Stream stream(context);
  {
    const ExportedMemory memory(stream, 1 << 20);
    EXPECT_EQ(context.stats().live_device_bytes, std::uint64_t{1} << 20);
    std::vector<std::byte> there(memory.bytes(), std::byte{1});
    copy_to_host(std::span(there), DeviceSpan<const std::byte>{memory.data(), memory.bytes()}, stream);
    stream.synchronize();
    EXPECT_TRUE(std::ranges::all_of(there, [](std::byte x) { return x == std::byte{0}; }));
  }
  EXPECT_EQ(context.stats().live_device_bytes, 0U);
}

TEST(DeviceGpu, reports_too_large_an_export_and_an_unknown_handle) {
  FUGU_NEED_GPU(1);
  const Context context(0);
  EXPECT_THROW(ExportedMemory(Stream(context), std::size_t{1} << 50), Error);
  EXPECT_THROW(ImportedMemory(context, ExportHandle{}), Error);
  EXPECT_EQ(context.stats().live_device_bytes, 0U);
}

TEST(DeviceGpu, reports_too_large_an_allocation_and_goes_on) {
  FUGU_NEED_GPU(1);
  Context context(0);
  Stream stream(context);
  const std::size_t too_large = std::numeric_limits<std::size_t>::max() / 4096;
  const Error error = test::error_of([&] { const Buffer<std::byte> buffer(stream, too_large); }).value();
  EXPECT_EQ(error.code(), Errc::engine);
  EXPECT_NE(error.text().find("cudaErrorMemoryAllocation"), std::string::npos) << error.text();
  EXPECT_NE(error.text().find("buffer.cpp:"), std::string::npos) << error.text();
  const Buffer<std::byte> small(stream, 16);
  stream.synchronize();
  EXPECT_EQ(context.stats().live_device_bytes, 16u);
}

// The copy takes milliseconds. Without the wait the host would still see its own bytes.
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
