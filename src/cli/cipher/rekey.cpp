// fugu rekey: another passphrase or key for a sealed file, without encrypting its data again.
#include <fmt/format.h>

#include <algorithm>

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

// A secret that is asked for once, when the first file needs it: nobody types one for a file that is not
// there.
class AskedSecret {
 public:
  AskedSecret(const Arguments& arguments, std::string_view pass, std::string_view key, bool is_new)
      : is_key_(arguments.has(key)), is_new_(is_new) {
    refuse_together(arguments, {pass, key});
    source_ = is_key_ ? key_source(arguments, key) : passphrase_source(arguments, pass);
  }

  format::SealedSlot slot() const {
    return is_key_ ? format::SealedSlot::key : format::SealedSlot::passphrase;
  }

  format::SealedSecret operator()() {
    if (!bytes_) bytes_ = read();
    return {slot(), *bytes_};
  }

 private:
  auth::SecretBytes read() const {
    try {
      if (is_key_) return read_key(source_, format::kMaxSealedKeyBytes);
      return read_passphrase(source_, is_new_, is_new_ ? "New passphrase" : "Passphrase");
    } catch (const Error& error) {
      throw RunFailure(error.code(), error.text());
    }
  }

  bool is_key_;
  bool is_new_;
  SecretSource source_;
  std::optional<auth::SecretBytes> bytes_;
};

// Says what is wrong with files that are not sealed or cannot be replaced, and leaves them out.
std::vector<std::string> sealed_files(const std::vector<std::string>& names, format::SealedSlot given,
                                      int& status) {
  std::vector<std::string> sealed;
  for (const std::string& name : names) {
    try {
      sealed_header(*stream::open_regular_file(name), given);
      sealed.push_back(name);
    } catch (const Error& error) {
      const char* why = error.code() == Errc::usage ? "; rekey works on regular files only" : "";
      say(fmt::format("{}: {}{}", input_title(name), error.text(), why));
      status = worse(status, exit_status(error.code()));
    }
  }
  return sealed;
}

void check_names(const std::vector<std::string>& names) {
  if (names.empty()) throw Error(Errc::usage, "rekey needs the name of a file");
  if (std::ranges::count(names, kStandardStream) != 0)
    throw Error(Errc::usage, "rekey replaces files: it cannot work on a pipe");
}

}  // namespace

int run_rekey(const Arguments& arguments) {
  check_names(arguments.operands());
  AskedSecret now(arguments, "pass", "key", false);
  AskedSecret next(arguments, "new-pass", "new-key", true);
  int status = kSuccess;
  const std::vector<std::string> names = sealed_files(arguments.operands(), now.slot(), status);
  const auto engine = engine::make("cpu/scalar", {.threads = 1});
  const TransferOptions transfer{.replace = true, .in_place = true};
  for (const std::string& name : names) {
    const Task task{name, name};
    status =
        worse(status,
              transfer_file(task, transfer, [&](std::unique_ptr<stream::Source> source, stream::Sink& sink) {
                const format::SealedHeader header = sealed_header(*source, now.slot());
                const format::SealedKeys keys = format::unlock_sealed(header, now());
                format::rekey_sealed({*engine, *source, sink, 0, nullptr, {}}, header, keys, next());
                return Proven{.secret = true, .all_content = true};
              }));
  }
  return status;
}

}  // namespace fugu::cli
