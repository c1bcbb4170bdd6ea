#include "cli/files/transfer.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace fugu::cli {
namespace {

bool is_same(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

}  // namespace

InputState::InputState(std::shared_ptr<const stream::Descriptor> directory, std::string name)
    : directory_(std::move(directory)), name_(std::move(name)) {
  const auto look = [&](int flags) {
    if (::fstatat(base(), name_.c_str(), &file_, flags) != 0) throw system_error("cannot open", errno);
  };
  look(AT_SYMLINK_NOFOLLOW);
  is_link_ = S_ISLNK(file_.st_mode);
  if (is_link_) look(0);
}

int InputState::base() const {
  return directory_ ? directory_->get() : AT_FDCWD;
}

void InputState::require_only_name() const {
  if (is_link_) throw Error(Errc::io, "is a symbolic link, which --rm does not remove");
  if (!S_ISREG(file_.st_mode)) throw Error(Errc::io, "is not a regular file, and --rm removes no others");
  if (file_.st_nlink != 1) throw Error(Errc::io, "has other hard links, which --rm would leave");
}

void InputState::require_opened(const std::optional<stream::FileId>& opened) const {
  if (!opened || opened->device != file_.st_dev || opened->inode != file_.st_ino)
    throw Error(Errc::io, "was replaced by another file meanwhile");
}

void InputState::require_unchanged() const {
  const InputState now(directory_, name_);
  if (now.file_.st_dev != file_.st_dev || now.file_.st_ino != file_.st_ino || now.is_link_ != is_link_)
    throw Error(Errc::io, "was replaced by another file meanwhile");
  const bool same_times =
      is_same(now.file_.st_mtim, file_.st_mtim) && is_same(now.file_.st_ctim, file_.st_ctim);
  if (now.file_.st_size != file_.st_size || now.file_.st_nlink != file_.st_nlink || !same_times)
    throw Error(Errc::io, "was changed meanwhile");
}

void InputState::require_removable(const Proven& proven) const {
  try {
    if (!proven.secret) throw Error(Errc::io, "nothing proves that the passphrase or key was the right one");
    if (!proven.all_content) throw Error(Errc::io, std::string(proven.otherwise));
    require_unchanged();
  } catch (const Error& error) {
    throw Error(error.code(), error.text() + "; not removed");
  }
}

void InputState::remove(const Proven& proven) const {
  require_removable(proven);
  if (::unlinkat(base(), name_.c_str(), 0) != 0) throw system_error("cannot remove", errno);
}

std::shared_ptr<const stream::Descriptor> directory_of_named(const std::string& file) {
  const std::string parent = std::filesystem::path(file).parent_path().string();
  constexpr int kFlags = O_PATH | O_DIRECTORY | O_CLOEXEC;  // reading it may be forbidden
  stream::Descriptor opened(::open(parent.empty() ? "." : parent.c_str(), kFlags));
  if (!opened) throw system_error("cannot open its directory", errno);
  return std::make_shared<const stream::Descriptor>(std::move(opened));
}

namespace {

class OneTransfer {
 public:
  OneTransfer(const Task& task, const TransferOptions& options, const Share& share)
      : task_(task), options_(options), share_(share) {}

  void run(const Transfer& transfer, const Compare& compare) {
    if (options_.in_place) before_.emplace(nullptr, task_.input);
    std::shared_ptr<const stream::Descriptor> directory;  // the directory of an input to be removed
    if (options_.removal != Removal::none) {
      directory = input_directory();
      before_.emplace(directory, file_name(task_.input));
      before_->require_only_name();
    }
    auto source = options_.in_place ? stream::open_regular_file(task_.input, share_.threads)
                                    : open_input(task_.input, share_.threads, task_.found_in);
    const std::optional<stream::FileId> input = source->file_id();
    if (before_) before_->require_opened(input);
    open_output(*source);
    const Proven proven = transfer(std::move(source), *output_);
    share_.while_waiting([&] {
      const Syncing shown;
      output_->commit();
    });
    committed_ = true;
    if (options_.removal == Removal::none) return;
    if (!output_->is_file()) throw Error(Errc::io, "not removed: its output is not a regular file");
    before_->require_removable(proven);
    if (options_.removal == Removal::after_reading_back) {
      const auto place = output_directory(task_);
      const InputState result(place ? place->open() : nullptr,
                              place ? file_name(task_.output) : task_.output);
      read_back(directory, place, compare);
      require_kept(result);
    }
    before_->remove(proven);
  }

  // Asks about the current exception.
  bool is_tried_again(const Again& again) const {
    try {
      throw;
    } catch (const Error& error) {
      return again && can_be_reopened(task_) && output_ && output_->is_untouched() && again(error);
    } catch (...) {
      return false;
    }
  }

  // Reports the current exception. Returns the exit status.
  int report() const {
    try {
      throw;
    } catch (const ReaderGone& gone) {
      return exit_status(gone.code());
    } catch (const OutputError& error) {
      return say_failure(output_title(task_.output), error, state_after(error));
    } catch (const WholeMessage& error) {
      return say_failure(input_title(task_.input), error);
    } catch (...) {
      const Error error = current_failure();
      return say_failure(input_title(task_.input), error, state_after(error));
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
      const bool differs = error.code() != Errc::io && error.code() != Errc::memory &&
                           error.code() != Errc::engine && error.code() != Errc::no_device;
      const std::string_view state = differs ? "not to be trusted" : "complete, but was not compared";
      throw WholeMessage(error.code(),
                         fmt::format("{}, when {} was read back; {} was not removed, and {} is {}",
                                     error.text(), task_.output, task_.input, task_.output, state));
    }
  }

  // What was read back is still there, and as it was.
  void require_kept(const InputState& result) const {
    try {
      result.require_unchanged();
    } catch (const Error& error) {
      throw WholeMessage(error.code(), fmt::format("not removed: {} {}", task_.output, error.text()));
    }
  }

  std::shared_ptr<const stream::Descriptor> input_directory() const {
    return task_.found_in ? task_.found_in->open() : directory_of_named(task_.input);
  }

  void open_output(const stream::Source& source) {
    auto like = source.attributes();
    if (like && !options_.keep_time) like->modified.reset();
    if (options_.in_place) like.reset();  // the input's own permissions stay as they are
    OutputOptions output{.file = {.replace = options_.replace,
                                  .input = options_.in_place ? std::nullopt : source.file_id(),
                                  .like = like,
                                  .threads = share_.threads,
                                  .directories = share_.directories},
                         .binary = options_.binary_output};
    if (options_.in_place)
      output.file.in_place = {*source.file_id(), [this] { before_->require_unchanged(); }};
    output.within = output_directory(task_);
    if (task_.root && !output.within) output.make_within = [this] { return make_output_directory(task_); };
    output_.emplace(task_.output, std::move(output));
    if (options_.reserve_input_size) output_->reserve(source.size_bytes().value_or(0));
  }

  // Nothing if the output was refused.
  std::string state_after(const Error& error) const {
    if (!output_)
      return options_.in_place ? "; " + task_.output + " was not changed: the new file is made beside it"
                               : "";
    if (committed_) return fmt::format("; {} is complete", task_.output);
    if (error.doubts_secret() && output_->is_untouched()) return "; nothing was written";
    return "; " + output_->state();
  }

  const Task& task_;
  const TransferOptions& options_;
  const Share& share_;
  std::optional<InputState> before_;  // the state of an input to be removed or replaced
  std::optional<Output> output_;
  bool committed_ = false;
};

}  // namespace

int transfer_file(const Task& task, const TransferOptions& options, const Share& share,
                  const Transfer& transfer, const Compare& compare, const Again& again) {
  for (;;) {
    OneTransfer one(task, options, share);
    try {
      one.run(transfer, compare);
      return kSuccess;
    } catch (const RunFailure&) {
      throw;
    } catch (...) {
      if (one.is_tried_again(again)) continue;
      return report_failure(task.input, [&] { return one.report(); });
    }
  }
}

}  // namespace fugu::cli
