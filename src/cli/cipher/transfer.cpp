#include "cli/cipher/transfer.hpp"

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

  void run(const Transfer& transfer) {
    std::optional<InputState> before;
    if (options_.remove_input || options_.in_place) before.emplace(task_.input);
    auto source = options_.in_place ? stream::open_regular_file(task_.input, share_.threads)
                                    : open_input(task_.input, share_.threads);
    const std::optional<stream::FileId> input = source->file_id();
    if (before) before->require_opened(input);
    const auto reserve = options_.reserve_input_size ? source->size_bytes() : std::nullopt;
    auto like = source->attributes();
    if (like && !options_.keep_time) like->modified.reset();
    if (options_.in_place) like.reset();  // the input's own permissions stay as they are
    make_directories(task_);
    output_.emplace(task_.output, OutputOptions{.replace = options_.replace,
                                                .binary = options_.binary_output,
                                                .input = options_.in_place ? std::nullopt : input,
                                                .like = like,
                                                .expected_bytes = reserve,
                                                .threads = share_.threads,
                                                .directories = share_.directories});
    const Proven proven = transfer(std::move(source), *output_);
    if (options_.in_place) before->require_unchanged();
    share_.while_waiting([&] { output_->commit(); });
    committed_ = true;
    if (options_.remove_input) remove_input(task_.input, *before, proven);
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

// Content that ends in zeros or spaces would come back without them.
void refuse_ambiguous_padding(const Arguments& arguments) {
  const std::optional<std::string> padding = arguments.value("pad");
  if (padding == "zero" || padding == "space")
    throw Error(Errc::usage,
                fmt::format("--pad {} and --rm cannot be combined: content that ends in such bytes would "
                            "come back without them; compare, then remove the input",
                            *padding));
}

}  // namespace

TransferOptions transfer_options(const Arguments& arguments, const std::vector<Task>& tasks) {
  for (const char* contradiction : {"keep", "range", "salvage"})
    refuse_together(arguments, {contradiction, "rm"});
  if (arguments.has("rm")) refuse_ambiguous_padding(arguments);
  const TransferOptions options{.replace = arguments.has("force"), .remove_input = arguments.has("rm")};
  for (const Task& task : tasks) {
    if (!options.remove_input) break;
    if (task.input == kStandardStream) throw Error(Errc::usage, "--rm cannot remove standard input");
    struct stat status {};
    const bool is_pipe = task.output == kStandardStream ||
                         (::stat(task.output.c_str(), &status) == 0 && !S_ISREG(status.st_mode));
    if (is_pipe)
      throw Error(Errc::usage, "--rm needs an output that is a file: nothing else is known to be safe");
  }
  return options;
}

int transfer_file(const Task& task, const TransferOptions& options, const Share& share,
                  const Transfer& transfer) {
  OneTransfer one(task, options, share);
  try {
    one.run(transfer);
    return kSuccess;
  } catch (const RunFailure&) {
    throw;
  } catch (...) {
    return report_failure(task.input, [&] { return one.report(); });
  }
}

}  // namespace fugu::cli
