// A file that all ranks read or write, through MPI-IO. Private to distributed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "fugu/distributed/communicator.hpp"
#include "fugu/stream/output_part.hpp"
#include "fugu/stream/sink.hpp"
#include "fugu/stream/source.hpp"

namespace fugu::distributed {

// Runs `step`, turning its errors into OutputErrors.
template <class Step>
void as_output(Step step) {
  try {
    step();
  } catch (const Error& error) {
    throw OutputError(error.code(), error.text());
  }
}

class SharedFile {
 public:
  enum class Use { read, write };

  // Collective. Throws on every rank if one cannot open it.
  SharedFile(const Communicator& communicator, const std::string& path, Use use);
  ~SharedFile();  // collective
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  MPI_File get() const noexcept { return file_; }
  std::uint64_t size_bytes() const;
  void sync();  // collective

 private:
  MPI_File file_ = MPI_FILE_NULL;
};

// The whole file, for one rank.
class SharedSource final : public stream::Source {
 public:
  // Throws Stopped instead of reading once `is_stopped` returns true.
  SharedSource(const SharedFile& file, std::function<bool()> is_stopped)
      : file_(file), is_stopped_(std::move(is_stopped)), size_bytes_(file.size_bytes()) {}

  std::size_t read(std::span<std::byte> into) override;
  std::optional<std::uint64_t> size_bytes() const override { return size_bytes_; }
  bool read_at(std::span<std::byte> into, std::uint64_t offset) override;

 private:
  const SharedFile& file_;
  std::function<bool()> is_stopped_;
  std::uint64_t size_bytes_;
  std::uint64_t position_ = 0;
};

// One rank's part, from `offset` on: through MPI-IO, or `in_memory` if that is not null. Throws OutputError.
class SharedSink final : public stream::Sink {
 public:
  SharedSink(const SharedFile& file, std::uint64_t offset, std::unique_ptr<stream::OutputPart> in_memory = {})
      : file_(file), in_memory_(std::move(in_memory)), position_(offset) {}

  void write(std::span<const std::byte> from) override;
  void write_parts(std::span<const std::span<const std::byte>> parts) override;

  bool is_in_memory() const noexcept { return in_memory_ != nullptr; }

  // The current end of its part.
  std::uint64_t position() const noexcept { return position_; }

 private:
  void write_through_mpi(std::span<const std::byte> from);

  const SharedFile& file_;
  std::unique_ptr<stream::OutputPart> in_memory_;
  std::uint64_t position_;
};

}  // namespace fugu::distributed
