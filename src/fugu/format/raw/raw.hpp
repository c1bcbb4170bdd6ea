// The parameters of raw Blowfish, for callers that try them; the parts of raw: steps from a secret to a key,
// messages, and hints at options that the user may have left out. Private to format.
#pragma once

#include "fugu/format/codec.hpp"
#include "fugu/format/detail/message.hpp"
#include "fugu/format/units.hpp"
#include "fugu/mode/settings.hpp"

namespace fugu::format {

// encrypted_zero: E(00 x 8), as DCPcrypt 2; encrypted_ff: E(ff x 8), as DCPcrypt 1. of_key: the first 8 bytes
// of the secret after RawParameters::iv_steps. openpgp: cfb begins with 8 random bytes and the last two of
// them again, encrypted under zeros, and goes on under the last 8 of these (RFC 9580, 13.9).
enum class IvPlace : std::uint8_t { given, prefix, encrypted_zero, encrypted_ff, of_key, openpgp };

// A plaintext that begins with the length of its text; anything may follow the text.
struct SizeInFront {
  std::string_view name;
  std::size_t bytes;
  bool is_little;

  std::uint64_t read(std::span<const std::byte> front) const {
    return is_little ? load_little(front) : load_big(front);
  }

  // Empty for a plaintext that does not hold as much.
  std::optional<std::span<const std::byte>> text_in(std::span<const std::byte> plaintext) const {
    if (plaintext.size() < bytes) return std::nullopt;
    const std::uint64_t size = read(plaintext.first(bytes));
    if (size > plaintext.size() - bytes) return std::nullopt;
    return plaintext.subspan(bytes, static_cast<std::size_t>(size));
  }
};
inline constexpr SizeInFront kSizesInFront[] = {
    {"u32le", 4, true}, {"u32be", 4, false}, {"u16le", 2, true}, {"u16be", 2, false}};
inline constexpr const char* kWrongSize =
    "the length at the beginning is larger than what follows: wrong key, or the text does not begin with a "
    "length (⟦sized⟧)";

struct RawParameters {
  mode::Settings settings;  // iv: used with IvPlace::given
  IvPlace iv_place = IvPlace::given;
  std::string iv_steps = {};
  std::string key_steps = {};                // what makes the key of the secret: "base64,cut16"
  std::uint64_t skip = 0;                    // decryption: bytes in front that are not read
  std::optional<std::uint64_t> length = {};  // decryption: at most these bytes are read after them
  const SizeInFront* size = nullptr;         // decryption: what follows the text is left out
};

// The key that the secret stands for. Blowfish uses the first 72 bytes of a longer one, as OpenSSL does.
// Throws Error{usage} for an empty secret, and for steps that cannot be applied to it.
auth::SecretBytes raw_key(const RawParameters& parameters, const auth::SecretBytes& secret);

// The value of the option --iv. Throws Error{usage} for another.
void set_raw_iv(std::string_view given, RawParameters& parameters);

// Bytes of data ahead of the ciphertext, which tell the IV.
std::size_t raw_header_bytes(IvPlace place);

// New ones, for encryption.
std::vector<std::byte> raw_header(const RawParameters& parameters, const cipher::Schedule& schedule);

// `schedule`: of what raw_key() returns. Throws Error{usage} for a secret of which the IV cannot be made, and
// Error{wrong_key} for a header that shows another key.
mode::Iv raw_iv(const RawParameters& parameters, const auth::SecretBytes& secret,
                const cipher::Schedule& schedule, std::span<const std::byte> header = {});

// The error where the data has fewer bytes.
std::string ends_inside_iv(std::size_t bytes);

// The value of the option --pad.
std::string_view raw_padding_name(mode::Padding padding);

// What a decryption begins with: its plan, and up to kRawHeadBytes of the ciphertext behind the IV.
struct RawBeginning {
  UnitPlan plan;
  std::vector<std::byte> ciphertext;
};
inline constexpr std::size_t kRawHeadBytes = 64;

// Error{damaged} if the key fits the beginning, or Error{wrong_key} with advice from the end of the data and
// from the key.
Error padding_error(engine::Engine& engine, const mode::WrongPadding& wrong, const RawParameters& parameters,
                    const auth::SecretBytes& secret, const RawBeginning& beginning);

// Notes on a result that is not text.
std::vector<std::string> result_hints(engine::Engine& engine, const RawParameters& parameters,
                                      const auth::SecretBytes& secret, const RawBeginning& beginning);

// What programs make of a key before Blowfish gets it, step by step: "base64,cut16". Throws Error{usage} for
// a step that does not exist, without looking at a key.
void check_key_steps(std::string_view steps);

// Throws Error{usage} as well for a key that a step cannot be applied to.
auth::SecretBytes after_key_steps(std::string_view steps, const auth::SecretBytes& key);

// `all_content`: of each message. Throws as raw_key().
std::unique_ptr<MessageCipher> raw_messages(const RawParameters& parameters, bool all_content,
                                            const auth::SecretBytes& secret, core::Direction direction);

}  // namespace fugu::format
