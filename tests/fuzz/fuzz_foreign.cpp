// Gives any bytes to the codec that the environment's FUGU_FUZZ_CODEC names, with passphrases that open
// samples. Input: choice u8, then the file.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>
#include <string_view>
#include <vector>

#include "fuzz.hpp"

using namespace fugu;  // NOLINT(google-build-using-namespace): a program of one file

namespace {

constexpr std::array<std::string_view, 4> kPassphrases{"hello world", "secret", "password", "pass word 8"};

const format::Codec& codec_to_fuzz() {
  const char* const name = std::getenv("FUGU_FUZZ_CODEC");
  const format::Codec* const codec = format::find_codec(name == nullptr ? "" : name);
  fuzz::require(codec != nullptr, "FUGU_FUZZ_CODEC names no codec");
  return *codec;
}

// The first of them; these formats' samples have another.
std::string_view first_passphrase(std::string_view codec) {
  constexpr std::array<std::string_view, 6> kOthers{"fpm", "gpass", "oubliette", "plain", "truecrypt", "vnd"};
  return std::ranges::find(kOthers, codec) != kOthers.end() ? "correct horse" : kPassphrases.front();
}

// LUKS1 stores how many iterations a key takes. Returns the file with at most 255 of them for each of the 8
// slots and the master key.
std::vector<std::byte> affordable(std::string_view codec, std::span<const std::byte> input) {
  std::vector<std::byte> file(input.begin(), input.end());
  if (codec != "luks1") return file;
  constexpr std::size_t kMasterKeyAt = 164, kSlotsAt = 208, kSlotBytes = 48, kSlots = 8;
  const auto limit = [&](std::size_t at) {
    for (std::size_t i = at; i < at + 3 && i < file.size(); ++i) file[i] = std::byte{0};
  };
  limit(kMasterKeyAt);
  for (std::size_t slot = 0; slot < kSlots; ++slot) limit(kSlotsAt + slot * kSlotBytes + 4);
  return file;
}

void set_if(format::OptionValues& options, bool wanted, std::string_view name, std::string_view text = {}) {
  if (wanted) options.set(name, text);
}

// Takes bits 4, 6 and 7 of `choice`. Derivations are as cheap as their formats allow.
format::OptionValues options_for(const format::Codec& codec, std::uint64_t choice) {
  format::OptionValues options(codec.options);
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
  static const format::Codec& codec = codec_to_fuzz();
  fuzz::Input input(data, size);
  const std::uint64_t choice = input.number(1);
  if (codec.recognise != nullptr)
    static_cast<void>(codec.recognise(
        input.rest().first(std::min(input.rest().size(), format::kRecogniseBytes)), input.rest().size()));
  const std::vector<std::byte> file = affordable(codec.name, input.rest());
  const std::size_t which = choice & 3U;
  const auth::SecretBytes passphrase(which == 0 ? first_passphrase(codec.name) : kPassphrases[which]);
  const format::OptionValues options = options_for(codec, choice);
  fuzz::BytesSource described(file, fuzz::Seekable::yes);
  fuzz::BytesSource source(file, (choice & 4U) != 0 ? fuzz::Seekable::yes : fuzz::Seekable::no);
  fuzz::BytesSink sink;
  fuzz::try_to([&] { static_cast<void>(codec.describe(described, options)); });
  fuzz::try_to([&] {
    static_cast<void>(codec.open(
        {fuzz::engine(), source, sink, (choice & 8U) != 0 ? 64U : 0U, nullptr, {}},
        {options, format::AskSecret(format::SecretKind::passphrase, passphrase), (choice & 32U) != 0}));
  });
  return 0;
}
