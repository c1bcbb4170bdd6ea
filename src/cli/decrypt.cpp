// fugu decrypt
#include <fmt/format.h>

#include "batch.hpp"
#include "cipher_run.hpp"
#include "commands.hpp"
#include "console.hpp"
#include "crypt.hpp"
#include "findings.hpp"

namespace fugu::cli {

int run_decrypt(const Arguments& arguments) {
  const CipherRequest request = cipher_request(arguments, core::Direction::decrypt);
  const std::vector<Task> tasks = decrypt_tasks(arguments);
  TransferOptions transfer = transfer_options(arguments, tasks);
  transfer.binary_output = false;
  const WorkOptions work = work_options(arguments);
  Batch batch(arguments, tasks, work, mode::is_serial(request.mode(), request.direction));
  const auth::SecretBytes secret = batch.empty() ? auth::SecretBytes() : read_secret(request);
  return batch.run(
      [&](const Task& task, engine::Engine& engine, stream::PumpCounters& counters) {
        return transfer_file(task, transfer, [&](std::unique_ptr<stream::Source> source, stream::Sink& sink) {
          const Decrypted result =
              decrypt(request, secret, {engine, work.chunk_bytes, &counters, {}}, std::move(source), sink);
          tell_findings(task.input, result);
          say_detail(fmt::format("{} -> {}: {}, {}", input_title(task.input), output_title(task.output),
                                 result.parameters, engine.name()));
        });
      },
      "decrypted");
}

}  // namespace fugu::cli
