#include <fcntl.h>

#include <cerrno>

#include "fugu/error.hpp"
#include "fugu/stream/posix/descriptor.hpp"
#include "fugu/stream/sink.hpp"

namespace fugu::stream {
namespace {

class DescriptorSink final : public Sink {
 public:
  DescriptorSink(int descriptor, std::uint64_t* written) : descriptor_(descriptor), written_(written) {}

  void write(std::span<const std::byte> from) override { write_all(descriptor_, from, written_); }

  // A network file system reports a failed write when a descriptor of the file is closed: close a copy.
  void finish() override {
    Descriptor copy(::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0));
    if (!copy) throw system_error("write failed", errno);
    copy.close_checked();
  }

 private:
  int descriptor_;
  std::uint64_t* written_;
};

}  // namespace

std::unique_ptr<Sink> to_descriptor(int descriptor, std::uint64_t* written) {
  return std::make_unique<DescriptorSink>(descriptor, written);
}

}  // namespace fugu::stream
