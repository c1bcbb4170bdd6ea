#include "fugu/distributed/detail/shared_output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace fugu::distributed {

void SharedSink::write_parts(std::span<const std::span<const std::byte>> parts) {
  as_output([&] { part_.write_parts(parts); });
  for (const std::span<const std::byte> part : parts) position_ += part.size();
}

SharedOutput::SharedOutput(const Communicator& communicator, const std::string& output,
                           const stream::OutputFileOptions& options, std::uint64_t reserved_bytes)
    : communicator_(communicator) {
  if (output.empty()) return;
  at_root(communicator, [&] { as_output([&] { path_ = stream::shared_temporary_path(output); }); });
  path_ = broadcast(communicator, path_);
  together(communicator, [&] {
    if (!communicator.is_root())
      as_output([&] { foreign_ = std::make_unique<stream::ForeignTemporary>(path_); });
  });
  at_root(communicator, [&] {
    as_output([&] {
      stream::OutputFileOptions shared = options;
      shared.shared_as = path_;
      made_ = std::make_unique<stream::OutputFile>(output, shared);
      made_->reserve(reserved_bytes);
    });
  });
  together(communicator, [&] { as_output([&] { open_and_lock(); }); });
}

// Where parts of two machines meet in a page of an NFS file, each machine's cache would write the whole page,
// with zeros for the other's bytes; Linux writes no more than was asked for while a process holds a lock of
// less than the whole file. Other file systems may know no locks: they need none.
void SharedOutput::open_and_lock() {
  file_ = stream::Descriptor(
      stream::retry_interrupted([&] { return ::open(path_.c_str(), O_RDWR | O_CLOEXEC); }));
  if (!file_) throw system_error("cannot open", errno);
  struct flock own_byte {};
  own_byte.l_type = F_WRLCK;
  own_byte.l_start = communicator_.rank();
  own_byte.l_len = 1;
  if (::fcntl(file_.get(), F_OFD_SETLK, &own_byte) != 0 && errno == ENOLCK)
    throw system_error("cannot lock a part", errno);
}

std::unique_ptr<SharedSink> SharedOutput::sink(std::uint64_t begin, std::uint64_t end) const {
  constexpr int kMinRanks = 4;  // with fewer ranks write(2) is as fast
  if (!file_) return nullptr;
  return std::make_unique<SharedSink>(file_.get(), begin, communicator_.size() < kMinRanks ? 0 : end);
}

void SharedOutput::commit(std::uint64_t end) {
  if (path_.empty()) return;
  together(communicator_, [&] {
    as_output([&] {
      if (stream::retry_interrupted([&] { return ::fsync(file_.get()); }) != 0)
        throw system_error("sync failed", errno);
      file_.close_checked();
    });
  });
  std::uint64_t bytes = 0;
  check(MPI_Reduce(&end, &bytes, 1, MPI_UINT64_T, MPI_MAX, 0, communicator_.get()), "MPI_Reduce");
  at_root(communicator_, [&] {
    as_output([&] {
      made_->set_shared_bytes(bytes);
      made_->commit();
    });
  });
}

}  // namespace fugu::distributed
