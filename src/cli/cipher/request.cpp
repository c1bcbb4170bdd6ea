
#include "cli/cipher/run.hpp"
#include "cli/files/transfer.hpp"

namespace fugu::cli {
namespace {

using core::Direction;
using format::Codec;
using format::OptionRow;
using format::OptionUse;
using format::SecretKind;

// Null if the format does not have the option.
const OptionRow* row_of(const Codec& codec, std::string_view option) {
  const auto row = std::ranges::find(codec.options, option, &OptionRow::name);
  return row != codec.options.end() ? &*row : nullptr;
}

bool belongs_to_recognised(std::string_view option) {
  return std::ranges::any_of(format::codecs(), [&](const Codec* codec) {
    return codec->recognise != nullptr && codec->has_option(option);
  });
}

// An option may imply the format. Options that several formats share decide nothing.
const Codec* implied_codec(const Arguments& arguments) {
  const OptionRow* naming = nullptr;
  const Codec* named = nullptr;
  for (const Codec* codec : format::codecs()) {
    for (const OptionRow& row : codec->options) {
      if (!row.names_format || !arguments.has(row.name)) continue;
      if (naming != nullptr && (codec == named || !codec->has_option(naming->name)))
        refuse_together(arguments, {naming->name, row.name});
      naming = &row;
      named = codec;
    }
  }
  return named;
}

const Codec* chosen_codec(const Arguments& arguments, Direction direction) {
  const Codec* implied = implied_codec(arguments);
  if (const auto name = arguments.value("format")) return format::find_codec(*name);
  if (implied != nullptr) return implied;
  return direction == Direction::encrypt ? &format::default_codec() : nullptr;
}

void refuse_foreign_option(const Arguments& arguments, std::string_view option, const Codec* codec,
                           Direction direction) {
  if (codec != nullptr ? codec->has_option(option) : belongs_to_recognised(option)) return;
  const std::string owners = formats_that(direction, [&](const Codec& it) { return it.has_option(option); });
  if (codec != nullptr && arguments.has("format"))
    refuse("--{} and --format {} cannot be combined: --{} belongs to --format {}", option, codec->name,
           option, owners);
  refuse("--{} needs --format {}", option, owners);
}

// Options for reading do not apply to writing: some formats are written in one way only.
void refuse_option_of_readers(std::string_view option, const Codec& codec) {
  if (row_of(codec, option)->use == OptionUse::open)
    refuse("--{} is for decryption: with --format {} fugu encrypts in one way only", option, codec.name);
}

void refuse_foreign_secret(const Arguments& arguments, const Codec* codec, Direction direction) {
  if (codec == nullptr) return;
  for (const char* option : {"pass", "key"}) {
    if (arguments.has(option) && !codec->needs_secret())
      refuse("--format {} takes no secret: leave out --{}", codec->name, option);
  }
  if (arguments.has("pass") && !codec->takes(SecretKind::passphrase))
    refuse("--format {} takes a key, not a passphrase: give --key {}", codec->name, kKeyPlaceNames);
  if (arguments.has("key") && !codec->takes(SecretKind::key))
    refuse("--format {} takes a passphrase, not a key: give --pass tty, {}; a key is for --format {}",
           codec->name, kPassphrasePlaceNames,
           formats_that(direction, [](const Codec& it) { return it.takes(SecretKind::key); }));
}

// What OptionType::bytes takes. One byte too many is enough to refuse the file.
std::string digits_of_file(const std::string& path, const OptionRow& row) {
  try {
    std::vector<std::byte> bytes(static_cast<std::size_t>(row.at_most + 1));
    bytes.resize(stream::open_file(path)->read(bytes));
    if (bytes.size() < row.at_least || bytes.size() > row.at_most)
      refuse("does not hold {} bytes", row.at_most);
    return format::hex_text(bytes);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("--{} {}: {}", row.name, path, error.text()));
  }
}

FormatOptions format_options(const Arguments& arguments, const Codec* chosen, Direction direction) {
  FormatOptions given;
  for (const Codec* codec : format::codecs()) {
    for (const OptionRow& row : codec->options) {
      const std::optional<std::string> value = arguments.value(row.name);
      if (!value || std::ranges::find(given, row.name, &FormatOptions::value_type::first) != given.end())
        continue;
      refuse_foreign_option(arguments, row.name, chosen, direction);
      if (direction == Direction::encrypt) refuse_option_of_readers(row.name, *chosen);
      given.emplace_back(row.name, row.from_file ? digits_of_file(*value, row) : *value);
    }
  }
  return given;
}

bool has_word(const Codec& codec, std::string_view option, std::string_view word) {
  const OptionRow* const row = row_of(codec, option);
  return row != nullptr && std::ranges::find(row->words, word) != row->words.end();
}

// Whether the recognised format decides what the word means, and one that can be recognised knows it.
bool is_decided_later(const std::string& option, const std::string& word) {
  return std::ranges::any_of(format::codecs(), [&](const Codec* codec) {
    return codec->recognise != nullptr && has_word(*codec, option, word) && row_of(*codec, option)->by_format;
  });
}

// Without --format, the recognised format must know the word. Throws if one format that can be recognised
// lacks the word and another has it: the user must say which is meant.
void refuse_word_of_others(const std::string& option, const std::string& word) {
  std::vector<const Codec*> knowing;
  bool is_of_all = true;
  for (const Codec* codec : format::codecs()) {
    if (has_word(*codec, option, word)) {
      knowing.push_back(codec);
    } else if (codec->recognise != nullptr && codec->has_option(option)) {
      is_of_all = false;
    }
  }
  if (!knowing.empty() && !is_of_all)
    refuse("--{} {} needs --format {}", option, word, format::names_of(knowing));
}

// Runs before any file is read. If the format is yet to be recognised, only the given options are checked.
void check_options(const CipherRequest& request) {
  const OptionUse use = request.direction == Direction::encrypt ? OptionUse::seal : OptionUse::open;
  if (request.codec != nullptr) {
    static_cast<void>(option_values(*request.codec, request.options, use));
    return;
  }
  FormatOptions given = request.options;
  std::erase_if(given, [](const auto& option) { return is_decided_later(option.first, option.second); });
  for (const auto& [option, value] : given) refuse_word_of_others(option, value);
  for (const Codec* codec : format::codecs()) {
    if (codec->recognise == nullptr) continue;
    FormatOptions known = given;
    std::erase_if(known, [&](const auto& option) { return !codec->has_option(option.first); });
    if (!known.empty()) static_cast<void>(option_values(*codec, known, use));
  }
}

// As with openssl enc, -a and -A together mean one line.
std::optional<TextForm> text_form(const Arguments& arguments) {
  const auto lines = arguments.has("single-line") ? stream::TextLines::single : stream::TextLines::wrapped;
  if (arguments.has("hex")) return TextForm{format::TextEncoding::hex, lines};
  if (arguments.has("signed-hex")) return TextForm{format::TextEncoding::signed_hex, lines};
  if (arguments.has("base64") || arguments.has("single-line"))
    return TextForm{format::TextEncoding::base64, lines};
  return std::nullopt;
}

bool hashes_key(const CipherRequest& request) {
  if (request.codec == nullptr) return false;
  return std::ranges::any_of(request.codec->options, [&](const OptionRow& row) {
    return row.hashes_key &&
           std::ranges::count(request.options, row.name, &FormatOptions::value_type::first) != 0;
  });
}

// The value is not repeated: it may be a passphrase.
void refuse_passphrase_as_file(const Arguments& arguments) {
  const auto is_missing = [](const std::string& name) {
    std::error_code none;
    return name != kStandardStream && !std::filesystem::exists(name, none);
  };
  if (arguments.has("keep") && !arguments.has("pass") &&
      std::ranges::any_of(arguments.operands(), is_missing))
    refuse("a FILE does not exist; -k keeps the input, and a passphrase is given by --pass {}",
           kPassphrasePlaceNames);
}

SecretQuestion secret_question(const Arguments& arguments, const CipherRequest& request) {
  const bool is_new = request.direction == Direction::encrypt;
  const Codec* const codec = request.codec;
  if (arguments.has("key"))
    return {.kind = SecretKind::key,
            .source = key_source(arguments),
            .max_key_bytes = codec != nullptr ? codec->max_key_bytes : max_key_bytes(format::Ability::open),
            .is_hashed = hashes_key(request),
            .is_new = is_new};
  if (codec != nullptr && codec->needs_secret() && !codec->takes(SecretKind::passphrase))
    refuse("--format {} needs --key {}", codec->name, kKeyPlaceNames);
  refuse_passphrase_as_file(arguments);
  return {.source = passphrase_source(arguments), .is_new = is_new};
}

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

std::size_t max_key_bytes(format::Ability ability) {
  std::size_t most = 0;
  for (const Codec* codec : format::codecs())
    if (codec->can(ability)) most = std::max(most, codec->max_key_bytes);
  return most;
}

std::string formats_that(Direction direction, const std::function<bool(const Codec&)>& fit) {
  std::vector<const Codec*> found;
  std::ranges::copy_if(format::codecs(), std::back_inserter(found), [&](const Codec* codec) {
    return fit(*codec) && (direction != Direction::encrypt || codec->can(format::Ability::seal));
  });
  return format::names_of(found);
}

SealOptions CipherRequest::to_seal(const Share& share) const {
  return {.format = codec->name,
          .options = options,
          .engine = &share.engine,
          .text = text,
          .chunk_bytes = share.chunk_bytes};
}

OpenOptions CipherRequest::to_open(const Share& share) const {
  return {.format = codec != nullptr ? codec->name : "",
          .options = options,
          .accept_weak_evidence = accept_weak_evidence,
          .salvage = salvage,
          .engine = &share.engine,
          .encoding = text ? std::optional(text->encoding) : std::nullopt,
          .chunk_bytes = share.chunk_bytes,
          .made_by_seal = direction == Direction::encrypt};
}

bool CipherRequest::is_serial() const {
  if (codec == nullptr || codec->is_serial == nullptr) return false;
  const OptionUse use = direction == Direction::encrypt ? OptionUse::seal : OptionUse::open;
  return codec->is_serial(option_values(*codec, options, use), direction);
}

FormatOptions rekey_options(const Arguments& arguments) {
  FormatOptions given;
  for (const Codec* codec : format::codecs()) {
    for (const OptionRow& row : codec->options) {
      if (const auto value = arguments.value(row.name); value && row.rekeys)
        given.emplace_back(row.name, *value);
    }
  }
  return given;
}

CipherRequest cipher_request(const Arguments& arguments, Direction direction) {
  CipherRequest request;
  request.direction = direction;
  request.codec = chosen_codec(arguments, direction);
  request.options = format_options(arguments, request.codec, direction);
  refuse_foreign_secret(arguments, request.codec, direction);
  request.text = text_form(arguments);
  request.accept_weak_evidence = arguments.has("yes");
  request.salvage = arguments.has("salvage");
  check_options(request);
  request.secret = secret_question(arguments, request);
  request.lines = lines_options(arguments, request.codec, direction, request.text);
  return request;
}

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
