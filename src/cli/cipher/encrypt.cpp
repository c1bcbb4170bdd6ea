// fugu encrypt
#include <fmt/format.h>

#include "cli/cipher/batch.hpp"
#include "cli/cipher/run.hpp"
#include "cli/cipher/transfer.hpp"
#include "cli/commands.hpp"
#include "cli/process/console.hpp"
#include "fugu/error.hpp"

namespace fugu::cli {
namespace {

// A serial chain keeps one core busy and gains nothing from large chunks; many files at once stay small.
constexpr std::size_t kSerialChunkBytes = std::size_t{1} << 20;

std::size_t chunk_bytes(const WorkOptions& work, const Batch& batch) {
  if (work.chunk_bytes != 0 || batch.files_at_once() == 1) return work.chunk_bytes;
  return kSerialChunkBytes;
}

}  // namespace

int run_encrypt(const Arguments& arguments) {
  const CipherRequest request = cipher_request(arguments, core::Direction::encrypt);
  const std::vector<Task> tasks = encrypt_tasks(arguments);
  TransferOptions transfer = transfer_options(arguments, tasks);
  transfer.binary_output = !request.text;
  transfer.reserve_input_size = true;
  transfer.keep_time = true;
  const WorkOptions work = work_options(arguments);
  Batch batch(arguments, tasks, work, request.is_serial());
  transfer.threads = batch.threads_a_file();
  if (batch.empty()) return batch.run({}, "encrypted");
  RunSecret secret(question(request));
  const std::size_t chunk = chunk_bytes(work, batch);
  return batch.run(
      [&](const Task& task, engine::Engine& engine, stream::PumpCounters& counters) {
        return transfer_file(task, transfer, [&](std::unique_ptr<stream::Source> source, stream::Sink& sink) {
          const std::string parameters =
              encrypt(request, secret, {engine, chunk, &counters}, std::move(source), sink);
          say_detail(fmt::format("{} -> {}: {}, {}", input_title(task.input), output_title(task.output),
                                 parameters, engine.ran_on()));
          return Proven{.secret = true, .all_content = true};
        });
      },
      "encrypted");
}

}  // namespace fugu::cli
