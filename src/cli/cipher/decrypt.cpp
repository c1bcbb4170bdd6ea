// fugu decrypt
#include <fmt/format.h>

#include <algorithm>

#include "cli/cipher/batch.hpp"
#include "cli/cipher/findings.hpp"
#include "cli/cipher/run.hpp"
#include "cli/cipher/sealed_run.hpp"
#include "cli/cipher/transfer.hpp"
#include "cli/commands.hpp"
#include "cli/process/console.hpp"
#include "cli/process/exit_status.hpp"
#include "fugu/error.hpp"
#include "fugu/format/evidence.hpp"

namespace fugu::cli {

namespace {

// The state of the output of a salvage that lost something.
std::string left_by(const format::SalvageReport& salvage) {
  if (salvage.lost.empty()) return "is authentic as far as it goes";
  return fmt::format("has zeros there{}, and is authentic elsewhere",
                     salvage.end_lost ? " as far as it goes" : "");
}

Proven proven(const CipherRequest& request, const Decrypted& result) {
  const mode::Padding padding = request.raw.settings.padding;
  const bool ambiguous_padding =
      request.format == Format::raw && (padding == mode::Padding::zero || padding == mode::Padding::space);
  return {.secret = format::is_sufficient({result.authenticated, result.evidence_bits}),
          .all_content = !request.sealed.range && !request.sealed.salvage && !ambiguous_padding};
}

int tell_salvage(const Task& task, const format::SalvageReport& salvage) {
  if (salvage.whole()) return kSuccess;
  say(fmt::format("{}: {}; {} {}", input_title(task.input), describe(salvage), output_title(task.output),
                  left_by(salvage)));
  return exit_status(Errc::damaged);
}

}  // namespace

int run_decrypt(const Arguments& arguments) {
  const CipherRequest request = cipher_request(arguments, core::Direction::decrypt);
  const std::vector<Task> tasks = decrypt_tasks(arguments);
  const auto is_named = [](const Task& task) { return task.output != kStandardStream; };
  if (request.sealed.range && !arguments.has("output") && std::ranges::any_of(tasks, is_named)) {
    throw Error(Errc::usage, "--range needs -o: a part does not take the name of the whole");
  }
  TransferOptions transfer = transfer_options(arguments, tasks);
  transfer.binary_output = false;
  transfer.keep_time = !request.sealed.range && !request.sealed.salvage;
  const WorkOptions work = work_options(arguments);
  Batch batch(arguments, tasks, work, mode::is_serial(request.mode(), request.direction));
  transfer.threads = batch.threads_a_file();
  const auth::SecretBytes secret = batch.empty() ? auth::SecretBytes() : read_secret(request);
  return batch.run(
      [&](const Task& task, engine::Engine& engine, stream::PumpCounters& counters) {
        format::SalvageReport salvage;
        const int status =
            transfer_file(task, transfer, [&](std::unique_ptr<stream::Source> source, stream::Sink& sink) {
              const Decrypted result = decrypt(request, secret, {engine, work.chunk_bytes, &counters, {}},
                                               std::move(source), sink);
              salvage = result.salvage;
              tell_findings(task.input, result);
              say_detail(fmt::format("{} -> {}: {}, {}", input_title(task.input), output_title(task.output),
                                     result.parameters, engine.ran_on()));
              return proven(request, result);
            });
        return status == kSuccess ? tell_salvage(task, salvage) : status;
      },
      "decrypted");
}

}  // namespace fugu::cli
