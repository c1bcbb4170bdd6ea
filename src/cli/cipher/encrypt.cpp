// fugu encrypt
#include <fmt/format.h>
#include <unistd.h>

#include "cli/cipher/run.hpp"
#include "cli/commands.hpp"
#include "cli/files/batch.hpp"
#include "cli/files/transfer.hpp"

namespace fugu::cli {
namespace {

// Encrypting twice may be intended (another passphrase), so this is only a note.
void note_second_encryption(const Task& task, stream::Source& source) {
  const format::Codec* const codec = known_by_magic(source);
  if (codec == nullptr) return;
  say_note(fmt::format("{}: is already encrypted (format {}), and is encrypted again",
                       input_title(task.input), codec->name));
}

void refuse_two_ends_at_one_terminal(const Arguments& arguments, const Task& first) {
  const bool is_bare = arguments.operands().empty() && !arguments.has("files-from");
  if (is_bare && ::isatty(STDIN_FILENO) != 0 && is_terminal(first.output))
    throw Error(Errc::usage,
                "no FILE is given, and input and output are this terminal; fugu encrypt FILE writes FILE" +
                    std::string(format::default_codec().extensions.front()));
}

}  // namespace

int run_encrypt(const Arguments& arguments) {
  const CipherRequest request = cipher_request(arguments, core::Direction::encrypt);
  const FilesRequest files = files_request(arguments, request.secret.source);
  const std::vector<Task> tasks = tasks_of(files);
  if (!tasks.empty() && !request.text && !request.lines)
    refuse_two_ends_at_one_terminal(arguments, tasks.front());
  const bool is_json = prints_rows(arguments, tasks);
  Batch batch(files, tasks, request.is_serial());
  RunSecret secret(batch.empty() ? SecretQuestion() : request.secret, tasks.size() > 1);
  const TransferOptions transfer{.replace = files.replace,
                                 .removal = files.removal,
                                 .binary_output = !request.text && !request.lines,
                                 .reserve_input_size = true,
                                 .keep_time = true};
  const int status = batch.run(
      [&](const Task& task, const Share& share, nlohmann::ordered_json& row) {
        row["file"] = task.input;
        const int one = transfer_file(
            task, transfer, share,
            [&](std::unique_ptr<stream::Source> source, stream::Sink& sink) {
              note_second_encryption(task, *source);
              const std::string parameters =
                  noting_error(row, [&] { return encrypt(request, secret, share, std::move(source), sink); });
              say_done(task, parameters, share);
              return Proven{.secret = true, .all_content = true};
            },
            [&](std::unique_ptr<stream::Source> input, std::unique_ptr<stream::Source> output) {
              compare_content(request, secret, share, std::move(output), std::move(input));
            });
        row["output"] = task.output;
        row["ok"] = one == kSuccess;
        return one;
      },
      "encrypted");
  if (is_json) batch.print_rows();
  return status;
}

}  // namespace fugu::cli
