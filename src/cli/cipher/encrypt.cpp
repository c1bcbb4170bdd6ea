// fugu encrypt, fugu decrypt, and fugu rekey, which changes the passphrase or key of files, by a new header
// or by sealing them anew.
#include <unistd.h>

#include "cli/cipher/run.hpp"
#include "cli/commands.hpp"
#include "cli/files/batch.hpp"
#include "cli/files/transfer.hpp"
#include "fugu/format/salvage.hpp"

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

std::string files_text(const std::vector<std::string>& names) {
  return names.size() == 1 ? names.front() : fmt::format("these {} files", names.size());
}

SecretQuestion question(const Arguments& arguments, std::string_view pass, std::string_view key,
                        bool is_new) {
  const bool is_key = arguments.has(key);
  SecretSource source = is_key ? key_source(arguments, key) : passphrase_source(arguments, pass);
  const bool has_old = arguments.has("pass") || arguments.has("key");
  if (is_new && has_old && source.place == SecretPlace::terminal && !has_terminal())
    refuse("no new passphrase: there is no terminal to ask on; give --{} {}", pass, kPassphrasePlaceNames);
  return {
      .kind = is_key ? format::SecretKind::key : format::SecretKind::passphrase,
      .source = std::move(source),
      .max_key_bytes = max_key_bytes(format::Ability::rekey),
      .is_new = is_new,
      .name = is_new ? "New passphrase" : "Old passphrase of " + printable(files_text(arguments.operands()))};
}

// Copying uses no engine, so choosing one for it is an error.
std::unique_ptr<engine::Engine> engine_for(const Arguments& arguments, const WorkOptions& work) {
  if (arguments.has("anew")) return make_engine(work, work.threads);
  for (const char* option : {"engine", "threads", "chunk"}) {
    if (arguments.has(option)) refuse("--{} needs --anew: without it the data is only copied", option);
  }
  return engine::make("cpu/scalar", {.threads = 1});
}

// Reports and leaves out files whose secret cannot be changed, and those that cannot be replaced.
std::vector<std::string> fit_files(const std::vector<std::string>& names, const CipherRequest& request,
                                   RunSecret& secret, const Share& share, int& status,
                                   nlohmann::ordered_json& rows) {
  std::vector<std::string> fit;
  for (const std::string& name : names) {
    try {
      check_rekey(request, secret, share, stream::open_regular_file(name));
      fit.push_back(name);
    } catch (const Error& error) {
      rows.push_back({{"file", name}, {"ok", false}, {"error", error.text()}});
      const char* why = error.code() == Errc::usage ? "; rekey works on regular files only" : "";
      status = worse(status, say_failure(input_title(name), error, why));
    }
  }
  return fit;
}

bool has_other_links(const std::string& name) {
  struct stat status;
  return ::stat(name.c_str(), &status) == 0 && status.st_nlink > 1;
}

// Returns the exit status.
int report_damage(const std::string& name, const std::optional<Error>& damage) {
  if (!damage) return kSuccess;
  say(fmt::format("{}: {}; {} has the new passphrase or key, and is as damaged as before", name,
                  damage->text(), name));
  return exit_status(damage->code());
}

// As usual with hard links, this name gets the new file, and the others keep the old one.
void report_done(const std::string& name, const RunSecret& secret, ProgressStyle style, bool was_linked) {
  const std::string done = fmt::format("{}: has the new {}", name, secret.kind_name());
  style == ProgressStyle::redrawn ? say_note(done) : say_detail(done);
  if (!was_linked) return;
  say_note(fmt::format("{}: had other hard links: under those names the old passphrase or key still opens it",
                       name));
}

void check_names(const std::vector<std::string>& names) {
  if (names.empty()) refuse("rekey needs the name of a file");
  if (std::ranges::count(names, kStandardStream) != 0)
    refuse("rekey replaces files: it cannot work on a pipe");
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

int run_decrypt(const Arguments& arguments) {
  const CipherRequest request = cipher_request(arguments, core::Direction::decrypt);
  const FilesRequest files = files_request(arguments, request.secret.source);
  const std::vector<Task> tasks = tasks_of(files);
  const auto is_named = [](const Task& task) { return task.output != kStandardStream; };
  if (arguments.has("range") && !files.output && std::ranges::any_of(tasks, is_named))
    refuse("--range needs -o: a part does not get the name of the whole");
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

int run_rekey(const Arguments& arguments) {
  check_names(arguments.operands());
  require_apart(secret_files(arguments), {}, arguments.operands());
  CipherRequest request;
  request.direction = core::Direction::decrypt;
  request.options = rekey_options(arguments);
  const WorkOptions work = work_options(arguments);
  const auto engine = engine_for(arguments, work);
  RunSecret now(question(arguments, "pass", "key", false));
  RunSecret next(question(arguments, "new-pass", "new-key", true), arguments.operands().size() > 1);
  const ProgressStyle style = progress_style(arguments);
  Progress progress(style, std::nullopt);
  const Share share{.engine = *engine,
                    .chunk_bytes = work.chunk_bytes,
                    .counters = &progress.counters(),
                    .threads = engine->threads()};
  int status = kSuccess;
  auto rows = nlohmann::ordered_json::array();
  const std::vector<std::string> names = fit_files(arguments.operands(), request, now, share, status, rows);
  for (const std::string& name : names) {
    const Task task{name, name};
    nlohmann::ordered_json& row = rows.emplace_back(nlohmann::ordered_json{{"file", name}});
    const bool was_linked = has_other_links(name);
    std::optional<Error> damage;
    const TransferOptions transfer{.replace = true, .in_place = true};
    const int one = transfer_file(
        task, transfer, share,
        [&](std::unique_ptr<stream::Source> source, stream::Sink& sink) {
          damage =
              noting_error(row, [&] { return rekey(request, now, next, share, std::move(source), sink); });
          return Proven{.secret = true, .all_content = true};
        },
        {},
        [&, answer = now.answer()](const Error& error) mutable {
          return now.asks_again(answer, name, error);
        });
    status = worse(status, one);
    row["ok"] = one == kSuccess && !damage;
    if (damage) row["error"] = damage->text();
    if (one != kSuccess) continue;
    report_done(name, next, style, was_linked);
    status = worse(status, report_damage(name, damage));
  }
  if (arguments.has("json")) write_result(json_text({{"version", kJsonVersion}, {"files", rows}}));
  return status;
}

}  // namespace fugu::cli
