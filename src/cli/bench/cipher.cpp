// The kernel, copy and file scopes: the engines to run on each case.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <set>

#include "cli/bench/plan.hpp"
#include "cli/process/console.hpp"
#include "fugu/engine/registry.hpp"
#include "fugu/format/job.hpp"
#include "fugu/stream/output_file.hpp"
#include "fugu/stream/posix/descriptor.hpp"
#include "fugu/stream/pump.hpp"
#include "measure/gpu.hpp"
#include "measure/openssl_stream.hpp"

namespace fugu::cli::bench {
namespace {

// OpenSSL's speed does not grow with the size, but at a GPU's sizes one run on one core would take minutes.
constexpr std::size_t kMaxOpensslBytes = std::size_t{64} << 20;

// An engine, started on first use, and memory that suits it, kept from one case to the next.
class Subject {
 public:
  Subject(std::string name, unsigned threads) : name_(std::move(name)), threads_(threads) {}

  const std::string& name() const { return name_; }
  unsigned threads() const { return is_gpu(name_) ? 0 : threads_; }  // as a row of the report names them
  unsigned workers() const { return threads_; }

  engine::Engine& engine() {
    if (!engine_) engine_ = engine::make(name_, {.threads = threads_});
    return *engine_;
  }

  std::span<std::byte> buffer(std::size_t bytes) {
    if (memory_.size() < bytes) {
      memory_ = {};
      memory_ = engine().allocate(bytes);
    }
    return memory_.span().first(bytes);
  }

 private:
  std::string name_;
  unsigned threads_;
  std::unique_ptr<engine::Engine> engine_;
  engine::Chunk memory_;
};

// File to file like `fugu encrypt --format raw`: read, cipher, write, fsync, rename.

// An unnamed input, so that nothing can leave it behind, and the name of an output beside it.
class ScratchFiles {
 public:
  // Throws Error{io}.
  ScratchFiles(const std::string& directory, std::span<const std::byte> input) {
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

  // The input from its beginning, read by up to `threads`.
  std::unique_ptr<stream::Source> open_input(unsigned threads) const {
    if (::lseek(input_.get(), 0, SEEK_SET) < 0) throw system_error("cannot seek in a file", errno);
    return stream::from_descriptor(input_.get(), threads);
  }

  const std::string& output() const { return output_; }

  // The output's contents, up to `most` bytes; the file is gone afterwards. Throws Error{io}.
  std::vector<std::byte> take_output(std::size_t most) const {
    const auto source = stream::open_file(output_);
    ::unlink(output_.c_str());
    std::vector<std::byte> bytes(most);
    bytes.resize(source->read(bytes));
    return bytes;
  }

 private:
  std::string output_;
  stream::Descriptor input_;
};

using Transfer = std::function<void(stream::Source&, stream::Sink&)>;

// At most `threads` read, and as many write. Its check removes the output: none exists before a run.
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

// By an engine, and by OpenSSL's Blowfish on the threads of `workers` between the same reader and writer.
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

class CipherBench {
 public:
  CipherBench(const Plan& plan, Sampler& sampler)
      : plan_(plan),
        sampler_(sampler),
        pool_(plan.threads),
        one_(1),
        maker_(pool_),
        openssl_(openssl_name()) {
    for (const std::string& name : plan.engines) add_subjects(name);
  }

  std::vector<Row> run() {
    measure_link_of_gpus();
    if (plan_.has(Scope::kernel) || plan_.has(Scope::copy)) {
      for (const Operation& operation : plan_.operations)
        for (const std::uint64_t size : memory_sizes(operation))
          in_memory(maker_.make(operation, to_size(size)));
    }
    if (plan_.has(Scope::file)) {
      for (const Operation& operation : plan_.file_operations)
        for (const std::uint64_t size : plan_.file_sizes) in_files(maker_.make(operation, to_size(size)));
    }
    return std::move(link_);
  }

 private:
  void add_subjects(const std::string& name) {
    if (!is_gpu(name) && name != "auto" && plan_.threads > 1) subjects_.emplace_back(name, 1);
    subjects_.emplace_back(name, plan_.threads);
  }

  void measure_link_of_gpus() {
    for (const std::string& name : plan_.engines) {
      if (!is_gpu(name) || !link_.empty()) continue;
      link_ = measure_link(device_of(name).value_or(0), plan_.runs);
      if (plan_.has(Scope::copy)) sampler_.rows = link_;
    }
  }

  // GPUs have no row for serial chains, so their sizes are not needed.
  bool is_for_gpus(const Operation& operation) const {
    return !operation.is_serial() && std::ranges::any_of(plan_.engines, is_gpu);
  }

  std::set<std::uint64_t> memory_sizes(const Operation& operation) const {
    std::set<std::uint64_t> sizes(plan_.host_sizes.begin(), plan_.host_sizes.end());
    if (is_for_gpus(operation)) sizes.insert(plan_.gpu_sizes.begin(), plan_.gpu_sizes.end());
    return sizes;
  }

  // --- memory

  void in_memory(const Case& c) {
    if (std::ranges::count(plan_.host_sizes, c.input.size()) != 0) in_host_memory(c);
    if (std::ranges::count(plan_.gpu_sizes, c.input.size()) == 0 || !is_for_gpus(c.operation)) return;
    if (plan_.has(Scope::kernel)) {
      for (const std::string& name : plan_.engines)
        if (const auto device = device_of(name)) on_device(name, *device, c);
    }
    if (plan_.has(Scope::copy)) through_the_link(c);
  }

  // Kernel and copy scope are the same here.
  void in_host_memory(const Case& c) {
    const Scope scope = plan_.has(Scope::kernel) ? Scope::kernel : Scope::copy;
    Case enough = c;
    enough.input = c.input.first(std::min(kMaxOpensslBytes, c.input.size()));
    enough.expected = c.expected.first(enough.input.size());
    const bool measured = std::ranges::any_of(plan_.host_sizes, [&](std::uint64_t size) {
      return size >= kMaxOpensslBytes && size < c.input.size();  // the longer input begins like it
    });
    for (ThreadPool* workers : measured ? std::vector<ThreadPool*>() : openssl_workers(c))
      sampler_.take(enough.row(scope, openssl_, workers->threads(), "host memory"),
                    openssl_trial(enough, openssl_buffer(enough.input.size()), pool_, *workers));
    for (Subject& subject : subjects_) {
      if (is_gpu(subject.name()) || !has_own_row(subject, c)) continue;
      sampler_.take(c.row(scope, subject.name(), subject.threads(), "host memory"),
                    engine_trial(c, subject.buffer(c.input.size()), pool_, subject.engine()));
    }
  }

  void on_device(const std::string& name, int device, const Case& c) {
    KernelSession& session = session_of(device, c);
    session.load(c.input, pool_);
    for (const kernels::BlowfishShape& shape : shapes_of(session))
      session.take(c, shape, pool_, c.row(Scope::kernel, name, 0, "device memory"), sampler_);
  }

  KernelSession& session_of(int device, const Case& c) {
    std::unique_ptr<KernelSession>& session = sessions_[device];
    if (session && session->bytes() >= c.input.size()) return *session;
    session.reset();
    session = std::make_unique<KernelSession>(device, c.input.size(), c.schedule);
    return *session;
  }

  std::vector<kernels::BlowfishShape> shapes_of(const KernelSession& session) const {
    const kernels::BlowfishShape usual = default_shape(session.device());
    std::vector<int> grid(plan_.thread_blocks.begin(), plan_.thread_blocks.end());
    std::vector<int> threads(plan_.threads_per_block.begin(), plan_.threads_per_block.end());
    if (grid.empty()) grid = {usual.thread_blocks};
    if (threads.empty()) threads = {usual.threads_per_block};
    std::vector<kernels::BlowfishShape> shapes;
    for (const int per_block : threads) {
      for (const int blocks : grid) {
        shapes.push_back(usual);
        shapes.back().threads_per_block = per_block;
        shapes.back().thread_blocks = blocks;
      }
    }
    return shapes;
  }

  void through_the_link(const Case& c) {
    for (Subject& subject : subjects_) {
      if (!is_gpu(subject.name())) continue;
      const double gpus =
          device_of(subject.name()) ? 1 : static_cast<double>(device::inventory().devices.size());
      const double floor = link_floor_seconds(gpus * fastest_way(link_), c.input.size());
      sampler_.take(c.row(Scope::copy, subject.name(), 0, "pinned host memory"),
                    engine_trial(c, subject.buffer(c.input.size()), pool_, subject.engine(), floor));
    }
  }

  // --- files

  void in_files(const Case& c) {
    const std::string place = file_system_of(plan_.directory);
    const ScratchFiles files(plan_.directory, c.input);
    for (ThreadPool* workers : openssl_workers(c))
      sampler_.take(c.row(Scope::file, openssl_, workers->threads(), place),
                    file_trial(c, pool_, files, workers->threads(), transfer_by_openssl(*workers, c)));
    for (Subject& subject : subjects_) {
      if (!has_own_row(subject, c)) continue;
      sampler_.take(c.row(Scope::file, subject.name(), subject.threads(), place),
                    file_trial(c, pool_, files, subject.workers(), transfer_by(subject.engine(), c)));
    }
  }

  // --- choice of rows: a serial chain runs on one core, whatever there is

  std::vector<ThreadPool*> openssl_workers(const Case& c) {
    if (plan_.threads == 1 || c.operation.is_serial()) return {&one_};
    return {&one_, &pool_};
  }

  bool has_own_row(const Subject& subject, const Case& c) const {
    return !c.operation.is_serial() ||
           (!is_gpu(subject.name()) && (subject.threads() == 1 || subject.name() == "auto"));
  }

  std::span<std::byte> openssl_buffer(std::size_t bytes) {
    if (openssl_memory_.size() < bytes) openssl_memory_ = Bytes(bytes);
    return openssl_memory_.first(bytes);
  }

  const Plan& plan_;
  Sampler& sampler_;
  ThreadPool pool_;  // all threads: for OpenSSL's second row, and to prepare and check every row
  ThreadPool one_;
  CaseMaker maker_;
  std::string openssl_;
  Bytes openssl_memory_;
  std::vector<Subject> subjects_;
  std::map<int, std::unique_ptr<KernelSession>> sessions_;
  std::vector<Row> link_;
};

}  // namespace

std::vector<Row> measure_ciphers(const Plan& plan, Sampler& sampler) {
  return CipherBench(plan, sampler).run();
}

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

}  // namespace fugu::cli::bench
