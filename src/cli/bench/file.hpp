// File to file like `fugu encrypt --format raw`: read, cipher, write, fsync, rename.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fugu/stream/posix/descriptor.hpp"
#include "fugu/stream/sink.hpp"
#include "fugu/stream/source.hpp"
#include "measure/case.hpp"

namespace fugu::cli::bench {

// Type of the file system that holds a directory, as mount(8) names it; "unknown" if the system does not say.
std::string file_system_of(const std::string& directory);

// An unnamed input, so that nothing can leave it behind, and the name of an output beside it.
class ScratchFiles {
 public:
  // Throws Error{io}.
  ScratchFiles(const std::string& directory, std::span<const std::byte> input);

  // The input from its beginning, read by up to `threads`.
  std::unique_ptr<stream::Source> open_input(unsigned threads) const;
  const std::string& output() const { return output_; }

  // The output's contents, up to `most` bytes; the file is gone afterwards. Throws Error{io}.
  std::vector<std::byte> take_output(std::size_t most) const;

 private:
  std::string output_;
  stream::Descriptor input_;
};

using Transfer = std::function<void(stream::Source&, stream::Sink&)>;

// At most `threads` read, and as many write. Its check removes the output: none exists before a run.
Trial file_trial(const Case& c, ThreadPool& pool, const ScratchFiles& files, unsigned threads,
                 Transfer transfer);

// By an engine, and by OpenSSL's Blowfish on the threads of `workers` between the same reader and writer.
Transfer transfer_by(engine::Engine& engine, const Case& c);
Transfer transfer_by_openssl(ThreadPool& workers, const Case& c);

}  // namespace fugu::cli::bench
