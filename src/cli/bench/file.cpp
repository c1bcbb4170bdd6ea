#include "cli/bench/file.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/process/console.hpp"
#include "fugu/error.hpp"
#include "fugu/format/job.hpp"
#include "fugu/stream/output_file.hpp"
#include "fugu/stream/pump.hpp"
#include "measure/openssl_stream.hpp"

namespace fugu::cli::bench {
namespace {

// proc(5): mountinfo writes space, tab, newline and backslash as three octal digits.
std::string unescaped(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      result += static_cast<char>(std::stoi(text.substr(i + 1, 3), nullptr, 8));
      i += 3;
    } else {
      result += text[i];
    }
  }
  return result;
}

bool is_below(const std::string& path, const std::string& directory) {
  return path.starts_with(directory) &&
         (path.size() == directory.size() || directory.ends_with('/') || path[directory.size()] == '/');
}

// Runs `step`; adds the file's name to its errors.
template <class Step>
void with_name(const std::string& name, Step step) {
  try {
    step();
  } catch (Error& error) {
    error.add_context(printable(name));
    throw;
  }
}

}  // namespace

std::string file_system_of(const std::string& directory) {
  std::error_code error;
  const std::string path = std::filesystem::canonical(directory, error).string();
  std::ifstream mounts("/proc/self/mountinfo");
  std::string type = "unknown";
  std::size_t longest = 0;
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream fields(line);
    std::string field, mount_point;
    for (int i = 0; i < 4; ++i) fields >> field;
    fields >> mount_point;
    while (fields >> field && field != "-") {
    }
    fields >> field;
    mount_point = unescaped(mount_point);
    if (!is_below(path, mount_point) || mount_point.size() < longest) continue;
    longest = mount_point.size();  // of two at one place, the later hides the earlier
    type = field;
  }
  return type;
}

ScratchFiles::ScratchFiles(const std::string& directory, std::span<const std::byte> input) {
  with_name(directory, [&] {
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
  if (::lseek(input_.get(), 0, SEEK_SET) < 0) throw system_error("cannot go back in a file", errno);
  return stream::from_descriptor(input_.get(), threads);
}

std::vector<std::byte> ScratchFiles::take_output(std::size_t most) const {
  const auto source = stream::open_file(output_);
  ::unlink(output_.c_str());
  std::vector<std::byte> bytes(most);
  bytes.resize(source->read(bytes));
  return bytes;
}

double FileTrial::run() {
  return wall_seconds([&] {
    with_name(files_.output(), [&] {
      const auto source = files_.open_input(threads_);
      stream::OutputFile sink(files_.output(), {.expected_bytes = case_.input.size(), .threads = threads_});
      transfer_(*source, sink);
      sink.commit();
    });
  });
}

void FileTrial::check() {
  require_same(case_.expected, files_.take_output(case_.expected.size() + 1), pool_);
}

FileTrial::Transfer transfer_by(engine::Engine& engine, const Case& work) {
  return [&](stream::Source& source, stream::Sink& sink) {
    const format::Job job{engine, source, sink, 0, nullptr, {}};
    format::run_cipher(job, work.key.span(), work.settings, work.work.direction);
  };
}

FileTrial::Transfer transfer_by_openssl(ThreadPool& workers, const Case& work) {
  return [&](stream::Source& source, stream::Sink& sink) {
    const std::size_t chunk_bytes = workers.threads() << 20;
    std::array<Bytes, format::kRingChunks> chunks;
    std::array<std::span<std::byte>, format::kRingChunks> ring;
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      chunks[i] = Bytes(chunk_bytes);
      ring[i] = chunks[i].span();
    }
    OpensslThreads openssl(work.settings, work.work.direction, work.key.span(), workers);
    const auto process = [&](std::span<std::byte> chunk, std::size_t bytes, bool) {
      openssl.process(chunk.first(bytes));
      return bytes;
    };
    stream::pump(source, sink, ring, process, {});
  };
}

}  // namespace fugu::cli::bench
