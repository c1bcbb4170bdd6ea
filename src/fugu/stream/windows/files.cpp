// Files as sources, and new files, which Windows gives the permissions of their directory. Until it has its
// final name, a file is marked for deletion: it disappears with its handle, even when the process is killed.
#include "fugu/stream/output_file.hpp"

#include <algorithm>
#include <array>

#include "fugu/platform/system.hpp"
#include "fugu/platform/windows/files.hpp"
#include "fugu/stream/hex.hpp"
#include "fugu/stream/source.hpp"

namespace fugu::stream {
namespace {

// Times of files: Windows counts units of 100 ns since 1601.
constexpr std::int64_t kUnitsPerSecond = 10'000'000;
constexpr std::int64_t kSecondsUntil1970 = 11'644'473'600;

timespec time_of(const FILETIME& time) {
  const auto units = static_cast<std::int64_t>(std::uint64_t{time.dwHighDateTime} << 32 | time.dwLowDateTime);
  timespec result{};
  result.tv_sec = units / kUnitsPerSecond - kSecondsUntil1970;
  result.tv_nsec = static_cast<long>(units % kUnitsPerSecond * 100);
  return result;
}

FILETIME file_time_of(const timespec& time) {
  const auto units =
      static_cast<std::uint64_t>((time.tv_sec + kSecondsUntil1970) * kUnitsPerSecond + time.tv_nsec / 100);
  return {static_cast<DWORD>(units), static_cast<DWORD>(units >> 32)};
}

std::uint64_t of_halves(DWORD high, DWORD low) {
  return std::uint64_t{high} << 32 | low;
}

BY_HANDLE_FILE_INFORMATION information_of(HANDLE file) {
  BY_HANDLE_FILE_INFORMATION information{};
  if (::GetFileType(file) != FILE_TYPE_DISK) throw Error(Errc::usage, "is not a regular file");
  if (::GetFileInformationByHandle(file, &information) == 0) throw platform::last_error("cannot open");
  return information;
}

platform::Handle open_to_read(const std::string& path) {
  const std::wstring name = platform::wide(path);
  const DWORD attributes = ::GetFileAttributesW(name.c_str());
  if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0)
    throw Error(Errc::io, "is a directory");
  return platform::open_handle("cannot open", name, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE,
                               OPEN_EXISTING);
}

class FileSource final : public Source {
 public:
  explicit FileSource(const std::string& path)
      : path_(path), file_(open_to_read(path)), information_(information_of(file_.get())) {}

  std::size_t read(std::span<std::byte> into) override {
    const std::size_t got = copy_from(into, at_);
    at_ += got;
    return got;
  }

  std::optional<std::uint64_t> size_bytes() const override {
    return of_halves(information_.nFileSizeHigh, information_.nFileSizeLow);
  }

  bool read_at(std::span<std::byte> into, std::uint64_t offset) override {
    return copy_from(into, offset) == into.size();
  }

  std::optional<std::uint64_t> offset() override { return at_; }

  void advance(std::uint64_t bytes) override { at_ += bytes; }

  std::optional<FileId> file_id() const override {
    return FileId{information_.dwVolumeSerialNumber,
                  of_halves(information_.nFileIndexHigh, information_.nFileIndexLow)};
  }

  std::optional<FileAttributes> attributes() const override {
    return FileAttributes{.permissions = {}, .group = {}, .modified = time_of(information_.ftLastWriteTime)};
  }

  std::unique_ptr<Source> companion(std::string_view extension) const override {
    const std::filesystem::path beside =
        std::filesystem::path(platform::wide(path_)).replace_extension(platform::wide(extension));
    if (::GetFileAttributesW(beside.c_str()) == INVALID_FILE_ATTRIBUTES) return nullptr;
    return open_file(platform::narrow(beside.native()));
  }

 private:
  // Fills `into` up to the end of the file. Every call says where it reads, so threads may read at a time.
  std::size_t copy_from(std::span<std::byte> into, std::uint64_t offset) const {
    constexpr std::size_t kMaxAtOnce = std::size_t{1} << 30;
    std::size_t filled = 0;
    while (filled < into.size()) {
      OVERLAPPED place{};
      place.Offset = static_cast<DWORD>(offset + filled);
      place.OffsetHigh = static_cast<DWORD>((offset + filled) >> 32);
      const auto step = static_cast<DWORD>(std::min(into.size() - filled, kMaxAtOnce));
      DWORD got = 0;
      if (::ReadFile(file_.get(), into.data() + filled, step, &got, &place) == 0 &&
          ::GetLastError() != ERROR_HANDLE_EOF)
        throw platform::last_error("read failed");
      if (got == 0) break;
      filled += got;
    }
    return filled;
  }

  std::string path_;
  platform::Handle file_;
  BY_HANDLE_FILE_INFORMATION information_;
  std::uint64_t at_ = 0;
};

std::filesystem::path new_name_beside(const std::filesystem::path& target) {
  std::array<std::byte, 8> random;
  platform::system_random(random);
  std::array<char, 2 * random.size()> digits;
  encode_hex(random, digits.data());
  return target.parent_path() / (L".fugu-" + platform::wide({digits.data(), digits.size()}));
}

}  // namespace

std::unique_ptr<Source> open_file(const std::string& path, unsigned) {
  return std::make_unique<FileSource>(path);
}

// Members of OutputFile that only POSIX needs.
class Descriptor {};
class FileWriter {};
class HugePages {};
struct OutputFile::Replaced {};

class TemporaryFile {
 public:
  explicit TemporaryFile(std::filesystem::path target)
      : target_(std::move(target)),
        name_(new_name_beside(target_)),
        file_(platform::open_handle("cannot create a file", name_.native(), GENERIC_WRITE | DELETE, 0,
                                    CREATE_NEW)),
        is_marked_(mark_for_deletion(true)) {}

  ~TemporaryFile() {
    if (file_ == nullptr) return;
    file_.reset();
    ::DeleteFileW(name_.c_str());  // where files cannot be marked
  }

  void write(std::span<const std::byte> from) {
    constexpr std::size_t kMaxAtOnce = std::size_t{1} << 30;
    while (!from.empty()) {
      DWORD put = 0;
      if (::WriteFile(file_.get(), from.data(), static_cast<DWORD>(std::min(from.size(), kMaxAtOnce)), &put,
                      nullptr) == 0)
        throw platform::last_error("write failed");
      from = from.subspan(put);
    }
  }

  void publish(const std::optional<timespec>& modified) {
    if (::FlushFileBuffers(file_.get()) == 0) throw platform::last_error("sync failed");
    const FILETIME time = file_time_of(modified.value_or(timespec{}));
    if (modified && ::SetFileTime(file_.get(), nullptr, nullptr, &time) == 0)
      throw platform::last_error("cannot set the modification time");
    if (is_marked_ && !mark_for_deletion(false)) throw platform::last_error("cannot keep its file");
    file_.reset();
    if (::MoveFileExW(name_.c_str(), target_.c_str(), MOVEFILE_WRITE_THROUGH) != 0) return;
    const Error error = ::GetLastError() == ERROR_ALREADY_EXISTS || ::GetLastError() == ERROR_FILE_EXISTS
                            ? Error(Errc::io, "appeared while it was written; not overwritten")
                            : platform::last_error("rename failed");
    ::DeleteFileW(name_.c_str());
    throw error;
  }

 private:
  bool mark_for_deletion(bool marked) const noexcept {
    FILE_DISPOSITION_INFO disposition{};
    disposition.DeleteFile = marked;
    return ::SetFileInformationByHandle(file_.get(), FileDispositionInfo, &disposition, sizeof disposition) !=
           0;
  }

  std::filesystem::path target_;
  std::filesystem::path name_;
  platform::Handle file_;
  bool is_marked_;
};

OutputFile::OutputFile(const std::string& path, const OutputFileOptions& options) : options_(options) {
  const std::filesystem::path target = platform::wide(path);
  if (::GetFileAttributesW(target.c_str()) != INVALID_FILE_ATTRIBUTES)
    throw Error(Errc::io, "exists; not overwritten");
  temporary_ = std::make_unique<TemporaryFile>(target);
}

OutputFile::~OutputFile() = default;

void OutputFile::write_parts(std::span<const std::span<const std::byte>> parts) {
  whole_ = false;
  for (const std::span<const std::byte> part : parts) temporary_->write(part);
  whole_ = true;
}

void OutputFile::reserve(std::uint64_t) {}  // a full disk is noticed when it is written

bool OutputFile::begin_parts(std::uint64_t) {
  return false;
}

std::unique_ptr<Sink> OutputFile::part(std::uint64_t) {
  return nullptr;
}

void OutputFile::advance(std::uint64_t) {}

void OutputFile::commit() {
  if (!whole_) throw Error(Errc::io, "is incomplete: a write failed");
  temporary_->publish(options_.like ? options_.like->modified : std::nullopt);
}

}  // namespace fugu::stream
