// fugu decrypt
#include <fmt/format.h>

#include <algorithm>

#include "cli/cipher/run.hpp"
#include "cli/commands.hpp"
#include "cli/files/batch.hpp"
#include "cli/files/transfer.hpp"
#include "fugu/format/salvage.hpp"
#include "fugu/stream/tree.hpp"

namespace fugu::cli {
namespace {

// Says what was saved and what was not, and puts both into the row of JSON.
int report_salvage(const Task& task, const format::Opened& opened, std::uint64_t bytes,
                   nlohmann::ordered_json& row) {
  const format::SalvageReport& salvage = opened.salvage;
  if (salvage.whole()) return kSuccess;
  say(fmt::format("{}: {}; {} {}", input_title(task.input), format::what_is_lost(salvage),
                  output_title(task.output), format::what_came(opened, bytes)));
  auto& report = row["salvage"] = {{"bytes", bytes}, {"lost", nlohmann::ordered_json::array()}};
  for (const format::ByteRange& range : salvage.lost) report["lost"].push_back({range.first, range.count});
  report["end_lost"] = salvage.end_lost;
  report["bytes_after_end"] = salvage.bytes_after_end;
  report["damage"] = salvage.damage;
  report["authenticated"] = opened.authenticated;
  return exit_status(Errc::damaged);
}

// Beside a container that a walk has found, or where the user says.
std::unique_ptr<stream::TreeSink> output_tree(const Task& task, bool replace, unsigned threads) {
  stream::OutputTreeOptions output{.replace = replace, .threads = threads};
  if (task.root) {
    output.within = [&task] { return make_output_directory(task)->open(); };
  } else if (task.found_in->parent()) {
    output.within = [&task] { return task.found_in->parent()->open(); };
  }
  return stream::output_tree(output.within ? file_name(task.output) : task.output, output);
}

// Decrypts a container into the directory task.output. Reports errors with the name of each part that they
// concern; the other parts go on. `replace` is -f. Returns the exit status.
int decrypt_tree(const Task& task, const CipherRequest& request, RunSecret& secret, const Share& share,
                 bool replace) {
  int worst = kSuccess;
  try {
    const format::Opened opened = with_answers(secret, task.input, [&] {
      return open_tree(task, request, secret, share, *output_tree(task, replace, share.threads), worst);
    });
    say_done(task, opened.parameters, share);
    return worst;
  } catch (const RunFailure&) {
    throw;
  } catch (...) {
    return report_failure(task.input, [&] {
      const Error error = current_failure();
      const std::string_view state = error.doubts_secret() ? "; nothing was written" : "";
      return worse(worst, say_failure(input_title(task.input), error, state));
    });
  }
}

// One file of a run, and its row of JSON.
class Decrypter {
 public:
  // `range_bytes`: of --range, or 0.
  Decrypter(const CipherRequest& request, RunSecret& secret, const TransferOptions& transfer,
            std::uint64_t range_bytes)
      : request_(request), secret_(secret), transfer_(transfer), range_bytes_(range_bytes) {}

  // Returns the exit status.
  int run(const Task& task, const Share& share, nlohmann::ordered_json& row) const {
    row["file"] = task.input;
    format::Opened opened;
    std::uint64_t bytes = 0;
    format::LinesReport lines;
    const int status = transfer_file(
        task, transfer_, share,
        [&](std::unique_ptr<stream::Source> source, stream::Sink& sink) {
          return noting_error(
              row, [&] { return decrypt_file(task, share, std::move(source), sink, opened, bytes, lines); });
        },
        [&](std::unique_ptr<stream::Source> input, std::unique_ptr<stream::Source> output) {
          compare_content(request_, secret_, share, std::move(input), std::move(output));
        },
        [&, answer = secret_.answer()](const Error& error) mutable {
          return secret_.asks_again(answer, input_title(task.input), error);
        });
    const int left = report_left(task.input, request_, lines, "; left as it is");
    if (request_.lines && !row.contains("error")) add_to_row(row, request_, lines);
    const int whole =
        worse(worse(status, left), status == kSuccess ? report_salvage(task, opened, bytes, row) : kSuccess);
    row["ok"] = whole == kSuccess;
    return whole;
  }

 private:
  Proven decrypt_file(const Task& task, const Share& share, std::unique_ptr<stream::Source> source,
                      stream::Sink& sink, format::Opened& opened, std::uint64_t& bytes,
                      format::LinesReport& lines) const {
    const bool is_shown = !task.stays_there() && is_terminal(task.output);
    Counting counted(sink);
    opened =
        decrypt(request_, secret_, share, std::move(source), counted,
                {.input = task.input, .hides_passwords = is_shown && !transfer_.replace, .lines = &lines});
    bytes = counted.bytes();
    report_findings(task.input, secret_, opened);
    if (counted.bytes() < range_bytes_)
      say_note(fmt::format("{}: the data ends inside the range: {} of its {} bytes were written",
                           input_title(task.input), counted.bytes(), range_bytes_));
    say_done(task, opened.parameters, share);
    Proven proven{.secret = format::is_sufficient(opened.evidence), .all_content = opened.all_content};
    if (lines.left != 0) proven.otherwise = "some messages were left as they are";
    return proven;
  }

  const CipherRequest& request_;
  RunSecret& secret_;
  const TransferOptions& transfer_;
  std::uint64_t range_bytes_;
};

// How many bytes --range OFF:LEN asks for; 0 for all to the end.
std::uint64_t range_bytes(const Arguments& arguments) {
  const std::string text = arguments.value("range").value_or("");
  return format::parse_size(std::string_view(text).substr(text.find(':') + 1)).value_or(0);
}

}  // namespace

int run_decrypt(const Arguments& arguments) {
  const CipherRequest request = cipher_request(arguments, core::Direction::decrypt);
  const FilesRequest files = files_request(arguments, request.secret.source);
  const std::vector<Task> tasks = tasks_of(files);
  const auto is_named = [](const Task& task) { return task.output != kStandardStream; };
  if (arguments.has("range") && !files.output && std::ranges::any_of(tasks, is_named)) {
    throw Error(Errc::usage, "--range needs -o: a part does not get the name of the whole");
  }
  const bool is_json = prints_rows(arguments, tasks);
  const TransferOptions transfer{.replace = files.replace,
                                 .removal = files.removal,
                                 .binary_output = false,
                                 .keep_time = !arguments.has("range") && !arguments.has("salvage")};
  Batch batch(files, tasks, request.is_serial());
  RunSecret secret(batch.empty() ? SecretQuestion() : request.secret);
  const Decrypter decrypter(request, secret, transfer, range_bytes(arguments));
  const int status = batch.run(
      [&](const Task& task, const Share& share, nlohmann::ordered_json& row) {
        if (task.is_tree) return decrypt_tree(task, request, secret, share, transfer.replace);
        return decrypter.run(task, share, row);
      },
      "decrypted");
  if (is_json) batch.print_rows();
  return status;
}

}  // namespace fugu::cli
