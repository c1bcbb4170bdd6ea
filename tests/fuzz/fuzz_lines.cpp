// Lines and tables of messages: what is left or opened keeps the number of lines or records, what is sealed
// opens to the same again, and a text in which nothing opens stays as it is.
#include "fugu/format/lines/lines.hpp"

#include <algorithm>

#include "fuzz.hpp"

namespace {

using namespace fugu;

const format::Codec& raw() {
  return *format::find_codec("raw");
}

format::OptionValues options() {
  format::OptionValues values(raw().options);
  values.set("mode", "ecb");
  return values;
}

const auth::SecretBytes& key() {
  static const auth::SecretBytes bytes(std::string_view("sixteen byte key"));
  return bytes;
}

format::LinesOptions with(std::uint64_t choice) {
  format::LinesOptions options{
      .encoding = choice & 1 ? format::TextEncoding::hex : format::TextEncoding::base64,
      .accept_weak_evidence = true};
  if (choice & 2)
    options.table =
        format::TableOptions{{"2", choice & 4 ? "a" : "1"}, choice & 8 ? ';' : ',', (choice & 16) != 0};
  return options;
}

fuzz::Bytes run(std::span<const std::byte> text, const format::LinesOptions& options,
                const format::MessageCipher& cipher, bool seals) {
  fuzz::BytesSource source(text);
  fuzz::BytesSink sink;
  format::Lines lines(source, options);
  seals ? lines.seal(cipher, sink) : lines.open(cipher, true, sink);
  return sink.bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const format::LinesOptions options_of_text = with(input.number(1));
  const format::OptionValues values = options();
  const format::AskSecret ask(format::SecretKind::key, key());
  const auto opens = format::opening_cipher(raw(), {values, ask}, {});
  const auto seals = format::sealing_cipher(raw(), {values, ask});
  const auto text = input.rest();
  fuzz::try_to([&] { static_cast<void>(run(text, options_of_text, *opens, false)); });
  fuzz::Bytes sealed;
  try {
    sealed = run(text, options_of_text, *seals, true);
  } catch (const Error&) {
    return 0;
  }
  try {
    const fuzz::Bytes again = run(sealed, options_of_text, *opens, false);
    if (!options_of_text.table)
      fuzz::require(std::ranges::equal(again, text), "sealed lines do not come back");
    fuzz::require(run(run(again, options_of_text, *seals, true), options_of_text, *opens, false) == again,
                  "sealed fields do not come back");
  } catch (const Error& error) {
    // A sealed table may look like UTF-16, or like lines that end in CR.
    fuzz::require(options_of_text.table && error.code() == Errc::unknown_format, error.what());
  }
  return 0;
}
