// The device manager of a build without CUDA: the same functions, and no device.
//
// A Context cannot be constructed, so functions that take one are unreachable.
#include "fugu/device/buffer.hpp"
#include "fugu/device/detail/inspection.hpp"
#include "fugu/device/peer.hpp"
#include "fugu/error.hpp"

namespace fugu::device {
namespace {

constexpr const char* kReason = "this build has no CUDA";

[[noreturn]] void no_device() {
  throw Error(Errc::no_device, std::string("no GPU: ") + kReason);
}

}  // namespace

namespace detail {

struct ContextState {
  DeviceInfo info;
};
struct StreamState {
  Context context;
};

CurrentDevice::CurrentDevice(const ContextState&) {
  no_device();
}
CurrentDevice::CurrentDevice(const ContextState&, std::nothrow_t) noexcept {}
CurrentDevice::~CurrentDevice() = default;
void end_launch(const char*, int, const char*, int) {
  no_device();
}
void copy_to_device(void*, const void*, std::size_t, const Stream&) {
  no_device();
}
void copy_to_host(void*, const void*, std::size_t, const Stream&) {
  no_device();
}
void copy_on_device(void*, const void*, std::size_t, const Stream&) {
  no_device();
}
void fill_zero(void*, std::size_t, const Stream&) {
  no_device();
}

}  // namespace detail

bool built_with_cuda() noexcept {
  return false;
}

int device_of(const void*) {
  no_device();
}

Inventory inventory() {
  Inventory none;
  none.reason = kReason;
  return none;
}

Stats process_stats() noexcept {
  return {};
}

Context::Context(int, std::uint64_t) {
  no_device();
}
const DeviceInfo& Context::info() const noexcept {
  return state_->info;
}
Stats Context::stats() const noexcept {
  return {};
}
void Context::synchronize() {
  no_device();
}

Stream::Stream(const Context&) {
  no_device();
}
Stream Stream::adopt(const Context&, StreamHandle) {
  no_device();
}
StreamHandle Stream::handle() const noexcept {
  return nullptr;
}
const Context& Stream::context() const noexcept {
  return state_->context;
}
void Stream::synchronize() const {
  no_device();
}
bool Stream::drain() const noexcept {
  return false;
}
void Stream::wait(const Event&) const {
  no_device();
}

std::span<std::byte> Stream::answer_memory() const {
  no_device();
}

void Stream::await_answer(std::uint32_t&) const {
  no_device();
}

Event::Event(const Context&, EventKind) {
  no_device();
}
void Event::Destroy::operator()(EventHandle) const noexcept {}
void Event::record(const Stream&) {
  no_device();
}
void Event::synchronize() {
  no_device();
}
float Event::milliseconds(const Event&, const Event&) {
  no_device();
}

Memory::Memory(const Stream&, std::size_t, Contents) {
  no_device();
}
void Memory::Free::operator()(std::byte*) const noexcept {}

PinnedMemory::PinnedMemory(const Context&, std::size_t) {
  no_device();
}
void PinnedMemory::Free::operator()(std::byte*) const noexcept {}

PinnedRange::PinnedRange(const Context&, std::byte*, std::size_t) {
  no_device();
}
void PinnedRange::Unlock::operator()(std::byte*) const noexcept {}

ExportedMemory::ExportedMemory(const Stream&, std::size_t) {
  no_device();
}
void ExportedMemory::Free::operator()(std::byte*) const noexcept {}

ImportedMemory::ImportedMemory(const Context&, const ExportHandle&) {
  no_device();
}
void ImportedMemory::Close::operator()(std::byte*) const noexcept {}

bool is_pinned(const Context&, const void*, std::size_t) noexcept {
  return false;
}

bool fault_injection_built() noexcept {
  return false;
}
void inject_fault(std::uint64_t, Fault, bool) noexcept {}
void clear_fault() noexcept {}
std::uint64_t counted_calls() noexcept {
  return 0;
}

bool has_primary_context(int) {
  return false;
}
ThreadDevice thread_device() {
  no_device();
}
void set_thread_device(int) {
  no_device();
}
std::vector<HeldMemory> held_memory() {
  return {};
}
void on_release(std::function<void(const HeldMemory&)>) {}

}  // namespace fugu::device
