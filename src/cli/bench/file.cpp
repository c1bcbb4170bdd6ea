#include "cli/bench/plan.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

#include "cli/process/console.hpp"
#include "fugu/format/job.hpp"
#include "fugu/stream/output_file.hpp"
#include "fugu/stream/pump.hpp"
#include "measure/openssl_stream.hpp"

namespace fugu::cli::bench {
// proc(5): mountinfo has the device as MAJOR:MINOR, and the type after " - ". Files of btrfs have other
// devices.
std::string file_system_of(const std::string& directory) {
  struct stat file {};
  struct statfs system {};
  if (::stat(directory.c_str(), &file) != 0 || ::statfs(directory.c_str(), &system) != 0) return "unknown";
  if (system.f_type == 0x9123683e) return "btrfs";
  const std::string device = fmt::format(" {}:{} ", major(file.st_dev), minor(file.st_dev));
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    const std::size_t type = line.find(" - ") + 3;
    if (line.find(device) < type) return line.substr(type, line.find(' ', type) - type);
  }
  return "unknown";
}

ScratchFiles::ScratchFiles(const std::string& directory, std::span<const std::byte> input) {
  with_context(printable(directory), [&] {
    std::string name = directory + "/fugu-bench-XXXXXX";
    const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor < 0) throw system_error("cannot create a file for the measurement", errno);
    input_ = stream::Descriptor(descriptor);
    ::unlink(name.c_str());
    stream::write_all(input_.get(), input);
    output_ = name + ".out";
  });
}

std::unique_ptr<stream::Source> ScratchFiles::open_input(unsigned threads) const {
  if (::lseek(input_.get(), 0, SEEK_SET) < 0) throw system_error("cannot seek in a file", errno);
  return stream::from_descriptor(input_.get(), threads);
}

std::vector<std::byte> ScratchFiles::take_output(std::size_t most) const {
  const auto source = stream::open_file(output_);
  ::unlink(output_.c_str());
  std::vector<std::byte> bytes(most);
  bytes.resize(source->read(bytes));
  return bytes;
}

Trial file_trial(const Case& c, ThreadPool& pool, const ScratchFiles& files, unsigned threads,
                 Transfer transfer) {
  const auto run = [&c, &files, threads, transfer = std::move(transfer)] {
    with_context(printable(files.output()), [&] {
      const auto source = files.open_input(threads);
      stream::OutputFile sink(files.output(), {.threads = threads});
      sink.reserve(c.input.size());
      transfer(*source, sink);
      sink.commit();
    });
  };
  return {.run = timed(run),
          .check = [&] { require_same(c.expected, files.take_output(c.expected.size() + 1), pool); }};
}

Transfer transfer_by(engine::Engine& engine, const Case& c) {
  return [&](stream::Source& source, stream::Sink& sink) {
    const format::Job job{engine, source, sink, 0, nullptr, {}};
    format::run_cipher(job, c.key.span(), c.settings, c.operation.direction);
  };
}

Transfer transfer_by_openssl(ThreadPool& workers, const Case& c) {
  return [&](stream::Source& source, stream::Sink& sink) {
    const std::size_t chunk_bytes = workers.threads() << 20;
    std::array<Bytes, format::kRingChunks> chunks;
    std::array<std::span<std::byte>, format::kRingChunks> ring;
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      chunks[i] = Bytes(chunk_bytes);
      ring[i] = chunks[i].span();
    }
    OpensslThreads openssl(c.settings, c.operation.direction, c.key.span(), workers);
    const auto process = [&](std::span<std::byte> chunk, std::size_t bytes, bool) {
      openssl.process(chunk.first(bytes));
      return bytes;
    };
    stream::pump(source, sink, ring, process, {});
  };
}

}  // namespace fugu::cli::bench
