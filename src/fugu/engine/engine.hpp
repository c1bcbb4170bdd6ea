// The interface of all bulk engines: the data-parallel operations of Blowfish on whole blocks.
//
// A call may hold many segments, each with its own key and position, so the same call serves threads, GPU
// slices, sealed files (a key per segment) and resumed ranges. Partial blocks, padding and serial chains (CBC
// and CFB encryption, OFB) belong to fugu::mode.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "fugu/cipher/schedule.hpp"
#include "fugu/core/block.hpp"
#include "fugu/export.hpp"

namespace fugu::engine {

using core::Op;

// A run of whole blocks under one key.
struct Segment {
  const cipher::Schedule* schedule = nullptr;

  // ctr: the counter of block 0. cbc_decrypt, cfb_decrypt: the memory image of the ciphertext block before
  // in[0], first byte most significant (core::load_u64_big). ecb: unused.
  std::uint64_t iv = 0;

  // ctr: position of in[0], so that its counter is iv + first_block modulo 2^64. Others: unused.
  std::uint64_t first_block = 0;

  std::span<const std::byte> in;  // a multiple of 8 bytes, any alignment
  std::span<std::byte> out;       // same size; identical to `in` or disjoint from every `in` of the call

  core::ByteOrder words = core::ByteOrder::big;    // how a block's two words lie in memory
  core::ByteOrder counter = core::ByteOrder::big;  // ctr: how the 64-bit counter lies in memory
};

// Move-only memory from an engine (64-byte aligned; pinned for CUDA), wiped before it is freed.
class FUGU_EXPORT Chunk {
 public:
  // Wipes and frees the memory. Supplied by the allocator, which knows the cheapest way.
  struct Free {
    void (*function)(std::byte*, std::size_t bytes, void* context) noexcept;
    void* context;
  };

  Chunk() = default;
  Chunk(std::byte* data, std::size_t bytes, Free free) : data_(data), bytes_(bytes), free_(free) {}
  Chunk(Chunk&& other) noexcept;
  Chunk& operator=(Chunk&& other) noexcept;
  ~Chunk();

  std::byte* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return bytes_; }
  std::span<std::byte> span() const noexcept { return {data_, bytes_}; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  Free free_{};
};

// Host memory for engines that read it with the CPU. Throws std::bad_alloc.
FUGU_EXPORT Chunk allocate_host_chunk(std::size_t bytes);

// Work that accompanies a call's segments, on the threads that process them. Either function may be empty.
// When one throws, segments that have begun end, others may be left out, and the first exception is rethrown.
struct SegmentHooks {
  // before(i): once per segment, ahead of its first block; false skips the segment.
  std::function<bool(std::size_t)> before = {};

  // after(i): once per processed segment, when its output is complete.
  std::function<void(std::size_t)> after = {};
};

class FUGU_EXPORT Engine {
 public:
  virtual ~Engine() = default;

  virtual std::string_view name() const noexcept = 0;

  // Blocks until every segment is written. Thread-safe and stateless. Throws Error{usage} when a segment
  // breaks the rules above (nothing is written then), Error{engine} when the engine fails.
  virtual void run(Op op, std::span<const Segment> segments) = 0;

  // run() with hooks. Engines that can, call them on the thread that processes the segment, while it is in
  // cache. This default calls them all before, and all after, run(), on the calling thread.
  virtual void run_with(Op op, std::span<const Segment> segments, const SegmentHooks& hooks);

  // Memory that this engine reads and writes fastest.
  virtual Chunk allocate(std::size_t bytes) { return allocate_host_chunk(bytes); }

  // The bytes per call beyond which larger calls gain nothing.
  virtual std::size_t preferred_chunk_bytes() const noexcept = 0;

  // The CPU threads that its user may keep busy at a time, with calls or with reading and writing beside
  // them. A call in a turn of a threads::ThreadPool stays on its thread.
  virtual unsigned threads() const noexcept { return 1; }
};

// Throws Error{usage} when a segment breaks Segment's rules; engines call it first.
FUGU_EXPORT void check_segments(Op op, std::span<const Segment> segments);

// The fastest CPU kernel on the calling thread, for callers that have threads of their own. Starts no thread,
// allocates nothing for calls of one segment and keeps no state: any number of callers may share it, also
// after fork(). It lives as long as the process.
FUGU_EXPORT Engine& local_engine() noexcept;

}  // namespace fugu::engine
