// fugu-mpi: the program that all ranks run. Rank 0 reports failures that all share.
#include <unistd.h>

#include <cstdlib>

#include "cli/cipher/run.hpp"
#include "cli/commands.hpp"
#include "cli/files/output.hpp"
#include "cli/mpi/ranks.hpp"
#include "fugu/distributed/files.hpp"
#include "fugu/platform/system.hpp"
#include "fugu/stream/posix/temporaries.hpp"

namespace fugu::cli {
namespace {

// "cuda:0" and so on.
int gpus_here() {
  return static_cast<int>(std::ranges::count_if(engine::list(), [](const engine::EngineInfo& info) {
    return info.available && info.name.starts_with("cuda:") && info.name != "cuda:all";
  }));
}

// The exit status for the current exception if the ranks agreed on it.
std::optional<int> agreed_status() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    if (distributed::is_agreed(error)) return exit_status(error.code());
  } catch (...) {
  }
  return std::nullopt;
}

int run_together(const std::vector<std::string>& words) {
  const distributed::Communicator world(MPI_COMM_WORLD);
  Transcript unheard;
  const Transcript::Recording muted(unheard, !world.is_root());
  std::optional<Arguments> arguments;
  int status = 0;
  distributed::together(world, [&] {
    status = run_words(words, [&](const Arguments& given) {
      arguments = given;
      return 0;
    });
  });
  if (!arguments) return status;
  return arguments->subcommand().name == "spectral" ? spectral_by_ranks(world, *arguments)
                                                    : file_by_ranks(world, *arguments);
}

int run(const std::vector<std::string>& words) {
  const std::string first = words.empty() ? "" : words.front();
  const auto run_here = [](const Arguments& arguments) { return arguments.subcommand().run(arguments); };
  if (first == "help" || first == "--help" || first == "-h" || first == "--version")
    return run_words(words, run_here);
  const distributed::Runtime runtime;
  try {
    return run_together(words);
  } catch (...) {
    return end_run("", report_current_failure);
  }
}

// encrypt, decrypt and verify: all ranks process one file.

using core::Direction;
using distributed::Communicator;

Task task_of(const Arguments& arguments, const FilesRequest& files) {
  if (arguments.operands().empty()) refuse("FILE is missing: fugu-mpi cannot read a pipe");
  const Task task = tasks_of(files).front();
  if (task.input == kStandardStream || task.output == kStandardStream)
    refuse("fugu-mpi reads and writes only files, not -");
  return task;
}

void refuse_what_one_process_does(const CipherRequest& request) {
  if (request.text) refuse("fugu-mpi cannot read or write text; use fugu");
  if (request.secret.source.place == SecretPlace::terminal)
    refuse("there is no terminal to ask on under mpirun; give --pass or --key (see fugu-mpi encrypt --help)");
}

// One subcommand on this rank. Only rank 0 checks files and reads the secret, in prepare() and plan().
class FileRun {
 public:
  FileRun(const Communicator& world, const Arguments& arguments)
      : world_(world),
        arguments_(arguments),
        direction_(arguments.subcommand().name == "encrypt" ? Direction::encrypt : Direction::decrypt),
        to_nowhere_(arguments.subcommand().name == "verify") {}

  int run() {
    distributed::together(world_, [&] {
      request_ = cipher_request(arguments_, direction_);
      refuse_what_one_process_does(request_);
      files_ = files_request(arguments_, request_.secret.source);
      task_ = task_of(arguments_, files_);
    });
    try {
      work();
      return kSuccess;
    } catch (...) {
      return end_run(task_.input, [this] { return report(); });
    }
  }

 private:
  void work() {
    const RankWork share = rank_work(world_, arguments_);
    std::unique_ptr<engine::Engine> engine;
    distributed::together(world_, [&] {
      files_.work.engine = share.engine;
      std::error_code unknown;
      const std::uintmax_t bytes = std::filesystem::file_size(task_.input, unknown);
      engine = make_engine(files_.work, share.threads,
                           unknown ? 0 : bytes / static_cast<std::uint64_t>(world_.size()));
    });
    distributed::at_root(world_, [&] { prepare(share.threads); });
    distributed::run_file(
        world_,
        {.engine = *engine,
         .input = task_.input,
         .output = to_nowhere_ ? "" : task_.output,
         .output_options = output_options_,
         .reserved_bytes = reserved_bytes_,
         .chunk_bytes = files_.work.chunk_bytes,
         .processors = platform::usable_processors(),
         .tell = [this](std::uint64_t read, std::uint64_t written) { tell(read, written); }},
        [&] { return plan(*engine); });
    progress_.reset();
    if (world_.is_root()) tell_result(*engine);
  }

  // Rank 0's checks before a secret is read.
  void prepare(unsigned threads) {
    existed_ = !to_nowhere_ && std::filesystem::exists(task_.output);
    if (!to_nowhere_) {
      require_apart(files_, {task_});
      check_task(task_, files_.replace);
    }
    source_ = stream::open_regular_file(task_.input, threads);
    if (direction_ == Direction::encrypt) reserved_bytes_ = source_->size_bytes().value_or(0);
    output_options_.replace = files_.replace;
    output_options_.input = source_->file_id();
    output_options_.like = source_->attributes();
    output_options_.threads = threads;
  }

  format::FilePlan plan(engine::Engine& engine) {
    secret_.emplace(request_.secret);
    const Share share{.engine = engine, .chunk_bytes = files_.work.chunk_bytes};
    const auto source = std::move(source_);
    format::FilePlan planned = direction_ == Direction::encrypt
                                   ? plan_encryption(request_, *secret_, *source)
                                   : plan_decryption(request_, *secret_, share, *source, opened_);
    progress_ = std::make_unique<Progress>(files_.progress, source->size_bytes());
    return planned;
  }

  void tell(std::uint64_t read, std::uint64_t written) {
    if (!progress_) return;
    progress_->counters().bytes_read = read;
    progress_->counters().bytes_written = written;
  }

  void tell_result(const engine::Engine& engine) {
    if (direction_ == Direction::decrypt) report_findings(task_.input, *secret_, opened_);
    say_detail(fmt::format("{}{}: {} ranks, {}", input_title(task_.input),
                           to_nowhere_ ? "" : fmt::format(" -> {}", output_title(task_.output)),
                           world_.size(), engine.name()));
    if (to_nowhere_)
      write_text(fmt::format("{}: {}\n", printable(input_title(task_.input)), printable(opened_.parameters)));
  }

  // Reports the current exception.
  int report() {
    progress_.reset();
    try {
      throw;
    } catch (const OutputError& error) {
      return say_failure(output_title(task_.output), error, "; " + state());
    } catch (...) {
      return say_failure(input_title(task_.input), current_failure(), to_nowhere_ ? "" : "; " + state());
    }
  }

  std::string state() const {
    const std::string& output = task_.output;
    if (existed_) return fmt::format("{} was not changed", output);
    std::error_code none;
    if (world_.is_root() && std::filesystem::exists(task_.output, none))
      return fmt::format("{} is complete, but a power failure may lose it", output);
    return fmt::format("{} was not created", output);
  }

  const Communicator& world_;
  const Arguments& arguments_;
  Direction direction_;
  bool to_nowhere_;
  CipherRequest request_;
  Task task_;
  FilesRequest files_;
  bool existed_ = false;  // from here on: only on rank 0
  std::unique_ptr<stream::Source> source_;
  stream::OutputFileOptions output_options_;
  std::uint64_t reserved_bytes_ = 0;
  std::optional<RunSecret> secret_;
  format::Opened opened_;
  std::unique_ptr<Progress> progress_;
};

}  // namespace

int end_run(std::string_view title, const std::function<int()>& report) noexcept {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::optional<int> agreed = agreed_status();
  if (agreed && rank != 0) return *agreed;
  Transcript none;
  const Transcript::Recording shown(none, false);
  const int status = report_failure(title, report);
  if (agreed) return status;
  stream::unlink_temporaries();
  MPI_Abort(MPI_COMM_WORLD, status);
  std::_Exit(status);
}

RankWork rank_work(const distributed::Communicator& world, const Arguments& arguments) {
  RankWork work;
  distributed::together(world, [&] {
    work.threads = thread_count(arguments);
    work.engine = arguments.value("engine").value_or("auto");
  });
  const auto place = distributed::place_on_node(world, static_cast<int>(platform::usable_processors()),
                                                static_cast<int>(std::thread::hardware_concurrency()));
  if (arguments.value("threads").value_or("0") == "0")
    work.threads = static_cast<unsigned>(std::max(1, place.processors / place.ranks));
  if (work.engine != "cuda:local") return work;
  distributed::together(world, [&] {
    const int gpus = gpus_here();
    if (gpus == 0)
      throw Error(Errc::no_device, "--engine cuda:local: one of the machines has no GPU that can be used");
    work.gpu = place.rank % gpus;
    work.engine = fmt::format("cuda:{}", work.gpu);
  });
  return work;
}

int file_by_ranks(const Communicator& world, const Arguments& arguments) {
  return FileRun(world, arguments).run();
}

}  // namespace fugu::cli

int main(int count, char** words) {
  fugu::cli::set_program_name("fugu-mpi");
  return fugu::cli::guarded_main([&] {
    return fugu::cli::run({words + (count > 0 ? 1 : 0), words + count});
  });
}
