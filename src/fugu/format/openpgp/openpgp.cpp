// Passphrase-encrypted OpenPGP messages with Blowfish (RFC 4880, RFC 9580).
//
//   session keys for public keys, skipped | session key by a passphrase (SKESK), one or more | encrypted data
//
// Encrypted data ends in an MDC, the SHA-1 of all before it (tag 18), or has only 16 bits that reveal a wrong
// passphrase (tag 9), as GnuPG 1 wrote it and GnuPG 2.2 refuses to read. It holds packets: compressed data,
// and the literal data. Armor and partial and indeterminate lengths are supported.
#include "fugu/format/detail/codecs.hpp"

#include "fugu/auth/digest.hpp"
#include "fugu/format/detail/digests.hpp"
#include "fugu/format/detail/filters.hpp"
#include "fugu/format/openpgp/detail/packets.hpp"
#include "fugu/format/salvage.hpp"

namespace fugu::format {
namespace {

constexpr unsigned kBlowfishId = 4;
constexpr std::size_t kSessionKeyBytes = 16;
constexpr std::size_t kSaltBytes = 8;
constexpr unsigned kVersion = 4;
constexpr std::size_t kMaxHeaderBytes = 6;
constexpr std::size_t kMaxSessionKeyBytes = 4096;
constexpr std::size_t kPrefixBytes = kBlockBytes + 2;  // random, with its last two bytes repeated
constexpr std::size_t kMdcBytes = 22;                  // with its header
constexpr std::size_t kMaxSessionKeys = 32;

// Outputs up to this size are released only after the MDC has been checked.
constexpr std::size_t kDelayedBytes = std::size_t{1} << 20;

// The evidence of the two repeated bytes.
constexpr double kPrefixBits = 16;

constexpr std::array kOptions{kMaxOutputRow};

// A session key under a passphrase (RFC 9580, 5.3, version 4).
struct SessionKeyPacket {
  unsigned cipher = 0;                 // of the data; of the session key where one is stored
  unsigned s2k_kind = 0;               // 0, 1 or 3
  unsigned digest = 0;                 // OpenPGP's number
  std::vector<std::byte> salt;         // kinds 1 and 3
  std::uint64_t count = 0;             // kind 3: bytes to hash
  std::vector<std::byte> session_key;  // encrypted; empty: the passphrase's key is the session key
};

// Empty for unsupported versions and kinds. Throws Error{damaged} for a truncated body.
std::optional<SessionKeyPacket> parse_session_key(std::span<const std::byte> body) {
  Reader reader(body, "an OpenPGP packet is truncated");
  if (reader.big(1) != kVersion) return std::nullopt;
  SessionKeyPacket packet;
  packet.cipher = reader.big(1);
  packet.s2k_kind = reader.big(1);
  if (packet.s2k_kind != 0 && packet.s2k_kind != 1 && packet.s2k_kind != 3) return std::nullopt;
  packet.digest = reader.big(1);
  if (packet.s2k_kind != 0) packet.salt = reader.take_copy(kSaltBytes);
  if (packet.s2k_kind == 3) {  // RFC 9580, 3.7.1.3
    const std::uint32_t coded = reader.big(1);
    packet.count = std::uint64_t{16 + (coded & 15U)} << ((coded >> 4) + 6);
  }
  packet.session_key = reader.take_copy(reader.left().size());
  return packet;
}

std::string cipher_name_of(unsigned id) {
  constexpr std::array<std::string_view, 14> kNames{
      "no cipher", "IDEA",    "TripleDES", "CAST5",   "Blowfish",     "cipher 5",     "cipher 6",
      "AES-128",   "AES-192", "AES-256",   "Twofish", "Camellia-128", "Camellia-192", "Camellia-256"};
  return id < kNames.size() ? std::string(kNames[id]) : "cipher " + std::to_string(id);
}

// OpenSSL's name; empty for an unknown one.
std::string digest_name_of(unsigned id) {
  constexpr std::array<std::string_view, 12> kNames{"", "md5", "sha1",   "ripemd160", "",       "",
                                                    "", "",    "sha256", "sha384",    "sha512", "sha224"};
  return id < kNames.size() ? std::string(kNames[id]) : "";
}

// The Blowfish key that this packet and passphrase give; empty if it is for another cipher.
std::optional<auth::SecretBytes> session_key(engine::Engine& engine, const SessionKeyPacket& packet,
                                             const auth::SecretBytes& passphrase) {
  const std::string digest = digest_name_of(packet.digest);
  if (packet.cipher != kBlowfishId || digest.empty()) return std::nullopt;
  auth::SecretBytes key = s2k(digest, passphrase, packet.salt, packet.count, kSessionKeyBytes);
  if (packet.session_key.empty()) return key;
  if (packet.session_key.size() != 1 + kSessionKeyBytes) return std::nullopt;
  auth::SecretBytes stored{std::span<const std::byte>(packet.session_key)};
  transform(engine, key.span(), {.mode = Mode::cfb64, .iv = mode::Iv{}},  // RFC 9580, 5.3
            Direction::decrypt, stored.span());
  if (std::to_integer<unsigned>(stored.span().front()) != kBlowfishId) return std::nullopt;
  return auth::SecretBytes(std::as_const(stored).span().subspan(1));
}

struct Message {
  std::vector<SessionKeyPacket> session_keys;
  bool has_public_keys = false;
  bool has_unknown_keys = false;
  PacketHeader data;

  bool has_mdc() const { return data.tag == PacketTag::encrypted_with_mdc; }
};

PacketHeader take_header(Lookahead& source) {
  std::size_t used = 0;
  const std::optional<PacketHeader> header = parse_packet_header(source.peek(kMaxHeaderBytes), used);
  if (!header) throw Error(Errc::damaged, "the message ends before its encrypted data");
  source.skip(used);
  return *header;
}

std::vector<std::byte> take_body(Lookahead& source, const PacketLength& length) {
  if (length.partial || length.to_the_end || length.bytes > kMaxSessionKeyBytes)
    throw Error(Errc::damaged, "an OpenPGP session key has an invalid length");
  return source.take(static_cast<std::size_t>(length.bytes), "an OpenPGP packet");
}

// Takes everything before the encrypted data, and its header.
Message read_message(Lookahead& source) {
  Message message;
  for (std::size_t packets = 0; packets < kMaxSessionKeys; ++packets) {
    const PacketHeader header = take_header(source);
    message.data = header;
    if (header.tag == PacketTag::encrypted || message.has_mdc()) return message;
    if (header.tag == PacketTag::encrypted_aead)
      throw Error(Errc::unknown_format, "an OpenPGP message with AEAD, not Blowfish: open it with gpg");
    const bool is_symmetric = header.tag == PacketTag::symmetric_key_session_key;
    const bool is_public = header.tag == PacketTag::public_key_session_key;
    if (!is_symmetric && !is_public && header.tag != PacketTag::marker)
      throw Error(Errc::unknown_format, "not an encrypted OpenPGP message: open it with gpg");
    const std::vector<std::byte> body = take_body(source, header.length);
    message.has_public_keys |= is_public;
    if (!is_symmetric) continue;
    const auto packet = parse_session_key(body);
    packet ? message.session_keys.push_back(*packet) : void(message.has_unknown_keys = true);
  }
  throw Error(Errc::damaged, "an OpenPGP message with too many session keys");
}

// Throws Error{unknown_format} if no passphrase opens it with Blowfish.
void check_openable(const Message& message) {
  std::string others;
  for (const SessionKeyPacket& packet : message.session_keys) {
    if (packet.cipher == kBlowfishId && !digest_name_of(packet.digest).empty()) return;
    others += (others.empty() ? "" : ", ") + cipher_name_of(packet.cipher);
  }
  if (others.empty())
    throw Error(Errc::unknown_format,
                "an OpenPGP message that no passphrase opens: open it with gpg and its key");
  throw Error(Errc::unknown_format, "an OpenPGP message with " + others + ", not Blowfish: open it with gpg");
}

// OpenPGP begins with zeros.
mode::Settings cfb(const mode::Iv& iv = {}) {
  return {.mode = Mode::cfb64, .iv = iv};
}

// Whether the decrypted beginning repeats its last two bytes.
bool fits(engine::Engine& engine, const cipher::Schedule& schedule, std::span<const std::byte> prefix) {
  core::WipedBytes plain(prefix.begin(), prefix.end());
  transform(engine, schedule, cfb(), Direction::decrypt, plain);
  return plain[kBlockBytes - 2] == plain[kBlockBytes] && plain[kBlockBytes - 1] == plain[kBlockBytes + 1];
}

// Expands the key of the first session key packet that fits the encrypted data.
void find_key(const Job& job, const Message& message, const auth::SecretBytes& passphrase,
              std::span<const std::byte> prefix, cipher::Schedule& schedule) {
  for (const SessionKeyPacket& packet : message.session_keys) {
    const std::optional<auth::SecretBytes> key = session_key(job.engine, packet, passphrase);
    if (!key) continue;
    cipher::expand(key->span(), schedule);
    if (fits(job.engine, schedule, prefix)) return;
  }
  throw Error(
      Errc::wrong_key,
      message.has_public_keys || message.has_unknown_keys
          ? "wrong passphrase, a damaged message, or one that its passphrase opens in another way: try gpg"
          : "wrong passphrase, or a damaged message");
}

// The MDC covers everything before it, including the prefix and its own header.
void run_with_mdc(const Job& job, const cipher::Schedule& schedule, stream::Sink& packets) {
  auth::Digest sha1("sha1");
  Excerpt after_prefix(packets, kPrefixBytes, std::numeric_limits<std::uint64_t>::max());
  Watched hashed(after_prefix, [&](std::span<const std::byte> bytes) { sha1.update(bytes); });
  HoldBack sink(hashed, kMdcBytes, [&](std::span<const std::byte> mdc) {
    std::array<std::byte, kMdcBytes - 2> digest;
    if (!holds(job, mdc.size() >= kMdcBytes, "the message ends inside its MDC: it is truncated"))
      return mdc.size();
    sha1.update(mdc.first(2)).finish(digest);
    const bool is_mdc = mdc[0] == std::byte{0xd3} && mdc[1] == std::byte{0x14};
    const bool is_right = is_mdc && std::ranges::equal(mdc.subspan(2), digest);
    holds(job, is_right, "the MDC is wrong: the message was changed or is truncated");
    return is_mdc ? 0 : mdc.size();
  });
  run_cipher(with_sink(job, sink), schedule, cfb(), Direction::decrypt);
}

// After the prefix the feedback restarts with its last eight bytes of ciphertext.
void run_resynchronised(const Job& job, const cipher::Schedule& schedule, Lookahead& data,
                        stream::Sink& packets) {
  const std::vector<std::byte> prefix = data.take(kPrefixBytes, "its encrypted data");
  run_cipher(with_sink(job, packets), schedule, cfb(iv_of(std::span(prefix).last(kBlockBytes))),
             Direction::decrypt);
}

Recognition recognise_openpgp(std::span<const std::byte> head, std::optional<std::uint64_t>) {
  if (is_armor(head)) return starts_with(head, "-----BEGIN") ? Recognition::by_magic : Recognition::perhaps;
  try {
    while (!head.empty()) {
      std::size_t used = 0;
      const std::optional<PacketHeader> header = parse_packet_header(head, used);
      if (!header || header->length.partial || header->length.to_the_end ||
          header->length.bytes > head.size() - used)
        return Recognition::no;
      const auto body = head.subspan(used, static_cast<std::size_t>(header->length.bytes));
      if (header->tag == PacketTag::symmetric_key_session_key) {
        const auto packet = parse_session_key(body);
        const bool known = packet && packet->cipher > 0 && packet->cipher <= 13 &&
                           !digest_name_of(packet->digest).empty() && packet->session_key.size() <= 64;
        return known ? Recognition::by_magic : Recognition::no;
      }
      if (header->tag != PacketTag::public_key_session_key || body.empty() || body[0] != std::byte{3})
        return Recognition::no;
      head = head.subspan(used + body.size());
    }
  } catch (const Error&) {
  }
  return Recognition::no;
}

// A message, armored or binary.
class Input {
 public:
  explicit Input(stream::Source& source, SalvageReport* salvage = nullptr)
      : text_(source),
        binary_(is_armor(text_.peek(kLookaheadBytes)) ? dearmored(text_, stands_in_text_, salvage)
                                                      : stream::borrow(text_)),
        packets_(*binary_) {}

  Lookahead& packets() { return packets_; }
  bool stands_in_text() const { return stands_in_text_; }  // known once all has been read

 private:
  Lookahead text_;
  bool stands_in_text_ = false;
  std::unique_ptr<stream::Source> binary_;
  Lookahead packets_;
};

Opened open_openpgp(const Job& job, const OpenRequest& request) {
  Input input(job.source, job.salvage);
  const Message message = read_message(input.packets());
  check_openable(message);
  PacketBody body(input.packets(), message.data.length, job.salvage);
  Lookahead data(body);
  if (message.has_mdc() && data.take(1, "its encrypted data").front() != std::byte{1})
    throw Error(Errc::unknown_format, "an OpenPGP message with AEAD, not Blowfish: open it with gpg");
  const auto prefix = data.peek(kPrefixBytes);
  if (prefix.size() < kPrefixBytes) throw Error(Errc::damaged, "the message ends inside its encrypted data");
  cipher::Schedule schedule;
  find_key(job, message, request.secret(SecretKind::passphrase), prefix, schedule);

  Opened opened;
  opened.parameters =
      std::string("OpenPGP, Blowfish, ") + (message.has_mdc() ? "with an MDC" : "without an MDC");
  opened.evidence = {.certain = message.has_mdc(), .bits = kPrefixBits};
  opened.authenticated = message.has_mdc();
  if (!message.has_mdc())
    opened.notes.push_back("the message has no MDC: nothing shows whether it was changed");
  bool is_signed = false;
  Delayed delay(job.sink, job.salvage == nullptr ? kDelayedBytes : 0);
  const auto packets = message_content(delay, OutputLimit(request.options), is_signed, job.salvage);
  const auto sink = up_to_damage(job, *packets);
  const Job from = with_source(job, data);
  message.has_mdc() ? run_with_mdc(from, schedule, *sink) : run_resynchronised(from, schedule, data, *sink);
  opened.all_content = !is_signed && !input.stands_in_text();  // nothing can check the signature any more
  if (input.stands_in_text()) opened.notes.push_back("the text around the message was left out");
  if (is_signed) opened.notes.push_back("the message is signed; the signature was not checked");
  return opened;
}

void describe_key(const SessionKeyPacket& packet, Description& description) {
  const bool stored = !packet.session_key.empty();
  description.add_text("cipher", stored ? "cipher of the session key" : "cipher",
                       cipher_name_of(packet.cipher));
  description.add_text("digest", "digest", digest_name_of(packet.digest));
  if (packet.s2k_kind == 3) description.add_number("hashed_bytes", "hashed", packet.count, " bytes");
}

Description describe_openpgp(stream::Source& source, const OptionValues&) {
  Input input(source);
  const Message message = read_message(input.packets());
  Description description{.title = "OpenPGP"};
  description.add_number("session_keys", "passphrases", message.session_keys.size());
  if (!message.session_keys.empty()) describe_key(message.session_keys.front(), description);
  description.add_flag("public_keys", "", message.has_public_keys);
  description.add_flag("mdc", "MDC", message.has_mdc());
  return description;
}

}  // namespace

const Codec kOpenPgpCodec{
    .name = "openpgp",
    .extensions = kExtensions<".gpg", ".pgp", ".asc">,
    .summary = "OpenPGP messages under a passphrase, with Blowfish",
    .made_by = "GnuPG (--cipher-algo BLOWFISH), PGP, rnp, PGPy, mcrypt -g",
    .details =
        "A text written with gpg --textmode gets line feeds in place of CR LF, as from gpg itself; --rm "
        "still counts the content as complete.",
    .wrong_secret = "16 bits at the beginning, and an MDC at the end",
    .passphrase_file_bytes = std::numeric_limits<std::size_t>::max(),
    .options = kOptions,
    .recognise = recognise_openpgp,
    .open = open_openpgp,
    .describe = describe_openpgp,
};

}  // namespace fugu::format
