#include "fugu/format/detail/inflate.hpp"

#include <bzlib.h>
#include <zlib.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <new>

#include "fugu/core/wipe.hpp"
#include "fugu/format/detail/filters.hpp"

namespace fugu::format {
namespace {

constexpr std::size_t kStepBytes = std::size_t{64} << 10;
constexpr int kDeflateWindow = MAX_WBITS;

[[noreturn]] void broken() {
  throw Error(Errc::damaged, "the compressed data inside is damaged");
}

// Memory for zlib and bzip2, whose windows hold plaintext. A failure is a null pointer, as both expect.
constexpr std::size_t kSizeBytes = alignof(std::max_align_t);

template <class Count>
void* allocate_wiped(void*, Count items, Count item_bytes) noexcept {
  const std::size_t bytes =
      kSizeBytes + static_cast<std::size_t>(items) * static_cast<std::size_t>(item_bytes);
  void* const memory = std::malloc(bytes);
  if (memory == nullptr) return nullptr;
  std::memcpy(memory, &bytes, sizeof bytes);
  return static_cast<std::byte*>(memory) + kSizeBytes;
}

void free_wiped(void*, void* memory) noexcept {
  if (memory == nullptr) return;
  std::byte* const begin = static_cast<std::byte*>(memory) - kSizeBytes;
  std::size_t bytes = 0;
  std::memcpy(&bytes, begin, sizeof bytes);
  core::wipe_touched(begin, bytes);
  std::free(begin);
}

// Runs a step of zlib or bzip2, whose streams have fields of the same names, and removes from `in` and `out`
// what the step used. Returns its status.
template <class Stream, class Run>
int step_with(Stream& stream, std::span<const std::byte>& in, std::span<std::byte>& out, Run run) {
  using Count = decltype(stream.avail_in);
  constexpr std::size_t kMost = std::numeric_limits<Count>::max();
  const auto given = static_cast<Count>(std::min(in.size(), kMost));
  stream.next_in = reinterpret_cast<decltype(stream.next_in)>(const_cast<std::byte*>(in.data()));
  stream.avail_in = given;
  stream.next_out = reinterpret_cast<decltype(stream.next_out)>(out.data());
  stream.avail_out = static_cast<Count>(out.size());
  const int status = run(&stream);
  in = in.subspan(given - stream.avail_in);
  out = out.last(stream.avail_out);
  return status;
}

// One zlib stream. step() takes input and room, and returns whether the stream has ended.
class Zlib {
 public:
  explicit Zlib(Compression compression) {
    const int bits = compression == Compression::deflate ? -kDeflateWindow
                     : compression == Compression::gzip  ? kDeflateWindow + 16
                                                         : kDeflateWindow;
    stream_.zalloc = allocate_wiped<uInt>;
    stream_.zfree = free_wiped;
    if (inflateInit2(&stream_, bits) != Z_OK) throw std::bad_alloc();
  }
  Zlib(const Zlib&) = delete;
  Zlib& operator=(const Zlib&) = delete;
  ~Zlib() { inflateEnd(&stream_); }

  bool step(std::span<const std::byte>& in, std::span<std::byte>& out) {
    const int status = step_with(stream_, in, out, [](z_stream* s) { return inflate(s, Z_NO_FLUSH); });
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) broken();
    return status == Z_STREAM_END;
  }
  void restart() { inflateReset(&stream_); }

 private:
  z_stream stream_{};
};

class Bzip2 {
 public:
  Bzip2() { start(); }
  Bzip2(const Bzip2&) = delete;
  Bzip2& operator=(const Bzip2&) = delete;
  ~Bzip2() { BZ2_bzDecompressEnd(&stream_); }

  // When libbz2 meets damage, it may not report the bytes of that call, so each call asks for few. GnuPG asks
  // for 255: a divisor of that loses no byte that GnuPG gives.
  bool step(std::span<const std::byte>& in, std::span<std::byte>& out) {
    constexpr std::size_t kMost = 51;
    int status = BZ_OK;
    for (bool is_full = true; is_full && status == BZ_OK && !out.empty();) {
      auto part = out.first(std::min(out.size(), kMost));
      const std::size_t room = part.size();
      status = step_with(stream_, in, part, BZ2_bzDecompress);
      out = out.subspan(room - part.size());
      is_full = part.empty();
    }
    if (status == BZ_MEM_ERROR) throw std::bad_alloc();
    if (status != BZ_OK && status != BZ_STREAM_END) broken();
    return status == BZ_STREAM_END;
  }
  void restart() {
    BZ2_bzDecompressEnd(&stream_);
    start();
  }

 private:
  void start() {
    stream_ = {};
    stream_.bzalloc = allocate_wiped<int>;
    stream_.bzfree = free_wiped;
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
  }

  bz_stream stream_{};
};

template <class Library>
class Inflater final : public Filter {
 public:
  template <class... Arguments>
  Inflater(bool repeats, stream::Sink& inner, OutputLimit limit, Arguments... arguments)
      : Filter(inner), library_(arguments...), repeats_(repeats), limit_(limit) {}
  ~Inflater() override { core::wipe(out_.data(), out_.size()); }

  void write(std::span<const std::byte> from) override {
    std::span<std::byte> room;
    do {
      if (ended_ && from.empty()) return;
      if (ended_) begin_again();
      room = out_;
      const std::size_t before = from.size();
      try {
        ended_ = library_.step(from, room);
      } catch (const Error&) {  // what came before the damage
        pass(std::span(out_).first(out_.size() - room.size()));
        throw;
      }
      in_bytes_ += before - from.size();
      pass(std::span(out_).first(out_.size() - room.size()));
    } while (!from.empty() || (!ended_ && room.empty()));
  }
  void finish() override {
    if (!ended_) throw Error(Errc::damaged, "the compressed data inside ends early");
    inner_.finish();
  }

 private:
  void begin_again() {
    if (!repeats_) throw Error(Errc::damaged, "there are bytes after the end of the compressed data");
    library_.restart();
    ended_ = false;
  }
  void pass(std::span<const std::byte> bytes) {
    out_bytes_ += bytes.size();
    limit_.check(in_bytes_, out_bytes_);
    if (!bytes.empty()) inner_.write(bytes);
  }

  Library library_;
  bool repeats_;
  OutputLimit limit_;
  std::array<std::byte, kStepBytes> out_;
  std::uint64_t in_bytes_ = 0;
  std::uint64_t out_bytes_ = 0;
  bool ended_ = false;
};

}  // namespace

void OutputLimit::check(std::uint64_t in, std::uint64_t out) const {
  if (bytes_ && out > *bytes_) {
    throw OverLimit(Errc::damaged, "the content inflates to more than the " + std::to_string(*bytes_) +
                                       " bytes of ⟦max-output⟧");
  }
  if (!bytes_ && out > kAlwaysAllowedBytes && out / kUsualExpansion > in) {
    throw OverLimit(
        Errc::damaged,
        "the content inflates to more than " + std::to_string(kUsualExpansion) +
            " times its size, as files made to fill a disk do; if that is right, give ⟦max-output⟧");
  }
}

std::unique_ptr<stream::Sink> inflater(Compression compression, stream::Sink& inner, OutputLimit limit) {
  if (compression == Compression::bzip2) return std::make_unique<Inflater<Bzip2>>(true, inner, limit);
  return std::make_unique<Inflater<Zlib>>(compression == Compression::gzip, inner, limit, compression);
}

}  // namespace fugu::format
