#include "fugu/stream/output_part.hpp"

#include <fcntl.h>

#include <cerrno>

#include "fugu/error.hpp"
#include "fugu/stream/descriptor.hpp"
#include "fugu/stream/detail/file_status.hpp"
#include "fugu/stream/detail/file_writer.hpp"

namespace fugu::stream {

struct OutputPart::State {
  State(Descriptor opened, const OutputPartPlace& place)
      : descriptor(std::move(opened)),
        writer(descriptor.get(), place.threads,
               {.begin = place.begin, .end = place.end, .all_threads = place.all_threads}) {}

  Descriptor descriptor;
  FileWriter writer;
};

OutputPart::OutputPart(std::unique_ptr<State> state) : state_(std::move(state)) {}
OutputPart::~OutputPart() = default;

std::unique_ptr<OutputPart> OutputPart::open(const std::filesystem::path& temporary,
                                             const OutputPartPlace& place) {
  return with_errors_only([&]() -> std::unique_ptr<OutputPart> {
    Descriptor opened(retry_interrupted([&] { return ::open(temporary.c_str(), O_RDWR | O_CLOEXEC); }));
    if (!opened) throw system_error("cannot open", errno);
    if (!is_in_memory(opened.get())) return nullptr;
    return std::unique_ptr<OutputPart>(new OutputPart(std::make_unique<State>(std::move(opened), place)));
  });
}

void OutputPart::write(std::span<const std::byte> from) {
  write_parts({&from, 1});
}

void OutputPart::write_parts(std::span<const std::span<const std::byte>> parts) {
  with_errors_only([&] { state_->writer.write(parts); });
}

}  // namespace fugu::stream
