#include "fugu/distributed/detail/shared_file.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include "fugu/stream/descriptor.hpp"

namespace fugu::distributed {
namespace {

constexpr std::size_t kMostBytesAtOnce = std::size_t{1} << 30;  // MPI counts in int

// MPI_File_open() may hang if one rank cannot open the file, so each rank tries first.
void try_to_open(const std::string& path, SharedFile::Use use) {
  const bool reads = use == SharedFile::Use::read;
  const stream::Descriptor opened(::open(path.c_str(), (reads ? O_RDONLY : O_RDWR) | O_CLOEXEC));
  if (opened) return;
  const Error error = system_error("cannot open", errno);
  if (!reads) throw OutputError(error.code(), error.text());
  throw error;
}

// Some MPI libraries report a failed call as one that moved nothing.
std::size_t bytes_moved(int result, const MPI_Status& status) {
  int bytes = 0;
  if (result == MPI_SUCCESS) MPI_Get_count(&status, MPI_BYTE, &bytes);
  return static_cast<std::size_t>(std::max(bytes, 0));
}

}  // namespace

SharedFile::SharedFile(const Communicator& communicator, const std::string& path, Use use) {
  together(communicator, [&] { try_to_open(path, use); });
  together(communicator, [&] {
    check(MPI_File_open(communicator.get(), path.c_str(), use == Use::read ? MPI_MODE_RDONLY : MPI_MODE_RDWR,
                        MPI_INFO_NULL, &file_),
          "cannot open");
  });
}

SharedFile::~SharedFile() {
  if (file_ != MPI_FILE_NULL) MPI_File_close(&file_);
}

std::uint64_t SharedFile::size_bytes() const {
  MPI_Offset bytes = 0;
  check(MPI_File_get_size(file_, &bytes), "cannot see its size");
  return static_cast<std::uint64_t>(bytes);
}

void SharedFile::sync() {
  as_output([&] { check(MPI_File_sync(file_), "sync failed"); });
}

std::size_t SharedSource::read(std::span<std::byte> into) {
  into = into.first(static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), size_bytes_ - position_)));
  if (!read_at(into, position_)) throw Error(Errc::io, "became shorter while it was read");
  position_ += into.size();
  return into.size();
}

bool SharedSource::read_at(std::span<std::byte> into, std::uint64_t offset) {
  while (!into.empty()) {
    if (is_stopped_()) throw Stopped();
    const auto part = into.first(std::min(into.size(), kMostBytesAtOnce));
    MPI_Status status;
    const int result = MPI_File_read_at(file_.get(), static_cast<MPI_Offset>(offset), part.data(),
                                        static_cast<int>(part.size()), MPI_BYTE, &status);
    const std::size_t got = bytes_moved(result, status);
    if (got == 0) {
      if (file_.size_bytes() <= offset) return false;
      throw Error(Errc::io, "read failed");
    }
    offset += got;
    into = into.subspan(got);
  }
  return true;
}

void SharedSink::write(std::span<const std::byte> from) {
  write_parts({&from, 1});
}

void SharedSink::write_parts(std::span<const std::span<const std::byte>> parts) {
  if (!in_memory_) {
    for (const std::span<const std::byte> part : parts) write_through_mpi(part);
    return;
  }
  as_output([&] { in_memory_->write_parts(parts); });
  for (const std::span<const std::byte> part : parts) position_ += part.size();
}

void SharedSink::write_through_mpi(std::span<const std::byte> from) {
  while (!from.empty()) {
    const auto part = from.first(std::min(from.size(), kMostBytesAtOnce));
    MPI_Status status;
    const int result = MPI_File_write_at(file_.get(), static_cast<MPI_Offset>(position_), part.data(),
                                         static_cast<int>(part.size()), MPI_BYTE, &status);
    const std::size_t put = bytes_moved(result, status);
    if (put == 0) throw OutputError(Errc::io, "write failed: the disk may be full, or a limit was reached");
    position_ += put;
    from = from.subspan(put);
  }
}

}  // namespace fugu::distributed
