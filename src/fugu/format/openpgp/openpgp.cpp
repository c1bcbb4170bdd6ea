// Passphrase-encrypted OpenPGP messages with Blowfish (RFC 4880, RFC 9580).
//
//   session keys for public keys, skipped | session key by a passphrase (SKESK), one or more | encrypted data
//
// Encrypted data ends in an MDC, the SHA-1 of all before it (tag 18), or has only 16 bits that reveal a wrong
// passphrase (tag 9), as GnuPG 1 wrote it and GnuPG 2.2 refuses to read. It holds packets: compressed data,
// and the literal data. Armor and partial and indeterminate lengths are supported.
#include "fugu/format/detail/codecs.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "fugu/auth/digest.hpp"
#include "fugu/core/wiped.hpp"
#include "fugu/error.hpp"
#include "fugu/format/detail/filters.hpp"
#include "fugu/format/detail/message.hpp"
#include "fugu/format/openpgp/detail/armor.hpp"
#include "fugu/format/openpgp/detail/packets.hpp"
#include "fugu/format/openpgp/detail/session_key.hpp"

namespace fugu::format {
namespace {

using core::kBlockBytes;
using mode::Direction;

constexpr std::size_t kMaxHeaderBytes = 6;
constexpr std::size_t kMaxSessionKeyBytes = 4096;
constexpr std::size_t kPrefixBytes = kBlockBytes + 2;  // random, with its last two bytes repeated
constexpr std::size_t kMdcBytes = 22;                  // with its header
constexpr std::size_t kMaxSessionKeys = 32;

// Outputs up to this size are released only after the MDC has been checked.
constexpr std::size_t kDelayedBytes = std::size_t{1} << 20;

// The repeated two bytes, and a known packet after them: 5 of 64 tags begin one.
constexpr double kPrefixBits = 16;

constexpr std::array kOptions{kMaxOutputRow};

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
    throw Error(Errc::damaged, "a session key of OpenPGP has a length that none has");
  return source.take(static_cast<std::size_t>(length.bytes), "a packet of OpenPGP");
}

// Takes everything before the encrypted data, and its header.
Message read_message(Lookahead& source) {
  Message message;
  for (std::size_t packets = 0; packets < kMaxSessionKeys; ++packets) {
    const PacketHeader header = take_header(source);
    switch (header.tag) {
      case PacketTag::encrypted:
      case PacketTag::encrypted_with_mdc:
        message.data = header;
        return message;
      case PacketTag::symmetric_key_session_key: {
        const auto packet = parse_session_key(take_body(source, header.length));
        packet ? message.session_keys.push_back(*packet) : void(message.has_unknown_keys = true);
        break;
      }
      case PacketTag::public_key_session_key:
        message.has_public_keys = true;
        [[fallthrough]];
      case PacketTag::marker:
        static_cast<void>(take_body(source, header.length));
        break;
      case PacketTag::encrypted_aead:
        throw Error(Errc::unknown_format, "a message of OpenPGP with AEAD, not Blowfish: open it with gpg");
      default:
        throw Error(Errc::unknown_format, "not an encrypted message of OpenPGP: open it with gpg");
    }
  }
  throw Error(Errc::damaged, "a message of OpenPGP with more session keys than there can be");
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
                "a message of OpenPGP that no passphrase opens: open it with gpg and its key");
  throw Error(Errc::unknown_format,
              "a message of OpenPGP with " + others + ", not Blowfish: open it with gpg");
}

mode::Settings cfb(std::span<const std::byte> iv = {}) {
  mode::Settings settings;
  settings.mode = mode::Mode::cfb64;
  std::ranges::copy(iv, settings.iv.emplace().begin());  // zeros where OpenPGP has none
  return settings;
}

// Whether the decrypted beginning repeats its two bytes. The packet after it is checked in `next`.
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
          ? "wrong passphrase, or a damaged message, or one whose passphrase opens it by another way: try gpg"
          : "wrong passphrase, or a damaged message");
}

class SkipPrefix final : public stream::Sink {
 public:
  explicit SkipPrefix(stream::Sink& inner) : inner_(inner) {}
  void write(std::span<const std::byte> from) override {
    const std::size_t bytes = std::min(from.size(), left_);
    left_ -= bytes;
    if (bytes < from.size()) inner_.write(from.subspan(bytes));
  }
  void finish() override { inner_.finish(); }
  void cancel() noexcept override { inner_.cancel(); }

 private:
  stream::Sink& inner_;
  std::size_t left_ = kPrefixBytes;
};

// The MDC covers everything before it, including the prefix and its own header.
void run_with_mdc(const Job& job, const cipher::Schedule& schedule, stream::Sink& packets) {
  auth::Digest sha1("sha1");
  SkipPrefix after_prefix(packets);
  const auto hashed = watched(after_prefix, [&](std::span<const std::byte> bytes) { sha1.update(bytes); });
  const auto sink = hold_back(*hashed, kMdcBytes, [&](std::span<const std::byte> mdc) {
    std::array<std::byte, kMdcBytes - 2> digest;
    if (mdc.size() < kMdcBytes)
      throw Error(Errc::damaged, "the message ends inside its MDC: it is truncated");
    sha1.update(mdc.first(2)).finish(digest);
    const bool right =
        mdc[0] == std::byte{0xd3} && mdc[1] == std::byte{0x14} && std::ranges::equal(mdc.subspan(2), digest);
    if (!right) throw Error(Errc::damaged, "the MDC is wrong: the message was changed or is truncated");
    return std::size_t{0};
  });
  run_cipher(with_sink(job, *sink), schedule, cfb(), Direction::decrypt);
}

// After the prefix the feedback restarts with its last eight bytes of ciphertext.
void run_resynchronised(const Job& job, const cipher::Schedule& schedule, Lookahead& data,
                        stream::Sink& packets) {
  const std::vector<std::byte> prefix = data.take(kPrefixBytes, "its encrypted data");
  run_cipher(with_sink(job, packets), schedule, cfb(std::span(prefix).last(kBlockBytes)), Direction::decrypt);
}

Recognition recognise_openpgp(std::span<const std::byte> head, std::optional<std::uint64_t>) {
  if (is_armor(head)) return Recognition::by_magic;
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
  explicit Input(stream::Source& source)
      : text_(source),
        binary_(is_armor(text_.peek(64)) ? dearmored(text_) : stream::borrow(text_)),
        packets_(*binary_) {}

  Lookahead& packets() { return packets_; }

 private:
  Lookahead text_;
  std::unique_ptr<stream::Source> binary_;
  Lookahead packets_;
};

Opened open_openpgp(const Job& job, const OpenRequest& request) {
  Input input(job.source);
  const Message message = read_message(input.packets());
  check_openable(message);
  PacketBody body(input.packets(), message.data.length);
  Lookahead data(body);
  if (message.has_mdc() && data.take(1, "its encrypted data").front() != std::byte{1})
    throw Error(Errc::unknown_format, "a message of OpenPGP with AEAD, not Blowfish: open it with gpg");
  const auto prefix = data.peek(kPrefixBytes);
  if (prefix.size() < kPrefixBytes) throw Error(Errc::damaged, "the message ends inside its encrypted data");
  cipher::Schedule schedule;
  find_key(job, message, request.secret(SecretKind::passphrase), prefix, schedule);

  Opened opened;
  opened.parameters =
      std::string("OpenPGP, Blowfish, ") + (message.has_mdc() ? "with an MDC" : "without an MDC");
  opened.evidence = {.certain = message.has_mdc(), .bits = kPrefixBits};
  opened.authenticated = message.has_mdc();
  if (!message.has_mdc()) {
    require_evidence(opened.evidence, true, request.accept_weak_evidence, opened.parameters, "");
    opened.notes.push_back("the message has no MDC: nothing shows whether it was changed");
  }
  MessageReport report;
  const auto delay = delayed(job.sink, kDelayedBytes);
  const auto packets = message_content(*delay, OutputLimit(request.options), report);
  const Job from = with_source(job, data);
  message.has_mdc() ? run_with_mdc(from, schedule, *packets)
                    : run_resynchronised(from, schedule, data, *packets);
  opened.all_content = !report.is_signed;  // nothing can check the signature any more
  if (report.is_signed) opened.notes.push_back("the message is signed; the signature was not checked");
  return opened;
}

void describe_key(const SessionKeyPacket& packet, Description& description) {
  const std::string cipher = cipher_name_of(packet.cipher);
  const std::string digest = digest_name_of(packet.digest);
  const bool stored = !packet.session_key.empty();
  description.fields.push_back({"cipher", cipher, stored ? "cipher of the session key" : "cipher", cipher});
  description.fields.push_back({"digest", digest, "digest", digest});
  if (packet.s2k_kind == 3)
    description.fields.push_back(
        {"hashed_bytes", packet.count, "hashed", std::to_string(packet.count) + " bytes"});
}

Description describe_openpgp(stream::Source& source, const OptionValues&) {
  Input input(source);
  const Message message = read_message(input.packets());
  Description description{"OpenPGP", {}};
  description.fields.push_back({"session_keys", std::uint64_t{message.session_keys.size()}, "passphrases",
                                std::to_string(message.session_keys.size())});
  if (!message.session_keys.empty()) describe_key(message.session_keys.front(), description);
  description.fields.push_back({"public_keys", message.has_public_keys, "", ""});
  description.fields.push_back({"mdc", message.has_mdc(), "MDC", message.has_mdc() ? "yes" : "no"});
  return description;
}

bool is_serial_openpgp(const OptionValues&, Direction) {
  return false;
}

constexpr std::string_view kExtensions[] = {".gpg", ".pgp", ".asc"};

}  // namespace

const Codec kOpenPgpCodec{
    .name = "openpgp",
    .extensions = kExtensions,
    .summary = "OpenPGP messages under a passphrase, with Blowfish",
    .made_by = "GnuPG (--cipher-algo BLOWFISH), PGP, rnp, PGPy, mcrypt -g",
    .details =
        "A text written with gpg --textmode gets line feeds in place of CR LF, as from gpg itself; --rm "
        "still counts the content as complete.",
    .wrong_secret = "16 bits at the beginning, and an MDC at the end",
    .abilities = abilities({Ability::open}),
    .secrets = secrets({SecretKind::passphrase}),
    .options = kOptions,
    .recognise = recognise_openpgp,
    .open = open_openpgp,
    .describe = describe_openpgp,
    .is_serial = is_serial_openpgp,
};

}  // namespace fugu::format
