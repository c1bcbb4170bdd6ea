// fugu rekey: changes the passphrase or key of files, by a new header or by sealing them anew.
#include <fmt/format.h>

#include <algorithm>

#include "cli/cipher/run.hpp"
#include "cli/commands.hpp"
#include "cli/files/transfer.hpp"
#include "cli/process/console.hpp"
#include "cli/process/secret_input.hpp"
#include "fugu/engine/registry.hpp"

namespace fugu::cli {
namespace {

std::size_t max_key_bytes() {
  std::size_t most = 0;
  for (const format::Codec* codec : format::codecs()) {
    if (codec->can(format::Ability::rekey)) most = std::max(most, codec->max_key_bytes);
  }
  return most;
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
    throw Error(Errc::usage, fmt::format("no new passphrase: there is no terminal to ask on; give --{} {}",
                                         pass, kPassphrasePlaceNames));
  return {
      .kind = is_key ? format::SecretKind::key : format::SecretKind::passphrase,
      .source = std::move(source),
      .max_key_bytes = max_key_bytes(),
      .is_new = is_new,
      .name = is_new ? "New passphrase" : "Old passphrase of " + printable(files_text(arguments.operands()))};
}

// Copying uses no engine, so choosing one for it is an error.
std::unique_ptr<engine::Engine> engine_for(const Arguments& arguments, const WorkOptions& work) {
  if (arguments.has("anew")) return make_engine(work, work.threads);
  for (const char* option : {"engine", "threads", "chunk"}) {
    if (arguments.has(option))
      throw Error(Errc::usage, fmt::format("--{} needs --anew: without it the data is only copied", option));
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
  if (names.empty()) throw Error(Errc::usage, "rekey needs the name of a file");
  if (std::ranges::count(names, kStandardStream) != 0)
    throw Error(Errc::usage, "rekey replaces files: it cannot work on a pipe");
}

}  // namespace

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
