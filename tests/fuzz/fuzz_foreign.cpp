// Gives any bytes to the codec that FUGU_FUZZ_CODEC names, with passphrases that open samples.
// Input: choice u8, then the file.
#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "fugu/format/codec.hpp"
#include "fuzz.hpp"

namespace {

constexpr std::array<std::string_view, 4> kPassphrases{"hello world", "secret", "password", "pass word 8"};

constexpr std::string_view kCodec = FUGU_FUZZ_CODEC;

// The first of them; these formats' samples have another.
constexpr std::string_view first_passphrase() {
  for (const std::string_view codec : {"fpm", "gpass", "plain", "truecrypt", "vnd"}) {
    if (codec == kCodec) return "correct horse";
  }
  return kPassphrases.front();
}

// LUKS1 stores how many iterations a key takes. Returns the file with at most 255 of them for each of the 8
// slots and the master key.
std::vector<std::byte> affordable(std::span<const std::byte> input) {
  std::vector<std::byte> file(input.begin(), input.end());
  if (kCodec != "luks1") return file;
  constexpr std::size_t kMasterKeyAt = 164, kSlotsAt = 208, kSlotBytes = 48, kSlots = 8;
  const auto limit = [&](std::size_t at) {
    for (std::size_t i = at; i < at + 3 && i < file.size(); ++i) file[i] = std::byte{0};
  };
  limit(kMasterKeyAt);
  for (std::size_t slot = 0; slot < kSlots; ++slot) limit(kSlotsAt + slot * kSlotBytes + 4);
  return file;
}

void set_if(fugu::format::OptionValues& options, bool wanted, std::string_view name,
            std::string_view text = {}) {
  if (wanted) options.set(name, text);
}

// Takes bits 4, 6 and 7 of `choice`. Derivations are as cheap as their formats allow.
fugu::format::OptionValues options_for(const fugu::format::Codec& codec, std::uint64_t choice) {
  fugu::format::OptionValues options(codec.options);
  const bool bit4 = (choice & 16U) != 0;
  const bool bit6 = (choice & 64U) != 0;
  const bool bit7 = (choice & 128U) != 0;
  if (codec.name == "mcrypt" && bit4) {
    options.set("bare");
    options.set("mode", bit6 ? (bit7 ? "cfb" : "ncfb") : (bit7 ? "ctr" : "cbc"));
  }
  if (codec.name == "cryptcbc") {
    set_if(options, bit4, "iv", "0001020304050607");
    set_if(options, !bit6, "key-bytes", "56");
    bit7 ? options.set("pbkdf", "opensslv1") : options.set("iter", "1");
  }
  if (codec.name == "burp") set_if(options, bit4, "salt", "0001020304050607");
  if (codec.name == "kwallet") {
    options.set("wallet-salt", "00");
    set_if(options, bit4, "to", "payload");
  }
  if (codec.name == "pwsafe" || codec.name == "fpm") set_if(options, bit4, "to", "csv");
  if (codec.name == "gpass") set_if(options, bit4, "to", bit6 ? "csv" : "payload");
  if (codec.units != nullptr || codec.name == "luks1") set_if(options, bit4, "range", "100:700");
  if (codec.name == "vnd") set_if(options, bit6, "rounds", "1000");
  if (codec.name == "plain") {
    options.set("cipher", bit6 ? "blowfish-cbc-essiv:sha256" : "blowfish-ecb");
    set_if(options, bit7, "hash", "plain");
  }
  if (codec.name == "dcpcrypt") set_if(options, bit4, "mode", bit6 ? (bit7 ? "cfb" : "ofb") : "string");
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fugu;
  fuzz::Input input(data, size);
  const std::uint64_t choice = input.number(1);
  const format::Codec* const codec = format::find_codec(FUGU_FUZZ_CODEC);
  fuzz::require(codec != nullptr, "no such codec");
  if (codec->recognise != nullptr)
    static_cast<void>(codec->recognise(
        input.rest().first(std::min(input.rest().size(), format::kRecogniseBytes)), input.rest().size()));
  const std::vector<std::byte> file = affordable(input.rest());
  const std::size_t which = choice & 3U;
  const auth::SecretBytes passphrase(which == 0 ? first_passphrase() : kPassphrases[which]);
  const format::OptionValues options = options_for(*codec, choice);
  fuzz::BytesSource described(file, fuzz::Seekable::yes);
  fuzz::BytesSource source(file, (choice & 4U) != 0 ? fuzz::Seekable::yes : fuzz::Seekable::no);
  fuzz::BytesSink sink;
  try {
    static_cast<void>(codec->describe(described, options));
  } catch (const Error&) {
  }
  try {
    static_cast<void>(codec->open(
        {fuzz::engine(), source, sink, (choice & 8U) != 0 ? 64U : 0U, nullptr, {}},
        {options, format::AskSecret(format::SecretKind::passphrase, passphrase), (choice & 32U) != 0}));
  } catch (const Error&) {
  }
  return 0;
}
