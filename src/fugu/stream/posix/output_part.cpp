#include "fugu/stream/posix/output_part.hpp"

#include "fugu/stream/posix/detail/file_status.hpp"
#include "fugu/stream/posix/detail/file_writer.hpp"
#include "fugu/stream/posix/detail/huge_pages.hpp"

namespace fugu::stream {

OutputPart::OutputPart(int descriptor, std::uint64_t begin, std::uint64_t end)
    : in_memory_(stream::is_in_memory(descriptor)) {
  if (in_memory_ && end != 0) pages_ = std::make_unique<HugePages>(descriptor, end);
  file_ = std::make_unique<FileWriter>(descriptor, begin, pages_.get());
}

OutputPart::~OutputPart() = default;

void OutputPart::write(std::span<const std::byte> from) {
  write_parts({&from, 1});
}

void OutputPart::write_parts(std::span<const std::span<const std::byte>> parts) {
  file_->write(parts);
}

}  // namespace fugu::stream
