#include "fugu/stream/output_part.hpp"

#include "fugu/platform/posix/detail/file_status.hpp"
#include "fugu/platform/posix/detail/file_writer.hpp"

namespace fugu::stream {

OutputPart::OutputPart(int descriptor, std::uint64_t begin)
    : file_(std::make_unique<FileWriter>(descriptor, begin)), in_memory_(stream::is_in_memory(descriptor)) {}

OutputPart::~OutputPart() = default;

void OutputPart::write(std::span<const std::byte> from) {
  write_parts({&from, 1});
}

void OutputPart::write_parts(std::span<const std::span<const std::byte>> parts) {
  file_->write(parts);
}

}  // namespace fugu::stream
