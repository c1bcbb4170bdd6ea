// New files, which Windows gives the permissions of their directory. Until it has its final name, a file is
// marked for deletion: it disappears with its handle, even when the process is killed.
#include "fugu/stream/output_file.hpp"

#include <algorithm>
#include <array>

#include "fugu/platform/system.hpp"
#include "fugu/platform/windows/files.hpp"
#include "fugu/stream/hex.hpp"
#include "fugu/stream/windows/detail/file_time.hpp"

namespace fugu::stream {
namespace {

std::filesystem::path new_name_beside(const std::filesystem::path& target) {
  std::array<std::byte, 8> random;
  platform::system_random(random);
  std::array<char, 2 * random.size()> digits;
  encode_hex(random, digits.data());
  return target.parent_path() / (L".fugu-" + platform::wide({digits.data(), digits.size()}));
}

}  // namespace

// Members of OutputFile that only POSIX needs.
class Descriptor {};
class FileWriter {};
class HoleWriter {};
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
