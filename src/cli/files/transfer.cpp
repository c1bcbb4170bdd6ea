#include "cli/files/transfer.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include "cli/process/console.hpp"
#include "cli/process/exit_status.hpp"

namespace fugu::cli {
namespace {

class OneTransfer {
 public:
  OneTransfer(const Task& task, const TransferOptions& options, const Share& share)
      : task_(task), options_(options), share_(share) {}

  void run(const Transfer& transfer, const Compare& compare) {
    std::optional<InputState> before;
    if (options_.in_place) before.emplace(nullptr, task_.input);
    std::shared_ptr<const stream::Descriptor> directory;  // of an input to be removed
    if (options_.remove_input) {
      directory = input_directory();
      before.emplace(directory, file_name(task_.input));
      before->require_only_name();
    }
    auto source = options_.in_place ? stream::open_regular_file(task_.input, share_.threads)
                                    : open_input(task_.input, share_.threads, task_.found_in);
    const std::optional<stream::FileId> input = source->file_id();
    if (before) before->require_opened(input);
    open_output(*source);
    const Proven proven = transfer(std::move(source), *output_);
    if (options_.in_place) before->require_unchanged();
    share_.while_waiting([&] { output_->commit(); });
    committed_ = true;
    if (!options_.remove_input) return;
    if (!output_->is_file()) throw Error(Errc::io, "not removed: its output is not a regular file");
    before->require_removable(proven);
    if (options_.read_back) {
      const auto place = output_directory(task_);
      const InputState result(place ? place->open() : nullptr,
                              place ? file_name(task_.output) : task_.output);
      read_back(directory, place, compare);
      require_kept(result);
    }
    before->remove(proven);
  }

  // Reports the current exception. Returns the exit status.
  int report() const {
    try {
      throw;
    } catch (const ReaderGone& gone) {
      return exit_status(gone.code());
    } catch (const OutputError& error) {
      return say_failure(output_title(task_.output), error);
    } catch (const WholeMessage& error) {
      say(fmt::format("{}: {}", input_title(task_.input), error.text()));
      return exit_status(error.code());
    } catch (...) {
      return say_failure(input_title(task_.input), current_failure());
    }
  }

 private:
  void read_back(std::shared_ptr<const stream::Descriptor> directory,
                 const std::shared_ptr<const stream::WalkedDirectory>& place, const Compare& compare) const {
    try {
      compare(stream::open_regular_file(std::move(directory), file_name(task_.input), share_.threads),
              open_input(task_.output, share_.threads, place));
    } catch (const RunFailure&) {
      throw;
    } catch (...) {
      const Error error = current_failure();
      throw WholeMessage(error.code(),
                         fmt::format("{}, when {} was read back; {} was not removed, and {} is not "
                                     "to be trusted",
                                     error.text(), printable(task_.output), printable(task_.input),
                                     printable(task_.output)));
    }
  }

  // What was read back is still there, and as it was.
  void require_kept(const InputState& result) const {
    try {
      result.require_unchanged();
    } catch (const Error& error) {
      throw WholeMessage(error.code(),
                         fmt::format("not removed: {} {}", printable(task_.output), error.text()));
    }
  }

  std::shared_ptr<const stream::Descriptor> input_directory() const {
    return task_.found_in ? task_.found_in->open() : directory_of_named(task_.input);
  }

  void open_output(const stream::Source& source) {
    auto like = source.attributes();
    if (like && !options_.keep_time) like->modified.reset();
    if (options_.in_place) like.reset();  // the input's own permissions stay as they are
    OutputOptions output{.replace = options_.replace,
                         .binary = options_.binary_output,
                         .input = options_.in_place ? std::nullopt : source.file_id(),
                         .like = like,
                         .expected_bytes = options_.reserve_input_size ? source.size_bytes() : std::nullopt,
                         .threads = share_.threads,
                         .directories = share_.directories};
    output.within = output_directory(task_);
    if (task_.root && !output.within) output.make_within = [this] { return make_output_directory(task_); };
    output_.emplace(task_.output, std::move(output));
  }

  int say_failure(std::string_view title, const Error& error) const {
    const std::string state = output_ ? "; " + state_after(error) : std::string();
    say(fmt::format("{}: {}{}", title, error.text(), state));
    return exit_status(error.code());
  }

  std::string state_after(const Error& error) const {
    if (committed_) return fmt::format("{} is complete", printable(task_.output));
    if (error.code() == Errc::wrong_key && output_->is_untouched()) return "nothing was written";
    return output_->state();
  }

  const Task& task_;
  const TransferOptions& options_;
  const Share& share_;
  std::optional<Output> output_;
  bool committed_ = false;
};

}  // namespace

TransferOptions transfer_options(const FilesRequest& request, const std::vector<Task>& tasks) {
  const TransferOptions options{
      .replace = request.replace, .remove_input = request.remove_input, .read_back = request.read_back};
  for (const Task& task : tasks) {
    if (!options.remove_input) break;
    if (task.problem || task.stays_there()) continue;  // left out, or judged alone when it is opened
    if (task.input == kStandardStream) throw Error(Errc::usage, "--rm cannot remove standard input");
    struct stat status {};
    const bool is_pipe = task.output == kStandardStream ||
                         (::stat(task.output.c_str(), &status) == 0 && !S_ISREG(status.st_mode));
    if (is_pipe)
      throw Error(Errc::usage, "--rm needs an output that is a file: nothing else is known to be safe");
  }
  if (options.remove_input && !options.read_back)
    say_note("--rm=fast: outputs are not read back before their inputs are removed");
  return options;
}

int transfer_file(const Task& task, const TransferOptions& options, const Share& share,
                  const Transfer& transfer, const Compare& compare) {
  OneTransfer one(task, options, share);
  try {
    one.run(transfer, compare);
    return kSuccess;
  } catch (const RunFailure&) {
    throw;
  } catch (...) {
    return report_failure(task.input, [&] { return one.report(); });
  }
}

}  // namespace fugu::cli
