#include "cli/cipher/request.hpp"

#include <fmt/format.h>

#include "cli/files/transfer.hpp"
#include "cli/process/console.hpp"

namespace fugu::cli {
namespace {

// Descriptors are read at once, also because the data may follow on the same one.
bool is_interactive(const SecretSource& source) {
  return source.place == SecretPlace::terminal || source.place == SecretPlace::command;
}

// Whether the secret is text and a line feed: a key of random bytes may end in anything.
bool is_line(std::span<const std::byte> secret) {
  return secret.size() > 1 && secret.back() == std::byte{'\n'} &&
         std::ranges::all_of(secret.first(secret.size() - 1),
                             [](std::byte b) { return b >= std::byte{0x20} && b != std::byte{0x7f}; });
}

}  // namespace

RunSecret::RunSecret(SecretQuestion question, bool many_files)
    : question_(std::move(question)), many_files_(many_files) {
  if (!is_interactive(question_.source)) read();
}

std::string_view RunSecret::kind_name() const {
  return question_.kind == format::SecretKind::key ? "key" : "passphrase";
}

bool RunSecret::is_known() const {
  const std::lock_guard lock(mutex_);
  return !answers_.empty();
}

std::size_t RunSecret::answer() const {
  const std::lock_guard lock(mutex_);
  return std::max<std::size_t>(answers_.size(), 1);
}

auth::DerivedKeys& RunSecret::derived() {
  const std::lock_guard lock(mutex_);
  while (derived_.size() < std::max<std::size_t>(answers_.size(), 1)) derived_.emplace_back(many_files_);
  return derived_.back();
}

bool RunSecret::is_doubted_by(const Error& error) {
  return error.doubts_secret() && dynamic_cast<const format::OtherSecretKind*>(&error) == nullptr;
}

bool RunSecret::asks_again(std::size_t& answer, std::string_view file, const Error& error) {
  constexpr std::size_t kMaxAnswers = 3;
  const std::lock_guard lock(mutex_);
  const bool is_typed = question_.source.place == SecretPlace::terminal && !question_.is_new;
  if (!is_doubted_by(error) || !is_typed) return false;
  if (answer == answers_.size()) {
    if (proven_ || answer == kMaxAnswers) return false;
    const StatusPause pause;
    say_failure(file, error, "; try again");
    static_cast<void>(read_or_end());
  }
  answer = answers_.size();
  return true;
}

const auth::SecretBytes& RunSecret::bytes() {
  const std::lock_guard lock(mutex_);
  if (!answers_.empty()) return answers_.back();
  const StatusPause pause;
  return read_or_end();
}

const auth::SecretBytes& RunSecret::read_or_end() {
  try {
    return read();
  } catch (const Error& error) {
    throw RunFailure(error.code(), error.text());
  }
}

const auth::SecretBytes& RunSecret::bytes_for(const format::Codec& codec) {
  const auth::SecretBytes& all = bytes();
  const bool is_file =
      question_.kind == format::SecretKind::passphrase && question_.source.place != SecretPlace::environment;
  const auto seen = all.span().first(std::min(all.size(), codec.passphrase_file_bytes));
  const std::size_t bytes = static_cast<std::size_t>(std::ranges::find(seen, std::byte{0}) - seen.begin());
  if (!is_file || codec.passphrase_file_bytes == 0 || bytes == all.size()) return all;
  const std::lock_guard lock(mutex_);
  const auto [cut, is_new] = cut_.try_emplace({codec.name, answers_.size()}, seen.first(bytes));
  if (is_new)
    say_note(
        fmt::format("the passphrase of {} is the first {} of these {} bytes: the program that made it reads "
                    "no more of a passphrase file, and stops at a NUL",
                    codec.name, bytes, all.size()));
  return cut->second;
}

std::string RunSecret::doubt() const {
  const std::lock_guard lock(mutex_);
  if (question_.kind != format::SecretKind::key || answers_.empty() || !is_line(answers_.back().span()))
    return "";
  return fmt::format("the key{} ends in a line feed, which is part of the key: tr -d '\\n' removes it",
                     question_.source.place == SecretPlace::file ? " file" : "");
}

const auth::SecretBytes& RunSecret::read() {
  return answers_.emplace_back(question_.kind == format::SecretKind::key
                                   ? read_key(question_.source, question_.max_key_bytes)
                                   : read_passphrase(question_.source, question_.is_new, question_.name));
}

}  // namespace fugu::cli
