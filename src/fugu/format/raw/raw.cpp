// Raw Blowfish without a header, as written by Java, PHP mcrypt, Perl and others.
//
//   [skipped] | [iv 8 or 10, only with IvPlace::prefix and openpgp] | ciphertext | [left out]
//
// The data does not reveal key, mode, padding or word order: all must be given. Unauthenticated.
#include <algorithm>
#include <array>
#include <utility>

#include "fugu/engine/engine.hpp"
#include "fugu/format/detail/codecs.hpp"
#include "fugu/format/detail/filters.hpp"
#include "fugu/format/detail/lookahead.hpp"
#include "fugu/format/judge/story.hpp"
#include "fugu/format/raw/raw.hpp"
#include "fugu/format/salvage.hpp"

namespace fugu::format {
namespace {

using namespace std::string_view_literals;
using mode::Padding;

struct IvPlaceRow {
  std::string_view name;
  IvPlace place;
};
constexpr IvPlaceRow kIvPlaces[] = {{"prefix", IvPlace::prefix},
                                    {"key", IvPlace::of_key},
                                    {"openpgp", IvPlace::openpgp},
                                    {"encrypted-zero", IvPlace::encrypted_zero},
                                    {"encrypted-ff", IvPlace::encrypted_ff}};

constexpr std::string_view kOrders[] = {"be", "le"};

constexpr std::array kModes = [] {
  std::array<std::string_view, mode::kModeNames.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = mode::kModeNames[i].name;
  return names;
}();

// pkcs5 and null are what Java and Crypt::CBC call pkcs7 and zero.
constexpr std::array kPaddings{"pkcs7"sv,    "zero"sv,       "space"sv,        "none"sv,
                               "x923"sv,     "iso10126"sv,   "oneandzeroes"sv, "rijndael_compat"sv,
                               "residual"sv, "clear-rest"sv, "cs1"sv,          "cs2"sv,
                               "cs3"sv,      "pkcs5"sv,      "null"sv};
constexpr std::array kPaddingValues{
    Padding::pkcs7,    Padding::zero,       Padding::space,         Padding::none,
    Padding::x923,     Padding::iso10126,   Padding::one_and_zeros, Padding::one_and_zeros_or_none,
    Padding::residual, Padding::clear_rest, Padding::cs1,           Padding::cs2,
    Padding::cs3,      Padding::pkcs7,      Padding::zero};
constexpr std::array kHashes{"md5"sv, "sha1"sv, "sha256"sv, "sha512"sv, "ripemd160"sv};

constexpr auto kSizeNames = [] {
  std::array<std::string_view, std::size(kSizesInFront)> names;
  std::ranges::transform(kSizesInFront, names.begin(), &SizeInFront::name);
  return names;
}();

// Passes the text on.
class SizedText final : public Filter {
 public:
  SizedText(const Job& job, const SizeInFront& size) : Filter(job.sink), salvage_(job.salvage), size_(size) {}

  void write(std::span<const std::byte> from) override {
    const auto in_front = from.first(std::min(from.size(), size_.bytes - front_.size()));
    front_.insert(front_.end(), in_front.begin(), in_front.end());
    if (!in_front.empty() && front_.size() == size_.bytes) left_ = size_.read(front_);
    const auto behind = from.subspan(in_front.size());
    const auto text = behind.first(static_cast<std::size_t>(std::min<std::uint64_t>(behind.size(), left_)));
    if (!text.empty()) inner_.write(text);
    left_ -= text.size();
  }
  void finish() override {
    const bool is_whole = front_.size() == size_.bytes && left_ == 0;
    if (!is_whole && salvage_ == nullptr) throw Error(Errc::wrong_key, kWrongSize);
    if (!is_whole) note_damage(*salvage_, kWrongSize);
    inner_.finish();
  }

 private:
  SalvageReport* salvage_;
  const SizeInFront& size_;
  core::WipedBytes front_;
  std::uint64_t left_ = 0;
};

constexpr OptionRow kOptions[] = {
    word_option("mode NAME", kModes, "ecb, cbc, cfb (64 bits), cfb8, ofb (64 bits), ctr, ofb8 or pcbc."),
    text_option(
        "iv IV",
        "16 hexadecimal digits, text:12345678, base64:MTIzNDU2Nzg=, zero, prefix (the first 8 bytes of "
        "the data), key (the first 8 bytes of what --key holds; key:md5,digits and the like: after these "
        "steps, as --key-steps has them), openpgp (cfb after OpenPGP's 10 bytes), encrypted-zero or "
        "encrypted-ff (a block of zeros or of FF encrypted under the key, as in DCPcrypt 2 and 1)."),
    word_option(
        "pad NAME", kPaddings,
        "pkcs7 or pkcs5 (the default of ecb, cbc and pcbc), zero or null and space (those of the last block "
        "are taken off), none (the default of the others), x923, iso10126, oneandzeroes (80 00 .., ISO "
        "7816-4), rijndael_compat (the same, but nothing on whole blocks), residual (cbc, a rest without "
        "padding, as in DCPcrypt), cs1, cs2 or cs3 (cbc with ciphertext stealing; Java's CTS is cs3) or "
        "clear-rest (the last 1 to 7 bytes are not encrypted)."),
    word_option("words ORDER", kOrders,
                "Byte order of a block's two words: be (the default) or le, 'blowfish-compat'."),
    word_option("counter ORDER", kOrders, "Byte order of the counter of ctr: be (the default) or le."),
    marked(
        text_option("key-steps STEP,...",
                    "How the key is made from what --key holds, in this order: hex, base64 (decode it); "
                    "u64le, u64be (a decimal number, as 8 bytes); utf16le, utf16be (a text); lf, crlf, nul "
                    "(with that appended), chomp (without a line end); md5, sha1, sha256, sha512, ripemd160; "
                    "digits (hexadecimal, in lower case), upper (letters in upper case); cutN (the first N "
                    "bytes), fillN, fillffN (with bytes 00 or FF to N). PHP's md5($k) is md5,digits."),
        &OptionRow::hashes_key),
    marked(word_option("key-hash NAME", kHashes,
                       "The same as this one of --key-steps: md5 is PHP's md5($k, true)."),
           &OptionRow::hashes_key),
    number_option("key-fill N", {1, cipher::kMaxClassicKeyBytes},
                  "The same as fillN of --key-steps: 16 for PHP's openssl_encrypt."),
    number_option(
        "skip N", {},
        "Leave out the first N bytes, an unencrypted header. With --hex or -a they are counted once decoded.",
        OptionUse::open),
    number_option("length L", {}, "Decrypt at most L bytes, from --skip on, and leave out what follows.",
                  OptionUse::open),
    word_option("sized NAME", kSizeNames,
                "The plaintext begins with its length, a number of 2 or 4 bytes: write only that many after "
                "it. No --pad is needed.",
                OptionUse::open),
};

mode::Settings openpgp_start(const RawParameters& raw) {
  return {.mode = Mode::cfb64, .iv = mode::Iv(), .words = raw.settings.words};
}

core::ByteOrder order(const OptionValues& options, std::string_view name) {
  return options.text(name) == "le" ? core::ByteOrder::little : core::ByteOrder::big;
}

void set_iv(const OptionValues& options, RawParameters& raw) {
  const std::optional<std::string> given = options.text("iv");
  if (raw.settings.mode == Mode::ecb) {
    if (given) throw Error(Errc::usage, "⟦iv⟧ and ⟦mode ecb⟧ cannot be combined: this mode has no IV");
    return;
  }
  if (!given) throw Error(Errc::usage, "⟦format raw⟧ needs ⟦iv⟧ (" + std::string(kRawIvValues) + ")");
  set_raw_iv(*given, raw);
  if (raw.iv_place == IvPlace::openpgp && raw.settings.mode != Mode::cfb64)
    throw Error(Errc::usage, "⟦iv openpgp⟧ and ⟦mode " + *options.text("mode") +
                                 "⟧ cannot be combined: OpenPGP has cfb only");
}

void set_padding(const OptionValues& options, mode::Settings& settings) {
  const std::optional<Padding> given = chosen(options, "pad", kPaddings, kPaddingValues);
  if (given && !mode::can_end_so(settings.mode, *given)) {
    throw Error(Errc::usage, "⟦pad " + *options.text("pad") + "⟧ and ⟦mode " + *options.text("mode") +
                                 "⟧ cannot be combined: only " +
                                 (given == Padding::clear_rest ? "ecb, cbc and pcbc end" : "cbc ends") +
                                 " so");
  }
  settings.padding = given.value_or(mode::is_padded(settings.mode) && !options.has("sized") ? Padding::pkcs7
                                                                                            : Padding::none);
  settings.pads_streams = true;
}

std::string key_steps(const OptionValues& options) {
  options.refuse_together({"key-steps", "key-hash"});
  options.refuse_together({"key-steps", "key-fill"});
  std::string steps = options.text("key-steps").value_or(options.text("key-hash").value_or(""));
  if (const auto bytes = options.text("key-fill")) steps += (steps.empty() ? "fill" : ",fill") + *bytes;
  check_key_steps(steps);
  return steps;
}

RawParameters parameters(const OptionValues& options) {
  const std::optional<std::string> mode = options.text("mode");
  if (!mode)
    throw Error(Errc::usage, "⟦format raw⟧ needs ⟦mode ecb, cbc, cfb, cfb8, ofb, ctr, ofb8 or pcbc⟧");
  RawParameters raw;
  raw.settings.mode = *mode::mode_named(*mode);
  set_iv(options, raw);
  set_padding(options, raw.settings);
  if (options.has("counter") && raw.settings.mode != Mode::ctr)
    throw Error(Errc::usage, "⟦counter⟧ and ⟦mode " + *mode + "⟧ cannot be combined: only ctr has a counter");
  raw.settings.words = order(options, "words");
  raw.settings.counter = order(options, "counter");
  raw.key_steps = key_steps(options);
  raw.skip = options.number("skip").value_or(0);
  raw.length = options.number("length");
  if (const auto name = options.text("sized"))
    raw.size = std::ranges::find(kSizesInFront, *name, &SizeInFront::name);
  return raw;
}

void check(const OptionValues& options, OptionUse) {
  static_cast<void>(parameters(options));
}

std::string describe_parameters(const RawParameters& raw) {
  return "raw " + std::string(mode::name_of(raw.settings.mode));
}

bool keeps_all(const RawParameters& raw) {
  return may_be_data(raw.settings.padding).empty() && raw.skip == 0 && !raw.length && raw.size == nullptr;
}

Opened opened_as(const RawParameters& raw) {
  Opened opened = likely(describe_parameters(raw), 0);
  opened.all_content = keeps_all(raw);
  if (!may_be_data(raw.settings.padding).empty())
    opened.notes.push_back(unpadding_note(raw.settings.padding));
  return opened;
}

// `header` is read or made by `take`, which gets the key's schedule.
template <class Take>
UnitPlan plan_of(Direction direction, const RawParameters& raw, const auth::SecretBytes& secret, Take take) {
  UnitPlan plan{.direction = direction, .settings = raw.settings, .key = raw_key(raw, secret)};
  const cipher::Schedule schedule = schedule_of(plan.key.span());
  plan.header = take(schedule);
  if (raw.settings.mode != Mode::ecb) plan.settings.iv = raw_iv(raw, secret, schedule, plan.header);
  return plan;
}

UnitPlan plan_sealing(const RawParameters& raw, const auth::SecretBytes& secret) {
  return plan_of(Direction::encrypt, raw, secret,
                 [&](const cipher::Schedule& schedule) { return raw_header(raw, schedule); });
}

// Reads the IV from the job's source where it stands in front.
UnitPlan plan_opening(const Job& job, const RawParameters& raw, const auth::SecretBytes& secret) {
  return plan_of(Direction::decrypt, raw, secret, [&](const cipher::Schedule&) {
    std::vector<std::byte> header(raw_header_bytes(raw.iv_place));
    const std::size_t bytes = header.empty() ? 0 : job.source.read(header);
    count_read(job, bytes);
    if (bytes != header.size()) throw Error(Errc::damaged, ends_inside_iv(header.size()));
    return header;
  });
}

void read_past(const Job& job, std::uint64_t bytes) {
  std::array<std::byte, std::size_t{4} << 10> passed;
  while (bytes != 0) {
    const std::size_t got = job.source.read(
        std::span(passed).first(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, passed.size()))));
    if (got == 0) throw Error(Errc::damaged, "the data ends inside what ⟦skip⟧ leaves out");
    count_read(job, got);
    bytes -= got;
  }
}

std::vector<std::byte> head_at(stream::Source& source, std::uint64_t offset) {
  const std::uint64_t end = source.size_bytes().value_or(0);
  std::vector<std::byte> head(
      static_cast<std::size_t>(std::min<std::uint64_t>(end - std::min(end, offset), kRawHeadBytes)));
  return source.read_at(head, offset) ? head : std::vector<std::byte>();
}

std::vector<std::byte> head_of(Lookahead& source) {
  const auto head = source.peek(kRawHeadBytes);
  return {head.begin(), head.end()};
}

// `beginning` is also for a caller that sees it throw.
void decrypt(const Job& job, const RawParameters& raw, const auth::SecretBytes& secret,
             RawBeginning& beginning) {
  read_past(job, raw.skip);
  RestSource part(job.source, raw.skip, raw.length);
  beginning.plan = plan_opening(with_source(job, part), raw, secret);
  Lookahead pipe(part);
  const std::optional<std::uint64_t> offset = part.offset();
  beginning.ciphertext = offset ? head_at(part, *offset) : head_of(pipe);
  Job rest = with_source(job, offset ? static_cast<stream::Source&>(part) : pipe, job.watcher);
  std::optional<SizedText> text;
  if (raw.size != nullptr) text.emplace(job, *raw.size);
  run_cipher(text ? with_sink(rest, *text) : rest, beginning.plan.key.span(), beginning.plan.settings,
             Direction::decrypt);
}

Opened open(const Job& job, const OpenRequest& request) {
  const RawParameters raw = parameters(request.options);
  const auth::SecretBytes& secret = request.secret(SecretKind::key);
  RawBeginning beginning;
  try {
    decrypt(job, raw, secret, beginning);
  } catch (const mode::WrongPadding& wrong) {
    throw padding_error(job.engine, wrong, raw, secret, beginning);
  }
  Opened opened = opened_as(raw);
  for (std::string& hint : result_hints(job.engine, raw, secret, beginning))
    opened.notes.push_back(std::move(hint));
  return opened;
}

std::string seal(const Job& job, const SealRequest& request) {
  const RawParameters raw = parameters(request.options);
  const UnitPlan plan = plan_sealing(raw, request.secret(SecretKind::key));
  if (!plan.header.empty()) write_counted(job, plan.header);
  run_cipher(job, plan.key.span(), plan.settings, Direction::encrypt);
  return describe_parameters(raw);
}

UnitPlan plan_seal(std::uint64_t plain_bytes, const SealRequest& request) {
  return divided(plan_sealing(parameters(request.options), request.secret(SecretKind::key)), plain_bytes);
}

UnitPlan plan_open(const Job& job, const OpenRequest& request, Opened& opened) {
  const RawParameters raw = parameters(request.options);
  if (raw.skip != 0 || raw.length || raw.size != nullptr)
    throw Error(Errc::usage, "a part of a file cannot be divided among processes");
  UnitPlan plan = plan_opening(job, raw, request.secret(SecretKind::key));
  opened = opened_as(raw);
  return divided(std::move(plan), file_bytes(job.source));
}

std::unique_ptr<MessageCipher> open_messages(const OpenRequest& request, std::span<const core::WipedBytes>) {
  const RawParameters raw = parameters(request.options);
  return raw_messages(raw, keeps_all(raw), request.secret(SecretKind::key), Direction::decrypt);
}

std::unique_ptr<MessageCipher> seal_messages(const SealRequest& request) {
  return raw_messages(parameters(request.options), true, request.secret(SecretKind::key), Direction::encrypt);
}

constexpr Units kUnits{plan_seal, plan_open, stream_work};

Description describe(stream::Source& source, const OptionValues&) {
  Description description{.title = "raw Blowfish"};
  if (const auto bytes = source.size_bytes())
    description.add_number("ciphertext_bytes", "ciphertext", *bytes, " bytes");
  description.fields.push_back(
      {"", {}, "not stored", "anything: key, mode, IV and padding have to be given"});
  description.add_text("authentication", "authentication", "none");
  return description;
}

bool is_serial(const OptionValues& options, Direction direction) {
  return mode::is_serial(parameters(options).settings.mode, direction);
}

}  // namespace

void set_raw_iv(std::string_view given, RawParameters& raw) {
  const auto place = std::ranges::find(kIvPlaces, given.substr(0, given.find(':')), &IvPlaceRow::name);
  const bool has_steps = given.starts_with("key:");
  if (place == std::end(kIvPlaces) || (given != place->name && !has_steps)) {
    raw.settings.iv = parse_iv(given);
    return;
  }
  raw.iv_place = place->place;
  if (has_steps) check_key_steps(raw.iv_steps = given.substr(place->name.size() + 1));
}

std::size_t raw_header_bytes(IvPlace place) {
  if (place == IvPlace::openpgp) return kBlockBytes + 2;
  return place == IvPlace::prefix ? kBlockBytes : 0;
}

std::vector<std::byte> raw_header(const RawParameters& raw, const cipher::Schedule& schedule) {
  std::vector<std::byte> header(raw_header_bytes(raw.iv_place));
  auth::random_bytes(header);
  if (raw.iv_place == IvPlace::openpgp) {
    std::copy_n(header.end() - 4, 2, header.end() - 2);
    transform(engine::local_engine(), schedule, openpgp_start(raw), Direction::encrypt, header);
  }
  return header;
}

mode::Iv raw_iv(const RawParameters& raw, const auth::SecretBytes& secret, const cipher::Schedule& schedule,
                std::span<const std::byte> header) {
  switch (raw.iv_place) {
    case IvPlace::given:
      break;
    case IvPlace::prefix:
      return iv_of(header);
    case IvPlace::encrypted_zero:
    case IvPlace::encrypted_ff: {
      mode::Iv iv;
      iv.fill(raw.iv_place == IvPlace::encrypted_ff ? std::byte{0xff} : std::byte{0});
      transform(engine::local_engine(), schedule, {.mode = Mode::ecb, .words = raw.settings.words},
                Direction::encrypt, iv);
      return iv;
    }
    case IvPlace::of_key: {
      const auth::SecretBytes bytes = after_key_steps(raw.iv_steps, secret);
      if (bytes.size() < kBlockBytes) throw Error(Errc::usage, "⟦iv key⟧ needs a key of 8 bytes or more");
      return iv_of(bytes.span());
    }
    case IvPlace::openpgp: {
      core::WipedBytes random(header.begin(), header.end());
      transform(engine::local_engine(), schedule, openpgp_start(raw), Direction::decrypt, random);
      if (!std::equal(random.end() - 2, random.end(), random.end() - 4))
        throw Error(Errc::wrong_key, "wrong key: the first 10 bytes are not those of OpenPGP's CFB");
      return iv_of(header.last(kBlockBytes));
    }
  }
  return raw.settings.iv.value_or(mode::Iv());
}

std::string ends_inside_iv(std::size_t bytes) {
  return "the data ends inside the IV, its first " + counted(bytes, "byte");
}

auth::SecretBytes raw_key(const RawParameters& parameters, const auth::SecretBytes& secret) {
  if (secret.empty()) throw Error(Errc::usage, "the key is empty: Blowfish takes 1 byte or more");
  const auth::SecretBytes key = after_key_steps(parameters.key_steps, secret);
  if (key.empty()) throw Error(Errc::usage, "⟦key-steps⟧ makes an empty key: Blowfish takes 1 byte or more");
  return auth::SecretBytes(key.span().first(std::min(key.size(), cipher::kMaxClassicKeyBytes)));
}

std::string_view raw_padding_name(Padding padding) {
  return kPaddings[place_of(kPaddingValues, padding)];
}

const Codec kRawCodec{
    .name = "raw",
    .extensions = kExtensions<".bf">,
    .summary = "Blowfish without a header",
    .made_by = "openssl enc -K, and programs in Java, PHP, Perl, Python and others",
    .wrong_secret = "nothing but padding that is not valid",
    .secrets = secrets({SecretKind::key}),
    .max_key_bytes = kMaxPassphraseBytes,  // the first 72 bytes count, or all are hashed
    .specified_key_bytes = cipher::kMaxKeyBytes,
    .options = kOptions,
    .check = check,
    .open = open,
    .seal = seal,
    .describe = describe,
    .watches = true,
    .is_serial = is_serial,
    .units = &kUnits,
    .has_messages = true,
    .open_messages = open_messages,
    .seal_messages = seal_messages,
};

}  // namespace fugu::format
