// fugu-open, the program for those who have a file and its passphrase and nothing else: says what each file
// named on the command line or dropped on the program is, asks for the passphrase, and writes what the file
// holds beside it. It never overwrites.
#include <filesystem>
#include <new>

#include "cli/open/conversation.hpp"
#include "cli/process/console.hpp"
#include "fugu/format/codec.hpp"
#include "fugu/format/job.hpp"
#include "fugu/format/recognition.hpp"
#include "fugu/fugu.hpp"
#include "fugu/stream/output_file.hpp"
#include "fugu/stream/source.hpp"

namespace fugu::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUsage =
    "usage: fugu-open FILE...\n"
    "\n"
    "Opens files encrypted with Blowfish and writes what they hold beside them. Name them, or drop them on "
    "the\n"
    "program. The passphrase is read from standard input. Nothing is overwritten.\n";

constexpr int kMaxTries = 3;

fs::path path_of(const std::string& name) {
  return {std::u8string(name.begin(), name.end())};
}

std::string text_of(const fs::path& path) {
  const std::u8string text = path.u8string();
  return {text.begin(), text.end()};
}

std::string output_for(const std::string& name) {
  const fs::path path = path_of(name);
  return text_of(path.parent_path() / path_of(format::decrypted_name(text_of(path.filename()))));
}

void say_failure(const std::string& name, std::string_view text) {
  show_error("fugu-open: " + printable(name) + ": " + printable(text) + "\n");
}

// The passphrase of all files, until one is not opened by it.
class Passphrase {
 public:
  const auth::SecretBytes& get() {
    try {
      if (!bytes_) bytes_ = ask_passphrase("passphrase: ");
      return *bytes_;
    } catch (const Error& error) {
      throw Error(error.code(), "no passphrase: standard input " + error.text());
    }
  }
  void forget() noexcept { bytes_.reset(); }
  auth::DerivedKeys& derived() { return derived_; }

 private:
  std::optional<auth::SecretBytes> bytes_;
  auth::DerivedKeys derived_;
};

class FileObserver final : public Observer {
 public:
  explicit FileObserver(Passphrase& passphrase) : passphrase_(passphrase) { derived = &passphrase.derived(); }

  format::SecretKind secret_kind() const override { return format::SecretKind::passphrase; }
  const auth::SecretBytes& secret(const format::Codec&) override { return passphrase_.get(); }

 private:
  Passphrase& passphrase_;
};

void show_description(const std::string& name, const format::Description& description) {
  std::string lines = printable(name) + ": " + printable(description.title) + "\n";
  for (const format::DescriptionField& field : description.fields)
    if (!field.label.empty()) lines += "  " + field.label + ": " + printable(field.text) + "\n";
  show(lines);
}

// This program has no options.
std::string with_program(const std::string& text) {
  return spelled(text, Spelling::program) == text ? text : text + " (options of fugu decrypt)";
}

// Says what the file is; false if only a passphrase could tell. Throws Error{unknown_format} for files of
// other programs. Damage is left for open() to report.
bool describe(const std::string& name) {
  format::Recognised found = format::recognise(stream::open_file(name));
  if (found.codecs.empty() && !found.other_program.empty())
    throw Error(Errc::unknown_format, found.other_program);
  if (found.codecs.size() != 1) return !found.codecs.empty();
  const format::Codec& codec = *found.codecs.front();
  try {
    show_description(name, codec.describe(*found.source, format::OptionValues(codec.options)));
  } catch (const Error& error) {
    if (error.code() != Errc::damaged) throw;
  }
  return true;
}

std::string state_after(const Error& error, const FileObserver& observer, const std::string& output) {
  if (error.doubts_secret()) return "; nothing was written";
  return observer.untried(error) + "; " + output + " was not created";
}

format::Opened open_once(const std::string& name, const std::string& output, Passphrase& passphrase) {
  auto source = stream::open_file(name);
  stream::OutputFile file(output, {.input = source->file_id(), .like = source->attributes()});
  FileObserver observer(passphrase);
  try {
    format::Opened opened = open(std::move(source), file, observer, {.name = name});
    file.commit();
    return opened;
  } catch (const Error& error) {
    throw Error(error.code(), with_program(error.text()) + state_after(error, observer, output));
  }
}

// Asks again for a passphrase that is wrong.
format::Opened open_with_tries(const std::string& name, const std::string& output, Passphrase& passphrase) {
  for (int tries = 1;; ++tries) {
    try {
      return open_once(name, output, passphrase);
    } catch (const Error& error) {
      if (!error.doubts_secret()) throw;
      passphrase.forget();
      if (tries == kMaxTries || !is_interactive()) throw;
      say_failure(name, error.text());
    }
  }
}

format::Opened open_as_recognised(const std::string& name, const std::string& output, Passphrase& passphrase,
                                  bool is_recognised) {
  try {
    return open_with_tries(name, output, passphrase);
  } catch (const Error& error) {
    if (is_recognised || error.code() != Errc::unknown_format) throw;
    throw Error(error.code(),
                "neither its beginning nor the passphrase shows its format: fugu decrypt --format NAME opens "
                "it; " +
                    output + " was not created");
  }
}

void open_file(const std::string& name, Passphrase& passphrase) {
  const bool is_recognised = describe(name);
  const std::string output = output_for(name);
  if (fs::exists(fs::symlink_status(path_of(output))))
    throw Error(Errc::io, output + " exists; not overwritten");
  const format::Opened opened = open_as_recognised(name, output, passphrase, is_recognised);
  show(printable(name) + " -> " + printable(output) + ": " + printable(opened.parameters) + "\n");
  if (!format::is_sufficient(opened.evidence))
    show("  a wrong passphrase could have gone unnoticed here: check the result\n");
  if (!opened.authenticated && !opened.checked)
    show("  this format has no authentication: damage can go unseen\n");
  for (const std::string& note : opened.notes) show("  " + printable(with_program(note)) + "\n");
}

// Returns the exit status.
int open_or_say(const std::string& name, Passphrase& passphrase) {
  try {
    open_file(name, passphrase);
    return kSuccess;
  } catch (const Error& error) {
    say_failure(name, error.text());
    return exit_status(error.code());
  } catch (const std::bad_alloc&) {
    say_failure(name, "not enough memory");
  } catch (const std::exception& error) {
    say_failure(name, error.what());
  }
  return exit_status(Errc::io);
}

}  // namespace

int open_files(const std::vector<std::string>& names) {
  if (names.empty()) {
    show_error(kUsage);
    return exit_status(Errc::usage);
  }
  Passphrase passphrase;
  int status = kSuccess;
  for (const std::string& name : names) status = worse(status, open_or_say(name, passphrase));
  return status;
}

}  // namespace fugu::cli
