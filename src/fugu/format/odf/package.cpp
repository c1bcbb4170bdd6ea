// Adapts a source and a sink to libzip. libzip takes both for one file that it reads at random and replaces:
// its reader is the source, and its writes go to the sink as soon as they are final.
#include "fugu/format/odf/detail/package.hpp"

#include <zip.h>

#include <exception>
#include <list>

#include "fugu/format/detail/message.hpp"
#include "fugu/format/salvage.hpp"

namespace fugu::format {
namespace {

constexpr std::size_t kStepBytes = std::size_t{64} << 10;

// libzip's own error, which every libzip source must hold.
class ZipError {
 public:
  ZipError() { zip_error_init(&error_); }
  ~ZipError() { zip_error_fini(&error_); }
  ZipError(const ZipError&) = delete;
  ZipError& operator=(const ZipError&) = delete;
  zip_error_t* get() { return &error_; }

 private:
  zip_error_t error_;
};

// Runs a step for libzip, through which no exception may propagate.
template <class Step>
zip_int64_t guarded(std::exception_ptr& failure, zip_error_t* error, Step step) {
  try {
    return step();
  } catch (...) {
    if (!failure) failure = std::current_exception();
    zip_error_set(error, ZIP_ER_INTERNAL, 0);
    return -1;
  }
}

constexpr std::string_view kEndRecord64 = "PK\x06\x06", kLocator64 = "PK\x06\x07";
constexpr std::size_t kEndRecord64Bytes = 56, kLocator64Bytes = 20;
constexpr std::size_t kMaxCommentBytes = 0xffff;

// The end of a zip archive (APPNOTE.TXT, 4.3.14 to 4.3.16), of which libzip reads what it can.
struct ArchiveEnd {
  std::span<const std::byte> bytes;  // the last ones
  std::uint64_t offset;              // of the first of these bytes

  std::uint64_t field(std::size_t at, std::size_t size) const { return load_little(bytes.subspan(at, size)); }

  // Whether a directory that the record describes ends where the record begins.
  bool is_directorys_end(std::size_t record) const {
    const bool has_64 =
        record >= kLocator64Bytes && starts_with(bytes.subspan(record - kLocator64Bytes), kLocator64);
    if (!has_64) return field(record + 16, 4) + field(record + 12, 4) == offset + record;
    if (record < kLocator64Bytes + kEndRecord64Bytes) return false;
    const std::size_t record_64 = record - kLocator64Bytes - kEndRecord64Bytes;
    return starts_with(bytes.subspan(record_64), kEndRecord64) &&
           field(record - kLocator64Bytes + 8, 8) == offset + record_64 &&
           field(record_64 + 48, 8) + field(record_64 + 40, 8) == offset + record_64;
  }
  // Whether they end in a record with its comment.
  bool is_whole() const {
    for (std::size_t at = bytes.size(); at-- != 0;) {
      if (bytes.size() - at < kEndRecordBytes || !starts_with(bytes.subspan(at), kEndRecord)) continue;
      if (at + kEndRecordBytes + field(at + 20, 2) == bytes.size()) return is_directorys_end(at);
    }
    return false;
  }
};

void require_end(stream::Source& source, std::uint64_t size_bytes) {
  constexpr std::size_t kMost = kMaxCommentBytes + kEndRecordBytes + kLocator64Bytes + kEndRecord64Bytes;
  std::vector<std::byte> last(static_cast<std::size_t>(std::min<std::uint64_t>(size_bytes, kMost)));
  const std::uint64_t offset = size_bytes - last.size();
  if (!last.empty() && !source.read_at(last, offset)) throw Error(Errc::io, "its end cannot be read");
  if (!ArchiveEnd{last, offset}.is_whole())
    throw Error(Errc::damaged, "the zip archive is damaged or truncated, or bytes follow its end");
}

zip_int64_t new_offset(std::uint64_t at, std::uint64_t end, void* data, zip_uint64_t bytes,
                       zip_error_t* error) {
  return zip_source_seek_compute_offset(at, end, data, bytes, error);
}

}  // namespace

struct OdfPackage::State {
  struct Replacement {
    Replacement(State& owner, std::function<OdfContent()> maker, const zip_stat_t& replaced)
        : state(owner), make(std::move(maker)), before(replaced) {}

    State& state;
    std::function<OdfContent()> make;
    zip_stat_t before;  // state of the replaced file
    OdfContent content;
    bool is_made = false;
    std::optional<zip_stat_t> after;  // state of `content`, even after it is freed
    std::size_t at = 0;
    ZipError error;
  };

  State(stream::Source& from, stream::PumpCounters* count, std::uint64_t bytes)
      : source(from), counters(count), source_bytes(bytes) {}

  stream::Source& source;
  stream::PumpCounters* counters;
  std::uint64_t source_bytes;
  std::uint64_t read_at = 0;
  zip_t* archive = nullptr;
  std::list<Replacement> replacements;
  stream::Sink* sink = nullptr;
  OutputLimit limit;      // on what is written
  core::WipedBytes held;  // the file being written: its header is written twice
  bool holds = false;
  std::uint64_t held_from = 0;  // offset of held[0]
  std::uint64_t write_at = 0;
  std::exception_ptr failure;
  ZipError error;

  void release() {
    if (!held.empty()) sink->write(held);
    held_from += held.size();
    held.clear();
    holds = false;
  }
  void begin_file() {
    if (holds) return;
    release();
    holds = true;
  }

  zip_int64_t read(std::span<std::byte> into) {
    const std::uint64_t left = source_bytes - std::min(source_bytes, read_at);
    into = first_of(into, left);
    if (!into.empty() && !source.read_at(into, read_at))
      throw Error(Errc::io, "became shorter while it was read");
    read_at += into.size();
    if (counters != nullptr) counters->bytes_read += into.size();
    return static_cast<zip_int64_t>(into.size());
  }
  zip_int64_t write(std::span<const std::byte> from) {
    const std::uint64_t at = write_at - held_from;
    const std::size_t over = std::min<std::size_t>(from.size(), static_cast<std::size_t>(held.size() - at));
    std::ranges::copy(from.first(over), held.begin() + static_cast<std::ptrdiff_t>(at));
    held.insert(held.end(), from.begin() + static_cast<std::ptrdiff_t>(over), from.end());
    write_at += from.size();
    limit.check(source_bytes, write_at);
    if (counters != nullptr) counters->bytes_written += from.size() - over;
    if (!holds) release();
    return static_cast<zip_int64_t>(from.size());
  }
  // Seeks to the beginning of the file being written, or from there to its end, which completes it.
  zip_int64_t seek_write(void* data, zip_uint64_t bytes) {
    const std::uint64_t end = held_from + held.size();
    const zip_int64_t offset = new_offset(write_at, end, data, bytes, error.get());
    if (offset < 0) return -1;
    if (static_cast<std::uint64_t>(offset) < held_from)
      throw Error(Errc::io, "libzip seeks in what has been written already");
    write_at = static_cast<std::uint64_t>(offset);
    if (write_at == end) release();
    return 0;
  }

  zip_int64_t command(void* data, zip_uint64_t bytes, zip_source_cmd_t what) {
    switch (what) {
      case ZIP_SOURCE_OPEN:
        read_at = 0;
        return 0;
      case ZIP_SOURCE_READ:
        return read({static_cast<std::byte*>(data), static_cast<std::size_t>(bytes)});
      case ZIP_SOURCE_SEEK: {
        const zip_int64_t offset = new_offset(read_at, source_bytes, data, bytes, error.get());
        if (offset >= 0) read_at = static_cast<std::uint64_t>(offset);
        return offset < 0 ? -1 : 0;
      }
      case ZIP_SOURCE_TELL:
        return static_cast<zip_int64_t>(read_at);
      case ZIP_SOURCE_STAT: {
        auto* const status = static_cast<zip_stat_t*>(data);
        zip_stat_init(status);
        status->size = source_bytes;
        status->valid = ZIP_STAT_SIZE;
        return sizeof(zip_stat_t);
      }
      case ZIP_SOURCE_WRITE:
        return write({static_cast<const std::byte*>(data), static_cast<std::size_t>(bytes)});
      case ZIP_SOURCE_SEEK_WRITE:
        return seek_write(data, bytes);
      case ZIP_SOURCE_TELL_WRITE:
        return static_cast<zip_int64_t>(write_at);
      case ZIP_SOURCE_COMMIT_WRITE:
        release();
        return 0;
      case ZIP_SOURCE_ERROR:
        return zip_error_to_data(error.get(), data, bytes);
      case ZIP_SOURCE_SUPPORTS:
        return ZIP_SOURCE_SUPPORTS_WRITABLE;
      case ZIP_SOURCE_CLOSE:
      case ZIP_SOURCE_FREE:
      case ZIP_SOURCE_BEGIN_WRITE:
      case ZIP_SOURCE_ROLLBACK_WRITE:
        return 0;
      default:
        zip_error_set(error.get(), ZIP_ER_OPNOTSUPP, 0);
        return -1;
    }
  }
  static zip_int64_t on_archive(void* state, void* data, zip_uint64_t bytes, zip_source_cmd_t what) {
    auto& self = *static_cast<State*>(state);
    return guarded(self.failure, self.error.get(), [&] { return self.command(data, bytes, what); });
  }

  static void make(Replacement& file) {
    if (file.is_made) return;
    file.content = file.make();
    file.is_made = true;
  }
  static zip_stat_t status_of(const Replacement& file) {
    zip_stat_t status;
    zip_stat_init(&status);
    status.size = file.content.bytes.size();
    status.valid = ZIP_STAT_SIZE;
    if (file.content.is_deflated) {
      status.size = file.content.plain_bytes;
      status.comp_size = file.content.bytes.size();
      status.crc = file.content.crc;
      status.comp_method = ZIP_CM_DEFLATE;
      status.valid |= ZIP_STAT_COMP_SIZE | ZIP_STAT_CRC | ZIP_STAT_COMP_METHOD;
    }
    status.mtime = file.before.mtime;
    status.valid |= file.before.valid & ZIP_STAT_MTIME;
    return status;
  }
  // libzip asks once more after closing the file: nothing may be made for that.
  static zip_int64_t tell_status(Replacement& file, void* data) {
    file.state.begin_file();
    if (!file.after) {
      make(file);
      file.after = status_of(file);
    }
    *static_cast<zip_stat_t*>(data) = *file.after;
    return sizeof(zip_stat_t);
  }
  static zip_int64_t give(Replacement& file, std::span<std::byte> into) {
    const std::size_t bytes = std::min(into.size(), file.content.bytes.size() - file.at);
    std::ranges::copy(std::span(file.content.bytes).subspan(file.at, bytes), into.begin());
    file.at += bytes;
    return static_cast<zip_int64_t>(bytes);
  }
  static zip_int64_t command(Replacement& file, void* data, zip_uint64_t bytes, zip_source_cmd_t what) {
    switch (what) {
      case ZIP_SOURCE_OPEN:
        make(file);
        file.at = 0;
        return 0;
      case ZIP_SOURCE_READ:
        return give(file, {static_cast<std::byte*>(data), static_cast<std::size_t>(bytes)});
      case ZIP_SOURCE_CLOSE:
        file.content = {};
        file.is_made = false;
        return 0;
      case ZIP_SOURCE_STAT:
        return tell_status(file, data);
      case ZIP_SOURCE_ERROR:
        return zip_error_to_data(file.error.get(), data, bytes);
      case ZIP_SOURCE_FREE:
        return 0;
      case ZIP_SOURCE_SUPPORTS:
        return ZIP_SOURCE_SUPPORTS_READABLE;
      default:
        zip_error_set(file.error.get(), ZIP_ER_OPNOTSUPP, 0);
        return -1;
    }
  }
  static zip_int64_t on_file(void* replacement, void* data, zip_uint64_t bytes, zip_source_cmd_t what) {
    auto& file = *static_cast<Replacement*>(replacement);
    return guarded(file.state.failure, file.error.get(), [&] { return command(file, data, bytes, what); });
  }

  [[noreturn]] void fail(const std::string& what) {
    if (failure) std::rethrow_exception(failure);
    throw Error(Errc::damaged, what);
  }
};

OdfPackage::OdfPackage(stream::Source& source, stream::PumpCounters* counters) {
  const std::optional<std::uint64_t> bytes = source.size_bytes();
  std::byte first;
  if (!bytes || (*bytes != 0 && !source.read_at({&first, 1}, 0)))
    throw Error(
        Errc::usage,
        "a document has its directory at its end, which cannot be read first from a pipe: give a file");
  require_end(source, *bytes);
  state_ = std::make_unique<State>(source, counters, *bytes);
  zip_source_t* const zip = zip_source_function_create(State::on_archive, state_.get(), state_->error.get());
  if (zip == nullptr) throw std::bad_alloc();
  ZipError error;
  state_->archive = zip_open_from_source(zip, 0, error.get());
  if (state_->archive != nullptr) return;
  zip_source_free(zip);
  state_->fail("the zip archive is damaged or truncated");
}

OdfPackage::~OdfPackage() {
  if (state_ != nullptr && state_->archive != nullptr) zip_discard(state_->archive);
}

bool OdfPackage::holds(std::string_view path) const {
  return zip_name_locate(state_->archive, std::string(path).c_str(), ZIP_FL_ENC_RAW) >= 0;
}

std::vector<std::string> OdfPackage::paths() const {
  std::vector<std::string> all;
  const zip_int64_t count = zip_get_num_entries(state_->archive, 0);
  for (zip_int64_t i = 0; i < count; ++i)
    all.emplace_back(zip_get_name(state_->archive, static_cast<zip_uint64_t>(i), ZIP_FL_ENC_RAW));
  return all;
}

core::WipedBytes OdfPackage::read(const std::string& path, const OutputLimit& limit,
                                  SalvageReport* salvage) const {
  zip_file_t* const opened = zip_fopen(state_->archive, path.c_str(), ZIP_FL_ENC_RAW | ZIP_FL_UNCHANGED);
  if (opened == nullptr) state_->fail("the archive lacks a file that its manifest names, or it is damaged");
  const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file(opened, zip_fclose);
  core::WipedBytes bytes;
  for (zip_int64_t got = 1; got != 0;) {
    const std::size_t had = bytes.size();
    bytes.resize(had + kStepBytes);
    got = zip_fread(file.get(), bytes.data() + had, kStepBytes);
    if (got < 0 && (salvage == nullptr || state_->failure)) state_->fail("a file in the archive is damaged");
    if (got < 0)
      note_damage(*salvage, path + ": its checksum in the archive is wrong, or its end is missing");
    got = std::max<zip_int64_t>(got, 0);
    bytes.resize(had + static_cast<std::size_t>(got));
    limit.check(state_->source_bytes, bytes.size());
  }
  return bytes;
}

void OdfPackage::replace(const std::string& path, std::function<OdfContent()> make) {
  const zip_int64_t index = zip_name_locate(state_->archive, path.c_str(), ZIP_FL_ENC_RAW);
  zip_stat_t before;
  if (index < 0 || zip_stat_index(state_->archive, static_cast<zip_uint64_t>(index), 0, &before) != 0)
    throw Error(Errc::damaged, "the archive lacks a file that its manifest names");
  state_->replacements.emplace_back(*state_, std::move(make), before);
  zip_source_t* const zip =
      zip_source_function(state_->archive, State::on_file, &state_->replacements.back());
  if (zip == nullptr) throw std::bad_alloc();
  if (zip_file_replace(state_->archive, static_cast<zip_uint64_t>(index), zip, 0) == 0) return;
  zip_source_free(zip);
  state_->fail("a file in the archive is damaged");
}

void OdfPackage::write(stream::Sink& sink, const OutputLimit& limit) {
  state_->sink = &sink;
  state_->limit = limit;
  if (zip_close(state_->archive) != 0) state_->fail("the zip archive is damaged");
  state_->archive = nullptr;
}

}  // namespace fugu::format
