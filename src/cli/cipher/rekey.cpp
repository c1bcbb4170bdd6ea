// fugu rekey: another passphrase or key for a sealed file, without encrypting its data again.
#include <fmt/format.h>

#include "cli/cipher/sealed_run.hpp"
#include "cli/cipher/transfer.hpp"
#include "cli/commands.hpp"
#include "cli/process/console.hpp"
#include "cli/process/exit_status.hpp"
#include "cli/process/secrets.hpp"
#include "fugu/engine/registry.hpp"
#include "fugu/error.hpp"

namespace fugu::cli {
namespace {

struct Secret {
  format::SealedSlot slot = format::SealedSlot::passphrase;
  auth::SecretBytes bytes;

  format::SealedSecret view() const { return {slot, bytes}; }
};

Secret read_secret(const Arguments& arguments, std::string_view pass, std::string_view key, bool is_new) {
  refuse_together(arguments, {pass, key});
  if (arguments.has(key)) {
    return {format::SealedSlot::key, read_key(key_source(arguments, key), format::kMaxSealedKeyBytes)};
  }
  return {format::SealedSlot::passphrase, read_passphrase(passphrase_source(arguments, pass), is_new,
                                                          is_new ? "New passphrase" : "Passphrase")};
}

}  // namespace

int run_rekey(const Arguments& arguments) {
  if (arguments.operands().empty()) throw Error(Errc::usage, "rekey needs the name of a file");
  for (const std::string& name : arguments.operands()) {
    if (name == kStandardStream) throw Error(Errc::usage, "rekey replaces files: it cannot work on a pipe");
  }
  const Secret now = read_secret(arguments, "pass", "key", false);
  const Secret next = read_secret(arguments, "new-pass", "new-key", true);
  const auto engine = engine::make("cpu/scalar", {.threads = 1});
  const TransferOptions transfer{.replace = true, .in_place = true};
  int status = kSuccess;
  for (const std::string& name : arguments.operands()) {
    const Task task{name, name};
    status =
        worse(status,
              transfer_file(task, transfer, [&](std::unique_ptr<stream::Source> source, stream::Sink& sink) {
                const format::SealedHeader header = sealed_header(*source, now.slot);
                const format::SealedKeys keys = format::unlock_sealed(header, now.view());
                format::rekey_sealed({*engine, *source, sink, 0, nullptr, {}}, header, keys, next.view());
                return Proven{.secret = true, .all_content = true};
              }));
  }
  return status;
}

}  // namespace fugu::cli
