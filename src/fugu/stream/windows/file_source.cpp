// Files as sources.
#include <algorithm>
#include <filesystem>

#include "fugu/platform/windows/files.hpp"
#include "fugu/stream/source.hpp"
#include "fugu/stream/windows/detail/file_time.hpp"

namespace fugu::stream {
namespace {

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

}  // namespace

std::unique_ptr<Source> open_file(const std::string& path, unsigned) {
  return std::make_unique<FileSource>(path);
}

}  // namespace fugu::stream
