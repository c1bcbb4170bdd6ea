// A format that does not exist. Only this folder and a row of the table are added for it.
//
//   "TOY1" | check 1 (the shift and the passphrase's first byte, added) | each byte and the check, added
#include <algorithm>
#include <array>

#include "fugu/error.hpp"
#include "fugu/format/codec.hpp"

namespace fugu::format {

extern const Codec kToyCodec;
extern const Codec kTwinCodec;

namespace {

constexpr std::array kMagic{std::byte{'T'}, std::byte{'O'}, std::byte{'Y'}, std::byte{'1'}};
constexpr std::string_view kBoth = "TOY2";  // two formats begin like this

constexpr OptionRow kOptions[] = {{.name = "toy-shift",
                                   .type = OptionType::number,
                                   .value = "N",
                                   .help = "Shift of the toy, 0 to 9.",
                                   .at_most = 9}};

unsigned shift(const OptionValues& options, const auth::SecretBytes& passphrase) {
  const unsigned first = passphrase.empty() ? 0 : std::to_integer<unsigned>(passphrase.span().front());
  return static_cast<unsigned>(options.number("toy-shift").value_or(0)) + first;
}

void add(const Job& job, unsigned shift) {
  std::array<std::byte, 1000> bytes;
  for (std::size_t got = job.source.read(bytes); got != 0; got = job.source.read(bytes)) {
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(std::to_integer<unsigned>(byte) + shift);
    write_counted(job, std::span(bytes).first(got));
  }
  job.sink.finish();
}

std::byte read_header(stream::Source& source) {
  std::array<std::byte, kMagic.size() + 1> header;
  if (source.read(header) < header.size()) throw Error(Errc::damaged, "the toy ends inside its header");
  return header.back();
}

Recognition recognise_twin(std::span<const std::byte> head, std::optional<std::uint64_t>) {
  const bool is_both = head.size() >= kBoth.size() &&
                       std::ranges::equal(head.first(kBoth.size()), std::as_bytes(std::span(kBoth)));
  return is_both ? Recognition::by_magic : Recognition::no;
}

Recognition recognise_toy(std::span<const std::byte> head, std::optional<std::uint64_t>) {
  const bool is_toy = head.size() >= kMagic.size() && std::ranges::equal(head.first(kMagic.size()), kMagic);
  return is_toy ? Recognition::by_magic : recognise_twin(head, {});
}

Opened open_toy(const Job& job, const OpenRequest& request) {
  const std::byte check = read_header(job.source);
  const unsigned by = shift(request.options, request.secret(SecretKind::passphrase));
  if (static_cast<std::byte>(by) != check) throw Error(Errc::wrong_key, "wrong passphrase for a toy");
  add(job, 256 - by % 256);
  Opened opened;
  opened.parameters = "a toy";
  opened.evidence.certain = true;
  return opened;
}

std::string seal_toy(const Job& job, const SealRequest& request) {
  const unsigned by = shift(request.options, request.secret(SecretKind::passphrase));
  write_counted(job, kMagic);
  write_counted(job, std::array{static_cast<std::byte>(by)});
  add(job, by);
  return "a toy";
}

Description describe_toy(stream::Source& source, const OptionValues&) {
  const auto check = std::to_integer<std::uint64_t>(read_header(source));
  Description description{.title = "a toy", .fields = {}};
  description.fields.push_back({"check", check, "check", std::to_string(check)});
  return description;
}

constexpr std::string_view kExtensions[] = {".toy", ".plaything"};

}  // namespace

const Codec kToyCodec{
    .name = "toy",
    .extensions = kExtensions,
    .summary = "bytes with a number added",
    .made_by = "this test",
    .wrong_secret = "a check of one byte",
    .secrets = secrets({SecretKind::passphrase}),
    .options = kOptions,
    .recognise = recognise_toy,
    .open = open_toy,
    .seal = seal_toy,
    .describe = describe_toy,
};

const Codec kTwinCodec{
    .name = "twin",
    .summary = "begins like the toy's second version",
    .made_by = "this test",
    .wrong_secret = "nothing",
    .secrets = secrets({SecretKind::key}),
    .max_key_bytes = 8,
    .options = {},
    .recognise = recognise_twin,
    .open = open_toy,
    .describe = describe_toy,
};

}  // namespace fugu::format
